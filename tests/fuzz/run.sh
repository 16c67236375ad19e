#!/usr/bin/env bash
# Fuzzes every tests/fuzz/fuzz_*.c under AddressSanitizer and UBSan, beginning with the kept corpus tests/fuzz/corpus/<target>/. New
# inputs go to $BUILD/fuzz/corpus/, findings to $BUILD/fuzz/findings/. Without clang's fuzzer the kept corpus is replayed by a gcc
# build. Each line says how many edges of the control flow the corpus covers.
#     FUZZ_SECONDS=N         seconds per target (10); with FUZZ_TOTAL_SECONDS=N all targets together
#     FUZZ_RUNS=N            executions in all, without a time limit, shared equally by the targets; 1e8 is fine
#     FUZZ_TARGETS=PATTERN   of their names; FUZZ_JOBS=N targets at a time (1)
#     FUZZ_OPTIMISE=-O0      (-O1): builds in a quarter of the time and runs at a third of the speed, for short runs
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

seconds=${FUZZ_SECONDS:-10} jobs=${FUZZ_JOBS:-1}
out=$BUILD/fuzz
targets=()
for target in tests/fuzz/fuzz_*.c; do
    name=$(basename "$target" .c)
    # shellcheck disable=SC2053
    [[ ${name#fuzz_} == ${FUZZ_TARGETS:-*} ]] && targets+=("${name#fuzz_}")
done
if [ -n "${FUZZ_RUNS:-}" ]; then
    limit=-runs=$(awk -v runs="$FUZZ_RUNS" -v targets=${#targets[@]} 'BEGIN { printf "%.0f", runs / targets }')
else
    [ -z "${FUZZ_TOTAL_SECONDS:-}" ] || seconds=$((FUZZ_TOTAL_SECONDS / ${#targets[@]}))
    limit=-max_total_time=$((seconds > 0 ? seconds : 1))
fi
mkdir -p "$out/findings"

libraries='libprotobuf-c zlib liblzma libzstd yaml-0.1 jansson sqlite3'
# Panels are drawn where the view can be built.
sdl=
if pkg-config --exists sdl2 SDL2_ttf libpng; then
    sdl="-DRUBATO_SDL $(pkg-config --cflags sdl2 SDL2_ttf libpng)"
    libraries="$libraries libpng"
fi
# As in the command: other packings, and the faster inflater.
optional=
pkg-config --exists libarchive && optional="-DRUBATO_ARCHIVE $(pkg-config --cflags libarchive)"
pkg-config --exists libisal && optional="$optional -DRUBATO_ISAL $(pkg-config --cflags libisal)"
zydis=
if printf '#include <Zydis/Zydis.h>\nint v[(ZYDIS_VERSION >> 48) >= 4 ? 1 : -1];' | gcc -fsyntax-only -x c - 2>/dev/null; then
    zydis=-DRUBATO_ZYDIS    # x86 is decoded where its library is
fi
optimise=${FUZZ_OPTIMISE:--O1}
built=$out/${optimise#-}
flags="-std=c17 -D_GNU_SOURCE= -g1 $optimise -fno-omit-frame-pointer -I. -I$out/gen $sdl $optional $zydis $(pkg-config --cflags $libraries)"
sanitizers=address,undefined
if echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n){(void)d;(void)n;return 0;}' |
    clang -fsanitize=fuzzer,$sanitizers -x c -o /dev/null - 2>/dev/null; then
    compiler=clang
    library_flags="$flags -fsanitize=fuzzer-no-link,$sanitizers -fno-sanitize-recover=all"
    link_flags="-fsanitize=fuzzer,$sanitizers"
    driver=
else
    compiler=gcc
    library_flags="$flags -fsanitize=$sanitizers -fno-sanitize-recover=all"
    link_flags="-fsanitize=$sanitizers"
    driver=tests/fuzz/run_corpus.c
fi

folders='base proto memsys replay sweep viz'
mkdir -p "$out/gen" "$built/obj"
# newest FOLDER... REGEX: the latest of the files whose paths it matches.
newest() { find "${@:1:$#-1}" -regex "${!#}" -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2-; }
# shellcheck disable=SC2086
if [ ! "$out/gen/made" -nt "$(newest $folders docs/spec '.*\(proto\|tsv\|tables.sh\)')" ]; then
    find $folders -name '*.proto' -exec protoc-c --c_out="$out/gen" {} + || { not_ok 'protoc-c'; exit 1; }
    mkdir -p "$out/gen/proto/macsim"
    proto/macsim/tables.sh >"$out/gen/proto/macsim/tables.h" || { not_ok 'tables of MacSim'; exit 1; }
    mkdir -p "$out/gen/replay/config"
    replay/config/shipped_files.sh $(find configs -name '*.yaml' ! -path 'configs/sweep/*' | LC_ALL=C sort) \
        >"$out/gen/replay/config/shipped_files.h" || { not_ok 'shipped systems'; exit 1; }
    touch "$out/gen/made"
fi
objects=()
# shellcheck disable=SC2086
latest=$(newest $folders "$out/gen" '.*\.h') latest_of_tests=$(newest tests/fuzz tests/support '.*\.h')
# But for what a captured program's host loads, and captures of kernels.
for source in $(find $folders "$out/gen" -path 'proto/capture/*/*' ! -path 'proto/capture/fast/*' -prune -o -name '*.c' -print) ${sdl:+viz/font/font.S}; do
    object=${source#"$out"/}
    object=$built/obj/${object//\//_}.o
    objects+=("$object")
    [ "$object" -nt "$source" ] && [ "$object" -nt "$latest" ] ||
        printf '%s -c -o %s %s\n' "$compiler $library_flags" "$object" "$source"
done >"$built/commands"
xargs -r -a "$built/commands" -d '\n' -P "$(nproc)" -n 1 sh -c || { not_ok 'build of the fuzz targets'; exit 1; }
if [ -s "$built/commands" ] || [ ! -e "$built/librubato.a" ] || [ "$(ar t "$built/librubato.a" | wc -l)" != ${#objects[@]} ]; then
    rm -f "$built/librubato.a"
    ar rcs "$built/librubato.a" "${objects[@]}"
fi

fuzz() {    # NAME: one target; says how it went
    local name=$1 corpus=tests/fuzz/corpus/$1 began=$SECONDS
    # shellcheck disable=SC2086
    if ! [ "$built/$name" -nt "$built/librubato.a" -a "$built/$name" -nt "tests/fuzz/fuzz_$name.c" -a "$built/$name" -nt "$latest_of_tests" ] &&
        ! $compiler $library_flags $link_flags -o "$built/$name" "tests/fuzz/fuzz_$name.c" $driver "$built/librubato.a" \
        $(pkg-config --libs $libraries) -lm -ldl; then
        not_ok "$name: build"
        return
    fi
    mkdir -p "$out/corpus/$name"
    if [ -n "$driver" ]; then
        check "$name: kept corpus ($(ls "$corpus" | wc -l) inputs)" "$built/$name" "$corpus"/*
        return
    fi
    if "$built/$name" "$limit" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
        -artifact_prefix="$out/findings/$name-" "$out/corpus/$name" "$corpus" >"$out/$name.log" 2>&1; then
        ok "$name: $(awk '/number_of_executed_units/ { print $2 }' "$out/$name.log") inputs in $((SECONDS - began)) s, $(
            sed -n 's/.*DONE *cov: \([0-9]*\).*/\1/p' "$out/$name.log") edges of its code covered"
    else
        not_ok "$name: see $out/findings"
        grep -avE '^#[0-9]+[[:space:]]+(NEW|REDUCE|pulse|INITED|RELOAD)' "$out/$name.log" | tail -n 40
    fi
}

running=0
for name in "${targets[@]}"; do
    [ $running -lt "$jobs" ] || { wait -n; running=$((running - 1)); }
    fuzz "$name" >"$out/$name.said" 2>&1 &
    running=$((running + 1))
done
wait
for name in "${targets[@]}"; do cat "$out/$name.said"; done
