#!/usr/bin/env bash
# rubato trace info and trace dump of GPU traces: their output for bundled sets, equal from raw and grouped files;
# memory.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

pascal=$TRACES/gpu/pascal-vectoradd-100 fir=$TRACES/gpu/gcn3-fir bfs=$TRACES/gpu/volta-bfs-2blocks
info() { "$RUBATO" trace info "$@" 2>/dev/null; }
dump() { "$RUBATO" trace dump "$@" 2>/dev/null; }
has() { grep -qE -- "$1"; }
lines_are() { [ "$(wc -l)" = "$1" ]; }
same() { cmp -s "$1" "$2"; }

# --- info: figures of expected.tsv, and those of classes
check 'instructions' has 'instructions  344 of warps, 10516 of threads; 3 ' < <(info "$pascal")
check 'a class' has '^ +int +160 +46.5 %' < <(info "$pascal")
check 'accesses' has '^ +global +12 +300 +39 ' < <(info "$pascal")
check 'header' has 'isa +SASS, binary version 61, 32 lanes' < <(info "$pascal")
check 'scalar instructions are one each' has 'instructions  6272 of warps, 276416 of threads' < <(info "$fir")
check 'scalar accesses' has '^ +scalar +320 +320 +320 ' < <(info "$fir")
check 'a list of copies and one kernel' has 'copies        6 to the device, 159744 bytes' < <(info "$bfs")
check 'a kernel file by itself' has 'kernels +1$' < <(info "$pascal/kernel-1.traceg")
check 'a kernel file by the name without its ending' has 'instructions  866 ' < <(info "$bfs/kernel-3.traceg")
check 'the footprint in lines of 32 bytes' has 'footprint +39 lines of 32 bytes' < <(info --line 32 "$pascal")
check 'JSON' has '"insts": 344, "thread_insts": 10516, "masked_off": 3, ' < <(info --json "$pascal")

# --- dump
check 'a line an instruction' lines_are 344 < <(dump "$pascal" | grep -v '^#')
check 'a JSON line an instruction, kernel and copy' lines_are 348 < <(dump --json "$pascal")
check 'a range' lines_are 5 < <(dump "$pascal" --records 10:15 | grep -v '^#')
check 'a load' has '^0,0,0 0 0098 ffffffff LDG.E.CG R4 R4 load global 4 0:0x7f2b2d500000 1:0x7f2b2d500004 ' < <(dump "$pascal")
check 'a scalar load' has '^0,0,0 0 5110 f{16} S_LOAD_DWORD S0 S6,S7 load scalar 4 0:0x6020$' < <(dump "$fir")
check 'a load in JSON' has '"pc": 152, "mask": "ffffffff", "opcode": "LDG.E.CG", "destinations": \["R4"\]' \
    < <(dump --json "$pascal")
check 'no text that cannot be printed' lines_are 0 < <({ info "$fir"; dump "$fir"; } | LC_ALL=C grep '[^ -~]')

# --- compressed and plain are the same
mkdir "$WORK/plain"
cp "$bfs/kernelslist.g" "$WORK/plain"
gzip -dc "$bfs/kernel-3.traceg.gz" >"$WORK/plain/kernel-3.traceg"
dump "$bfs" >"$WORK/packed.txt"
dump "$WORK/plain" >"$WORK/plain.txt"
check 'gzip and plain' same "$WORK/packed.txt" "$WORK/plain.txt"

# --- raw and grouped are the same: the reference's grouped files
sets=$SHARED/traces/gpu
if [ -d "$sets" ]; then
    for set in gcn3-fir gcn3-matrixmultiplication volta-vecadd-raw turing-lineinfo-raw; do
        dump "$sets/$set" | grep -v '^#' >"$WORK/raw.txt"
        dump "$sets/$set/grouped" | grep -v '^#' >"$WORK/grouped.txt"
        check "raw and grouped $set" same "$WORK/raw.txt" "$WORK/grouped.txt"
    done
else
    skip "raw and grouped sets (4): $sets is not there"
fi

# --- memory: only memory that is handed out and not freed (1 MiB is the program itself)
if [ -d "$sets" ] && [ -x "$BUILD/tests/tools/measure" ] && ! nm "$RUBATO" 2>/dev/null | grep -q '__asan_init'; then
    "$BUILD/tests/tools/measure" --anonymous "$WORK/cost" "$RUBATO" trace dump "$sets/turing-2stream" --records 983039: >"$WORK/out"
    check 'turing-2stream in below 16 MiB' [ "$(awk '{ print int($4) }' "$WORK/cost")" -lt 16384 ]
    check 'its last instruction' has '^4095,0,0 7 .* EXIT - - exit$' <"$WORK/out"
else
    skip 'memory (2): no turing-2stream, no measure, or a build with sanitizers'
fi
