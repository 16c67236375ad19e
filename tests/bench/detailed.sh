#!/usr/bin/env bash
# Speed of the detailed core. detailed.sh [--json FILE] [TRACE...]: for each instruction trace million instructions committed a second on
# configs/detailed/base.yaml, one core, from an .rbt. Time is user + system time of the whole process on one core, the least of RUNS (3)
# runs. Without TRACEs: those of $SHARED/traces/o3, packed first, with their code images, so that wrong paths are fetched, and without
# their programs; else the bundled ones, which are short, so that start-up counts.
# FILE: the programs as a JSON object, indented to be a member of tests/bench/programs.sh's. The goal: 3 in the mean, none below 1.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

json=
if [ "${1:-}" = --json ]; then json=$2 && shift 2; fi
runs=${RUNS:-3}
system=detailed/base

fail() { echo "detailed.sh: $*" >&2; exit 1; }

traces=("$@")
if [ ${#traces[@]} = 0 ]; then
    for trace in "$SHARED"/traces/o3/*.trace.xz; do
        [ -f "$trace" ] && traces+=("$trace")
    done
    [ ${#traces[@]} -gt 0 ] || traces=(tests/traces/detailed/*.rbt)
fi

# One core: the last that we may use.
pin=()
if core=$(taskset -pc $$ 2>/dev/null) && core=${core##*[ ,-]}; then pin=(taskset -c "$core"); fi

least() { awk -v a="$1" -v b="$2" 'BEGIN { print (a == "" || b < a ? b : a) }'; }

# A line: name, instructions, seconds.
measure_trace() {    # TRACE
    local name=${1##*/} from=$1 seconds='' insts
    name=${name%%.*}
    if [ "${from%.rbt}" = "$from" ]; then
        "$RUBATO" trace pack "$1" -o "$WORK/$name.rbt" --no-program --quiet >"$WORK/output" 2>&1 ||
            { cat "$WORK/output" >&2; return 1; }
        from=$WORK/$name.rbt
    fi
    for ((run = 0; run < runs; run++)); do
        "${pin[@]}" "$BUILD/tests/tools/measure" "$WORK/cost" "$RUBATO" replay "$system" "$from" --model detailed --no-cache --quiet \
            --stats "$WORK/stats.txt" >"$WORK/output" 2>&1 || { cat "$WORK/output" >&2; return 1; }
        read -r cost _ <"$WORK/cost"
        seconds=$(least "$seconds" "$cost")
    done
    insts=$(awk '/commitStats0\.numInsts / { sum += $2 } END { printf "%d", sum }' "$WORK/stats.txt")
    rm -f "$WORK/$name.rbt"
    echo "$name $insts $seconds"
}

for trace in "${traces[@]}"; do
    measure_trace "$trace" </dev/null || fail "$trace cannot be measured"
done >"$WORK/rows" || exit 1

printf '%-12s %13s %9s %10s\n' program instructions seconds million/s
awk '{ rate = $2 / ($3 > 0 ? $3 : 0.001) / 1e6; sum += rate; if (NR == 1 || rate < low) low = rate
        printf "%-12s %13d %9.3f %10.2f\n", $1, $2, $3, rate }
    END { printf "%-36s %10.2f   goal 3\n%-36s %10.2f   goal 1\n", "mean", sum / NR, "least", low }' "$WORK/rows"

[ -n "$json" ] || exit 0
sort "$WORK/rows" | awk 'BEGIN { print "{" }
    { printf "%s    \"%s\": {\n      \"insts\": %d,\n      \"insts_per_s\": %.0f,\n      \"user_s\": %.3f\n    }", (NR == 1 ? "" : ",\n"), $1, $2,
        $2 / ($3 > 0 ? $3 : 0.001), $3 }
    END { print "\n  }" }' >"$json" || fail "$json cannot be written"
