#!/usr/bin/env bash
# rubato report: a small sweep as a page: all sections and charts, the numbers as `rubato results` has them, nothing from outside,
# the same bytes again; in a headless browser, if there is one, without a complaint and with every chart in its place.
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
refused 'a pair without a comma' '--pair l2.size: expected two keys' "$RUBATO" report "$WORK/results.db" --pair l2.size
refused 'a place that cannot be written' 'none/report.html' env PATH="$PATH" "$RUBATO" report "$WORK/results.db" --no-traffic -o "$WORK/none/report.html"
mkdir "$WORK/empty"
refused 'a machine without gnuplot' 'gnuplot is not there.*install' env PATH="$WORK/empty:/nonexistent" "$RUBATO" report "$WORK/results.db" -o "$WORK/no.html"
check 'and no page is left behind' test ! -e "$WORK/no.html" -a ! -e "$WORK/no.html.partial"
if ! command -v gnuplot >/dev/null; then
    skip 'the page (14): gnuplot is not installed'
    exit $failures
fi
refused 'a pair of no axis' 'has no axis l3.size' "$RUBATO" report "$WORK/results.db" --pair l1d.mshrs,l3.size -o "$WORK/no.html"

page=$WORK/report.html
"$RUBATO" report "$WORK/results.db" -o "$page" --pair memory.device,l1d.mshrs >"$WORK/out" 2>&1
check 'a page of 24 points' test $? = 0
check 'four axes, a pair, three fronts, the memories' grep -q ': 9 charts of 24 points$' "$WORK/out"
check 'a picture for each' test "$(grep -c '<svg' "$page")" = 9
check 'the numbers behind each' test "$(grep -o '<summary>the \(numbers\|front\)' "$page" | wc -l)" = 6
check 'nothing comes from outside' test -z "$(grep -oE '(src|href)=["'"'"'][^#d][^"'"'"']*|@import|url\(http' "$page" | grep -v 'data:,')"
check 'no name stands twice' test -z "$(grep -oE '\bid=["'"'"'][^"'"'"']*' "$page" | sort | uniq -d)"
"$RUBATO" report "$WORK/results.db" -o "$WORK/again.html" --pair memory.device,l1d.mshrs >/dev/null
check 'the same bytes again' cmp "$page" "$WORK/again.html"

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
check 'a page by a metric' grep -q 'The figure is cpi' "$WORK/cpi.html"
refused 'a metric that is better when it is higher' 'not better when it is lower' "$RUBATO" report "$WORK/results.db" --metric ipc -o "$WORK/no.html"
check "a page of GPUs, by a kernel's cycles" eval '"$RUBATO" report "$WORK/gpu.db" --metric kernel1.cycles -o "$WORK/gpu.html" | grep -q "of 4 points$"'

# --- names that gnuplot, a shell or a browser could take for something else
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
check 'odd names: the charts have them as they are' grep -qF '<text>`touch pwned` "%d.yaml</text>' "$WORK/odd/odd.html"
check 'odd names: the workload, too' eval 'grep -F ">\`touch pwned\` \"; system \"touch pwned\"" "$WORK/odd/odd.html" | grep -qF "@n %d %s 50% \\n &lt;script>x&lt;script> #"'
check 'odd names: no element comes of them' eval '! grep -q "<script>x" "$WORK/odd/odd.html"'

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$browser" ]; then
    timeout 100 "$browser" --headless --no-sandbox --disable-gpu --enable-logging=stderr --v=0 --user-data-dir="$WORK/browser" --dump-dom \
        "file://$page" >"$WORK/dom" 2>"$WORK/console"
    check 'a browser shows every chart' test "$(grep -c '<svg' "$WORK/dom")" = 9
    check 'and has nothing to complain of' test -z "$(grep CONSOLE "$WORK/console")"
else
    skip 'in a browser (2): none is installed'
fi
exit $failures
