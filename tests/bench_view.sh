#!/usr/bin/env bash
# What a view costs the run that it shows: bench_view.sh [PAIRS [RECORDS]]. Each program is replayed on configs/wide.yaml by itself, with
# a window beside it (--view), and with --publish while the window of another process is attached. Counted is the thread of the replay
# only: its instructions by callgrind, over the trace as it is, and its user and system time in PAIRS pairs (ten) that alternate, over
# the trace repeated to RECORDS records (3 million): the median over the pairs of the time with by the time without, which single runs
# that something else disturbed do not move. Windows are drawn in Xvfb with SDL's software renderer.
# Fails for each program that takes more than 2 % more instructions, and if the median over the pairs of all programs takes more time.
# PAIRS 0: instructions only. The ten programs are those of the reference data, else those that are bundled.
#
# Printed beside it as a control, and not judged: `spin`, what the same run takes while a process that has nothing to do with it counts in
# a register on another core. It has no memory, no window and no samples, so that is what this machine takes for another core that is
# busy at all (clock, power, the host's other guests): what a window costs cannot be told apart from a part of it.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/support/shell.sh
. tests/support/display.sh
need_rubato
pairs=${1:-10}
records=${2:-3000000}
limit_percent=2
name=bench-view.$$
[ -d "$SHARED/traces/elastic" ] && folder=$SHARED/traces/elastic || folder=tests/traces

if ! command -v valgrind >/dev/null; then
    skip 'what a view costs: there is no valgrind to count instructions'
    exit 0
fi
open_display || { skip 'what a view costs: there is no Xvfb, or no SDL2'; exit 0; }
echo 'await ended' >"$WORK/script"

# The thread of the replay is the first one, or, beside a window, the one that works most of those behind it.
count() {    # with or without a window
    rm -f "$WORK"/counted*
    valgrind --tool=callgrind --separate-threads=yes --callgrind-out-file="$WORK/counted" "$@" >/dev/null 2>"$WORK/stderr" </dev/null ||
        { cat "$WORK/stderr" >&2; return 1; }
    for file in "$WORK"/counted-??; do
        awk -v file="$file" '$1 == "totals:" || $1 == "summary:" { print file, $2; exit }' "$file"
    done | awk '/counted-01/ { first = $2; next } $2 > most { most = $2 } END { print most ? most : first }'
}
is_ready() { [ "$(head -c 8 /dev/shm/rubato.$name)" = rubring1 ]; }
# attached COMMAND...: with a viewer, which shows the run to its end; the run stands still until it has it mapped. Fails if one does.
attached() {
    local job published
    "$@" &
    job=$!
    wait_until is_ready || return 1
    published=$(pgrep -f "replay .* --publish $name")
    kill -STOP $published
    "$RUBATO" view --attach $name --script "$WORK/script" >/dev/null 2>"$WORK/viewer" </dev/null &
    wait_until grep -q rubato.$name /proc/$!/maps
    kill -CONT $published
    wait $! && wait $job
}
thread_s() { "$@" >/dev/null 2>"$WORK/stderr" </dev/null && sed -n 's/^rubato: processor time of the replay: \(.*\) s$/\1/p' "$WORK/stderr"; }
percent() { awk -v now="$1" -v before="$2" 'BEGIN { printf "%+.2f", 100 * (now / before - 1) }'; }
# spinning COMMAND...: while another process spins
spinning() {
    local spinner code
    bash -c 'while :; do :; done' &
    spinner=$!
    "$@"
    code=$?
    kill $spinner && wait $spinner 2>/dev/null
    return $code
}
# A line of a file of times is a pair: by itself, view, published, spin. more FILE COLUMN: the median of column by the first, as percent.
more() {
    awk -v column="$2" '{ print $column / $1 }' "$1" | sort -n | awk '{ share[NR] = $1 }
        END { printf "%+.2f", 100 * ((share[int((NR + 1) / 2)] + share[int(NR / 2) + 1]) / 2 - 1) }'
}
all_more() { echo "view $(more "$1" 2) %, published $(more "$1" 3) %; spin $(more "$1" 4) %"; }

printf '%-10s %15s %10s %12s   %s\n' program instructions view published "time of $pairs pairs, median: view, published; spin"
for program in chase gups hashjoin lz matmul memops nbody qsort spmv triad; do
    [ -d "$folder/$program" ] || continue
    "$RUBATO" trace pack "$folder/$program" -o "$WORK/store" >/dev/null || exit 1
    run=("$RUBATO" replay configs/wide.yaml "$WORK/store" --quiet)
    off=$(count "${run[@]}") && view=$(count "${run[@]}" --view --script "$WORK/script") &&
        published=$(attached count "${run[@]}" --publish $name) || { not_ok "$program: counting"; continue; }
    time=
    if [ "$pairs" -gt 0 ]; then
        mkdir -p "$WORK/long"
        "$BUILD/tests/tools/repeat_trace" "$folder/$program" "$WORK/long/deptrace.proto.gz" "$WORK/long/fetchtrace.proto.gz" "$records" &&
            "$RUBATO" trace pack "$WORK/long" -o "$WORK/store" >/dev/null || exit 1
        run+=(--thread-time)
        for ((i = 0; i < pairs; i++)); do
            echo "$(thread_s "${run[@]}")" "$(thread_s "${run[@]}" --view --script "$WORK/script")" \
                "$(thread_s attached "${run[@]}" --publish $name)" "$(spinning thread_s "${run[@]}")"
        done | awk 'NF == 4' >"$WORK/times"
        [ "$(wc -l <"$WORK/times")" = "$pairs" ] ||
            { not_ok "$program: a run has failed"; sed 's/^/    /' "$WORK/stderr" "$WORK/viewer"; continue; }
        cat "$WORK/times" >>"$WORK/all"
        time=$(all_more "$WORK/times")
    fi
    line=$(printf '%-10s %15s %8s %% %10s %%   %s' "$program" "$off" "$(percent "$view" "$off")" "$(percent "$published" "$off")" "$time")
    if awk -v off="$off" -v a="$view" -v b="$published" -v limit=$limit_percent 'BEGIN { most = off * (1 + limit / 100); exit !(a <= most && b <= most) }'; then
        ok "$line"
    else
        not_ok "$line; at most +$limit_percent % expected"
    fi
done
if [ "$pairs" -gt 0 ]; then
    line="time of all, median of $(cat "$WORK/all" 2>/dev/null | wc -l) pairs: $(all_more "$WORK/all")"
    if [ -s "$WORK/all" ] && awk -v view="$(more "$WORK/all" 2)" -v published="$(more "$WORK/all" 3)" -v limit=$limit_percent \
        'BEGIN { exit !(view <= limit && published <= limit) }'; then
        ok "$line"
    else
        not_ok "$line; view and published: at most +$limit_percent % expected"
    fi
fi
exit $failures
