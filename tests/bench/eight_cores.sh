#!/usr/bin/env bash
# Eight cores with private L2s and one channel each cost at most 1.3 times eight single runs, in user + system time for each
# simulated event: the least of RUNS alternating runs, from stores, which wants a quiet machine. The memories are either ranges of
# their own, so that each core has the channel that it has alone, which is what the limit is of; or eight channels interleaved,
# which all cores share: judged by the same limit, as a goal, and not there yet (1.4 to 1.5). The traces are eight programs of
# $SHARED/traces/elastic, or the bundled ones repeated.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

runs=${RUNS:-5}
limit=1.3
programs=(triad chase gups spmv matmul qsort hashjoin nbody)

stores=()
for program in "${programs[@]}"; do
    traces=$SHARED/traces/elastic/$program
    if [ ! -d "$traces" ]; then
        bundled=(tests/traces/triad tests/traces/qsort tests/traces/gups)
        traces=$WORK/$program
        mkdir "$traces"
        "$BUILD/tests/tools/repeat_trace" "${bundled[${#stores[@]} % 3]}" "$traces/deptrace.proto.gz" \
            "$traces/fetchtrace.proto.gz" 500000 || { not_ok "a trace for $program"; exit 1; }
    fi
    "$RUBATO" trace pack "$traces" -o "$WORK/$program.store" >"$WORK/log" || { not_ok "a store of $program"; exit 1; }
    stores+=("$WORK/$program.store")
done

write_system() {    # FILE CORES CPU_KEYS: all but the memory
    printf '%s\n' "cores: $2" 'cpu_clock: 2GHz' "cpu: {rob: 192, load_buffer: 32, store_buffer: 32$3}" \
        'l2: {private: yes, size: 512KiB}' >"$1"
}
memory='device: DDR4_2400_8x8'
write_system "$WORK/single.yaml" 1 ''
echo "memory: {$memory, size: 512MiB}" >>"$WORK/single.yaml"
write_system "$WORK/ranges.yaml" 8 ', offset_step: 512MiB'
echo 'memories:' >>"$WORK/ranges.yaml"
for ((i = 0; i < 8; i++)); do echo "  - {$memory, base: $((i * 512))MiB, size: 512MiB}"; done >>"$WORK/ranges.yaml"
write_system "$WORK/interleaved.yaml" 8 ', offset_step: 512MiB'
echo "memory: {$memory, size: 4GiB, channels: 8}" >>"$WORK/interleaved.yaml"

measure() {    # SYSTEM STORE...: puts a line `SYSTEM STORE CPU_S EVENTS` into $WORK/costs
    local events
    "$BUILD/tests/tools/measure" "$WORK/cost" "$RUBATO" replay "$WORK/$1.yaml" "${@:2}" >"$WORK/log" 2>&1 &&
        events=$(sed -n 's/^replayed in .* \([0-9]*\) events$/\1/p' "$WORK/log") && [ -n "$events" ] &&
        echo "$1 $2 $(cut -d ' ' -f 1 "$WORK/cost") $events" >>"$WORK/costs" && return
    not_ok "replay on $1"
    cat "$WORK/log"
    exit 1
}

for ((run = 0; run < runs; run++)); do
    for store in "${stores[@]}"; do measure single "$store"; done
    for system in ranges interleaved; do measure $system "${stores[@]}"; done
done

# For each system the least time of each trace, and its events.
awk '{ key = $1 " " $2 }
    !(key in least) || $3 < least[key] { least[key] = $3 }
    { events[key] = $4 }
    END { for (key in least) { split(key, part); s[part[1]] += least[key]; n[part[1]] += events[key] }
          for (name in s) print name, 1e9 * s[name] / n[name], n[name] }' "$WORK/costs" >"$WORK/figures" || exit 1
read -r _ single events < <(grep '^single ' "$WORK/figures")
printf '%-12s %10s %15s %8s\n' system events 'ns an event' ratio
printf '%-12s %10d %15.1f\n' 'eight single' "$events" "$single"
for system in ranges interleaved; do
    read -r _ ns events < <(grep "^$system " "$WORK/figures")
    ratio=$(awk -v ns="$ns" -v single="$single" 'BEGIN { printf "%.3f", ns / single }')
    printf '%-12s %10d %15.1f %8s\n' "$system" "$events" "$ns" "$ratio"
    check "eight cores, $system: $ratio times the time for an event of eight single runs, at most $limit expected" \
        awk -v ratio="$ratio" -v limit="$limit" 'BEGIN { exit !(ratio > 0 && ratio <= limit) }'
done
exit $failures
