#!/usr/bin/env bash
# One GPU trace in all its forms gives one replay: raw or grouped, plain or packed, as list, folder, kernel file or
# store. Warnings about odd input, refusals, and the memory of a replay.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

# --- forms. Statistics name the kernel's file; all else is the same byte for byte.
stats() {    # FILE SYSTEM TRACE
    "$RUBATO" replay "$2" "$3" --stats "$WORK/stats.tsv" --per-instruction --quiet 2>"$WORK/err" ||
        { cat "$WORK/err"; return 1; }
    sed 's/kernel-[0-9][^[:space:]]*//; s,[^[:space:]]*/,,' "$WORK/stats.tsv" >"$1"
}
forms() {    # SYSTEM FOLDER KERNEL: a raw kernel's file in that folder, packed or not; without the ending .trace
    local system=$1 name
    name=$(basename "$3")
    local raw=$WORK/$name-raw grouped=$WORK/$name-grouped
    mkdir "$raw" "$raw.xz" "$grouped.gz" "$grouped.xz"
    case $3 in *.xz) xz -dc "$2/$3" >"$raw/${name%.xz}" ;; *) cp "$2/$3" "$raw/$name" ;; esac
    name=${name%.xz}
    echo "$name" | tee "$raw.xz/kernelslist" >"$raw/kernelslist"
    xz -c "$raw/$name" >"$raw.xz/$name.xz"
    "$RUBATO" trace group "$raw" -o "$grouped" --quiet 2>/dev/null
    echo "${name}g" | tee "$grouped.gz/kernelslist.g" >"$grouped.xz/kernelslist_ctx_0x1.g"
    gzip -c "$grouped/${name}g" >"$grouped.gz/${name}g.gz"
    xz -c "$grouped/${name}g" >"$grouped.xz/${name}g.xz"
    "$RUBATO" trace pack "$raw.xz" -o "$raw.store" --quiet 2>/dev/null
    "$RUBATO" trace pack "$grouped" -o "$grouped.store" --quiet 2>/dev/null
    check "$name: a raw folder" stats "$WORK/first" "$system" "$raw"
    check "$name: it has executed something" grep -qE '^kernel	' "$WORK/first"
    for form in "$raw/kernelslist" "$raw/$name" "$raw.xz" "$raw.xz/$name" "$grouped" "$grouped/kernelslist.g" \
        "$grouped/${name}g" "$grouped.gz" "$grouped.xz" "$grouped.xz/${name}g" "$grouped.xz/${name}g.xz" \
        "$raw.store" "$grouped.store"; do
        check "$name: the same from ${form#"$WORK/"}" \
            eval "stats '$WORK/ours' '$system' '$form' && cmp '$WORK/ours' '$WORK/first'"
    done
    check "$name: the same from a list in a pipe, in the kernels' folder" \
        eval "(cd '$raw' && cat kernelslist | stats '$WORK/ours' '$system' -) && cmp '$WORK/ours' '$WORK/first'"
    check "$name: elsewhere the pipe is named" eval "! cat '$raw/kernelslist' | stats '$WORK/ours' '$system' - >'$WORK/said' &&
        grep -q 'run in the folder of the kernels, since a list from a pipe has none' '$WORK/said'"
    rm "$raw.xz/$name.xz"
    mv "$raw/$name" "$raw.xz"
    echo "$name.xz" >"$raw.xz/kernelslist"
    check "$name: the same for NAME if the list names NAME.xz" \
        eval "stats '$WORK/ours' '$system' '$raw.xz' && cmp '$WORK/ours' '$WORK/first'"
}
forms r9nano tests/traces/gpu/gcn3-fir kernel-463.trace.xz
forms rtx2060 tests/traces/gpu-raw kernel-1-ctx_0x189ec30.trace.xz

# --- odd input is replayed, with a warning
grid='-grid dim = (2,1,1)\n-block dim = (64,1,1)\n-binary version = 75\n'
head=$grid'-accelsim tracer version = 5\n#traces format\n'
block() {    # LINES OF WARP 0, EACH WITH ITS NEWLINE
    printf '#BEGIN_TB\\nthread block = 0,0,0\\nwarp = 0\\ninsts = %d\\n%s\\nwarp = 1\\ninsts = 0\\n#END_TB\\n' \
        "$(printf '%s' "$1" | grep -o '\\n' | wc -l)" "$1"
}
what='0000 ffffffff 1 R1 WHAT.IS 1 R2 0 0\n0010 ffffffff 1 R1 WHAT.IS 1 R2 0 0\n'
that='0020 ffffffff 1 R3 THAT 1 R4 4 1 0x7000 4 0\n'
generic='0030 ffffffff 1 R3 LD.E 1 R4 4 1 0x7000 4 0\n'
replays() {    # FILE TEXT
    # shellcheck disable=SC2059
    printf -- "$2" >"$WORK/$1"
    "$RUBATO" replay rtx2060 "$WORK/$1" --stats "$WORK/odd.tsv" --quiet >"$WORK/out" 2>"$WORK/err" </dev/null
}
column() {    # NAME
    awk -F'\t' -v name="$1" '$1 == "#kernel" { for (i = 2; i <= NF; i++) if ($i == name) c = i; next }
        $1 == "kernel" { print $c }' "$WORK/odd.tsv"
}
warnings() { [ "$(grep -c "^rubato: warning: .*$1" "$WORK/err")" = "$2" ]; }
check 'unknown opcodes, a warp without EXIT, one without instructions, a block that is missing' \
    replays kernel-1.traceg "$head$(block "$what$that$generic")"
check 'an unknown opcode is named once' warnings 'opcode WHAT.IS is not known' 1
check 'another, too' warnings 'opcode THAT is not known' 1
check 'and counted' test "$(column unknown_insts)" = 3
check 'with addresses it is global memory' test "$(column global_accesses)" = 2
check 'missing bases of windows' warnings 'no base of shared or local memory' 1
check 'the warp without EXIT ends' warnings "the warp's last instruction does not end it" 1
check 'fewer blocks than the grid' warnings 'has 1 blocks, but its grid is (2,1,1)' 1
check 'nothing else' test "$(wc -l <"$WORK/err")" = 5
check 'all is executed' test "$(column warp_insts)" = 4

# --- LDGSTS of raw traces: of each pair the global access stays
copy='0010 ffffffff 0 LDGSTS.E.BYPASS.128 2 R1 R2 16 1'
pair="0 0 0 0 $copy 0x0 16 0\n0 0 0 0 $copy 0x7f0000000000 16 0\n"
wait='0 0 0 0 0020 ffffffff 0 LDGDEPBAR 0 0 0\n0 0 0 0 0030 ffffffff 0 DEPBAR.LE 0 0 0\n'
check 'pairs of LDGSTS' replays kernel-1.trace "$head$pair${wait}0 0 0 0 0040 ffffffff 0 EXIT 0 0 0\n"
check 'are one instruction' test "$(column warp_insts)" = 4
check 'that reads its 16 sectors of global memory' test "$(column to_l2_reads)" = 16

# --- errors are one line, before the run if the list shows them
wrong() {    # NAME PATTERN FILE TEXT
    # shellcheck disable=SC2059
    printf -- "$4" >"$WORK/$3"
    refused "$1" "$2" "$RUBATO" replay rtx2060 "$WORK/$3"
    refused "$1, packed" "$2" "$RUBATO" trace pack "$WORK/$3" -o "$WORK/x"
}
wrong 'version 7' 'line 4: traces of tracer version 7 are not read' kernel-6.traceg "$grid-accelsim tracer version = 7\n#\n"
wrong 'a container' 'kernel-6.tracez: byte 1: the header.s text has no zero byte' kernel-6.tracez 'x'
wrong 'a kernel that is not there' "line 1: the kernel's file .*kernel-9.traceg is not there" kernelslist.g \
    'kernel-9.traceg\n'
wrong 'a kernel that breaks off' 'kernel-2.traceg: line 10: the file ends within a warp' kernel-2.traceg \
    "$head#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n0000 ffffffff 0 NOP 0 0 0\n"
wrong 'mode 3' 'kernel-2.traceg: line 10: found "3 0x0 0" where the mode' kernel-2.traceg \
    "$head$(block '0000 ffffffff 1 R1 LDG.E 1 R2 4 3 0x0 0\n')"
mkdir "$WORK/six"
printf 'kernel-6.trace\n' >"$WORK/six/kernelslist"
printf -- "$grid-accelsim tracer version = 7\n#\n" >"$WORK/six/kernel-6.trace"
refused 'group: version 7' 'line 4: .*version 7' "$RUBATO" trace group "$WORK/six" -o "$WORK/y"
printf 'kernel-6.tracez\n' >"$WORK/six/kernelslist"
touch "$WORK/six/kernel-6.tracez"
refused 'group: a container' 'line 1: .*is grouped already' "$RUBATO" trace group "$WORK/six" -o "$WORK/y"

# --- memory of a replay: only resident blocks
set=$SHARED/traces/gpu/turing-2stream
if [ -d "$set" ] && [ -x "$BUILD/tests/tools/measure" ] && ! nm "$RUBATO" 2>/dev/null | grep -q '__asan_init'; then
    check 'turing-2stream replayed' \
        "$BUILD/tests/tools/measure" "$WORK/cost" "$RUBATO" replay rtx2060 "$set" --stats "$WORK/odd.tsv" --quiet
    check 'all of it' test "$(column warp_insts | awk '{ sum += $1 } END { print sum }')" = 983040
    read -r _ _ resident _ <"$WORK/cost"
    check "turing-2stream: $resident KiB, below 100 MiB" test "$resident" -lt 102400
else
    skip 'memory of a replay (3): no turing-2stream, no measure, or a build with sanitizers'
fi
exit $failures
