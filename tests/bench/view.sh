#!/usr/bin/env bash
# Cost of a view to the run that it shows: view.sh [PAIRS [RECORDS]]. Each program is replayed on configs/wide.yaml by
# itself, with a window beside it (--view), and with --publish while the window of another process is attached. Counted
# is the thread of the replay only: its instructions by callgrind, over the trace as it is, and its user and system
# time, over the trace repeated to RECORDS records (3 million), in PAIRS rounds (ten) whose order turns: the least time
# with by the least time without, as everywhere in the benchmarks, since single runs take up to a fifth longer when the
# host has other guests. Windows are drawn in Xvfb with SDL's software renderer. Fails for each program that takes more
# than 2 % more instructions, and if the sum of the programs' least times is that much higher. PAIRS 0: instructions
# only. The ten programs are those of the reference data, else those that are bundled.
#
# A run pauses while a viewer attaches, which cools its caches; it is compared with an unobserved run that pauses as
# long (`halted`). The difference between that one and an uninterrupted run is printed: it bounds the precision of
# times on this machine.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/display.sh
need_rubato
pairs=${1:-10}
records=${2:-3000000}
limit_percent=2
name=bench-view.$$
[ -d "$SHARED/traces/elastic" ] && folder=$SHARED/traces/elastic || folder=tests/traces

if ! command -v valgrind >/dev/null; then
    skip 'cost of a view: no valgrind to count instructions'
    exit 0
fi
open_display || { skip 'cost of a view: no Xvfb, or no SDL2'; exit 0; }
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
# attached COMMAND...: with a viewer, which shows the run to its end; the run pauses until the viewer has mapped it and
# had time for a first frame. Fails if either process does.
attached() {
    local job published
    "$@" &
    job=$!
    wait_until is_ready || return 1
    published=$(pgrep -f "replay .* --publish $name")
    kill -STOP $published
    "$RUBATO" view --attach $name --script "$WORK/script" >/dev/null 2>"$WORK/viewer" </dev/null &
    wait_until grep -q rubato.$name /proc/$!/maps
    sleep 0.3
    kill -CONT $published
    wait $! && wait $job
}
# halted COMMAND...: pauses soon after its start, for as long as `attached` does.
halted() {
    "$@" &
    sleep 0.01
    kill -STOP $!
    sleep 0.5
    kill -CONT $!
    wait $!
}
thread_s() { "$@" >/dev/null 2>"$WORK/stderr" </dev/null && sed -n 's/^rubato: processor time of the replay: \(.*\) s$/\1/p' "$WORK/stderr"; }
percent() { awk -v now="$1" -v before="$2" 'BEGIN { printf "%+.2f", 100 * (now / before - 1) }'; }
# The runs of a round, in turn: each adds a line (kind and seconds) to $WORK/times.
measure() {
    local kind seconds
    for kind in "$@"; do
        case $kind in
            view) seconds=$(thread_s "${run[@]}" --view --script "$WORK/script") ;;
            published) seconds=$(thread_s attached "${run[@]}" --publish $name) ;;
            halted) seconds=$(thread_s halted "${run[@]}") ;;
            *) seconds=$(thread_s "${run[@]}") ;;
        esac
        [ -n "$seconds" ] || return 1
        echo "$kind $seconds" >>"$WORK/times"
    done
}
measure_rounds() {
    local kinds=(itself view published halted)
    for ((i = 0; i < pairs; i++)); do
        measure "${kinds[@]}" || return 1
        kinds=("${kinds[@]:1}" "${kinds[0]}")
    done
}
least() { awk -v kind="$1" '$1 == kind && (!least || $2 < least) { least = $2 } END { print least }' "$WORK/times"; }
sum() { awk -v kind="$1" '$1 == kind { sum += $2 } END { print sum }' "$WORK/least"; }
more() { percent "$($1 $2)" "$($1 $3)"; }    # least or sum, KIND, KIND
all_more() { echo "view $(more $1 view itself) %, published $(more $1 published halted) %; halted $(more $1 halted itself) %"; }

printf '%-10s %15s %10s %12s   %s\n' program instructions view published "least time of $pairs: by itself; view, published; halted"
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
        rm -f "$WORK/times"
        measure_rounds || { not_ok "$program: a run has failed"; sed 's/^/    /' "$WORK/stderr" "$WORK/viewer"; continue; }
        for kind in itself view published halted; do echo "$kind $(least $kind)" >>"$WORK/least"; done
        time="$(least itself) s; $(all_more least)"
    fi
    line=$(printf '%-10s %15s %8s %% %10s %%   %s' "$program" "$off" "$(percent "$view" "$off")" "$(percent "$published" "$off")" "$time")
    if awk -v off="$off" -v a="$view" -v b="$published" -v limit=$limit_percent 'BEGIN { most = off * (1 + limit / 100); exit !(a <= most && b <= most) }'; then
        ok "$line"
    else
        not_ok "$line; at most +$limit_percent % expected"
    fi
done
if [ "$pairs" -gt 0 ]; then
    line="least times of all: $(sum itself) s; $(all_more sum)"
    if awk -v view="$(more sum view itself)" -v published="$(more sum published halted)" -v limit=$limit_percent \
        'BEGIN { exit !(view <= limit && published <= limit) }'; then
        ok "$line"
    else
        not_ok "$line; view and published: at most +$limit_percent % expected"
    fi
fi
exit $failures
