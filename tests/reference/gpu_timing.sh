#!/usr/bin/env bash
# tests/gpu-timing: its lines, exit codes and refusals on a small reference made here; with $SHARED all recorded runs,
# and how near they come.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/figures.sh

oracle=$SHARED/oracle/gpu sets=$SHARED/traces/gpu
timing() { "$GPU_TIMING" "$@" 2>"$WORK/messages"; }

# timed NAME EXIT_CODE LAST_LINE ARGUMENTS...
timed() {
    local name=$1 code=$2 last=$3 got
    shift 3
    timing "$@" >"$WORK/out"
    got=$?
    if [ "$got" = "$code" ] && [ "$(tail -n 1 "$WORK/out")" = "$last" ]; then
        ok "$name"
    else
        not_ok "$name: exit code $got, $(tail -n 1 "$WORK/out")"
        head -n 10 "$WORK/out"
        head -n 10 "$WORK/messages"
    fi
}
has_line() { grep -qE "$1" "$WORK/out"; }

# The expected counts are in expected.tsv; the L1 is skipped there, so L2 accesses are compared.
mkdir "$WORK/oracle"
table() {    # COLUMN of pascal-vectoradd-100
    awk -F'\t' -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' \
        tests/traces/gpu/pascal-vectoradd-100/expected.tsv
}
reference() {    # VARIANT CYCLES WARP_INSTS
    printf '%s\t' pascal-vectoradd-100 SM6_TITANX "$1" kernel-1.traceg "$2" "$(table thread_insts)" "$(table tbs)" "$3" 0 \
        "$(table sect32_global)" 0 0 26
    echo 0
}
{
    printf '%s\t' set config variant kernel_file gpu_sim_cycle gpu_sim_insn blocks warp_insts l1d_accesses l2_accesses \
        l2_r_hit l2_r_hit_reserved l2_r_miss
    echo l2_r_sector_miss
    reference dramlat2x 5700 "$(table insts)"
    reference default 5534 "$(table insts)"
} >"$WORK/oracle/accelsim.tsv"
timed 'a set in two variants' 0 '2 passed, 0 failed' "$WORK/oracle" tests/traces/gpu pascal-vectoradd-100
check 'a line a kernel' has_line '^kernel	pascal-vectoradd-100	default	kernel-1.traceg	cycles	534	[0-9]+	l1hit	-	-	l2hit	0\.0000	'
check 'a line a run' has_line '^run	pascal-vectoradd-100	default	kernels	1	exact	1/1	l2_reads_err_pct	[0-9.]+	cycles_err_pct	[0-9.]+	ok$'
check 'a trend' has_line '^trend	pascal-vectoradd-100	dramlat2x	1\.3109	1\.[0-9]+$'
check 'variants that are not there' has_line '^absent	l2eighth$'
check 'a value' has_line '^value	cycles_mape_pct	[0-9.]+$'
check 'a null trend' has_line '^value	trend_null_pct	23\.7'
check 'the worst of it' has_line '^worst	trend_mape_pct	[0-9.]+	pascal-vectoradd-100 dramlat2x$'
check 'values are one number' awk -F'\t' '$1 == "value" && NF != 3 { wrong = 1 } END { exit wrong }' "$WORK/out"
timed 'all bundled sets' 0 '3 passed, 0 failed' "$WORK/oracle" tests/traces/gpu
check 'a set of MGPUSim' has_line '^gcn3	gcn3-fir	7116	[0-9]+$'
check 'its line a run' has_line '^run	gcn3-fir	mgpusim	kernels	1	exact	1/1	l2_reads_err_pct	[0-9.]+	cycles_err_pct	[0-9.]+	ok$'
theirs=$(awk '$1 == "gcn3" { print $4 }' "$WORK/out")
timed 'a changed system' 0 '1 passed, 0 failed' --set gpu.tlb.page=0B "$WORK/oracle" tests/traces/gpu gcn3-fir
check 'it changes the time' test "$(awk '$1 == "gcn3" { print $4 }' "$WORK/out")" -lt "${theirs:-0}"
timed 'another system' 0 '1 passed, 0 failed' --gcn3-system r9nano "$WORK/oracle" tests/traces/gpu gcn3-fir
timed 'a wrong setting' 1 '0 passed, 1 failed' --set gpu.tlb.pages=0B "$WORK/oracle" tests/traces/gpu gcn3-fir
timing "$WORK/oracle" tests/traces/gpu >"$WORK/out"
check 'a set without reference' grep -q 'volta-bfs-2blocks	no reference' "$WORK/messages"
reference chhalf 5600 999 >>"$WORK/oracle/accelsim.tsv"
timed 'a wrong count' 1 '2 passed, 1 failed' "$WORK/oracle" tests/traces/gpu pascal-vectoradd-100
check 'a wrong count is named' grep -q 'chhalf	kernel-1.traceg	warp_insts	expected 999	ours 344' "$WORK/messages"

mkdir "$WORK/none"
cp -r tests/traces/gpu "$WORK/wrong"
rm "$WORK/wrong/pascal-vectoradd-100/kernel-1.traceg" "$WORK/wrong/volta-bfs-2blocks/kernelslist.g"
truncate -s 2000 "$WORK/wrong/gcn3-fir/kernel-463.trace.xz"
timed 'unreadable sets' 1 '0 passed, 5 failed' "$WORK/oracle" "$WORK/wrong"
cp -r tests/traces/gpu/volta-bfs-2blocks "$WORK/none/cut"
truncate -s 1000 "$WORK"/none/cut/kernel-*
timed 'an unreadable set without reference' 1 '0 passed, 1 failed' "$WORK/oracle" "$WORK/none"
rm -r "$WORK/none/cut"

timed 'no argument' 2 ''
timed 'no folder' 2 '' "$WORK/missing" tests/traces/gpu
timed 'no set' 2 '' "$WORK/oracle" "$WORK/none"
timed 'an unknown set' 2 '' "$WORK/oracle" tests/traces/gpu pascal
timed 'an unknown set beside a known one' 2 '' "$WORK/oracle" tests/traces/gpu pascal-vectoradd-100 pascal

# at_most KEY NUMBER: a value of the last run
at_most() { awk -F'\t' -v key="$1" -v most="$2" '$1 == "value" && $2 == key { fine = $3 <= most } END { exit !fine }' "$WORK/all"; }

if [ ! -d "$oracle" ] || [ ! -d "$sets" ]; then
    skip "runs of the reference (70): $oracle is not there"
    exit $failures
fi
timing "$oracle" "$sets" >"$WORK/all"
grep FAILED "$WORK/all"
grep -E '^(value|worst)' "$WORK/all"
check 'cycles within 15 %' at_most cycles_mape_pct 15
check 'trends within 5 %' at_most trend_mape_pct 5
check 'reads of the L2 within 3 %' at_most l2_reads_mape_pct 3
check 'GCN3 within 8 %' at_most gcn3_time_mape_pct 8
check 'each program of GCN3 within 20 %' awk -F'\t' '$1 == "worst" && $2 == "gcn3_time_mape_pct" { fine = $3 <= 20 } END { exit !fine }' "$WORK/all"
figures_of gpu-timing "$WORK/all"
check 'cycles correlate' awk -F'\t' '$2 == "cycles_log_correlation" { fine = $3 > 0.98 } END { exit !fine }' "$WORK/all"
tail -n 1 "$WORK/all"
