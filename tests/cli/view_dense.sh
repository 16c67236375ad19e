#!/usr/bin/env bash
# A window on a display with twice the usual dots an inch: as many points as elsewhere, twice the pixels each way, and the pointer is
# where it seems to be.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/display.sh
need_rubato

equal() {    # NAME GOT EXPECTED
    if [ -n "$2" ] && [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1"; echo "    got '$2', expected '$3'"; fi
}
png_size() { od -An -tu4 --endian=big -j16 -N8 "$1" | tr -s ' ' | sed 's/^ //'; }

open_display -dpi 192 -screen 0 2800x1800x24 || { skip 'a dense display (11): no Xvfb, or no windows'; exit $failures; }
export SDL_VIDEO_X11_XRANDR=0               # that of Xvfb does not know how large the display is
"$RUBATO" replay wide "$TRACES/triad" --every 1us --record "$WORK/wide.samples" --quiet </dev/null

scripted 'points, not pixels' wide.samples --speed max <<'S'
await ended
expect size 1280 800
move 2 2
frames 3
key s
await note written view-0001.png
S
equal 'a picture of twice the pixels' "$(png_size "$WORK/view-0001.png")" '2560 1600'
"$RUBATO" view "$WORK/wide.samples" --frames "$WORK/frames" --scale 2 </dev/null
check 'the same picture as without a display' cmp "$WORK/view-0001.png" "$WORK/frames/frame-0001.png"

scripted 'what is pointed at' wide.samples --speed max <<'S'
await ended
point component l2
await hover l2
point component l1i
await hover l1i
point bank
await hover mem
point text conflicts
await hover conflicts
press
release
await pinned conflicts
chart 0.25
await at ~17.1us
chart 0.75
await at ~51.4us
S
scripted 'the wheel zooms at the pointer' wide.samples --speed max <<'S'
await ended
chart 0.5
frames 2
expect at ~34.3us
wheel 548 520 3
frames 2
expect no whole
expect window ~16.7us ~51.8us
S
scripted 'dragging moves as far as the pointer' wide.samples --speed max <<'S'
await ended
chart 1
wheel 700 520 5
await no whole
expect window ~30.9us ~53.3us
move 600 500
press
move 510 500
move 500 500
release
await no dragging
expect window ~33.4us ~55.8us
S
scripted 'the size of the window' wide.samples --size 900x600 <<'S'
await ended
expect size 900 600
key s
await note written view-0002.png
resize 800 640
await size 800 640
frames 3
key s
await note written view-0003.png
S
equal 'its picture' "$(png_size "$WORK/view-0002.png")" '1800 1200'
equal 'and that of another size' "$(png_size "$WORK/view-0003.png")" '1600 1280'
scripted '--scale, in place of what the display is' wide.samples --size 900x600 --scale 1.5 <<'S'
await ended
expect size 900 600
move 890 590
frames 2
key s
await note written view-0004.png
S
equal 'its picture' "$(png_size "$WORK/view-0004.png")" '1350 900'
exit $failures
