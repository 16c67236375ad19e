#!/usr/bin/env bash
# A GPU that owns a memory of DRAM commands: both engines and two runs are equal, statistics, summary, verdict, samples and the command file are those
# of CPUs, channels of a partition share its bytes, letters or the mapping place them; what cannot be is refused with the key.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

stream=$TRACES/opencl/reduction.pack
card() { "$RUBATO" replay rtx3070-commands "$stream" --set gpu.copies_fill_l2=no "$@"; }
value() { sed -n "s/.*\"$2\": \([-0-9.e+]*\).*/\1/p" "$1" | head -n 1; }
# sum FILE NAME: of all controllers
sum() { grep -oE "\"system\.mem_ctrls[0-9]+\.$2\": [0-9.e+-]+" "$1" | awk '{ n += $2 } END { printf "%.0f\n", n }'; }

# ---- equal
card --quiet --stats "$WORK/fast.json" --summary "$WORK/fast.sum.json" --commands "$WORK/c.csv"
card --quiet --engine plain --stats "$WORK/plain.json"
check 'both engines have the same statistics' cmp -s "$WORK/fast.json" "$WORK/plain.json"
card --quiet --stats "$WORK/sampled.json" --record "$WORK/samples" --every 500ns
check 'a run that is recorded has them, too' cmp -s "$WORK/fast.json" "$WORK/sampled.json"
card --quiet --until 12us --stats "$WORK/cut.fast.json"
card --quiet --until 12us --engine plain --stats "$WORK/cut.plain.json"
check 'runs that are cut short are equal' cmp -s "$WORK/cut.fast.json" "$WORK/cut.plain.json"

# ---- statistics: each sector that the GPU asks for is an access of 32 bytes
reads=$(sum "$WORK/fast.json" num_read_reqs_served)
check "$reads read accesses" test "$reads" -gt 2000 -a "$reads" = "$(value "$WORK/fast.json" dram_reads)"
check 'accesses by bank' test "$(grep -oE 'perBankRdBursts::[0-9]+": [0-9]+' "$WORK/fast.json" | awk '{ n += $2 } END { print n }')" = "$reads"
check 'commands are written' test "$(awk -F , '$2 == "RD" || $2 == "RDA"' "$WORK/c.csv" | wc -l)" = "$reads"
check 'and counted' test "$(sum "$WORK/fast.json" commands::RD)" = "$reads"
check 'all channels have commands' test "$(awk -F , 'NR > 1 { n[$3] } END { print length(n) }' "$WORK/c.csv")" = 16
check 'refreshes up to the end of the run' awk -v n="$(sum "$WORK/fast.json" commands::REFab)" -v t="$(value "$WORK/fast.json" simTicks)" \
    'BEGIN { least = 16 * (int(t / 1.9e6) - 1); exit !(n >= least && n <= least + 48 && n > 0) }'
check 'the bytes of the GPU' test "$(sum "$WORK/fast.json" 'dram.bytesRead::gpu')" = $((32 * reads))
check 'why accesses waited' grep -q '"system.mem_ctrls00.dram.idleWaits::banks"' "$WORK/fast.json"
check 'metrics of memories' test -n "$(value "$WORK/fast.sum.json" mem00.row_hit_rate)"

# ---- the summary and the samples
card >"$WORK/summary"
check 'a table of memories' grep -qE '^all 16 .* none published$' "$WORK/summary"
card --all >"$WORK/all"
check 'each of them' test "$(grep -cE '^mem_ctrls[0-9]+ .* 28\.0 \(' "$WORK/all")" = 16
card --set memory.command.rowhammer_threshold=2 >"$WORK/hammer"
check 'RowHammer' grep -q '^  limit 2 in 64 ms' "$WORK/hammer"
currents='VDD: 1.35V, IDD0: 60mA, IDD2N: 40mA, IDD2P: 30mA, IDD3N: 50mA, IDD3P: 40mA, IDD4R: 300mA, IDD4W: 300mA, IDD5B: 200mA, IDD6: 20mA'
printf 'include: rtx3070-commands\nmemory: {currents: {%s, datasheet: "none, for a test"}}\n' "$currents" >"$WORK/mine.yaml"
"$RUBATO" replay "$WORK/mine.yaml" "$stream" --set gpu.copies_fill_l2=no --all --stats "$WORK/energy.json" >"$WORK/energy"
check 'energy by parts' test "$(grep -c 'none, for a test$' "$WORK/energy")" = 16
check 'energy of the run' awk -v e="$(sum "$WORK/energy.json" 'dram.energy::read')" -v n="$reads" \
    'BEGIN { want = n * (300 - 50) * 1.35 * 16e12 / 14e9 * 1e-3; exit !(e > 0.999 * want - 16 && e < 1.001 * want + 16) }'
check 'samples have the state of banks' sh -c "'$RUBATO' export '$WORK/samples' --perfetto '$WORK/perfetto' && grep -q 'mem_ctrls00' '$WORK/perfetto'"

# ---- several channels a partition, other standards
for each in 2 3; do
    card --quiet --set gpu.l2.letters=mapping --set memory.channels=$((16 * each)) --stats "$WORK/each.json"
    check "$each channels a partition" test "$(grep -o '"system.mem_ctrls[0-9]*.readReqs"' "$WORK/each.json" | wc -l)" = $((16 * each)) \
        -a "$(sum "$WORK/each.json" num_read_reqs_served)" = "$reads"
done
for standard in GDDR7 HBM1 HBM2 HBM3 HBM3E HBM4 LPDDR5 LPDDR6 DDR4 DDR5; do
    other() { card --quiet --set gpu.l2.letters=mapping --set memory.size=1GiB --set memory.standard=$standard --set memory.organization=auto \
        --set memory.timing=auto --set memory.command.mapping=MOP4CLXOR "$@"; }
    other --stats "$WORK/a.json"
    other --engine plain --stats "$WORK/b.json"
    check "$standard: both engines" cmp -s "$WORK/a.json" "$WORK/b.json"
done
cat >"$WORK/plan.yaml" <<END
system: rtx3070-commands
traces: [$(realpath "$stream")]
set: {gpu.l2.letters: mapping, memory.organization: auto, memory.timing: auto, gpu.copies_fill_l2: no}
axes:
  memory.standard: [GDDR6, GDDR7]
  memory.refresh: [auto, none]
END
"$RUBATO" sweep "$WORK/plan.yaml" -o "$WORK/points.db" >"$WORK/sweep.out" 2>&1
"$RUBATO" results "$WORK/points.db" --columns memory.standard,mem.gb_s,gpu.warp_insts -o "$WORK/points.csv" >/dev/null
check 'a sweep over standards' test "$(awk -F , 'NR > 1 && $3 > 0' "$WORK/points.csv" | wc -l)" = 4

# ---- two sectors of an access of 64 bytes that wait are one read
ddr5() { card --quiet --set gpu.l2.letters=mapping --set memory.size=1GiB --set memory.standard=DDR5 --set memory.organization=auto --set memory.timing=auto "$@"; }
ddr5 --stats "$WORK/merged.json"
ddr5 --set memory.command.merge_reads=no --stats "$WORK/apart.json"
ddr5 --set memory.command.mode=exact --stats "$WORK/exact.json"
merged=$(sum "$WORK/merged.json" reads_merged)
check "$merged sectors join others" test "$merged" -gt 0 -a $((merged + $(sum "$WORK/merged.json" num_read_reqs_served))) = "$reads"
check 'none without' test "$(sum "$WORK/apart.json" num_read_reqs_served)" = "$reads" -a "$(grep -c reads_merged "$WORK/apart.json")" = 0
check 'nor in mode exact' test "$(sum "$WORK/exact.json" num_read_reqs_served)" = "$reads"

# ---- refused
bad() {
    local name=$1 pattern=$2 system=$3 settings=()
    shift 3
    for setting; do settings+=(--set "$setting"); done
    refused "$name" "$pattern" "$RUBATO" replay "$system" "$stream" --quiet "${settings[@]}"
}
bad 'letters of other rows' 'gpu\.l2\.letters: 11 times C and S, but DDR4 has rows of 8KiB; .*or letters: mapping' qv100 memory.type=command
bad 'letters of other banks' 'gpu\.l2\.letters: 4 times B, but a channel of HBM2 has 32 banks' qv100 memory.type=command memory.standard=HBM2 \
    memory.size=1GiB
bad 'letters of more rows' 'gpu\.l2\.letters: 16 times R, but a channel of GDDR6 has 512MiB' rtx3070-commands \
    gpu.l2.letters=RRRRRRRR.RRRRRRRR.BBBBCCCC.CCCSSSS
bad 'letters with another mapping' 'letters: they place .* as RoBaRaCoCh alone does, but memory has MOP4CLXOR' rtx3070-commands \
    memory.command.mapping=MOP4CLXOR
bad 'letters with several channels' 'but memory has several channels a partition; give letters: mapping' rtx3070-commands memory.channels=32
bad 'letters with inline ECC' 'but memory has ecc: inline; give letters: mapping' rtx3070-commands memory.command.ecc=inline memory.size=1GiB
bad 'channels that do not divide' 'memory\.channels: 33, but gpu\.l2\.channels is 16' rtx3070-commands memory.channels=33
bad 'interleaving of single channels' 'memory\.interleave: a GPU.s channels come from gpu\.l2\.interleave' rtx3070-commands memory.interleave=64B
bad 'interleaving below a sector' 'memory\.interleave: 16B is not a power of two of at least 32B' rtx3070-commands memory.channels=32 \
    memory.interleave=16B gpu.l2.letters=mapping
bad 'a hash of the channel bits' 'memory\.xor_low_bit: bit 7 is one of those' rtx3070-commands memory.channels=32 memory.xor_low_bit=7 \
    gpu.l2.letters=mapping
bad 'a size beyond the device' 'memory\.size: 16GiB is beyond the device: 16 channels of 512MiB' rtx3070-commands memory.size=16GiB
bad 'a link' 'memory\.link: cxl does not go below a GPU alone' rtx3070-commands memory.link=cxl
bad 'a mapping of gem5'\''s controller' 'gpu\.l2\.letters: mapping is for a GPU alone with memory\.type: command' qv100 gpu.l2.letters=mapping
refused 'a mapping below cores' 'gpu\.l2\.letters: mapping is for a GPU alone' "$RUBATO" replay hetero "$TRACES/gpu/gcn3-fir" --quiet \
    --set gpu.l2.letters=mapping
bad 'a memory without banks' 'give dram, hbm_pseudo, or command' qv100 memory.type=simple
refused 'traffic' 'has a GPU alone, whose memory needs its L2' "$RUBATO" traffic rtx3070-commands
