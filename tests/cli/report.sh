#!/usr/bin/env bash
# rubato report: a small sweep as a page: all sections and charts, the numbers as `rubato results` has them, nothing from outside,
# the same bytes again; in a headless browser, if installed, without errors, with every chart in its place, and with
# working clicks, brushes and filters (tests/support/report_browser.js).
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

cat >"$WORK/sweep.yaml" <<EOF_SWEEP
system: $PWD/configs/wide.yaml
traces: [$TRACES/gups, $TRACES/triad]
axes:
  l1d.mshrs: [4, 16, 8]
  memory.device: [DDR3_1600_8x8, DDR4_2400_8x8]
zip:
  memory.channels: [1, 2]
  l2.size: [1MiB, 2MiB]
EOF_SWEEP
"$RUBATO" sweep "$WORK/sweep.yaml" -o "$WORK/results.db" >"$WORK/out" 2>&1 || { not_ok 'a sweep of 24 points'; cat "$WORK/out"; exit 1; }

refused 'no file' 'no RESULTS.db' "$RUBATO" report
refused 'a file that is not there' 'none.db' "$RUBATO" report "$WORK/none.db"
refused 'a file of another kind' 'sweep.yaml' "$RUBATO" report "$WORK/sweep.yaml"
refused 'a statistic that no point has' '--metric' "$RUBATO" report "$WORK/results.db" --metric system.nothing
refused 'a column that no point has' '--columns' "$RUBATO" report "$WORK/results.db" --columns cpu7.cpi
refused 'a column without a name' '--columns cpi,,mlp: expected names' "$RUBATO" report "$WORK/results.db" --columns cpi,,mlp
refused 'a pair without a comma' '--pair l2.size: expected two keys' "$RUBATO" report "$WORK/results.db" --pair l2.size
refused 'a place that cannot be written' 'none/report.html' env PATH="$PATH" "$RUBATO" report "$WORK/results.db" --no-traffic -o "$WORK/none/report.html"
refused 'a pair of no axis' 'has no axis l3.size' "$RUBATO" report "$WORK/results.db" --pair l1d.mshrs,l3.size -o "$WORK/no.html"
check 'and no page is left behind' test ! -e "$WORK/no.html" -a ! -e "$WORK/no.html.partial"

page=$WORK/report.html
"$RUBATO" report "$WORK/results.db" -o "$page" --pair memory.device,l1d.mshrs >"$WORK/out" 2>&1
check 'a page of 24 points' test $? = 0
check 'and says so' grep -q ': charts of 24 points$' "$WORK/out"
still=$WORK/still.html                                       # the page without its library and script
sed '/^<script>/,$d' "$page" >"$still"
check 'without its script: tables of axes, a pair, three fronts and the memories, and no chart' \
    test "$(grep -o '<summary>the \(numbers\|front\)' "$still" | wc -l) $(grep -c '<svg' "$still")" = '6 0'
check 'the pair that was asked for is that of the heat map' test "$(grep -cE '^"(rows": "memory.device|columns": "l1d.mshrs)"' "$page")" = 2
bytes=$(wc -c <"$page") own=$(sed -n '/^<script type="application\/json"/,/<\/script>$/p' "$page" | wc -c)
check "with 432 points it would have less than 3 MB: $bytes bytes, $own of them for 24 points" test $((bytes + own * (432 - 24) / 24)) -lt 3000000
check 'nothing comes from outside' test -z "$(grep -oE '(src|href)=["'"'"'][^#d][^"'"'"']*|@import|url\(http' "$still" | grep -v 'data:,')"
check 'and a browser may fetch nothing' grep -qF "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:\"" "$still"
check 'the library is the one that was published' eval '(cd cli/sweep/page && sha256sum --quiet -c echarts.sha256)'
lines=$(tail -n +2 cli/sweep/page/echarts.min.js | grep -c '')
check 'and is inside, whole' eval 'cmp <(sed "1,/^<script>$/d" "$page" | head -n $lines) <(tail -n +2 cli/sweep/page/echarts.min.js)'
check 'no name is repeated' test -z "$(grep -oE '\bid=["'"'"'][^"'"'"']*' "$still" | sort | uniq -d)"
check 'where it comes from: the traces with the hash of their content' grep -qE '<td>gups</td><td>[0-9a-f]{16}</td><td>[0-9.]+\+[0-9a-f]{16}</td><td>12</td>' "$still"
check 'and the sweep, as it was run' grep -qF '  l1d.mshrs: [4, 16, 8]' "$still"
check 'and the date, the host and the command that swept' eval 'grep -qE "<p>Date: [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} UTC</p>" "$still" \
    && grep -qF "<p>Host: $(uname -n)</p>" "$still" && grep -qF "<p>Command: rubato sweep $WORK/sweep.yaml -o $WORK/results.db</p>" "$still"'
sleep 1.1
"$RUBATO" sweep "$WORK/sweep.yaml" -o "$WORK/results.db" -j 1 >/dev/null 2>&1
"$RUBATO" report "$WORK/results.db" -o "$WORK/again.html" --pair memory.device,l1d.mshrs >/dev/null
check 'the same bytes again, also after a sweep that found all points there' cmp "$page" "$WORK/again.html"

# An axis's means, from the exported table: geometric means of each point's ratio to its workload's geometric mean.
"$RUBATO" results "$WORK/results.db" --csv --columns traces,l1d.mshrs,simTicks >"$WORK/points.csv" 2>"$WORK/err"
expected=$(awk -F , 'NR > 1 { n++; t[n] = $1; l[n] = $2; v[n] = log($3); s[$1] += v[n]; c[$1]++ }
    END { for (i = 1; i <= n; i++) { m[l[i]] += v[i] - s[t[i]] / c[t[i]]; k[l[i]]++ }
        for (x = 4; x <= 16; x *= 2) printf "%.4g ", exp(m[x] / k[x]) }' "$WORK/points.csv")
printed=$(grep -o '<td>l1d.mshrs</td><td>[0-9]*</td><td>[0-9.]*' "$page" | sed 's/.*<td>//' | tr '\n' ' ')
check "an axis's means, levels in rising order" test -n "$expected" -a "$printed" = "$expected"

printf 'system: [qv100, titanx]\ntraces: %s\naxes: {gpu.l2.ways: [8, base]}\n' "$TRACES/gpu/volta-bfs-2blocks" >"$WORK/gpu.yaml"
"$RUBATO" sweep "$WORK/gpu.yaml" -o "$WORK/gpu.db" >/dev/null 2>&1
"$RUBATO" report "$WORK/results.db" --metric cpi --no-traffic -o "$WORK/cpi.html" >/dev/null 2>"$WORK/err"
check 'a page by a metric' grep -q 'The metric is cpi' "$WORK/cpi.html"
refused 'a metric that is better when it is higher' 'not better when it is lower' "$RUBATO" report "$WORK/results.db" --metric ipc -o "$WORK/no.html"
printf 'system: wide\ntraces: %s\naxes: {cpu.model: [elastic, detailed], l1d.mshrs: [2, 8]}\n' "$TRACES/detailed/hash.rbt" >"$WORK/model.yaml"
printf 'system: quad\ntraces: [{name: four, traces: ["%s", "%s", "%s", "%s"]}]\naxes: {l1d.mshrs: [2, 8]}\n' "$TRACES/gups" "$TRACES/triad" \
    "$TRACES/qsort" "$TRACES/gups" >"$WORK/quad.yaml"
for sweep in model quad; do "$RUBATO" sweep "$WORK/$sweep.yaml" -o "$WORK/$sweep.db" >"$WORK/out" 2>&1 || cat "$WORK/out"; done
"$RUBATO" report "$WORK/model.db" --no-traffic -o "$WORK/model.html" >/dev/null
"$RUBATO" report "$WORK/quad.db" --no-traffic --columns cpu2.cpi,mean.cpi,simTicks -o "$WORK/quad.html" >/dev/null
check "a page of GPUs, by a kernel's cycles" eval '"$RUBATO" report "$WORK/gpu.db" --metric kernel1.cycles -o "$WORK/gpu.html" | grep -q "of 4 points$"'

"$RUBATO" results "$WORK/gpu.db" --kernels --tsv --columns point,kernel.number,kernel.name,kernel.cycles | tail -n +2 | tr '\t' ' ' >"$WORK/kernels"
moved=$("$RUBATO" results "$WORK/gpu.db" --kernels --tsv --columns kernel.l2_bytes | sed '1d; s/$/ true; /' | tr -d '\n')
sed -n '/<h2>GPU kernels/,/<h2>/p' "$WORK/gpu.html" | grep -o '<td>[0-9]*</td><td[^>]*>1</td>.*' | sed 's/<\/td><td[^>]*>/ /g; s/<[^>]*>//g' |
    cut -d ' ' -f 1-4 >"$WORK/told"
check 'GPU kernels: the table has what `rubato results --kernels` has' eval 'test -s "$WORK/told" && cmp "$WORK/kernels" "$WORK/told"'

printf 'program\tsystem\tdetailed_file\treplay_file\n' >"$WORK/pairs.tsv"
for point in 1 2 3; do printf 'gups\ts%s\t%s\t%s\n' $point "$WORK/results.db:$point" "$WORK/results.db:$((point + 1))"; done >>"$WORK/pairs.tsv"
"$RUBATO" report "$WORK/gpu.db" --compare "$WORK/pairs.tsv" --no-traffic -o "$WORK/errors.html" >/dev/null 2>"$WORK/err"
"$RUBATO" compare "$WORK/pairs.tsv" --base s1 --tsv >"$WORK/pairs.out"
errors=$(awk -F '\t' '$1 == "gups" { printf "%s %s;", $2, $7 }' "$WORK/pairs.out")
check 'a page with the errors of replays: those of rubato compare' test -n "$errors" -a "$errors" = "$(sed -n \
    's/^\["gups","\(s[0-9]\)",\([^,]*\),.*/\1 \2/p' "$WORK/errors.html" | awk '{ printf "%s %.3f;", $1, $2 < 0 ? -$2 : $2 }')"

# --- RowHammer: what each defence prevents and costs, only where points have a threshold
cat >"$WORK/hammer.yaml" <<EOF_SWEEP
system: commands-ddr5
traces: $TRACES/hammer/rows.load_store.xz
axes: {memory.mitigation: [none, Graphene]}
set:
  memory.standard: DDR4_VRR
  memory.organization: auto
  memory.timing: auto
  memory.command.rowhammer_threshold: 1024
  memory.mitigations.Graphene_activation_threshold: 512
EOF_SWEEP
"$RUBATO" sweep "$WORK/hammer.yaml" -o "$WORK/hammer.db" >"$WORK/out" 2>&1 || cat "$WORK/out"
"$RUBATO" report "$WORK/hammer.db" --no-traffic -o "$WORK/hammer.html" >/dev/null
hammered=$("$RUBATO" results "$WORK/hammer.db" --csv --columns \
    memory.mitigation,mem.rowhammer.most,mem.rowhammer.unserved,mem.rowhammer.flips,mem.rowhammer.prevented,mem.defence.refreshes 2>/dev/null | tail -n +2)
told=$(sed -n '/<h2>RowHammer/,/<h2>/p' "$WORK/hammer.html" | grep -o '<td>[12]</td>.*' | sed 's/<\/td><td[^>]*>/,/g; s/<[^>]*>//g' \
    | awk -F , '{ print $2 "," $4 "," $5 "," $6 "," $7 "," $8 }')
check "RowHammer: the table has what \`rubato results\` has: ${told//$'\n'/; }" test -n "$told" -a "$told" = "$hammered"
check 'without a defence bits may flip, with one none may' test "$(cut -d , -f 4,5 <<<"$told")" = $'12,0\n0,12'
check 'without a threshold there is no such section' eval '! grep -q "<h2>RowHammer" "$page"'

# --- names that a shell or a browser could take for something else
odd=$'`touch pwned` "; system "touch pwned"; \'; ! touch pwned\n $(touch pwned) @n %d %s 50% \\n <script>x<script> #'
mkdir "$WORK/odd"
(
    cd "$WORK/odd" || exit 1
    cp -r "$TRACES/gups" "$odd"
    cp "$OLDPWD/configs/wide.yaml" '`touch pwned` "%d.yaml'
    yaml=$(sed 's/[\\"]/\\&/g' <<<"$odd" | awk 'NR > 1 { printf "\\n" } { printf "%s", $0 }')
    cat >odd.yaml <<END
system: [wide, '\`touch pwned\` "%d.yaml']
traces: [$TRACES/triad, {name: "$yaml", traces: "$yaml"}]
axes: {l1d.mshrs: [4, 8], l2.size: [1MiB, 2MiB]}
END
    "$RUBATO" sweep odd.yaml -o '`touch pwned`".db' >out 2>&1 || cat out
    "$RUBATO" report '`touch pwned`".db' --no-traffic -o odd.html >out 2>&1 || cat out
)
check 'odd names: a page' grep -q 'charts of 16 points' "$WORK/odd/out"
check 'odd names: nothing of them is run' test ! -e "$WORK/odd/pwned"
check 'odd names: the tables have them as they are' grep -qF '<td>`touch pwned` &quot;%d.yaml</td>' "$WORK/odd/odd.html"
check 'odd names: the workload, too' eval 'grep -E "<t[dh]>\`touch pwned\` &quot;; system &quot;touch pwned&quot;" "$WORK/odd/odd.html" | grep -qF "@n %d %s 50% \\n &lt;script&gt;x&lt;script&gt; #"'
check 'odd names: no element comes of them' eval '! grep -q "<script>x" "$WORK/odd/odd.html"'

# --- in a browser
look() {    # PAGE [SCRIPT]: into dom and console; the reader's script, or SCRIPT, is appended to the page
    { head -n -2 "$1"; echo '<script>'; if [ $# = 2 ]; then echo "$2"; else cat tests/support/report_browser.js; fi; printf '</script>\n</body>\n</html>\n'; } >"$WORK/read.html"
    timeout 100 "$browser" --headless --no-sandbox --disable-gpu --enable-logging=stderr --v=0 --user-data-dir="$WORK/browser" --dump-dom \
        "file://$WORK/read.html" >"$WORK/dom" 2>"$WORK/console"
}
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$browser" ]; then
    look "$page"
    check 'a browser has nothing to complain of' test -z "$(grep CONSOLE "$WORK/console")"
    check "a reader's clicks, brushes and filters: all were tried" test "$(grep -c '^ok browser' "$WORK/dom")" -ge 78
    while IFS= read -r finding; do not_ok "${finding#not ok }"; done < <(grep '^not ok browser' "$WORK/dom")

    # The same with 5,000 points: copies of the 24, before the script reads them.
    sed 's|^<script>$|<script>{const e = document.getElementById("data"); const d = JSON.parse(e.textContent); const own = d.points.slice();\
while (d.points.length < 5000) { const p = own[d.points.length % own.length].slice(); p[0] = d.points.length + 1;\
p[4] = p[4].map((v, i) => i < 3 \&\& v !== null ? v * (1 + p[0] / 1e4) : v); d.points.push(p); }\
e.textContent = JSON.stringify(d);}</script>\n<script>|' "$page" >"$WORK/large.html"
    look "$WORK/large.html"
    check '5,000 points: all was tried' grep -q '^ok browser: lines of points are no elements' "$WORK/dom"
    if grep -q '^# late' "$WORK/dom" && awk -v cores="$(nproc)" '{ exit !($1 > cores) }' /proc/loadavg; then
        skip "5,000 points: a move of a brush is drawn within 100 ms: others use the machine ($(cut -d ' ' -f 1 /proc/loadavg) run, $(nproc) cores)"
    else
        check '5,000 points: a move of a brush is drawn within 100 ms' grep -q '^# drawn within' "$WORK/dom"
    fi
    sed -n 's/^# moves/    moves/p' "$WORK/dom"

    # Points of detailed cores have the metrics of the others; columns that were asked for are there.
    look "$WORK/model.html" 'document.body.append("detailed: " + points.map(p => [levelName(p, 0), isNumber(named(p, "cpi")),
        Math.abs(stackOf(p, sides[0]).reduce((a, b) => a + b) / named(p, "cpi") - 1) < 1e-4, p.bound !== ""].join(" ")).join(", "));'
    check 'points of detailed cores have a CPI, whose parts add up, and a verdict' \
        grep -qF 'detailed: elastic true true true, elastic true true true, detailed true true true, detailed true true true' "$WORK/dom"
    look "$WORK/quad.html" 'document.body.append("asked: " + ["cpu2.cpi", "mean.cpi", "simTicks"].map(name =>
        points.every(p => isNumber(named(p, name)))).join(" "));'
    check 'columns that were asked for' grep -qF 'asked: true true true' "$WORK/dom"
    "$RUBATO" results "$WORK/quad.db" --csv --columns cpi,l2.mpki,mem.gb_s,cpu2.cpi >"$WORK/quad.csv"
    look "$WORK/quad.html" 'document.body.append("values: " + points.map(p => ["cpi", "l2.mpki", "mem.gb_s", "cpu2.cpi"].map(name =>
        Number(named(p, name).toPrecision(5))).join(" ")).join(" "));'
    check 'have the values that `rubato results` prints' \
        grep -qF "values: $(awk -F , 'NR > 1 { for (i = 1; i <= NF; i++) printf "%s%.5g", (n++ ? " " : ""), $i }' "$WORK/quad.csv")" "$WORK/dom"

    look "$WORK/errors.html" 'document.body.append("errors: " + explorer.errors.rows().length + " " + explorer.errors.option.series.map(s =>
        s.data[0].every(isNumber)).join());'
    check 'errors of replays are a chart' grep -qF 'errors: 4 true,true' "$WORK/dom"
    look "$WORK/errors.html" 'state.chosen = [...points]; tell("chosen"); const of = explorer.roofline.option.series.filter(s => s.type === "scatter");
        document.body.append("roofline: " + of.map(s => s.data.map(d => Math.round(d.kernel.insts / d.value[0]) + " " + (d.value[1] <= Math.min(
        d.set.roofs[0], d.value[0] * d.set.roofs[1]))).join()).join("; ") + "; rows " + document.querySelectorAll("#kernels tr").length);'
    check 'kernels lie below the roofs of their systems' grep -qF "roofline: ${moved}rows 5" "$WORK/dom"
    look "$WORK/hammer.html" 'document.body.append("hammer: " + explorer.hammer.option.series.map(s => s.name + " " + s.data.map(d =>
        d.point.number).join()).join("; ") + "; line " + explorer.hammer.option.series[0].markLine.data[0].yAxis + "; rows "
        + document.querySelectorAll("#hammer tr").length);'
    check 'RowHammer is a chart and a table' eval 'grep -qF "hammer: no bit may flip 2; bits may flip 1; line 1024; rows 3" "$WORK/dom" \
        && ! grep -q CONSOLE "$WORK/console"'
    look "$page" 'document.body.append("hammer: " + typeof explorer.hammer + ", pair: " + explorer.pair.heading.textContent);'
    check 'the heat map is of the pair that was asked for' grep -qF 'hammer: undefined, pair: memory.device and l1d.mshrs' "$WORK/dom"

    look "$WORK/odd/odd.html" 'const saved = ["parallel", "scatter", "pair"].map(name => explorer[name].svg()).concat(explorer.effects.map(e => e.card.svg()))
        .map(text => new DOMParser().parseFromString(text, "image/svg+xml")).map(svg => svg.querySelectorAll("parsererror, script").length);
        document.body.append("odd names saved: " + saved.join());'
    check 'odd names in a browser: the charts to explore are there, and are saved as SVG that is whole' grep -qE 'odd names saved: 0(,0)+' "$WORK/dom"
    check 'odd names in a browser: no element comes of them, nothing to complain of' eval '! grep -qE "<script>x|CONSOLE" "$WORK/dom" "$WORK/console"'
else
    skip 'in a browser (10): not installed'
fi
exit $failures
