#!/usr/bin/env bash
# Requests of one's own through the public library against `rubato traffic` with the same requests: docs/examples/drive.c and drive.cpp
# with the shared library, drive.c with the static one too. Time is user + system time of the process, the least of RUNS runs by turns, of
# REQUESTS requests to one channel of DDR4-2400, 64 under way, 4 reads to 1 write. Exit 1 if one takes 10 % more than the command.
# library.sh [REQUESTS]
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

requests=${1:-3000000}
runs=${RUNS:-5}
version=$("$RUBATO" --version | awk 'NR == 1 { print $2 }')
made=$BUILD/library
[ -e "$made/librubato.a" ] || { not_ok "there is no $made/librubato.a; make library builds it"; exit 1; }
ln -s "$PWD/$made/librubato.so.$version" "$WORK/librubato.so.${version%.*}"
ln -s "librubato.so.${version%.*}" "$WORK/librubato.so"
flags="-O2 -Iinclude docs/examples/drive"
"$CC" $flags.c -L"$WORK" -lrubato -Wl,-rpath,"$WORK" -o "$WORK/c" &&
    g++ $flags.cpp -L"$WORK" -lrubato -Wl,-rpath,"$WORK" -o "$WORK/c++" &&
    "$CC" $flags.c "$made/librubato.a" $(pkg-config --libs zlib liblzma libzstd yaml-0.1 jansson) -lm -ldl -lrt -pthread -o "$WORK/static" || exit 1
awk 'BEGIN { place = 1
    for (i = 0; i < 65536; i++) {
        if (i) place = place * 48271 % 2147483647
        printf "%.0f %s\n", place * 64 % 536870912, place % 5 ? "R" : "W"
    } }' >"$WORK/requests"

TIMEFORMAT='%U %S'
run() {    # NAME: user + system time
    local words=("$WORK/$1" DDR4_2400_8x8 "$requests")
    [ "$1" != traffic ] || words=("$RUBATO" traffic default --set memory.device=DDR4_2400_8x8 --set memory.policy=device --trace "$WORK/requests" --outstanding 64
        --requests "$requests" --warmup 0 --tsv)
    { time "${words[@]}" >"$WORK/output" 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}
declare -A least
for ((i = 0; i < runs; i++)); do
    for name in traffic c c++ static; do
        least[$name]=$(awk -v a="${least[$name]:-}" -v b="$(run $name)" 'BEGIN { print a == "" || b < a ? b : a }')
    done
done
printf '%-8s %10s %8s %12s %8s\n' program requests seconds requests/s times
for name in traffic c c++ static; do
    awk -v name=$name -v n="$requests" -v s="${least[$name]}" -v of="${least[traffic]}" 'BEGIN {
        printf "%-8s %10d %8.3f %12.0f %8.3f\n", name, n, s, n / (s > 0 ? s : 0.001), s / (of > 0 ? of : 0.001)
        exit s > 1.1 * of }' || failures=1
done
exit $failures
