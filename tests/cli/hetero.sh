#!/usr/bin/env bash
# Cores and a GPU on one memory system: each side alone is what it is without the other, together they slow each other down,
# ways and channels keep them apart.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

cpu=$TRACES/qsort
gpu=$WORK/reads
replay() { "$RUBATO" replay "$@" --quiet </dev/null 2>"$WORK/stderr"; }
figure() { awk -v name="$2" '$1 == name { print $2; exit }' "$1"; }
equal() {    # NAME GOT EXPECTED
    if [ -n "$2" ] && [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1"; echo "    got '$2', expected '$3'"; fi
}
above() {    # NAME GREATER LESS
    if awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && b != "" && a > b) }'; then ok "$1"; else
        not_ok "$1"
        echo "    '$2' is not above '$3'"
    fi
}

# ---- a kernel whose one warp reads 256 lines of 128 bytes, four times
mkdir "$gpu"
echo kernel-1.traceg >"$gpu/kernelslist.g"
awk 'BEGIN {
    print "-kernel name = reads\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 16"
    print "-binary version = 70\n-cuda stream id = 0\n-shmem base_addr = 0x7f0000000000\n-local mem base_addr = 0x7e0000000000"
    print "-nvbit version = 1.5\n-accelsim tracer version = 3\n\n#traces format\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0"
    print "insts = 1025"
    for (i = 0; i < 1024; i++)
        printf "%04x ffffffff 1 R%d LDG.E.SYS 1 R2 4 1 0x%x 4\n", 16 * i, 4 + i % 8, 1073741824 + 128 * (i % 256)
    printf "%04x ffffffff 0 EXIT 0 0\n\n#END_TB\n", 16 * 1024 }' >"$gpu/kernel-1.traceg"

# ---- one side alone
replay hetero "$cpu" --stats "$WORK/cpu.txt"
replay hetero "$cpu" --set gpu=none --stats "$WORK/without.txt"
check 'without a kernel: ticks and statistics of the system without a GPU' \
    cmp -s <(grep -v host "$WORK/cpu.txt") <(grep -v host "$WORK/without.txt")
replay hetero "$gpu" --stats "$WORK/gpu.txt"
replay hetero "$gpu" --set cores=1 --stats "$WORK/one.txt"
of_gpu() { grep -E '^(finalTick|system\.(gpu|mem_ctrls[0-9]*|memcache)[. ])' "$1" | grep -v cpu; }
check 'without a trace of a CPU: the GPU does what it does beside fewer cores' \
    cmp -s <(of_gpu "$WORK/gpu.txt") <(of_gpu "$WORK/one.txt")
equal 'and no core has done anything' "$(figure "$WORK/gpu.txt" system.membus.snoops)" 0

# ---- together. Small caches, so that both sides need the memory
small=(--set l2.size=16KiB --set memory_cache.size=64KiB --set gpu.l1.skip_global=yes --set gpu.l2.sets=16 --set gpu.l2.ways=1
    --set gpu.l2.index=linear)
"$RUBATO" replay hetero "$cpu" "$gpu" "${small[@]}" --alone --stats "$WORK/both.txt" >"$WORK/both.out" 2>&1
equal 'exit code' $? 0
replay hetero "$gpu" "${small[@]}" --stats "$WORK/alone.txt"
column() { awk -v name="$1" -v column="$2" '$1 == name && NF == 4 && $4 ~ /x$/ { print $column; exit }' "$WORK/both.out"; }
for who in cpu0 cpu1 cpu2 cpu3 gpu; do
    check "slowdown of $who is shared / alone" awk -v s="$(column $who 2)" -v a="$(column $who 3)" -v d="$(column $who 4)" \
        'BEGIN { d += 0; e = s / a - d; exit !(a > 0 && e < 0.001 && e > -0.001) }'
done
slowed=$(awk 'NF == 4 && $4 ~ /x$/ && $4 + 0 > 1 { n++ } END { print n + 0 }' "$WORK/both.out")
above 'sharing slows sides down' "$slowed" 2
equal 'alone, the GPU takes what it takes without cores' "$(column gpu 3)" \
    "$(awk -v ps="$(figure "$WORK/alone.txt" finalTick)" 'BEGIN { printf "%.6f", 1e-9 * ps }')"
side() { awk -v name="$1" -v column="$2" '$1 == "side" { on = 1 } on && $1 == name { print $column; exit }' "$WORK/both.out"; }
above 'bandwidth of the cores' "$(side cores 4)" 0
above 'bandwidth of the GPU' "$(side gpu 4)" 0

# ---- ways of the memory cache. 256 lines of 128 bytes are 512 of its own
misses() { replay hetero "$gpu" "${small[@]}" "$@" --stats "$WORK/ways.txt"; figure "$WORK/ways.txt" system.memcache.overallMisses::gpu; }
all=$(misses)
equal 'half of the ways hold what the GPU reads' "$(misses --set gpu.llc_ways=8)" "$all"
above 'one way does not' "$(misses --set gpu.llc_ways=1)" $((3 * all))
equal 'ways of the cores are none of the GPU' "$(misses --set gpu.cpu_llc_ways=1)" "$all"
together() { replay hetero "$cpu" "$gpu" "${small[@]}" "$@" --stats "$WORK/ways.txt"; figure "$WORK/ways.txt" system.memcache.overallMisses::gpu; }
equal 'cores that have other ways take nothing from the GPU' "$(together --set gpu.llc_ways=8 --set gpu.cpu_llc_ways=8)" "$all"
refused 'more ways than there are' 'gpu.llc_ways: 17, but memory_cache has 16 ways' \
    "$RUBATO" replay hetero "$gpu" --set gpu.llc_ways=17
refused 'ways without that cache' 'there is no memory_cache' \
    "$RUBATO" replay hetero "$gpu" --set memory_cache=none --set gpu.llc_ways=1
refused 'ways with another policy' 'replacement lru only' \
    "$RUBATO" replay hetero "$gpu" --set memory_cache.replacement=random --set gpu.cpu_llc_ways=1

# ---- channels of its own
cat >"$WORK/apart.yaml" <<'YAML'
include: hetero
memories:
  - {device: LPDDR5_6400_1x16_BG_BL32, size: 4GiB, channels: 2}
  - {device: LPDDR5_6400_1x16_BG_BL32, size: 4GiB, channels: 2}
YAML
replay "$WORK/apart.yaml" "$cpu" "$gpu" "${small[@]}" --stats "$WORK/apart.txt"
bytes() { awk -v side="$2" -v from="$3" -v to="$4" '
    match($1, /^system\.mem_ctrls[0-9]+\.requestorReadBytes::/) { split($1, part, /[.:]+/); sub("mem_ctrls", "", part[2])
        is_gpu = part[4] == "gpu"; if (part[2] >= from && part[2] <= to && is_gpu == (side == "gpu")) sum += $2 }
    END { print sum + 0 }' "$1"; }
above 'the GPU reads its channels' "$(bytes "$WORK/apart.txt" gpu 2 3)" 0
equal 'and no others' "$(bytes "$WORK/apart.txt" gpu 0 1)" 0
above 'the cores read theirs' "$(bytes "$WORK/apart.txt" cpu 0 1)" 0
equal 'and not the GPU'"'"'s' "$(bytes "$WORK/apart.txt" cpu 2 3)" 0
refused 'counts per instruction beside cores' '--instructions is for a GPU alone' \
    "$RUBATO" replay hetero "$gpu" --instructions
refused 'a window outside memory' 'gpu.memory_base: no memory has the address 16GiB' \
    "$RUBATO" replay hetero "$gpu" --set gpu.memory_base=16GiB
exit $failures
