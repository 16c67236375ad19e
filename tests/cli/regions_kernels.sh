#!/usr/bin/env bash
# Regions of GPU kernels: launches that stand for all of a list, run behind the launches before them.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
mkdir "$WORK/list" && cp "$TRACES"/gpu/volta-bfs-2blocks/kernel* "$WORK/list" || exit 1
cd "$WORK" || exit 1

value() { awk -v name="\"$2\":" '$1 == name { sub(/,$/, "", $2); print $2; exit }' "$1"; }
near() { awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { off = a / b - 1; exit !(b > 0 && off <= most && off >= -most) }'; }

# The same list of 12 launches: each kernel several times.
kernels=$(grep -v '^Memcpy' list/kernelslist.g)
head -1 list/kernelslist.g | grep '^Memcpy' >list/long.g
for i in 1 2 3 4 5 6; do echo "$kernels"; done >>list/long.g
mv list/long.g list/kernelslist.g
launches=$(grep -c -v '^Memcpy' list/kernelslist.g)

"$RUBATO" replay h100 list --quiet --summary whole.json
"$RUBATO" regions list --regions 1000 --warmup 1000 -o all.regions >said
check 'says what it found' eval "grep -q \"^program       $launches launches of kernels, $(value whole.json gpu.warp_insts) warp instructions$\" said"
"$RUBATO" replay h100 all.regions --quiet --summary all.json
for metric in time_ms gpu.warp_insts gpu.l2_hit_rate gpu.latency_ns; do
    check "all launches, each behind all before it: $metric is that of the whole" near "$(value all.json $metric)" "$(value whole.json $metric)" 1e-6
done
"$RUBATO" regions list --method simpoint -o one.regions >said
check 'simpoint: a launch a group' test "$(grep -c ^stratum one.regions)" = "$(grep -c ^region one.regions)"
check 'simpoint: fewer than launches' test "$(grep -c ^region one.regions)" -lt "$launches"
"$RUBATO" replay h100 one.regions --quiet --summary one.json
check 'simpoint: near the whole' near "$(value one.json time_ms)" "$(value whole.json time_ms)" 0.1
"$RUBATO" regions list --regions 4 >said
check 'the usual name' test -s list.regions
"$RUBATO" replay h100 list.regions >shown
check 'stratified: an interval' eval 'grep -qE "^time_ms +[0-9.]+ ± [0-9.]+ ms$" shown && grep -q "^begun         warm, behind the launches before each$" shown'
"$RUBATO" regions list --regions 4 --warmup 0 -o behind_none.regions --quiet
"$RUBATO" replay h100 behind_none.regions >shown
check 'without a warm-up: cold' grep -q '^begun         cold$' shown
"$RUBATO" regions list --regions 4 -o again.regions --quiet
check 'the same again' cmp list.regions again.regions
"$RUBATO" trace pack list -o list.pack --quiet
"$RUBATO" regions list.pack --regions 4 -o pack.regions --quiet
check 'the same of a store' cmp <(grep -v '^trace\|^mark' list.regions) <(grep -v '^trace\|^mark' pack.regions)
printf 'system: h100\ntraces: [list.regions]\naxes:\n  gpu.sms: [66, 132]\n' >sweep.yaml
"$RUBATO" sweep sweep.yaml -o swept.db >said
check 'a sweep takes them' near "$("$RUBATO" results swept.db --columns time_ms --tsv | tail -1)" "$("$RUBATO" replay h100 list.regions --quiet --summary - | awk '$1 == "\"time_ms\":" { sub(/,/, "", $2); print $2; exit }')" 1e-3
"$RUBATO" view h100 list.regions --view text >viewed
check 'the view shows one' grep -qE '^ *[0-9.]+ us +read' viewed

refused 'on cores' 'run on a GPU with memory of its own' "$RUBATO" replay detailed/base list.regions --model detailed
refused 'nothing is kept for them' 'give detailed or none in place of --warm kept' "$RUBATO" replay h100 list.regions --warm kept
refused 'regions of instructions on a GPU' 'detailed cores' "$RUBATO" replay h100 "$(cp "$TRACES/detailed/sort.rbt" . && "$RUBATO" regions sort.rbt --interval 2k --quiet --keep 0 && echo sort.regions)"
refused 'systematic' '--method systematic is for instruction traces' "$RUBATO" regions list --method systematic
refused 'intervals' '--interval is for instruction traces' "$RUBATO" regions list --interval 5
refused 'an error' '--error is for instruction traces' "$RUBATO" regions list --error 1%
refused 'a cut trace' '--cut is for instruction traces' "$RUBATO" regions list --cut x.rbt
sed 's/^unit.*/unit	blocks/' list.regions >bad.regions
refused 'another unit' 'unit blocks; expected kernels' "$RUBATO" replay h100 bad.regions
printf x >>list/kernel-3.traceg.gz
refused 'of a kernel that has changed' 'its regions are of another trace' "$RUBATO" replay h100 list.regions
exit $failures
