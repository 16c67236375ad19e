#!/usr/bin/env bash
# replay --by: rows add up to the statistics of the run, which are those of a run without it; functions and lines of a captured program;
# what is refused.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

detailed=tests/traces/detailed
have() { command -v "$1" >/dev/null; }
replay() { "$RUBATO" replay "$@" --no-cache 2>"$WORK/messages"; }
total() { awk -F'\t' -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR > 1 { sum += $at } END { printf "%.0f\n", sum }' "$WORK/by.tsv"; }
statistic() { awk -v name="$1" '$1 == name { print $2 }' "$WORK/by.txt"; }
equal() { if [ "$(total "$2")" = "$(statistic "$3")" ]; then ok "$1: $2"; else not_ok "$1: $2 is $(total "$2"), $3 $(statistic "$3")"; fi; }
# both NAME ARGUMENTS...: once without --by and once with it
both() {
    local name=$1
    shift
    check "$name" replay "$@" --quiet --stats "$WORK/plain.txt"
    check "$name, by pc" replay "$@" --quiet --stats "$WORK/by.txt" --by pc --by-file "$WORK/by.tsv"
    check "$name: the same statistics" cmp <(grep -v '^host' "$WORK/plain.txt") <(grep -v '^host' "$WORK/by.txt")
    for cache in l1i l1d l2; do
        equal "$name" ${cache}_misses system.$cache.demandMisses::total
    done
    equal "$name" l1d_accesses system.l1d.demandAccesses::total
}

both 'a chase' laptop $detailed/chase.rbt --model detailed
equal 'a chase' instructions system.cpu.commitStats0.numInsts
equal 'a chase' l3_misses system.l3.demandMisses::total
cycles=$(total cycles) whole=$(statistic system.cpu.numCycles)
check 'all cycles but those behind the last commit' test "$cycles" -le "$whole" -a "$cycles" -ge $((whole - 20))
check 'a cycle stalls or commits' test "$(total stall_cycles)" -lt "$cycles" -a "$(total frontend_cycles)" -le "$(total stall_cycles)"
check 'the load of the chase comes first' grep -q '^0x1016a$' <(sed -n 2p "$WORK/by.tsv" | cut -f 5)
both 'prefetches' default "$TRACES/triad" --set l2.prefetcher=stream
equal 'prefetches' useful_prefetches system.l2.prefetcher.pfUseful
equal 'prefetches' prefetches system.l2.overallMshrMisses::l2.prefetcher
check 'their bytes' test "$(total prefetch_bytes)" -gt 0 -a "$(total prefetch_bytes)" -le "$(total read_bytes)"
check 'no cycles of elastic cores' test -z "$(head -n 1 "$WORK/by.tsv" | grep -w cycles)"
both 'behind a warm-up' default "$TRACES/gups" --warmup 1000
check 'writes have no pc' test "$(total write_bytes)" = "$(awk -F'\t' 'NR > 1 && $5 == "-" { print $8 + 0 ? $8 : $10 }' "$WORK/by.tsv")"

# ---- forms
check 'JSON and CSV' replay laptop $detailed/matrix.rbt --model detailed --by pc --by-file "$WORK/by.json" --summary "$WORK/summary.json" --top 3 --quiet
check 'three rows in the summary' test "$(grep -c '"pc": "0x' "$WORK/summary.json")" = 3
check 'as in the file' cmp <(grep '"pc"' "$WORK/summary.json" | tr -d ' ,') <(grep '"pc"' "$WORK/by.json" | head -n 3 | tr -d ' ,')
check 'the table' replay laptop $detailed/matrix.rbt --model detailed --by pc --top 2 >"$WORK/table"
check 'two rows' grep -qE '^Where in the program: 2 of [0-9]+ pcs' "$WORK/table"
check 'any engine' cmp <(replay laptop $detailed/matrix.rbt --model detailed --by pc --engine plain | sed -n '/^Where/,$p') \
    <(replay laptop $detailed/matrix.rbt --model detailed --by pc | sed -n '/^Where/,$p')

check 'stacks' replay laptop $detailed/sort.rbt --model detailed --quiet --by pc --by-file "$WORK/s.folded"
check 'have lines that flame graphs read' test "$(grep -vcE '^0x[0-9a-f]+(;0x[0-9a-f]+)* [0-9]+$' "$WORK/s.folded")" = 0
check 'and all cycles' test "$(awk '{ sum += $NF } END { print sum }' "$WORK/s.folded")" = \
    "$(replay laptop $detailed/sort.rbt --model detailed --quiet --by pc --by-file "$WORK/by.tsv" && total cycles)"

# ---- refused
refused 'stacks of elastic cores' 'detailed cores' "$RUBATO" replay wide "$TRACES/gups" --by pc --by-file "$WORK/s2.folded"
refused 'no such kind' 'expected function, line or pc' "$RUBATO" replay wide $detailed/sort.rbt --by module
refused 'a file alone' '--by-file is for rows' "$RUBATO" replay wide $detailed/sort.rbt --by-file "$WORK/x.json"
refused 'another ending' 'x.png' "$RUBATO" replay wide $detailed/sort.rbt --by pc --by-file "$WORK/x.png"
refused 'two programs' 'one program' "$RUBATO" replay wide $detailed/sort.rbt $detailed/hash.rbt --set cores=2 --by pc
refused 'alone' 'leave out --alone' "$RUBATO" replay wide $detailed/sort.rbt --alone --by pc
refused 'no number' '1zz' "$RUBATO" replay wide $detailed/sort.rbt --by pc --top 1zz
refused 'its own trace' 'is an input' "$RUBATO" replay wide $detailed/sort.rbt --by pc --by-file $detailed/sort.rbt
if ! "$RUBATO" --version | grep -q libdw; then
    refused 'functions without libdw' 'libdw' "$RUBATO" replay wide $detailed/sort.rbt --by function
    skip 'functions and lines (18): a build without libdw'
    exit $failures
fi
refused 'no program' 'was not found.*--symbols FILE' "$RUBATO" replay wide $detailed/sort.rbt --by function
refused 'no such file' 'none' "$RUBATO" replay wide $detailed/sort.rbt --by function --symbols "$WORK/none"
refused 'no ELF file' 'expected an ELF file' "$RUBATO" replay wide $detailed/sort.rbt --by function --symbols README.md
refused 'no address' 'is no address' "$RUBATO" replay wide $detailed/sort.rbt --by function --symbols /bin/sh@12zz
refused 'no images' 'FILE@ADDRESS' "$RUBATO" replay wide "$TRACES/gups" --by function --symbols /bin/sh

# ---- a program of our own
if ! have qemu-x86_64 || [ "$(uname -m)" != x86_64 ]; then
    skip 'functions and lines (13): no qemu-x86_64, or another host'
    exit $failures
fi
cat >"$WORK/two.c" <<'END'
static int table[1 << 16];
__attribute__((noipa)) static long walk(long n)
{
    unsigned x = 1;
    for (long i = 0; i < n; i++) x = x * 1664525u + 1013904223u + (unsigned)table[x >> 16];
    return x;
}
__attribute__((noipa)) static long add(long n)
{
    long s = 0;
    for (long i = 0; i < n; i++) s += table[i & 1023];
    return s;
}
int main(void) { return (int)(walk(15000) + add(3000)); }
END
cd "$WORK" || exit 1
rubato=$(case "$RUBATO" in /*) echo "$RUBATO" ;; *) echo "$OLDPWD/$RUBATO" ;; esac)
check 'a program' gcc -g -O1 -o two two.c
check 'captured' "$rubato" capture --quiet -o two.rbt -- ./two
by() { "$rubato" replay laptop two.rbt --no-cache --quiet --model detailed "$@"; }
check 'by function' by --by function --by-file f.csv
check 'its functions' test "$(cut -d, -f 1,2 f.csv | grep -c '^two,\(walk\|add\|main\)$')" = 3
check 'the one that misses first' test "$(sed -n 2p f.csv | cut -d, -f 1,2)" = two,walk
check 'by line' by --by line --by-file l.csv
check 'the line of the load' grep -qE '^two,walk,[^,]*two\.c,5,' <(sed -n 2p l.csv)
check 'as many cycles' test "$(awk -F, 'NR > 1 { sum += $7 } END { print sum }' l.csv)" = "$(awk -F, 'NR > 1 { sum += $7 } END { print sum }' f.csv)"
check 'stacks' by --by function --by-file s.folded
check 'main called both' test "$(sed -E 's/.*;(main;[a-z]*) [0-9]+$/\1/' s.folded | grep -cx 'main;walk\|main;add')" = 2
mkdir away && mv two away/
check 'a program that is named' by --by function --by-file g.csv --symbols away/two
check 'the same function' test "$(sed -n 2p g.csv | cut -d, -f 1,2)" = two,walk
gcc -g -O2 -o two two.c
refused 'a program built anew' 'is another program than' "$rubato" replay laptop two.rbt --no-cache --by function
exit $failures
