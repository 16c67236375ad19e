#!/usr/bin/env bash
# rubato replay: its options, output and exit codes.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

replay() { "$RUBATO" replay "$@" </dev/null; }
figure() { awk -v name="$2" '$1 == name { print $2; exit }' "$1"; }                       # of a stats.txt
ours() { sed -n "s/^ *\"$2\": \([-0-9.e+]*\),*$/\1/p" "$1" | head -n 1; }                 # of a JSON file

equal() {    # NAME GOT EXPECTED
    if [ -n "$2" ] && [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1"; echo "    got '$2', expected '$3'"; fi
}

replay wide "$TRACES/qsort" --stats "$WORK/a.txt" --stats "$WORK/a.json" --log "$WORK/a.log" \
    >"$WORK/summary" 2>"$WORK/stderr"
equal 'exit code' $? 0
equal 'nothing but a note on stderr without a terminal' "$(grep -vc '^rubato: note: without ' "$WORK/stderr")" 0
for line in '^time ' '^load latency ' '^where its cycles went' '^l1i ' '^l1d ' '^l2 ' '^memory '; do
    check "summary has $line" grep -q "$line" "$WORK/summary"
done
final=$(figure "$WORK/a.txt" finalTick)
equal 'both formats agree' "$(ours "$WORK/a.json" finalTick)" "$final"

# ---- same input, same bytes
replay wide "$TRACES/qsort" --stats "$WORK/b.txt" --stats "$WORK/b.json" --quiet
check 'same text again, with or without a log' cmp -s "$WORK/a.txt" "$WORK/b.txt"
check 'same JSON again' cmp -s "$WORK/a.json" "$WORK/b.json"
replay wide --data "$TRACES/qsort/deptrace.proto.gz" --fetch "$TRACES/qsort/fetchtrace.proto.gz" --stats "$WORK/b.txt" --quiet
check 'files instead of a folder' cmp -s "$WORK/a.txt" "$WORK/b.txt"
mkdir "$WORK/plain"
gzip -dc "$TRACES/qsort/deptrace.proto.gz" >"$WORK/plain/deptrace.proto"
gzip -dc "$TRACES/qsort/fetchtrace.proto.gz" >"$WORK/plain/fetchtrace.proto"
replay wide "$WORK/plain" --stats "$WORK/b.txt" --quiet
check 'uncompressed files' cmp -s "$WORK/a.txt" "$WORK/b.txt"

# ---- the stack of cycles
stack=$(awk -F': |,' '/cpiStack::/ && !/total/ { sum += $2 } END { print sum }' "$WORK/a.json")
cycles=$(( (final + 499) / 500 ))
equal 'the CPI stack adds up to its total' "$stack" "$(ours "$WORK/a.json" system.cpu.cpiStack::total)"
data_last=$(figure "$WORK/a.txt" system.cpu..dside.dataLastTick)
equal 'and to the cycles of the data side' "$stack" $(( (data_last + 499) / 500 ))
check 'which are not more than all cycles' test "$stack" -le "$cycles"

# ---- the log
sends=$(grep -c ' cpu.data send ' "$WORK/a.log")
equal 'log has each data send' "$sends" \
    $(( $(figure "$WORK/a.txt" system.cpu..dside.numSendSucceeded) + $(figure "$WORK/a.txt" system.cpu..dside.numRetrySucceeded) ))
equal 'log has each burst' "$(grep -c ' mem_ctrls burst Read ' "$WORK/a.log")" \
    "$(figure "$WORK/a.txt" system.mem_ctrls.dram.readBursts)"

# ---- parts of a run
replay wide "$TRACES/qsort" --interval 4us --stats "$WORK/i.txt" --quiet
equal 'a block each interval and one at the end' "$(grep -c 'Begin Simulation' "$WORK/i.txt")" $(( final / 4000000 + 1 ))
equal 'blocks end at multiples of the interval' "$(awk '$1 == "finalTick" { print $2 }' "$WORK/i.txt" | sed -n 2p)" 8000000
awk '/Begin Simulation/ { block = "" } { block = block $0 "\n" } END { printf "%s", block }' "$WORK/i.txt" >"$WORK/last"
grep -v '^$' "$WORK/a.txt" >"$WORK/whole"
check 'the last block is that of the whole run' bash -c "grep -v '^\$' '$WORK/last' | cmp -s - '$WORK/whole'"

replay wide "$TRACES/qsort" --until 8000000 --stats "$WORK/u.txt" --quiet
equal '--until stops at its tick' "$(figure "$WORK/u.txt" finalTick)" 8000000
awk '/Begin Simulation/ { n++ } n == 2' "$WORK/i.txt" >"$WORK/second"
check '--until and --interval see the same' bash -c \
    "diff <(grep -v '^\$' '$WORK/u.txt') <(grep -v '^\$' '$WORK/second') >/dev/null"

replay wide "$TRACES/qsort" --records 5000 --stats "$WORK/r.json" --quiet
records=$(ours "$WORK/r.json" system.cpu.records)
check '--records stops there, at the end of that moment' test "$records" -ge 5000 -a "$records" -lt 5020
replay wide "$TRACES/qsort" --warmup 5000 --stats "$WORK/w.txt" --stats "$WORK/w.json" --quiet
equal '--warmup does not change the run' "$(figure "$WORK/w.txt" finalTick)" "$final"
equal '--warmup starts statistics where --records would stop' "$(figure "$WORK/w.txt" simTicks)" \
    $(( final - $(ours "$WORK/r.json" finalTick) ))
equal 'what comes after is what is left' "$(figure "$WORK/w.txt" system.l1d.overallAccesses::total)" \
    $(( $(figure "$WORK/a.txt" system.l1d.overallAccesses::total) - $(ours "$WORK/r.json" system.l1d.overallAccesses::total) ))
equal 'and the micro-ops, which numOps counts from the start, as gem5 does' "$(ours "$WORK/w.json" system.cpu.microOps)" \
    $(( $(ours "$WORK/w.json" system.cpu.numOps) - $(ours "$WORK/r.json" system.cpu.microOps) ))
replay wide "$TRACES/qsort" --warmup 5000 --summary "$WORK/w-metrics.json" >"$WORK/w.summary"
metric() { sed -n "s/.*\"$1\": *\([0-9.]*\).*/\1/p" "$WORK/w-metrics.json" | head -n 1; }
equal 'the summary and the metrics are of what comes after' \
    "$(sed -nE 's/^cpu +([0-9]+) cycles.* ([0-9]+) micro-ops, CPI ([0-9.]+).*/\1 \2 \3/p' "$WORK/w.summary")" \
    "$(metric cycles) $(metric instructions) $(metric cpi | awk '{ printf "%.3f", $1 }')"
equal 'its micro-ops those that were counted' "$(metric instructions)" "$(ours "$WORK/w.json" system.cpu.microOps)"

# ---- settings
replay wide "$TRACES/qsort" --set l2.size=256KiB --set l1d.size=8KiB --stats "$WORK/s.txt" --quiet
check '--set changes the result' bash -c "! cmp -s '$WORK/a.txt' '$WORK/s.txt'"
refused '--set with an unknown key' 'l2.siez.*l2.size' "$RUBATO" replay wide "$TRACES/qsort" --set l2.siez=1MiB
refused 'unknown system' 'wyde' "$RUBATO" replay wyde "$TRACES/qsort"

# ---- a locked read without its write: any other access to the line waits for ever
{
    echo '1,4096,1,LOAD,4096,8,1048576,1000::'
    echo '2,4100,1,LOAD,4096,8,0,0::1'
    for i in $(seq 3 300); do echo "$i,4104,1,COMP,500::"; done
} >"$WORK/stall.txt"
printf 'r,8192,64,256,1000\n' >"$WORK/stallf.txt"
if "$RUBATO" trace build "$WORK/stall.txt" -o "$WORK/stall.proto.gz" >"$WORK/log" 2>&1 \
    && "$RUBATO" trace build "$WORK/stallf.txt" -o "$WORK/stallf.proto.gz" >>"$WORK/log" 2>&1; then
    timeout 60 "$RUBATO" replay wide --data "$WORK/stall.proto.gz" --fetch "$WORK/stallf.proto.gz" --stats "$WORK/stall.json" \
        >"$WORK/stdout" 2>"$WORK/stderr" </dev/null
    equal 'a stall ends with 3' $? 3
    equal 'and one line' "$(grep -vc warning "$WORK/stderr")" 1
    check 'which names request and path' grep -qE 'stuck.*0x1000.*l1d' "$WORK/stderr"
    check 'and leaves no statistics' test ! -e "$WORK/stall.json"
else
    not_ok 'a trace for the stall could be built'
    sed 's/^/    /' "$WORK/log"
fi

# ---- where gem5 would stop: fewer records than two windows (120 each)
for i in $(seq 1 50); do echo "$i,4104,1,COMP,500:$([ "$i" -gt 1 ] && echo ",$((i - 1))"):"; done >"$WORK/short.txt"
if "$RUBATO" trace build "$WORK/short.txt" -o "$WORK/short.proto.gz" >"$WORK/log" 2>&1; then
    replay wide --data "$WORK/short.proto.gz" --fetch "$WORK/stallf.proto.gz" --stats "$WORK/short.json" --quiet --no-cache \
        2>"$WORK/stderr"
    equal 'a trace of fewer than two windows is replayed' $? 0
    equal 'whole' "$(ours "$WORK/short.json" system.cpu.records)" 50
    equal 'with one warning' "$(grep -c 'warning: the data trace has fewer records than two windows' "$WORK/stderr")" 1
    equal 'and nothing else' "$(wc -l <"$WORK/stderr" | tr -d ' ')" 1
else
    not_ok 'a short trace could be built'
    sed 's/^/    /' "$WORK/log"
fi
