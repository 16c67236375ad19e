#!/usr/bin/env bash
# rubato regions --error: a pilot says how many regions an interval of confidence asks for.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
cp "$TRACES/detailed/sort.rbt" "$WORK" || exit 1
cd "$WORK" || exit 1

usual=(--interval 500 --warmup 2k --phases 4 --system detailed/base)
count() { grep -c ^region "$1"; }
half() { awk '/"metrics"/ { on = 1 } /"intervals"/ { on = 2 } $1 == "\"cpi\":" { sub(/,$/, "", $2); v[on] = $2 } END { print v[2] / v[1] }' "$1"; }

"$RUBATO" regions sort.rbt "${usual[@]}" --error 5% >said
check 'error: says what the pilot found' eval 'grep -qE "^pilot +[0-9]+ regions on detailed/base: cpi [0-9.]+ ± [0-9.]+ %, 95 % confidence$" said && grep -qE "^needed +[0-9]+ regions for ± 5 %$" said'
check 'error: as many regions as it says' eval 'test "$(awk "/^needed/ { print \$2 }" said)" = "$(count sort.regions)"'
check 'error: nothing of the pilot is left' eval '! ls | grep -q pilot'
"$RUBATO" replay detailed/base sort.regions --model detailed --set cpu.wrongPathValues=no --quiet --summary five.json
check 'error: the interval is as narrow, within what a pilot can know' awk -v half="$(half five.json)" 'BEGIN { exit !(half > 0.02 && half < 0.08) }'
"$RUBATO" regions sort.rbt "${usual[@]}" --error 5% -o again.regions --quiet
check 'error: the same again' cmp sort.regions again.regions
"$RUBATO" regions sort.rbt "${usual[@]}" --error 10% -o ten.regions --quiet
check 'error: fewer for a wider interval' test "$(count ten.regions)" -lt "$(count sort.regions)"
"$RUBATO" regions sort.rbt "${usual[@]}" --error 10% --confidence 99.9% -o sure.regions --quiet
check 'error: more for more confidence' test "$(count sure.regions)" -gt "$(count ten.regions)"
"$RUBATO" regions sort.rbt "${usual[@]}" --error 20% --method systematic -o even.regions --quiet --keep 0
check 'error: systematic ones' eval 'grep -q "^method	systematic$" even.regions && test "$(count even.regions)" -gt 1'
"$RUBATO" regions sort.rbt "${usual[@]}" --error 0.001% -o all.regions >said
check 'error: more than there are' eval 'grep -q "regions for ± 0.001 %, all intervals; shorter ones" said'

refused 'error: no percentage' '--error 1; expected a percentage above 0 with its sign' "$RUBATO" regions sort.rbt --error 1
refused 'error: with a number of regions' 'expected one of both' "$RUBATO" regions sort.rbt --error 1% --regions 5
refused 'error: SimPoint' 'one region a phase and so no error; give --method stratified' "$RUBATO" regions sort.rbt --error 1% --method simpoint
refused 'error: regions of others' 'another tool has chosen' "$RUBATO" regions sort.rbt --error 1% --pinpoints x.csv
refused 'error: confidence' '--confidence 100; expected' "$RUBATO" regions sort.rbt --error 1% --confidence 100
refused 'system without an error' 'give --error, too' "$RUBATO" regions sort.rbt --system core/zen4
refused 'error: a system that is none' 'nosuch' "$RUBATO" regions sort.rbt --error 1% --system nosuch
refused 'error: a GPU' 'has no detailed cores' "$RUBATO" regions sort.rbt --error 1% --system h100
refused 'capture: an error without regions' '--error is for regions; give --regions, too' "$RUBATO" capture --error 1% -- true
refused 'capture: SimPoint has no error' 'one region a phase' "$RUBATO" capture --regions --error 1% --method simpoint -- true
refused 'capture: a system that is none' 'nosuch' "$RUBATO" capture --regions --error 1% --system nosuch -- true
exit $failures
