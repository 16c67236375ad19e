#!/usr/bin/env bash
# What bounds a run (replay/metrics/verdict.h): systems that are built to be bound by one thing, and runs that are doubtful.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

long=$TRACES/long detailed=$TRACES/detailed fir=$TRACES/gpu/gcn3-fir bfs=$TRACES/gpu/volta-bfs-2blocks

# bound SIDE CAUSE REPLAY...: the first bound of that side (cores, gpu).
bound() {
    local side=$1 cause=$2 found
    shift 2
    "$RUBATO" replay "$@" --quiet --summary "$WORK/summary.json" >"$WORK/out" 2>&1 || cat "$WORK/out"
    found=$(sed -n "/^  \"$side\": /,/^  }/s/^    {\"cause\": \"\([a-z0-9_]*\)\".*/\1/p" "$WORK/summary.json" | head -n 1)
    if [ "$found" = "$cause" ]; then ok "$side: $cause"; else not_ok "$side: $cause, found ${found:-none}: $*"; fi
}

# mended CAUSE SHARE REPLAY... --- SETS...: a verdict that names CAUSE is right if a system without that limit takes less than SHARE of the
# time.
time_of() { "$RUBATO" replay "$@" --quiet --summary "$WORK/mended.json" >/dev/null && sed -n 's/^  "time_ms": \([0-9.e-]*\),$/\1/p' "$WORK/mended.json"; }
mended() {
    local cause=$1 most=$2 before=() a b
    shift 2
    while [ "$1" != --- ]; do before+=("$1"); shift; done
    shift
    bound cores "$cause" "${before[@]}"
    a=$(time_of "${before[@]}") b=$(time_of "${before[@]}" "$@")
    check "$cause: without that limit it takes less" awk -v a="$a" -v b="$b" -v most="$most" 'BEGIN { exit !(b > 0 && b < most * a) }'
}

. tests/support/gpu_kernel.sh

# Sets of --set: a wide core that waits for nothing of its own.
roomy='--set cpu.rob=2048 --set cpu.load_buffer=1024 --set cpu.store_buffer=1024 --set l1d.mshrs=64 --set l2.mshrs=128'
# shellcheck disable=SC2086    # words
{
bound cores dram_bandwidth wide "$long/triad.pack" $roomy --set l2.prefetcher=stream --set memory.device=LPDDR3_1600_1x32
bound cores dram_banks wide "$long/gups.pack" $roomy --warmup 200000 --set memory.dram.banks_per_rank=1
bound cores dram_bandwidth wide "$long/triad.pack" $roomy --set memory.type=simple --set memory.bandwidth=1GB/s
bound cores dram_channel quad "$TRACES/gups" "$TRACES/triad" "$TRACES/gups" "$TRACES/gups"
bound cores memory_bus wide "$long/gups.pack" $roomy --set memory_bus.width=1B
bound cores cache_mshrs wide "$long/gups.pack" $roomy --set l2.mshrs=1
bound cores translation laptop-tlb "$long/gups.pack" $roomy --set cpu.tlb.l2.latency=400 --set cpu.tlb.l1d.assoc=4 \
    --set cpu.tlb.l1d.entries=4
bound cores dram_latency wide "$long/chase.pack" $roomy
bound cores rob wide "$long/gups.pack" $roomy --set cpu.rob=8
bound cores load_queue wide "$long/gups.pack" $roomy --set cpu.load_buffer=2
bound cores store_buffer wide "$long/triad.pack" $roomy --set cpu.store_buffer=2
bound cores l1d_mshrs wide "$long/gups.pack" $roomy --set l1d.mshrs=1
bound cores cache_latency wide "$long/chase.pack" $roomy --set l2.size=8MiB --set l1d.size=1KiB --set l1d.assoc=1 \
    --set l2.tag_latency=100 --warmup 150000
}
bound cores l1i_mshrs wide "$TRACES/qsort" --set l1i.size=1KiB --set l1i.assoc=1 --set l1i.tag_latency=200
bound cores dependences wide "$TRACES/training/nbody.pack"
bound cores compute wide "$long/triad.pack" --set memory.type=simple --set memory.latency=1ns --set memory.bandwidth=1TB/s \
    --set l1d.mshrs=64 --set cpu.rob=2048 --set cpu.load_buffer=1024 --set cpu.store_buffer=1024
bound cores mispredictions core/skylake "$detailed/sort.rbt" --model detailed
bound cores units core/skylake "$detailed/matrix.rbt" --model detailed
bound cores dram_latency core/skylake "$detailed/chase.rbt" --model detailed
bound cores l1i core/skylake "$detailed/sort.rbt" --model detailed --set l1i.size=128B --set l1i.assoc=1 --set l1i.tag_latency=40 --set cpu.fetchAhead=0 --set cpu.uopCache=0
# ---- programs that one part of a detailed core holds back, whatever else it has (tests/traces/bounds)
bounds=$TRACES/bounds
mended instruction_queue 0.5 core/skylake "$bounds/queue.rbt" --model detailed --set l1d.mshrs=32 --set cpu.numIQEntries=32 --- --set cpu.numIQEntries=256
mended l1d_mshrs 0.9 core/skylake "$bounds/queue.rbt" --model detailed --set l1d.mshrs=2 --- --set l1d.mshrs=32
mended front_end 0.7 core/skylake "$bounds/straight.rbt" --model detailed --set cpu.fetchWidth=1 --- --set cpu.fetchWidth=8
mended memory_order 0.5 core/skylake "$bounds/collide.rbt" --model detailed --set cpu.storeSets=no --- --set cpu.storeSets=yes
mended units 0.6 core/skylake "$bounds/divide.rbt" --model detailed --- --set cpu.fuPool.IntMultDiv=4
bound cores serialising core/skylake "$bounds/fences.rbt" --model detailed
mended rob 0.7 wide "$long/gups.pack" --set l1d.mshrs=64 --set l2.mshrs=128 --set cpu.rob=64 --- --set cpu.rob=128
# A reorder buffer is full behind a chain of misses, too, and a larger one would not help.
mended dram_latency 0.8 wide "$long/chase.pack" --- --set memory.dram.tCL=1ns --set memory.dram.tRCD=1ns --set memory.dram.tRP=1ns

# ---- GPUs
gpu_kernel barriers 60 8 1 <<LINES
$(for _ in {1..200}; do echo '0 1 R2 FADD 2 R2 R3 0'; done)
* 0 BAR.SYNC 0 0
LINES
gpu_kernel results 60 4 300 <<'LINES'
* 1 R2 MUFU.RSQ 1 R2 0
LINES
gpu_kernel issue 60 16 60 <<'LINES'
* 1 R2 FADD 2 R4 R5 0
* 1 R3 IADD3 2 R4 R5 0
LINES
# Stores to shared memory of which all lanes want one bank.
gpu_kernel conflicts 60 4 40 <<'LINES'
* 0 STS 2 R4 R5 4 1 0x7f0000000000 128
LINES
bound gpu gpu_barriers gpu/rtx2060 "$WORK/barriers"
bound gpu gpu_results gpu/rtx2060 "$WORK/results"
bound gpu gpu_issue gpu/rtx2060 "$WORK/issue"
bound gpu gpu_grid gpu/r9nano-mgpusim "$fir"
bound gpu gpu_ldst gpu/rtx2060 "$WORK/conflicts"
bound gpu gpu_units gpu/rtx2060 "$WORK/issue" --set gpu.units.int.interval=16 --set gpu.units.sp.interval=16
bound gpu gpu_grid gpu/rtx2060 "$bfs" --set gpu.icnt_latency=300 --set gpu.sm.schedulers=1 --set gpu.sm.max_threads=2048
bound gpu gpu_scoreboard gpu/rtx2060 "$bfs" --set gpu.icnt_latency=300 --set gpu.sm.schedulers=1 --set gpu.sm.max_threads=512
bound gpu gpu_idle gpu/rtx2060 "$bfs"
bound gpu dram_bandwidth hetero "$TRACES/triad" "$fir" --set memory.channels=1
bound gpu dram_banks hetero "$TRACES/triad" "$fir" --set memory.channels=1 --set memory.dram.banks_per_rank=1 \
    --set memory.dram.bank_groups_per_rank=0

# Every cause has a system, in which the named resource helps most: tests/cli/verdict_helps.sh

# ---- phases: the last fifth of the run is at DRAM's peak and is called DRAM-bound; the rest is not
# shellcheck disable=SC2086    # words
"$RUBATO" replay wide "$long/gups.pack" $roomy --quiet --summary "$WORK/phases.json"
share() { sed -n "s/^    {\"cause\": \"$1\", \"share\": \([0-9.e-]*\)}.*/\1/p" "$WORK/phases.json"; }
check 'phases: DRAM is the cause in a part of the time' awk -v a="$(share dram_bandwidth)" 'BEGIN { exit !(a > 0.1 && a < 0.3) }'
check 'phases: how much of the time, at which share of the peak' awk -F'[:,]' '/"mem.saturated"/ { time = $2 } /"mem.saturated_at"/ { at = $2 }
    END { exit !(time > 0.1 && time < 0.3 && at > 0.85 && at <= 1) }' "$WORK/phases.json"
check 'the sentence has both figures' eval '"$RUBATO" replay wide "$long/triad.pack" $roomy --set l2.prefetcher=stream \
    --set memory.device=LPDDR3_1600_1x32 | grep -qE "^bound by +DRAM bandwidth: [0-9]+ % of peak in [0-9]+ % of the time, waited for in [0-9]+ % of cycles; next: "'

# ---- doubts
doubts() { "$RUBATO" replay "$@" | sed -n '/^doubtful/,/^[^d ]/p'; }
check 'cold misses are reported' eval 'doubts default "$TRACES/triad" | grep -q "all misses of the l2 are cold"'
check 'a cold cache is reported' eval 'doubts wide "$long/gups.pack" | grep -qE "^doubtful +[0-9]+ % of the lines filled into the l2"'
check 'a warm-up is enough' eval '! doubts wide "$long/gups.pack" --warmup 100000 | grep -qE "cold|empty"'
check 'a short run is reported' eval 'doubts default "$TRACES/triad" | grep -q "short: only 39735 instructions"'
# 64 cores, of which one has a thread: per core is per core that ran
check 'idle cores do not make a run short' eval '! doubts many-64c-16ch "$detailed/chase.rbt" | grep -q short'
check 'nor its lines few' eval '"$RUBATO" replay many-64c-16ch "$detailed/chase.rbt" --summary "$WORK/idle.json" | grep -q "3\.1 lines in flight per core"'
check 'means are over cores that ran' awk -F'[:,]' '/"mean.mlp"/ { mean = $2 } /"mlp"/ { all = $2 } END { exit !(mean > 1 && mean == all) }' "$WORK/idle.json"
check 'a long one is not' eval '! doubts wide "$long/gups.pack" | grep -q short'
check 'a trace without dependences is reported' eval 'doubts wide "$TRACES/insn/lackey/exact.lackey.txt" | grep -q "no dependences"'
check 'a short run of a GPU is reported' eval 'doubts gpu/r9nano "$fir" | grep -q "short: only 6272 warp instructions"'
check 'nor cycles: a step takes as long as on one core' awk -F'[:,]' '/^ *"cpi"/ { all = $2 } /"mean.cpi"/ { mean = $2 }
    END { exit !(all > 1 && all == mean) }' "$WORK/idle.json"
check 'a GPU beside idle cores has one line' test "$("$RUBATO" replay hetero "$fir" | grep -c '^bound by')" = 1
check 'both sides have one each' test "$("$RUBATO" replay hetero "$TRACES/triad" "$fir" | grep -cE '^(GPU )?bound by')" = 2

# ---- the summary as JSON
"$RUBATO" replay quad "$TRACES/triad" "$TRACES/gups" "$TRACES/qsort" "$TRACES/triad" --quiet --summary "$WORK/quad.json"
figure() { sed -n "s/^  \"$1\": \([-0-9.e]*\),*\$/\1/p" "$WORK/quad.json"; }
check 'each core, total, mean' awk -v a="$(figure cpu0.cpi)" -v b="$(figure cpu1.cpi)" -v c="$(figure cpu2.cpi)" -v d="$(figure cpu3.cpi)" \
    -v mean="$(figure mean.cpi)" 'BEGIN { off = mean - (a + b + c + d) / 4; exit !(a > 0 && off < 1e-9 && off > -1e-9) }'
check 'channels add up' awk -v a="$(figure mem0.gb_s)" -v b="$(figure mem1.gb_s)" -v all="$(figure mem.gb_s)" \
    'BEGIN { off = all - a - b; exit !(a > 0 && off < 1e-9 && off > -1e-9) }'
if command -v python3 >/dev/null; then
    check 'it is JSON' python3 -c 'import json, sys; json.load(open(sys.argv[1]))["verdict"]["cores"]["bounds"][0]["share"]' "$WORK/quad.json"
else
    skip 'it is JSON: no python3'
fi
exit $failures
