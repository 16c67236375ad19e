#!/usr/bin/env bash
# What a capture costs: user time of plain QEMU, of QEMU with the plugin, and of this process, which decodes and writes the trace on
# another core; of each the least of RUNS runs that alternate. Goals: QEMU's user time at most 2.5 times plain QEMU's and 100 million
# instructions a second; the conversion at most 2 times that of QEMU with the plugin; so both together at most 7.5 times plain QEMU's.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/bench/capture_programs.sh
need_rubato
command -v qemu-x86_64 >/dev/null || { skip 'captures: no qemu-x86_64'; exit 0; }

runs=${RUNS:-3}
TIMEFORMAT='%U'
least() { awk -v a="$1" -v b="$2" 'BEGIN { print a == "" || b < a ? b : a }'; }

line() {    # NAME COMMAND...
    local name=$1 plain='' qemu='' convert='' count took within
    shift
    for ((run = 0; run < runs; run++)); do
        plain=$(least "$plain" "$({ time qemu-x86_64 -cpu max "$(command -v "$1")" "${@:2}" >/dev/null 2>&1; } 2>&1)")
        took=$({ time "$RUBATO" capture -o "$WORK/x.rbt" -- "$@" >/dev/null 2>"$WORK/table"; } 2>&1)
        within=$(sed -n 's/^QEMU took \([0-9.]*\) s.*/\1/p' "$WORK/table")
        qemu=$(least "$qemu" "$within")
        convert=$(least "$convert" "$(awk -v all="$took" -v qemu="$within" 'BEGIN { print all - qemu }')")
        count=$(awk '$2 == "instructions" { print $1 }' "$WORK/table")
    done
    awk -v name="$name" -v plain="$plain" -v qemu="$qemu" -v convert="$convert" -v n="$count" -v bytes="$(stat -c %s "$WORK/x.rbt")" 'BEGIN {
        printf "%-8s %12d %8.2f %8.2f %8.2f %10.2f %9.2f %9.2f %8.1f %8.3f\n", name, n, plain, qemu, convert, qemu / plain,
            (qemu + convert) / plain, convert / qemu, n / qemu / 1e6, bytes / n }'
}

printf '%-8s %12s %8s %8s %8s %10s %9s %9s %8s %8s\n' program instructions plain/s qemu/s convert/s qemu/plain all/plain conv/qemu \
    'qemu M/s' B/insn
each_program line
