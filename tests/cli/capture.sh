#!/usr/bin/env bash
# rubato capture: known counts, each instruction's accesses on three architectures, blocks that are cut, signals, threads, regions,
# other tools' counts, programs of the host, the reference's programs, bad input. Tools missing on this host are
# skipped and counted.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
programs=$PWD/tests/cli/capture
same=$PWD/$BUILD/tests/tools/insn_same

have() { command -v "$1" >/dev/null 2>&1; }
captured() {    # NAME PROGRAM...: WORK/NAME.rbt; its table in WORK/NAME.table
    local name=$1
    shift
    timeout 100 "$RUBATO" capture -o "$WORK/$name.rbt" "$@" >"$WORK/$name.out" 2>"$WORK/$name.table" </dev/null
}
counted() { awk -v what="$2" '{ n = $1; sub(/^ *[0-9]+ +/, "") } $0 == what { print n }' "$WORK/$1.table"; }    # NAME LINE
is_count() {    # NAME LINE COUNT
    check "$1: $3 $2" test "$(counted "$1" "$2")" = "$3"
}
says() { grep -q -- "$2" "$WORK/$1.table"; }

# --- what needs no QEMU
refused 'no program' 'no program was given' "$RUBATO" capture
refused 'a program that is missing' 'No such file' "$RUBATO" capture "$WORK/nothing"
refused 'a name that is not in PATH' 'no such program in' "$RUBATO" capture no-such-program-anywhere
printf '\177ELF\1\1\1' >"$WORK/small" && head -c 60 /dev/zero >>"$WORK/small" && chmod +x "$WORK/small"
refused 'an ELF file of 32 bits' 'of 64 bits can be captured' "$RUBATO" capture "$WORK/small"
printf 'no program' >"$WORK/text" && chmod +x "$WORK/text"
refused 'neither ELF nor a script' 'neither ELF nor a script' "$RUBATO" capture "$WORK/text"
printf '#!/no/such/interpreter\n' >"$WORK/script" && chmod +x "$WORK/script"
refused 'a script without interpreter' 'interpreter /no/such/interpreter' "$RUBATO" capture "$WORK/script"
refused 'a choice that there is not' 'expected all or main' "$RUBATO" capture --threads some true
refused 'no instructions' 'records nothing' "$RUBATO" capture --instructions 0 true

if ! have qemu-x86_64; then
    skip 'captures (80): no qemu-x86_64 (qemu-user)'
    exit 0
fi
PATH_OF_NOTHING=$WORK/empty && mkdir "$PATH_OF_NOTHING"
if [ "$(uname -m)" = x86_64 ]; then
    refused 'no QEMU: what to install' 'apt-get install qemu-user' env PATH="$PATH_OF_NOTHING" "$RUBATO" capture -o "$WORK/none.rbt" /bin/true
else
    skip 'no QEMU: installation hint: /bin/true is of another architecture'
fi

# --- each instruction's accesses: the comments of the sources against the capture
cases() {    # ARCHITECTURE COMPILER PREFIX
    local arch=$1 compiler=$2 prefix=$3 program=$WORK/$1
    have "${compiler%% *}" && have "qemu-$arch" || { skip "$arch (2): no ${compiler%% *} or qemu-$arch"; return; }
    $compiler -nostdlib -static -o "$program" "$programs/$arch.S" 2>"$WORK/$arch.log" ||
        { skip "$arch (2): $compiler does not make it"; return; }
    captured "$arch" "$program"
    check "$arch: captured" test $? = 0
    local buf
    buf=$("${prefix}nm" "$program" | awk '$3 == "buf" { print $1 }')
    "${prefix}objdump" -d "$program" | awk '/^ +[0-9a-f]+:\t/ { sub(":", "", $1); print "0x" $1 }' >"$WORK/$arch.pcs"
    awk '/\.data/ { exit } /^([a-z0-9_]+:)?[ \t]+[a-z]/ && $0 !~ /^ *\./ { sub(/\/\/#:/, "#:"); at = index($0, "#:")
             print at ? substr($0, at + 3) : "" }' "$programs/$arch.S" >"$WORK/$arch.comments"
    paste -d ' ' "$WORK/$arch.pcs" "$WORK/$arch.comments" | sed 's/ *$//' >"$WORK/$arch.expected"
    "$RUBATO" trace dump "$WORK/$arch.rbt" | awk -v buf="$((0x$buf))" '
        function place(hex,   n, i) {
            n = 0; hex = tolower(substr(hex, 3))
            for (i = 1; i <= length(hex); i++) n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
            return n >= buf && n < buf + 4096 ? n - buf : n < buf ? "fp" : "sp"
        }
        /^#/ { next }
        { s = ""; for (i = 5; i <= NF; i++) if ($i == "load" || $i == "store") s = s " " $i " " place($(i + 1)) " " $(i + 2) }
        $4 == "repeat" { seen[last] = seen[last] " |" s; next }
        { last = $2; if (!($2 in seen)) order[++count] = $2; else if (seen[$2] != s) s = s " differs"; seen[$2] = s }
        END { for (i = 1; i <= count; i++) print order[i] seen[order[i]] }' | sort >"$WORK/$arch.seen"
    if diff <(sort "$WORK/$arch.expected") "$WORK/$arch.seen" >"$WORK/$arch.diff"; then
        ok "$arch: accesses of $(wc -l <"$WORK/$arch.expected") instructions"
    else
        not_ok "$arch: accesses of instructions"
        sed 's/^/    /' "$WORK/$arch.diff" | head -n 20
    fi
}
native=gcc
[ "$(uname -m)" = x86_64 ] || native=x86_64-linux-gnu-gcc
cases x86_64 $native ''
cases aarch64 'aarch64-linux-gnu-gcc -march=armv8.1-a' aarch64-linux-gnu-
cases riscv64 riscv64-linux-gnu-gcc riscv64-linux-gnu-
[ ! -s "$WORK/aarch64.table" ] || is_count aarch64 'of them dc zva, whose addresses accesses before gave' 1
[ ! -s "$WORK/aarch64.table" ] || is_count aarch64 'of them prefetches, whose addresses are known' 3
[ ! -s "$WORK/aarch64.table" ] || is_count aarch64 'prefetches, whose addresses are not known' 1
[ ! -s "$WORK/x86_64.table" ] || is_count x86_64 'of them prefetches, whose addresses are known' 3

if ! have $native; then
    skip 'x86-64 programs (60): no compiler'
    exit 0
fi

# --- known counts, and an instruction that crosses a page in the middle of a block
$native -nostdlib -static -o "$WORK/counts.bin" "$programs/counts.S"
captured counts "$WORK/counts.bin"
is_count counts instructions 10807
is_count counts loads 4000
is_count counts stores 4100
check "the program's exit code is said" says counts 'exit code is 3'
sizes=$("$RUBATO" trace dump "$WORK/counts.rbt" | grep -oE '(load|store) 0x[0-9a-f]+ [0-9]+' | awk '{ print $1, $3 }' | sort | uniq -c | awk '{ printf "%s ", $1 }')
check 'accesses of each size' test "$sizes" = '1000 1000 1000 1000 1000 1000 1100 1000 '
check 'verify finds it whole' "$RUBATO" trace verify "$WORK/counts.rbt" >/dev/null

# --- regions
captured from --from crossing "$WORK/counts.bin"
is_count from instructions 803
is_count from 'instructions outside of the region' 10004
captured to --from round --to crossing "$WORK/counts.bin"
is_count to instructions 10002
check 'a region that ends ends the program' says to 'ended where the region ends'
captured some --from 100 --instructions 50 "$WORK/counts.bin"
is_count some instructions 50
captured address --from "0x$(nm "$WORK/counts.bin" | awk '$3 == "done" { print $1 }')" "$WORK/counts.bin"
is_count address instructions 3
refused 'a symbol that there is not' 'no symbol cross; there is crossing' "$RUBATO" capture --from cross "$WORK/counts.bin"
captured never --from 99999999 "$WORK/counts.bin"
check 'a region that never begins: exit code 3' test $? = 3
check 'a region that never begins is reported' says never 'was not reached in 10807 instructions'

# --- signals
if $native -O1 -o "$WORK/signals.bin" "$programs/signals.c" 2>/dev/null; then
    (cd "$WORK" && ulimit -c 0 && captured signals ./signals.bin)
    check 'a crash: exit code 3' test $? = 3
    check 'a crash: its signal is reported' says signals 'ended by signal 11'
    is_count signals "signals' frames on the stack" 5
    is_count signals 'instructions that trapped, which are left out' 5
    is_count signals 'forked processes' 1
    check 'no jumps that the code does not explain' test -z "$(counted signals 'places where control went where the code does not lead')"
    check 'no accesses missing' test -z "$(counted signals 'loads that must have been made and were not reported')"
    "$RUBATO" trace dump "$WORK/signals.rbt" >"$WORK/signals.txt"
    # The trapped instruction is not recorded before its marker: pc of the marker = end of the instruction before it,
    # or its target.
    wrong=$(awk '/^# 1 signal / { if (last + 0 != $4 + 0 && target != $4 + 0) wrong++ }
        function number(hex,   n, i) { n = 0; for (i = 3; i <= length(hex); i++) n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1; return n }
        !/^#/ { last = number($2) + $3; target = -1; for (i = 5; i < NF; i++) if ($i == "target") target = number($(i + 1)) }
        END { print wrong + 0 }' "$WORK/signals.txt")
    check 'markers of signals are at the instruction that trapped' test "$wrong" = 0
    check 'the crashed capture is whole' "$RUBATO" trace verify "$WORK/signals.rbt" >/dev/null
fi

# --- the end is in the file, however the program ends; and what a program did is read before it sleeps
$native -nostdlib -static -o "$WORK/killed.bin" "$programs/ended.S"
$native -nostdlib -static -DSLEEPS -o "$WORK/sleeps.bin" "$programs/ended.S"
captured killed "$WORK/killed.bin"
check 'a program that is killed: exit code 3' test $? = 3
is_count killed instructions 3008
is_count killed stores 1000
captured sleeps --instructions 3002 "$WORK/sleeps.bin"
check 'a program that sleeps for ever is ended where the region ends' test $? = 0
is_count sleeps instructions 3002

# --- a system call takes several words
$native -nostdlib -static -o "$WORK/calls.bin" "$programs/calls.S"
captured calls "$WORK/calls.bin"
is_count calls instructions 160004
check 'calls: each of them is marked' test "$("$RUBATO" trace dump "$WORK/calls.rbt" | grep -c '^# 1 syscall ')" = 40001

# --- accesses left out because they follow from others: the trace is the same as with all of them sent
all_told() {    # 0|1 NAME [OPTIONS] PROGRAM...
    local how=$1
    shift
    (cd "$WORK" && ulimit -c 0 && export RUBATO_CAPTURE_ALL_TOLD=$how && captured "$@")
}
same_traces() {    # NAME OTHER HOW
    "$same" "$WORK/$1.rbt" "$WORK/$2.rbt" >"$WORK/$1.same"
    check "$1: the same instructions $3" grep -qE '^same ([0-9]+) of \1 and \1$' "$WORK/$1.same"
    check "$1: the same accesses $3" grep -qx 'accesses other 0' "$WORK/$1.same"
}
for name in sort faults; do
    if [ "$(uname -m)" = x86_64 ] && $native -O1 -nostdlib -static -ffreestanding -fno-stack-protector -fno-pie -no-pie \
        -o "$WORK/$name.bin" "$programs/$name.c" 2>/dev/null; then
        all_told 0 "$name" "./$name.bin"
        all_told 1 "$name-told" "./$name.bin"
        same_traces "$name" "$name-told" 'with all accesses told'
        for which in "$name" "$name-told"; do
            "$RUBATO" trace info "$WORK/$which.rbt" | grep -vE '\.rbt$|^  bytes' >"$WORK/$which.info"
        done
        check "$name: the same counts with all accesses sent" cmp -s "$WORK/$name.info" "$WORK/$name-told.info"
        all_told 0 "$name-plain" --engine plain "./$name.bin"
        same_traces "$name" "$name-plain" 'with the plain engine'
    else
        skip "$name with all accesses sent, and with the plain engine (5): no compiler for x86-64"
    fi
done
# What blocks are joined does not depend on how fast the host was.
if [ -f "$WORK/sort.bin" ]; then
    again='again1 again2 again3 again4 again5 again6'
    for name in $again; do
        all_told 0 "$name" ./sort.bin
    done
    check 'captured again and again, and with the plain engine, it is the same file' test \
        "$(for name in sort sort-plain $again; do cksum <"$WORK/$name.rbt"; done | sort | uniq -c | awk '{ print $1 }')" = 8
else
    skip 'captured again and again (1): no compiler for x86-64'
fi
[ ! -f "$WORK/faults.rbt" ] || is_count faults 'instructions that trapped, which are left out' 11
if have gzip && [ "$(uname -m)" = x86_64 ]; then
    all_told 0 gzip gzip -c "$programs/sort.c"
    all_told 1 gzip-told gzip -c "$programs/sort.c"
    same_traces gzip gzip-told 'with all accesses told'
else
    skip 'gzip with all accesses sent (2): no gzip for x86-64'
fi

# --- threads
if $native -O1 -pthread -o "$WORK/threads.bin" "$programs/threads.c" 2>/dev/null; then
    captured threads "$WORK/threads.bin"
    is_count threads threads 13
    "$RUBATO" trace dump "$WORK/threads.rbt" >"$WORK/threads.txt"
    check 'each thread was created by the first' test "$(grep -c ' thread_start 1$' "$WORK/threads.txt")" = 12
    check 'each creation is marked' test "$(grep -cE '^# 1 create ([2-9]|1[0-3])$' "$WORK/threads.txt")" = 12
    check 'each thread ends' test "$(grep -c ' thread_end' "$WORK/threads.txt")" = 13
    locked=$(awk '/ atomic / && / load / && / store / { n++ } END { print n + 0 }' "$WORK/threads.txt")
    check "locked operations read and write ($locked)" test "$locked" -ge 12000
    half=$(awk '/ atomic / && !(/ load / && / store /) { n++ } END { print n + 0 }' "$WORK/threads.txt")
    check 'no part of them has one access' test "$half" = 0
    check 'stamps of a thread grow' test -z "$(awk '/ stamp / { if ($4 <= last[$2]) print; last[$2] = $4 }' "$WORK/threads.txt")"
    check 'no stamp is given twice' test -z "$(awk '/ stamp / { print $4 }' "$WORK/threads.txt" | sort | uniq -d)"
    most=$(awk '/ stamp / { n[$2] = 0 } !/^#/ { if (++n[$1] > most) most = n[$1] } END { print most }' <(grep -v '^# 1 ' "$WORK/threads.txt" | grep -v '^1 '))
    check "at most 64 instructions and a block without a stamp ($most)" test "$most" -lt 256
    # Words sent while the ring is read move earlier ones: short programs with many loads hit that case most often.
    failed=0
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
        captured again "$WORK/threads.bin"
        [ $? = 0 ] && [ "$(cat "$WORK/again.out")" = 12018 ] || failed=$((failed + 1))
    done
    check 'captured again and again' test $failed = 0
    captured main --threads main "$WORK/threads.bin"
    is_count main 'threads that are not recorded' 12
fi

# --- lackey's counts: instructions, loads and stores of a static program
if have valgrind && [ -x /usr/libexec/valgrind/lackey-amd64-linux ] && [ "$(uname -m)" = x86_64 ]; then
    valgrind --tool=lackey --trace-mem=yes --log-file="$WORK/lackey.log" "$WORK/counts.bin" >/dev/null 2>&1
    check "lackey's instructions" test "$(grep -c '^I ' "$WORK/lackey.log")" = "$(counted counts instructions)"
    check "lackey's loads" test "$(grep -c '^ [LM] ' "$WORK/lackey.log")" = "$(counted counts loads)"
    check "lackey's stores" test "$(grep -c '^ [SM] ' "$WORK/lackey.log")" = "$(counted counts stores)"
    # Each pc and each address, in order.
    awk '/^I / { split($2, p, ","); print "I", p[1] } /^ [LSM] / { split($2, p, ","); print $1, p[1], p[2] }' "$WORK/lackey.log" |
        sed -E 's/ 0+([0-9a-f])/ \1/' >"$WORK/lackey.txt"
    "$RUBATO" trace dump "$WORK/counts.rbt" | awk '!/^#/ { print "I", substr($2, 3)
        for (i = 5; i <= NF; i++) if ($i == "load" || $i == "store") print ($i == "load" ? "L" : "S"), substr($(i + 1), 3), $(i + 2) }' >"$WORK/ours.txt"
    check "lackey's pcs and addresses, one by one" cmp -s "$WORK/lackey.txt" "$WORK/ours.txt"
else
    skip "lackey's counts (4): no valgrind"
fi

# --- programs of the host, through PATH and through #!
program() {    # NAME COMMAND...
    local name=$1
    shift
    have "$1" || { skip "$name: not installed"; return; }
    captured "$name" --instructions 3000000 "$@"
    local code=$?
    check "$name: captured, $(counted "$name" instructions) instructions" test $code = 0
    check "$name: nothing unexplained" test -z "$(counted "$name" 'places where control went where the code does not lead')$(counted "$name" 'loads that must have been made and were not reported')$(counted "$name" 'stores that must have been made and were not reported')$(counted "$name" 'blocks of instructions of unknown code')"
    check "$name: read back" "$RUBATO" trace verify "$WORK/$name.rbt" >/dev/null
}
printf '#!/bin/sh\necho $1\n' >"$WORK/hello.sh" && chmod +x "$WORK/hello.sh"
captured hello "$WORK/hello.sh" 'a b'
check "a script runs in its interpreter, with its arguments" test "$(cat "$WORK/hello.out")" = 'a b'
program perl perl -e 'my %h; $h{$_ % 7} += $_ for 1 .. 1000; print join(",", sort values %h), "\n"'
have python3 && program python3 "$(python3 -c 'import sys; print(sys.executable)')" -c 'print(sum(i * i for i in range(1000)))'
program bash bash -c 'for ((i = 0; i < 200; i++)); do x=$x$i; done; echo ${#x}'
program git git --version
program sqlite3 sqlite3 :memory: 'create table t(a); insert into t values (1), (2); select sum(a) from t'
program xz xz -c "$RUBATO"

# --- the reference's programs: the same instructions but for start and end, the same accesses but for the stack
if [ -d "$SHARED/traces/o3" ] && have qemu-riscv64; then
    for packed in "$SHARED"/traces/o3/*.elf.xz; do
        name=$(basename "$packed" .elf.xz)
        xz -dc "$packed" >"$WORK/$name" && chmod +x "$WORK/$name"
        (cd "$WORK" && env -i PATH="$PATH" "$RUBATO" capture --quiet -o "$name.rbt" -- "./$name" >/dev/null)
        "$same" "$SHARED/traces/o3/$name.trace.xz" "$WORK/$name.rbt" >"$WORK/$name.same"
        # Environment and auxiliary vector differ, and what fstat says of the output; all that lies between is the same.
        check "$name: $(grep '^same' "$WORK/$name.same")" awk '/^differs/ { exit !($3 > 0 && $3 < 6000 && $6 < 2000) }' "$WORK/$name.same"
        check "$name: $(grep '^accesses other' "$WORK/$name.same")" awk '/^accesses other/ { exit !($3 < 200) }' "$WORK/$name.same"
    done
else
    skip "the reference's programs (28): no $SHARED/traces/o3 or no qemu-riscv64"
fi

# --- what goes wrong afterwards: exit code 3
ends_with_3() {    # NAME PATTERN COMMAND...
    local name=$1 pattern=$2
    shift 2
    timeout 60 "$@" >"$WORK/stdout" 2>"$WORK/stderr" </dev/null
    check "$name: exit code 3" test $? = 3
    check "$name: reported" grep -qE -- "$pattern" "$WORK/stderr"
}
ends_with_3 'a CPU that QEMU does not know' 'without loading|before the program' "$RUBATO" capture --cpu no-such-cpu -o "$WORK/cpu.rbt" "$WORK/counts.bin"
# A wrapper, as python3 of some hosts is: QEMU does not record the program that it executes in turn, and the message
# must name that program.
printf '#!/bin/sh\nexec sleep 2\n' >"$WORK/wrapper" && chmod +x "$WORK/wrapper"
ends_with_3 'a script that replaces itself' "wrapper replaced itself by $(realpath "$(command -v sleep)") \\(exec\\) after .* -- $(realpath "$(command -v sleep)")" \
    "$RUBATO" capture --quiet -o "$WORK/wrapper.rbt" "$WORK/wrapper"
ends_with_3 'env, too' 'env replaced itself by .*sleep .* or give --with valgrind' "$RUBATO" capture -o "$WORK/env.rbt" env A=B sleep 2
check 'earlier instructions are there' "$RUBATO" trace verify "$WORK/wrapper.rbt" >/dev/null
captured exec_fails sh -c 'exec /nothing/there'
check 'exec that fails is no such thing' grep -q "exit code is 127" "$WORK/exec_fails.table"
# A file system of 200 KiB, in a name space of its own.
mkdir "$WORK/disk"
if unshare -rm mount -t tmpfs -o size=200k tmpfs "$WORK/disk" 2>/dev/null; then
    # shellcheck disable=SC2016
    ends_with_3 'a full disk' 'No space left' unshare -rm sh -c 'mount -t tmpfs -o size=200k tmpfs "$1/disk" &&
        "$2" capture -o "$1/disk/full.rbt" -- xz -c "$2" >/dev/null; code=$?; cp "$1/disk/full.rbt" "$1/full.rbt"; exit $code' sh "$WORK" "$RUBATO"
    check 'the earlier capture is whole' "$RUBATO" trace verify "$WORK/full.rbt" >/dev/null
else
    skip 'a full disk (3): no name spaces'
fi
refused 'an output that cannot be written' 'cannot be written|No such file' "$RUBATO" capture -o "$WORK/no/folder.rbt" "$WORK/counts.bin"
if have aarch64-linux-gnu-gcc && have qemu-aarch64 && echo 'int main(void) { return 0; }' | aarch64-linux-gnu-gcc -x c -o "$WORK/dynamic" - 2>/dev/null; then
    ends_with_3 'a sysroot without the libraries' 'give --sysroot DIR' "$RUBATO" capture --sysroot "$WORK/empty" -o "$WORK/d.rbt" "$WORK/dynamic"
    captured dynamic "$WORK/dynamic"
    check 'a dynamic program of aarch64 finds its libraries' test $? = 0
else
    skip 'a sysroot (3): no aarch64-linux-gnu-gcc'
fi
printf '.globl _start\n_start: vpxord %%zmm0, %%zmm0, %%zmm0\n' >"$WORK/avx512.S"
if $native -nostdlib -static -o "$WORK/avx512" "$WORK/avx512.S" 2>/dev/null; then
    (ulimit -c 0; ends_with_3 'AVX-512' 'AVX-512, which QEMU does not have' "$RUBATO" capture -o "$WORK/avx.rbt" "$WORK/avx512")
fi
exit $failures
