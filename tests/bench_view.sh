#!/usr/bin/env bash
# What a view costs the run that it shows: bench_view.sh [PAIRS [RECORDS]]. Each program is replayed on configs/wide.yaml by itself, with
# a window beside it (--view), and with --publish while the window of another process is attached. Counted is the thread of the replay
# only: its instructions by callgrind, over the trace as it is, and its user and system time in PAIRS pairs (ten) that alternate, over
# the trace repeated to RECORDS records (3 million), of which it takes the sum. Windows are drawn in Xvfb with SDL's software renderer.
# Fails for each program that takes more than 2 % more instructions, and if time on average does. PAIRS 0: instructions only. The ten
# programs are those of the reference data, else those that are bundled.
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

printf '%-10s %15s %10s %12s   %s\n' program instructions view published "time of $pairs pairs: by itself, view, published"
sums=(0 0 0)
for program in chase gups hashjoin lz matmul memops nbody qsort spmv triad; do
    [ -d "$folder/$program" ] || continue
    "$RUBATO" trace pack "$folder/$program" -o "$WORK/store" >/dev/null || exit 1
    run=("$RUBATO" replay configs/wide.yaml "$WORK/store" --quiet)
    off=$(count "${run[@]}") && view=$(count "${run[@]}" --view --script "$WORK/script") &&
        published=$(attached count "${run[@]}" --publish $name) || { not_ok "$program: counting"; continue; }
    mine=(0 0 0)
    if [ "$pairs" -gt 0 ]; then
        mkdir -p "$WORK/long"
        "$BUILD/tests/tools/repeat_trace" "$folder/$program" "$WORK/long/deptrace.proto.gz" "$WORK/long/fetchtrace.proto.gz" "$records" &&
            "$RUBATO" trace pack "$WORK/long" -o "$WORK/store" >/dev/null || exit 1
        run+=(--thread-time)
        for ((i = 0; i < pairs; i++)); do
            mine=($(echo "${mine[@]}" "$(thread_s "${run[@]}")" "$(thread_s "${run[@]}" --view --script "$WORK/script")" \
                "$(thread_s attached "${run[@]}" --publish $name)" | awk 'NF == 6 { print $1 + $4, $2 + $5, $3 + $6 }'))
        done
        [ "${#mine[@]}" = 3 ] || { not_ok "$program: a run has failed"; sed 's/^/    /' "$WORK/stderr" "$WORK/viewer"; continue; }
        sums=($(echo "${sums[@]}" "${mine[@]}" | awk '{ print $1 + $4, $2 + $5, $3 + $6 }'))
        time=$(printf '%.2f s %s %% %s %%' "${mine[0]}" "$(percent "${mine[1]}" "${mine[0]}")" "$(percent "${mine[2]}" "${mine[0]}")")
    fi
    line=$(printf '%-10s %15s %8s %% %10s %%   %s' "$program" "$off" "$(percent "$view" "$off")" "$(percent "$published" "$off")" "${time:-}")
    if awk -v off="$off" -v a="$view" -v b="$published" -v limit=$limit_percent 'BEGIN { most = off * (1 + limit / 100); exit !(a <= most && b <= most) }'; then
        ok "$line"
    else
        not_ok "$line; at most +$limit_percent % expected"
    fi
done
if [ "$pairs" -gt 0 ]; then
    line=$(printf 'time of all: %.2f s by itself, view %s %%, published %s %%' "${sums[0]}" "$(percent "${sums[1]}" "${sums[0]}")" \
        "$(percent "${sums[2]}" "${sums[0]}")")
    if awk -v off="${sums[0]}" -v a="${sums[1]}" -v b="${sums[2]}" -v limit=$limit_percent \
        'BEGIN { most = off * (1 + limit / 100); exit !(off > 0 && a <= most && b <= most) }'; then
        ok "$line"
    else
        not_ok "$line; at most +$limit_percent % expected"
    fi
fi
exit $failures
