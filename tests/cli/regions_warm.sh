#!/usr/bin/env bash
# Regions that begin warm: what rubato regions keeps, walks over all before a region, files that are damaged or unfinished.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
cp "$TRACES/detailed/sort.rbt" "$WORK" || exit 1
cd "$WORK" || exit 1

plain=(--model detailed --set cpu.wrongPathValues=no)
tlb=(--set cpu.tlb.l1d.entries=16 --set cpu.tlb.l2.entries=64 --set cpu.tlb.l2.assoc=4)
value() { awk -v name="\"$2\":" '$1 == name { sub(/,$/, "", $2); value = $2; print value; exit }' "$1"; }
near() { awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { off = a / b - 1; exit !(b > 0 && off <= most && off >= -most) }'; }
replay() { local name=$1; shift; "$RUBATO" replay detailed/base sort.regions "${plain[@]}" --quiet --summary "$name.json" "$@"; }
metrics() { awk '/"metrics"/ { on = 1 } on' "$1"; }

"$RUBATO" regions sort.rbt --interval 2k --warmup 2k --method systematic --regions 20 >said
check 'regions: says what is kept' eval 'grep -qE "^kept +20 states, [0-9.e-]+ MB each, in sort.regions.warm$" said'
check 'at most 1 MB a region' eval 'test $(wc -c <sort.regions.warm) -le $((20 << 20))'

# ---- the whole trace lies within the window here, so that both ways are the same to the last line
replay kept && replay usual && replay functional --warm functional && replay kept_plain --engine plain && replay functional_plain --engine plain --warm functional
check 'kept: what a walk over all before a region gives' cmp <(metrics kept.json) <(metrics functional.json)
check 'kept is the usual way' cmp <(metrics kept.json) <(metrics usual.json)
check 'kept: both engines agree' cmp <(metrics kept.json) <(metrics kept_plain.json)
check 'functional: both engines agree' cmp <(metrics functional.json) <(metrics functional_plain.json)
replay tlb_kept "${tlb[@]}" && replay tlb_functional "${tlb[@]}" --warm functional
check 'with TLBs, page walks and a page map, too' eval 'cmp <(metrics tlb_kept.json) <(metrics tlb_functional.json) && ! cmp -s <(metrics tlb_kept.json) <(metrics kept.json)'
replay skylake_kept --set cpu.branchPred.type=tage_sc_l --set l2.replacement=drrip && replay skylake_functional --set cpu.branchPred.type=tage_sc_l --set l2.replacement=drrip --warm functional
check 'with another predictor and policy' cmp <(metrics skylake_kept.json) <(metrics skylake_functional.json)

# ---- against the whole run
replay cold --warm none && replay detailed --warm detailed
"$RUBATO" replay detailed/base sort.rbt "${plain[@]}" --quiet --summary whole.json
for metric in cpi l1d.mpki branch.mpki; do
    check "warm: $metric is that of the whole" near "$(value kept.json $metric)" "$(value whole.json $metric)" 0.12
done
check 'cold: CPI is too high' eval '! near "$(value cold.json cpi)" "$(value whole.json cpi)" 0.12'
"$RUBATO" replay detailed/base sort.regions "${plain[@]}" >shown
check 'replay: says how regions begin' grep -q '^begun         warm, with what is kept for each region$' shown

# ---- files
"$RUBATO" regions sort.rbt --interval 2k --warmup 2k --method systematic --regions 20 -o again.regions --quiet
check 'the same again' cmp sort.regions.warm again.regions.warm
size=$(wc -c <again.regions.warm)
# a limit of the file's size kills the command by a signal in the midst of its states
killed() { (ulimit -f $((size / 2048)) && exec "$RUBATO" regions sort.rbt --interval 2k --warmup 2k --method systematic --regions 20 -o killed.regions --quiet) >said 2>&1; }
{ killed; code=$?; } 2>/dev/null
check 'killed: by a signal' test $code -gt 128
"$RUBATO" regions sort.rbt --interval 2k --warmup 2k --method systematic --regions 20 -o killed.regions >said
check 'killed: what was finished is kept, and the whole is the same' eval 'grep -qE "^ +[1-9][0-9]* of these by the command that was stopped$" said && cmp sort.regions.warm killed.regions.warm && cmp sort.regions killed.regions'
printf 'rbtwarm\n' | dd of=killed.regions.warm bs=1 conv=notrunc status=none
refused 'states of an earlier version' 'killed.regions.warm: .*an earlier version; make it again with .rubato regions' "$RUBATO" replay detailed/base killed.regions "${plain[@]}"
head -c $((size / 2)) sort.regions.warm >again.regions.warm
refused 'a file that is cut' 'again.regions.warm: .*the same command goes on' "$RUBATO" replay detailed/base again.regions "${plain[@]}"
"$RUBATO" regions sort.rbt --interval 2k --warmup 2k --method systematic --regions 20 -o again.regions >said
check 'unfinished: the same command goes on' eval 'grep -qE "^ +[0-9]+ of these by the command that was stopped$" said && cmp sort.regions.warm again.regions.warm'
head -c $((size / 2)) sort.regions.warm >again.regions.warm
"$RUBATO" regions sort.rbt --interval 2k --warmup 3k --method systematic --regions 20 -o again.regions >said
check 'unfinished, of other regions: begins anew' eval '! grep -q stopped said && grep -qE "^kept +20 states" said'
cp sort.regions.warm damaged.regions.warm && cp sort.regions damaged.regions
printf 'x' | dd of=damaged.regions.warm bs=1 seek=$((size / 3)) conv=notrunc status=none
refused 'a file that is damaged' 'damaged.regions.warm: .*make it again with .rubato regions' "$RUBATO" replay detailed/base damaged.regions "${plain[@]}"
"$RUBATO" regions sort.rbt --interval 3k --warmup 2k --method systematic --regions 20 -o other.regions --quiet
cp other.regions.warm damaged.regions.warm
refused 'states of other regions' 'its states are of other regions' "$RUBATO" replay detailed/base damaged.regions "${plain[@]}"
"$RUBATO" regions "$TRACES/detailed/hash.rbt" --interval 2k --method systematic --regions 9 -o hash.regions --quiet
cp hash.regions.warm damaged.regions.warm
refused 'states of another trace' 'its states are of another trace' "$RUBATO" replay detailed/base damaged.regions "${plain[@]}"
"$RUBATO" regions sort.rbt --interval 2k --warmup 2k --method systematic --regions 20 -o other.regions --quiet --keep 0
check 'nothing is kept' test ! -e other.regions.warm
refused 'kept, where nothing is' 'choose them anew with .rubato regions., or give --warm functional' "$RUBATO" replay detailed/base other.regions "${plain[@]}" --warm kept
"$RUBATO" regions sort.rbt --interval 2k --warmup 2k --method systematic --regions 20 -o small.regions --quiet --keep 1KiB || not_ok "--keep"
refused 'a cache larger than what is kept' 'its l.* has [0-9]+ KiB, but the regions keep lines for 1 KiB; make them again with .rubato regions --keep 2048KiB' "$RUBATO" replay detailed/base small.regions "${plain[@]}"
"$RUBATO" regions sort.rbt --interval 2k --warmup 2k --method systematic --regions 20 -o small.regions --quiet --keep 2048KiB
check 'the advice mends it' "$RUBATO" replay detailed/base small.regions "${plain[@]}"
refused 'a method that is none' '--warm hot; expected kept, functional, detailed or none' "$RUBATO" replay detailed/base sort.regions "${plain[@]}" --warm hot
refused 'lines of another size' '--warm detailed' "$RUBATO" replay detailed/base sort.regions "${plain[@]}" --set line=128B
exit $failures
