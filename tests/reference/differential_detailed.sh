#!/usr/bin/env bash
# Random systems of several detailed cores through the command: the plain and the fast engine give the same statistics. The
# model of differential.sh has no such core. SEEDS: FIRST:LAST.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

traces=(tests/traces/bounds/{collide,jumps,queue,stores}.rbt tests/traces/detailed/{chase,hash,matrix}.rbt)
pick() { echo "${@:$((RANDOM % $# + 1)):1}"; }

one_seed() {
    local engine cores command=() given=()
    RANDOM=$1
    cores=$((RANDOM % 3 + 2))
    while [ ${#given[@]} -lt $cores ]; do given+=("$(pick "${traces[@]}")"); done
    command=(quad "${given[@]}" --model detailed --set "cpu.numROBEntries=$(pick 24 64 192)" --set "l1d.mshrs=$(pick 1 4 16)"
        --set "l1d.size=$(pick 4KiB 32KiB)" --set "l2.mshrs=$(pick 2 20)" --set "cache_bus.width=$(pick 8 32)"
        --set "memory.device=$(pick DDR4_2400_8x8 DDR3_1600_8x8)" --set "cpu.storeSets=$(pick yes no)")
    for engine in plain fast; do
        "$RUBATO" replay "${command[@]}" --engine $engine --no-cache --quiet --stats "$WORK/$engine.txt" >/dev/null 2>"$WORK/said" || {
            not_ok "seed $1, $engine: $(tail -n 1 "$WORK/said")"
            return 1
        }
        grep -v '^host' "$WORK/$engine.txt" >"$WORK/$engine"
    done
    if [ -s "$WORK/plain" ] && cmp -s "$WORK/plain" "$WORK/fast"; then ok "seed $1"; else
        not_ok "seed $1 differs: $(diff "$WORK/plain" "$WORK/fast" | head -n 3 | tr '\n' ' ') rubato replay ${command[*]}"
    fi
}

for ((seed = ${SEEDS%%:*}; seed <= ${SEEDS##*:}; seed++)); do one_seed "$seed"; done
exit $failures
