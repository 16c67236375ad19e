#!/usr/bin/env bash
# rubato compare --native: small programs, compiled here, that do what they should not, or what can be counted. Nothing depends on how
# fast the machine is: counts of instructions, figures of lists, who is refused and why.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
command -v cc >/dev/null || { skip 'programs of this host: no C compiler'; exit 0; }
[ "$(uname -m)" = x86_64 ] && command -v qemu-x86_64 >/dev/null || { skip 'native runs: a host of x86-64 with qemu-x86_64 is needed'; exit 0; }

cat >"$WORK/loop.c" <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) void begin(void) { __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void end(void) { __asm__ volatile("" ::: "memory"); }
long counted;
static void *other(void *of) { return of; }
int main(int count, char **words)
{
    const char *does = count > 1 ? words[1] : "";
    long turns = count > 2 ? atol(words[2]) : 1000;
    pthread_t thread;
    char text[100] = "";
    if (!strcmp(does, "fails")) return fprintf(stderr, "no such thing\n"), 7;
    if (!strcmp(does, "aborts")) abort();
    if (!strcmp(does, "forks") && fork() == 0) _exit(0);
    if (!strcmp(does, "threads")) pthread_create(&thread, 0, other, 0), pthread_join(thread, 0);
    if (!strcmp(does, "execs")) execl("/bin/true", "true", (char *)0);
    if (!strcmp(does, "sleeps")) pause();
    if (!strcmp(does, "clock")) { struct timespec now; clock_gettime(CLOCK_MONOTONIC, &now); printf("%ld\n", now.tv_nsec); }
    if (!strcmp(does, "emulated")) {      /* other CPUs have other caches */
        unsigned a = 4, b, c = 0, d;
        __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
        __asm__ volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "0"(0x80000002), "2"(0));
        printf("%x%x%x%x\n", a, b, c, d);
    }
    if (!strcmp(does, "reads")) printf("%s", fgets(text, sizeof text, stdin) ? text : "nothing\n");
    if (strcmp(does, "skips")) begin();
    __asm__ volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(turns));
    if (strcmp(does, "stays")) end();
    if (!strcmp(does, "lasts")) pause();
    if (!strcmp(does, "late")) return fprintf(stderr, "no room\n"), 9;
    if (!strcmp(does, "aborts-late")) abort();
    return 0;
}
EOF
cc -O2 -static -o "$WORK/loop" "$WORK/loop.c" -lpthread && cc -O2 -o "$WORK/moved" "$WORK/loop.c" -lpthread || { not_ok 'programs are compiled'; exit 1; }
counters=$(realpath "$BUILD")/tests/tools/fake_counters.so
cd "$WORK" || exit 1
compare() { timeout 60 "$RUBATO" compare --native server --set cores=1 --runs 2 "$@" </dev/null >out 2>err; }
region() { compare --region begin end "${@}"; }
json() { sed -n "s/.*\"$1\": \"*\\([^,\"}]*\\).*/\\1/p" out | head -n 1; }

# fails NAME PATTERN COMMAND...: exit code 3 and one line with the reason.
fails() {
    local name=$1 pattern=$2 code
    shift 2
    "$@"
    code=$?
    if [ $code = 3 ] && [ "$(wc -l <err)" = 1 ] && grep -qE "^rubato: $pattern" err && [ ! -s out ]; then ok "$name"; else
        not_ok "$name: exit code $code"
        head -n 3 err out | cut -c 1-300
    fi
}

# ---- regions: a loop of known length, between two places
for program in loop moved; do
    check "$program: a region" region --json -- ./$program x 1000
    check '... has the instructions of its loop' test "$(json instructions)" -gt 2000 -a "$(json instructions)" -lt 2100
    before=$(json instructions)
    check '... and of a longer one' region --json -- ./$program x 5000
    check '... exactly as many more' test $(($(json instructions) - before)) = 8000
    check '... with what was before it as warm-up' test "$(json warmup)" -gt 1000
    check '... a native time' test "$(json native_cycles | cut -d. -f1)" -gt 100
    check '... the runs that count' test "$(json native_kept)" -le "$(json native_runs)" -a "$(json native_runs)" -ge 2
done
check 'less warm-up' region --json --warmup 500 -- ./loop x 1000
check '... of no more instructions than were asked for' test "$(json warmup)" -le 500 -a "$(json warmup)" -gt 400
check 'no warm-up' region --json --warmup 0 -- ./loop x 1000
check '... has none' test "$(json warmup)" = 0
check 'a whole program' compare --json -- ./loop x 1000
check '... has no warm-up' test "$(json warmup)" = 0 -a "$(json instructions)" -gt 3000
check 'from a place to the end' compare --json --from begin -- ./loop x 100000
check 'from the start to a place' compare --json --to begin -- ./loop x 1000
check '... has no warm-up' test "$(json warmup)" = 0
check 'an address of a program that is not moved' compare --from "0x$(nm loop | sed -n 's/ T begin$//p')" --to end -- ./loop x 200000
check 'text for people' region -- ./loop x 1000
check '... has both sides' grep -qE '^cycles +[0-9]+ +[0-9]+  [+-]' out
check '... says what bounds the replay' grep -q '^The replay is bound by ' out
check '... and how natively was measured' grep -q '^native  *least of ' out
check 'without counters' region --no-counters -- ./loop x 1000
check '... that is said' grep -q 'no performance counters' out
# The task's clock in place of each hardware counter, where the kernel lets processes count at all.
with_counters() { LD_PRELOAD=$counters FAKE_COUNTERS=$1 region "${@:2}" -- ./loop x 100000; }
with_counters 999
if [ ! -e "$counters" ] || grep -qE 'perf_event_open: (Operation not permitted|Permission denied|Function not implemented)' out; then
    skip 'performance counters (4): the kernel does not let processes count'
else
    check 'counters of the host' grep -q 'by the host.s counter of cycles in user mode' out
    check '... beside the figures of the replay' grep -qE '^mispredicted branches +[0-9.]+ +[0-9.]+' out
    check 'counters for programs' eval 'with_counters 999 --json && [ "$(json native_user_cycles)" -gt 0 ] && [ "$(json native_mispredictions)" != null ]'
    check 'some counters, without cycles' eval 'with_counters 0 --json && [ "$(json native_user_cycles)" = null ] && [ "$(json native_cycles | cut -d. -f1)" -gt 0 ]'
fi
check 'another model' eval 'region --model elastic --json -- ./loop x 1000 && [ "$(json state)" = ok ]'
check 'captures are kept' eval 'region --captures kept -- ./loop x 1000 && "$RUBATO" trace info kept/loop.rbt >/dev/null'
sed 's/\<begin\>/rubato_begin/; s/\<end\>/rubato_end/' loop.c >marked.c && cc -O2 -o marked marked.c -lpthread
check 'markers' compare --json -- ./marked x 1000
check '... are a region' test "$(json instructions)" -gt 2000 -a "$(json instructions)" -lt 2100
check '... other than that of an option' eval 'compare --json --from main -- ./marked x 1000 && [ "$(json instructions)" -gt 2100 ]'
echo hello >hello
check 'standard input of each run' compare --input hello -- ./loop reads 10
check 'nothing is left in the folder of temporary files' eval 'mkdir temporary; TMPDIR=$PWD/temporary region -- ./loop x 10; [ -z "$(ls temporary)" ]'

# A loop leads back behind the first byte of the region's end, where a jump of five bytes would lie.
cat >back.c <<'EOF'
__attribute__((noinline)) void begin(void) { __asm__ volatile("" ::: "memory"); }
void end(void);
__asm__(".globl end\n.type end, @function\nend: nop\n1: push %rbx\nmov %edi, %ebx\ncall begin\nmov $200000, %eax\n2: dec %eax\njnz 2b\nmov %ebx, %edi\npop %rbx\ndec %edi\njnz 1b\nret\n.size end, . - end");
int main(void)
{
    __asm__ volatile("mov $3, %%edi\n\tcall end\n\tmov $1, %%edi\n\tcall end" ::: "rdi", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
    return 0;
}
EOF
cc -O2 -o back back.c
check 'code that goes on behind the first byte of the end' region --json -- ./back
check '... up to the next call of it' eval '[ "$(json instructions)" -ge 1200015 ] && [ "$(json instructions)" -le 1200060 ]'

# ---- what cannot be compared: exit code 3 with the reason
fails 'a program that fails' './loop: it failed natively, with exit code 7; it says: no such thing$' compare -- ./loop fails
fails 'one that is ended by a signal' './loop: ended by signal 6 ' compare -- ./loop aborts
fails 'one that forks' './loop: it forks' region -- ./loop forks
fails 'one that starts a thread' './loop: it starts a thread' region -- ./loop threads
fails 'one that replaces itself' './loop: it replaces itself' region -- ./loop execs
fails 'one that does not end' './loop: the native run has not ended after 0.5 s; give --timeout' compare --timeout 500ms -- ./loop sleeps
fails 'one that prints something else each time' './loop: two native runs print different things, from line 1 on' compare -- ./loop clock
fails 'one that prints something else when it is captured' './loop: its capture prints something else than the native run, from line 1' compare -- ./loop emulated
fails 'one that fails behind its region' "./loop: it fails behind the region's end, with exit code 9; it says: no room$" region -- ./loop late
fails 'one that is ended by a signal there' "./loop: ended by signal 6 .* behind the region's end" region -- ./loop aborts-late
check 'one that goes on there without an end' region --timeout 1s --json -- ./loop lasts
fails 'a region that does not begin' './loop: begin, where the region begins, was not reached; .* exit code 0$' region -- ./loop skips
fails 'a region that does not end' './loop: end, where the region ends, was not reached' region -- ./loop stays
fails 'a region that is too long' './loop: it has more than 1000 instructions to replay' region --instructions 1000 -- ./loop x 1000
check 'no process is left' eval '! pgrep -f "^\./loop (sleeps|forks)" >/dev/null'

# ---- wrong input: exit code 2 with one line
wrong() { refused "$1" "$2" "$RUBATO" compare --native "${@:3}"; }
wrong 'an unknown symbol' '--to ende: \./loop: no symbol ende' server --region begin ende -- ./loop
wrong 'a number of instructions' '--from 1000: a number of instructions is no place' server --from 1000 -- ./loop
wrong 'an address of a program that is moved' '--from 0x1000: .*may be loaded anywhere' server --from 0x1000 -- ./moved
wrong 'no address' '--from 0x10zz: expected a symbol' server --from 0x10zz -- ./loop
wrong 'a region without an end' '--region begin: expected two places' server --region begin -- ./loop
wrong 'a region of nothing' 'begins and ends at begin' server --region begin begin -- ./loop
wrong 'data' '--from counted: it is no code of' server --from counted -- ./loop
wrong 'no such program' '\./nowhere: ' server -- ./nowhere
wrong 'no program' 'no program was given' server
wrong 'a program twice' 'a program and --programs were given' server --programs list -- ./loop
wrong 'a program before the options end' 'unknown option --x' server --x -- ./loop
wrong 'no such system' 'nowhere: ' nowhere -- ./loop
wrong 'a system of several cores' 'has 4 cores; .*--set cores=1' quad -- ./loop
wrong 'a wrong key' 'l9' server --set l9.size=1 -- ./loop
wrong 'no input' '--input nowhere: No such file' server --input nowhere -- ./loop
wrong 'no runs' '--runs 0: expected 1 to 1000' server --runs 0 -- ./loop
wrong 'no such core' '--core 9999: expected a core' server --core 9999 -- ./loop
wrong 'an option of another comparison' '--detailed is not for --native' server --detailed -- ./loop
wrong 'a page that is a picture' 'page.png' server -o page.png -- ./loop
wrong 'no list' 'nowhere: No such file' server --programs nowhere
refused 'an option without --native' '--region is for --native' "$RUBATO" compare --region a b table.tsv

# ---- lists: cycles that are given make figures that are known
printf 'name\tcommand\tfrom\tto\tcycles\tper\nloop\t./loop x 1000\tbegin\tend\t1000\t1\nloop:twice\t./loop x 2000\tbegin\tend\t3000\t1\nper\t./loop x 1000\tbegin\tend\t10\t100\n' >list
check 'a list with given cycles' compare --programs list --tsv
check '... has a row each' test "$(grep -c $'\tok$' out)" = 3
expected=$(awk -F '\t' 'NR > 1 && /\tok$/ { e = 100 * ($3 / $2 - 1); sum += e < 0 ? -e : e } END { print sum / 3 }' out)
check '... the mean of their errors' eval 'awk -v mean="$expected" "\$2 == \"err_mean_pct\" { e = \$3 / mean - 1 } END { exit !(e < 1e-3 && e > -1e-3) }" out'
check '... the change against the first' test "$(awk -F '\t' '$1 == "loop:twice" { print $7 }' out)" = 3.0000
change=$(awk -F '\t' '$1 == "loop" { base = $3 } $1 == "loop:twice" { printf "%.2f", $3 / base }' out)
check '... also of the replays' test "$(awk -F '\t' '$1 == "loop:twice" { printf "%.2f", $8 }' out)" = "$change"
check '... cycles over per' eval '[ "$(awk -F "\t" "\$1 == \"loop\" { a = \$3 } \$1 == \"per\" { printf \"%d\", a / \$3 + 0.5 }" out)" -ge 99 ]'
check '... how many passed' test "$(tail -n 1 out)" = '3 passed, 0 failed'
check 'the same as JSON, and a page' compare --programs list --json -o page.html
check '... is valid' eval 'python3 -c "import json; d = json.load(open(\"out\")); assert d[\"changes\"] == 1 and len(d[\"programs\"]) == 3" || ! command -v python3 >/dev/null'
check '... the page has the programs' eval 'grep -q "loop:twice" page.html && grep -q "</html>" page.html'
check 'for people' compare --programs list
check '... the sum of errors' grep -q '^error of cycles  *mean .* of 3 programs$' out
cp list list.html
refused 'a page that would replace its list' 'list.html' "$RUBATO" compare --native server --programs list.html -o list.html
printf 'name\tcommand\nfails\t./loop fails\ngood\t./loop x 10\n' >list
compare --programs list --tsv
check 'a program that fails costs that program only' test $? = 3 -a "$(tail -n 1 out)" = '1 passed, 1 failed'
check '... with its line' grep -q '^rubato: list: line 2: \./loop: it failed' err
printf 'name\tcommand\nmissing\t./nowhere\ngood\t./loop x 10\n' >list
refused 'a program that is missing, before any runs' 'list: line 2: \./nowhere: ' "$RUBATO" compare --native server --programs list
exit $failures
