#!/usr/bin/env bash
# Sizes that are no power of two: sets of L2, L3 and the cache before the memories, and any number of channels. Both engines agree, no
# channel has more than its share, and the index functions are stated.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

agree() {    # NAME REPLAY...: plain and fast give the same statistics
    local name=$1
    shift
    "$RUBATO" replay "$@" --quiet --no-cache --stats "$WORK/fast.json" || not_ok "$name: fast"
    "$RUBATO" replay "$@" --quiet --no-cache --engine plain --stats "$WORK/plain.json" || not_ok "$name: plain"
    check "$name: both engines agree" cmp -s "$WORK/fast.json" "$WORK/plain.json"
}
four=("$TRACES/gups" "$TRACES/triad" "$TRACES/qsort" "$TRACES/gups" --records 3000)
agree 'an L3 of 12 MiB and 16 ways' laptop "$TRACES/gups" --set l3.assoc=16
agree 'small ones everywhere' quad "${four[@]}" --set l2.size=24KiB --set l3.size=72KiB --set l3.assoc=6 --set memory_cache.size=96KiB \
    --set memory_cache.assoc=8 --set memory.channels=3
agree 'exclusive, with prefetchers' phone "$TRACES/triad" --set l3.size=192KiB --set l2.size=48KiB --set l2.prefetcher=stride --set l3.prefetcher=stream
for policy in drrip ship tree_plru random; do
    agree "$policy" wide "$TRACES/gups" --records 8000 --set l2.size=96KiB --set l2.replacement=$policy
done
for channels in 3 6 12; do
    agree "$channels channels" quad "${four[@]}" --set memory.channels=$channels
    agree "$channels channels, hashed" server "$TRACES/gups" --records 5000 --set memory.channels=$channels
done
agree 'pseudo-channels' hbm "$TRACES/gups" --records 5000 --set memory.channels=6
agree 'rows in turn' wide "$TRACES/gups" --records 5000 --set memory.channels=3 --set memory.dram.addr_mapping=RoRaBaChCo
agree 'a GPU beside' hetero "${four[@]}" --set gpu=none --set memory.channels=6

# ---- streams: equal shares
for channels in 3 6 12; do
    "$RUBATO" replay wide "$TRACES/triad" --quiet --no-cache --set memory.channels=$channels --set l2=none --stats "$WORK/stats.json"
    shares=$(grep -oE '"system\.mem_ctrls[0-9]+\.dram\.bytesRead::total": [0-9]+' "$WORK/stats.json" | awk '{ print $2 }' | sort -n)
    check "$channels channels have a share each" test "$(echo "$shares" | wc -l)" = $channels
    check "$channels channels: equal shares" awk -v low="$(echo "$shares" | head -n 1)" -v high="$(echo "$shares" | tail -n 1)" \
        'BEGIN { exit !(low > 0 && high < 1.25 * low) }'
done
check 'the index function is shown' grep -q '12MiB, 16 ways.* set: line mod 12288' <("$RUBATO" config show laptop --set l3.assoc=16)
check 'no message for powers of two' test "$("$RUBATO" config show laptop | grep -c 'line mod')" = 0
refused 'no whole number of sets' 'makes no whole number of sets; give 12582720B or 12583808B' "$RUBATO" config show laptop --set l3.assoc=17
refused 'L1s have a power of two' 'makes no power of two of sets; give 32KiB or 64KiB' "$RUBATO" config show wide --set l1d.size=48KiB
exit $failures
