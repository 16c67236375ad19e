#!/usr/bin/env bash
# rubato capture --with valgrind: known counts, the same trace as QEMU's but for the address of the stack, each instruction's accesses,
# threads, faults, exec. Skipped and counted where the tool for Valgrind was not built.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
programs=$PWD/tests/cli/capture

have() { command -v "$1" >/dev/null 2>&1; }
captured() {    # NAME PROGRAM...: WORK/NAME.rbt; its table in WORK/NAME.table
    local name=$1
    shift
    timeout 100 "$RUBATO" capture --with valgrind -o "$WORK/$name.rbt" "$@" >"$WORK/$name.out" 2>"$WORK/$name.table" </dev/null
}
counted() { awk -v what="$2" '{ n = $1; sub(/^ *[0-9]+ +/, "") } $0 == what { print n }' "$WORK/$1.table"; }    # NAME LINE
is_count() {    # NAME LINE COUNT
    check "$1: $3 $2" test "$(counted "$1" "$2")" = "$3"
}
# Addresses of the stack count from its first access.
dumped() {    # NAME: WORK/NAME.txt
    "$RUBATO" trace dump "$WORK/$1.rbt" | awk '
        function number(hex,   n, i) { n = 0; for (i = 3; i <= length(hex); i++) n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1; return n }
        NR == 1 { next }
        { for (i = 5; i < NF; i++) if (($i == "load" || $i == "store") && length($(i + 1)) > 10) {
              n = number($(i + 1)); if (stack == "") stack = n; $(i + 1) = "stack" n - stack }
          print }' >"$WORK/$1.txt"
}

refused 'another host' 'expected qemu or valgrind' "$RUBATO" capture --with gdb true
tool=
for place in "${RUBATO%/*}" "${RUBATO%/*}/build" "${RUBATO%/*}/build/release"; do
    [ ! -x "$place/valgrind/capture-amd64-linux" ] || tool=$place
done
if [ -z "$tool" ] || ! have valgrind || ! have gcc || [ "$(uname -m)" != x86_64 ]; then
    skip 'captures with Valgrind (36): no tool for Valgrind, no valgrind or no gcc'
    exit $failures
fi

# --- known counts
gcc -nostdlib -static -o "$WORK/counts.bin" "$programs/counts.S"
captured counts "$WORK/counts.bin"
is_count counts instructions 10807
is_count counts loads 4000
is_count counts stores 4100
check "the program's exit code is said" grep -q 'exit code is 3' "$WORK/counts.table"
check 'the host is reported' grep -q 'capture, valgrind' "$WORK/counts.table"
check 'verify finds it whole' "$RUBATO" trace verify "$WORK/counts.rbt" >/dev/null
captured from --from crossing "$WORK/counts.bin"
is_count from instructions 803
captured to --from round --to crossing "$WORK/counts.bin"
is_count to instructions 10002
captured some --from 100 --instructions 50 "$WORK/counts.bin"
is_count some instructions 50
refused 'what is for QEMU' "is QEMU's" "$RUBATO" capture --with valgrind --cpu max "$WORK/counts.bin"

# --- pc by pc and address by address as in QEMU
gcc -O2 -fno-stack-protector -nostdlib -static -o "$WORK/sort.bin" "$programs/sort.c"
captured sort "$WORK/sort.bin"
gcc -nostdlib -static -o "$WORK/cases.bin" "$programs/x86_64.S"
captured cases "$WORK/cases.bin"
if have qemu-x86_64; then
    for name in counts sort cases; do
        dumped $name
        "$RUBATO" capture --quiet -o "$WORK/$name-qemu.rbt" "$WORK/$name.bin"
        dumped $name-qemu
        # maskmovdqu is reported as a store of all bytes, though its mask is empty.
        sed -i '/bytes 660ff7c8 /s/ store 0x[0-9a-f]* 16$//' "$WORK/$name.txt"
        # A prefetch whose address only Valgrind knows.
        sed -i '/bytes 0f180b /s/ load 0x[0-9a-f]* 1$//' "$WORK/$name.txt"
        if cmp -s "$WORK/$name.txt" "$WORK/$name-qemu.txt"; then
            ok "$name: the same as in QEMU, $(wc -l <"$WORK/$name.txt") lines"
        else
            not_ok "$name: the same as in QEMU"
            diff "$WORK/$name-qemu.txt" "$WORK/$name.txt" | head -n 10 | sed 's/^/    /'
        fi
    done
else
    skip 'the same as in QEMU (3): no qemu-x86_64'
fi

is_count cases 'of them prefetches, whose addresses are known' 4

# --- signals
gcc -O1 -o "$WORK/signals.bin" "$programs/signals.c"
(cd "$WORK" && ulimit -c 0 && captured signals ./signals.bin)
check 'a crash: exit code 3' test $? = 3
check 'a crash: its signal is reported' grep -q 'ended by signal 11' "$WORK/signals.table"
is_count signals "signals' frames on the stack" 5
is_count signals 'instructions that trapped, which are left out' 5
is_count signals 'forked processes' 1
check 'no jumps that the code does not explain' test -z "$(counted signals 'places where control went where the code does not lead')"
check 'the crashed capture is whole' "$RUBATO" trace verify "$WORK/signals.rbt" >/dev/null

# --- threads
gcc -O1 -pthread -o "$WORK/threads.bin" "$programs/threads.c"
captured threads "$WORK/threads.bin"
is_count threads threads 13
"$RUBATO" trace dump "$WORK/threads.rbt" >"$WORK/threads.txt"
check 'each thread was created by the first' test "$(grep -c ' thread_start 1$' "$WORK/threads.txt")" = 12
check 'each creation is marked' test "$(grep -cE '^# 1 create ([2-9]|1[0-3])$' "$WORK/threads.txt")" = 12
check 'each thread ends' test "$(grep -c ' thread_end' "$WORK/threads.txt")" = 13
half=$(awk '/ atomic / { n = 0; for (i = 5; i <= NF; i++) n += $i == "load" || $i == "store"; if (n != 2) wrong++ } END { print wrong + 0 }' "$WORK/threads.txt")
check 'locked operations have one load and one store' test "$half" = 0
check 'no stamp is given twice' test -z "$(awk '/ stamp / { print $4 }' "$WORK/threads.txt" | sort | uniq -d)"
captured main --threads main "$WORK/threads.bin"
is_count main 'threads that are not recorded' 12

# --- exec: the program that follows is recorded to its last instruction; forked children are not
gcc -O1 -pthread -o "$WORK/exec.bin" "$programs/exec.c"
tail_of() { "$RUBATO" trace dump "$WORK/$1.rbt" | awk '$1 == 1 { $1 = ""; print }' | tail -n 10807; }    # NAME: of the first thread
"$RUBATO" trace dump "$WORK/counts.rbt" | awk '!/^#/ { $1 = ""; print }' >"$WORK/counts.insns"
for who in first second; do
    captured "$who" "$WORK/exec.bin" $who "$WORK/counts.bin"
    check "exec by the $who thread: the successor's exit code" grep -q 'exit code is 3' "$WORK/$who.table"
    is_count $who 'programs that replaced themselves (exec), and are recorded from there on' 1
    is_count $who 'forked processes' 1
    check "exec by the $who thread: the successor is recorded whole" cmp -s <(tail_of $who) "$WORK/counts.insns"
    check "exec by the $who thread: the call ends with 0" test "$("$RUBATO" trace dump "$WORK/$who.rbt" | grep -A 1 ' syscall 59 ' | grep -c ' syscall_end 0$')" = 1
done
captured failed "$WORK/exec.bin" first "$WORK/nothing"
check 'exec that fails: the program continues' grep -q 'exit code is 5' "$WORK/failed.table"
exit $failures
