#!/usr/bin/env bash
# What the live view needs is optional: the command does not link SDL2, says plainly when it is missing or not built in, and the
# font needs no file when it runs.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

if ! command -v readelf >/dev/null; then
    skip 'libraries that the command links: no readelf'
elif readelf -d "$RUBATO" | grep NEEDED | grep -qE 'SDL|png|freetype'; then
    not_ok 'the command links what only the view needs'
    readelf -d "$RUBATO" | grep NEEDED | sed 's/^/    /'
else
    ok 'the command does not link what only the view needs'
fi

# ---- built with it, but not there when it runs: files of these names that are no libraries
view() { LD_LIBRARY_PATH=$WORK/$1 "$RUBATO" view wide "$TRACES/triad" --frames "$WORK/frames" --at 1us; }
mkdir "$WORK/no-sdl" "$WORK/no-ttf"
: >"$WORK/no-sdl/libSDL2-2.0.so.0"
: >"$WORK/no-ttf/libSDL2_ttf-2.0.so.0"
view none >"$WORK/stdout" 2>&1 </dev/null && has_sdl=1 || has_sdl=0
if [ $has_sdl = 1 ]; then
    refused 'SDL2 is missing' 'needs libSDL2-2.0.so.0.*libsdl2-2.0-0.*--view=text' \
        env LD_LIBRARY_PATH="$WORK/no-sdl" "$RUBATO" view wide "$TRACES/triad" --frames "$WORK/frames" --at 1us
    refused 'SDL2_ttf is missing' 'needs libSDL2_ttf-2.0.so.0.*libsdl2-ttf-2.0-0.*--view=text' \
        env LD_LIBRARY_PATH="$WORK/no-ttf" "$RUBATO" view wide "$TRACES/triad" --frames "$WORK/frames" --at 1us
    LD_LIBRARY_PATH=$WORK/no-sdl "$RUBATO" view wide "$TRACES/triad" --view=text --sample 10us >"$WORK/text" 2>&1 </dev/null
    check 'text does without SDL2' test "$(wc -l <"$WORK/text")" -gt 3
else
    skip 'libraries that are missing (3): built without SDL2, or it is not installed'
    head -n 2 "$WORK/stdout" | sed 's/^/    /'
fi

# ---- built without it: the sources of the view alone
flags=$(pkg-config --cflags --libs cmocka)
# shellcheck disable=SC2086
if "$CC" -std=c17 -Wall -Wextra -Werror -I. -o "$WORK/without" viz/canvas.c viz/raster.c viz/glyphs.c viz/sdl.c viz/palette.c \
    memsys/fault.c tests/unit/test_canvas.c $flags -lm 2>"$WORK/stderr"; then
    if "$WORK/without" >"$WORK/stdout" 2>&1; then
        ok 'a view that was built without SDL2 says so'
    else
        not_ok 'a view that was built without SDL2 says so'
        tail -n 5 "$WORK/stdout" | sed 's/^/    /'
    fi
else
    not_ok 'the view is built without SDL2'
    head -n 5 "$WORK/stderr" | sed 's/^/    /'
fi
exit $failures
