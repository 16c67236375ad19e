#!/usr/bin/env bash
# GPUs on the command line: systems, import of Accel-Sim's configurations, replay of warp traces, refusals in one line.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

need_rubato
replay() { "$RUBATO" replay "$@" </dev/null; }
gpus=$TRACES/gpu

# ---- systems
comes_back() {    # SYSTEM: what show prints is shown the same
    "$RUBATO" config show "$1" >"$WORK/$1.yaml" && mkdir -p "$WORK/again" && cp "$WORK/$1.yaml" "$WORK/again/$1.yaml" &&
        "$RUBATO" config show "$WORK/again/$1.yaml" | cmp -s - "$WORK/$1.yaml"
}
shows() {    # PATTERN ARGUMENTS...: config show prints a line like that
    local pattern=$1
    shift
    "$RUBATO" config show "$@" >"$WORK/stdout" 2>"$WORK/stderr" && grep -qE -- "$pattern" "$WORK/stdout"
}
for system in configs/gpu/*.yaml; do
    check "show $system" comes_back "$(basename "$system" .yaml)"
done
check 'peak DRAM bandwidth' shows '^#   memory +870\.[0-9]+ GB/s' qv100
check 'A100 at 1215 MHz' shows '^#   memory +1555\.[0-9]+ GB/s' a100
check 'peak L2 bandwidth' shows "^#   GPU's L2, all slices +2319\.[0-9]+ GB/s" qv100
check 'L1 latency' shows '^#   L1 hit +18\.543ns +21\.0 core cycles' qv100
check 'L1 latency of loads that do not bypass it' shows '^#   L1 hit, local memory only +[0-9]' titanx
check 'L2 latency' shows '^#   L2 hit +[0-9]' qv100
check 'DRAM latency' shows '^#   DRAM, closed row +[0-9]' qv100
check 'the tree' shows '^#   `- gpu\.l2 x64 +96KiB, 24 ways' qv100
check 'a setting' shows '^    ways: 12 ' qv100 --set gpu.l2.ways=12
check 'a folder before the name' shows '^  sms: 80 ' gpu/qv100
check 'half the channels' shows '^  channels: 16 ' qv100-accelsim --set gpu.l2.channels=16
"$RUBATO" config keys >"$WORK/keys"
check 'keys: of the GPU' grep -qE '^  gpu\.l1\.shared_options +sizes ' "$WORK/keys"
check 'keys: of a unit' grep -qE '^  gpu\.units\.tensor\.latency +cycles ' "$WORK/keys"
refused 'an unknown key' 'gpu\.l2\.wayz: unknown key; did you mean gpu\.l2\.ways\?' \
    "$RUBATO" config show qv100 --set gpu.l2.wayz=3
refused 'caches of CPUs' 'a system without cores has the GPU.s caches only' "$RUBATO" config show qv100 --set l2.size=1MiB
refused 'no SMs' 'gpu\.sms: missing' "$RUBATO" config show default --set gpu.l2.ways=3
refused 'a memory alone' 'has a GPU alone' "$RUBATO" traffic qv100

# ---- import
cat >"$WORK/gpgpusim.config" <<'OPTIONS'
# like a card
-gpgpu_n_clusters 30
-gpgpu_clock_domains 1365:1365:1365:3500.5
-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:256:32,16:0,32
-gpgpu_cache:dl2 S:64:128:16,L:B:m:L:P,A:192:4,32:0,32
-gpgpu_n_mem 12
-gpgpu_n_sub_partition_per_mchannel 2
-gpgpu_mem_addr_mapping dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS
-gpgpu_dram_buswidth 2
-gpgpu_dram_burst_length 16
-dram_data_command_freq_ratio 4
-gpgpu_dram_timing_opt "nbk=16:CCD=4:RRD=12:RCD=24:RAS=55:RP=24:RC=78:
                        CL=24:WL=8:CDLR=10:WR=24:nbkgrp=4:CCDL=6:RTPL=4"
-gpgpu_operand_collector_num_units_gen 8
-power_simulation_enabled 0
OPTIONS
echo '-trace_opcode_latency_initiation_sp 2,2' >"$WORK/trace.config"
import() { "$RUBATO" config import "$@" 2>"$WORK/stderr"; }
check 'import' import "$WORK/gpgpusim.config" "$WORK/trace.config" -o "$WORK/card.yaml"
check 'options without counterpart are counted' grep -q '1 options have no counterpart' "$WORK/stderr"
check 'and named' grep -q '^#   -gpgpu_operand_collector_num_units_gen 8: ' "$WORK/card.yaml"
check 'and those without meaning' grep -q '^#   -power_simulation_enabled' "$WORK/card.yaml"
check 'the import is a system' shows '^  sms: 30 ' "$WORK/card.yaml"
check 'with the options of the second file' shows '^      interval: 2 ' "$WORK/card.yaml"
check 'and its bandwidth' shows '^#   memory +335\.[0-9]+ GB/s' "$WORK/card.yaml"
check 'import to standard output' bash -c "'$RUBATO' config import '$WORK/gpgpusim.config' 2>'$WORK/stderr' | grep -q '^  sms: 30 '"
echo '-gpgpu_n_clusters thirty' >"$WORK/bad.config"
refused 'a bad option' 'bad\.config:1: -gpgpu_n_clusters: "thirty": expected a number' \
    "$RUBATO" config import "$WORK/gpgpusim.config" "$WORK/bad.config"
refused 'an incomplete file' '-gpgpu_cache:dl2 is missing' "$RUBATO" config import "$WORK/trace.config"
refused 'no options' 'expected an option such as' "$RUBATO" config import configs/wide.yaml
refused 'no file' 'cannot be opened' "$RUBATO" config import "$WORK/missing"
refused 'nothing to import' 'no file was given' "$RUBATO" config import

# ---- replay
replay titanx "$gpus/pascal-vectoradd-100" --stats "$WORK/a.tsv" --stats "$WORK/a.json" >"$WORK/summary" 2>"$WORK/stderr"
check 'replay' test $? = 0
for line in '^system +titanx$' '^time ' '^replayed in ' '^copies ' '^kernel$' '^ +1 _Z[^ ]* +[0-9]+ +344 '; do
    check "summary has $line" grep -qE "$line" "$WORK/summary"
done
column() {    # TABLE NAME FILE: values of a column
    awk -F'\t' -v table="$1" -v name="$2" '$1 == "#" table { for (i = 2; i <= NF; i++) if ($i == name) c = i; next }
        $1 == table { print $c }' "$3"
}
check 'a column of statistics' test "$(column kernel warp_insts "$WORK/a.tsv")" = 344
check 'of streams, too' test "$(column stream warp_insts "$WORK/a.tsv")" = 344
check 'nothing of instructions' test -z "$(column pc pc "$WORK/a.tsv")"
check 'JSON has the same' grep -q '"warp_insts": 344,' "$WORK/a.json"
replay titanx "$gpus/pascal-vectoradd-100" --stats "$WORK/b.tsv" --stats "$WORK/b.json" --quiet >"$WORK/quiet"
check 'same text again' cmp -s "$WORK/a.tsv" "$WORK/b.tsv"
check 'same JSON again' cmp -s "$WORK/a.json" "$WORK/b.json"
check 'quiet' test ! -s "$WORK/quiet"
replay titanx "$gpus/pascal-vectoradd-100/kernelslist.g" --stats "$WORK/c.tsv" --per-instruction --quiet
check 'a list instead of its folder' test "$(column kernel cycles "$WORK/c.tsv")" = "$(column kernel cycles "$WORK/a.tsv")"
check 'instructions add up' test "$(column pc executions "$WORK/c.tsv" | awk '{ sum += $1 } END { print sum }')" = 344
replay titanx "$gpus/pascal-vectoradd-100" --set gpu.copies_fill_l2=no --stats "$WORK/n.tsv" --quiet
check 'data copied to the device are in the L2' test "$(column kernel dram_reads "$WORK/a.tsv")" = 0
check 'or in DRAM' test "$(column kernel dram_reads "$WORK/n.tsv")" = 26
replay r9nano "$gpus/gcn3-fir" --stats "$WORK/g.tsv" --quiet
check 'GCN3' test "$(column kernel warp_insts "$WORK/g.tsv")" = 6272
mkdir "$WORK/three"
cp "$gpus/pascal-vectoradd-100/kernel-1.traceg" "$WORK/three/"
printf 'kernel-1.traceg\nkernel-1.traceg\nkernel-1.traceg\n' >"$WORK/three/kernelslist.g"
replay titanx "$WORK/three" --kernels 2-3 --stats "$WORK/k.tsv" --quiet
check 'kernels of the list' test "$(column kernel number "$WORK/k.tsv" | tr '\n' ' ')" = '2 3 '
replay titanx "$WORK/three" --kernels 3,1 --stats "$WORK/k.tsv" --quiet
check 'in the order of the list' test "$(column kernel number "$WORK/k.tsv" | tr '\n' ' ')" = '1 3 '
replay titanx "$WORK/three" --until 1000000 >"$WORK/summary"
check 'until' grep -q 'stopped by --until' "$WORK/summary"

refused 'GPU traces on cores' 'default has no GPU, but .* holds GPU kernels' "$RUBATO" replay default "$gpus/gcn3-fir"
refused 'elastic traces on a GPU' 'qv100 has a GPU and no cores' "$RUBATO" replay qv100 "$TRACES/triad"
printf 'gpu: {sms: 2}\n' >"$WORK/both.yaml"
check 'a system with cores and a GPU replays GPU traces alone' replay "$WORK/both.yaml" "$gpus/gcn3-fir" --quiet
refused 'two lists' 'both hold GPU kernels; a GPU replays one list' "$RUBATO" replay qv100 "$gpus/gcn3-fir" "$gpus/gcn3-fir"
refused 'an option of cores' '--warmup is not for GPU traces' "$RUBATO" replay qv100 "$gpus/gcn3-fir" --warmup 3
refused 'an option of GPUs' '--kernels is for GPU traces' "$RUBATO" replay wide "$TRACES/triad" --kernels 1
refused 'a kernel that is not there' 'kernels: 9, but .* has 1 kernel, ' "$RUBATO" replay qv100 "$gpus/gcn3-fir" --kernels 9
for list in 0 3-1 x 1,,2 -3; do
    refused "no kernels: $list" "--kernels $list: expected numbers" "$RUBATO" replay qv100 "$gpus/gcn3-fir" "--kernels=$list"
done
# ---- hit rates are of reads, with those of writes beside them
replay rtx2060 "$gpus/volta-bfs-2blocks" --stats "$WORK/hits.tsv" --summary "$WORK/hits.json" >"$WORK/summary" 2>/dev/null
rate() { awk -v a="$(column kernel "$1" "$WORK/hits.tsv")" -v b="$(column kernel "$2" "$WORK/hits.tsv")" 'BEGIN { printf("%.6g", a / b) }'; }
metric() { sed -n "s/^  \"gpu.$1\": \([-0-9.e]*\),*\$/\1/p" "$WORK/hits.json" | awk '{ printf("%.6g", $1) }'; }
for level in l1 l2; do
    check "$level: reads that hit" test "$(metric ${level}_hit_rate)" = "$(rate ${level}_read_hits ${level}_reads)"
    check "$level: writes that hit" test "$(metric ${level}_write_hit_rate)" = "$(rate ${level}_write_hits ${level}_writes)"
done
check 'the summary has both' grep -qE ' 53\.6 /   8\.3 % 100\.0 / 100\.0 % ' "$WORK/summary"
check 'a memory-side cache has metrics' eval '"$RUBATO" replay wide "$TRACES/triad" --set memory_cache.size=1MiB --quiet --summary "$WORK/side.json" &&
    grep -q "\"memcache.hit_rate\"" "$WORK/side.json" && grep -q "\"memcache.writebacks\"" "$WORK/side.json"'
exit $failures
