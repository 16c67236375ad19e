#!/usr/bin/env bash
# The branch prediction unit against the reference's pipeline listings (docs/spec/branch-prediction.md 12): conditional branches that
# differ do so for want of a target that a wrong path wrote which the listing lacks; returns are equal.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
folder=$SHARED/oracle/o3
if ! ls "$folder"/*.base.pipe.tsv.xz >/dev/null 2>&1; then
    skip "branch predictions (1): no $folder"
    exit
fi

total=0 alike=0
for listing in "$folder"/*.base.pipe.tsv.xz; do
    name=$(basename "$listing" .base.pipe.tsv.xz)
    if ! "$BUILD/tests/tools/branch_replay" pipe "$listing" tournament >"$WORK/out"; then not_ok "$name: it runs"; continue; fi
    # FILE TYPE conditional N equal P without N mispredicted N own N returns P indirect P direct P all P
    read -r _ _ _ count _ percent _ without _ _ _ _ _ returns _ _ _ direct _ _ <"$WORK/out"
    check "$name: directions" test "$without" = 0
    check "$name: returns" test "$returns" = 100.000
    check "$name: direct jumps that a wrong path wrote" awk "BEGIN { exit !($direct >= 96) }"
    total=$((total + count))
    alike=$(awk "BEGIN { print $alike + $count * $percent / 100 }")
done
check "predicted directions: $alike of $total, 99.9 %" awk "BEGIN { exit !($alike >= 0.999 * $total) }"
