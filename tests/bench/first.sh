#!/usr/bin/env bash
# First runs: for each folder of traces what `rubato replay` takes that makes its store meanwhile, and what `rubato trace pack
# --model elastic` takes, beside what zcat takes to unpack the same two files. Wall times, the least of RUNS runs that alternate; the goal is 0.6
# of zcat's on two cores.
# first.sh [FOLDER...]: folders of traces; without it the ten programs of $SHARED/oracle/speed.tsv, or tests/traces.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

runs=${RUNS:-7}
system=${SYSTEM:-configs/wide.yaml}
if [ $# = 0 ] && [ -f "$SHARED/oracle/speed.tsv" ]; then
    for program in $(awk '!/^#/ && $1 != "program" { print $1 }' "$SHARED/oracle/speed.tsv"); do
        set -- "$@" "$SHARED/traces/elastic/$program"
    done
elif [ $# = 0 ]; then
    set -- tests/traces/{gups,qsort,triad}/
fi

microseconds() {    # COMMAND...
    local begin=${EPOCHREALTIME/./}
    "$@" >"$WORK/output" 2>&1 || { cat "$WORK/output" >&2; exit 1; }
    echo $((${EPOCHREALTIME/./} - begin))
}
least() { echo $(($1 == 0 || $2 < $1 ? $2 : $1)); }

for traces in "$@"; do
    unpack=0 first=0 pack=0
    for ((run = 0; run < runs; run++)); do
        time=$(microseconds zcat "$traces/deptrace.proto.gz" "$traces/fetchtrace.proto.gz") || exit 1
        unpack=$(least "$unpack" "$time")
        rm -rf "$WORK/store" "$WORK/kept"
        time=$(microseconds "$RUBATO" replay "$system" "$traces" --cache "$WORK/kept" --quiet) || exit 1
        first=$(least "$first" "$time")
        [ -n "$(find "$WORK/kept" -name '*.store')" ] || { echo "$traces: no store was kept" >&2; exit 1; }
        time=$(microseconds "$RUBATO" trace pack "$traces" -o "$WORK/store" --model elastic --quiet) || exit 1
        pack=$(least "$pack" "$time")
    done
    echo "$(basename "$traces")" "$unpack" "$first" "$pack"
done | awk '
    BEGIN { printf "%-12s %8s %8s %8s %11s %10s\n", "program", "zcat_ms", "first_ms", "pack_ms", "first/zcat", "pack/zcat" }
    { printf "%-12s %8.1f %8.1f %8.1f %11.2f %10.2f\n", $1, $2 / 1000, $3 / 1000, $4 / 1000, $3 / $2, $4 / $2
      first += log($3 / $2); pack += log($4 / $2) }
    END { if (NR) printf "%-12s %38.2f %10.2f\n", "mean", exp(first / NR), exp(pack / NR) }'
