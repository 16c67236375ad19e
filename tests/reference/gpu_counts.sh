#!/usr/bin/env bash
# What readers count in GPU traces: bundled sets, all of $SHARED, and that a wrong count, an unreadable set and wrong usage show.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

sets=$SHARED/traces/gpu
counts() { "$GPU_COUNTS" "$@" 2>"$WORK/messages"; }

# counted NAME EXIT_CODE LAST_LINE ARGUMENTS...
counted() {
    local name=$1 code=$2 last=$3 got
    shift 3
    counts "$@" >"$WORK/out"
    got=$?
    if [ "$got" = "$code" ] && [ "$(tail -n 1 "$WORK/out")" = "$last" ]; then
        ok "$name"
    else
        not_ok "$name: exit code $got, $(tail -n 1 "$WORK/out")"
        grep -v '	ok$' "$WORK/out" | head -n 20
        head -n 20 "$WORK/messages"
    fi
}

counted 'bundled sets' 0 '4 passed, 0 failed' tests/traces/gpu
counted 'one set' 0 '1 passed, 0 failed' tests/traces/gpu pascal-vectoradd-100

cp -r tests/traces/gpu "$WORK/wrong"
sed -i '2s/	344	/	345	/' "$WORK/wrong/pascal-vectoradd-100/expected.tsv"
counted 'a wrong count' 1 '3 passed, 1 failed' "$WORK/wrong"
if grep -q '^kernel-1.traceg	insts	345	344$' "$WORK/messages"; then ok 'a wrong count is named'
else not_ok 'a wrong count is named'; head -n 5 "$WORK/messages"; fi
rm "$WORK/wrong/volta-bfs-2blocks/kernelslist.g"
truncate -s 100 "$WORK/wrong/pascal-vectoradd-100/expected.tsv"
truncate -s 2000 "$WORK/wrong/gcn3-fir/kernel-463.trace.xz"
counted 'unreadable sets' 1 '0 passed, 4 failed' "$WORK/wrong"

mkdir "$WORK/none"
counted 'no argument' 2 ''
counted 'no folder' 2 '' "$WORK/missing"
counted 'no set' 2 '' "$WORK/none"
counted 'an unknown set' 2 '' tests/traces/gpu pascal

if [ -d "$sets" ]; then
    counts "$sets" >"$WORK/all"
    code=$?
    grep -v '	ok$' "$WORK/all" | tail -n 1
    [ "$code" = 0 ] || { grep FAILED "$WORK/all"; head -n 40 "$WORK/messages"; }
    exit $code
fi
skip "sets of GPU traces (36): $sets is not there"
