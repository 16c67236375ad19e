#!/usr/bin/env bash
# Speed: for each folder of traces the records a second of `rubato replay` on configs/wide.yaml, beside what zcat takes to unpack
# the same two files. Times are user + system time of the process, the least of RUNS runs that alternate.
# bench.sh [FOLDER...]: folders of trace folders; without it $SHARED/traces/elastic, or tests/traces.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/support/shell.sh
need_rubato

runs=${RUNS:-7}
system=${SYSTEM:-configs/wide.yaml}
if [ $# = 0 ]; then
    if [ -d "$SHARED/traces/elastic" ]; then set -- "$SHARED/traces/elastic"; else set -- tests/traces; fi
fi

TIMEFORMAT='%U %S'
seconds() {    # COMMAND...: user + system time
    { time "$@" >"$WORK/output" 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}
least() { awk -v a="$1" -v b="$2" 'BEGIN { print a == "" || b < a ? b : a }'; }

printf '%-12s %9s %9s %14s %9s %12s\n' program records replay_s records_per_s zcat_s replay/zcat
for folder in "$@"; do
    for traces in "$folder"/*/; do
        data=$traces/deptrace.proto.gz fetch=$traces/fetchtrace.proto.gz
        [ -f "$data" ] && [ -f "$fetch" ] || continue
        replay='' unpack=''
        for ((run = 0; run < runs; run++)); do
            unpack=$(least "$unpack" "$(seconds zcat "$data" "$fetch")")
            replay=$(least "$replay" "$(seconds "$RUBATO" replay "$system" "$traces")")
        done
        "$RUBATO" trace dump --gem5 "$data" >"$WORK/records" || exit 1
        awk -v name="$(basename "$traces")" -v replay="$replay" -v unpack="$unpack" 'END {
            printf "%-12s %9d %9.3f %14.0f %9.3f %12.2f\n", name, NR, replay, NR / (replay > 0 ? replay : 0.001), unpack,
                replay / (unpack > 0 ? unpack : 0.001) }' "$WORK/records"
    done
done
