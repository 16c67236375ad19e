#!/usr/bin/env bash
# A core or SM that is chosen in the view: the charts show it alone and name it, by a click in the diagram or by the search; Esc or
# a click beside it brings back all.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/display.sh
need_rubato

need_pictures 'a chosen core (10)'

four="$TRACES/gups $TRACES/qsort $TRACES/triad $TRACES/gups"
# shellcheck disable=SC2086
"$RUBATO" replay quad $four --record "$WORK/quad.samples" --every 1us --until 20000000 --quiet </dev/null
scripted 'a click in the diagram' "$WORK/quad.samples" --speed max <<'S'
await ended
point chart Core cycles at
point component cpu2
press
release
await pinned cpu2
point chart Core cycles of cpu2 at
await hover Core cycles of cpu2 at
point chart Core buffers of cpu2 at
await hover Core buffers of cpu2 at
point chart Load latency of cpu2 at
await hover Load latency of cpu2 at
point chart Memory traffic of cpu2 at
await hover Memory traffic of cpu2 at
point chart Memory bandwidth at
await hover Memory bandwidth at
point component cpu1
press
release
await pinned cpu1
point chart Core cycles of cpu1 at
await hover Core cycles of cpu1 at
key escape
await hover Core cycles at
S
scripted 'another click lets go, as one of a cache does' "$WORK/quad.samples" --speed max <<'S'
await ended
point component cpu2
press
release
await pinned cpu2
press
release
await no pinned
point chart Core cycles at
await hover Core cycles at
point component cpu2
press
release
await pinned cpu2
point component cpu2.l1d
press
release
await pinned cpu2.l1d
point chart Core cycles at
await hover Core cycles at
S
scripted "gem5's name finds a component, too" "$WORK/quad.samples" --speed max <<'S'
await ended
key /
type l1d2
await found cpu2.l1d
key enter
await pinned cpu2.l1d
S
scripted 'a click in a chart pins a moment of the core' "$WORK/quad.samples" --speed max <<'S'
await ended
point component cpu2
press
release
await pinned cpu2
point chart Core cycles of cpu2
press
release
await pinned Core cycles of cpu2 at
press
release
await no pinned
expect hover Core cycles of cpu2 at
S
scripted 'the search' "$WORK/quad.samples" --speed max <<'S'
await ended
key /
type cpu3
await found cpu3
point chart Core cycles of cpu3 at
key escape
frames 2
point chart Core cycles at
key /
type cpu3
key enter
await pinned cpu3
point chart Core cycles of cpu3 at
await hover Core cycles of cpu3 at
key escape
await hover Core cycles at
S
scripted 'beside another run' "$WORK/quad.samples" --compare "$WORK/quad.samples" --speed max <<'S'
await ended
point component cpu2
press
release
await pinned cpu2
point chart Core cycles of cpu2 at
await hover Core cycles of cpu2 at
S
scripted 'before the course of the run before' wide "$TRACES/triad" --every 1us --speed max <<'S'
await ended
point component cpu
press
release
await pinned cpu
point chart Core cycles of cpu at
key p
key down
key down
frames 2
expect parameter cpu.rob 192
key right
key enter
await note restarted with cpu.rob=384
await ended
expect old
expect mode watch
frames 2
point chart Core cycles of cpu at
key escape
frames 2
point chart Core cycles at
S
scripted 'a cell of a group' many-64c-16ch "$TRACES/triad" --every 1us --speed max <<'S'
at 4us
point component cpu41
press
release
await pinned cpu41
point chart Core cycles of cpu41 at
await hover Core cycles of cpu41 at
S
scripted 'a group names its largest members; those that a search finds are listed' many-64c-16ch "$TRACES/gups" --every 1us --speed max <<'S'
at 4us
key space
await paused
move 65 114
await hover 64
await numbers cpu
key /
type cpu4
await found cpu40
key down
key down
await found cpu42
frames 2
key enter
await pinned cpu42
S
scripted 'an SM' rtx2060 "$TRACES/gpu-raw" --kernels 2 --set gpu.launch_latency=100 --every 50ns --speed max <<'S'
await ended
key /
type sm
await found sm00
key enter
await pinned sm00
point chart SM schedulers of sm00 at
await hover SM schedulers of sm00 at
point chart L2 traffic of sm00 at
await hover L2 traffic of sm00 at
point chart GPU read latency at
await hover GPU read latency at
point chart Warps of sm00 at
await hover Warps of sm00 at
key escape
await hover Warps at
S
exit $failures
