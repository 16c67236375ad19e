#!/usr/bin/env bash
# rubato compare: recorded runs and replays of ours, tables of other forms, faults in one line; all pairs of the reference if they
# are beside the repository. The bundled traces' "detailed" runs are our own replays on a smaller core.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/figures.sh
need_rubato

pairs=$WORK/pairs systems=$WORK/systems
mkdir -p "$pairs" "$systems"
printf 'include: %s\n' "$PWD/configs/wide.yaml" >"$systems/base.yaml"
printf 'include: base.yaml\nl2: {size: 64KiB}\n' >"$systems/small.yaml"

# record SIDE PROGRAM SYSTEM ENDING OPTION...
record() {
    local to=$pairs/$2.$3.$1$4 system=$3 program=$2
    shift 4
    "$RUBATO" replay "$systems/$system.yaml" "$TRACES/$program" --quiet --stats "$to" "$@" || not_ok "recording $to"
}

tick() { sed -n 's/^finalTick *\([0-9]*\).*/\1/p' "$1"; }

printf 'program\tsystem\tdetailed_ticks\treplay_ticks\tdetailed_host_s\treplay_host_s\n' >"$pairs/table.tsv"
for program in triad gups; do
    for system in base small; do
        record detailed $program $system .txt --set cpu.rob=64
        record replay $program $system .txt
        printf '%s\t%s\t%s\t%s\t3\t1\n' $program $system "$(tick "$pairs/$program.$system.detailed.txt")" \
            "$(tick "$pairs/$program.$system.replay.txt")" >>"$pairs/table.tsv"
    done
done
gzip -k "$pairs/triad.base.replay.txt"

compare() { "$RUBATO" compare "$@" >"$WORK/out" 2>"$WORK/err"; }

# --- recorded runs
check 'recorded runs agree with their table' compare "$pairs" --tsv
"$RUBATO" compare "$pairs" --csv >"$WORK/csv" 2>"$WORK/err"
check 'CSV has the same pairs' cmp <(tail -n +2 "$WORK/csv") <(awk -F '\t' 'NF == 10' "$WORK/out" | sed 's/\t-/\t/g; s/\t/,/g')
"$RUBATO" compare "$pairs" --json >"$WORK/json" 2>"$WORK/err"
check 'JSON has them, too, and the means' python3 -c 'import csv, json, sys
found, rows = json.load(open(sys.argv[1])), list(csv.DictReader(open(sys.argv[2])))
means = dict(line.split("\t")[1:] for line in open(sys.argv[3]) if line.startswith("value"))
cell = lambda value: "" if value is None else value if isinstance(value, str) and not value.replace(".", "").isdigit() else float(value)
assert len(rows) == 4 and [[cell(row[key]) for key in row] for row in found["pairs"]] == [[cell(row[key]) for key in row] for row in rows], (found, rows)
assert found["passed"] == 4 and all(abs(found[key] - float(means[key])) < 6e-4 for key in means), (found, means)' "$WORK/json" "$WORK/csv" "$WORK/out"
refused 'two forms' 'give one of --csv and --json' "$RUBATO" compare "$pairs" --csv --json
check 'its last line counts them' test "$(tail -n 1 "$WORK/out")" = '4 passed, 0 failed'
check 'no replay, no difference' test "$(awk -F '\t' 'NF == 10 && $5 == "-" && $6 == "-" && $9 == "ok"' "$WORK/out" | wc -l)" = 4
check 'base has no relative error' test "$(awk -F '\t' 'NF == 10 && $2 == "base" && $8 == "-"' "$WORK/out" | wc -l)" = 2
awk -F '\t' 'NR == FNR { if (FNR > 1) { d[$1, $2] = $3; r[$1, $2] = $4 } next }
    function magnitude(x) { return x < 0 ? -x : x }
    NF == 10 { abs = 100 * magnitude(r[$1, $2] / d[$1, $2] - 1); a += abs
        if (magnitude(abs - $7) > 0.0005001) bad = 1
        if ($2 != "base") { rel = 100 * magnitude((r[$1, $2] / r[$1, "base"]) / (d[$1, $2] / d[$1, "base"]) - 1); b += rel
            if (magnitude(rel - $8) > 0.0005001) bad = 1 } }
    $2 == "abs_err_mean_pct" { if (magnitude($3 - a / 4) > 0.0005001) bad = 1 }
    $2 == "rel_err_mean_pct" { if (magnitude($3 - b / 2) > 0.0005001) bad = 1 }
    $2 == "speedup" { if ($3 != "3.000") bad = 1; seen = 1 }
    END { exit bad || !seen }' "$pairs/table.tsv" "$WORK/out"
check 'errors and means as an independent count has them' test $? = 0

# --- replays of ours
check 'replays end at the recorded ticks' compare "$pairs" --traces "$WORK" --traces "$TRACES" --systems "$systems" --run --tsv
check 'difference 0 in all of them' test "$(awk -F '\t' 'NF == 10 && $4 == $5 && $6 == 0 && $9 == "ok"' "$WORK/out" | wc -l)" = 4
check 'and without files, by the table alone' env mv "$pairs/triad.small.detailed.txt" "$WORK/kept"
check 'a replay needs no file' compare "$pairs" --traces "$TRACES" --systems "$systems" --run --no-cache
check 'tables for people count, too' test "$(tail -n 1 "$WORK/out")" = '4 passed, 0 failed'
mv "$WORK/kept" "$pairs/triad.small.detailed.txt"
# instruction traces: programs are files
mkdir "$WORK/insn"
cp tests/traces/insn/lackey/exact.lackey.txt "$WORK/insn/lackey"
"$RUBATO" trace pack "$WORK/insn/lackey" -o "$WORK/insn/packed" --quiet
printf 'program\tsystem\tdetailed_ticks\treplay_ticks\n' >"$WORK/insn/table.tsv"
for program in lackey packed; do
    for system in base small; do
        "$RUBATO" replay "$systems/$system.yaml" "$WORK/insn/$program" --quiet --stats "$WORK/stats.txt" 2>/dev/null
        printf '%s\t%s\t%s\t%s\n' $program $system "$(tick "$WORK/stats.txt")" "$(tick "$WORK/stats.txt")" >>"$WORK/insn/table.tsv"
    done
done
check 'instruction traces, replayed' compare "$WORK/insn" --traces "$WORK/insn" --systems "$systems" --run --tsv
check 'they end at the recorded ticks' test "$(awk -F '\t' '$4 > 0 && $4 == $5 && $6 == 0 && $9 == "ok"' "$WORK/out" | wc -l)" = 4

# fails NAME COUNT PATTERN ARGUMENT...: exit code 1, COUNT pairs failed, and a line on stderr says why
fails() {
    local name=$1 count=$2 pattern=$3 code
    shift 3
    compare "$@" --tsv
    code=$?
    if [ $code = 1 ] && tail -n 1 "$WORK/out" | grep -q " $count failed\$" && grep -qE "^rubato: .*$pattern" "$WORK/err" &&
        [ "$(wc -l <"$WORK/err")" = "$count" ]; then
        ok "$name"
    else
        not_ok "$name"
        sed 's/^/    /' "$WORK/out" "$WORK/err"
    fi
}
changed=$WORK/changed
cp -r "$pairs" "$changed"
awk -F '\t' -v OFS='\t' '$1 == "gups" && $2 == "small" { $4++ } { print }' "$pairs/table.tsv" >"$changed/table.tsv"
fails 'a tick beside the table fails its pair' 1 'gups.small.replay.txt: finalTick is [0-9]+, but line 5 of .* says replay_ticks' "$changed"
rm "$changed/gups.small.replay.txt"
fails 'a replay beside the recorded tick, too' 1 'gups on small: our replay ends at tick' "$changed" --traces "$TRACES" --systems "$systems" --run
cp "$pairs/table.tsv" "$pairs/gups.small.replay.txt" "$changed"
rm "$changed/gups.base.detailed.txt"
fails 'a missing file fails its pair' 1 'gups.base.detailed.txt.gz: no such file' "$changed"
head -c 3000 "$changed/triad.base.replay.txt.gz" >"$WORK/half" && mv "$WORK/half" "$changed/triad.base.replay.txt.gz"
cp "$pairs/gups.base.detailed.txt" "$changed"
fails 'a file that breaks off, too' 1 'triad.base.replay.txt.gz: ' "$changed"
mkdir "$WORK/only" && ln -s "$TRACES/gups" "$WORK/only"
fails 'a program without traces' 2 'only/triad: No such file' "$pairs" --traces "$WORK/only" --systems "$systems" --run

# --- tables of other forms
record replay triad base .json
printf 'system\tprogram\treplay_file\tdetailed_file\nbase\ttriad\ttriad.base.replay.json\t%s\n' "$pairs/triad.base.detailed.txt" >"$pairs/mine.tsv"
check 'a table that names files, JSON too' compare "$pairs/mine.tsv" --tsv
check 'its ticks come from the files' test "$(head -n 1 "$WORK/out" | cut -f 1-4)" = \
    "$(printf 'triad\tbase\t%s\t%s' "$(tick "$pairs/triad.base.detailed.txt")" "$(tick "$pairs/triad.base.replay.txt")")"

# --- points of a sweep
printf 'system: %s\ntraces: %s\naxes: {cpu.rob: [base, 64]}\n' "$systems/base.yaml" "$TRACES/triad" >"$WORK/sweep.yaml"
"$RUBATO" sweep "$WORK/sweep.yaml" -o "$pairs/rob.db" >/dev/null 2>&1
printf 'program\tsystem\treplay_file\tdetailed_file\ntriad\tbase\trob.db:1\trob.db:2\n' >"$pairs/points.tsv"
check 'a table that names points of a sweep' compare "$pairs/points.tsv" --tsv
check 'their ticks are those of the replays' test "$(head -n 1 "$WORK/out" | cut -f 1-4)" = \
    "$(printf 'triad\tbase\t%s\t%s' "$(tick "$pairs/triad.base.detailed.txt")" "$(tick "$pairs/triad.base.replay.txt")")"
sed 's/rob.db:2/rob.db:3/' "$pairs/points.tsv" >"$pairs/far.tsv"
fails 'a point that is not there' 1 'rob.db:3: there is no such point' "$pairs/far.tsv"

# --- wrong use
refused 'no folder' 'no DIR was given' "$RUBATO" compare
refused 'a folder that is not there' "$WORK/none: No such file" "$RUBATO" compare "$WORK/none"
refused 'a folder without a table' "only/table.tsv: No such file" "$RUBATO" compare "$WORK/only"
refused 'no such base' 'no system huge' "$RUBATO" compare "$pairs" --base huge
refused '--run without traces' '--run needs --traces' "$RUBATO" compare "$pairs" --run
refused '--no-cache without --run' '--no-cache is for --run' "$RUBATO" compare "$pairs" --no-cache
check 'traces and systems are left alone without --run' compare "$pairs" --traces "$TRACES" --systems "$systems" --tsv

# --- all pairs of the reference
set=$SHARED/oracle/detailed
if [ -d "$set" ] && [ -d "$SHARED/traces/elastic" ]; then
    compare "$set" --tsv
    check 'the reference: its files agree with its table' test $? = 0
    check 'absolute error 16.815 %, relative 3.603 %' test "$(grep _mean_pct "$WORK/out" | cut -f 3 | tr '\n' ' ')" = '16.815 3.603 '
    compare "$set" --traces "$SHARED/traces/elastic" --run
    awk '/^```$/ { inside = 0 } inside { print } /rubato compare .*\$SHARED.* --run$/ { inside = 1 }' docs/accuracy.md >"$WORK/block"
    # but for the times of the host
    check 'docs/accuracy.md has its output' diff <(grep -v '^speed-up' "$WORK/block") <(sed 's/ *$//; /^speed-up/d' "$WORK/out")
    compare "$set" --traces "$SHARED/traces/elastic" --run --tsv
    pairs_of compare "$WORK/out"
    check 'replays: 60 passed, 0 failed' test "$(tail -n 1 "$WORK/out")" = '60 passed, 0 failed'
else
    skip "the reference's pairs (4): no $set"
fi
exit $failures
