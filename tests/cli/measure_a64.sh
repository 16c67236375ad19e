#!/usr/bin/env bash
# Microbenchmarks of rubato measure: all kinds, run and walked through alike, on this host, and on aarch64 under emulation, where a
# compiler for it and qemu-aarch64 are there. Cycles under emulation mean nothing, and are not looked at.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

TOOL=$BUILD/tests/tools/micro_walks
[ -x "$TOOL" ] || { not_ok "there is no $TOOL; make tests builds it"; exit 1; }
walks() {    # NAME COMMAND...: TAP with at least 50 lines, all of them ok
    local name=$1
    shift
    timeout 60 "$@" >"$WORK/walks" 2>"$WORK/err"
    local code=$?
    check "$name: all kinds run and are walked through alike" test $code = 0 -a "$(grep -c '^ok' "$WORK/walks")" -ge 50
    grep '^not ok' "$WORK/walks" | head -n 5 | sed 's/^not ok/    wrong:/'
    head -n 3 "$WORK/err" | sed 's/^/    /'
}
case $(uname -m) in
x86_64 | aarch64) walks "$(uname -m)" "$TOOL" ;;
*) skip "$(uname -m) (1): no microbenchmarks" ;;
esac

if command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null; then
    mapfile -t files < <(ls sweep/measure/micro_{code,a64,x86,bench,core,accesses}.c sweep/measure/{measurement,micro_threads,host_ticks,spread}.c \
        base/{fault,list,harmless,text,host_facts}.c)
    check 'aarch64: warnings are errors' aarch64-linux-gnu-gcc -std=c17 -O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -Werror \
        -D_GNU_SOURCE= -I. -static tests/tools/micro_walks.c "${files[@]}" -o "$WORK/walks_a64" -lm -pthread
    walks 'aarch64, emulated' qemu-aarch64 "$WORK/walks_a64"
else
    skip 'aarch64 (2): no aarch64-linux-gnu-gcc or no qemu-aarch64'
fi
exit $failures
