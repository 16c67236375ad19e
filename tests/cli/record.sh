#!/usr/bin/env bash
# rubato replay --record and rubato export: the run is not changed; recordings of runs that end, are killed or find no
# room, and their exports.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

replay() { "$RUBATO" replay "$@" </dev/null; }
export_csv() { "$RUBATO" export "$1" --csv "$2"; }
column() {    # FILE NAME: the last value of that column
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } END { print $at }' "$1"
}
equal() {    # NAME GOT EXPECTED
    if [ -n "$2" ] && [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1"; echo "    got '$2', expected '$3'"; fi
}
figure() { awk -v name="$2" '$1 == name { print $2; exit }' "$1"; }

# same NAME ARGUMENTS...: statistics, and the events that the summary counts, with samples and without
same() {
    local name=$1
    shift
    rm -f "$WORK/without.txt" "$WORK/with.txt"
    replay "$@" --stats "$WORK/without.txt" >"$WORK/without.summary" 2>&1
    replay "$@" --stats "$WORK/with.txt" --record "$WORK/$name.samples" --every 300ns >"$WORK/with.summary" 2>&1
    check "$name: same statistics with samples and without" cmp -s "$WORK/without.txt" "$WORK/with.txt"
    check "$name: same summary" cmp -s <(grep -v '^replayed in' "$WORK/without.summary") \
        <(grep -v '^replayed in' "$WORK/with.summary")
    equal "$name: same events" "$(grep -o '[0-9]* events' "$WORK/with.summary")" \
        "$(grep -o '[0-9]* events' "$WORK/without.summary")"
}
same wide wide "$TRACES/triad"
same quad quad "$TRACES/qsort"
same warm wide "$TRACES/qsort" --warmup 3000
same gpu qv100 "$TRACES/gpu/$(ls "$TRACES/gpu" | grep -v README | head -n 1)"

same hetero hetero "$TRACES/triad" "$TRACES/gpu/volta-bfs-2blocks"

# ---- figures
export_csv "$WORK/wide.samples" "$WORK/wide.csv"
equal 'a whole recording is exported' $? 0
replay wide "$TRACES/triad" --stats "$WORK/a.txt" --quiet
equal 'the last sample is at the end' "$(column "$WORK/wide.csv" time_ps)" "$(figure "$WORK/a.txt" finalTick)"
equal 'bytes read are those of the statistics' "$(column "$WORK/wide.csv" mem_ctrls.dram.bytes.read)" \
    "$(figure "$WORK/a.txt" system.mem_ctrls.dram.dramBytesRead)"
equal 'hits of the L1D, too' "$(column "$WORK/wide.csv" l1d.demand.hits)" \
    "$(figure "$WORK/a.txt" system.l1d.demandHits::total)"
equal 'hits of rows, too' "$(column "$WORK/wide.csv" mem_ctrls.dram.bursts.hits)" \
    $(( $(figure "$WORK/a.txt" system.mem_ctrls.dram.readRowHits) + $(figure "$WORK/a.txt" system.mem_ctrls.dram.writeRowHits) ))
equal 'hits, misses and conflicts of rows are all bursts' \
    $(( $(column "$WORK/wide.csv" mem_ctrls.dram.bursts.hits) + $(column "$WORK/wide.csv" mem_ctrls.dram.bursts.misses) +
        $(column "$WORK/wide.csv" mem_ctrls.dram.bursts.conflicts) )) \
    $(( $(figure "$WORK/a.txt" system.mem_ctrls.dram.readBursts) + $(figure "$WORK/a.txt" system.mem_ctrls.dram.writeBursts) ))
equal 'the map of addresses has all requests to memory' \
    "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^wide\.heat\./) is[i] = 1 }
                END { for (i in is) sum += $i; print sum }' "$WORK/wide.csv")" \
    $(( $(figure "$WORK/a.txt" system.mem_ctrls.readReqs) + $(figure "$WORK/a.txt" system.mem_ctrls.writeReqs) ))
equal 'samples are where they should be' "$(awk -F, 'NR > 2 { print $2 }' "$WORK/wide.csv" | head -n 1)" 600000
export_csv "$WORK/warm.samples" "$WORK/warm.csv"
check 'statistics that restart are seen' test "$(column "$WORK/warm.csv" since_ps)" -gt 0
replay wide "$TRACES/triad" --record "$WORK/again.samples" --every 300ns --quiet
check 'same recording again' cmp -s "$WORK/wide.samples" "$WORK/again.samples"
# What samples have by SM, slice, port and region adds up to the counters of the kernels.
sums() {    # FILE PATTERN: the sum of the last values of the columns
    awk -F, -v pattern="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ pattern) is[i] = 1 }
                             END { for (i in is) sum += $i; print sum + 0 }' "$1"
}
gpu_adds_up() {    # NAME FILE
    equal "$1: hits of the L1s" "$(sums "$2" '^sm[0-9]+.demand.hits$')" "$(column "$2" gpu.counts.l1_read_hits)"
    equal "$1: reads of the L1s" "$(sums "$2" '^sm[0-9]+.demand')" "$(column "$2" gpu.counts.l1_reads)"
    equal "$1: hits of the L2" "$(sums "$2" '^l2_slice[0-9]+.demand.hits$')" "$(column "$2" gpu.counts.l2_read_hits)"
    equal "$1: reads of the L2" "$(sums "$2" '^l2_slice[0-9]+.demand')" "$(column "$2" gpu.counts.l2_reads)"
    equal "$1: latencies" "$(sums "$2" '^gpu.load_latency')" "$(column "$2" gpu.counts.latency_requests)"
    equal "$1: stalls" "$(sums "$2" '^sm[0-9]+.stall_cycles.(loads|scoreboard|ldst|unit|barrier|idle)$')" \
        "$(sums "$2" '^gpu.counts.(stall_.*|idle_cycles)$')"
    equal "$1: waits for loads" "$(sums "$2" '^sm[0-9]+.stall_cycles.loads$')" "$(column "$2" gpu.counts.scoreboard_loads)"
    equal "$1: bytes at both sides of the interconnect" "$(sums "$2" '^gpu_icnt.bytes_above')" \
        "$(sums "$2" '^gpu_icnt.bytes_below')"
    check "$1: there are some" test "$(sums "$2" '^gpu_icnt.bytes_above')" -gt 1000
    equal "$1: bytes to and from DRAM" "$(sums "$2" '^gpu_channel[0-9]+.bytes_above')" \
        $(( $3 * $(sums "$2" '^gpu.counts.dram_(reads|writes)$') ))
    equal "$1: by channel" "$(sums "$2" '^gpu_channel[0-9]+.bytes_below')" \
        $(( $3 * $(sums "$2" '^gpu.counts.dram_(reads|writes)$') ))
}
replay r9nano "$TRACES/gpu/gcn3-fir" --record "$WORK/gcn3.samples" --every 2us --quiet 2>/dev/null
export_csv "$WORK/gcn3.samples" "$WORK/gcn3.csv"
gpu_adds_up 'a GPU' "$WORK/gcn3.csv" 64
equal 'its map of addresses has all requests to DRAM' "$(sums "$WORK/gcn3.csv" '^[^.]*.heat[.]')" \
    "$(sums "$WORK/gcn3.csv" '^gpu.counts.dram_(reads|writes)$')"
export_csv "$WORK/hetero.samples" "$WORK/hetero.csv"
gpu_adds_up 'a GPU beside cores' "$WORK/hetero.csv" 32
replay hetero "$TRACES/triad" "$TRACES/gpu/volta-bfs-2blocks" --warmup 3000 --record "$WORK/hetero.samples" --quiet 2>/dev/null
export_csv "$WORK/hetero.samples" "$WORK/hetero.csv"
gpu_adds_up 'one whose statistics restart' "$WORK/hetero.csv" 32

"$RUBATO" export "$WORK/wide.samples" --perfetto "$WORK/wide.perfetto"
equal 'a trace for Perfetto' $? 0
check 'with a track for the L2' grep -qa 'l2' "$WORK/wide.perfetto"

# ---- reference runs, with samples
if [ -x "$ORACLE" ] && [ -d "$SHARED/oracle/elastic" ]; then
    printf '#!/bin/sh\nexec "%s" "$@" --record "%s" --every 2us\n' "$RUBATO" "$WORK/oracle.samples" >"$WORK/sampled"
    chmod +x "$WORK/sampled"
    RUBATO="$WORK/sampled" "$ORACLE" "$SHARED/oracle/elastic" "$SHARED/traces/elastic" wide-qsort default-triad \
        hbm2-pseudo memory-cache stride-both two-ranges >"$WORK/oracle" 2>&1
    check 'ticks and statistics of reference runs are theirs' grep -qE '^[1-9][0-9]* passed, 0 failed' "$WORK/oracle"
else
    skip 'reference runs (1): no reference data'
fi

# ---- what breaks off
size=$(wc -c <"$WORK/wide.samples")
head -c $(( size / 2 )) "$WORK/wide.samples" >"$WORK/half"
export_csv "$WORK/half" "$WORK/half.csv" 2>"$WORK/stderr"
equal 'half a recording: exit code' $? 2
check 'the place is reported' grep -qE '^rubato: .*half: byte [0-9]+: it breaks off.* [0-9]+ samples' "$WORK/stderr"
lines=$(wc -l <"$WORK/half.csv")
check 'its samples are those of the whole' cmp -s "$WORK/half.csv" <(head -n "$lines" "$WORK/wide.csv")
check 'there are some' test "$lines" -gt 5

mkfifo "$WORK/pipe"
"$RUBATO" replay wide "$TRACES/triad" --quiet --record "$WORK/killed" --every 20ns --log "$WORK/pipe" </dev/null &
job=$!
exec 3<"$WORK/pipe"
head -c 100000 <&3 >/dev/null
kill -KILL $job
wait $job 2>/dev/null
exec 3<&-
check 'a run that was killed: no file under the name' test ! -e "$WORK/killed"
export_csv "$WORK"/killed.partial-* "$WORK/killed.csv" 2>"$WORK/stderr"
equal 'a run that was killed: exit code' $? 2
check 'it has samples, and its end is reported as truncated' \
    bash -c "[ \$(wc -l <'$WORK/killed.csv') -gt 1 ] && grep -q 'breaks off' '$WORK/stderr'"

(trap '' XFSZ; ulimit -f 24; replay wide "$TRACES/triad" --record "$WORK/full" --every 20ns) >"$WORK/stdout" 2>"$WORK/stderr"
equal 'no more room: exit code' $? 2
check 'the run is finished and printed' grep -q '^time ' "$WORK/stdout"
check 'it is reported' grep -q 'full: not written completely' "$WORK/stderr"
check 'and no part of it is left' test -z "$(find "$WORK" -name 'full*')"
if [ -w /dev/full ]; then
    refused 'a full disk is found before the run' '/dev/full: cannot be written' \
        "$RUBATO" replay wide "$TRACES/triad" --record /dev/full
else
    skip 'a full disk (1): there is no /dev/full'
fi

# ---- a view as text
replay wide "$TRACES/triad" --view=text --every 30us >"$WORK/view"
equal 'a line for each sample' "$(grep -c '^[0-9.]* us  read [0-9.]* GB/s  write ' "$WORK/view")" \
    $(( ($(figure "$WORK/a.txt" finalTick) - 1) / 30000000 + 1 ))
replay wide "$TRACES/triad" --view=text --every 30us --quiet >"$WORK/lines"
check 'the same lines again, and one of the whole run' cmp -s <(grep -e '^[0-9.]* us' -e '^whole run' "$WORK/view") "$WORK/lines"
read_gb=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "mem_ctrls.dram.bytes.read") at = i }
    $2 == 60000000 { printf "%.2f", ($at - before) / 30000 } $2 == 30000000 { before = $at }' "$WORK/wide.csv")
equal 'with the bandwidth of the samples' "$(awk '$1 == "60.000" { print $4 }' "$WORK/lines")" "$read_gb"
same_run=$(replay wide "$TRACES/triad" --view=text --stats "$WORK/with.txt" --quiet | wc -l)
check 'the run is the same with it' cmp -s "$WORK/a.txt" "$WORK/with.txt"
check 'and was watched' test "$same_run" -gt 1
replay qv100 "$TRACES/gpu/volta-bfs-2blocks" --view=text --every 1us --quiet >"$WORK/lines" 2>"$WORK/stderr"
check 'a GPU has warps' grep -qE 'us .* warps [1-9]' "$WORK/lines"
if command -v script >/dev/null; then
    script -qec "'$RUBATO' replay wide '$TRACES/triad' --view=text --quiet" /dev/null >"$WORK/panel" </dev/null
    check 'on a terminal a panel with bars' grep -q 'memory read.*GB/s' "$WORK/panel"
    check 'of all caches' grep -q '^l2  *[0-9.]* % hit' "$WORK/panel"
    script -qec "'$RUBATO' replay many-64c-16ch '$TRACES/triad' --view=text --quiet --records 3000" /dev/null >"$WORK/panel" </dev/null
    awk '
        { sub(/^\033\[[0-9]*A/, "") } $1 == "memory" || $1 == "DRAM" || $1 == "fullest" { print $1 }
        $1 ~ /^(mem_ctrls|l3|l2|l1d|l1i)$/ { print $1, $2 ~ /^x/ ? $2 : "" }' <(sed '1,/whole run/d' "$WORK/panel") >"$WORK/rows"
    equal 'of 64 cores totals, the fullest, memories, and a line for each level of caches' "$(tr -s '\n ' ' ' <"$WORK/rows")" 'memory memory DRAM fullest mem_ctrls x16 l3 l2 x64 l1d x64 l1i x64 '
else
    skip 'a terminal (3): there is no script'
fi

# ---- refusals
refused 'a view that is none' '--view=3d: expected' "$RUBATO" replay wide "$TRACES/triad" --view=3d
printf 'not a recording at all' >"$WORK/text"
refused 'no recording' 'text: byte 0: no recording' "$RUBATO" export "$WORK/text" --csv "$WORK/out"
refused 'no file' 'cannot be read' "$RUBATO" export "$WORK/nothing" --csv "$WORK/out"
refused 'nothing to make' 'give either --csv' "$RUBATO" export "$WORK/wide.samples"
refused 'no time' '--every 0' "$RUBATO" replay wide "$TRACES/triad" --record "$WORK/out" --every 0
refused 'a folder that is not there' 'cannot be written' "$RUBATO" replay wide "$TRACES/triad" --record "$WORK/no/out"
exit $failures
