#!/usr/bin/env bash
# Runs the bundled traces on memories of DRAM commands, and compares the statistics of the memories and the final tick with
# commands/NAME.tsv; both engines must agree. Commands themselves are compared with the reference by cli/command_dram.sh; here the port
# above them is kept: a difference shows a change, not an error. `make golden-commands` (--write) keeps new figures.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

is_writing=
if [ "${1:-}" = --write ]; then is_writing=yes; fi

# name, system, settings; all on gups
cases='ddr4 commands-ddr4
ddr4-exact commands-ddr4 --set memory.command.mode=exact
ddr5 commands-ddr5
hbm3 commands-hbm3
lpddr5 commands-lpddr5
gddr7 commands-gddr7
near-far near-far
cxl cxl'

run() {    # FILE ENGINE SYSTEM SETTINGS...
    local file=$1 engine=$2
    shift 2
    "$RUBATO" replay "$1" "$TRACES/gups" --engine "$engine" --no-cache --quiet --stats "$WORK/stats.json" "${@:2}" \
        >"$WORK/output" 2>&1 || { cat "$WORK/output"; return 1; }
    sed -nE 's/^ "(finalTick|system\.mem_ctrls[0-9]*\.[^"]*)": ([^,]*),?$/\1\t\2/p' "$WORK/stats.json" |
        grep -vE '(avg|Avg|bw|Util|throughput|hitRate|Windows|perBank)' >"$file"
}

while read -r name settings; do
    golden=tests/golden/commands/$name.tsv
    # shellcheck disable=SC2086    # settings are words
    if ! run "$WORK/fast.tsv" fast $settings || ! run "$WORK/plain.tsv" plain $settings; then
        not_ok "$name runs"
        continue
    fi
    check "$name: both engines" cmp -s "$WORK/fast.tsv" "$WORK/plain.tsv"
    if [ "$is_writing" ]; then
        cp "$WORK/plain.tsv" "$golden"
    elif cmp -s "$WORK/plain.tsv" "$golden"; then
        ok "$name: as kept"
    else
        not_ok "$name: as kept"
        diff "$golden" "$WORK/plain.tsv" | head -n 6 | sed 's/^/    /'
    fi
done <<<"$cases"
exit $failures
