#!/usr/bin/env bash
# rubato results --conclude, and the first screen of a report: the same sentences in both, and their figures are those of the
# points, worked out again by awk from the list.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

printf 'system: wide\ntraces: [%s/gups, %s/triad]\naxes: {l1d.mshrs: [1, 4, 16], l2.size: [256KiB, 1MiB], l2.sequential_access: [no, yes]}\n' \
    "$TRACES" "$TRACES" >"$WORK/sweep.yaml"
cd "$WORK" || exit 1
"$RUBATO" sweep sweep.yaml >said 2>&1
"$RUBATO" results sweep.db --conclude >told
check 'sentences' test $? = 0 -a "$(wc -l <told)" -gt 12
"$RUBATO" results sweep.db --columns point,traces,l1d.mshrs,l2.size,l2.sequential_access,simTicks --tsv >list
# sentence HEADING: the lines below it
sentence() { awk -v heading="$1" '/^[^ ]/ { is = $0 == heading } is && /^ /' told; }

# The designs by the geometric mean of both workloads, as ratios to those of point 1.
awk -F '\t' 'NR > 1 { d = $3 " " $4 " " $5; if (!(d in first)) { first[d] = $1; order[++n] = d }; log_of[d] += log($6) / 2 }
    END { for (i = 1; i <= n; i++) printf "%d %.9f %d\n", first[order[i]], exp(log_of[order[i]] - log_of[order[1]]), order[i] ~ / 262144 / ? 1 : 2 }' list >designs
best=$(sort -k2,2n -k1,1n designs | head -1 | cut -d' ' -f1)
gain=$(awk -v best="$best" '$1 == best { p = 100 * (1 - $2); printf (p >= 9.95 ? "%.0f" : "%.1f"), p }' designs)
check "the best is point $best, $gain % below the baseline" grep -q "^    point $best (.*, $gain % lower than point 1, the baseline" <(sentence Best)
check 'and what it costs' grep -q 'it costs caches [0-9]* KiB instead of\|at the same cost' <(sentence Best)
knee=$(awk 'NR == FNR { best = !best || $2 < best ? $2 : best; next } $2 <= 1.02 * best' designs designs | sort -k3,3n -k2,2n -k1,1n | head -1 | cut -d' ' -f1)
check "the cheapest within 2 % is point $knee" grep -q "^    $([ "$knee" = "$best" ] && echo 'the best itself' || echo "point $knee (")" <(sentence 'Cheapest within 2 %')

# An axis: pairs of points that differ in it alone, its worst value against its best one.
effect=$(awk -F '\t' 'NR > 1 { v[$2 " " $4 " " $5, $3] = log($6); s[$2 " " $4 " " $5] }
    END { for (i in s) { sum += v[i, 1] - v[i, 16]; n++ }; p = 100 * (1 - exp(-sum / n)); printf (p >= 9.95 ? "%.0f" : "%.1f"), p }' list)
check "l1d.mshrs matters, by $effect %" grep -q "^    l1d.mshrs: with 16 time_ms is $effect % lower than with 1; from .* in the 8 settings of everything else" <(sentence 'What matters')
check 'each axis is named once' test "$(grep -cE '^    (l1d.mshrs|l2.size|l2.sequential_access)(:|,| and)' <(sentence 'What matters'; sentence 'What does not matter'))" -ge 2
check 'what is doubtful: cold caches' grep -q 'of 24 points, such as [0-9]*: .*l2' <(sentence Doubtful)
check 'what bounds the best, and so what to try' test -n "$(sentence 'What bounds the best')" -a -n "$(sentence 'To try next')"

"$RUBATO" results sweep.db --conclude --value cpi --baseline 'l1d.mshrs == 16 and l2.size == 1MiB' >told
check 'of another metric, against another point' grep -q "cpi .*, .* than point 21, the baseline\|cpi .*the baseline itself" <(sentence Best)
"$RUBATO" results sweep.db --conclude >told
"$RUBATO" report sweep.db --no-traffic -o page.html >/dev/null
sed -n '/<section id="conclusions">/,/<\/section>/p' page.html | sed -n 's/^<dd>\(.*\) <a href.*/\1/p' | sed 's/&quot;/"/g; s/&#39;/'"'"'/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' >page
check 'a report begins with the same sentences' cmp <(grep '^    ' told | cut -c 5-) page
links=$(grep -o '<a href="#[a-z]*' page.html | sed 's/.*#//' | sort -u)
for link in $links; do check "the link to $link leads somewhere" grep -q "id=\"$link\"" page.html; done
"$RUBATO" report sweep.db --no-traffic --baseline 5 -o page.html >/dev/null
check 'a report against another point' grep -q 'than point 5, the baseline' page.html

refused 'a baseline that is no point' '--baseline 99: no point of that number has time_ms' "$RUBATO" report sweep.db --baseline 99 -o no.html
refused 'a metric that is better when it is higher' '--value ipc: is not better when it is lower' "$RUBATO" results sweep.db --conclude --value ipc
refused 'a metric that no point has' 'no point has a value of nothing' "$RUBATO" results sweep.db --conclude --value nothing
refused 'with a condition' '--conclude is of all points' "$RUBATO" results sweep.db --conclude --where 'l1d.mshrs == 1'
refused 'a file of another kind' 'sweep.yaml' "$RUBATO" results sweep.yaml --conclude
"$RUBATO" results sweep.db --pivot traces,l1d.mshrs --value speedup --mean geometric >pivot
check 'a pivot of speed-ups is against the first point of each workload' awk '/geometric mean/ { is = $3 + 0 > 0 } END { exit !is }' pivot
check 'and says so' grep -q '^speedup is against the first finished point of each workload; --baseline names another$' pivot
check 'as --baseline 1 has it, which says nothing' cmp <(head -n -1 pivot | grep -v '^doubtful') <("$RUBATO" results sweep.db --pivot traces,l1d.mshrs --value speedup --mean geometric \
    --baseline 'l1d.mshrs == 1 and l2.size == 256KiB and l2.sequential_access == no' | grep -v '^doubtful')

# A sweep with nothing done, and one with a single design
printf 'system: wide\ntraces: [%s/gups]\naxes: {l1d.mshrs: [4]}\n' "$TRACES" >one.yaml
"$RUBATO" sweep one.yaml >said 2>&1
"$RUBATO" results one.db --conclude >told
check 'one design: it is the baseline itself' grep -q 'of 1 designs\. It is the baseline itself' told
exit $failures
