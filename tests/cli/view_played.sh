#!/usr/bin/env bash
# rubato view of a recording: keys without effect there are refused; "." steps to the next sample at any speed and any
# sample distance; a finished run cannot be recorded.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/display.sh
. tests/support/recordings.sh
need_rubato

# ---- what would have no effect is refused
record() { "$RUBATO" replay wide "$TRACES/triad" --every "$2" --record "$WORK/$1" --quiet </dev/null; }
record far.samples 10us
refused 'another value in a recording' '--set works only for a run started here' "$RUBATO" view "$WORK/far.samples" --set l2.size=1MiB
refused 'kernels of a recording' '--kernels works only for a run started here' "$RUBATO" view "$WORK/far.samples" --kernels 1
refused 'another value in an attached run' '--set works only for a run' "$RUBATO" view --attach nobody --set l2.size=1MiB
refused 'times in an attached run' '--at needs --frames' "$RUBATO" view --attach nobody --at 2us
refused 'two runs as text' 'shows one run.*--compare' "$RUBATO" view wide "$TRACES/triad" --view text --compare etrace
refused 'a script as text' 'takes no keys.*--script' "$RUBATO" view wide "$TRACES/triad" --view text --script /dev/null

# ---- in a window
need_pictures 'recordings that are played (7)'

with_layout "$WORK/far.samples" "$WORK/always.samples" 's/"interval_ps":[0-9]*/"interval_ps":0/'
check 'one whose samples have no interval comes to its end' \
    timeout 60 "$RUBATO" view "$WORK/always.samples" --frames "$WORK/always" --at 20us,60us

record near.samples 3us
for speed in 1ns 1us; do
    scripted "a point is one sample, 10 us further, at $speed a frame" far.samples --speed $speed <<'S'
key space
await paused
frames 3
expect no samples 1
key .
frames 3
expect samples 1
expect no samples 2
key .
frames 3
expect samples 2
expect no samples 3
expect window 0 20us
S
done
# Samples at 3, 6, 9, 12 us and at 10 us: steps go to each of them.
scripted 'beside another recording, to the next sample of either' near.samples --compare far.samples --speed 1ns <<'S'
key space
await paused
frames 3
key .
frames 3
key .
frames 3
key .
frames 3
expect samples 3
expect window 0 9us
key .
frames 3
expect no samples 4
expect window 0 10us
key .
frames 3
expect samples 4
expect window 0 12us
S
"$RUBATO" replay wide "$TRACES/triad" --every 1us --until 20000000 --record "$WORK/short.samples" --quiet </dev/null
scripted 'a second run starts with the first, also when that was over' short.samples --compare far.samples --speed max <<'S'
await no running
expect window 0 ~68.5us
key c
await runs 1
expect window 0 20us
key c
await runs 2
await no running
expect window 0 ~68.5us
S
scripted 'nothing is recorded of what is over' far.samples --speed max <<'S'
await ended
key R
await note the run is over
expect no recording
S
check 'and no file is made' test -z "$(ls "$WORK"/view-*.samples 2>/dev/null)"
exit $failures
