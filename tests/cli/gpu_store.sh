#!/usr/bin/env bash
# Stores of GPU traces: pack, verify, info, dump, speed of reading, and every way in which one can be wrong.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

same() {    # FILE FILE
    cmp "$1" "$2"
}

# packed NAME TRACE: the store says what the text says
packed() {
    local name=$1 trace=$2
    "$RUBATO" trace pack "$trace" -o "$WORK/$name" >"$WORK/out" 2>"$WORK/err" || { not_ok "$name: packed"; cat "$WORK/err"; return; }
    check "$name: dump as from the text" same <("$RUBATO" trace dump "$WORK/$name" 2>&1) <("$RUBATO" trace dump "$trace" 2>&1)
    check "$name: totals as from the text" same <("$RUBATO" trace info "$WORK/$name" 2>&1 | sed -n '/^  blocks/,$p') \
        <("$RUBATO" trace info "$trace" 2>&1 | sed -n '/^  blocks/,$p')
}

# --- packing
for trace in tests/traces/gpu/*/ tests/traces/gpu-raw; do
    packed "$(basename "$trace").store" "${trace%/}"
done
store=$WORK/volta-bfs-2blocks.store
check 'the summary of pack' grep -qE ': 2 kernels, 6 thread blocks, [0-9]+ warp instructions, [0-9]+ bytes, [0-9.]+ of the source' "$WORK/out"
check 'info: kind' grep -q 'kind  *store of GPU traces' <("$RUBATO" trace info "$store" 2>&1)
check 'info: JSON' grep -q '"kind": "store of GPU traces"' <("$RUBATO" trace info "$store" --json 2>&1)
check 'dump: a range' same <("$RUBATO" trace dump "$store" --records 100:110 2>&1) \
    <("$RUBATO" trace dump tests/traces/gpu/volta-bfs-2blocks --records 100:110 2>&1)
check 'verified' test "$("$RUBATO" trace verify "$store" | grep -c 'the same as when it was packed')" = 2
"$RUBATO" trace pack tests/traces/gpu/volta-bfs-2blocks -o "$WORK/again" --quiet >"$WORK/out"
check 'packed again: the same bytes' same "$WORK/again" "$store"
check 'quiet' test ! -s "$WORK/out"

# --- the shared sets: size, and time of reading
load=$BUILD/tests/tools/gpu_load
plain() {    # FOLDER: its files unpacked, in $WORK/plain
    local file
    rm -rf "$WORK/plain"
    mkdir "$WORK/plain"
    for file in "$1"/kernel*; do
        case $file in
            *.xz) xz -dc "$file" >"$WORK/plain/$(basename "$file" .xz)" ;;
            *) cp "$file" "$WORK/plain" ;;
        esac
    done
}
# Bytes of the reference data's files whose path begins so; bundled ones are packed less well when they are unpacked.
reference_bytes() {    # PATH
    if is_whole_reference; then cat "$SHARED/$1"* | wc -c
    else awk -F '\t' -v path="$1" 'index($1, path) == 1 { sum += $2 } END { print sum }' "$SHARED/part"; fi
}
for name in turing-2stream volta-bfs; do
    set=$SHARED/traces/gpu/$name
    if [ ! -d "$set" ]; then
        skip "$name (3): it is not there"
        continue
    fi
    "$RUBATO" trace pack "$set" -o "$WORK/$name" --quiet
    check "$name: smaller than the .xz files" test "$(stat -c %s "$WORK/$name")" -le "$(reference_bytes traces/gpu/$name/kernel)"
    if [ ! -x "$load" ]; then
        skip "$name: speed (2): there is no $load"
        continue
    fi
    plain "$set"
    for text in "$set" "$WORK/plain"; do
        # by turns, so that both meet the same neighbours
        for round in 1 2 3 4; do
            "$load" "$WORK/$name" 5 >>"$WORK/store_times"
            "$load" "$text" 1 >>"$WORK/text_times"
        done
        read -r insts store_s < <(sort -k 2g "$WORK/store_times")
        read -r text_insts text_s < <(sort -k 2g "$WORK/text_times")
        rm "$WORK/store_times" "$WORK/text_times"
        ratio=$(awk -v a="$text_s" -v b="$store_s" 'BEGIN { printf "%.1f", a / b }')
        check "$name: $insts instructions read $ratio times faster than $([ "$text" = "$set" ] && echo 'as published' || echo 'plain text')" \
            test "$insts" = "$text_insts" -a "${ratio%.*}" -ge 5
    done
done

# --- faults
broken() {    # OFFSET BYTES: a copy of the store with other bytes there
    cp "$store" "$WORK/broken"
    printf "$2" | dd of="$WORK/broken" bs=1 seek="$1" conv=notrunc status=none
}
size=$(stat -c %s "$store")
broken 100 '\125\252'
refused 'verify: a damaged chunk' 'broken: byte [0-9]+: .*damaged; make it again' "$RUBATO" trace verify "$WORK/broken"
"$RUBATO" trace dump "$WORK/broken" >/dev/null 2>"$WORK/err"
check 'dump: a damaged chunk' grep -qE '^rubato: .*broken: byte 16: .*damaged; make it again' "$WORK/err"
broken $((size - 30)) '\125\252'
refused 'a damaged index' 'broken: byte [0-9]+: .*its bytes have changed; .*damaged; make it again' "$RUBATO" trace verify "$WORK/broken"
broken 8 '\7'
refused 'another version' 'is a store of GPU traces of version 7; expected version 1; make it again' "$RUBATO" trace verify "$WORK/broken"
head -c 2000 "$store" >"$WORK/broken"
refused 'a truncated store' 'broken: byte 2000: the file ends; expected a trailer .*; make it again' "$RUBATO" trace info "$WORK/broken"
head -c 20 "$store" >"$WORK/broken"
refused 'a store of 20 bytes' 'broken: byte 20: the file ends; expected a trailer' "$RUBATO" trace verify "$WORK/broken"
refused 'pack: a store' 'is a store already' "$RUBATO" trace pack "$store" -o "$WORK/x"
refused 'pack: an output that cannot be' 'cannot be written' "$RUBATO" trace pack tests/traces/gpu-raw -o "$WORK/nowhere/x"
refused 'pack: a device' 'is not a regular file' "$RUBATO" trace pack tests/traces/gpu-raw -o /dev/null

mkdir "$WORK/changing"
cp tests/traces/gpu-raw/* "$WORK/changing" 2>/dev/null
"$RUBATO" trace pack "$WORK/changing" -o "$WORK/changing.store" --quiet
echo >>"$WORK/changing/kernel-266.trace"
"$RUBATO" trace verify "$WORK/changing.store" >"$WORK/out"
check 'verify: a source changed after packing: exit code 1' test $? = 1
check 'verify: it names the store' grep -q 'kernel-266.trace: has changed since it was packed' "$WORK/out"
echo '0 0 zero' >>"$WORK/changing/kernel-266.trace"
"$RUBATO" trace pack "$WORK/changing" -o "$WORK/bad.store" >/dev/null 2>"$WORK/err"
check 'pack: a bad line: exit code 2' test $? = 2
check 'pack: a bad line is named' grep -q 'kernel-266.trace: line 233: ' "$WORK/err"
check 'pack: nothing remains of it' test -z "$(find "$WORK" -name 'bad.store*')"

# --- a full disk, as far as a limit of the file's size is one
(
    trap '' XFSZ
    ulimit -f 1
    "$RUBATO" trace pack tests/traces/gpu/volta-bfs-2blocks -o "$WORK/full"
) >"$WORK/out" 2>"$WORK/err"
check 'pack: a full disk is one line' test "$(grep -c 'rubato: .*full: byte [0-9]*: cannot be written' "$WORK/err")" = 1
check 'pack: a full disk leaves nothing' test -z "$(find "$WORK" -name 'full*')"

# --- killed, and eight at once
for delay in 0.002 0.005 0.01 0.02; do
    { timeout -s KILL "$delay" "$RUBATO" trace pack tests/traces/gpu/volta-bfs-2blocks -o "$WORK/killed"; } >/dev/null 2>&1
done
check 'a killed packer leaves a whole store or none' test ! -e "$WORK/killed" -o "$(cmp "$WORK/killed" "$store" 2>&1)" = ''
for _ in 1 2 3 4 5 6 7 8; do
    "$RUBATO" trace pack tests/traces/gpu/volta-bfs-2blocks -o "$WORK/eight" --quiet &
done
wait
check 'eight packers at once' same "$WORK/eight" "$store"
check 'eight packers leave one file' test "$(find "$WORK" -name 'eight*' | wc -l)" = 1
exit "$failures"
