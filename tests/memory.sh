#!/usr/bin/env bash
# memory.sh RECORDS RECORDS: the most memory of a replay stays below 64 MiB, and is the same (1 MiB apart at most) for a repeated
# trace of the first and of the second length.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/support/shell.sh

if nm "$RUBATO" 2>/dev/null | grep -q '__asan_init'; then
    skip 'memory (3): a build with sanitizers'
    exit 0
fi

peaks=()
for records in "$@"; do
    mkdir -p "$WORK/long"
    if ! "$BUILD/tests/tools/repeat_trace" tests/traces/triad "$WORK/long" "$records" ||
        ! "$BUILD/tests/tools/peak" "$WORK/peak" "$RUBATO" replay configs/wide.yaml "$WORK/long" >"$WORK/log" 2>&1; then
        not_ok "replay of $records records"
        cat "$WORK/log"
        exit 1
    fi
    peak=$(cat "$WORK/peak")
    peaks+=("$peak")
    check "$records records: $peak KiB, below 64 MiB" test "$peak" -lt 65536
    rm -rf "$WORK/long"
done
difference=$((peaks[1] - peaks[0]))
check "the same at any length: ${difference#-} KiB apart" test "${difference#-}" -le 1024
