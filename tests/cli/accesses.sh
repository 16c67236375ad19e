#!/usr/bin/env bash
# replay --accesses and --optimal: the stream against the statistics of the run, the bound against a slow one from the written stream,
# and below every policy; a sweep with the bound; what is refused.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

hash=tests/traces/detailed/hash.rbt
replay() { "$RUBATO" replay "$@" --no-cache --quiet 2>"$WORK/messages"; }
metric() { sed -n "s/^ *\"$2\": \([0-9.]*\),*$/\1/p" "$1"; }
statistic() { awk -v name="$1" '$1 == name { print $2 }' "$WORK/stats.txt"; }

check 'a stream' replay laptop $hash --accesses l1d -o "$WORK/a.csv" --optimal l1d --stats "$WORK/stats.txt" --summary "$WORK/s.json"
check 'its columns' test "$(head -n 1 "$WORK/a.csv")" = time_ps,cache,command,pc,address,hit,fetch
check 'a row an access' test "$(grep -c . "$WORK/a.csv")" = $(($(statistic system.l1d.overallAccesses::total) + 1))
check 'the hits' test "$(awk -F, 'NR > 1 { hits += $6 } END { print hits }' "$WORK/a.csv")" = "$(statistic system.l1d.overallHits::total)"
check 'the fetches' test "$(awk -F, 'NR > 1 { n += $7 } END { print n }' "$WORK/a.csv")" = "$(statistic system.l1d.overallMshrMisses::total)"
check 'the same as a metric' test "$(metric "$WORK/s.json" l1d.optimal.fetched)" = "$(statistic system.l1d.overallMshrMisses::total)"
check 'in order' awk -F, 'NR > 2 && $1 < last { exit 1 } { last = $1 }' "$WORK/a.csv"
check 'pcs of the program' test "$(awk -F, 'NR > 1 && $4 !~ /^0x10/' "$WORK/a.csv" | wc -l)" = 0
replay laptop $hash --stats "$WORK/plain.txt"
check 'nothing else changes' cmp <(grep -v '^host' "$WORK/plain.txt") <(grep -v '^host' "$WORK/stats.txt")
check 'tabs' replay laptop $hash --accesses l1d -o "$WORK/a.tsv"
check 'the same rows' cmp "$WORK/a.csv" <(tr '\t' , <"$WORK/a.tsv")
check 'Parquet' replay laptop $hash --accesses l1d -o "$WORK/a.parquet"
check 'is Parquet' test "$(head -c 4 "$WORK/a.parquet")$(tail -c 4 "$WORK/a.parquet")" = PAR1PAR1

# Belady's choice by looking through all that is to come: 64 sets of 12 ways, loads and stores alike.
cat >"$WORK/slow.py" <<'END'
import sys
rows = [line.split(",") for line in open(sys.argv[1]).read().split("\n")[1:-1]]
sets, fetched = {}, 0
for row in rows:
    line = int(row[4], 16) // 64
    sets.setdefault(line % 64, []).append(line)
for lines in sets.values():
    kept = set()
    for at, line in enumerate(lines):
        def when(other):
            return lines.index(other, at + 1) if other in lines[at + 1:] else len(lines)
        fetched += line not in kept
        kept.add(line)
        if len(kept) > 12:
            kept.remove(max(sorted(kept), key=when))
print(fetched)
END
check 'the bound, slowly' test "$(python3 "$WORK/slow.py" "$WORK/a.csv")" = "$(metric "$WORK/s.json" l1d.optimal.least)"
check 'it is below the run' test "$(metric "$WORK/s.json" l1d.optimal.least)" -lt "$(metric "$WORK/s.json" l1d.optimal.fetched)"
printed=$("$RUBATO" replay laptop $hash --no-cache --optimal l1d 2>/dev/null | sed -n 's/^optimal *//p')
check 'in the summary' grep -qE '^l1d: [0-9]+ lines fetched for [0-9]+ accesses; the optimal policy would have fetched [0-9]+, [0-9.]+ % fewer$' <<<"$printed"

# ---- a sweep: the bound beside the policies; small caches, so that it matters, and a prefetcher
cat >"$WORK/sweep.yaml" <<END
system: default
traces: [$TRACES/gups, $TRACES/triad]
set: {l2.size: 16KiB, l2.assoc: 4, l1d.size: 4KiB, l2.prefetcher: stride}
axes: {l2.replacement: [lru, random, drrip, ship, mru, fifo]}
optimal: l2
END
check 'a sweep' "$RUBATO" sweep "$WORK/sweep.yaml" -o "$WORK/r.db" -j 1 2>"$WORK/messages"
"$RUBATO" results "$WORK/r.db" --columns l2.replacement,l2.optimal.fetched,l2.optimal.least,l2.optimal.excess --tsv >"$WORK/r.tsv"
check 'a point each' test "$(awk -F'\t' 'NR > 1 && $(NF - 1) > 0' "$WORK/r.tsv" | wc -l)" = 12
check 'no policy fetches less' awk -F'\t' 'NR > 1 && $(NF - 2) < $(NF - 1) { exit 1 }' "$WORK/r.tsv"
check 'some fetch more' test "$(awk -F'\t' 'NR > 1 && $NF > 0.01' "$WORK/r.tsv" | wc -l)" -gt 3

# ---- refused
refused 'no file' 'give -o FILE.parquet' "$RUBATO" replay wide $hash --accesses l2
refused 'a file alone' 'give --accesses LEVEL' "$RUBATO" replay wide $hash -o "$WORK/x.csv"
refused 'another ending' 'x.json' "$RUBATO" replay wide $hash --accesses l2 -o "$WORK/x.json"
refused 'no such cache' 'no cache l4; expected one of l1i, l1d, l2' "$RUBATO" replay wide $hash --no-cache --optimal l4
check 'and no file' test ! -e "$WORK/x.csv" -a ! -e "$WORK/x.json"
refused 'alone' 'leave out --alone' "$RUBATO" replay wide $hash --alone --optimal l2
refused 'a warm begin' 'leave out --warm functional' "$RUBATO" replay wide $hash --model detailed --warmup 100 --warm functional --optimal l2
exit $failures
