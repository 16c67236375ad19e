#!/usr/bin/env bash
# Trace stores: pack, verify, dump, info, replay from one, and every way in which one can be wrong.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

same() {    # FILE FILE
    cmp "$1" "$2"
}

# --- packing
for name in gups qsort triad; do
    "$RUBATO" trace pack "tests/traces/$name" -o "$WORK/$name.store" >"$WORK/out"
    check "$name: packed" grep -q ' records, ' "$WORK/out"
    check "$name: verified" test "$("$RUBATO" trace verify "$WORK/$name.store" | grep -c 'the same as when it was packed')" = 2
    check "$name: not larger than the gzip files" test "$(stat -c %s "$WORK/$name.store")" -le \
        "$(($(stat -c %s "tests/traces/$name/deptrace.proto.gz") + $(stat -c %s "tests/traces/$name/fetchtrace.proto.gz")))"
    check "$name: records as in the file" same <("$RUBATO" trace dump "$WORK/$name.store") \
        <("$RUBATO" trace dump "tests/traces/$name/deptrace.proto.gz")
    check "$name: fetches as in the file" same <("$RUBATO" trace dump --fetches "$WORK/$name.store") \
        <("$RUBATO" trace dump "tests/traces/$name/fetchtrace.proto.gz")
done
check 'info' grep -q 'kind  *trace store' <("$RUBATO" trace info "$WORK/gups.store")
check 'a range of records' same <("$RUBATO" trace dump "$WORK/gups.store" --records 20000:20010) \
    <("$RUBATO" trace dump tests/traces/gups/deptrace.proto.gz --records 20000:20010)
"$RUBATO" trace pack --data tests/traces/gups/deptrace.proto.gz --fetch tests/traces/gups/fetchtrace.proto.gz -o "$WORK/two" --quiet
check 'packed from two files' same "$WORK/two" "$WORK/gups.store"

# --- replaying
for system in default wide laptop hbm quad; do
    for name in gups qsort; do
        "$RUBATO" replay "$system" "tests/traces/$name" --records 20000 --quiet --stats "$WORK/files.txt"
        "$RUBATO" replay "$system" "$WORK/$name.store" --records 20000 --quiet --stats "$WORK/store.txt"
        check "$system: statistics of $name" same "$WORK/files.txt" "$WORK/store.txt"
    done
done
"$RUBATO" replay quad tests/traces/{gups,qsort,triad,gups} --records 9000 --quiet --stats "$WORK/files.txt"
"$RUBATO" replay quad "$WORK/gups.store" tests/traces/qsort "$WORK"/{triad,gups}.store --records 9000 --quiet --stats "$WORK/store.txt"
check 'stores and folders for four cores' same "$WORK/files.txt" "$WORK/store.txt"

# --- faults
cp "$WORK/qsort.store" "$WORK/broken"
printf '\125\252' | dd of="$WORK/broken" bs=1 seek=5000 conv=notrunc status=none
refused 'verify: a damaged block' 'broken: byte [0-9]+: .*damaged; make it again' "$RUBATO" trace verify "$WORK/broken"
refused 'replay: a damaged block' 'broken: byte [0-9]+: .*damaged; make it again' "$RUBATO" replay default "$WORK/broken"
head -c 9000 "$WORK/qsort.store" >"$WORK/broken"
refused 'a truncated store' 'broken: byte 9000: the file ends; expected a trailer .*; make it again' "$RUBATO" replay default "$WORK/broken"
head -c 20 "$WORK/qsort.store" >"$WORK/broken"
refused 'a store of 20 bytes' 'broken: byte 20: the file ends; expected a trailer' "$RUBATO" trace verify "$WORK/broken"
cp "$WORK/qsort.store" "$WORK/broken"
printf '\7' | dd of="$WORK/broken" bs=1 seek=8 conv=notrunc status=none
refused 'a store of another version' 'is a trace store of version 7; expected version 1; make it again' "$RUBATO" trace verify "$WORK/broken"
refused 'verify: no store' 'is not a trace store' "$RUBATO" trace verify tests/traces/gups/deptrace.proto.gz
refused 'verify: no file' 'cannot be opened' "$RUBATO" trace verify "$WORK/nowhere"
refused 'pack: no output' 'expected -o FILE' "$RUBATO" trace pack tests/traces/gups
refused 'pack: no folder' 'No such file' "$RUBATO" trace pack "$WORK/nowhere" -o "$WORK/x"
refused 'pack: an output that cannot be' 'cannot be written' "$RUBATO" trace pack tests/traces/gups -o "$WORK/nowhere/x"
refused 'pack: a device' 'is not a regular file' "$RUBATO" trace pack tests/traces/gups -o /dev/null

mkdir "$WORK/changing"
cp tests/traces/gups/*.gz "$WORK/changing"
"$RUBATO" trace pack "$WORK/changing" -o "$WORK/changing.store" --quiet
cp tests/traces/qsort/deptrace.proto.gz "$WORK/changing"
"$RUBATO" trace verify "$WORK/changing.store" >"$WORK/out"
check 'verify: a source changed after packing: exit code 1' test $? = 1
check 'verify: it names the store' grep -q 'deptrace.proto.gz: has changed since it was packed' "$WORK/out"
rm "$WORK"/changing/*
check 'verify: sources that are gone' test "$("$RUBATO" trace verify "$WORK/changing.store" | grep -c 'is not there')" = 2

head -c 60000 tests/traces/gups/deptrace.proto.gz >"$WORK/changing/deptrace.proto.gz"
cp tests/traces/gups/fetchtrace.proto.gz "$WORK/changing"
refused 'pack: a source that breaks off' 'breaks off' "$RUBATO" trace pack "$WORK/changing" -o "$WORK/broken-off"
check 'pack: nothing remains of it' test -z "$(find "$WORK" -name 'broken-off*')"

# --- a full disk, as far as a limit of the file's size is one
(
    trap '' XFSZ
    ulimit -f 40
    "$RUBATO" trace pack tests/traces/gups -o "$WORK/full"
) >"$WORK/out" 2>"$WORK/err"
check 'pack: a full disk is one line' test "$(grep -c 'rubato: .*full: byte [0-9]*: cannot be written' "$WORK/err")" = 1
check 'pack: a full disk leaves nothing' test -z "$(find "$WORK" -name 'full*')"

# --- killed, and eight at once
for delay in 0.005 0.01 0.02 0.03; do
    timeout -s KILL "$delay" "$RUBATO" trace pack tests/traces/gups -o "$WORK/killed" >/dev/null 2>&1
done
check 'a killed packer leaves a whole store or none' test ! -e "$WORK/killed" -o "$(cmp "$WORK/killed" "$WORK/gups.store" 2>&1)" = ''
check 'its remains are not taken for a store' eval 'for f in "$WORK"/killed.partial-*; do
    [ ! -e "$f" ] || ! "$RUBATO" trace verify "$f" >/dev/null 2>&1 || cmp -s "$f" "$WORK/gups.store" || exit 1; done'
for _ in 1 2 3 4 5 6 7 8; do
    "$RUBATO" trace pack tests/traces/gups -o "$WORK/eight" --quiet &
done
wait
check 'eight packers at once' same "$WORK/eight" "$WORK/gups.store"
check 'eight packers leave one file' test "$(find "$WORK" -name 'eight*' | wc -l)" = 1
