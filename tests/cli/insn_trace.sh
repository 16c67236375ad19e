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
check 'pack reports the size' grep -q ' an instruction$' "$WORK/out"
"$RUBATO" trace pack "$WORK/a.rbt" -o "$WORK/b.rbt" --quiet
# Only its source is named otherwise.
check 'an .rbt of an .rbt is the same' cmp -s "$WORK/a.rbt" "$WORK/b.rbt"

# ---- ChampSim and lackey, both ways
"$RUBATO" trace convert tests/fuzz/corpus/insn/champsim --to champsim -o "$WORK/c.xz" >/dev/null
"$RUBATO" trace pack "$WORK/c.xz" -o "$WORK/c.rbt" --quiet
"$RUBATO" trace convert "$WORK/c.rbt" --to champsim -o "$WORK/c.champsimtrace" >/dev/null
dump tests/fuzz/corpus/insn/champsim >"$WORK/0"; dump "$WORK/c.xz" >"$WORK/1"; dump "$WORK/c.rbt" >"$WORK/2"
same 'ChampSim as ChampSim' 0 1
same 'ChampSim as .rbt' 0 2
gzip -c "$WORK/c.champsimtrace" >"$WORK/c.gz"
dump "$WORK/c.champsimtrace" >"$WORK/1"; dump "$WORK/c.gz" >"$WORK/2"
same 'ChampSim, raw' 0 1
same 'ChampSim, gzip' 0 2
if command -v bzip2 >/dev/null; then
    bzip2 -c "$WORK/c.champsimtrace" >"$WORK/c.bz2"
    dump "$WORK/c.bz2" >"$WORK/2"
    same 'ChampSim, bzip2' 0 2
else skip 'ChampSim, bzip2: there is no bzip2'; fi
"$RUBATO" trace pack $TRACES/lackey/exact.lackey.txt -o "$WORK/l.rbt" --quiet
"$RUBATO" trace convert "$WORK/l.rbt" --to lackey -o "$WORK/lackey.txt" >/dev/null
grep -v '^==' $TRACES/lackey/exact.lackey.txt >"$WORK/0"
same 'lackey, byte by byte' 0 lackey.txt
"$RUBATO" trace convert $TRACES/drmemtrace/drmemtrace.allasm_x86_64.trace.zip --to lackey -o "$WORK/l" >"$WORK/out"
check 'lost facts are reported' grep -q 'instructions whose bytes or registers the format lacks$' "$WORK/out"
"$RUBATO" trace convert $TRACES/drmemtrace/drmemtrace.allasm_x86_64.trace.zip --to champsim -o "$WORK/x.gz" >/dev/null
"$RUBATO" trace info $TRACES/drmemtrace/drmemtrace.allasm_x86_64.trace.zip | grep -E '^    (direct|indirect|cond|return)' >"$WORK/0"
"$RUBATO" trace info "$WORK/x.gz" | grep -E '^    (direct|indirect|cond|return)' >"$WORK/1"
same 'kinds of branches survive in ChampSim' 0 1
"$RUBATO" trace convert "$WORK/l.rbt" --to elf -o "$WORK/l" 2>"$WORK/messages"
check 'a format that is not known' test $? = 2 -a "$(grep -c 'expected champsim, drmemtrace' "$WORK/messages")" = 1
printf '0x10 R\n0x20 W\n' >"$WORK/memory"
"$RUBATO" trace convert "$WORK/memory" --to champsim -o "$WORK/l" 2>"$WORK/messages"
check 'a trace without pcs' test $? = 2 -a "$(grep -c 'it lacks pcs' "$WORK/messages")" = 1

# 100,000 accesses below 4 GiB and a pc above: their upper halves are missing, which only the end shows.
{ printf '\x00\x61\x6b\x78\xd1\x7f\0\0'; printf '\0%.0s' {1..24}; printf '\x10\0\0\0\0\0\0\0'; printf '\0%.0s' {1..24}; } >"$WORK/record"
cp "$WORK/record" "$WORK/high"
for _ in {1..17}; do cat "$WORK/high" "$WORK/high" >"$WORK/twice"; mv "$WORK/twice" "$WORK/high"; done
"$RUBATO" trace pack "$WORK/high" -o "$WORK/high.rbt" --quiet
"$RUBATO" trace info "$WORK/high.rbt" >"$WORK/out"
check 'facts at the end of the file are kept' grep -q '^  lacks .*upper 32 bits' "$WORK/out"
cp $TRACES/drmemtrace/drmemtrace.small.x64.trace "$WORK/short.trace"; truncate -s -12 "$WORK/short.trace"
"$RUBATO" trace pack "$WORK/short.trace" -o "$WORK/short.rbt" --quiet 2>/dev/null
"$RUBATO" trace info "$WORK/short.rbt" >"$WORK/out"
check 'a warning of the source is kept' grep -q ' is cut: there is no footer$' "$WORK/out"

# ---- cut, damage
"$RUBATO" trace cut $TRACES/drmemtrace --records 10:15 --threads 10510 -o "$WORK/part.rbt" >"$WORK/out"
check 'a range of one thread' test "$(dump "$WORK/part.rbt" | grep -vc '^#')" = 5
check 'which reports its missing facts' test "$(dump "$WORK/part.rbt" | grep -c 'lost 10$')" = 1
"$RUBATO" trace cut $TRACES/drmemtrace --threads 7 -o "$WORK/part.rbt" 2>"$WORK/messages"
check 'a thread that is not there' test $? = 2 -a "$(grep -c 'there is no thread 7' "$WORK/messages")" = 1
"$RUBATO" trace verify "$WORK/a.rbt" >"$WORK/out"
check 'verify' test $? = 0 -a "$(grep -c ': whole; ' "$WORK/out")" = 1
head -c -40 "$WORK/a.rbt" >"$WORK/cut.rbt"        # within the index
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

# ---- bad input: one line with file, byte or line, the value found and the one expected; from each reading command
byte() { printf '%b' "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null; }    # FILE OFFSET BYTES
bad() {    # NAME PATTERN FILE
    refused "$1: replay" "$3: $2" "$RUBATO" replay wide "$3"
    refused "$1: pack" "$3: $2" "$RUBATO" trace pack "$3" -o "$WORK/never.rbt" --quiet
    refused "$1: verify" "$3: $2" "$RUBATO" trace verify "$3"
    check "$1: nothing is written" test ! -e "$WORK/never.rbt"
}
"$RUBATO" trace pack $TRACES/lackey/exact.lackey.txt -o "$WORK/good.rbt" --quiet
size=$(wc -c <"$WORK/good.rbt")
damaged() { cp "$WORK/good.rbt" "$WORK/$1"; }
damaged newer.rbt && byte "$WORK/newer.rbt" 8 '\002'
bad 'newer .rbt' 'byte 8: is an .rbt file of version 2; expected version 1; capture or convert the trace again' "$WORK/newer.rbt"
head -c $((size - 5)) "$WORK/good.rbt" >"$WORK/short.rbt"
bad 'cut .rbt' "byte $((size - 5)): the file ends; expected a trailer" "$WORK/short.rbt"
{ cat "$WORK/good.rbt"; printf '%40s' ''; } >"$WORK/long.rbt"
bad '.rbt with something behind it' "byte $((size + 40)): the file ends; expected a trailer" "$WORK/long.rbt"
damaged trailer.rbt && byte "$WORK/trailer.rbt" $((size - 20)) '\377\377\377\177'
bad '.rbt whose index lies far away' 'byte [0-9]+: a trailer whose hash is another' "$WORK/trailer.rbt"
damaged chunk.rbt && byte "$WORK/chunk.rbt" 20 '\377\377'
bad '.rbt with a chunk of no kind' 'byte [0-9]+: ' "$WORK/chunk.rbt"
damaged huge.rbt && byte "$WORK/huge.rbt" 24 '\377\377\377\377\377\377\377\177'
bad '.rbt with an oversized chunk' 'byte [0-9]+: ' "$WORK/huge.rbt"

lines() { for _ in {1..400}; do printf '%b\n' "$1"; done >"$WORK/$3"; printf '%b\n' "$2" >>"$WORK/$3"; }    # GOOD BAD FILE
text() {    # NAME GOOD BAD ABOUT EXPECTED: the line after 400 good ones
    lines "$2" "$3" "$1"
    bad "$1" "line 401: .* is no line of $4, as those before it; expected $5" "$WORK/$1"
}
text lackey 'I  00001000,4' ' L 1ffffffffffffffff,4' "Valgrind's lackey" 'I, L, S or M, and ADDRESS,BYTES'
text pinatrace '0x1000: R 0x20000' '0x1008: Q 0x20040' pinatrace '0xPC: R or W 0xADDRESS'
text ramulator '0x20000 R' '0x20040 Z' "Ramulator's memory trace" '0xADDRESS R or W'
text dramsim3 '0x20000 READ 100' '0x20040 FETCH 150' DRAMsim3 '0xADDRESS READ or WRITE CYCLE'
text stl '0: read 0x20000' '50: erase 0x20040' "DRAMSys' STL" 'CYCLE: read or write 0xADDRESS'
text prospero '12 R 131072 8' '30 W 131136 99999999999999999999' 'SST Prospero' 'INSTRUCTIONS R or W ADDRESS BYTES'
text load_store 'LD 0x20000' 'XX 0x20000' "Ramulator 2's load-store trace" 'LD or ST ADDRESS'
text din '2 40a' '7 1000' din 'LABEL from 0 to 4, ADDRESS'
text cpu_trace '30 131072 131136' '99999999999999999999 1' "Ramulator's CPU trace" 'INSTRUCTIONS ADDRESS'
text control '0x20000 R' '0x20\033[2J\001 R' "Ramulator's memory trace" '0xADDRESS R or W'
check 'escape sequences are not printed' test "$(grep -c '"0x20?\[2J? R"' "$WORK/stderr")" = 1
lines '0x20000 R' "$(printf '0%.0s' {1..9000}) R" wide
bad 'a line without end' 'byte 4000: a line of more than 4095 bytes' "$WORK/wide"
lines '2 400' '0 1000' either
bad 'what may be of two formats' 'line 1: may be din or .*; begin the file with a line' "$WORK/either"
lines 'R 1,2,3' 'R 1,2,3' vector
bad 'address vectors' 'line 1: is a read-write trace of Ramulator 2' "$WORK/vector"
cp $TRACES/drmemtrace/drmemtrace.small.x64.trace "$WORK/version.trace" && byte "$WORK/version.trace" 4 '\143'
bad 'newer drmemtrace' '.*version' "$WORK/version.trace"
head -c 700 $TRACES/drmemtrace/drmemtrace.threadsig.10510.0155.trace.gz >"$WORK/cut.trace.gz"
refused 'cut drmemtrace, gzip' 'cut.trace.gz' "$RUBATO" replay wide "$WORK/cut.trace.gz"
printf 'hello\n' >"$WORK/hello"
refused 'no trace at all' 'hello: .*expected .*instruction trace' "$RUBATO" replay wide "$WORK/hello"
exit $failures
