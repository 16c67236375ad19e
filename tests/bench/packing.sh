#!/usr/bin/env bash
# Packing with and without what `replay --model window` learns: for each folder of traces the processor time (user + system) and the
# wall time of `rubato trace pack --model elastic` and `--model window`, the least of RUNS (7) runs that alternate, and the stores'
# sizes. The goal: learning adds at most a third of each.
# packing.sh [FOLDER...]: folders of traces; without it the ten programs of $SHARED/oracle/speed.tsv, or tests/traces.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

runs=${RUNS:-7}
if [ $# = 0 ] && [ -f "$SHARED/oracle/speed.tsv" ]; then
    for program in $(awk '!/^#/ && $1 != "program" { print $1 }' "$SHARED/oracle/speed.tsv"); do
        set -- "$@" "$SHARED/traces/elastic/$program"
    done
elif [ $# = 0 ]; then
    set -- tests/traces/{gups,qsort,triad}/
fi

# FOLDER MODEL: a line: model, seconds of processors, wall seconds, bytes.
pack() {
    "$BUILD/tests/tools/measure" "$WORK/cost" "$RUBATO" trace pack "$1" -o "$WORK/store" --model "$2" --quiet >"$WORK/output" 2>&1 ||
        { cat "$WORK/output" >&2; return 1; }
    awk -v model="$2" -v bytes="$(stat -c %s "$WORK/store")" '{ print model, $1, $2, bytes }' "$WORK/cost"
}

for traces in "$@"; do
    for ((run = 0; run < runs; run++)); do
        pack "$traces" elastic && pack "$traces" window || exit 1
    done | awk -v name="$(basename "$traces")" '
        { if (!($1 in cpu) || $2 < cpu[$1]) cpu[$1] = $2
          if (!($1 in wall) || $3 < wall[$1]) wall[$1] = $3
          bytes[$1] = $4 }
        END { if (NR) print name, cpu["elastic"], cpu["window"], wall["elastic"], wall["window"], bytes["elastic"], bytes["window"] }'
done | awk '
    function more(a, b) { return sprintf("%+.0f %%", 100 * (b / a - 1)) }
    function line(name, from, to, wall_from, wall_to, size_from, size_to) {
        printf "%-12s %8.1f %8.1f %8s %8.1f %8.1f %8s %9.0f %9.0f %+7.1f %%\n", name, 1000 * from, 1000 * to, more(from, to),
            1000 * wall_from, 1000 * wall_to, more(wall_from, wall_to), size_from, size_to, 100 * (size_to / size_from - 1) }
    BEGIN { printf "%-12s %8s %8s %8s %8s %8s %8s %9s %9s\n", "", "cpu_ms", "", "", "wall_ms", "", "", "bytes", ""
            printf "%-12s %8s %8s %8s %8s %8s %8s %9s %9s %9s\n", "program", "elastic", "window", "more", "elastic", "window", "more",
                "elastic", "window", "more" }
    { line($1, $2, $3, $4, $5, $6, $7); for (i = 2; i <= 7; i++) sum[i] += $i }
    END { if (NR) line("all", sum[2], sum[3], sum[4], sum[5], sum[6], sum[7]) }'
