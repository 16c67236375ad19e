#!/usr/bin/env bash
# Speed: for each folder of traces the records a second of `rubato replay` on configs/wide.yaml, from the trace files and from a
# store, beside what zcat takes to unpack the same two files. Times are user + system time of the process, the least of RUNS runs
# that alternate.
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

printf '%-12s %9s %7s %8s %11s %8s %13s %8s %11s\n' program records zcat_s files_s records/s store_s records/s files/zcat store/zcat
for folder in "$@"; do
    for traces in "$folder"/*/; do
        data=$traces/deptrace.proto.gz fetch=$traces/fetchtrace.proto.gz
        [ -f "$data" ] && [ -f "$fetch" ] || continue
        replay='' stored='' unpack=''
        "$RUBATO" trace pack "$traces" -o "$WORK/store" >/dev/null || exit 1
        for ((run = 0; run < runs; run++)); do
            unpack=$(least "$unpack" "$(seconds zcat "$data" "$fetch")")
            replay=$(least "$replay" "$(seconds "$RUBATO" replay "$system" "$traces" --no-cache --quiet)")
            stored=$(least "$stored" "$(seconds "$RUBATO" replay "$system" "$WORK/store" --quiet)")
        done
        "$RUBATO" trace dump --gem5 "$data" >"$WORK/records" || exit 1
        awk -v name="$(basename "$traces")" -v replay="$replay" -v stored="$stored" -v unpack="$unpack" '
            function rate(s) { return NR / (s > 0 ? s : 0.001) }
            END { printf "%-12s %9d %7.3f %8.3f %11.0f %8.3f %13.0f %8.2f %11.2f\n", name, NR, unpack, replay, rate(replay),
                stored, rate(stored), replay / (unpack > 0 ? unpack : 0.001), stored / (unpack > 0 ? unpack : 0.001) }' \
            "$WORK/records"
    done
done
