#!/usr/bin/env bash
# Regions as traces of sweeps, and what compares systems on them: intervals, matched pairs, results, diff, report.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
configs=$PWD/configs schema=$PWD/docs/stats.schema.json check_schema=$PWD/tests/support/schema_check.py
cp "$TRACES/detailed/sort.rbt" "$TRACES/detailed/hash.rbt" "$WORK" || exit 1
cd "$WORK" || exit 1

"$RUBATO" regions sort.rbt --interval 2k --warmup 4k --phases 4 --regions 12 --quiet || exit 1
cat >sweep.yaml <<END
system: detailed/base
traces: [sort.regions]
set: {cpu.model: detailed, cpu.wrongPathValues: no}
axes:
  cpu.issueWidth: [2, 4]
END
column() { "$RUBATO" results "$1" --columns "$2" --tsv | sed -n "$(($3 + 1))p"; }
value() { awk -v name="\"$2\":" '$1 == name { sub(/,$/, "", $2); print $2 }' "$1" | sed -n "${3:-1}p"; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { off = a / b - 1; exit !(b > 0 && off <= 1e-3 && off >= -1e-3) }'; }

# ---- sweep
"$RUBATO" sweep sweep.yaml --dry-run >dry
check 'dry run: says how much is simulated' grep -qE '^sort.regions: [0-9]+ regions, with their warm-ups [0-9]+ instructions a point for a program of 117795$' dry
"$RUBATO" sweep sweep.yaml -j 2 -o two.db >said
"$RUBATO" sweep sweep.yaml -j 1 -o one.db >said
"$RUBATO" sweep sweep.yaml -j 5 -o five.db >said
check 'the same for any number of workers' eval 'cmp <("$RUBATO" results one.db --json) <("$RUBATO" results two.db --json) &&
    cmp <("$RUBATO" results one.db --json) <("$RUBATO" results five.db --json)'
"$RUBATO" replay detailed/base sort.regions --model detailed --set cpu.wrongPathValues=no --set cpu.issueWidth=2 --quiet --summary two.json
check 'a point is what a replay says' near "$(column one.db cpi 1)" "$(value two.json cpi 1)"
check 'and so is its interval' near "$(column one.db cpi.ci 1)" "$(value two.json cpi 2)"
check 'columns: intervals beside times' eval '"$RUBATO" results one.db | head -n 1 | grep -q "time_ms  *time_ms.ci  *cpi  *cpi.ci$"'
check 'columns: regions that were run' test "$(column one.db regions.count,regions.of 1)" = "$(column one.db regions.of,regions.count 1)"
check 'CSV has intervals and no nested columns' eval '"$RUBATO" results one.db --csv | head -n 1 | tr , "\n" | tee columns | grep -qx l1d.mpki.ci && ! grep -qx regions columns'
"$RUBATO" sweep sweep.yaml -o one.db >said
check 'points are known again' grep -q '2 done before' said
"$RUBATO" sweep sweep.yaml -o one.db --confidence 99 >said
check 'another confidence: other points' eval 'grep -q "0 done before" said && test "$(column one.db regions.confidence 1)" = 99'
"$RUBATO" regions sort.rbt --interval 2k --warmup 4k --phases 4 --regions 12 --quiet --seed 1 || exit 1
"$RUBATO" sweep sweep.yaml -o two.db --dry-run >said
check 'other regions: other points' grep -q ' 0 there already' said
"$RUBATO" regions sort.rbt --interval 2k --warmup 4k --phases 4 --regions 12 --quiet || exit 1
"$RUBATO" sweep sweep.yaml -o two.db --dry-run --warm functional >said
check 'another beginning: other points' grep -q ' 0 there already' said
refused 'a beginning that is none' 'warm: hot; expected kept, functional, detailed or none' "$RUBATO" sweep sweep.yaml --warm hot
cp sort.regions.warm kept.states && printf x >>sort.regions.warm
"$RUBATO" sweep sweep.yaml -o two.db --dry-run >said 2>&1
check 'other kept states: other points' eval 'grep -q " 2 there already" said; test $? != 0'
cp kept.states sort.regions.warm
(cat sweep.yaml; echo 'records: 5') >bad.yaml
refused 'lengths of whole runs' 'sort.regions: regions have lengths and warm-ups of their own; leave out records' "$RUBATO" sweep bad.yaml
sed 's/detailed, cpu.w/elastic, cpu.w/' sweep.yaml >bad.yaml
check 'an elastic core' eval '"$RUBATO" sweep bad.yaml --dry-run 2>&1 >said | grep -q "regions are counted in instructions, which detailed cores execute; add --model detailed, or cpu.model: detailed to a sweep$"'
sed 's/\[sort.regions\]/[{name: two, traces: [sort.regions, hash.rbt]}]/' sweep.yaml >bad.yaml
refused 'regions beside other traces' 'sort.regions: regions run alone' "$RUBATO" sweep bad.yaml
refused 'a confidence that is none' '--confidence 30; expected a percentage from 50 to below 100' "$RUBATO" sweep sweep.yaml --confidence 30
mkdir bad && sed 's/^\(region.*\)	0\.\([0-9]*\)	\([0-9]\)$/\1	0.9\2	\3/' sort.regions >bad/sort.regions && cp sweep.yaml sort.rbt bad
refused 'weights that are too high' 'weights add up to [0-9.]+; expected 1: divide each by that, or choose the regions anew' "$RUBATO" sweep bad/sweep.yaml
awk '/^region/ { print; sub(/^region\t[0-9]+/, "region\t0") } { print }' sort.regions | sed 's/^stratum.*/stratum\t1/' >bad/sort.regions
refused 'more regions than intervals' 'expected no more regions than the stratum has intervals' "$RUBATO" sweep bad/sweep.yaml
cp sort.regions bad/sort.regions && cp hash.rbt bad/sort.rbt
refused 'regions of another trace' 'its regions are of another trace than .*Choose them anew with `rubato regions`' "$RUBATO" sweep bad/sweep.yaml

# ---- diff: regions in pairs
narrow=(--model detailed --set cpu.wrongPathValues=no)
"$RUBATO" replay detailed/base sort.regions "${narrow[@]}" --set cpu.issueWidth=2 --quiet --stats two.json
"$RUBATO" replay detailed/base sort.regions "${narrow[@]}" --set cpu.issueWidth=4 --quiet --stats four.json
"$RUBATO" sweep sweep.yaml -o two.db >said
"$RUBATO" diff two.db:1 two.db:2 >points
"$RUBATO" diff two.json four.json >files
"$RUBATO" diff detailed/base detailed/base "${narrow[@]:2}" --set cpu.model=detailed --set-a cpu.issueWidth=2 --set-b cpu.issueWidth=4 --traces sort.regions >systems
of_time() { grep '^time_ms' "$1"; }
check 'diff: points, files and systems say the same' eval 'test "$(of_time points)" = "$(of_time files)" && test "$(of_time points)" = "$(of_time systems)"'
check 'diff: a difference that is real' grep -qE '^time_ms .* -[0-9.]+ % ± [0-9.]+ %, B is [0-9.]+ times as fast$' points
# Intervals of each time overlap; that of the difference in pairs does not have 0.
check 'diff: pairs are more certain than values' awk -v d="$("$RUBATO" diff two.db:1 two.db:2 --tsv | awk -F '\t' '$2 == "cpi" { print $7 }')" \
    -v a="$(column two.db cpi.ci 1)" 'BEGIN { exit !(d > 0 && 4 * d < a) }'
check 'diff: what is hidden says so and comes last' eval 'awk "/^metric/ { on = 1; next } on { hidden = /not different at 95 %\$/; if (before && !hidden) exit 1; before = hidden; if (hidden) found = 1 } END { exit !found }" points'
check 'diff: says from how many regions' grep -qE '^A is estimated from [0-9]+ regions$' points
"$RUBATO" diff two.db:1 two.db:1 --all >itself
check 'diff: a point and itself' eval 'grep -q "^time_ms .*, not different at 95 %$" itself && ! grep -qE "better|worse" itself'
"$RUBATO" replay detailed/base sort.rbt "${narrow[@]}" --set cpu.issueWidth=2 --quiet --stats whole.json
check 'diff: an estimate and the whole' eval '"$RUBATO" diff two.json whole.json | grep -qE "^time_ms .* ± [0-9.]+ %"'
check 'statistics fit the schema' eval 'python3 "$check_schema" "$schema" two.json && python3 "$check_schema" --own "$schema" two.json'
refused 'statistics that are no JSON' '--stats two.txt: statistics of regions are JSON' "$RUBATO" replay detailed/base sort.regions "${narrow[@]}" --stats two.txt

# ---- estimates without an interval: an error that is not known is not "not different"
"$RUBATO" regions sort.rbt --interval 1k --phases 3 --method simpoint -o point.regions --quiet
for width in 2 4; do "$RUBATO" replay detailed/base point.regions "${narrow[@]}" --set cpu.issueWidth=$width --quiet --stats point$width.json; done
"$RUBATO" diff point2.json point4.json >unknown
check 'diff: an error that is not known' eval 'grep -qE "^A is estimated from [0-9]+ regions, with an error that is not known$" unknown && grep -qE "^time_ms .* %, B is [0-9.]+ times as fast$" unknown && ! grep -q "not different" unknown'

# ---- traces with weights
printf 'regions:\n  files: [sort.rbt, hash.rbt]\n  weights: [0.5, 0.5]\n  warmup: 1k\n  instructions: 4k\n' >set.yaml
sed 's/sort.regions/set.yaml/' sweep.yaml >of_set.yaml
"$RUBATO" sweep of_set.yaml -o set.db >said
check 'a set of traces: an estimate of both' eval 'test "$(column set.db regions.count,state 1)" = "2	done" && test "$(column set.db time_ms.ci 1 2>/dev/null)" = ""'
cp hash.rbt kept.rbt && cp "$TRACES/detailed/chase.rbt" hash.rbt
"$RUBATO" sweep of_set.yaml -o set.db --dry-run >said
check 'a set of traces: each is part of the identity' grep -q ' 0 there already' said
mv kept.rbt hash.rbt
"$RUBATO" view detailed/base set.yaml "${narrow[@]}" --view text --region 2 >shown
check 'a set of traces: the view shows one' grep -qE '^ *[0-9.]+ us +read' shown

# ---- the report
"$RUBATO" regions sort.rbt --interval 1k --warmup 2k --phases 3 --regions 14 -o few.regions --quiet
sed 's/sort.regions/few.regions/' sweep.yaml >few.yaml
echo '  l1d.size: [64KiB, 128KiB]' >>few.yaml
"$RUBATO" sweep few.yaml -o few.db >said
"$RUBATO" report few.db --no-traffic -o few.html >said
sed '/^<script/,$d' few.html >still.html
check 'report: points that are not different from the best' test "$(grep -c '<td>not different</td>' still.html) $(grep -c '<td>slower</td>' still.html) $(grep -c '<td>the best</td>' still.html)" = '1 2 2'
check 'report: each point has its sample' test "$(grep -o '"set":"[0-9a-f]*"' few.html | wc -l)" = 4
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$browser" ]; then
    { head -n -2 few.html; echo '<script>document.body.append("half " + differenceHalf(points[0], points[2], figureNamed("time_ms")) / valueOf(points[0], figureNamed("time_ms")), " bars "
        + explorer.scatter.option.series.filter(s => s.id === "bars").flatMap(s => s.data).length, " speedup " + valueOf(points[1], speedup) + " ")</script></body></html>'; } >read.html
    timeout 100 "$browser" --headless --no-sandbox --disable-gpu --enable-logging=stderr --v=0 --user-data-dir="$WORK/browser" --dump-dom "file://$WORK/read.html" >dom 2>console
    check 'report: a browser has nothing to complain of' test -z "$(grep CONSOLE console)"
    check 'report: the same interval as diff' awk -v page="$(sed -n 's/.*half \([0-9.e-]*\) bars.*/\1/p' dom)" \
        -v diff="$("$RUBATO" diff few.db:1 few.db:3 --tsv | awk -F '\t' '$2 == "time_ms" { print $7 / $4 }')" 'BEGIN { off = page / diff - 1; exit !(page > 0 && off < 0.01 && off > -0.01) }'
    check 'report: error bars' grep -qE ' bars [1-9]' dom
    check 'report: a speed-up within the interval is none' grep -q ' speedup 1 ' dom
    check 'report: an axis within the interval has no effect' grep -q '>l1d.size: none, not different at 95 %<' dom
    check 'report: another one has, with its interval' grep -qE '>cpu.issueWidth: [0-9.]+ ± [0-9.]+ %<' dom
else
    skip 'report: charts (6): no browser is installed'
fi

# ---- one region in the view
"$RUBATO" view detailed/base sort.regions "${narrow[@]}" --view text >shown
check 'view: the region with the greatest weight' grep -qE '^ *[0-9.]+ us +read' shown
"$RUBATO" view detailed/base sort.regions "${narrow[@]}" --view text --region 2 >second
check 'view: another one' eval '! cmp -s shown second'
"$RUBATO" view detailed/base sort.regions "${narrow[@]}" --view text --region 2 --warm detailed >cold
check 'view: begins with what is kept' eval 'test -s sort.regions.warm && ! cmp -s cold second'
refused 'view: a way to begin that is none' '--warm hot; expected kept' "$RUBATO" view detailed/base sort.regions "${narrow[@]}" --view text --warm hot
refused 'view: a region that the file has not' '--region 99: sort.regions has [0-9]+ regions' "$RUBATO" view detailed/base sort.regions "${narrow[@]}" --view text --region 99
refused 'view: --region of a trace' '--region is for a file of regions' "$RUBATO" view detailed/base sort.rbt "${narrow[@]}" --view text --region 1
refused 'view: an elastic core' 'add --model detailed' "$RUBATO" view default sort.regions --view text

# ---- compare
mkdir pairs && printf 'program\tsystem\tdetailed_file\treplay_file\nsort.regions\tbase\t../two.json\t../two.json\n' >pairs/table.tsv
"$RUBATO" compare pairs --run --traces . --model detailed --systems "$configs/detailed" >compared
check 'compare: a file of regions is replayed' grep -qE '^sort.regions +base ' compared
check 'compare: with its interval' grep -qE '^sort.regions +base +± [0-9.e-]+ %(, which the error is within)?$' compared
run_compare() { "$RUBATO" compare pairs --run --traces . --model detailed --systems "$configs/detailed" "$1"; }
run_compare --tsv >compared.tsv
check 'compare: half its width in ticks' awk -F '\t' '$1 == "sort.regions" { seen = NF == 10 && $10 > 0 && $10 < $5 / 2 } END { exit !seen }' compared.tsv
check 'compare: CSV and JSON, too' eval 'test "$(run_compare --csv | sed -n 2p | cut -d , -f 10)" = "$(head -n 1 compared.tsv | cut -f 10)" && run_compare --json | grep -qE "\"half_width\": [0-9.e+]+"'
refused 'compare --detailed: whole programs' 'sort.regions: --detailed captures an elastic trace of the whole program' "$RUBATO" compare --detailed detailed/base --traces sort.regions

# ---- regions until an error
"$RUBATO" regions sort.rbt --interval 1k --warmup 2k --phases 3 --regions 48 -o many.regions --quiet
sed 's/sort.regions/many.regions/; s/\[2, 4\]/[1, 4]/' sweep.yaml >many.yaml
echo '  l1d.size: [64KiB, 128KiB]' >>many.yaml
"$RUBATO" sweep many.yaml -j 2 -o until.db --until-error 3% >said
"$RUBATO" sweep many.yaml -j 1 -o until1.db --until-error 3% >again
check 'until: the same for any number of workers' cmp <("$RUBATO" results until.db --json) <("$RUBATO" results until1.db --json)
check 'until: a slow point stops early, and says so' test "$(column until.db regions.dominated 1)" = 1
check 'until: in the listing and the summary, too' eval '"$RUBATO" results until.db | head -n 1 | grep -q "regions.dominated$" && grep -q "^stopped early  2, as another point" said'
check 'until: by whom' eval 'sqlite3 until.db "select statistics from points" | grep -qE "\"dominated\": \"point [34] is faster: time_ms is [0-9.]+ ± [0-9.]+ % less\""'
check 'until: it ran a part' awk -v run="$(column until.db regions.count 1)" -v of="$(column until.db regions.of 1)" 'BEGIN { exit !(run >= of / 4 && run < of / 2) }'
check 'until: others are as certain as was wanted, or ran all' eval '"$RUBATO" results until.db --columns time_ms,time_ms.ci,regions.count,regions.of --tsv |
    awk "NR > 3 && \$2 > 0.03 * \$1 && \$3 < \$4 { exit 1 }"'
check 'until: with regions added' awk -v a="$(column until.db regions.count 3)" -v b="$(column until.db regions.count 1)" 'BEGIN { exit !(a > b) }'
"$RUBATO" sweep many.yaml -j 2 -o loose.db --until-error 90% >said
check 'until: an error that is reached at once' eval 'test "$(column loose.db regions.dominated 1)" = 0 && test "$(column loose.db regions.count 1)" = "$(column until.db regions.count 1)"'
check 'until: nothing is left behind' eval '! ls -d "${TMPDIR:-/tmp}"/rubato-sweep-* 2>&1 | grep -v "cannot access"'
check 'diff: says why regions are missing' eval '"$RUBATO" diff until.db:1 until.db:3 | grep -qE "^A is estimated from [0-9]+ regions; no further ones were run: point [34] is faster"'
check 'diff: of different numbers of regions' eval '"$RUBATO" diff until.db:1 until.db:3 | grep -qE "^time_ms .* ± [0-9.]+ %, B is"'
"$RUBATO" sweep many.yaml --until-error 3% --dry-run >said
check 'until: the dry run says what is run at first' grep -q '^many.regions: .*; a quarter of them at first$' said
refused 'until: an error without its sign' '--until-error 3; expected a percentage above 0 with its sign, such as 0.5%' "$RUBATO" sweep many.yaml --until-error 3
refused 'until: shards' 'an error to reach \(until_error\) compares all points' "$RUBATO" sweep many.yaml --until-error 3% --shard 1/2
sed 's/\[many.regions\]/[sort.rbt]/' many.yaml >whole.yaml
refused 'until: no regions' '--until-error is for traces that are regions' "$RUBATO" sweep whole.yaml --until-error 3%
"$RUBATO" regions sort.rbt --interval 1k --phases 3 --method simpoint -o point.regions --quiet
sed 's/many.regions/point.regions/' many.yaml >point.yaml
refused 'until: regions without an interval' 'point.regions: one region of a phase says nothing of its error' "$RUBATO" sweep point.yaml --until-error 3%
exit $failures
