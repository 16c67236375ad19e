#!/usr/bin/env bash
# Captures of riscv64 keep their program: replays from the .rbt alone equal those with the ELF file beside it, in every statistic and stage,
# but for what system calls wrote, which the trace alone has. Where it is left out it is found by its build-id; another program is refused.
# Recordings that begin elsewhere, and programs with shared libraries, keep memory and registers of that place: those that the program has when
# it is executed from its start.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
compiler=riscv64-linux-gnu-gcc
if ! command -v $compiler qemu-riscv64 >/dev/null || [ ! -e "$(dirname "$RUBATO")/build/capture-qemu.so" ]; then
    skip 'programs in captures (53): no compiler for riscv64, no QEMU, or a build without its plugin'
    exit ${failures:-0}
fi
root=$PWD
cd "$WORK" || exit 1
cat >heap.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *left, *right; unsigned key; };
static struct node *put(struct node *at, unsigned key)
{
    if (!at) {
        at = calloc(1, sizeof *at);
        at->key = key;
    } else if (key < at->key) {
        at->left = put(at->left, key);
    } else {
        at->right = put(at->right, key);
    }
    return at;
}
static unsigned depth(const struct node *at)
{
    unsigned const left = at ? depth(at->left) : 0, right = at ? depth(at->right) : 0;

    return !at ? 0 : 1 + (left > right ? left : right);
}
int main(void)
{
    struct node *tree = NULL;
    for (unsigned i = 0, x = 1; i < 300; i++, x = x * 1103515245u + 12345u)
        tree = put(tree, x >> 8);
    return printf("%u\n", depth(tree)) > 0 ? 0 : 1;
}
EOF
$compiler -O2 -static -o heap heap.c || exit 1
$compiler -O2 -static -DOTHER -Wl,--build-id=0x0102030405060708 -o other heap.c || exit 1
$compiler -O2 -o shared heap.c || exit 1
$compiler -O2 -march=rv64gc -static -nostdlib -ffreestanding -fno-builtin -fno-stack-protector -fno-tree-loop-distribute-patterns \
    -Wl,--build-id=none -DKERNEL=hash "$root/tests/traces/detailed/src/kernels.c" -o hash || exit 1
id=$(readelf -n heap | sed -n 's/.*Build ID: //p')

capture() { "$RUBATO" capture "$@" >stdout 2>stderr </dev/null; }
detailed() {    # TRACE NAME [OPTION...]: statistics and stages
    "$RUBATO" replay "$root/configs/detailed/base.yaml" "$1" --model detailed --quiet --stats "$2.txt" --pipeline "$2.tsv" "${@:3}" >stdout 2>stderr
}
is_same() { cmp -s "$1.tsv" "$2.tsv" && diff <(grep -v ^host "$1.txt") <(grep -v ^host "$2.txt") >/dev/null; }
field() { "$RUBATO" trace info "$1" --json | tr -d ' \n' | grep -o '"program":{[^}]*}' | grep -o "\"$2\":[^,}]*" | cut -d: -f2 | tr -d '"'; }

# says NAME PATTERN ARGUMENTS...: of the command
says() { "$RUBATO" "${@:3}" >stdout 2>stderr; check "$1" grep -qE -- "$2" stdout; }

# ---- kept
check 'a capture' capture -o heap.rbt -- ./heap
check 'its table says how much is kept' grep -qE '^ +[0-9]+  bytes of the program' stderr
check 'and the trace, with the build-id' test "$(field heap.rbt build_id) $(field heap.rbt is_kept)" = "$id true"
says 'text as well' "^  program +heap, build-id $id, [0-9]+ bytes, kept in the trace$" trace info heap.rbt
check 'without it' capture --no-program -o bare.rbt -- ./heap
check 'the table says so' grep -q '^The program itself is not kept: --no-program was given\.$' stderr
check 'its build-id stays' test "$(field bare.rbt build_id) $(field bare.rbt is_kept) $(field bare.rbt bytes)" = "$id false $(field heap.rbt bytes)"
check 'the file is smaller by the program' test $(($(stat -c %s heap.rbt) - $(stat -c %s bare.rbt))) -gt 50000

# ---- replays
mkdir alone named beside
cp heap.rbt alone/ && cp bare.rbt alone/bare.rbt && cp bare.rbt beside/ && xz -kc heap >beside/bare.elf.xz && cp bare.rbt heap named/
check 'a replay of the trace alone' detailed alone/heap.rbt kept
"$RUBATO" replay "$root/configs/detailed/base.yaml" alone/heap.rbt --model detailed >summary 2>stderr
check 'its wrong paths have values' grep -q '^  values ' summary
check 'from the stack at its start on: hardly an address differs' grep -qE '^  values .* times: [0-9] addresses, 0 targets' summary
check 'the trace without program' detailed alone/bare.rbt none
check 'differs' eval '! is_same kept none'
"$RUBATO" replay "$root/configs/detailed/base.yaml" alone/bare.rbt --model detailed >summary 2>stderr
check 'and says why' grep -q 'no values   the trace keeps no program' summary
check 'with PROGRAM.elf.xz beside' detailed beside/bare.rbt beside
check 'with the program by its own name' detailed named/bare.rbt named
check 'equal in every statistic and stage' is_same beside named
capture -o hash.rbt -- ./hash
printf '.globl _start\n_start: li a0, 0\nli a7, 94\necall\n' >small.s
$compiler -nostdlib -static -o small small.s && capture -o small.rbt -- ./small && capture -o again.rbt -- ./small
check 'the same program, the same bytes' cmp small.rbt again.rbt
capture --no-program -o bare_hash.rbt -- ./hash
cp hash.rbt alone/ && cp bare_hash.rbt beside/ && cp hash beside/bare_hash.elf
detailed alone/hash.rbt hash && detailed beside/bare_hash.rbt hash_beside
check 'a program without build-id, by its hash' is_same hash hash_beside

# ---- another program
cp bare.rbt beside/wrong.rbt && cp other beside/wrong.elf
refused 'another build-id' "wrong\.elf: a program with build-id 0102030405060708; expected the one that wrong\.rbt is of, with build-id $id" \
    "$RUBATO" replay laptop beside/wrong.rbt --model detailed
cp other named/heap
says 'another program by its own name is not taken' 'not kept, and not found beside the trace' trace info named/bare.rbt

# ---- other commands
"$RUBATO" trace pack heap.rbt -o alone/packed.rbt --quiet && detailed alone/packed.rbt packed
check 'trace pack keeps it' is_same kept packed
"$RUBATO" trace pack beside/bare.rbt -o alone/taken.rbt --quiet && detailed alone/taken.rbt taken
check 'and takes one that lies beside' is_same beside taken
"$RUBATO" trace pack heap.rbt -o alone/without.rbt --quiet --no-program && detailed alone/without.rbt without
check '--no-program leaves it out' is_same none without
"$RUBATO" trace cut heap.rbt --records 0:5000 -o first.rbt >stdout
"$RUBATO" trace cut heap.rbt --records 5000:9000 -o later.rbt >stdout
check 'trace cut keeps it in a part from the start' test "$(field first.rbt is_kept) $(field later.rbt is_kept)" = 'true '

# ---- damage
at=$(LC_ALL=C grep -obaP 'CHNK\x08\x00\x00\x00' heap.rbt | tail -n 1 | cut -d: -f1)
cp heap.rbt damaged.rbt
printf '\125' | dd of=damaged.rbt bs=1 seek=$((at + 4000)) conv=notrunc status=none
refused 'a damaged program' "damaged\.rbt: byte $at: a chunk whose hash is another; its bytes have changed" "$RUBATO" replay laptop damaged.rbt
"$RUBATO" trace cut damaged.rbt --salvage -o salvaged.rbt >stdout 2>stderr
check 'the rest is salvaged' test "$("$RUBATO" trace dump salvaged.rbt | wc -l)" = "$("$RUBATO" trace dump heap.rbt | wc -l)" -a -z "$(field salvaged.rbt is_kept)"

# ---- what is not kept
{ cat small.s; printf '.data\n.fill 68000000, 1, 1\n'; } >large.s
$compiler -nostdlib -static -o large large.s && capture --quiet -o large.rbt -- ./large
check 'more than 64 MiB' grep -q 'large.rbt: the program is not kept, as its loaded part is larger than 64 MiB' stderr
check 'its build-id is there' test "$(field large.rbt is_kept) $(stat -c %s large.rbt | awk '{ print ($1 < 20000) }')" = 'false 1'

# ---- memory and registers of another place
values() {      # TRACE: the line of the summary
    "$RUBATO" replay "$root/configs/detailed/base.yaml" "$1" --model detailed 2>/dev/null | grep -E '^  (no )?values '
}
state=$root/$BUILD/tests/tools/machine_state
main=$(riscv64-linux-gnu-nm heap | awk '$3 == "main" { print $1 }')
capture -o heap.rbt -- ./heap
check 'a recording from a later place' capture --from main -o main.rbt -- ./heap
check 'keeps memory' test "$(field main.rbt is_kept) $(field main.rbt build_id)" = "true $id"
says 'trace info says so' '^  program +heap, build-id .*, its memory is kept in the trace$' trace info main.rbt
values main.rbt >summary
check 'its wrong paths have values, without any correction' grep -q 'executed beside the trace$' summary
registers() { "$state" "$@" | grep '^[xf]' | grep -v '^x17 '; }       # x17 has a part of argv[0], which is not kept
registers heap.rbt "$main" >expected
registers main.rbt >found
check 'its registers are those of the program from its start' cmp expected found
check 'no address was corrected on the way' grep -q '^corrected 0 addresses, 0 targets' <("$state" heap.rbt "$main")
capture --from 100000 -o count.rbt -- ./heap
values count.rbt >summary
check 'from a number of instructions' grep -qE 'executed beside the trace(, corrected [0-9]+ times: 0 addresses, 0 targets, .*)?$' summary
at=$("$RUBATO" trace dump count.rbt | grep -v '^#' | head -n 1 | awk '{ print $2 }')
inside=$("$RUBATO" trace dump heap.rbt | grep -v '^#' | awk -v at="$at" '$2 == at { n++ } NR == 100001 { print n; exit }')
registers heap.rbt "$at" "$inside" >expected
registers count.rbt >found
check 'its registers, too, though it begins within a block' cmp expected found
check 'a program with shared libraries' capture -o shared.rbt -- ./shared
values shared.rbt >summary
check 'its wrong paths have values, from the loader on' grep -qE 'executed beside the trace, corrected [0-9]+ times: 0 addresses, 0 targets, [0-9]+ branches$' summary
capture --from main -o shared_main.rbt -- ./shared
values shared_main.rbt >summary
check 'from a later place' grep -q 'executed beside the trace$' summary
check '--no-program leaves all of it out' capture --from main --no-program -o bare_main.rbt -- ./heap
check 'with the table saying so' eval 'grep -q "^The program itself is not kept: --no-program was given\.$" stderr && [ -z "$(field bare_main.rbt is_kept)" ]'
"$RUBATO" trace pack main.rbt -o packed_main.rbt --quiet && values packed_main.rbt >summary
check 'trace pack keeps it' grep -q 'executed beside the trace$' summary
"$RUBATO" trace pack main.rbt -o without_main.rbt --quiet --no-program && values without_main.rbt >summary
check 'or leaves it out' grep -q 'no values   the trace keeps no program' summary
cp main.rbt damaged.rbt
at=$(LC_ALL=C grep -obaP 'CHNK\x08\x00\x00\x00' main.rbt | tail -n 1 | cut -d: -f1)
printf '\125' | dd of=damaged.rbt bs=1 seek=$((at + 4000)) conv=notrunc status=none
refused 'damaged memory' "damaged\.rbt: byte $at: a chunk whose hash is another; its bytes have changed" "$RUBATO" replay laptop damaged.rbt

cat >floats.c <<'EOS'
#include <stdio.h>
__attribute__((noinline)) double region(double a, double b, float c)
{
    for (int i = 0; i < 200; i++)
        a = a > b ? a * 0.75 + c : a + b;
    return a;
}
int main(int count, char **names)
{
    double sum = 0, step = count / 3.0;
    for (int i = 0; i < 20; i++)
        sum += step / (i + 1), step = region(sum, step, 0.1f * i);
    return printf("%g\n", sum) < 0;
}
EOS
$compiler -O2 -static -o floats floats.c && capture -o floats.rbt -- ./floats && capture --from region -o floats_region.rbt -- ./floats
registers floats.rbt "$(riscv64-linux-gnu-nm floats | awk '$3 == "region" { print $1 }')" >expected
registers floats_region.rbt >found
check 'registers of floating point as well' eval 'cmp expected found && [ "$(grep "^f" found | grep -vc " 0x0$")" -gt 3 ]'

# ---- what system calls wrote
cat >reads.c <<'EOS'
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
static unsigned sum(const unsigned char *at, long count)
{
    unsigned all = 0;
    for (long i = 0; i < count; i++)
        all = at[i] & 1 ? all * 31 + at[i] : all + 7;
    return all;
}
int main(void)
{
    static unsigned char room[5000];
    int const file = open("reads.c", O_RDONLY);
    long const count = read(file, room, sizeof room);
    unsigned char *const map = mmap(0, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    char text[16];
    return write(1, text, snprintf(text, sizeof text, "%u\n", sum(room, count) ^ sum(map, 100))) < 0;
}
EOS
$compiler -O2 -static -o reads reads.c && capture -o reads.rbt -- ./reads && capture --from main -o reads_main.rbt -- ./reads
values reads_main.rbt >summary
check 'what it reads from files has values' grep -q 'executed beside the trace$' summary
{ cat small.s; printf '.data\n.fill 68000000, 1, 1\n'; } | sed 's/_start: /&nop\nlater: nop\n/; s/^\.globl/.globl later\n.globl/' >large.s
$compiler -nostdlib -static -o large large.s && capture --quiet --from later -o large.rbt -- ./large
check 'more than 64 MiB of memory' grep -q 'large.rbt: the program is not kept, as its memory where the recording begins is larger than 64 MiB' stderr
printf '#include <pthread.h>\nstatic void *f(void *p) { return p; }\nint main(void) { pthread_t t; return pthread_create(&t, 0, f, 0) || pthread_join(t, 0); }\n' >threads.c
$compiler -O2 -static -pthread -o threads threads.c && capture -o threads.rbt -- ./threads
check 'a program with threads' test "$(field threads.rbt is_kept)" = true
check 'from a place where it has one' capture --from main -o threads_main.rbt -- ./threads
"$RUBATO" replay quad threads_main.rbt --model detailed >summary 2>stderr
check 'its wrong paths have values in all threads' grep -qE '^instructions +[0-9]+ of 2 threads' summary
check 'with hardly a correction' grep -qE 'executed beside the trace(, corrected [0-9] times: .*)?$' summary
capture --from f -o threads_f.rbt -- ./threads
check 'from a place where it has several' grep -q '^The program itself is not kept: the recording begins when it has several threads\.$' stderr
exit $failures
