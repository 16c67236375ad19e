#!/usr/bin/env bash
# The README's way from a program of one's own to a sweep: its commands, verbatim except for the program.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

commands=$(sed -n '/^## Your own program/,/^## /s/^    \.\/rubato \(.*[^ ]\)  *#.*/\1/p' README.md)
check 'the README has a capture, a sweep and a detailed run' test "$(printf '%s\n' "$commands" | cut -d ' ' -f 1 | tr '\n' ' ')" = 'capture sweep replay '
if ! command -v qemu-x86_64 >/dev/null || [ "$(uname -m)" != x86_64 ] || [ ! -e "$(dirname "$RUBATO")/build/capture-qemu.so" ]; then
    skip 'a program, from the capture to the detailed run (8): no QEMU, or a build without its plugin'
    exit ${failures:-0}
fi
"$RUBATO" capture -o "$WORK/x.rbt" --quiet -- true >/dev/null 2>"$WORK/err"
if grep -q Zydis "$WORK/err"; then
    skip 'a program, from the capture to the detailed run (8): a build without the decoder of x86'
    exit ${failures:-0}
fi

root=$PWD
cd "$WORK" || exit 1
ln -s "$root/configs" configs
run() { bash -c "\"$RUBATO\" ${1/.\/program arguments/ls /}" >stdout 2>stderr </dev/null; }
check 'capture' run "$(printf '%s\n' "$commands" | sed -n 1p)"
check 'capture: the program printed its output' grep -qx etc stdout
check 'sweep' run "$(printf '%s\n' "$commands" | sed -n 2p)"
check 'sweep: all points' grep -q '^run  *36 done, 0 failed' stdout
check 'results: memory systems differ' eval '[ "$("$RUBATO" results program.db --csv --columns simTicks | sort -u | wc -l)" -gt 9 ]'
check 'detailed run' run "$(printf '%s\n' "$commands" | sed -n 3p)"
check 'detailed run: on that core' grep -q '^wrong paths ' stdout
check 'replay of the capture' "$RUBATO" replay laptop program.rbt --quiet
exit ${failures:-0}
