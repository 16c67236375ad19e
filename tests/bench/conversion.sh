#!/usr/bin/env bash
# Cost of a capture's conversion without QEMU: the words that QEMU sends are kept in files (KEEP: their folder, by
# default a new one; at most WORDS of each program) and read back. Processor time of reading and matching alone, and
# with the encoder; of each the least of RUNS runs. ENGINE=plain: without proto/capture/fast/.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/bench/capture_programs.sh
need_rubato
command -v qemu-x86_64 >/dev/null || { skip 'conversions: no qemu-x86_64'; exit 0; }

runs=${RUNS:-3}
keep=${KEEP:-$WORK}
words=${WORDS:-67108864}
feed=feed
[ "${ENGINE:-fast}" = fast ] || feed=feed-plain
tool=$BUILD/tests/tools/capture_words
least() { sort -n | head -n 1; }

line() {    # NAME COMMAND...
    local file=$keep/$1.words out run matched whole
    [ -e "$file" ] || "$tool" keep "$file" "$words" "$BUILD" -- "${@:2}" >/dev/null 2>&1 || { not_ok "$1: QEMU"; return; }
    out=$("$tool" $feed "$file") || { not_ok "$1: feed"; return; }
    matched=$(for ((run = 0; run < runs; run++)); do "$tool" $feed "$file"; done | awk '{ print $5 }' | least)
    whole=$(for ((run = 0; run < runs; run++)); do "$tool" $feed "$file" "$WORK/x.rbt"; done | awk '{ print $5 }' | least)
    echo "$out" | awk -v name="$1" -v matched="$matched" -v whole="$whole" -v bytes="$(stat -c %s "$WORK/x.rbt")" '{
        printf "%-8s %12d %12d %9.3f %9.3f %9.2f %9.2f %8.3f\n", name, $3, $1, matched, whole, 1e9 * matched / $1, 1e9 * whole / $1,
            bytes / $3 }'
}

printf '%-8s %12s %12s %9s %9s %9s %9s %8s\n' program instructions words match/s whole/s match/ns whole/ns B/insn
each_program line
exit $failures
