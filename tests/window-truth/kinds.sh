#!/usr/bin/env bash
# What `compare --run --model window` says to expect, held to pairs: kinds.sh --keep DIR PAIRS
# PAIRS is what `pairs.sh --keep DIR` printed. A line a kind and half: pairs, programs, least and most error, and what is expected; then
# how many pairs of each half lie within. Ranges are chosen by the unseen half (docs/window.md).
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

[ $# = 3 ] && [ "$1" = --keep ] || { echo "usage: kinds.sh --keep DIR PAIRS" >&2; exit 2; }
keep=$2 pairs=$3 tool=$BUILD/tests/tools/window_kinds
[ -x "$tool" ] || { echo "kinds.sh: there is no $tool; make test_tools builds it" >&2; exit 2; }
awk -F'\t' 'NF >= 6 && $4 ~ /^[+-]/ { print $1 "\t" $2 "\t" $3 "\t" $4 }' "$pairs" >"$WORK/pairs"
[ -s "$WORK/pairs" ] || { echo "kinds.sh: $pairs has no pairs; give what pairs.sh printed" >&2; exit 2; }
cut -f2,3 "$WORK/pairs" | while IFS=$'\t' read -r program system; do printf '%s/%s.%s.window.txt\n' "$keep" "$program" "$system"; done |
    xargs "$tool" >"$WORK/kinds" || exit 2
paste "$WORK/pairs" "$WORK/kinds" | awk -F'\t' '
    {
        key = $6 "\t" $1; at = $4 + 0; pairs[key]++; expected[key] = $7 " to " $8
        if (pairs[key] == 1 || at < least[key]) { least[key] = at; lowest[key] = $2 "." $3 }
        if (pairs[key] == 1 || at > most[key]) { most[key] = at; highest[key] = $2 "." $3 }
        if (!seen[key, $2]++) programs[key]++
        all[$1]++
        within[$1] += at >= $7 && at <= $8
    }
    END {
        print "kind\thalf\tpairs\tprograms\tleast\tof\tmost\tof\texpected"
        for (key in pairs)
            printf("%s\t%d\t%d\t%+.2f\t%s\t%+.2f\t%s\t%s\n", key, pairs[key], programs[key], least[key], lowest[key], most[key],
                   highest[key], expected[key]) | "sort"
        close("sort")
        for (half in all)
            printf("%s: %d of %d pairs within what is expected\n", half, within[half], all[half])
    }'
