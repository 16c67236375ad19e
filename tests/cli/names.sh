#!/usr/bin/env bash
# One thing has one name: what a core has alone among several is called after it, in summaries, statistics, metrics, recordings, their
# exports and the view; gem5's text has gem5's names, which are taken where names are given.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/recordings.sh
need_rubato

equal() {    # NAME GOT EXPECTED
    if [ -n "$2" ] && [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1"; echo "    got '$2', expected '$3'"; fi
}

export LC_ALL=C
sixteen=(quad "$TRACES/qsort" --set cores=16 --set cpu.share=yes --set cpu.offset_step=0 --set l2.prefetcher=stride
    --set cpu.tlb=default --records 500)
"$RUBATO" replay "${sixteen[@]}" --all --stats "$WORK/a.json" --stats "$WORK/a.txt" --stats "$WORK/a.csv" --summary "$WORK/metrics.json" \
    --record "$WORK/a.samples" --every 1us --requests </dev/null >"$WORK/summary" || exit 1
for kind in csv perfetto parquet; do "$RUBATO" export "$WORK/a.samples" "--$kind" "$WORK/samples.$kind"; done

# ---- the same set: cores, their caches, shared ones, memories
lines() { sort -u | tr '\n' ' '; }
head -n 1 "$WORK/samples.csv" | tr ',' '\n' >"$WORK/columns"
cores() { for i in $(seq -w 0 15); do echo "cpu$i"; done; }
caches() { cores | sed 's/.*/&.l1d\n&.l1i\n&.l2/'; echo l3; }
all=$(caches | lines)
equal 'caches of the summary' "$(awk '/^cache /,/^$/' "$WORK/summary" | awk 'NR > 1 && NF { print $1 }' | lines)" "$all"
equal 'caches of statistics' "$(grep -oE 'system\.[a-z0-9.]+\.replacements' "$WORK/a.json" | sed 's/system\.//; s/\.replacements//' | lines)" "$all"
equal 'caches of statistics as CSV' "$(grep -oE 'system\.[a-z0-9.]+\.replacements' "$WORK/a.csv" | sed 's/system\.//; s/\.replacements//' | lines)" "$all"
equal 'caches of a recording' "$(sed -n 's/\.demand\.hits$//p' "$WORK/columns" | lines)" "$all"
equal 'caches of metrics' "$({ grep -oE '"cpu[0-9]+\.l[0-9][a-z]?\.hit_rate' "$WORK/metrics.json" | tr -d '"' | sed 's/\.hit_rate//'; echo l3; } | lines)" "$all"
equal 'caches of Perfetto' "$(grep -aoE 'cpu[0-9]+\.l[0-9][a-z]?' "$WORK/samples.perfetto" | sort -u | lines)" "$(caches | grep -v l3 | lines)"
equal 'buses of statistics and of a recording' "$(grep -oE 'system\.[a-z0-9.]+bus\.snoops"' "$WORK/a.json" | sed 's/system\.//; s/\.snoops"//' | lines)" \
    "$(sed -n 's/\.bytes_above\.0$//p' "$WORK/columns" | lines)"
equal 'cores of the summary and of a recording' "$(grep -oE '^cpu[0-9]+ ' "$WORK/summary" | tr -d ' ' | lines)" \
    "$(sed -n 's/\.rob_ps$//p' "$WORK/columns" | lines)"
equal 'memories of the summary and of a recording' "$(grep -oE '^mem_ctrls[0-9]+ ' "$WORK/summary" | tr -d ' ' | lines)" \
    "$(sed -n 's/^\(mem_ctrls[0-9]*\)\.bytes_read$/\1/p' "$WORK/columns" | lines)"
check 'requestors of statistics and of a recording' test "$(sed -n 's/^quad\.requestor_read_bytes\.\(.*prefetcher\)$/\1/p' "$WORK/columns" | lines)" = \
    "$(cores | sed 's/.*/&.l1d.prefetcher\n&.l2.prefetcher/' | lines)"
check "as JSON's columns" grep -q '"system\.cpu03\.l2\.[A-Za-z.]*::cpu03\.l1d\.prefetcher"' "$WORK/a.json"
old='(^|[^a-z0-9_])(l1d|l1i|l2|tol2bus)[0-9]{2}([^0-9]|$)'
for file in summary a.json a.csv metrics.json columns samples.perfetto samples.parquet; do
    check "no names of gem5 in $file" test "$(grep -acE "$old" "$WORK/$file")" = 0
done

# ---- they sort: all names of a core are adjacent, cores by number
grep -oE '^cpu[0-9]+(\.(l1d|l1i|l2|tol2bus))?\.' "$WORK/columns" | sort -u | sed -E 's/^cpu([0-9]+).*/\1/' >"$WORK/order"
check 'a core beside the one before it' cmp "$WORK/order" <(sort -n "$WORK/order")
check 'each with all that it has' test "$(uniq -c "$WORK/order" | awk '$1 != 5' | wc -l)-$(uniq "$WORK/order" | wc -l)" = 0-16

# ---- a GPU: its memories are called as a system's
"$RUBATO" replay qv100 "$TRACES/gpu/volta-bfs-2blocks" --kernels 1 --stats "$WORK/gpu.json" --record "$WORK/gpu.samples" --every 1us --quiet \
    </dev/null 2>"$WORK/stderr"
"$RUBATO" export "$WORK/gpu.samples" --csv - | head -n 1 | tr ',' '\n' >"$WORK/gpu.columns"
equal "memories of a GPU's statistics and of its recording" "$(grep -oE 'system\.mem_ctrls[0-9]+\.dram\.readBursts' "$WORK/gpu.json" | cut -d . -f 2 | lines)" \
    "$(sed -n 's/^\([a-z_0-9]*\)\.bytes_read$/\1/p' "$WORK/gpu.columns" | lines)"
check 'SMs sort' cmp <(grep -oE '^sm[0-9]+' "$WORK/gpu.columns" | uniq) <(grep -oE '^sm[0-9]+' "$WORK/gpu.columns" | sort -u)

# ---- the view
"$RUBATO" view "$WORK/a.samples" --view=text </dev/null >"$WORK/view"
check 'the view as text' grep -q '^whole run' "$WORK/view"
if command -v script >/dev/null; then
    script -qec "'$RUBATO' view '$WORK/a.samples' --view=text" /dev/null >"$WORK/panel" </dev/null
    check 'a panel names the fullest of a kind so' grep -qE '^l1d x16 .*most [0-9]+ % cpu[01][0-9]\.l1d' "$WORK/panel"
    check "and no names of gem5" test "$(grep -acE "$old" "$WORK/panel")" = 0
else
    skip 'a panel (2): there is no script'
fi

# ---- gem5's names
check "gem5's text has gem5's" grep -q '^system\.l1d03\.replacements ' "$WORK/a.txt"
check '... only' test "$(grep -cE 'cpu[0-9]+\.(l1d|l1i|l2|tol2bus)' "$WORK/a.txt")" = 0
cat >"$WORK/four.yaml" <<END
system: quad
set: {l2.prefetcher: stride}
traces: [{name: four, traces: [$TRACES/qsort, $TRACES/qsort, $TRACES/qsort, $TRACES/qsort]}]
axes: {cpu_clock: [1GHz]}
END
check 'a sweep of four cores' eval '"$RUBATO" sweep "$WORK/four.yaml" -o "$WORK/a.db" -j 1 >"$WORK/swept"'
listed() { "$RUBATO" results "$WORK/a.db" --columns "$1" --csv | tail -n 1; }
column='ReadSharedReq.accesses::'
for pair in "system.l23.replacements system.cpu3.l2.replacements" "mem_ctrls1.gb_s mem1.gb_s" \
    "system.l23.${column}l1d3.prefetcher system.cpu3.l2.${column}cpu3.l1d.prefetcher"; do
    check "results: ${pair% *}" test -n "$(listed "${pair#* }")" -a "$(listed "${pair% *}")" = "$(listed "${pair#* }")"
done

# A recording of before, whose layout has gem5's names: it is shown with the names that it holds.
check 'a recording with the names of before' with_layout "$WORK/a.samples" "$WORK/old.samples" \
    's/"cpu\([01][0-9]\)\.\(l1d\|l1i\|l2\|tol2bus\)"/"\2\1"/g; s/"cpu\([01][0-9]\)\.\(l1d\|l2\)\.prefetcher"/"\2\1.prefetcher"/g'
"$RUBATO" view "$WORK/old.samples" --view=text </dev/null >"$WORK/view.old"
check 'is played' cmp "$WORK/view" "$WORK/view.old"
"$RUBATO" export "$WORK/old.samples" --csv - | head -n 1 | tr ',' '\n' >"$WORK/columns.old"
check 'and exported as it is' test "$(sed -n 's/\.demand\.hits$//p' "$WORK/columns.old" | lines)" = \
    "$({ for i in $(seq -w 0 15); do printf 'l1d%s\nl1i%s\nl2%s\n' "$i" "$i" "$i"; done; echo l3; } | lines)"
exit $failures
