#!/usr/bin/env bash
# Instruction traces by the commands: info, dump, pack, cut, verify, convert; there and back is the same.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

TRACES=tests/traces/insn
# Instructions and markers as text, without the line that names the format.
dump() { "$RUBATO" trace dump "$1" | grep -v '^# [^0-9]'; }
same() {    # NAME A B
    if [ -s "$WORK/$2" ] && cmp -s "$WORK/$2" "$WORK/$3"; then ok "$1"
    else not_ok "$1"; diff "$WORK/$2" "$WORK/$3" | head -n 6; fi
}

# ---- drmemtrace -> rbt -> drmemtrace -> rbt
for name in drmemtrace.allasm_x86_64.trace.zip drmemtrace.small.x64.trace drmemtrace.threadsig.10510.0155.trace.gz; do
    file=$TRACES/drmemtrace/$name
    rm -rf "$WORK/there"
    "$RUBATO" trace pack "$file" -o "$WORK/a.rbt" --quiet
    "$RUBATO" trace convert "$WORK/a.rbt" --to drmemtrace -o "$WORK/there" >/dev/null
    "$RUBATO" trace pack "$WORK/there" -o "$WORK/b.rbt" --quiet
    dump "$file" >"$WORK/0"; dump "$WORK/a.rbt" >"$WORK/1"; dump "$WORK/there" >"$WORK/2"; dump "$WORK/b.rbt" >"$WORK/3"
    same "$name as .rbt" 0 1
    same "$name as drmemtrace again" 0 2
    same "$name as .rbt again" 0 3
done
"$RUBATO" trace pack "$TRACES/drmemtrace/drmemtrace.allasm_x86_64.trace.zip" -o "$WORK/a.rbt" >"$WORK/out"
check 'pack says how small it is' grep -q ' an instruction$' "$WORK/out"
"$RUBATO" trace pack "$WORK/a.rbt" -o "$WORK/b.rbt" --quiet
# Only its source is named otherwise.
check 'an .rbt of an .rbt is the same' cmp -s "$WORK/a.rbt" "$WORK/b.rbt"

# ---- ChampSim and lackey, both ways
"$RUBATO" trace convert tests/fuzz/corpus/insn/champsim --to champsim -o "$WORK/c.xz" >/dev/null
"$RUBATO" trace pack "$WORK/c.xz" -o "$WORK/c.rbt" --quiet
"$RUBATO" trace convert "$WORK/c.rbt" --to champsim -o "$WORK/c" >/dev/null
dump tests/fuzz/corpus/insn/champsim >"$WORK/0"; dump "$WORK/c.xz" >"$WORK/1"; dump "$WORK/c.rbt" >"$WORK/2"
same 'ChampSim as ChampSim' 0 1
same 'ChampSim as .rbt' 0 2
gzip -c "$WORK/c" >"$WORK/c.gz"
dump "$WORK/c" >"$WORK/1"; dump "$WORK/c.gz" >"$WORK/2"
same 'ChampSim, raw' 0 1
same 'ChampSim, gzip' 0 2
if command -v bzip2 >/dev/null; then
    bzip2 -c "$WORK/c" >"$WORK/c.bz2"
    dump "$WORK/c.bz2" >"$WORK/2"
    same 'ChampSim, bzip2' 0 2
else skip 'ChampSim, bzip2: there is no bzip2'; fi
"$RUBATO" trace pack $TRACES/lackey/exact.lackey.txt -o "$WORK/l.rbt" --quiet
"$RUBATO" trace convert "$WORK/l.rbt" --to lackey -o "$WORK/lackey" >/dev/null
grep -v '^==' $TRACES/lackey/exact.lackey.txt >"$WORK/0"
same 'lackey, byte by byte' 0 lackey
"$RUBATO" trace convert $TRACES/drmemtrace/drmemtrace.allasm_x86_64.trace.zip --to lackey -o "$WORK/l" >"$WORK/out"
check 'what is lost is said' grep -q 'instructions whose bytes or registers the format has not$' "$WORK/out"
"$RUBATO" trace convert $TRACES/drmemtrace/drmemtrace.allasm_x86_64.trace.zip --to champsim -o "$WORK/x.gz" >/dev/null
"$RUBATO" trace info $TRACES/drmemtrace/drmemtrace.allasm_x86_64.trace.zip | grep -E '^    (direct|indirect|cond|return)' >"$WORK/0"
"$RUBATO" trace info "$WORK/x.gz" | grep -E '^    (direct|indirect|cond|return)' >"$WORK/1"
same 'kinds of branches survive in ChampSim' 0 1
"$RUBATO" trace convert "$WORK/l.rbt" --to elf -o "$WORK/l" 2>"$WORK/messages"
check 'a format that is not known' test $? = 2 -a "$(grep -c 'expected champsim, drmemtrace' "$WORK/messages")" = 1
printf '0x10 R\n0x20 W\n' >"$WORK/memory"
"$RUBATO" trace convert "$WORK/memory" --to champsim -o "$WORK/l" 2>"$WORK/messages"
check 'a trace without pcs' test $? = 2 -a "$(grep -c 'it lacks pcs' "$WORK/messages")" = 1

# ---- cut, damage
"$RUBATO" trace cut $TRACES/drmemtrace --records 10:15 --threads 10510 -o "$WORK/part.rbt" >"$WORK/out"
check 'a range of one thread' test "$(dump "$WORK/part.rbt" | grep -vc '^#')" = 5
check 'which says what it lacks' test "$(dump "$WORK/part.rbt" | grep -c 'lost 10$')" = 1
"$RUBATO" trace cut $TRACES/drmemtrace --threads 7 -o "$WORK/part.rbt" 2>"$WORK/messages"
check 'a thread that is not there' test $? = 2 -a "$(grep -c 'there is no thread 7' "$WORK/messages")" = 1
"$RUBATO" trace verify "$WORK/a.rbt" >"$WORK/out"
check 'verify' test $? = 0 -a "$(grep -c ': whole; ' "$WORK/out")" = 1
head -c 460 "$WORK/a.rbt" >"$WORK/cut.rbt"
"$RUBATO" trace verify "$WORK/cut.rbt" >/dev/null 2>"$WORK/messages"
check 'verify of a cut file' test $? = 2 -a "$(grep -c 'it is cut, or still being written; ' "$WORK/messages")" = 1
"$RUBATO" trace info "$WORK/cut.rbt" >"$WORK/out" 2>/dev/null
check 'info of a cut file' grep -q '^  instructions  133, ' "$WORK/out"
"$RUBATO" trace cut "$WORK/cut.rbt" --salvage -o "$WORK/saved.rbt" >/dev/null 2>&1
dump "$WORK/a.rbt" >"$WORK/0"; dump "$WORK/saved.rbt" >"$WORK/1"
same 'salvage' 0 1
cp $TRACES/drmemtrace/drmemtrace.small.x64.trace "$WORK/short.trace"; truncate -s -12 "$WORK/short.trace"
"$RUBATO" trace verify "$WORK/short.trace" >"$WORK/out"
check 'verify of a trace without footer' test $? = 2 -a "$(grep -c 'there is no footer' "$WORK/out")" = 1
"$RUBATO" trace pack $TRACES/lackey/exact.lackey.txt -o /dev/full 2>"$WORK/messages"
check 'a full disk' test $? = 2 -a "$(grep -c 'cannot be written' "$WORK/messages")" = 1
exit $failures
