#!/usr/bin/env bash
# Does a replay from a store take more instructions a record than it did? check.sh [BASELINE] [FIGURES] counts the bundled
# programs on configs/wide.yaml with callgrind, which gives the same number every time, and fails for each that rose by more than 3 %
# over BASELINE (tests/bench/baseline.tsv). With FIGURES, a file like BASELINE, it counts nothing and judges those.
# check.sh --write FILE: counts and writes such a file. Numbers of different compilers do not compare: skipped then.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/instructions.sh
need_rubato

programs=(gups qsort triad)
limit_percent=3

count_all() {    # FILE
    local program records figure
    counter=callgrind
    {
        echo '# Instructions a record of `rubato replay configs/wide.yaml STORE`, start-up taken off; made by `make bench-baseline`.'
        printf 'compiler\t%s\n' "$(compiler_kind)"
        for program in "${programs[@]}"; do
            records=$("$RUBATO" trace pack "tests/traces/$program" -o "$WORK/store" | sed -n 's/.*: \([0-9]*\) records, .*/\1/p')
            figure=$(instructions_a_record "$records" "$RUBATO" replay configs/wide.yaml "$WORK/store" --quiet) || return 1
            printf '%s\t%s\n' "$program" "$figure"
        done
    } >"$1"
}

value() { awk -F '\t' -v name="$2" '$1 == name { print $2; exit }' "$1"; }    # FILE NAME

is_writing=
if [ "${1:-}" = --write ]; then is_writing=yes && shift; fi
baseline=${1:-tests/bench/baseline.tsv}
figures=${2:-}

if [ -z "$figures" ] && ! command -v valgrind >/dev/null; then
    skip "instructions a record (${#programs[@]}): there is no valgrind to count them"
    exit 0
fi
if [ -n "$is_writing" ]; then
    count_all "$WORK/counted" && cp "$WORK/counted" "$baseline" && exit 0
    not_ok 'counting instructions'
    exit 1
fi
kind=$(if [ -n "$figures" ]; then value "$figures" compiler; else compiler_kind; fi)
if [ "$kind" != "$(value "$baseline" compiler)" ]; then
    skip "instructions a record (${#programs[@]}): built with $kind, the baseline with $(value "$baseline" compiler)"
    exit 0
fi
if nm "$RUBATO" 2>/dev/null | grep -q '__asan_init'; then
    skip "instructions a record (${#programs[@]}): a build with sanitizers"
    exit 0
fi
if [ -z "$figures" ]; then
    figures=$WORK/figures
    count_all "$figures" || { not_ok 'counting instructions'; exit 1; }
fi

for program in "${programs[@]}"; do
    now=$(value "$figures" "$program") before=$(value "$baseline" "$program")
    change=$(awk -v now="$now" -v before="$before" 'BEGIN { if (now > 0 && before > 0) printf "%+.2f", 100 * (now / before - 1) }')
    line="$program: $now instructions a record, $before in the baseline, $change %"
    if [ -n "$change" ] && awk -v change="$change" -v limit="$limit_percent" 'BEGIN { exit !(change <= limit) }'; then
        ok "$line"
    else
        not_ok "$line; at most +$limit_percent % expected (make bench-baseline keeps a rise that has its reason)"
    fi
done
exit $failures
