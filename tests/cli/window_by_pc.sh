#!/usr/bin/env bash
# tests/tools/window_truth: replays with --model window against the detailed core, pc by pc, on bundled programs; that damaged listings
# and traces of something else are seen.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

tool=$BUILD/tests/tools/window_truth
[ -x "$tool" ] || { not_ok "there is no $tool; make tests builds it"; exit 1; }
replay() { "$RUBATO" replay detailed/base "$@" --no-cache --quiet 2>"$WORK/messages"; }
captured() {
    replay "tests/traces/detailed/$1.rbt" --model detailed --probe "$WORK/$1" --pipeline "$WORK/$1.truth.tsv" &&
        replay "$WORK/$1" --model window --pipeline "$WORK/$1.window.tsv"
}
compared() { "$tool" "$@" >"$WORK/said" 2>"$WORK/messages"; }
value() { awk -F'\t' -v name="$1" '$1 == "value" && $2 == name { print $3 }' "$WORK/said"; }
within() {    # NAME VALUE LEAST MOST
    check "$1" awk -v value="$(value "$2")" -v least="$3" -v most="$4" 'BEGIN { exit value == "" || value < least || value > most }'
}

shares() {    # KERNEL PAIRED CLASS SOURCES MISPREDICTED: least percentages, measured ones less a percent
    check "$1: both models" captured "$1"
    check "$1: a comparison" compared --at-least 50 "$WORK/$1.truth.tsv" "$WORK/$1.window.tsv" "$WORK/$1/deptrace.proto.gz"
    within "$1: micro-ops are paired" paired_pct "$2" 100
    within "$1: classes are right" recorded_class_pct "$3" 100
    within "$1: so are sources of records" recorded_sources_pct "$4" 100
    within "$1: and those of mispredicted branches" mispredicted_sources_pct "$5" 100
}
shares sort 87 99 94 50
within 'sort: most pcs complete in time' complete_within 9 99
check 'sort: the worst pcs are listed' grep -q "^[0-9a-f]*.mispredicted.*[0-9a-f]$" "$WORK/said"
shares matrix 98 95 99 13
shares hash 95 99 98 99
check 'hash: both pcs complete and refill in time' test "$(value pcs) $(value complete_within) $(value refill_within)" = '2 2 2'
check 'mispredictions are those of the truth, within 2 %' awk -v truth="$(value true_mispredictions)" -v window="$(value mispredictions)" \
    'BEGIN { exit !(window >= truth * 0.98 && window <= truth * 1.02) }'

# What is wrong is seen.
late() { awk -F'\t' -v OFS='\t' -v pc="$1" -v stage="$2" 'NR > 1 && $3 == pc { for (i = stage; i <= 18; i++) $i += $i == "-" ? 0 : 10 } 1' \
    "$WORK/hash.window.tsv" >"$WORK/late.tsv"; }
branch=$(awk -F'\t' '$1 == "mispredictions of a pc, truth and window" { getline; getline; print $1; exit }' "$WORK/said")
check 'a branch that completes ten cycles late' late "$branch" 17
check 'compared' compared --at-least 50 "$WORK/hash.truth.tsv" "$WORK/late.tsv"
check 'is not within 3 cycles' test "$(value complete_within)" = 1
check 'its line is marked' grep -q "^$branch.* \*" "$WORK/said"
check 'with a bound of 12 cycles' compared --at-least 50 --within 13 "$WORK/hash.truth.tsv" "$WORK/late.tsv"
check 'it is' test "$(value complete_within)" = 2
check 'the truth beside itself' compared --at-least 50 "$WORK/hash.truth.tsv" "$WORK/hash.truth.tsv"
check 'has no pc apart' test -z "$(grep ' \*' "$WORK/said")"
check 'the trace of another program' compared "$WORK/hash.truth.tsv" "$WORK/hash.window.tsv" "$WORK/matrix/deptrace.proto.gz"
within 'cannot be paired' paired_pct 0 50
fails() { "$tool" "$@" >"$WORK/said" 2>"$WORK/messages"; [ $? = 2 ]; }
check 'a table without stages' fails tests/cli/README.md "$WORK/hash.window.tsv"
check 'is named' grep -q 'no column seq' "$WORK/messages"
check 'no listing' fails
exit $failures
