#!/usr/bin/env bash
# Any command ends within a second of the second SIGTERM, or the third Ctrl-C, at any point; its child processes end
# with it, also when it is killed. Hostile lengths in a trace cost neither memory nor time.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

cd "$WORK" || exit 1
printf 'system: wide\ntraces: [%s/long/chase.pack]\naxes:\n  l2.mshrs: {from: 1, to: 64}\n  l1d.mshrs: {from: 1, to: 64}\n' "$TRACES" >sweep.yaml
mkfifo silent full
exec 5<>full                       # it has no reader
printf '#!/bin/sh\ntrap "" TERM INT\nwhile :; do :; done\n' >stubborn
chmod +x stubborn

# ends SIGNAL TIMES NAME COMMAND...: not before the signals, then within a second of the last
ends() {
    local signal=$1 times=$2 name=$3 run i
    shift 3
    # nothing of it ignores the signal, as what a shell has in the background would
    python3 -c 'import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])' "$RUBATO" "$@" >stdout 2>stderr <silent &
    run=$!
    exec 4>silent
    sleep 1
    kill -0 $run 2>/dev/null || { not_ok "$name: ran for a second ($(tail -n 1 stderr))"; exec 4>&-; return; }
    for ((i = 0; i < times; i++)); do kill -"$signal" $run 2>/dev/null; sleep 0.1; done
    for ((i = 0; i < 10; i++)); do kill -0 $run 2>/dev/null || break; sleep 0.1; done
    exec 4>&-
    if kill -0 $run 2>/dev/null; then kill -9 $run; not_ok "$name: ends within a second of $times $signal"; else ok "$name: ends within a second of $times $signal"; fi
    wait $run 2>/dev/null
}
for signal in 'TERM 2' 'INT 3'; do
    # shellcheck disable=SC2086
    {
        ends $signal 'a replay that waits for a reader' replay wide "$TRACES/long/chase.pack" --quiet --commands full
        ends $signal 'a sweep' sweep sweep.yaml -o ends.db --no-cache --jobs 2
        ends $signal 'a capture' capture -o ends.rbt -- ./stubborn
        ends $signal 'a capture that is limited' capture --from 1000000000000 -o ends.rbt -- ./stubborn
        ends $signal 'requests of standard input' traffic wide --trace -
        ends $signal 'a trace on standard input' replay wide - --quiet
    }
    rm -f ends.db*
done

# ---- child processes end, too
"$RUBATO" capture -o killed.rbt --quiet -- ./stubborn >/dev/null 2>&1 &
run=$!
sleep 1
children=$(pgrep -P $run)
check 'a capture has a program' test -n "$children"
kill -9 $run
wait $run 2>/dev/null
sleep 0.3
runs() { grep -qs '^State:\s*[^ZX[:space:]]' "/proc/$1/status"; }
check 'a killed capture leaves no program, and no file' eval '! runs $children && [ ! -e killed.rbt ]'

# ---- a limit of the size of files: the trace counts, the memory that is shared with the host does not
limited() {    # BLOCKS ARGUMENT...: a capture whose files may have BLOCKS KiB
    local blocks=$1
    shift
    rm -f limited.rbt*
    bash -c "ulimit -f $blocks; exec \"\$@\"" - "$RUBATO" capture -o limited.rbt --quiet "$@" >stdout 2>stderr
}
for host in qemu valgrind; do
    "$RUBATO" capture --with $host -o free.rbt --quiet -- /bin/true >/dev/null 2>&1 || continue
    limited 8000 --with $host -- /bin/true
    check "$host, ulimit -f 8000: it is captured" test $? = 0 -a "$(stat -c %s limited.rbt)" -gt 1000
    count() { "$RUBATO" trace info "$1" | grep -m 1 -oE '[0-9,]+ instructions'; }
    check "$host, ulimit -f 8000: the trace is whole" test -n "$(count limited.rbt)"
    limited 1 --with $host -- /bin/true
    check "$host, ulimit -f 1: an exit code of its own, one line" test $? = 3 -a "$(wc -l <stderr)" = 1
    check "$host, ulimit -f 1: the file and the reason" grep -qE 'limited\.rbt.*: cannot be written: File too large' stderr
    check "$host, ulimit -f 1: the whole chunks before it can be read" eval '"$RUBATO" trace info limited.rbt >/dev/null'
done
check 'no segment stays behind' test -z "$(ipcs -m | awk '$5 >= 1000000000 && $6 == 0')"

# ---- places that cannot be counted
"$RUBATO" capture -o /dev/full --quiet -- /bin/true >stdout 2>stderr
check 'a file that cannot be written: exit code 2' test $? = 2 -a "$(grep -c 'No space left' stderr)" = 1
refused '--from of more instructions than there can be' 'more instructions than' "$RUBATO" capture --from 18446744073709551615 -o far.rbt -- /bin/true
refused '--to likewise' 'more instructions than' "$RUBATO" capture --to 18446744073709551615 -o far.rbt -- /bin/true
"$RUBATO" capture --from 4000000000000000000 -o far.rbt -- /bin/true >stdout 2>stderr
check '--from that is not reached records nothing, with a message' test $? = 3 -a "$(grep -c 'was not reached' stderr)" = 1

# ---- hostile lengths of a program beside its trace
if command -v riscv64-linux-gnu-gcc >/dev/null && command -v qemu-riscv64 >/dev/null; then
    cat >call.c <<'C'
static long call(long n, long a, long b, long c, long d, long e, long f)
{
    register long a7 __asm__("a7") = n, a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c, a3 __asm__("a3") = d,
                  a4 __asm__("a4") = e, a5 __asm__("a5") = f;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7) : "memory");
    return a0;
}
void _start(void)
{
    long near = 0x200000000L, far = near + FAR;
    call(222, near, 4096, 3, 0x32, -1, 0);
    call(222, far & ~4095L, 4096, 3, 0x32, -1, 0);
    for (int i = 0; i < 2000; i++)
        call(NUMBER, A0, A1, A2, A3, 0, 0);
    volatile long x = *(volatile char *)(far - 1);
    for (volatile int i = 0; i < 300; i++) { if (i % 3 == 1) x++; else if (i & 4) x += 3; }
    call(93, 0, 0, 0, 0, 0, 0);
}
C
    hostile() {    # NAME DEFINES...
        local name=$1
        shift
        riscv64-linux-gnu-gcc -O1 -static -nostdlib -nostartfiles "$@" -o call call.c && "$RUBATO" capture -o call.rbt --quiet -- ./call &&
            xz -kfc call >call.elf.xz || { not_ok "$name: a trace"; return; }
        (ulimit -v 4000000 && timeout -k 1 20 "$RUBATO" replay laptop call.rbt --model detailed --quiet >stdout 2>stderr)
        check "$name: replayed in 20 s and 4 GB" test $? = 0
    }
    hostile 'a path of 64 GiB' -DFAR=0x1000000001L -DNUMBER=78 -DA0=-100 '-DA1=(long)"/proc/self/exe"' -DA2=near -DA3=0x7fffffff0000L
    hostile 'random bytes without end' -DFAR=0x1000000001L -DNUMBER=278 -DA0=near -DA1=0x7fffffffffffffffL -DA2=0 -DA3=0
    hostile 'vectors without end' -DFAR=0x1000000001L -DNUMBER=66 -DA0=1 -DA1=near -DA2=0x7fffffffL -DA3=0
    hostile 'a mapping of all memory' -DFAR=0x1000000001L -DNUMBER=222 -DA0=0 -DA1=0x7ffffffffffff000L -DA2=3 -DA3=0x22
    hostile 'a heap without end' -DFAR=0x1000000001L -DNUMBER=214 -DA0=-1L -DA1=0 -DA2=0 -DA3=0
else
    skip 'hostile lengths (5): no compiler of riscv64'
fi
exit $failures
