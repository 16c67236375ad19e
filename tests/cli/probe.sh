#!/usr/bin/env bash
# Elastic traces of detailed cores: replay --probe, trace elastic, compare --detailed; options, refusals, nothing left behind; and
# the reference's own trace of the same run, if it is beside the repository.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

trace=tests/traces/insn/drmemtrace/drmemtrace.small.x64.trace    # 173 instructions
elastic() { "$RUBATO" trace elastic wide "$trace" "$@" 2>"$WORK/messages"; }
replayed() { "$RUBATO" replay wide "$trace" --quiet --no-cache --model detailed "$@" 2>"$WORK/messages"; }
records() { "$RUBATO" trace dump "$1/deptrace.proto.gz" | grep -vc '^#'; }
header() { "$RUBATO" trace dump "$1/deptrace.proto.gz" | grep -qx "# $2"; }

# --- trace elastic
check 'an elastic trace' elastic -o "$WORK/plain" >"$WORK/out"
check 'reports the number of instructions' grep -q '^.*plain: elastic trace of [0-9]* instructions$' "$WORK/out"
check 'two files and nothing else' test "$(ls "$WORK/plain" | tr '\n' ' ')" = 'deptrace.proto.gz fetchtrace.proto.gz '
check 'as many records as reported' grep -q "^  records  *$(records "$WORK/plain"):" "$WORK/out"
check 'window: three times the ROB' header "$WORK/plain" 'window_size 576'
check 'the reference'\''s name' header "$WORK/plain" 'obj_id "system.cpu.traceListener"'
check 'too few records for gem5 are reported' grep -q 'records are fewer than two windows (1152)' "$WORK/messages"
check 'it replays' "$RUBATO" replay wide "$WORK/plain" --quiet --no-cache
check 'text and back' sh -c "'$RUBATO' trace dump '$WORK/plain/deptrace.proto.gz' >'$WORK/text' && '$RUBATO' trace build '$WORK/text' \
    -o '$WORK/again.proto' && '$RUBATO' trace dump '$WORK/again.proto' | cmp - '$WORK/text'"
check 'no virtual addresses' test "$("$RUBATO" trace dump "$WORK/plain/deptrace.proto.gz" | grep -v '^#' | awk -F: 'NF > 3' | wc -l)" = 0
check 'options' elastic -o "$WORK/other" --window 200 --virtual --from 100 --quiet --set cpu.numROBEntries=64
check 'window' header "$WORK/other" 'window_size 200'
check 'virtual addresses' test "$("$RUBATO" trace dump "$WORK/other/deptrace.proto.gz" | grep -E 'LOAD|STORE' | awk -F: 'NF < 4' | wc -l)" = 0
check 'from an instruction on' test "$(records "$WORK/other")" -lt "$(records "$WORK/plain")"
check 'the same bytes again' elastic -o "$WORK/twice" --quiet
check 'in both files' cmp "$WORK/twice/deptrace.proto.gz" "$WORK/plain/deptrace.proto.gz"
printf 'include: wide\ncpu: {branchPred: {type: bimode, globalPredictorSize: 2}}\n' >"$WORK/bimode.yaml"
check 'the branch unit of the system' "$RUBATO" trace elastic "$WORK/bimode.yaml" "$TRACES/detailed/sort.rbt" -o "$WORK/unit" --quiet
check 'set by hand' "$RUBATO" trace elastic wide "$TRACES/detailed/sort.rbt" -o "$WORK/hand" --quiet --set cpu.branchPred.type=bimode \
    --set cpu.branchPred.globalPredictorSize=2
check 'is the same' cmp <(gzip -dc "$WORK/unit/deptrace.proto.gz") <(gzip -dc "$WORK/hand/deptrace.proto.gz")
check 'caches of the system do not count' env "$RUBATO" trace elastic etrace-l2 "$trace" -o "$WORK/l2" --quiet
check 'the same trace' cmp "$WORK/l2/deptrace.proto.gz" "$WORK/plain/deptrace.proto.gz"

# --- replay --probe
check 'a replay with a probe' replayed --probe "$WORK/probe" --stats "$WORK/probed.txt"
check 'a replay without' replayed --stats "$WORK/alone.txt"
check 'the probe changes nothing' cmp <(grep -v '^host' "$WORK/probed.txt") <(grep -v '^host' "$WORK/alone.txt")
check 'a fetch for each request of the L1I' test "$("$RUBATO" trace dump "$WORK/probe/fetchtrace.proto.gz" | grep -vc '^#')" = \
    "$(awk '$1 == "system.cpu.fetch.cacheLines" { print $2 }' "$WORK/probed.txt")"
check 'with a listing' replayed --probe "$WORK/both" --pipeline "$WORK/pipe.tsv"
check 'the same trace' cmp "$WORK/both/deptrace.proto.gz" "$WORK/probe/deptrace.proto.gz"
check 'two cores, a folder each' "$RUBATO" replay wide "$trace" "$trace" --quiet --no-cache --model detailed --set cores=2 --probe "$WORK/two"
check 'both are there' test -s "$WORK/two/cpu0/deptrace.proto.gz" -a -s "$WORK/two/cpu1/deptrace.proto.gz"
check 'an idle core has no files' "$RUBATO" replay wide "$trace" --quiet --no-cache --model detailed --set cores=2 --probe "$WORK/one"
check 'one folder' test "$(ls "$WORK/one")" = cpu0

# --- refusals, of which nothing is left
refused 'elastic cores' 'probe is for detailed cores' "$RUBATO" replay wide "$trace" --set cpu.model=elastic --probe "$WORK/none"
refused 'elastic traces' 'probe is for detailed cores|detailed cores, which execute instructions' "$RUBATO" replay wide "$TRACES/gups" --probe "$WORK/none"
refused 'elastic traces again' 'instruction' "$RUBATO" trace elastic wide "$TRACES/gups" -o "$WORK/none"
refused 'a window below the ROB' 'window of 100 records, where the ROB holds 192' "$RUBATO" trace elastic wide "$trace" -o "$WORK/none" --window 100
refused 'a window of nothing' 'window 0' "$RUBATO" trace elastic wide "$trace" -o "$WORK/none" --window 0
refused 'a beginning behind the end' 'begin at instruction 100000' "$RUBATO" trace elastic wide "$trace" -o "$WORK/none" --from 100000
refused 'options without a probe' 'give --probe DIR' "$RUBATO" replay wide "$trace" --probe-window 600
refused 'no output' 'add -o DIR' "$RUBATO" trace elastic wide "$trace"
refused 'no trace' 'no instruction trace' "$RUBATO" trace elastic wide -o "$WORK/none"
refused 'a folder in a folder that is not there' 'none/at/all' "$RUBATO" trace elastic wide "$trace" -o "$WORK/none/at/all"
refused 'no cores' 'has no cores' "$RUBATO" trace elastic qv100 "$trace" -o "$WORK/none"
check 'nothing is left of them' test ! -e "$WORK/none"
echo old >"$WORK/plain/deptrace.proto.gz"
refused 'over what was there' 'begin at instruction' "$RUBATO" trace elastic wide "$trace" -o "$WORK/plain" --from 100000
check 'which stays' test "$(cat "$WORK/plain/deptrace.proto.gz")" = old

# --- compare --detailed
printf 'include: %s\nl2: {size: 64KiB}\n' "$PWD/configs/wide.yaml" >"$WORK/small.yaml"
TMPDIR=$WORK/tmp
export TMPDIR
mkdir "$TMPDIR"
compared() { "$RUBATO" compare --detailed "$@" >"$WORK/out" 2>"$WORK/messages"; }
check 'both sides run' compared wide "$WORK/small.yaml" --traces "$trace" --tsv
check 'a line a pair' test "$(awk -F'\t' 'NF == 10 && $3 > 0 && $5 > 0 && $7 != "-" && $9 == "ok"' "$WORK/out" | wc -l)" = 2
check 'and a count' test "$(tail -n 1 "$WORK/out")" = '2 passed, 0 failed'
check 'nothing is left' test -z "$(ls "$TMPDIR")"
replayed --stats "$WORK/detailed.txt"
check 'the detailed side is replay --model detailed' test "$(awk -F'\t' '$2 == "wide" { print $3 }' "$WORK/out")" = \
    "$(awk '$1 == "finalTick" { print $2 }' "$WORK/detailed.txt")"
check 'traces can be kept' compared wide --traces "$trace" --captures "$WORK/kept"
check 'as trace elastic makes them' cmp "$WORK/kept/drmemtrace/deptrace.proto.gz" "$WORK/twice/deptrace.proto.gz"
"$RUBATO" replay wide "$WORK/kept/drmemtrace" --quiet --no-cache --stats "$WORK/elastic.txt"
check 'the other side is their replay' test "$(awk -F'\t' '$2 == "wide" { print $5 }' <("$RUBATO" compare --detailed wide --traces "$trace" --tsv))" = \
    "$(awk '$1 == "finalTick" { print $2 }' "$WORK/elastic.txt")"
refused 'no system' 'needs systems' "$RUBATO" compare --detailed --traces "$trace"
refused 'no traces' 'needs --traces' "$RUBATO" compare --detailed wide
refused 'several cores' 'has 4 cores' "$RUBATO" compare --detailed quad --traces "$trace"
refused 'a folder without instruction traces' 'holds no instruction trace' "$RUBATO" compare --detailed wide --traces "$WORK/kept"
refused 'one program twice' 'both called drmemtrace' "$RUBATO" compare --detailed wide --traces "$trace" --traces "$trace"
refused 'recorded runs beside it' 'run is for recorded runs' "$RUBATO" compare --detailed wide --run --traces "$trace"
refused 'settings without it' 'set is for --detailed' "$RUBATO" compare "$WORK" --set cpu.rob=3

# --- the reference's trace of the same run; tests/o3-timing compares all six
set=$SHARED/traces/o3
if [ ! -d "$set/elastic" ]; then
    skip "the reference's elastic traces (6): $set is not there"
    exit $failures
fi
value() { awk -v name="$1" '$1 == "value" && $2 == name { print $3 }' "$WORK/compared"; }
at_least() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a >= b) }'; }
programs=(recurse forward)
is_whole_reference || programs=(gups)
for program in "${programs[@]}"; do
    "$RUBATO" trace elastic detailed/base "$set/$program.trace.xz" -o "$WORK/$program" --quiet --set "pages.map=$set/$program.v2p.textproto"
    "$BUILD/tests/tools/elastic_compare" "$WORK/$program" "$set/elastic/$program" >"$WORK/compared"
    check "$program: records equal, 99.9 %: $(value records_equal_pct)" at_least "$(value records_equal_pct)" 99.9
    check "$program: delays equal, 99.9 %: $(value delay_equal_pct)" at_least "$(value delay_equal_pct)" 99.9
    for side in "$WORK" "$set/elastic"; do
        "$RUBATO" replay detailed/base "$side/$program" --quiet --no-cache --stats "$WORK/stats.txt"
        awk '$1 == "finalTick" { print $2 }' "$WORK/stats.txt"
    done >"$WORK/ticks"
    check "$program: replays within 1 %: $(tr '\n' ' ' <"$WORK/ticks")" awk 'NR == 1 { a = $1 } NR == 2 { e = a / $1 - 1; exit !(e < 0.01 && e > -0.01) }' "$WORK/ticks"
done
exit $failures
