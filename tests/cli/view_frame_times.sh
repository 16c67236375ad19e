#!/usr/bin/env bash
# 99 % of the frames of a window of 1280x800 take less than 16.7 ms of processor time, of a core and of 64 cores with
# 16 channels, beside the run and with a moving pointer: on SDL's software renderer, and in the window's own memory,
# the usual case on X. Each frame is drawn, sixty a second. By the clock they may take longer on a machine that has
# other work; that is printed, and not judged.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/display.sh
need_rubato
limit_ms=16.7
if nm "$RUBATO" 2>/dev/null | grep -q '__[atu]\{1,2\}san_'; then
    skip 'times of frames (8): a build with sanitizers'
    exit 0
fi
open_display || { skip 'times of frames (8): there is no Xvfb, or no SDL2'; exit 0; }
for i in $(seq 400); do echo "move $((i * 37 % 1280)) $((i * 23 % 800))"; done >"$WORK/script"

frames() {    # SYSTEM TRACE SPEED ON
    "$RUBATO" view "$1" "$2" --speed "$3" --size 1280x800 --frame-times --script "$WORK/script" >"$WORK/out" 2>"$WORK/times" </dev/null
    check "$1, $4: the view ends well" test $? = 0
    local work=$(sed -n 's/.*processor time: .*99 % at most \([0-9.]*\) ms.*/\1/p' "$WORK/times")
    if awk -v work="$work" -v limit=$limit_ms -v frames="$(sed -n 's/^rubato: \([0-9]*\) frames, processor.*/\1/p' "$WORK/times")" \
        'BEGIN { exit !(work > 0 && work < limit && frames >= 300) }'; then
        ok "$1, $4: 99 % of at least 300 frames below $limit_ms ms of processor time"
    else
        not_ok "$1, $4: 99 % of at least 300 frames below $limit_ms ms of processor time"
    fi
    sed 's/^rubato:/   /' "$WORK/times"
}
for driver in '' software; do
    [ -n "$driver" ] && export SDL_RENDER_DRIVER=$driver on="SDL's software renderer" || on="the window's memory"
    frames wide "$TRACES/gups" 100ns "$on"
    frames many-64c-16ch "$TRACES/triad" 100ns "$on"
done
exit $failures
