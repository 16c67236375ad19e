#!/usr/bin/env bash
# Effective speed of replays from regions: instructions of the whole program over the time of a point by the clock, on all processors.
# sampling.sh [ROUNDS]: programs join and waves of tests/sampling, of some 33 and 9.4 million instructions a round (100), their regions
# chosen once, then replayed on core/zen4. REGIONS (60), INTERVAL (10K), WARMUP (10K) choose them; the goal: 10^9 instructions/s on two cores.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

rounds=${1:-100}
TIMEFORMAT=%R
# clock FILE COMMAND...: seconds by the clock, to FILE
clock() {
    local file=$1
    shift
    { time "$@" </dev/null >/dev/null 2>"$WORK/said"; } 2>"$file" && return
    echo "sampling.sh: $(head -n 1 "$WORK/said")" >&2
    exit 1
}

printf '%-8s %14s %10s %10s %16s %14s\n' program instructions chosen_s point_s instructions/s goal
for name in join waves; do
    "$CC" -O2 -static -o "$WORK/$name" "tests/sampling/programs/$name.c" || exit 1
    clock "$WORK/captured" "$RUBATO" capture --quiet -o "$WORK/$name.rbt" -- "$WORK/$name" "$rounds"
    clock "$WORK/chosen" "$RUBATO" regions "$WORK/$name.rbt" -o "$WORK/$name.regions" --quiet --regions "${REGIONS:-60}" \
        --interval "${INTERVAL:-10K}" --warmup "${WARMUP:-10K}"
    clock "$WORK/point" "$RUBATO" replay core/zen4 "$WORK/$name.regions" --model detailed --quiet --no-cache --summary "$WORK/summary.json"
    count=$(sed -n 's/^ *"instructions": *\([0-9]*\).*/\1/p' "$WORK/summary.json" | head -n 1)
    awk -v name="$name" -v count="$count" -v chosen="$(cat "$WORK/chosen")" -v point="$(cat "$WORK/point")" \
        'BEGIN { printf "%-8s %14d %10.2f %10.2f %16.3g %14.3g\n", name, count, chosen, point, count / (point > 0 ? point : 0.001), 1e9 }'
done
