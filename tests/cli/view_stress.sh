#!/usr/bin/env bash
# Whatever happens to a window, the run that it shows ends as it does by itself: same statistics, same recording, exit code 0. Viewers of
# a run that publishes are killed, stopped, closed, resized; then the window beside a replay; then the run dies, and viewers learn it.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/display.sh
need_rubato
open_display || { skip 'stress of windows (52): there is no Xvfb, or no SDL2'; exit 0; }
NAME=stress.$$
OBJECT=/dev/shm/rubato.$NAME
trap 'kill $xvfb 2>/dev/null; rm -rf "$WORK" "$OBJECT"' EXIT
RANDOM=${SEED:-1}

# begin: a run that publishes and records, held at its first events because its log is not read; its number in $run.
begin() {
    rm -f "$WORK/log" "$WORK"/with.*
    mkfifo "$WORK/log"
    "$RUBATO" replay wide "$TRACES/triad" --every 100ns --publish $NAME --record "$WORK/with.samples" --stats "$WORK/with.txt" --quiet \
        --log "$WORK/log" >"$WORK/run.out" 2>&1 </dev/null &
    run=$!
    exec 3<"$WORK/log"
    head -c 300000 <&3 >/dev/null
}
# viewer STEPS: one that is attached and has shown samples; its number in $viewer.
viewer() {
    rm -f "$WORK/view.err"
    printf '%b' "$1" >"$WORK/attached.script"
    "$RUBATO" view --attach $NAME --script "$WORK/attached.script" >"$WORK/view.err" 2>&1 </dev/null &
    viewer=$!
    wait_until grep -q "rubato.$NAME" /proc/$viewer/maps || not_ok "$name: the viewer attaches"
}
go_on() { head -c "$1" <&3 >/dev/null; }
# finish: lets the run go to its end; all is as without a viewer.
finish() {
    cat <&3 >/dev/null
    exec 3<&-
    wait $run
    check "$name: the run ends well" test $? = 0
    check "$name: same statistics" cmp "$WORK/alone.txt" "$WORK/with.txt"
    check "$name: same samples" cmp "$WORK/alone.samples" "$WORK/with.samples"
    check "$name: its name is gone" test ! -e "$OBJECT"
}
"$RUBATO" replay wide "$TRACES/triad" --every 100ns --record "$WORK/alone.samples" --stats "$WORK/alone.txt" --quiet </dev/null

# ---- attached from another process
name='a viewer is killed'
begin
viewer 'await samples 1\nstall 60000\n'
go_on 200000
disown $viewer
kill -KILL $viewer
finish

name='three are killed, one after the other'
begin
for _ in 1 2 3; do
    viewer 'stall 60000\n'
    go_on 100000
    disown $viewer
    kill -KILL $viewer
done
finish

name='a viewer is stopped'
begin
viewer 'await ended\n'
go_on 200000
kill -STOP $viewer
finish
kill -CONT $viewer
wait $viewer
check "$name: it continues to the end" test $? = 0

name='a viewer is closed'
begin
viewer 'await samples 1\nclose\n'
go_on 200000
wait $viewer
check "$name: it ends well" test $? = 0
finish

name='windows are resized at random'
begin
for i in 1 2; do
    viewer "$(for _ in $(seq 25); do printf 'resize %d %d\\nframes 1\\n' $((320 + RANDOM % 1600)) $((240 + RANDOM % 1000)); done)await ended\\n"
    go_on 100000
done
finish
wait $viewer
check "$name: they show it to its end" test $? = 0

# ---- beside the replay
"$RUBATO" replay wide "$TRACES/gups" --every 100ns --record "$WORK/alone.samples" --stats "$WORK/alone.txt" >"$WORK/alone.out" 2>&1 </dev/null
has_no_socket() { ! ls -l "/proc/$run/fd" | grep -q socket:; }    # its window is gone
# beside NAME [closed] < steps: the run is held at its first events; closed: until its window is gone.
beside() {
    cat >"$WORK/script"
    rm -f "$WORK/log" "$WORK"/with.*
    mkfifo "$WORK/log"
    timeout 100 "$RUBATO" replay wide "$TRACES/gups" --every 100ns --record "$WORK/with.samples" --stats "$WORK/with.txt" --view \
        --script "$WORK/script" --log "$WORK/log" >"$WORK/run.out" 2>"$WORK/stderr" </dev/null &
    wait_until pgrep -P $! >/dev/null
    run=$(pgrep -P $!)
    exec 3<"$WORK/log"
    head -c 300000 <&3 >/dev/null
    [ "${2:-}" != closed ] || check "$1: the run continues without its window" wait_until has_no_socket
    cat <&3 >/dev/null
    exec 3<&-
    wait $!
    check "$1: the run ends well" test $? = 0
    check "$1: same statistics" cmp "$WORK/alone.txt" "$WORK/with.txt"
    check "$1: same samples" cmp "$WORK/alone.samples" "$WORK/with.samples"
    check "$1: its output is unchanged" cmp <(grep -v '^replayed in' "$WORK/alone.out") <(grep -v '^replayed in' "$WORK/run.out")
}
beside 'closed before the first event' closed <<'S'
close
S
beside 'closed in mid-run' closed <<'S'
await samples 1
close
S
{ for i in $(seq 40); do echo "resize $((320 + RANDOM % 1600)) $((240 + RANDOM % 1000))"; echo "frames $((1 + RANDOM % 3))"; done; echo 'close'; } |
    beside 'resized at random, then closed' closed
beside 'stalled' <<'S'
stall 1500
await ended
S
# A pause is a sample more, where it stopped; the rest is the same.
printf 'await samples 1\nkey space\nframes 20\nclose\n' >"$WORK/script"
timeout 100 "$RUBATO" replay wide "$TRACES/gups" --every 10ns --stats "$WORK/with.txt" --view --script "$WORK/script" >"$WORK/run.out" \
    2>"$WORK/stderr" </dev/null
check 'closed while it is paused: the run ends well' test $? = 0
check 'closed while it is paused: same statistics' cmp "$WORK/alone.txt" "$WORK/with.txt"

# ---- the run dies
name='the run is killed'
begin
viewer 'await failed\n'
go_on 200000
disown $run
kill -KILL $run
exec 3<&-
wait $viewer
check "$name: the viewer reports it, and stays" test $? = 0
check "$name: its name stays" test -e "$OBJECT"
printf 'await failed\nexpect note the run was stopped before its end: figures are up to there\n' >"$WORK/script"
check "$name: who comes later learns it" "$RUBATO" view --attach $NAME --script "$WORK/script"
"$RUBATO" view --attach $NAME --view=text >"$WORK/text" 2>"$WORK/stderr" </dev/null
check "$name: as text: exit code" test $? = 2
check "$name: as text: a plain word" grep -qx "rubato: $NAME: the run was stopped before its end" "$WORK/stderr"
"$RUBATO" replay wide "$TRACES/triad" --every 100ns --publish $NAME --quiet 2>"$WORK/stderr" </dev/null
check "$name: the next run takes the name" test $? = 0
check "$name: and reports it" grep -q "warning: --publish $NAME: a run that was stopped before its end had left that name" "$WORK/stderr"
check "$name: then it is gone" test ! -e "$OBJECT"
exit $failures
