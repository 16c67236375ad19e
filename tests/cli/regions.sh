#!/usr/bin/env bash
# rubato regions, and replay of what it writes: parts of a trace stand for all of it.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
cp "$TRACES/detailed/sort.rbt" "$WORK" || exit 1
cd "$WORK" || exit 1

plain=(--model detailed --set cpu.wrongPathValues=no)
value() { awk -v name="\"$2\":" '$1 == name { sub(/,$/, "", $2); value = $2; print value; exit }' "$1"; }
near() { awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { off = a / b - 1; exit !(b > 0 && off <= most && off >= -most) }'; }

# ---- --skip
"$RUBATO" trace cut sort.rbt --records 30000: -o cut.rbt >said
"$RUBATO" replay detailed/base cut.rbt "${plain[@]}" --quiet --stats cut.txt --set cpu.wrongPath=no
"$RUBATO" replay detailed/base sort.rbt "${plain[@]}" --quiet --stats skipped.txt --skip 30000 --set cpu.wrongPath=no
check 'skip: as a trace that is cut there' cmp <(sed /host/d cut.txt) <(sed /host/d skipped.txt)
refused 'skip: beyond the end' 'the trace ends [0-9]+ instructions before the part' "$RUBATO" replay detailed/base sort.rbt "${plain[@]}" --skip 100M
refused 'skip: of elastic traces' '--skip is for instruction traces' "$RUBATO" replay default "$TRACES/triad" --skip 10

# ---- choosing
"$RUBATO" regions sort.rbt --interval 2k --warmup 10k --phases 4 --regions 12 >said
check 'regions: says what it chose' eval 'grep -qE "^regions +[0-9]+, stratified, in [0-9]+ strat(um|a): sort.regions$" said && grep -q "^trace	sort.rbt$" sort.regions'
"$RUBATO" regions sort.rbt --interval 2k --warmup 10k --phases 4 --regions 12 -o again.regions --quiet
check 'regions: the same again' cmp sort.regions again.regions
"$RUBATO" regions sort.rbt --interval 2k --warmup 10k --phases 4 --regions 12 -o other.regions --quiet --seed 1
check 'regions: others of another seed' eval '! cmp -s sort.regions other.regions'
"$RUBATO" regions sort.rbt --interval 2k --phases 4 --method simpoint -o simpoint.regions --quiet
check 'regions: SimPoint has one a stratum' test "$(grep -c ^stratum simpoint.regions)" = "$(grep -c ^region simpoint.regions)"

# An .rbt is read in runs, other formats by instruction.
"$RUBATO" trace convert sort.rbt --to drmemtrace -o sort.trace --quiet
for interval in 50 2k; do
    for name in sort.rbt sort.trace; do
        "$RUBATO" regions $name --interval $interval --method simpoint -o $name.regions --quiet
    done
    check "regions: the same of a trace without runs, by $interval" eval 'cmp <(sed "/^trace/d; /^mark/d" sort.rbt.regions) <(sed "/^trace/d; /^mark/d" sort.trace.regions)'
done

# ---- what SimPoint itself has chosen
printf '3 0\n40 1\n' >points && printf '0.25 1\n0.75 0\n' >weights
"$RUBATO" regions sort.rbt --interval 2k --warmup 4k --simpoints points --weights weights -o given.regions --quiet
check 'SimPoint: its intervals, its weights' eval 'grep ^region given.regions | cut -f 2-5 | cmp - <(printf "2000\t4000\t2000\t0.75\n76000\t4000\t2000\t0.25\n")'
"$RUBATO" replay detailed/base given.regions "${plain[@]}" --quiet --summary given.json
check 'SimPoint: they run' eval 'grep -q "\"method\": \"given\"" given.json'
refused 'SimPoint: one file of two' '--simpoints without --weights' "$RUBATO" regions sort.rbt --simpoints points
bad_points() { printf "$2" >bad && refused "SimPoint: $1" "$3" "$RUBATO" regions sort.rbt --interval 2k --simpoints "${4:-bad}" --weights "${5:-weights}" -o no.regions; }
bad_points 'an interval that the trace has not' '3 0\n400 1\n' 'bad: line 2: interval 400; expected a number from 0 to 58'
bad_points 'a cluster twice' '3 0\n4 0\n' 'bad: line 2: cluster 0; expected one that no line before has'
bad_points 'one field' '3\n' 'bad: line 1: fewer than two fields'
bad_points 'weights that are too low' '0.25 1\n0.5 0\n' 'weights add up to 0.750000; expected 1' points bad
bad_points 'a cluster without weight' '1 1\n' 'no weight of cluster 0' points bad
bad_points 'a weight above 1' '1.5 1\n' 'bad: line 1: weight 1.5; expected a number from 0 to 1' points bad

# ---- running: all intervals, each after all that is before it, are the whole run but for what is in flight at their borders
"$RUBATO" regions sort.rbt --interval 5k --warmup 100M --method systematic --regions 100k -o all.regions --quiet
"$RUBATO" replay detailed/base sort.rbt "${plain[@]}" --quiet --summary whole.json
"$RUBATO" replay detailed/base all.regions "${plain[@]}" --quiet --summary all.json
# The last interval, which is a short one, is no region.
for metric in cpi branch.mpki l1d.mpki l2.mpki time_ms; do
    check "all regions: $metric is that of the whole" near "$(value all.json $metric)" "$(value whole.json $metric)" 0.03
done
"$RUBATO" replay detailed/base sort.regions "${plain[@]}" --summary one.json -j 1 >one
"$RUBATO" replay detailed/base sort.regions "${plain[@]}" --summary many.json -j 3 >many
check 'the same for any number at a time' eval 'cmp one.json many.json && cmp <(sed /replayed/d one) <(sed /replayed/d many)'
"$RUBATO" replay detailed/base sort.regions "${plain[@]}" --quiet --summary plain.json --engine plain
check 'the same with both engines' cmp one.json plain.json
"$RUBATO" replay detailed/base all.regions "${plain[@]}" --quiet --summary cores.json --set cores=2
"$RUBATO" replay detailed/base sort.rbt "${plain[@]}" --quiet --summary whole_cores.json --set cores=2
check 'a system of two cores: cpi is that of the whole' near "$(value cores.json cpi)" "$(value whole_cores.json cpi)" 0.03
check 'metrics have intervals' eval 'grep -qE "^cpi +[0-9.]+ ± [0-9.]+ cycles$" one'
"$RUBATO" replay detailed/base sort.regions "${plain[@]}" --quiet --summary sure.json --confidence 99
half() { awk '/"intervals"/ { on = 1 } on && $1 == "\"cpi\":" { sub(/,$/, "", $2); print $2; exit }' "$1"; }
check 'more confidence: a wider interval' awk -v a="$(half one.json)" -v b="$(half sure.json)" 'BEGIN { exit !(b > 1.1 * a && a > 0) }'
"$RUBATO" replay detailed/base simpoint.regions "${plain[@]}" >simple
check 'SimPoint: says why it has none' eval 'grep -q "^intervals +none" -E simple && grep -qE "^cpi +[0-9.]+ cycles$" simple'

# ---- bad input
refused 'regions: of elastic traces' 'triad' "$RUBATO" regions "$TRACES/triad"
refused 'regions: too few intervals' 'fewer than two intervals' "$RUBATO" regions sort.rbt --interval 100M -o no.regions
check 'nothing is written then' test ! -e no.regions
refused 'regions: unknown method' 'expected simpoint, systematic or stratified' "$RUBATO" regions sort.rbt --method best
refused 'regions: no trace' 'no trace was given' "$RUBATO" regions
refused 'regions: of no instructions' '--interval 0; expected 1 at least' "$RUBATO" regions sort.rbt --interval 0
refused 'regions: intervals that are too long' 'expected 2\^40 at most' "$RUBATO" regions sort.rbt --interval 2000G
refused 'regions: too many phases' '--phases 5000; expected 1 to 1000' "$RUBATO" regions sort.rbt --phases 5000
refused 'replay: an elastic core' 'add --model detailed' "$RUBATO" replay default sort.regions
refused 'replay: options of whole runs' '--warmup is not for regions' "$RUBATO" replay detailed/base sort.regions "${plain[@]}" --warmup 10
refused 'replay: a confidence that is none' '--confidence 100; expected a percentage' "$RUBATO" replay detailed/base sort.regions "${plain[@]}" --confidence 100
sed 's/^region	\([0-9]*\)	/region	\1x	/' sort.regions >damaged.regions
refused 'replay: a damaged file' 'damaged.regions: line [0-9]+: first .*; expected a whole number' "$RUBATO" replay detailed/base damaged.regions "${plain[@]}"
mkdir there && cp sort.regions there && cp "$TRACES/detailed/hash.rbt" there/sort.rbt
refused 'replay: of another trace' 'its regions are of another trace' "$RUBATO" replay detailed/base there/sort.regions "${plain[@]}"
rm there/sort.rbt
refused 'replay: without its trace' 'sort.rbt: cannot be read' "$RUBATO" replay detailed/base there/sort.regions "${plain[@]}"
exit $failures
