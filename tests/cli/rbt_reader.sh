#!/usr/bin/env bash
# docs/spec/rbt.md is enough to read an .rbt: tests/support/read_rbt.py, written from it in another language, checks each hash and prints the
# records that `trace dump` prints.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

python=$(command -v python3) || { skip 'no python3 (17)'; exit 0; }
PYTHONDONTWRITEBYTECODE=1 "$python" tests/support/read_rbt.py tests/fuzz/corpus/rbt/gaps >"$WORK/gaps"
[ $? = 77 ] && { skip "$(cat "$WORK/gaps") (17)"; exit 0; }

# What a decoder adds to a line is left out: class, registers, atomic, fence. Of ChampSim, registers.
undecoded() { sed -E '1,2d; s/ [A-Z][A-Za-z_]+( reads [^ ]+)?( writes [^ ]+)?( atomic)?( fence)?( (load|store) |$)/\5/; s/( reads [0-9,]+)?( writes [0-9,]+)?( (load|store) |$)/\3/'; }
same() {    # FILE
    "$RUBATO" trace dump "$1" 2>"$WORK/messages" | undecoded >"$WORK/expected"
    PYTHONDONTWRITEBYTECODE=1 timeout 300 "$python" tests/support/read_rbt.py "$1" >"$WORK/got" 2>&1
    if [ -s "$WORK/expected" ] && cmp -s "$WORK/got" "$WORK/expected"; then
        ok "$1: $(wc -l <"$WORK/got") records"
    else
        not_ok "$1: another reader's records differ"
        diff "$WORK/got" "$WORK/expected" | head -n 6 | sed 's/^/    /'
    fi
}

# As captures write them (runs without the table, wild slots), as `trace pack` writes them, several threads and blocks, gaps and times,
# irregular rows, ChampSim's registers.
for trace in "$TRACES"/bounds/stores.rbt "$TRACES"/bounds/jumps.rbt "$TRACES"/field/calls_x86.rbt "$TRACES"/detailed/sort.rbt \
    "$TRACES"/detailed/hash.rbt tests/fuzz/corpus/rbt/{champsim,gaps,no-bytes,program,repeats,x86}; do
    same "$trace"
done
printf '%s\n' '0x20000 READ 100' '0x20040 WRITE 150' '0x20080 READ 1150' >"$WORK/times"
for i in "$TRACES"/insn/drmemtrace/drmemtrace.small.x64.trace "$TRACES"/insn/drmemtrace/drmemtrace.allasm_x86_64.trace.zip "$WORK/times"; do
    "$RUBATO" trace pack "$i" -o "$WORK/packed.rbt" --quiet && same "$WORK/packed.rbt"
done
sample=$BUILD/tests/tools/insn_sample
if [ -x "$sample" ]; then "$sample" "$WORK/threads.rbt" threads && same "$WORK/threads.rbt"; else skip "no $sample (1)"; fi

# Two blocks: predictions carry over. Strides, a hot line, and addresses without a pattern.
awk 'BEGIN { for (i = 0; i < 540000; i++) { x = (x * 1103515245 + 12345) % 2147483648; printf "2 %x\n%d %x\n0 2000\n", 4096 + i % 700 * 4, i % 5 == 0, i % 7 ? 65536 + i * 8 : x } }' >"$WORK/long.din"
"$RUBATO" trace pack "$WORK/long.din" -o "$WORK/packed.rbt" --quiet && same "$WORK/packed.rbt"

# The test can fail: one bit of a payload.
cp "$TRACES/bounds/stores.rbt" "$WORK/flipped.rbt"
printf '\377' | dd of="$WORK/flipped.rbt" bs=1 seek=900 conv=notrunc status=none
"$python" -B tests/support/read_rbt.py "$WORK/flipped.rbt" >"$WORK/got"
check 'a flipped byte is found' test $? = 1 -a "$(grep -c 'whose hash is wrong' "$WORK/got")" = 1
exit $failures
