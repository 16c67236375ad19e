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

# ---- what PinPoints or LoopPoint has chosen: by instructions, or by pcs and how often each was executed
printf '# of a script\ncomment,thread-id,region-id,simulation-region-start-icount,simulation-region-end-icount,region-weight\n%s\n%s\n' \
    'cluster 0 from slice 3,0,1,6000,8000,0.75' 'cluster 1 from slice 40,0,2,80000,82000,0.25,29000' >points.csv
"$RUBATO" regions sort.rbt --warmup 4k --pinpoints points.csv -o counts.regions --quiet
check 'PinPoints: by instructions' eval 'grep ^region counts.regions | cut -f 2-5 | cmp - <(printf "2000\t4000\t2000\t0.75\n76000\t4000\t2000\t0.25\n")'
# place N: the pc of instruction N, and how often it has been executed by then
place() { "$RUBATO" trace dump sort.rbt 2>/dev/null | awk -v n="$1" '!/^#/ { count[$2]++; if (at++ == n) { print $2 "," count[$2]; exit } }'; }
by_pc() {    # BEGIN END WEIGHT: a line of the long form
    local begin end
    begin=$(place "$1") end=$(place "$2")
    printf 'cluster from slice,global,1,%s,sort,0x1,%s,%s,sort,0x2,%s,7,2000,%s,1.0,simulation\n' "${begin%,*}" "${begin#*,}" "${end%,*}" "${end#*,}" "$3"
}
{ by_pc 6000 8000 0.75; echo 'Warmup for regionid 2,0,2,0x1,sort,0x1,5,0x2,sort,0x2,9,7,2000,0.5,1.0,warmup'; by_pc 80000 82000 0.25; } >pcs.csv
for name in sort.rbt sort.trace; do
    "$RUBATO" regions $name --warmup 4k --pinpoints pcs.csv -o pcs.regions --quiet
    check "PinPoints: by pcs, of $name" eval 'cmp <(grep ^region pcs.regions) <(grep ^region counts.regions)'
done
bad_csv() { printf "$2" >bad.csv && refused "PinPoints: $1" "$3" "$RUBATO" regions sort.rbt --pinpoints bad.csv -o no.regions; }
bad_csv 'a region behind the end' 'c,0,1,6000,600000,1\n' 'bad.csv: line 1: ends at instruction 600000; the trace has 117795'
bad_csv 'a pc of another program' 'c,0,1,0x10,i,0,3,0x20,i,0,4,1,10,1,1,simulation\n' 'line 1: begins at execution 3 of 0x10, which the trace does not reach'
bad_csv 'an end before the beginning' 'c,0,1,6000,5000,1\n' 'line 1: ends at instruction 5000, and begins at 6000'
bad_csv 'weights that are too low' 'c,0,1,6000,8000,0.5\n' 'weights add up to 0.500000; expected 1'
bad_csv 'another thread' 'c,3,1,6000,8000,1\n' 'line 1: thread 3; expected 0 or global'
bad_csv 'too few fields' 'c,0,1\n' 'line 1: 3 fields; expected 6, 7 or 16'
bad_csv 'no region' '# nothing\n' 'no region; expected one at least'
refused 'PinPoints: and SimPoint' 'expected one of both' "$RUBATO" regions sort.rbt --pinpoints points.csv --simpoints points --weights weights

# ---- a trace of the regions alone
four() { "$RUBATO" regions "$1" --interval 500 --warmup 500 --method systematic --regions 4 --quiet -o "$2".regions "${@:3}"; }
four sort.rbt whole && four sort.rbt part --cut part.rbt
for name in whole part; do "$RUBATO" replay detailed/base $name.regions "${plain[@]}" --quiet --summary $name.json; done
check 'cut: regions run as in the whole trace' eval 'cmp whole.json part.json && test "$(cut -f 1,3- part.regions | grep ^region)" = "$(cut -f 1,3- whole.regions | grep ^region)"'
check 'cut: it has no more than the regions and what is fetched behind' eval '"$RUBATO" trace info part.rbt | awk "\$1 == \"instructions\" { n = \$2 + 0 } END { exit !(n > 4000 && n <= 4 * 9192) }"'
# part TRACE SET N: what region N and its warm-up are in the trace
part() { local first; first=$(grep ^region "$2".regions | sed -n "$3p" | cut -f 2); "$RUBATO" trace cut "$1" --records "$first:$((first + 1000))" -o one.rbt >said && "$RUBATO" trace dump one.rbt | grep -v '^#'; }
cp "$TRACES/field/calls_x86.rbt" calls.rbt && four calls.rbt calls && four calls.rbt calls_part --cut calls_part.rbt
check 'cut: accesses that follow from others keep their addresses' eval 'for i in 1 2 3 4; do part calls.rbt calls $i >one && part calls_part.rbt calls_part $i | cmp - one && test -s one || break; done && test $i = 4'
refused 'capture --regions: a method that regions does not have, before the program runs' '--method foo; expected simpoint' \
    "$RUBATO" capture --regions --method foo -- true
if command -v qemu-x86_64 >/dev/null 2>&1 && [ "$(uname -m)" = x86_64 ]; then
    "$RUBATO" capture -o true.rbt --quiet -- /bin/true && four true.rbt true && four true.rbt true_part --cut true_part.rbt
    check 'cut: the same of a capture' eval 'for i in 1 2 3 4; do part true.rbt true $i >one && part true_part.rbt true_part $i | cmp - one && test -s one || break; done && test $i = 4'
    "$RUBATO" capture --regions --interval 20k --warmup 1k --method systematic -o left.rbt --quiet -- /bin/true
    check 'capture --regions: the regions, and no whole trace' eval 'grep -q "^trace	left.rbt$" left.regions && test -s left.rbt && test ! -e left.whole.rbt && grep -q "^method	systematic$" left.regions'
    "$RUBATO" capture --regions --interval 100M -o long.rbt --quiet -- /bin/true 2>said
    check 'capture --regions: intervals longer than the program' test $? = 2
    check 'then the whole trace is there' eval 'grep -q "fewer than two intervals" said && grep -q "the whole trace is in long.whole.rbt" said && test -s long.whole.rbt && ! test -e long.rbt'
else
    skip 'captures of regions (4): no qemu-x86_64, or another processor'
fi
refused 'capture: options of regions alone' 'give --regions, too' "$RUBATO" capture --interval 2k -- /bin/true
refused 'cut: into the trace itself' 'is an input' "$RUBATO" regions sort.rbt --cut sort.rbt
refused 'cut: into another kind of file' 'the output is an instruction trace, not compressed' "$RUBATO" regions sort.rbt --interval 2k --cut part.xz

# ---- traces with weights
cp "$TRACES/detailed/hash.rbt" . && "$RUBATO" trace convert hash.rbt --to champsim -o hash.champsim.xz --quiet
traces() { printf '# parts\nregions:\n  files: [sort.rbt, hash.champsim.xz]\n  weights: [%s]\n  warmup: 20k\n  instructions: 30k\n%s' "$1" "${2:-}"; }
traces '0.25, 0.75' >set.yaml
"$RUBATO" replay detailed/base set.yaml "${plain[@]}" --quiet --summary set.json
cpi_of() { "$RUBATO" replay detailed/base "$1" "${plain[@]}" --warmup 20k --records 50k --quiet --stats - | awk '/^system.cpu.numCycles/ { cycles = $2 } /^system.cpu.commitStats0.numInsts/ { insns = $2 } END { printf "%.9f", cycles / insns }'; }
check 'traces with weights: the weighted mean' near "$(value set.json cpi)" "$(awk -v a="$(cpi_of sort.rbt)" -v b="$(cpi_of hash.champsim.xz)" 'BEGIN { printf "%.9f", a / 4 + b * 3 / 4 }')" 1e-5
traces '0.25, 0.75' '  program: 1M' >long.yaml
"$RUBATO" replay detailed/base long.yaml "${plain[@]}" --quiet --summary long.json
check 'traces with weights: counts are those of the program' near "$(value long.json time_ms)" "$(awk -v a="$(value set.json time_ms)" 'BEGIN { print a * 1e6 / 6e4 }')" 1e-5
printf 'system: detailed/base\ntraces: [set.yaml]\nset: {cpu.model: detailed, cpu.wrongPathValues: no}\naxes:\n  cpu.issueWidth: [4, 8]\n' >sweep.yaml
"$RUBATO" sweep sweep.yaml -o swept.db >said
"$RUBATO" replay detailed/base set.yaml "${plain[@]}" --quiet --summary four.json --set cpu.issueWidth=4
check 'traces with weights: a point of a sweep is what a replay says' near "$("$RUBATO" results swept.db --columns cpi --tsv | sed -n 2p)" "$(value four.json cpi)" 1e-3
bad_set() { printf "$2" >bad.yaml && refused "traces with weights: $1" "$3" "$RUBATO" replay detailed/base bad.yaml "${plain[@]}"; }
bad_set 'that do not add up to 1' "$(traces '0.25, 0.7')" 'bad.yaml: line 4: weights add up to 0.950000; expected 1'
bad_set 'fewer than files' "$(traces '1')" 'line 4: weights: 1 of them; expected 2'
bad_set 'a weight above 1' "$(traces '0.25, 75')" 'line 4: weight 75; expected a number above 0'
bad_set 'an unknown key' "$(traces '0.25, 0.75' '  length: 3')" 'line 7: key length; expected files, weights'
bad_set 'no length' 'regions:\n  files: [sort.rbt]\n  weights: [1]\n' 'instructions is missing'
bad_set 'a file that is not there' 'regions:\n  files: [gone.rbt]\n  weights: [1]\n  instructions: 10k\n' 'gone.rbt: cannot be read'
bad_set 'no YAML' 'regions:\n  files: [sort.rbt\n' 'not valid YAML'

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
refused 'regions: of elastic traces' 'is of another kind \(.*elastic.*\); regions are of instruction traces' "$RUBATO" regions "$TRACES/triad"

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
tail -n +2 sort.regions >cut.regions
refused 'replay: a file without its first line' 'cut.regions: line 1: trace.*; expected rubato-regions; .*choose the regions anew' "$RUBATO" replay detailed/base cut.regions "${plain[@]}"
: >empty.regions
refused 'replay: an empty file' 'empty.regions: trace is missing; expected a file that .rubato regions. wrote' "$RUBATO" replay detailed/base empty.regions "${plain[@]}"
awk 'BEGIN { FS = OFS = "\t" } $1 == "instructions" { all = $2 } $1 == "region" { $2 = all - $3 - $4 + 1 } 1' sort.regions >beyond.regions
refused 'replay: a region beyond the end' 'beyond.regions: line [0-9]+: first [0-9]+; expected a place .* with the program' "$RUBATO" replay detailed/base beyond.regions "${plain[@]}"
mkdir there && cp sort.regions there && cp "$TRACES/detailed/hash.rbt" there/sort.rbt
refused 'replay: of another trace' 'its regions are of another trace' "$RUBATO" replay detailed/base there/sort.regions "${plain[@]}"
rm there/sort.rbt
refused 'replay: without its trace' 'sort.rbt: cannot be read' "$RUBATO" replay detailed/base there/sort.regions "${plain[@]}"
exit $failures
