#!/usr/bin/env bash
# Makes the traces of this folder anew from src/kernels.c: needs riscv64-linux-gnu-gcc and qemu-riscv64. The bytes depend on
# the compiler, and on the number that the host gives the process; the traces in the repository were made with gcc 12.2. They keep their
# programs, so that wrong paths have values.
set -eu
cd "$(dirname "$0")"
here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for kernel in sort hash chase matrix; do
    riscv64-linux-gnu-gcc -O2 -march=rv64gc -static -nostdlib -ffreestanding -fno-builtin -fno-stack-protector \
        -fno-tree-loop-distribute-patterns -Wall -Wextra -Wl,--build-id=none -DKERNEL=$kernel src/kernels.c -o "$work/$kernel"
    (cd "$work" && env -i PATH="$PATH" "$here/../../../rubato" capture -o $kernel.rbt -- ./$kernel)
    ../../../rubato trace pack "$work/$kernel.rbt" -o $kernel.rbt --quiet
done
