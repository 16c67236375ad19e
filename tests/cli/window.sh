#!/usr/bin/env bash
# --model window: elastic traces on detailed cores, from files and stores, on several cores; messages and refusals;
# sweeps and comparisons over models. With $SHARED: the pairs of oracle/detailed are near the reference.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/figures.sh
need_rubato

trace=$TRACES/gups
value() { awk -v name="$2" '$1 == name { print $2 }' "$1"; }
run() { "$RUBATO" replay wide "$trace" --quiet --no-cache --model window "$@" >"$WORK/out" 2>"$WORK/messages"; }

check 'a replay' run --stats "$WORK/files.txt"
check 'its summary' "$RUBATO" replay wide "$trace" --no-cache --model window >"$WORK/out"
check 'reports the rebuilt instructions' grep -q '^rebuilt .* recorded' "$WORK/out"
check 'and the guessed ones' grep -q 'sources .* guessed' "$WORK/out"
check 'loads and stores are the records' test "$(value "$WORK/files.txt" system.cpu.commitStats0.numLoadInsts)" -gt 0
check 'a store' "$RUBATO" trace pack "$trace" -o "$WORK/gups.rbt" --model elastic
check 'its replay' "$RUBATO" replay wide "$WORK/gups.rbt" --quiet --model window --stats "$WORK/store.txt"
check 'is that of the files' cmp <(grep -v '^host' "$WORK/files.txt") <(grep -v '^host' "$WORK/store.txt")
check 'a store that has learnt' "$RUBATO" trace pack "$trace" -o "$WORK/learnt.rbt"
check 'made as was asked for' "$RUBATO" trace pack "$trace" -o "$WORK/asked.rbt" --model window
check 'is the same' cmp "$WORK/learnt.rbt" "$WORK/asked.rbt"
check 'reports the model' grep -q '^  learnt ' <("$RUBATO" trace info "$WORK/learnt.rbt")
check 'the other does not' test -z "$("$RUBATO" trace info "$WORK/gups.rbt" | grep '^  learnt ')"
check 'its replay' "$RUBATO" replay wide "$WORK/learnt.rbt" --quiet --model window --stats "$WORK/learnt.txt"
check 'is that of the files' cmp <(grep -v '^host' "$WORK/files.txt") <(grep -v '^host' "$WORK/learnt.txt")
check 'so is the page about it' cmp <("$RUBATO" trace info "$WORK/gups.rbt" | grep -A99 '^On a') <("$RUBATO" trace info "$WORK/learnt.rbt" | grep -A99 '^On a')
# A name stands for an integer at one time and a floating-point number at another, and nothing is a move.
few() {
    "$RUBATO" replay detailed/base "$TRACES/triad" --quiet --no-cache --model window --set cpu.numPhysIntRegs=40 \
        --set cpu.numPhysFloatRegs=40 "$@"
}
check 'few registers' few --stats "$WORK/few.txt"
check 'and moves that take none' few --set cpu.moveElimination=yes --stats "$WORK/moves.txt"
check 'are the same run' cmp <(grep -v '^host' "$WORK/few.txt") <(grep -v '^host' "$WORK/moves.txt")
check 'few registers, and stores that loads are renamed to' \
    few --set include=core/zen4 --set cpu.numPhysIntRegs=40 --set cpu.numPhysFloatRegs=40
cached() { "$RUBATO" replay wide "$trace" --quiet --cache "$WORK/cache" --model "$1" --stats "$WORK/cached-$2.txt"; }
check 'a cached store' cached elastic 0
plain_bytes=$(stat -c %s "$WORK"/cache/*.store)
check 'learns in the first such replay' cached window 1
check 'and grows by less than a third' test "$(stat -c %s "$WORK"/cache/*.store)" -gt "$plain_bytes" -a \
    "$(stat -c %s "$WORK"/cache/*.store)" -lt $((plain_bytes * 4 / 3))
learnt_at=$(stat -c '%i %y' "$WORK"/cache/*.store)
check 'to the packed bytes' cmp "$WORK"/cache/*.store "$WORK/learnt.rbt"
check 'once' cached window 2
check 'the file stays' test "$(stat -c '%i %y' "$WORK"/cache/*.store)" = "$learnt_at"
for i in 1 2; do
    check 'as from the files' cmp <(grep -v '^host' "$WORK/files.txt") <(grep -v '^host' "$WORK/cached-$i.txt")
done
check 'other models read it' cached elastic 3
check 'as before' cmp <(grep -v '^host' "$WORK/cached-0.txt") <(grep -v '^host' "$WORK/cached-3.txt")
cp "$WORK/learnt.rbt" "$WORK/damaged.rbt"
word_at() { od -A n -t u8 -j "$1" -N 8 "$WORK/damaged.rbt" | tr -d ' '; }
index=$(word_at $(($(stat -c %s "$WORK/damaged.rbt") - 24)))
at=$(word_at $((index + 24 + $(word_at $((index + 8))) - 8)))    # the last word of the index
printf '\xff' | dd of="$WORK/damaged.rbt" bs=1 seek=$((at + 44)) conv=notrunc 2>"$WORK/dd"
refused 'what is damaged' 'make it again with `rubato trace pack`' "$RUBATO" replay wide "$WORK/damaged.rbt" --model window
check 'is nothing to other models' "$RUBATO" replay wide "$WORK/damaged.rbt" --quiet
check 'keeping that takes less than a third of the store' test "$(stat -c %s "$WORK/learnt.rbt")" -gt "$(stat -c %s "$WORK/gups.rbt")" -a \
    "$(stat -c %s "$WORK/learnt.rbt")" -lt $(($(stat -c %s "$WORK/gups.rbt") * 4 / 3))
refused 'a model of other traces' 'expected one of them' "$RUBATO" trace pack "$trace" -o "$WORK/x.rbt" --model detailed
refused 'a model of instructions' 'is for elastic traces' "$RUBATO" trace pack tests/traces/detailed/sort.rbt -o "$WORK/x.rbt" --model window
check 'the plain engine' run --engine plain --stats "$WORK/plain.txt"
check 'has the same ticks' test "$(value "$WORK/plain.txt" finalTick)" = "$(value "$WORK/files.txt" finalTick)"
check 'as a key' "$RUBATO" replay wide "$trace" --quiet --no-cache --set cpu.model=window --stats "$WORK/key.txt"
check 'is the same' cmp <(grep -v '^host' "$WORK/files.txt") <(grep -v '^host' "$WORK/key.txt")
check 'two cores' run --set cores=2 --set cpu.share=yes --stats "$WORK/two.txt"
check 'both end' test -n "$(value "$WORK/two.txt" system.cpu1.numCycles)"
check 'trace info of the store' "$RUBATO" trace info "$WORK/gups.rbt" >"$WORK/info"
check 'a listing' run --pipeline "$WORK/all.tsv"
check 'of all micro-ops' test "$(awk -F'\t' 'NR > 1 && $2 == 1' "$WORK/all.tsv" | wc -l)" = \
    "$(value "$WORK/files.txt" system.cpu.commitStats0.numOps)"

deeper=(--set cpu.fetchToDecodeDelay=7 --set cpu.opLat.IntMult=4)
summary() { "$RUBATO" replay wide "$TRACES/qsort" --no-cache --model window "$@" >"$WORK/out" 2>"$WORK/messages"; }
check 'a core like that of the capture' summary
check 'goes without saying' test -z "$(grep '^  capture ' "$WORK/out")"
check 'another core' summary "${deeper[@]}" --stats "$WORK/deeper.txt"
check 'is said to be another one' grep -q '^  capture .* default core' "$WORK/out"
check 'a capture on it' summary "${deeper[@]}" --set cpu.capture=system --stats "$WORK/itself.txt"
check 'is taken for that' test -z "$(grep '^  capture ' "$WORK/out")"
check 'with other results' test "$(value "$WORK/deeper.txt" finalTick)" != "$(value "$WORK/itself.txt" finalTick)"
store_of() { "$RUBATO" replay wide "$WORK/qsort.rbt" --quiet --model window "${deeper[@]}" --set cpu.capture=system --stats "$WORK/itself-store.txt"; }
check 'a store' "$RUBATO" trace pack "$TRACES/qsort" -o "$WORK/qsort.rbt"
check 'that learnt for another core' store_of
check 'learns again' cmp <(grep -v '^host' "$WORK/itself.txt") <(grep -v '^host' "$WORK/itself-store.txt")
refused 'an unknown core' 'cpu.capture: .*reference' "$RUBATO" replay wide "$trace" --no-cache --model window --set cpu.capture=skylake

refused 'a tick scale' 'a tick scale is for --model elastic' "$RUBATO" replay wide "$trace" --no-cache --model window --tick-scale 2
refused 'virtual pages' 'leave out pages.elastic' "$RUBATO" replay wide "$trace" --no-cache --model window --set pages.elastic=virtual
refused 'too little memory' 'are not in memory' "$RUBATO" replay wide "$trace" --no-cache --model window --set memory.size=1MiB
refused 'code outside memory' 'code at pc 0x' "$RUBATO" replay wide "$trace" --no-cache --model window --set memory.base=1GiB
refused 'detailed cores' 'elastic or window' "$RUBATO" replay wide "$trace" --no-cache --model detailed

cat >"$WORK/sweep.yaml" <<EOF
system: detailed/base
traces: $trace
axes:
  cpu.model: [elastic, window]
EOF
check 'a sweep over models' "$RUBATO" sweep "$WORK/sweep.yaml" -o "$WORK/sweep.db" --no-cache
check 'has both' test "$("$RUBATO" results "$WORK/sweep.db" --columns cpu.model --csv | grep -c -e window -e elastic)" = 2

for kernel in chase sort; do
    mkdir -p "$WORK/captured"
    check "a capture of $kernel" "$RUBATO" replay detailed/base tests/traces/detailed/$kernel.rbt --quiet --model detailed --probe "$WORK/captured/$kernel"
done
cat >"$WORK/models.yaml" <<EOF
system: detailed/base
traces:
  - {name: chase, traces: captured/chase, instructions: $PWD/tests/traces/detailed/chase.rbt}
  - {name: sort, traces: captured/sort, instructions: $PWD/tests/traces/detailed/sort.rbt}
axes: {l1d.size: [16KiB, 64KiB]}
EOF
sweep() { "$RUBATO" sweep "$WORK/$1.yaml" -o "$WORK/$1.db" --no-cache "${@:2}" >"$WORK/swept" 2>"$WORK/messages"; }
check 'a sweep over all models' sweep models --model elastic,window,detailed
check 'each trace has its models' test "$("$RUBATO" results "$WORK/models.db" --csv --columns traces,cpu.model | sort | uniq -c | awk '$1 == 2' | wc -l)" = 6
check 'no point failed' grep -q ' 12 done, 0 failed' "$WORK/swept"
check 'its report' "$RUBATO" report "$WORK/models.db" -o "$WORK/models.html" --no-traffic
for model in window elastic; do
    check "names the error of $model" grep -q "<td>$model</td><td>detailed</td><td>4</td>" <(tr -d '\n' <"$WORK/models.html")
done
check 'without the option' sweep models --dry-run
check 'instructions stay aside' grep -q '^4 points, 4 different, 4 skipped' "$WORK/swept"
sed 's/axes.*/axes: {cpu.model: [elastic]}/' "$WORK/models.yaml" >"$WORK/axis.yaml"
refused 'the option beside the axis' 'axis.yaml:5 has cpu.model already' "$RUBATO" sweep "$WORK/axis.yaml" -o "$WORK/x.db" --no-cache --model window
sed 's/, instructions: .*}/}/' "$WORK/models.yaml" >"$WORK/elastic.yaml"
refused 'a model that fits no trace' 'none of the traces of .*elastic.yaml fits; expected instruction traces' "$RUBATO" sweep "$WORK/elastic.yaml" -o "$WORK/x.db" --no-cache --model window,detailed
sed 's|, instructions: .*}|, instructions: captured/sort}|' "$WORK/models.yaml" >"$WORK/wrong.yaml"
refused 'instructions that are none' 'wrong.yaml:3: traces: `instructions` is not an instruction trace' "$RUBATO" sweep "$WORK/wrong.yaml" -o "$WORK/x.db" --no-cache --model window
refused 'a model given twice' 'a model is given twice' "$RUBATO" sweep "$WORK/elastic.yaml" -o "$WORK/x.db" --no-cache --model window,window
refused 'a model of no sweep' 'there is a model that is none' "$RUBATO" sweep "$WORK/elastic.yaml" -o "$WORK/x.db" --no-cache --model auto

refused 'a model that is none' 'expected elastic, window, detailed or auto' "$RUBATO" compare "$WORK" --traces "$WORK" --run --model fast
refused 'a model without --run' '--model is for --run' "$RUBATO" compare "$WORK" --model window

printf 'program\tsystem\tdetailed_ticks\treplay_ticks\nqsort\tbase\t80000000\t70000000\ngups\tbase\t300000000\t400000000\n' >"$WORK/bundled.tsv"
check 'a comparison of bundled traces' "$RUBATO" compare "$WORK/bundled.tsv" --traces tests/traces --run --model window --no-cache >"$WORK/kinds"
check 'reports the kind of a program' grep -qE '^gups +base .* -9 to \+7 .* waits for memory$' "$WORK/kinds"
check 'and another' grep -qE '^qsort +base .* -5 to \+8 .* mispredicts$' "$WORK/kinds"
check 'and why' grep -q '^mispredicts: what most branches wait for is found' "$WORK/kinds"
"$RUBATO" compare "$WORK/bundled.tsv" --traces tests/traces --run --model elastic --no-cache >"$WORK/kinds" 2>"$WORK/messages"
check 'TraceCPU is judged' grep -q '^What to trust' "$WORK/kinds"
check 'by no kinds' test -z "$(grep 'What to expect' "$WORK/kinds")"

if [ -d "${SHARED:-}/oracle/detailed" ]; then
    printf 'program\tsystem\tdetailed_ticks\treplay_ticks\nqsort\tbase\t284882000\t201707500\nnbody\tbase\t1072835000\t1055465501\n' >"$WORK/table.tsv"
    check 'a comparison' "$RUBATO" compare "$WORK/table.tsv" --traces "$SHARED/traces/elastic" --run --model window --tsv --no-cache >"$WORK/compare"
    "$RUBATO" compare "$WORK/table.tsv" --traces "$SHARED/traces/elastic" --run --model window --no-cache >"$WORK/kinds"
    check 'each program is as far off as its kind' test "$(sed -n '/^What to expect/,/^$/p' "$WORK/kinds" |
        awk '($1 == "qsort" || $1 == "nbody") && $10 + 0 >= $7 + 0 && $10 + 0 <= $9 + 0' | wc -l)" = 2
    grep -v '^value' "$WORK/compare" >"$WORK/pairs"
    pairs_of window "$WORK/pairs"
    check 'is within 3 %' awk '$2 == "abs_err_mean_pct" { if ($3 > 3) wrong = 1; n++ } END { exit wrong || n != 1 }' "$WORK/compare"
fi
exit $failures
