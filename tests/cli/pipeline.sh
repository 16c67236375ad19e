#!/usr/bin/env bash
# replay --pipeline: both formats, limits, a file per core, runs that cannot have it, files that are kept.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

trace=tests/traces/insn/drmemtrace/drmemtrace.small.x64.trace    # 173 instructions
run() { "$RUBATO" replay wide "$trace" --quiet --no-cache --set cpu.model=detailed "$@" 2>"$WORK/messages"; }
committed() { awk -F'\t' 'NR > 1 && $2 == 1' "$1" | wc -l; }
# The stages of what committed follow each other, and retirements do.
in_order() {
    awk -F'\t' 'NR > 1 { if ($18 < last) wrong = 1; last = $18 }
        NR > 1 && $2 == 1 { for (i = 13; i <= 18; i++) if ($i == "-" || $i < $(i - 1)) wrong = 1 } END { exit wrong }' "$1"
}

check 'a table' run --pipeline "$WORK/all.tsv" --stats "$WORK/stats.txt"
check 'its columns' test "$(head -n 1 "$WORK/all.tsv")" = "$(printf 'seq\tcommitted\tpc\tmicro_op\tencoding\top_class\tvaddr\tpaddr\tsize\tpredicted_taken\tmispredicted\tfetch\tdecode\trename\tdispatch\tissue\tcomplete\tretire')"
check 'a row a committed micro-op' test "$(committed "$WORK/all.tsv")" = \
    "$(awk '$1 == "system.cpu.commitStats0.numOps" { print $2 }' "$WORK/stats.txt")"
check 'stages in order' in_order "$WORK/all.tsv"
check 'packed' run --pipeline "$WORK/all.tsv.gz"
check 'the same, packed' cmp <(gzip -dc "$WORK/all.tsv.gz") "$WORK/all.tsv"
check 'the first ten' run --pipeline "$WORK/ten.tsv" --pipeline-instructions 10
check 'are the first rows' cmp "$WORK/ten.tsv" <(head -n "$(wc -l <"$WORK/ten.tsv")" "$WORK/all.tsv")
check 'and end with the tenth instruction' test "$(committed "$WORK/ten.tsv")" -ge 10 -a "$(committed "$WORK/ten.tsv")" -lt 60
check 'O3PipeView' run --pipeline "$WORK/all.out"
check 'seven lines a micro-op' test "$(grep -c '^O3PipeView:[a-z]*:[0-9]' "$WORK/all.out")" = "$((7 * ($(wc -l <"$WORK/all.tsv") - 1)))"
first=$(sed -n 2p "$WORK/all.tsv" | cut -f 12)
check 'in ticks' grep -q "^O3PipeView:fetch:$((first * 500)):0x" "$WORK/all.out"
check 'nothing else changes' run --stats "$WORK/plain.txt"
check 'no statistic does' cmp <(grep -v '^host' "$WORK/plain.txt") <(grep -v '^host' "$WORK/stats.txt")
check 'a file a core' "$RUBATO" replay wide "$trace" "$trace" --quiet --no-cache --set cores=2 --set cpu.model=detailed \
    --pipeline "$WORK/two.tsv"
check 'both' test "$(committed "$WORK/two.tsv")" = "$(committed "$WORK/all.tsv")" -a "$(committed "$WORK/two.1.tsv")" = "$(committed "$WORK/all.tsv")"

echo old >"$WORK/kept.txt"
refused 'elastic cores' 'pipeline is for detailed cores' "$RUBATO" replay wide "$trace" --set cpu.model=elastic --pipeline "$WORK/kept.txt"
refused 'elastic traces' 'pipeline is for detailed cores' "$RUBATO" replay wide "$TRACES/gups" --pipeline "$WORK/kept.txt"
refused 'no instruction' 'pipeline-instructions 0 lists nothing' "$RUBATO" replay wide "$trace" --pipeline-instructions 0
refused 'a number alone' 'give --pipeline FILE' "$RUBATO" replay wide "$trace" --pipeline-instructions 9
refused 'a folder that is not there' 'none/a.tsv' "$RUBATO" replay wide "$trace" --set cpu.model=detailed --pipeline "$WORK/none/a.tsv"
refused 'two outputs of one name' 'is given as two outputs' "$RUBATO" replay wide "$trace" --no-cache --set cpu.model=detailed \
    --pipeline "$WORK/kept.txt" --stats "$WORK/kept.txt"
cp "$trace" "$WORK/own.trace"
refused 'its own trace' 'own.trace: is an input' "$RUBATO" replay wide "$WORK/own.trace" --no-cache --set cpu.model=detailed \
    --pipeline "$WORK/own.trace"
check 'the file that was there' test "$(cat "$WORK/kept.txt")" = old
exit $failures
