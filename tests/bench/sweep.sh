#!/usr/bin/env bash
# How much faster two cores run the bundled sweep than one: tests/bench/sweep.sh [PAIRS] [SPEC]. Runs with -j 1 and -j 2 take turns;
# each waits up to a minute for the machine to be idle, and reports the load of other processes. The ratio of a pair is
# split into its two factors: how much of both cores the sweep used (what the sweep can do about it), and how much
# longer the same work takes a core while the other one is busy (shared caches, power, a host with other guests). The
# last line has the medians of all pairs, and of the quiet ones, in which others used less than a tenth of a core.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

pairs=${1:-7} spec=${2:-configs/sweep/first.yaml}
busy() { awk '/^cpu /{ print ($2 + $3 + $4 + $7 + $8) / 100 }' /proc/stat; }    # seconds of all cores since the start
wait_for_quiet() {
    local tries before
    for ((tries = 0; tries < 60; tries++)); do
        before=$(busy)
        sleep 1
        awk -v a="$before" -v b="$(busy)" 'BEGIN { exit !(b - a < 0.1) }' && return
    done
}
measure() {    # WORKERS: wall, processor time of the sweep and of its points, what others used
    local before after
    rm -f "$WORK/bench.db"
    wait_for_quiet
    before=$(busy)
    TIMEFORMAT='%R %U %S'
    { time "$RUBATO" sweep "$spec" -j "$1" -o "$WORK/bench.db" >"$WORK/out" 2>&1; } 2>"$WORK/time" || { cat "$WORK/out"; exit 1; }
    after=$(busy)
    "$RUBATO" results "$WORK/bench.db" --csv --columns cpu_s | awk -v a="$before" -v b="$after" 'NR == FNR { wall = $1; own = $2 + $3; next }
        { points += $1 } END { others = b - a - own; print wall, own, points, (others > 0 ? others : 0) / wall }' "$WORK/time" -
}

"$RUBATO" sweep "$spec" -o "$WORK/bench.db" >/dev/null 2>&1       # packs the traces
echo 'pair   -j 1: wall s  cpu s  others   -j 2: wall s  cpu s  others   ratio = 2 x both used / slower by'
for ((i = 1; i <= pairs; i++)); do
    one=$(measure 1) || { echo "$one"; exit 1; }
    two=$(measure 2) || { echo "$two"; exit 1; }
    echo "$one $two" | tee -a "$WORK/pairs" | awk -v i="$i" '{ ratio = $1 / $5; slower = $7 / $3
        printf "%4d %14.2f %6.2f %6.0f%% %15.2f %6.2f %6.0f%% %7.3f       %.3f        %.3f\n", i, $1, $2, 100 * $4, $5, $6, 100 * $8,
            ratio, ratio * slower / 2, slower }'
done
awk '{ all[++n] = $1 / $5; uses[n] = $7 / $3 * $1 / $5 / 2; if ($4 < 0.1 && $8 < 0.1) quiet[++q] = all[n] }
    function median(list, count,    i, j, t) {
        if (!count) return "-"
        for (i = 2; i <= count; i++) for (j = i; j > 1 && list[j] < list[j - 1]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
        return sprintf("%.3f", count % 2 ? list[(count + 1) / 2] : (list[count / 2] + list[count / 2 + 1]) / 2) }
    END { printf "two cores are %s times one core (median of %d pairs; %s of the %d quiet ones), and %s of both is used\n",
          median(all, n), n, median(quiet, q), q, median(uses, n) }' "$WORK/pairs"
