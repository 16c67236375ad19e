#!/usr/bin/env bash
# Stores that replay keeps by itself: made once, used again, never wrong, and never in the way.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

cache=$WORK/kept
stores() { find "$cache" -type f 2>/dev/null | wc -l; }
replay() { "$RUBATO" replay default "$@" --quiet 2>"$WORK/stderr"; }
silent() { [ ! -s "$WORK/stderr" ] || { cat "$WORK/stderr"; return 1; }; }
warns() { [ "$(wc -l <"$WORK/stderr")" = 1 ] && grep -q "^rubato: warning: no store is kept.*$1" "$WORK/stderr" || { cat "$WORK/stderr"; return 1; }; }
right() { cmp "$WORK/expected.txt" "$WORK/got.txt"; }

mkdir "$WORK/trace"
cp tests/traces/triad/*.gz "$WORK/trace"
replay "$WORK/trace" --no-cache --stats "$WORK/expected.txt"
check '--no-cache keeps nothing' test ! -e "$XDG_CACHE_HOME"
replay "$WORK/trace" --records 1000 --cache "$cache"
check 'a run that stops early keeps nothing' test "$(stores)" = 0

replay "$WORK/trace" --cache "$cache" --stats "$WORK/got.txt"
check 'the first run' right
check 'the first run keeps one store' test "$(stores)" = 1
store=$(find "$cache" -type f)
check 'the store is whole' eval '"$RUBATO" trace verify "$store" >/dev/null'
inode=$(stat -c %i "$store")
replay "$WORK/trace" --cache "$cache" --stats "$WORK/got.txt"
check 'the second run' right
check 'the second run uses the same store' test "$(stat -c %i "$store")" = "$inode"
check 'both are silent' silent
replay "$WORK/trace/." --cache "$cache"
replay --data "$WORK/trace/deptrace.proto.gz" --fetch "$WORK/trace/fetchtrace.proto.gz" --cache "$cache"
check 'other names for the same files find it' test "$(stores)" = 1

printf '\252\125' | dd of="$store" bs=1 seek=3000 conv=notrunc status=none
replay "$WORK/trace" --cache "$cache" --stats "$WORK/got.txt"
check 'a damaged store: right' right
check 'a damaged store: no message' silent
check 'a damaged store is made again' eval '"$RUBATO" trace verify "$store" >/dev/null'
head -c 5000 "$store" >"$WORK/half" && cp "$WORK/half" "$store"
replay "$WORK/trace" --cache "$cache" --stats "$WORK/got.txt"
check 'a truncated store: right' right
: >"$store"
replay "$WORK/trace" --cache "$cache" --stats "$WORK/got.txt"
check 'an empty store: right' right

cp tests/traces/gups/*.gz "$WORK/trace"
"$RUBATO" replay default tests/traces/gups --no-cache --quiet --stats "$WORK/expected.txt"
replay "$WORK/trace" --cache "$cache" --stats "$WORK/got.txt"
check 'a source changed after packing: right' right
check 'a source changed after packing: the store too' test "$("$RUBATO" trace verify "$store" | grep -c 'the same')" = 2
check 'and there is still one' test "$(stores)" = 1

# --- other contents of the same size and time
time_of() { stat -c '%s %y' "$WORK/trace/deptrace.proto.gz"; }
middle=$(($(stat -c %s "$WORK/trace/deptrace.proto.gz") / 2))
was=$(time_of)
touch -r "$WORK/trace/deptrace.proto.gz" "$WORK/time"
printf '\252\125\252' | dd of="$WORK/trace/deptrace.proto.gz" bs=1 seek=$middle conv=notrunc status=none
touch -r "$WORK/time" "$WORK/trace/deptrace.proto.gz"
check 'written over with its old time: size and time are the same' test "$(time_of)" = "$was"
refused 'written over with its old time: read again' 'deptrace.proto.gz' "$RUBATO" replay default "$WORK/trace" --cache "$cache" --quiet
cp "$WORK/trace/deptrace.proto.gz" "$WORK/wrong.gz"
cp -p "$WORK/wrong.gz" "$WORK/new.gz"
cp tests/traces/gups/deptrace.proto.gz "$WORK/trace"
replay "$WORK/trace" --cache "$cache" --stats "$WORK/got.txt"
check 'mended: right' right
touch -r "$WORK/trace/deptrace.proto.gz" "$WORK/new.gz"
mv "$WORK/new.gz" "$WORK/trace/deptrace.proto.gz"
refused 'replaced, with size and time of the old one: read again' 'deptrace.proto.gz' "$RUBATO" replay default "$WORK/trace" --cache "$cache" --quiet
cp tests/traces/gups/deptrace.proto.gz "$WORK/trace"
replay "$WORK/trace" --cache "$cache"
inode=$(stat -c %i "$store")
replay "$WORK/trace" --cache "$cache" --verify --stats "$WORK/got.txt"
check '--verify: right' right
check '--verify: uses the same store' test "$(stat -c %i "$store")" = "$inode"

replay "$WORK/trace" --stats "$WORK/got.txt"
check 'the usual folder' test "$(find "$XDG_CACHE_HOME/rubato" -name '*.store' | wc -l)" = 1
HOME=$WORK/home XDG_CACHE_HOME= replay "$WORK/trace"
check 'the usual folder without XDG_CACHE_HOME' test "$(find "$WORK/home/.cache/rubato" -name '*.store' | wc -l)" = 1

# --- folders that do not take it
: >"$WORK/file"
replay "$WORK/trace" --cache "$WORK/file/folder" --stats "$WORK/got.txt"
check 'no folder can be made: right' right
check 'no folder can be made: one warning' warns 'Not a directory'
(
    trap '' XFSZ
    ulimit -f 40
    "$RUBATO" replay default "$WORK/trace" --cache "$WORK/full" 2>"$WORK/stderr" | grep -v '^replayed in' >"$WORK/summary"
)
check 'a full disk: one warning' warns 'cannot be written'
check 'a full disk: nothing stays' test -z "$(find "$WORK/full" -type f)"
"$RUBATO" replay default "$WORK/trace" --no-cache | grep -v '^replayed in' >"$WORK/expected.summary"
check 'a full disk: right' cmp "$WORK/summary" "$WORK/expected.summary"
if [ "$(id -u)" != 0 ]; then
    mkdir -m 555 "$WORK/closed"
    replay "$WORK/trace" --cache "$WORK/closed" --stats "$WORK/got.txt"
    check 'an unwritable folder: right' right
    check 'an unwritable folder: one warning' warns 'Permission denied'
else
    skip 'an unwritable folder (2): root writes everywhere'
fi

# --- wrong traces say the same as without
mkdir "$WORK/broken"
head -c 60000 tests/traces/gups/deptrace.proto.gz >"$WORK/broken/deptrace.proto.gz"
cp tests/traces/gups/fetchtrace.proto.gz "$WORK/broken"
refused 'a broken trace' 'breaks off' "$RUBATO" replay default "$WORK/broken" --cache "$WORK/none"
check 'a broken trace keeps nothing' test -z "$(find "$WORK/none" -type f)"

# --- the same words and results, whether a store is made meanwhile or not
spoil() {    # FILE PLACE: a copy in $WORK/spoilt with other bytes there
    rm -rf "$WORK/spoilt"
    cp -r tests/traces/qsort "$WORK/spoilt"
    printf '\252\125\252' | dd of="$WORK/spoilt/$1" bs=1 seek="$2" conv=notrunc status=none
}
same_words() {    # NAME: both ways say the same and end the same
    local with without
    "$RUBATO" replay default "$WORK/spoilt" --cache "$WORK/none" --stats "$WORK/with.txt" 2>&1 | grep -v '^replayed in' >"$WORK/with"
    with=${PIPESTATUS[0]}
    "$RUBATO" replay default "$WORK/spoilt" --no-cache --stats "$WORK/without.txt" 2>&1 | grep -v '^replayed in' >"$WORK/without"
    without=${PIPESTATUS[0]}
    check "$1: exit codes $with and $without" test "$with" = "$without"
    check "$1: the same words" cmp "$WORK/with" "$WORK/without"
}
rm -rf "$WORK/none"
for place in 12 2000 40000 90000; do
    spoil deptrace.proto.gz "$place"
    same_words "data spoilt at $place"
done
for place in 12 2000 15000; do
    spoil fetchtrace.proto.gz "$place"
    same_words "fetches spoilt at $place"
done
spoil deptrace.proto.gz 40000
cp "$WORK/spoilt/fetchtrace.proto.gz" "$WORK/spoilt/deptrace.proto.gz"
same_words 'fetches for data'
check 'spoilt traces keep no store' test -z "$(find "$WORK/none" -type f 2>/dev/null)"
for system in wide laptop hbm; do
    for name in gups qsort triad; do
        "$RUBATO" replay "$system" "tests/traces/$name" --quiet --cache "$WORK/none" --stats "$WORK/with.txt"
        "$RUBATO" replay "$system" "tests/traces/$name" --quiet --no-cache --stats "$WORK/without.txt"
        check "$system, $name: statistics" cmp "$WORK/with.txt" "$WORK/without.txt"
        rm -rf "$WORK/none"
    done
done
"$RUBATO" replay wide tests/traces/gups --alone --cache "$WORK/none" | grep -v '^replayed in' >"$WORK/with"
"$RUBATO" replay wide tests/traces/gups --alone --no-cache | grep -v '^replayed in' >"$WORK/without"
check '--alone reads the trace twice' cmp "$WORK/with" "$WORK/without"

# --- eight at once, some killed
for i in 1 2 3 4 5 6 7 8; do
    "$RUBATO" replay default "$WORK/trace" --cache "$WORK/shared" --quiet --stats "$WORK/eight$i.txt" 2>"$WORK/eight$i.err" &
done
wait
for i in 1 2 3 4 5 6 7 8; do
    cmp -s "$WORK/eight$i.txt" "$WORK/expected.txt" && [ ! -s "$WORK/eight$i.err" ] || { cat "$WORK/eight$i.err"; break; }
    [ "$i" != 8 ] || ok 'eight at once: all right'
done | grep . || not_ok 'eight at once: all right'
check 'eight at once: one store' test "$(find "$WORK/shared" -type f | wc -l)" = 1
rm -rf "$WORK/shared"
for delay in 0.004 0.008 0.012 0.02 0.03; do
    timeout -s KILL "$delay" "$RUBATO" replay default "$WORK/trace" --cache "$WORK/shared" --quiet
done >/dev/null 2>&1
check 'killed runs leave whole stores or none' eval 'for f in "$WORK"/shared/*.store; do
    [ ! -e "$f" ] || "$RUBATO" trace verify "$f" >/dev/null || exit 1; done'
replay "$WORK/trace" --cache "$WORK/shared" --stats "$WORK/got.txt"
check 'after killed ones: right' right
touch -d '2 hours ago' "$WORK"/shared/*
rm -f "$WORK"/shared/*.store
: >"$WORK/shared/0.store.partial-1-0"
touch -d '2 hours ago' "$WORK/shared/0.store.partial-1-0"
replay "$WORK/trace" --cache "$WORK/shared" --stats "$WORK/got.txt"
check 'files of killed runs are deleted after an hour' test "$(find "$WORK/shared" -type f | wc -l)" = 1
