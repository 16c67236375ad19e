#!/usr/bin/env bash
# make bench and make bench-check: a table and JSON whose figures follow from each other; more instructions are found out.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

# ---- the table
if RUNS=1 INSTRUCTIONS=none SHARED=$WORK/none tests/bench/programs.sh --json "$WORK/bench.json" tests/traces >"$WORK/table" 2>"$WORK/stderr"; then
    ok 'bench.sh measures the bundled programs'
else
    not_ok 'bench.sh measures the bundled programs'
    cat "$WORK/stderr"
fi
for program in gups qsort triad; do check "a line for $program" grep -q "^$program " "$WORK/table"; done
member() { awk -v name="\"$2\":" -v value="\"$3\":" '$1 == name { inside = 1 } inside && $1 == value { gsub(/[",]/, "", $2); print $2; exit }' "$1"; }
triad() { member "$WORK/bench.json" triad "$1"; }
check 'times gem5 = gem5_over_zcat x zcat / rubato' awk -v ratio="$(triad gem5_over_zcat)" -v zcat="$(triad zcat_cpu_s)" \
    -v store="$(triad store_cpu_s)" -v speedup="$(triad store_speedup)" \
    'BEGIN { d = ratio * zcat / store - speedup; exit !(speedup > 0 && d < 0.001 && d > -0.001) }'
mean=$(awk '/^(gups|qsort|triad) / { sum += log($7); n++ } END { printf "%.2f", exp(sum / n) }' "$WORK/table")
check "the mean is the geometric one, $mean" awk -v mean="$mean" \
    '/^geometric mean/ { d = $4 - mean; exit !(d < 0.03 && d > -0.03) }' "$WORK/table"
check 'JSON keys are sorted' sort -c <(sed -n 's/^  "\([a-z_]*\)".*/\1/p' "$WORK/bench.json")
if command -v python3 >/dev/null; then
    check 'JSON reads as JSON' python3 -c 'import json, sys; json.load(open(sys.argv[1]))["programs"]["triad"]["records"]' "$WORK/bench.json"
else
    skip 'JSON reads as JSON: there is no python3'
fi

# ---- the GPU
check 'a line for the bundled GPU traces' grep -qE '^gcn3-fir +6272 +[0-9]+ +[0-9]+ +- +[0-9.]+ +[0-9.]+ +- +-$' "$WORK/table"
fir() { member "$WORK/bench.json" gcn3-fir "$1"; }
check 'its warp instructions in the JSON' test "$(fir warp_insts)" = 6272
check 'a second = warp instructions / seconds' awk -v insts=6272 -v seconds="$(fir text_user_s)" -v rate="$(fir text_warp_insts_per_s)" \
    'BEGIN { d = rate * (seconds > 0 ? seconds : 0.001) / insts - 1; exit !(rate > 0 && d < 0.001 && d > -0.001) }'
mkdir "$WORK/known"
cp -r tests/traces/gpu/gcn3-fir "$WORK/known/turing-2stream"
RUNS=1 tests/bench/gpu.sh "$WORK/known/turing-2stream/" >"$WORK/gpu_table" 2>"$WORK/stderr"
check "goal and Accel-Sim's figures" grep -qE '^turing-2stream .* 250 .* 18\.4-21\.5 +171$' "$WORK/gpu_table"
check 'a set that is not there fails' bash -c "! RUNS=1 tests/bench/gpu.sh '$WORK/missing' >'$WORK/gpu_table' 2>&1"

# ---- the yardstick
if [ -f "$SHARED/oracle/speed.tsv" ]; then
    rows() { awk -F '\t' -v column="$2" '!/^#/ { print $1, $column }' "$1"; }
    check 'gem5_over_zcat as the reference has it' cmp -s <(rows tests/bench/gem5_over_zcat.tsv 2) <(rows "$SHARED/oracle/speed.tsv" 8)
else
    skip 'gem5_over_zcat as the reference has it: there is no such file'
fi

# ---- instructions a record
judged() {    # NAME CODE PATTERN BASELINE [FIGURES]: bench_check.sh ends with CODE and says PATTERN
    local code
    tests/bench/check.sh "${@:4}" >"$WORK/judged" 2>&1
    code=$?
    if [ "$code" = "$2" ] && grep -q -- "$3" "$WORK/judged"; then ok "$1"; else not_ok "$1"; sed 's/^/    /' "$WORK/judged"; fi
}
scaled() { awk -F '\t' -v by="$1" 'NF == 2 && $1 != "compiler" { printf "%s\t%.3f\n", $1, by * $2; next } { print }' tests/bench/baseline.tsv; }
scaled 1.04 >"$WORK/risen"
scaled 1.02 >"$WORK/nearly"
scaled 0.5 >"$WORK/fallen"
sed 's/^compiler.*/compiler\tother 1/' tests/bench/baseline.tsv >"$WORK/other"
sed '/^triad/d' tests/bench/baseline.tsv >"$WORK/short"
judged 'a rise of 4 % fails' 1 '^not ok triad: .*+4.00 %; at most +3 %' tests/bench/baseline.tsv "$WORK/risen"
judged 'one of 2 % does not' 0 '^ok triad: ' tests/bench/baseline.tsv "$WORK/nearly"
judged 'half of them is fine' 0 '^ok triad: .*-50.00 %' tests/bench/baseline.tsv "$WORK/fallen"
judged 'a program that is missing fails' 1 '^not ok triad: ' tests/bench/baseline.tsv "$WORK/short"
judged 'another compiler does not compare' 0 '^skip instructions a record (3): ' tests/bench/baseline.tsv "$WORK/other"

# The same with counts of this build: a baseline that is 4 % too low is not kept.
if ! command -v valgrind >/dev/null || nm "$RUBATO" | grep -q __asan_init; then
    skip 'this build against a baseline (2): no valgrind, or a build with sanitizers'
else
    tests/bench/check.sh --write "$WORK/own" >"$WORK/log" 2>&1 || cat "$WORK/log"
    awk -F '\t' '$1 == "triad" { printf "triad\t%.1f\n", $2 / 1.04; next } { print }' "$WORK/own" >"$WORK/doctored"
    judged 'this build against itself' 0 '^ok triad: .*+0.00 %' "$WORK/own"
    judged 'this build against a baseline 4 % lower' 1 '^not ok triad: ' "$WORK/doctored" "$WORK/own"
fi
