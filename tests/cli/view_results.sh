#!/usr/bin/env bash
# rubato view after the end of a run: means and totals of the whole run, a moment when one is chosen; the run's bound,
# its metrics, and for two runs their differences and the speed-up. All values equal those of replay.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/display.sh
need_rubato
need_pictures 'results of runs in the view (9)'

# metric FILE NAME: a number of a summary in JSON
metric() { grep -o "\"$2\": *[-0-9.e+]*" "$1" | head -1 | awk '{ print $2 }'; }
"$RUBATO" replay wide "$TRACES/gups" --no-cache --quiet --summary "$WORK/a.json" </dev/null
"$RUBATO" replay wide "$TRACES/gups" --no-cache --quiet --summary "$WORK/b.json" --set cpu.rob=20 </dev/null
bound=$(grep -o '"text": *"[^"]*' "$WORK/a.json" | head -1 | sed 's/.*: *"//')

check 'replay prints its bound' test -n "$bound"

scripted 'a moment, then the whole run, then a moment again' wide "$TRACES/gups" --every 2us --speed max --no-cache <<'S'
await no running
expect totals
chart 0.5
frames 2
expect no totals
press
release
move 2 2
frames 2
expect no totals
chart 0.5
press
release
move 2 2
frames 2
expect totals
S
scripted 'what bounds it is what replay says' wide "$TRACES/gups" --every 2us --speed max --no-cache <<S
await no running
frames 2
point text bound by
frames 2
expect numbers ${bound%% (*}
expect numbers next: ${bound##*next: }
point text doubtful
frames 2
expect hover doubtful
S
scripted 'nothing is known before the end' wide "$TRACES/gups" --every 2us --speed 1us --no-cache <<'S'
at 4us
key m
expect mode watch
expect note metrics appear when a run started here is over
expect no totals
S
scripted 'metrics are those of the summary' wide "$TRACES/gups" --every 2us --speed max --no-cache <<S
await no running
key m
expect mode metrics
frames 2
point text time_ms
frames 2
expect numbers $(metric "$WORK/a.json" time_ms | awk '{ printf "%.4g ms", $1 }')
point text mem.gb_s
frames 2
expect numbers $(metric "$WORK/a.json" mem.gb_s | awk '{ printf "%.4g GB/s", $1 }')
key down
key end
key home
key m
expect mode watch
key m
key t
expect no dark
key escape
expect mode watch
key m
key q
S
rm -f "$WORK"/*.samples
"$RUBATO" replay wide "$TRACES/gups" --every 2us --record "$WORK/gups.samples" --quiet --no-cache </dev/null
scripted 'a recording has its whole run, and no metrics' "$WORK/gups.samples" --speed max <<'S'
await no running
expect totals
key m
expect note metrics appear when a run started here is over; a recording has samples but no statistics
S
speedup=$(awk -v a="$(metric "$WORK/a.json" time_ms)" -v b="$(metric "$WORK/b.json" time_ms)" 'BEGIN { printf "%.4g", a / b }')
scripted 'two runs: what differs, both times, the speed-up' wide "$TRACES/gups" --every 2us --speed max --no-cache --compare-set cpu.rob=20 <<S
expect runs 2
expect difference cpu.rob 192 vs 20
await no running
frames 2
point text compared
frames 2
expect numbers speed-up $speedup
expect numbers cpu.rob 192 vs 20
key m
frames 2
expect mode metrics
key m
key c
await runs 1
expect no difference cpu.rob
S
scripted 'the same system twice' wide "$TRACES/gups" --every 2us --speed max --no-cache --compare-set cpu.rob=192 <<'S'
expect difference the same system
await no running
frames 2
point text compared
frames 2
expect numbers equally fast
S
scripted 'the wheel over a legend moves it, and not time' quad "$TRACES/gups" "$TRACES/qsort" "$TRACES/triad" "$TRACES/gups" \
    --every 2us --speed max --no-cache --size 900x600 <<'S'
await no running
expect whole
frames 2
wheel 800 523 -9
frames 2
point text cpu3
frames 2
expect hover cpu3
wheel 800 523 +1
expect whole
wheel 400 523 +1
expect no whole
S
exit $failures
