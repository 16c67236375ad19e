#!/usr/bin/env bash
# Makes the traces of this folder anew from bounds.c, as ../detailed/make_traces.sh does.
set -eu
cd "$(dirname "$0")"
here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for kernel in queue straight fences collide divide jumps stores; do
    riscv64-linux-gnu-gcc -O2 -march=rv64gc -static -nostdlib -ffreestanding -fno-builtin -fno-stack-protector \
        -fno-tree-loop-distribute-patterns -Wall -Wextra -Wl,--build-id=none -DKERNEL=$kernel bounds.c -o "$work/$kernel"
    (cd "$work" && "$here/../../../rubato" capture -o "$here/$kernel.rbt" -- ./$kernel)
done
