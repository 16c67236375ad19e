#!/usr/bin/env bash
# rubato replay --publish: readers in other processes that read, stop, die, ask for samples; writers that end, are stopped, are
# killed; names that are taken. A pipe as --log holds a run up where a test needs it.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
ATTACH=$BUILD/tests/tools/sample_attach
[ -x "$ATTACH" ] || { not_ok "there is no $ATTACH; make tests builds it"; exit 1; }
if ! (: >/dev/shm/rubato-test.$$) 2>/dev/null; then
    skip 'publishing: there is no /dev/shm to write to'
    exit 0
fi
rm -f /dev/shm/rubato-test.$$

NAME=test.$$
OBJECT=/dev/shm/rubato.$NAME
trap 'rm -rf "$WORK" "$OBJECT"' EXIT
replay() { exec "$RUBATO" replay "$@" </dev/null; }
wait_for() {    # NAME COMMAND...: until it succeeds, ten seconds at most
    local name=$1
    shift
    for _ in $(seq 500); do
        "$@" 2>/dev/null && { ok "$name"; return; }
        sleep 0.02
    done
    not_ok "$name"
}
samples() { grep -c '^sample ' "$1"; }
has_samples() { [ "$(samples "$1")" -ge "$2" ]; }
pipe() {    # a new pipe, open for reading as 3
    rm -f "$WORK/pipe"
    mkfifo "$WORK/pipe"
}
# begin ARGUMENTS...: a run that publishes, held up at its first events; its number in $run
begin() {
    pipe
    replay "$@" --publish $NAME --log "$WORK/pipe" --quiet >"$WORK/run.out" 2>"$WORK/run.err" &
    run=$!
    exec 3<"$WORK/pipe"
    head -c 1000 <&3 >/dev/null
}
go_on() {    # BYTES of its log; without: to its end
    if [ $# = 1 ]; then head -c "$1" <&3 >/dev/null; else cat <&3 >/dev/null; exec 3<&-; fi
}

(replay wide "$TRACES/triad" --stats "$WORK/plain.txt" --quiet)
(replay wide "$TRACES/triad" --record "$WORK/file" --every 1us --quiet)
"$RUBATO" export "$WORK/file" --csv "$WORK/file.csv"

# ---- a reader that keeps up
begin wide "$TRACES/triad" --every 1us --stats "$WORK/a.txt"
check 'the name is there' test -e "$OBJECT"
"$ATTACH" $NAME >"$WORK/seen" 2>&1 &
reader=$!
wait_for 'a reader attaches' grep -q '^layout' "$WORK/seen"
go_on
wait $run
check 'the run ends well' test $? = 0
wait $reader
check 'so does the reader' test $? = 0
check 'it has lost nothing' grep -qx 'lost 0' "$WORK/seen"
check 'it knows that the run has ended' grep -qx ended "$WORK/seen"
check 'it has seen the samples of a recording, word by word' cmp -s <(awk '/^sample/ { print $2, $3, $4, $5 }' "$WORK/seen") \
    <(awk -F, 'NR > 1 { sum = 0; for (i = 1; i <= NF; i++) sum += $i; printf "%.0f %.0f %.0f %.0f\n", $1, $2, $3, sum }' "$WORK/file.csv")
check 'there are many' test "$(samples "$WORK/seen")" -gt 50
check 'the name is gone' test ! -e "$OBJECT"
check 'same statistics' cmp -s "$WORK/plain.txt" "$WORK/a.txt"

# ---- a reader that stops, one that dies
begin wide "$TRACES/triad" --every 20ns --stats "$WORK/a.txt"
"$ATTACH" $NAME >"$WORK/stopped" &
stopped=$!
"$ATTACH" $NAME >"$WORK/dead" &
dead=$!
disown $dead
go_on 200000
wait_for 'both read' eval 'has_samples "$WORK/stopped" 1 && has_samples "$WORK/dead" 1'
kill -STOP $stopped
kill -KILL $dead
go_on
wait $run
check 'the run ends well, with a stopped and a dead viewer' test $? = 0
check 'with the same statistics' cmp -s "$WORK/plain.txt" "$WORK/a.txt"
check 'and the name is gone' test ! -e "$OBJECT"
kill -CONT $stopped
wait $stopped
check 'the one that stood still reads on' grep -qx ended "$WORK/stopped"
check 'it counts lost samples' awk '/^lost/ { lost = $2 } /^sample/ { seen++; last = $2 }
    END { exit !(lost > 0 && seen + lost == last + 1) }' "$WORK/stopped"

# ---- a writer that is stopped, one that is killed
for signal in INT TERM HUP; do
    begin wide "$TRACES/triad" --every 1us
    "$ATTACH" $NAME >"$WORK/seen" &
    reader=$!
    go_on 100000
    wait_for "$signal: a reader reads" has_samples "$WORK/seen" 1
    kill -$signal $run
    if [ $signal != HUP ]; then    # the first one asks it to stop, which it cannot while it writes
        sleep 0.1
        kill -$signal $run
    fi
    exec 3<&-
    { wait $run; } 2>/dev/null
    check "$signal: the run ends by it" test $? -gt 128
    wait $reader
    check "$signal: its name is gone" test ! -e "$OBJECT"
    check "$signal: the reader learns it" grep -qx died "$WORK/seen"
done
begin wide "$TRACES/triad" --every 1us
"$ATTACH" $NAME >"$WORK/seen" &
reader=$!
go_on 100000
wait_for 'a reader reads' has_samples "$WORK/seen" 1
disown $run
kill -KILL $run
exec 3<&-
wait $reader
check 'killed: the reader learns it' grep -qx died "$WORK/seen"
check 'killed: its name stays' test -e "$OBJECT"
"$ATTACH" $NAME >"$WORK/seen"
check 'who comes later learns it, too' grep -qx died "$WORK/seen"
check 'and may see its last samples' has_samples "$WORK/seen" 1
(replay wide "$TRACES/triad" --publish $NAME --quiet) 2>"$WORK/stderr"
check 'the next run takes the name' test $? = 0
check 'and reports it' grep -q "warning: --publish $NAME: a run that was stopped before its end had left that name" "$WORK/stderr"
check 'then it is gone' test ! -e "$OBJECT"

# ---- samples on request
begin wide "$TRACES/triad" --every 1s --stats "$WORK/a.txt"
"$ATTACH" $NAME --ask 5 >"$WORK/seen" &
reader=$!
for _ in $(seq 200); do
    [ "$(samples "$WORK/seen")" -ge 5 ] && break
    go_on 20000
done
check 'a reader that asks gets a sample, five times' test "$(samples "$WORK/seen")" = 5
check 'one each time' test "$(head -n 11 "$WORK/seen" | grep -v layout | cut -d ' ' -f 1 | tr '\n' ' ')" = \
    "$(printf 'asked sample %.0s' 1 2 3 4 5)"
check 'times rise' bash -c "awk '/^sample/ { print \$3 }' '$WORK/seen' | sort -nuC"
go_on
wait $run $reader
check 'same statistics with it' cmp -s "$WORK/plain.txt" "$WORK/a.txt"
pipe
replay wide "$TRACES/triad" --record "$WORK/asked" --every 1s --log "$WORK/pipe" --quiet 2>/dev/null &
run=$!
exec 3<"$WORK/pipe"
for _ in 1 2 3; do
    go_on 300000
    kill -USR1 $run
done
go_on
wait $run
check 'SIGUSR1 with --record: the run ends well' test $? = 0
"$RUBATO" export "$WORK/asked" --csv "$WORK/asked.csv"
check 'a sample for each, and the last' test "$(wc -l <"$WORK/asked.csv")" = 5
check 'the last is as without' cmp -s <(tail -n 1 "$WORK/asked.csv" | cut -d , -f 2-) <(tail -n 1 "$WORK/file.csv" | cut -d , -f 2-)

# ---- a GPU
gpu=$TRACES/gpu/gcn3-fir
(replay r9nano "$gpu" --stats "$WORK/plain.txt" --quiet) 2>/dev/null
pipe
replay r9nano "$gpu" --stats "$WORK/a.txt" --publish $NAME --record "$WORK/pipe" --every 1ns --quiet 2>/dev/null &
run=$!
exec 3<"$WORK/pipe"
go_on 200000    # the layout is longer than a pipe
wait_for 'a GPU publishes' bash -c "'$ATTACH' $NAME --first >'$WORK/seen'"
check 'with its samples' has_samples "$WORK/seen" 1
go_on
wait $run
check 'and runs as without it' cmp -s "$WORK/plain.txt" "$WORK/a.txt"

# ---- refusals
begin wide "$TRACES/triad"
refused 'a name that is taken' 'another run publishes by that name; choose another' \
    "$RUBATO" replay wide "$TRACES/triad" --publish $NAME
check 'the first keeps it' test -e "$OBJECT"
go_on
wait $run
refused 'no name' '--publish a/b: expected at most 64 letters' "$RUBATO" replay wide "$TRACES/triad" --publish a/b
refused 'an empty name' '--publish : expected' "$RUBATO" replay wide "$TRACES/triad" --publish ''
refused 'a long name' 'expected at most 64' "$RUBATO" replay wide "$TRACES/triad" --publish "$(printf 'n%.0s' $(seq 65))"
"$ATTACH" $NAME 2>"$WORK/stderr"
check 'no run: exit code' test $? = 2
check 'no run: a hint' grep -q "start one with replay --publish $NAME" "$WORK/stderr"
(umask 077; printf 'something else' >"$OBJECT")
"$ATTACH" $NAME 2>"$WORK/stderr"
check 'something else by that name' grep -q 'no ring of samples' "$WORK/stderr"
exit $failures
