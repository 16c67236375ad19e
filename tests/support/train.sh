#!/usr/bin/env bash
# What the profiled build is laid out for: the bundled traces, from files and from a store, on the systems that people try
# first; and the memory alone. The command writes its counts when it ends.
set -eu
cd "$(dirname "$0")/../.."
store=$(mktemp "${TMPDIR:-/tmp}/rubato-train.XXXXXX")
trap 'rm -f "$store"' EXIT

for traces in tests/traces/*/deptrace.proto.gz; do
    traces=${traces%/*}/
    "$RUBATO" trace pack "$traces" -o "$store" >/dev/null
    "$RUBATO" replay configs/wide.yaml "$store" --quiet
    "$RUBATO" replay configs/wide.yaml "$traces" --no-cache --quiet
done
"$RUBATO" replay configs/quad.yaml tests/traces/gups tests/traces/qsort tests/traces/triad tests/traces/gups --no-cache --quiet
"$RUBATO" replay configs/hbm.yaml "$store" --quiet
"$RUBATO" replay configs/laptop.yaml "$store" --quiet
for pattern in random stream; do
    "$RUBATO" traffic configs/default.yaml --pattern "$pattern" --outstanding 32 --requests 100000 >/dev/null
done
