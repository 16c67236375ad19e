#!/usr/bin/env bash
# The public library, as make install installs it: which names it has, its file for pkg-config, and the examples of docs/examples with
# it, in C and C++, shared and static, in another folder. RACES=1 lets Valgrind look at its threads. Its contract in
# detail: unit/replay/library/test_library.c.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

if nm "$RUBATO" 2>/dev/null | grep -q __asan_init; then
    skip 'the library, installed (20): a build with sanitizers'
    exit 0
fi
# One such make at a time: install.sh has another.
prefix=$WORK/root/opt/rubato
if ! flock "$BUILD/install.lock" make --no-print-directory -s -j2 CC="$CC" install-here DESTDIR="$WORK/root" PREFIX=/opt/rubato \
    LIBDIR=/opt/rubato/lib/multi >"$WORK/log" 2>&1; then
    not_ok 'install'
    tail -n 5 "$WORK/log" | sed 's/^/    /'
    exit 1
fi
shared=$(readlink -f "$prefix/lib/multi/librubato.so")
version=$("$RUBATO" --version | awk 'NR == 1 { print $2 }')

# ---- names
sed -n 's/^RUBATO_API.*\(rubato_[a-z_]*\)(.*/\1/p' include/rubato.h | sort -u >"$WORK/declared"
nm -D --defined-only "$shared" | awk '{ print $NF }' | sort >"$WORK/shared"
nm -g --defined-only "$prefix/lib/multi/librubato.a" | awk 'NF == 3 { print $3 }' | sort >"$WORK/static"
check 'the header declares functions' test "$(wc -l <"$WORK/declared")" -gt 25
check 'names of the shared library: the header'"'"'s, and no other' diff "$WORK/declared" "$WORK/shared"
check 'names of the static library: the same' diff "$WORK/declared" "$WORK/static"
check 'no name for printing or ending' eval "! nm -u '$prefix/lib/multi/librubato.a' |
    grep -wE 'v?printf|__v?printf_chk|puts|putchar|perror|stdout|stderr|exit|_exit|quick_exit'"
check 'the shared library has its version in its name' test "${shared##*/}" = "librubato.so.$version"
check 'SONAME: major and minor' eval "objdump -p '$shared' | grep -q 'SONAME *librubato.so.${version%.*}$'"

# ---- the header by itself, in every language that takes it
have() { command -v "$1" >/dev/null 2>&1; }
cxx=g++
case ${CC##*/} in *clang*) cxx=clang++ ;; esac
strict='-Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only'
check 'the header in C99' "$CC" -std=c99 $strict -x c "$prefix/include/rubato.h"
check 'the header in C17' "$CC" -std=c17 $strict -x c "$prefix/include/rubato.h"
have "$cxx" && check 'the header in C++98' "$cxx" -std=c++98 -Wno-long-long $strict -x c++ "$prefix/include/rubato.h"

# ---- the examples, built as their heads say
export PKG_CONFIG_PATH=$prefix/lib/multi/pkgconfig PKG_CONFIG_SYSROOT_DIR=$WORK/root
check 'pkg-config knows the version' test "$(pkg-config --modversion rubato)" = "$version"
examples=$prefix/share/doc/rubato/examples
build() {    # COMPILER SOURCE PROGRAM [static]
    local flags
    if [ "${4:-}" ]; then flags=$(pkg-config --cflags --libs --static rubato | sed 's/-lrubato/-l:librubato.a/')
    else flags="$(pkg-config --cflags --libs rubato) -Wl,-rpath,$prefix/lib/multi"
    fi
    # shellcheck disable=SC2086
    "$1" -Wall -Wextra -Werror -O1 "$examples/$2" $flags -o "$WORK/$3" 2>"$WORK/log" || { head -n 5 "$WORK/log"; return 1; }
}
check 'replay.c' build "$CC" replay.c replay
check 'drive.c' build "$CC" drive.c drive
check 'drive.c, static' build "$CC" drive.c drive-static static
check 'below.c' build "$CC" below.c below
have "$cxx" && check 'drive.cpp' build "$cxx" drive.cpp drive-cpp
check 'no example has more than 40 lines' eval "! wc -l '$examples'/*.c '$examples'/*.cpp | grep -v ' total$' | awk '\$1 > 40' | grep ."

# The same requests as a file, for the command.
awk 'BEGIN { place = 1
    for (i = 0; i < 65536; i++) {
        if (i) place = place * 48271 % 2147483647
        printf "%.0f %s\n", place * 64 % 536870912, place % 5 ? "R" : "W"
    } }' >"$WORK/requests"
"$RUBATO" traffic default --set memory.device=DDR4_2400_8x8 --set memory.policy=device --trace "$WORK/requests" --outstanding 64 --requests 100000 --warmup 0 --tsv >"$WORK/tsv"
wanted=$(awk 'NR == 2 { printf "%.4f", $4 }' "$WORK/tsv")
latency=$(awk 'NR == 2 { printf "%.3f", $6 }' "$WORK/tsv")
root=$PWD
cd / || exit 1
for program in drive drive-static drive-cpp; do
    [ -x "$WORK/$program" ] || { skip "$program: no $cxx"; continue; }
    "$WORK/$program" DDR4_2400_8x8 100000 >"$WORK/out" 2>&1
    check "$program: bandwidth as in rubato traffic" test "$(awk '{ printf "%.4f", $1 }' "$WORK/out")" = "$wanted"
done
check 'drive: latency as in rubato traffic' eval "'$WORK/drive' DDR4_2400_8x8 100000 | grep -q ' $latency ns a read'"
check 'drive: an error is reported' eval "[ \"\$($WORK/drive DDR9 2>&1)\" ] && $WORK/drive DDR9 2>&1 | grep -q '^drive: .*DDR9'"

# DRAM command by command below a simulator of 3 GHz (333 ps): the reads of rubato traffic with the same trace of that clock, of DDR4 and
# of HBM3 with two accesses a line; with too many at once the core stalls and loses none.
awk 'BEGIN { for (i = 0; i < 4000; i++) { place = (place * 48271 + 11) % 2147483647
    printf "0x%x %s %d\n", 64 * (place % 8388608), i % 4 == 3 ? "WRITE" : "READ", i * 120 } }' >"$WORK/misses"
for system in commands-ddr4 commands-hbm3; do
    "$RUBATO" traffic $system "$WORK/misses" --trace-clock 3GHz --by kind --tsv >"$WORK/tsv"
    wanted=$(awk -F '\t' '$1 == "reads" && $2 == "requests" { printf "%d reads, %.0f ps all together, 0 cycles stalled", $3, 1000 * $3 * $4 }' "$WORK/tsv")
    check "below: the reads of rubato traffic, $system" test "$("$WORK/below" $system <"$WORK/misses" 2>&1)" = "$wanted"
done
awk '{ print $1, $2, 0 }' "$WORK/misses" >"$WORK/burst"
check 'below: a burst of misses stalls the core, and each read is answered' eval "'$WORK/below' commands-ddr4 <'$WORK/burst' | grep -qE '^3000 reads, [0-9]+ ps all together, [1-9][0-9]* cycles stalled$'"
check 'below: a key, and errors' eval "'$WORK/below' commands-ddr4 memory.refresh=none <'$WORK/misses' | grep -q '^3000 reads' &&
    '$WORK/below' commands-ddr4 memory.refresh=never 2>&1 | grep -q '^below: .*memory.refresh'"
check 'below: an address beyond the device' eval "echo '0xffffffffff00 READ 5' | '$WORK/below' commands-ddr4 2>&1 | grep -q '^below: '"

"$WORK/replay" laptop "$prefix/share/rubato/traces/triad" >"$WORK/out" 2>"$WORK/err"
"$RUBATO" replay laptop "$root/tests/traces/triad" --set memory.channels=2 --quiet --stats "$WORK/stats.json"
ticks=$(sed -n 's/.*"finalTick": *\([0-9]*\).*/\1/p' "$WORK/stats.json")
check 'replay: finds a shipped system, and the end of the command'"'"'s replay' test "$(awk 'NR == 1 { print $1 }' "$WORK/out")" = "$ticks"
check 'replay: metrics' grep -q '^l2.mpki  *[0-9]' "$WORK/out"
check 'replay: an error is reported' eval "! '$WORK/replay' laptop /no/such >'$WORK/out' 2>&1 && grep -q '^replay: /no/such' '$WORK/out'"

# ---- two threads at once, looked at by Valgrind: takes minutes, so only when asked for. libisal chooses its code for
# the host at its first call, from any thread.
if [ "${RACES:-}" ]; then
    cd "$root" || exit 1
    printf '{\n  libisal chooses\n  Helgrind:Race\n  obj:*libisal*\n}\n' >"$WORK/known"
    check 'no races between two threads' valgrind -q --tool=helgrind --suppressions="$WORK/known" --error-exitcode=9 "$BUILD/tests/unit/test_library"
fi
exit $failures
