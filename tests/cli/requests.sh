#!/usr/bin/env bash
# Requests that are followed: replay --requests, its recordings, Perfetto's traces of them, and the view's list of a moment.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
DECODE=$BUILD/tests/tools/perfetto_decode

equal() {    # NAME GOT EXPECTED
    if [ -n "$2" ] && [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1"; echo "    got '$2', expected '$3'"; fi
}
replay() { "$RUBATO" replay "$@" --no-cache --quiet </dev/null; }

refused 'nowhere to put them' '--requests goes into a recording or a window' "$RUBATO" replay wide "$TRACES/triad" --requests
refused 'a GPU alone' '--requests is not for GPU traces' "$RUBATO" replay qv100 "$TRACES/gpu/volta-bfs-2blocks" --requests \
    --record "$WORK/gpu.samples"

# followed NAME SYSTEM TRACES...: the run is the same, its slices are sound, and say how long requests took
followed() {
    local name=$1
    shift
    replay "$@" --stats "$WORK/without.txt"
    replay "$@" --stats "$WORK/with.txt" --record "$WORK/$name.samples" --every 1us --requests
    check "$name: same statistics with requests and without" cmp -s "$WORK/without.txt" "$WORK/with.txt"
    "$RUBATO" export "$WORK/$name.samples" --perfetto "$WORK/$name.perfetto"
    "$DECODE" "$WORK/$name.perfetto" "$WORK/$name.samples" >"$WORK/$name.txt"
    equal "$name: slices lie inside each other" $? 0
    check "$name: requests have legs" awk '/^slice cpu/ { slices++ } /^leg cpu/ { legs++ } END { exit !(slices > 20 && legs > slices) }' \
        "$WORK/$name.txt"
    # Legs of a request come before it, one after the other, from its begin to its end.
    check "$name: without gaps" awk '
        /^leg/ { if (begun && $5 != at) bad++; if (!begun) first = $5; begun = 1; at = $6 }
        /^slice cpu/ { if (begun && (first != $5 || at != $6)) bad++; begun = 0 }
        END { exit bad > 0 }' "$WORK/$name.txt"
}
followed wide wide "$TRACES/gups"
followed quad quad "$TRACES/gups" "$TRACES/qsort" "$TRACES/triad" "$TRACES/gups"
followed l1 etrace "$TRACES/triad"
followed hetero hetero "$TRACES/triad" "$TRACES/gpu/volta-bfs-2blocks"
followed detailed configs/detailed/base.yaml tests/traces/detailed/chase.rbt
followed window wide "$TRACES/triad" --model window
check 'those of memory name bank and row' grep -q '^leg cpu0 .* rank [01] bank [0-9]*, row [0-9]*: ' "$WORK/quad.txt"
check 'and the buses' grep -q '^leg cpu0 .* cpu0\.tol2bus, cpu0\.l2: miss$' "$WORK/quad.txt"
# The slowest of all is followed: it took as long as the log says.
replay wide "$TRACES/gups" --log "$WORK/log"
slowest=$(awk '$2 == "cpu.data" && $3 == "send" { at[$5] = $1 } $2 == "cpu.data" && $3 == "recv" && ($5 in at) {
                   ns = int($1 / 1000) - int(at[$5] / 1000); if (ns > most) most = ns; delete at[$5] } END { print most }' "$WORK/log")
equal 'the slowest of all is among them' "$(awk '/^slice cpu requests/ { if ($6 - $5 > most) most = $6 - $5 } END { print most }' \
    "$WORK/wide.txt")" "$slowest"
replay wide "$TRACES/gups" --record "$WORK/plain.samples" --every 1us
"$RUBATO" export "$WORK/plain.samples" --csv "$WORK/plain.csv"
"$RUBATO" export "$WORK/wide.samples" --csv "$WORK/wide.csv"
refused 'a recording that is viewed' '--requests works only for a run started here' "$RUBATO" view "$WORK/plain.samples" --requests
check 'samples are the same with requests and without' cmp "$WORK/plain.csv" "$WORK/wide.csv"
head -c $(($(wc -c <"$WORK/wide.samples") / 2)) "$WORK/wide.samples" >"$WORK/cut.samples"
"$RUBATO" export "$WORK/cut.samples" --perfetto "$WORK/cut.perfetto" 2>"$WORK/stderr"
equal 'a recording that breaks off: exit code' $? 2
check 'its whole part is exported' test -s "$WORK/cut.perfetto"

# ---- in the view
. tests/support/recordings.sh
. tests/support/display.sh
open_display || { skip 'the view (3): no Xvfb, or no SDL2'; exit $failures; }
scripted 'a click on a latency lists requests' quad "$TRACES/gups" --requests --speed max <<'S'
await ended
point chart Load latency
press
release
await mode requests
await requests 8
point request cpu
await hover cpu
press
release
point text membus
await hover membus
chart 0.9
press
release
await at ~141us
expect mode requests
key left
key right
key down
key end
key home
expect mode requests
key l
await mode watch
key r
await note written view-0001.samples
S
"$RUBATO" export "$WORK/view-0001.samples" --perfetto "$WORK/view.perfetto" &&
    "$DECODE" "$WORK/view.perfetto" "$WORK/view-0001.samples" >"$WORK/view.txt"
check 'recordings of the view have requests' grep -q '^slice cpu0 requests' "$WORK/view.txt"
scripted 'a run that does not follow requests starts anew' wide "$TRACES/gups" --speed max <<'S'
await ended
chart 0.5
press
release
key l
await mode requests
expect requests 0
expect no requests 1
key enter
await note with request tracing
await ended
await mode requests
await requests 8
key escape
await mode watch
S
scripted 'a recording has them' wide.samples --speed max <<'S'
await ended
point chart Load latency
press
release
await mode requests
await requests 8
key q
S
exit $failures
