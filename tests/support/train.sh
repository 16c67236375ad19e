#!/usr/bin/env bash
# What the profiled build is laid out for: the bundled traces, from files and from a store, on the systems that people try
# first; the memory alone, gem5's controller and command by command; and captures of programs that every host has, where there is QEMU. The
# command writes its counts when it ends.
set -eu
cd "$(dirname "$0")/../.."
store=$(mktemp "${TMPDIR:-/tmp}/rubato-train.XXXXXX")
trap 'rm -f "$store" "$store.rbt"' EXIT

for traces in tests/traces/*/deptrace.proto.gz; do
    traces=${traces%/*}/
    "$RUBATO" trace pack "$traces" -o "$store" >/dev/null
    "$RUBATO" replay configs/wide.yaml "$store" --quiet
    "$RUBATO" replay configs/wide.yaml "$traces" --no-cache --quiet
done
for traces in tests/traces/{long,training}/*.pack; do
    "$RUBATO" replay configs/wide.yaml "$traces" --quiet
done
"$RUBATO" replay configs/quad.yaml tests/traces/gups tests/traces/qsort tests/traces/triad tests/traces/gups --no-cache --quiet
"$RUBATO" replay configs/wide.yaml tests/traces/training/{hashjoin,matmul,spmv}.pack tests/traces/long/gups.pack --quiet \
    --set cores=4 --set l2.private=yes --set cpu.offset_step=512MiB --set memory.size=2GiB --set memory.channels=4
"$RUBATO" replay configs/hbm.yaml "$store" --quiet
"$RUBATO" replay configs/laptop.yaml "$store" --quiet
for kernel in sort hash chase matrix; do
    "$RUBATO" replay configs/wide.yaml tests/traces/detailed/$kernel.rbt --set cpu.model=detailed --no-cache --quiet
done
for pattern in random stream; do
    "$RUBATO" traffic configs/default.yaml --pattern "$pattern" --outstanding 32 --requests 100000 >/dev/null
done
for system in ddr4 ddr5 hbm3; do
    for pattern in random stream; do
        "$RUBATO" traffic "configs/commands-$system.yaml" --pattern "$pattern" --outstanding 64 --requests 100000 >/dev/null
    done
    "$RUBATO" replay "configs/commands-$system.yaml" tests/traces/gups --no-cache --quiet
done
# The GPU's are cuttings, and say so.
for system in rtx2060 qv100-accelsim; do
    "$RUBATO" replay "configs/gpu/$system.yaml" tests/traces/gpu/volta-bfs-2blocks --quiet 2>/dev/null
    "$RUBATO" replay "configs/gpu/$system.yaml" tests/traces/gpu-raw --quiet 2>/dev/null
done
"$RUBATO" replay configs/gpu/r9nano.yaml tests/traces/gpu/gcn3-fir --quiet
# Without QEMU, or without a decoder, the conversion is laid out as the compiler guesses.
for program in 'gzip -9 -c' sort; do
    # shellcheck disable=SC2086
    "$RUBATO" capture --quiet -o "$store.rbt" -- $program docs/spec/classic-memory.md >/dev/null 2>&1 || true
done
