#!/usr/bin/env bash
# Cores and a GPU on one memory system: each side alone runs as without the other, together they slow each other down,
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
equal 'without a trace of a CPU no core has done anything' "$(figure "$WORK/gpu.txt" system.membus.snoops)" 0

# ---- cores without a trace, and no cores: the GPU does the same to the tick, and so does all that both systems have. The
# list: three kernels, one of them twice, and copies
several=$WORK/several
mkdir "$several"
ln -s "$PWD/tests/traces/gpu/volta-bfs-2blocks/kernel-3.traceg.gz" "$PWD/tests/traces/gpu/pascal-vectoradd-100/kernel-1.traceg" \
    "$several"
ln -s "$gpu/kernel-1.traceg" "$several/kernel-2.traceg"
cat tests/traces/gpu/volta-bfs-2blocks/kernelslist.g tests/traces/gpu/pascal-vectoradd-100/kernelslist.g >"$several/kernelslist.g"
printf 'kernel-2.traceg\nkernel-3.traceg\n' >>"$several/kernelslist.g"
# FILE PORTS: its statistics without the host's and the cores' own. PORTS caches of cores are on the memory bus before the
# GPU, whose ports are numbered after them
shared_stats() {
    sed 's/#.*//' "$1" | awk -v ports="$2" '
        $1 ~ /^host|^system\.(cpu|l1[id]|l2|tol2bus)[0-9]*\.|snoopFanout::[1-9]/ { next }
        match($1, /^system\.membus\.respLayer[0-9]+/) {
            sub(/[0-9]+/, substr($1, 24, RLENGTH - 23) - ports, $1) }
        NF > 1 { $1 = $1; print }'
}
kernels_of() { sed -n '/^kernel/,$p' "$1"; }
same_as_without_cores() {    # NAME CORES SYSTEM LIST SETTING...
    local name=$1 cores=$2 system=$3 list=$4
    shift 4
    "$RUBATO" replay "$system" "$list" --set cores="$cores" "$@" --stats "$WORK/idle.txt" >"$WORK/idle.out" 2>"$WORK/stderr"
    "$RUBATO" replay "$system" "$list" --set cores=0 "$@" --stats "$WORK/none.txt" >"$WORK/none.out" 2>"$WORK/stderr"
    shared_stats "$WORK/idle.txt" "$cores" >"$WORK/idle.stats"
    shared_stats "$WORK/none.txt" 0 >"$WORK/none.stats"
    above "$name: statistics that are not 0" "$(awk '$2 != 0' "$WORK/none.stats" | wc -l)" 150
    check "$name: they are the same without cores" diff "$WORK/idle.stats" "$WORK/none.stats"
    check "$name: cycles and rates of the kernels" diff <(kernels_of "$WORK/idle.out") <(kernels_of "$WORK/none.out")
}
cat >"$WORK/apart.yaml" <<'YAML'
include: hetero
memories:
  - {device: LPDDR5_6400_1x16_BG_BL32, size: 4GiB, channels: 2}
  - {device: LPDDR5_6400_1x16_BG_BL32, size: 4GiB, channels: 2}
YAML
small=(--set l2.size=16KiB --set memory_cache.size=64KiB --set gpu.l1.skip_global=yes --set gpu.l2.sets=16 --set gpu.l2.ways=1
    --set gpu.l2.index=linear)
same_as_without_cores 'four idle cores' 4 hetero "$several"
equal 'all kernels ran' "$(kernels_of "$WORK/none.out" | sed '/^traffic/,$d' | grep -c '^ *[1-4] ')" 4
same_as_without_cores 'one idle core' 1 hetero "$gpu"
same_as_without_cores 'small caches' 4 hetero "$several" "${small[@]}" --set gpu.copies_fill_l2=no
above 'small caches: DRAM is read' "$(figure "$WORK/none.txt" system.mem_ctrls0.readBursts)" 100
all_ways=$(figure "$WORK/none.txt" system.memcache.overallMisses::gpu)
same_as_without_cores 'ways for each side' 4 hetero "$several" "${small[@]}" --set gpu.llc_ways=1 --set gpu.cpu_llc_ways=8 \
    --set gpu.copies_fill_l2=no
above 'ways for each side: fewer ways, more misses' "$(figure "$WORK/none.txt" system.memcache.overallMisses::gpu)" "$all_ways"
same_as_without_cores 'channels of its own' 4 "$WORK/apart.yaml" "$several" "${small[@]}"
equal 'channels of its own: no others are read' "$(figure "$WORK/none.txt" system.mem_ctrls0.readBursts)" 0
same_as_without_cores 'no memory cache' 2 hetero "$several" --set memory_cache=none --set gpu.l2.sets=16
"$RUBATO" replay hetero "$several" --set cores=0 --alone >"$WORK/alone.out" 2>&1
check 'a GPU alone is not slowed down' grep -Eq '^gpu .* 1\.000x$' "$WORK/alone.out"
check 'config show of it: no cores, no caches of cores, the memory bus and its cache' awk '
    /^(cpu|l1i|l1d|l2|cache_bus):/ { bad = 1 } /^cores: 0/ { n++ } /^memory_(bus|cache):/ { n++ } /^  memory: shared/ { n++ }
    END { exit bad || n != 4 }' <("$RUBATO" config show hetero --set cores=0)
"$RUBATO" config show hetero --set cores=0 >"$WORK/shown.yaml"
replay "$WORK/shown.yaml" "$several" --stats "$WORK/shown.txt"
replay hetero "$several" --set cores=0 --stats "$WORK/none.txt"
check 'the printed form is that system' cmp -s <(grep -v host "$WORK/shown.txt") <(grep -v host "$WORK/none.txt")
refused 'a trace of a CPU without cores' 'hetero has a GPU and no cores' "$RUBATO" replay hetero "$cpu" "$gpu" --set cores=0
refused 'counting records without cores' 'warmup counts records of cores' \
    "$RUBATO" replay hetero "$gpu" --set cores=0 --warmup 100
refused 'and with idle ones' 'records counts records of cores' "$RUBATO" replay hetero "$gpu" --records 100
refused 'memory of its own beside cores' 'gpu.memory: own, but a GPU beside cores' \
    "$RUBATO" replay hetero "$gpu" --set gpu.memory=own
refused 'memory of its own behind a memory cache' 'memory_cache: a system without cores' \
    "$RUBATO" replay hetero "$gpu" --set cores=0 --set gpu.memory=own --set l2=none
refused 'ways of a cache that is not there' "gpu.llc_ways: the GPU's memory is its own" \
    "$RUBATO" replay qv100 "$gpu" --set gpu.llc_ways=1
refused 'a place in a memory of its own' "gpu.memory_base: the GPU's memory is its own" \
    "$RUBATO" replay qv100 "$gpu" --set gpu.memory_base=1GiB

# ---- together. Small caches, so that both sides need the memory
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
replay "$WORK/apart.yaml" "$cpu" "$gpu" "${small[@]}" --stats "$WORK/apart.txt"
bytes() { awk -v side="$2" -v from="$3" -v to="$4" '
    match($1, /^system\.mem_ctrls[0-9]+\.requestorReadBytes::/) { split($1, part, /[.:]+/); sub("mem_ctrls", "", part[2])
        is_gpu = part[4] == "gpu"; if (part[2] >= from && part[2] <= to && is_gpu == (side == "gpu")) sum += $2 }
    END { print sum + 0 }' "$1"; }
above 'the GPU reads its channels' "$(bytes "$WORK/apart.txt" gpu 2 3)" 0
equal 'and no others' "$(bytes "$WORK/apart.txt" gpu 0 1)" 0
above 'the cores read theirs' "$(bytes "$WORK/apart.txt" cpu 0 1)" 0
equal 'and not the GPU'"'"'s' "$(bytes "$WORK/apart.txt" cpu 2 3)" 0
refused 'counts per instruction beside cores' '--per-instruction is for a GPU with memory of its own' \
    "$RUBATO" replay hetero "$gpu" --per-instruction
refused 'a window outside memory' 'gpu.memory_base: no memory has the address 16GiB' \
    "$RUBATO" replay hetero "$gpu" --set gpu.memory_base=16GiB
exit $failures
