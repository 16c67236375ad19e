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
    LD_LIBRARY_PATH=$WORK/no-sdl "$RUBATO" view wide "$TRACES/triad" --view=text --every 10us >"$WORK/text" 2>&1 </dev/null
    check 'text does without SDL2' test "$(wc -l <"$WORK/text")" -gt 3
else
    skip 'libraries that are missing (3): built without SDL2, or it is not installed'
    head -n 2 "$WORK/stdout" | sed 's/^/    /'
fi

# ---- built without it: the sources of the view alone
flags=$(pkg-config --cflags --libs cmocka)
# shellcheck disable=SC2086
if "$CC" -std=c17 -D_GNU_SOURCE= -Wall -Wextra -Werror -I. -o "$WORK/without" viz/draw/canvas.c viz/draw/raster.c viz/draw/glyphs.c viz/draw/sdl.c viz/draw/palette.c \
    base/fault.c tests/unit/viz/draw/test_canvas.c $flags -lm 2>"$WORK/stderr"; then
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
# ---- the command without it, and with shared libraries, as on a node of a cluster: what `make SDL= STATIC=` links
node_libraries='libz|libzstd|liblzma|libprotobuf-c|libyaml-0|libjansson|libsqlite3'
system_libraries='libc|libm|libdl|librt|libpthread|ld-linux[a-z0-9_-]*|linux-vdso|libgcc_s'
sanitizers=$(nm "$BUILD/librubato.a" 2>/dev/null | grep -q __asan_ && echo -fsanitize=address,undefined)
flags=$(pkg-config --cflags --libs libprotobuf-c zlib liblzma libzstd yaml-0.1 jansson sqlite3)
# shellcheck disable=SC2086
build_node() {
    mkdir -p "$WORK/node" &&
        find cli viz -name '*.c' -o -path 'cli/*.S' | xargs -P "$(nproc)" -I{} sh -c \
            '"$1" -std=c17 -D_GNU_SOURCE= -O0 -w $2 -I. -I"$3/gen" $4 -c -o "$5/$(echo {} | tr / _).o" {}' \
            sh "$CC" "$sanitizers" "$BUILD" "$(pkg-config --cflags libprotobuf-c zlib liblzma libzstd yaml-0.1 jansson sqlite3)" "$WORK/node" &&
        "$CC" $sanitizers -no-pie -pthread -o "$WORK/node/rubato" "$WORK"/node/*.o "$BUILD/librubato.a" $flags -lm -ldl -lrt
}
if ! build_node 2>"$WORK/stderr"; then
    not_ok 'the command is built without SDL2'
    head -n 5 "$WORK/stderr" | sed 's/^/    /'
    exit $failures
fi
ok 'the command is built without SDL2'
ln -s "$PWD/configs" "$WORK/node/configs"
node=$WORK/node/rubato
if command -v readelf >/dev/null; then
    needed=$(readelf -d "$node" | sed -n 's/.*(NEEDED).*\[\(.*\)\.so.*/\1/p')
    others=$(echo "$needed" | grep -vxE "$node_libraries|$system_libraries|lib[atu]*san")
    check "it needs no more than zlib, liblzma, protobuf-c, libyaml, jansson, SQLite ($(echo $needed))" test -z "$others"
    [ -z "$others" ] || echo "    besides: $others"
    check 'and these it does need' test "$(echo "$needed" | grep -cxE "$node_libraries")" = 7
else
    skip 'libraries of the command without SDL2 (2): no readelf'
fi
refused 'without SDL2 a window is refused in a line' 'built without SDL2.*--view=text' "$node" view wide "$TRACES/triad" --no-cache
refused 'so are pictures' 'built without SDL2' "$node" view wide "$TRACES/triad" --frames "$WORK/none" --at 1us
refused 'so is a window beside a replay' 'built without SDL2' "$node" replay wide "$TRACES/triad" --view
"$node" view wide "$TRACES/triad" --view=text --every 10us >"$WORK/node-text" 2>&1 </dev/null
"$RUBATO" view wide "$TRACES/triad" --view=text --every 10us >"$WORK/text" 2>&1 </dev/null
check 'text is the same without SDL2' cmp "$WORK/text" "$WORK/node-text"
check 'and there is some' test "$(wc -l <"$WORK/text")" -gt 3
exit $failures
