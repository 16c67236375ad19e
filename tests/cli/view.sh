#!/usr/bin/env bash
# rubato view and replay --view: each interaction by a script in a real window (Xvfb), pictures without a display,
# text; no event of the window changes the run.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/recordings.sh
need_rubato

equal() {    # NAME GOT EXPECTED
    if [ -n "$2" ] && [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1"; echo "    got '$2', expected '$3'"; fi
}

# ---- errors are one line
refused 'no operand' 'no SYSTEM or RECORDING' "$RUBATO" view
refused 'neither traces nor a recording' 'README.md is not a recording' "$RUBATO" view README.md
refused 'a recording that is not there' 'nosuch.samples: there is no such file' "$RUBATO" view "$WORK/nosuch.samples"
refused 'a wrong size' '--size 12: expected WIDTHxHEIGHT' "$RUBATO" view wide "$TRACES/triad" --size 12
refused 'times that fall' '--at 2us,1us: 1us must be later' "$RUBATO" view wide "$TRACES/triad" --frames "$WORK/f" --at 2us,1us
refused 'times without frames' '--at needs --frames' "$RUBATO" view wide "$TRACES/triad" --at 2us
refused 'a view that is none' '--view 3d: expected text' "$RUBATO" view wide "$TRACES/triad" --view=3d
refused 'a script beside a replay without window' '--script is for a window' "$RUBATO" replay wide "$TRACES/triad" --script /dev/null
check 'the help lists the keys' grep -q '^  space  *pause the run' <("$RUBATO" view --help)

# ---- as text
"$RUBATO" view wide "$TRACES/triad" --view=text --every 10us >"$WORK/text" 2>"$WORK/stderr" </dev/null
equal 'a line a sample as text' "$(grep -c '^[0-9]' "$WORK/text")" 7
equal 'then a line of the whole run' "$(sed -n 8p "$WORK/text" | cut -d ' ' -f 1-3)" 'whole run '
gb_s() { "$RUBATO" replay wide "$TRACES/triad" --summary "$WORK/summary.json" --quiet </dev/null &&
    grep -o '"mem.read_gb_s": *[0-9.]*' "$WORK/summary.json" | awk '{ printf "%.2f", $2 }'; }
equal 'with its mean bandwidth' "$(awk '$1 == "whole" { print $4 }' "$WORK/text")" "$(gb_s)"
equal 'and what bounds it, as replay says' "$(sed -n '/^bound by/,$p' "$WORK/text")" \
    "$("$RUBATO" replay wide "$TRACES/triad" </dev/null | sed -n '/^bound by/p; /^doubtful/,/^$/p' | sed '/^$/,$d')"
check 'no other message' test ! -s "$WORK/stderr"
"$RUBATO" replay wide "$TRACES/triad" --record "$WORK/wide.samples" --every 10us --quiet </dev/null
"$RUBATO" view "$WORK/wide.samples" --view=text >"$WORK/played" </dev/null
check 'a recording as text is the same, but for verdicts' cmp <(head -8 "$WORK/text") "$WORK/played"
head -c 9000 "$WORK/wide.samples" >"$WORK/cut.samples"
"$RUBATO" view "$WORK/cut.samples" --view=text >"$WORK/played" 2>"$WORK/stderr" </dev/null
equal 'a recording that breaks off: exit code' $? 2
check 'and where it does' grep -q 'cut.samples: byte .*breaks off' "$WORK/stderr"

check 'a recording with another layout' with_layout "$WORK/wide.samples" "$WORK/renamed.samples" 's/"name":"bursts"/"name":"burst_"/'
"$RUBATO" view "$WORK/renamed.samples" --view=text >"$WORK/played" 2>"$WORK/stderr" </dev/null
equal 'is played if the view does not need what was changed: exit code' $? 0
check 'a recording with three directions of bytes' with_layout "$WORK/wide.samples" "$WORK/three.samples" \
    's/"name":"bytes"/"name":"moved"/; s/"name":"bursts"/"name":"bytes"/'
check 'a recording with bytes twice' with_layout "$WORK/wide.samples" "$WORK/twice.samples" 's/"name":"bursts"/"name":"bytes"/'
refused 'is refused' 'fields.*name: expected a name that the component has no other field of; bytes is there twice' \
    "$RUBATO" view "$WORK/twice.samples" --view=text
refused 'is refused as text' 'field bytes: expected 2 values, found 3; record it again' "$RUBATO" view "$WORK/three.samples" --view=text
refused 'and as pictures' 'field bytes: expected 2 values, found 3; record it again' "$RUBATO" view "$WORK/three.samples" \
    --frames "$WORK/f"
refused 'and as the second one' 'three.samples: layout of samples: mem' "$RUBATO" view "$WORK/wide.samples" \
    --compare "$WORK/three.samples" --frames "$WORK/f"

# A run of another process, which publishes. Its log goes into a pipe, which holds it up: at its start until a view is attached, then
# after some samples, until there is a file of that name, if one is given.
OBJECT=/dev/shm/rubato.view$$
wait_until() { for _ in $(seq 1500); do "$@" 2>/dev/null && return; sleep 0.02; done; return 1; }
is_attached() { [ "$(grep -ls "$OBJECT" /proc/[0-9]*/maps | wc -l)" -ge 2 ]; }
begin_published() {    # FILE [INTERVAL]
    rm -f "$WORK/pipe"
    [ -z "$1" ] || rm -f "$WORK/$1"
    mkfifo "$WORK/pipe"
    "$RUBATO" replay wide "$TRACES/gups" --publish view$$ --every "${2:-20ns}" --log "$WORK/pipe" --quiet </dev/null &
    published=$!
    exec 3<"$WORK/pipe"
    head -c 1000 <&3 >/dev/null
    {
        wait_until is_attached
        head -c 400000 >/dev/null
        [ -z "$1" ] || wait_until test -e "$WORK/$1"
        cat >/dev/null
    } <&3 &
    feeder=$!
    exec 3<&-
}
if (: >"$OBJECT.try") 2>/dev/null; then
    rm -f "$OBJECT.try"
    can_publish=1
    begin_published ''
    "$RUBATO" view --attach view$$ --view=text >"$WORK/attached" 2>"$WORK/stderr" </dev/null
    equal 'a run of another process as text: exit code' $? 0
    wait $published $feeder
    check 'a run of another process as text: samples from its start to its end' awk 'NR == 1 { first = $0 } END { exit !(NR > 20 && $0 != first) }' \
        "$WORK/attached"
    begin_published '' 1s
    "$RUBATO" view --attach view$$ --view=text >"$WORK/attached" 2>"$WORK/stderr" </dev/null
    wait $published $feeder
    equal 'a sample at once, where the next is due long after the end, and that of the end' "$(grep -c '^[0-9]' "$WORK/attached")" 2
else
    can_publish=0
    skip 'a run of another process as text (3): there is no /dev/shm to write to'
fi
refused 'nobody to attach to' 'nobody: no run publishes' "$RUBATO" view --attach nobody --view=text
refused 'attached with a system' '--attach takes no SYSTEM' "$RUBATO" view wide --attach nobody

# ---- without the libraries
if [ "$(echo "$("$RUBATO" view wide "$TRACES/triad" --frames "$WORK/none" --at 1us 2>&1 </dev/null)" | grep -c 'SDL')" != 0 ]; then
    skip 'pictures and windows (67): built without SDL2, or it is not installed'
    exit $failures
fi

# ---- pictures without a display
unset DISPLAY WAYLAND_DISPLAY
frames() { "$RUBATO" view "$@" </dev/null; }
frames wide "$TRACES/triad" --frames "$WORK/a" --at 5us,20us --no-cache
frames wide "$TRACES/triad" --frames "$WORK/b" --at 5us,20us --no-cache
equal 'two pictures' "$(ls "$WORK/a")" "$(printf 'frame-0001.png\nframe-0002.png')"
check 'the same bytes each time' diff -r "$WORK/a" "$WORK/b"
check 'another time, another picture' test "$(cmp -s "$WORK/a/frame-0001.png" "$WORK/a/frame-0002.png"; echo $?)" = 1
# A byte of IHDR tells the width: 1280 = 0x0500, twice that 0x0a00
png_size() { od -An -tu4 --endian=big -j16 -N8 "$1" | tr -s ' ' | sed 's/^ //'; }
equal 'of the usual size' "$(png_size "$WORK/a/frame-0001.png")" '1280 800'
frames wide "$TRACES/triad" --frames "$WORK/c" --at 5us --size 640x480 --scale 2 --light
equal 'of another size and scale' "$(png_size "$WORK/c/frame-0001.png")" '1280 960'
frames quad "$TRACES/triad" --frames "$WORK/d" --at 5us
frames qv100 "$TRACES/gpu/volta-bfs-2blocks" --frames "$WORK/e" --at 5us
frames hetero "$TRACES/triad" "$TRACES/gpu/volta-bfs-2blocks" --frames "$WORK/g" --at 5us
check 'of four cores, of a GPU, of both' test -s "$WORK/d/frame-0001.png" -a -s "$WORK/e/frame-0001.png" -a -s "$WORK/g/frame-0001.png"
frames "$WORK/wide.samples" --frames "$WORK/h" --at 30us
frames "$WORK/wide.samples" --frames "$WORK/i" --at 30us
check 'of a recording, the same bytes' diff -r "$WORK/h" "$WORK/i"
frames wide "$TRACES/triad" --compare etrace --frames "$WORK/j" --at 30us
check 'of two systems' test -s "$WORK/j/frame-0001.png"
refused 'a window without a display' 'display|video' env SDL_VIDEODRIVER=x11 "$RUBATO" view wide "$TRACES/triad"
refused 'the same beside a replay, before it starts' 'display|video' env SDL_VIDEODRIVER=x11 "$RUBATO" replay wide "$TRACES/triad" --view

# ---- in a window
if ! command -v Xvfb >/dev/null; then
    skip 'interactions (57): there is no Xvfb'
    exit $failures
fi
Xvfb -displayfd 3 -screen 0 2000x1300x24 3>"$WORK/display" >"$WORK/xvfb.log" 2>&1 &
xvfb=$!
trap 'kill $xvfb 2>/dev/null; rm -rf "$WORK"' EXIT
for _ in $(seq 100); do [ -s "$WORK/display" ] && break; sleep 0.1; done
export DISPLAY=:$(cat "$WORK/display") SDL_VIDEODRIVER=x11
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0     # the X libraries do not free their memory

# script NAME ARGUMENTS... < steps: ok if all it expects is so.
script() {
    local name=$1 code
    shift
    cat >"$WORK/script"
    (cd "$WORK" && timeout 100 "$RUBATO" "$@" --script "$WORK/script" >"$WORK/stdout" 2>"$WORK/stderr" </dev/null)
    code=$?
    if [ "$code" = 0 ]; then ok "$name"; else not_ok "$name"; echo "    exit code $code"; sed 's/^/    /' "$WORK/stderr" | head -n 5; fi
}
wide() { local name=$1; shift; script "$name" view wide "$TRACES/triad" "$@"; }

wide 'space pauses and goes on' <<'S'
await samples 3
key space
await paused
expect no running
frames 10
expect paused
key space
await running
await ended
S
# It waits somewhere in the first microsecond; from there the next samples are known.
wide 'a point takes one sample' --speed 50ns --every 1us <<'S'
key space
await paused
key +
key +
key +
key +
await speed 1us
key .
await newest 1us
frames 10
expect paused
expect newest 1us
key .
await newest 2us
frames 10
expect paused
expect newest 2us
S
wide 'speed: from a cycle a frame to as fast as it runs' --speed 5ns <<'S'
await samples 2
expect speed 5ns
key -
await speed 2.5ns
key -
await speed 1ns
key -
await speed 0.5ns
key -
frames 3
expect speed 0.5ns
expect running
key +
await speed 1ns
key =
await speed 2.5ns
S
rm -f "$WORK"/view-*
wide 'at the lowest speed' --speed 500ps <<'S'
key R
await recording
await samples 30
key R
await no recording
S
"$RUBATO" export "$WORK/view-0001.samples" --csv "$WORK/recorded.csv"
check 'a frame is a cycle' awk -F, 'NR > 2 && $2 - last != 500 { exit wrong = 1 } { last = $2 } END { exit wrong || NR < 20 }' \
    "$WORK/recorded.csv"
wide 'as fast as it runs it ends soon' --speed 1ns <<'S'
await samples 2
type ++++++++++++++++++++++
await speed 0
await ended
S
wide 'the wheel zooms time at the pointer' --speed max <<'S'
await ended
expect whole
chart 0.5
frames 2
expect at ~34.3us
wheel 548 520 3
frames 2
expect no whole
expect no follows
wheel 548 520 -20
await whole
S
wide 'dragging moves time' --speed max <<'S'
await ended
chart 1
wheel 700 520 5
frames 2
move 600 500
press
frames 2
expect dragging
move 700 500
move 760 505
frames 2
release
frames 2
expect no dragging
expect no follows
key end
await follows
key home
await whole
key up
await no whole
key left
await no follows
S
wide 'pointing says what it is' --speed max <<'S'
await ended
point component l2
await hover l2
point component cpu
await hover cpu
move 2 2
await no hover
S
wide 'a click pins, another lets go' --speed max <<'S'
await ended
point component l2
press
release
await pinned l2
move 2 2
frames 2
expect pinned l2
point component l2
press
release
await no pinned
S
wide 'a moment is pinned by a click in a chart' --speed max <<'S'
await ended
chart 0.25
press
release
move 2 2
await at ~17.1us
key escape
await no at 17us
S
wide 'search finds a component' --speed max <<'S'
await ended
key /
await mode search
type L1
await found l1i
key down
await found l1d
type dx
await no found l1d
key backspace
await found l1d
key enter
await mode watch
expect found l1d
await pinned l1d
key /
type zz
key escape
await mode watch
expect found nothing
S
wide 'help lists the keys, any key closes it' <<'S'
key ?
await mode help
key x
await mode watch
S
wide 'dark and light' <<'S'
expect dark
key t
await no dark
key t
await dark
S
wide 'it begins light' --light <<'S'
expect no dark
S
rm -f "$WORK"/view-*
wide 'a picture' <<'S'
await samples 3
key s
await note written view-0001.png
key s
await note written view-0002.png
S
equal 'pictures as large as the window' "$(png_size "$WORK/view-0002.png")" '1280 800'
rm -f "$WORK"/view-*
wide 'a window of samples is recorded' <<'S'
await samples 5
key R
await recording
at 30us
key R
await no recording
expect note written view-0001.samples
S
"$RUBATO" export "$WORK/view-0001.samples" --csv "$WORK/recorded.csv"
equal 'it is whole' $? 0
check 'it has samples of the window only' awk -F, 'NR == 2 { first = $2 } END { exit !(NR > 10 && first > 4e6 && $2 >= 3e7 && $2 < 4e7) }' "$WORK/recorded.csv"
wide 'a parameter is changed, the old course stays' --speed max <<'S'
await ended
expect no old
key p
await mode parameters
expect parameter cpu_clock 2GHz
type rob
frames 2
expect parameter cpu.rob 192
key escape
await mode watch
key p
await mode parameters
expect parameter cpu.rob 192
key right
await typed 384
key left
await typed 192
key right
key enter
await note restarted with cpu.rob=384
await old
await parameter cpu.rob 384
await mode watch
await ended
key p
key enter
key backspace
key backspace
key backspace
type many
key enter
await problem cpu.rob
await mode value
expect typed many
expect parameter cpu.rob 384
expect ended
key ctrl+a
expect selected
type 256
expect typed 256
expect no problem cpu.rob
key enter
await note restarted with cpu.rob=256
await parameter cpu.rob 256
await ended
await mode watch
S
# ---- what shows only when a run starts: its traces are gone by then
cp -r "$TRACES/triad" "$WORK/gone"
(for _ in $(seq 1000); do ls "$WORK"/*.png >/dev/null 2>&1 && break; sleep 0.02; done; mv "$WORK/gone" "$WORK/moved") &
mover=$!
script 'a fault of the start is in the panel' view wide "$WORK/gone" --speed max <<'S'
await ended
key s
frames 150
key p
await mode parameters
type cpu.rob
frames 2
key enter
await mode value
key ctrl+a
type 256
key enter
await problem gone
await mode value
expect typed 256
S
wait $mover
check 'a fault of the start is not in the terminal' eval '! grep -q gone "$WORK/stderr"'
wide 'Tab keeps a value and goes on to the next one' --speed max <<'S'
await ended
key p
await mode parameters
type l1d.
frames 2
key tab
key shift+tab
key enter
await mode value
key ctrl+a
key backspace
expect typed
type 32KiB
key tab
await mode value
expect wanted l1d.size 32KiB
key ctrl+a
type 3
key enter
await problem 3 ways
await mode value
expect typed 3
key ctrl+a
type 4
key enter
await note restarted
await ended
await mode watch
S
wide 'Ctrl+A in the filter and in the search' --speed max <<'S'
await ended
key p
await mode parameters
type rob
expect filter rob
key ctrl+a
expect selected
type l2
expect filter l2
key ctrl+a
key backspace
expect filter
key escape
await mode watch
key /
await mode search
type l1
key ctrl+a
type l2
expect search l2
S
wide 'q in the panel of parameters closes the window' <<'S'
key p
await mode parameters
key q
S
# A parameter of the table is changed, and the run starts anew: it has the value, its end is the one of a replay with --set, and the
# course of the run before lies behind it.
ends() { "$RUBATO" replay wide "$TRACES/$trace" --no-cache "$@" </dev/null | sed -n 's/^time .*(\([0-9]*\) ps)$/\1ps/p'; }
downs() { for _ in $(seq "$1"); do echo 'key down'; done; }
changed() {    # NAME TRACE PLACE KEY OLD NEW STEPS...: STEPS choose it, in the field of the value
    local name=$1 trace=$2 place=$3 key=$4 old=$5 new=$6 end plain_end
    shift 6
    plain_end=$(ends)
    end=$(ends --set "$key=$new")
    check "$name: it makes a difference" test -n "$end" -a "$end" != "$plain_end"
    script "$name" view wide "$TRACES/$trace" --speed max <<S
await ended
expect newest $plain_end
expect no old
key p
key home
$(downs "$place")
frames 2
expect parameter $key $old
$(printf '%s\n' "$@")
expect typed $new
key enter
await note restarted with $key=$new
await old
await parameter $key $new
await newest $end
await ended
expect old
await mode watch
point text run before
await hover run before
S
}
changed 'a prefetcher is chosen' triad 19 l1d.prefetcher.type none stream 'key right' 'key right' 'key right' 'key right'
changed 'a DRAM device is chosen' triad 31 memory.device DDR3_1600_8x8 DDR4_2400_8x8 'key enter' "$(printf 'key backspace\n%.0s' $(seq 13))" \
    'type DDR4_2400_8x8'
changed 'the size of the L2 is chosen' gups 21 l2.size 2MiB 1MiB 'key left'
trace=triad
wide 'three changes, one after the other' --speed max <<S
await ended
key p
$(downs 19)
expect parameter l1d.prefetcher.type none
key up
key up
expect parameter l1d.mshrs 4
key right
expect typed 8
key enter
await parameter l1d.mshrs 8
await newest $(ends --set l1d.mshrs=8)
await ended
key p
key down
key down
key right
key right
key right
key right
key enter
await parameter l1d.prefetcher.type stream
await newest $(ends --set l1d.mshrs=8 --set l1d.prefetcher.type=stream)
await ended
key p
$(downs 12)
expect parameter memory.device DDR3_1600_8x8
key right
key enter
await no parameter memory.device DDR3_1600_8x8
await ended
expect old
S
wide 'a second run with another value, side by side' --speed 2us <<'S'
await samples 2
key p
key down
key down
key enter
key backspace
key backspace
key backspace
type 40
key ctrl+enter
await mode watch
await runs 2
await samples 2
await ended
key c
await runs 1
key c
await note nothing to compare with
S
wide 'two systems from the start, and one of them ended' --compare etrace --speed 1us <<'S'
expect runs 2
at 10us
key space
await paused
expect no running
key space
await running
point component l1d
await hover l1d
key c
await runs 1
key c
await runs 2
at 5us
await ended
S
wide 'the window is resized' <<'S'
resize 900 700
await size 900 700
resize 1600 1000
await size 1600 1000
resize 400 300
await size 400 300
S
wide 'q closes' <<'S'
await samples 2
key q
S
wide 'the window is closed' <<'S'
await samples 2
close
S
script 'a recording is played, paused, stepped' view "$WORK/wide.samples" --speed 10us <<'S'
await samples 2
key space
await paused
key .
frames 3
expect paused
key p
await note no parameters can be changed here
key space
await ended
key home
await whole
S
if [ $can_publish = 1 ]; then
    rm -f "$WORK"/view-*
    begin_published view-0001.png
    script 'a run of another process' view --attach view$$ <<'S'
await samples 2
key space
await paused
key p
await note no parameters can be changed here
key .
frames 3
expect paused
key s
await note written view-0001.png
key space
await ended
S
    wait $published
    equal 'the run of another process ends well' $? 0
    wait $feeder
else
    skip 'a run of another process (2): there is no /dev/shm to write to'
fi
script 'two recordings side by side' view "$WORK/wide.samples" --compare "$WORK/wide.samples" <<'S'
expect runs 2
await ended
key c
await runs 1
key c
await runs 2
S
script 'a GPU' view qv100 "$TRACES/gpu/volta-bfs-2blocks" --speed 1us <<'S'
await samples 2
key space
await paused
key .
frames 3
key space
await ended
S
script 'cores and a GPU' view hetero "$TRACES/triad" "$TRACES/gpu/volta-bfs-2blocks" --speed 2us <<'S'
await samples 2
key space
await paused
key space
await ended
S

# ---- a script that is not met, or wrong
printf 'await ended\nexpect running\n' >"$WORK/script"
"$RUBATO" view wide "$TRACES/triad" --speed max --script "$WORK/script" >"$WORK/stdout" 2>"$WORK/stderr" </dev/null
equal 'what is not met: exit code' $? 1
equal 'and expected and actual' "$(sed 's/.*script:/script:/' "$WORK/stderr")" 'script:2: expected running, got ended'
printf 'key a\njump\n' >"$WORK/script"
refused 'a wrong line of a script' 'script:2: .jump. is not a step' "$RUBATO" view wide "$TRACES/triad" --script "$WORK/script"

# ---- beside a replay: its output is the same with and without the window
results() { grep -v '^replayed in' "$1"; }
beside() {    # NAME TRACE OPTIONS... < steps
    local name=$1 trace=$2
    shift 2
    "$RUBATO" replay wide "$trace" --stats "$WORK/alone.txt" >"$WORK/alone.out" 2>&1 </dev/null
    rm -f "$WORK/with.txt"
    script "$name" replay wide "$trace" --stats "$WORK/with.txt" --view "$@"
    check "$name: same statistics" cmp "$WORK/alone.txt" "$WORK/with.txt"
    check "$name: same summary" cmp <(results "$WORK/alone.out") <(results "$WORK/stdout")
}
beside 'a window beside a replay' "$TRACES/triad" <<'S'
await ended
key p
await note no parameters can be changed here
S
beside 'a paused replay whose window is closed' "$TRACES/gups" <<'S'
await samples 1
key space
frames 3
key q
S
beside 'a window closed in mid-run' "$TRACES/gups" --every 100ns <<'S'
close
S
{ for i in $(seq 40); do echo "resize $((400 + RANDOM % 1500)) $((300 + RANDOM % 900))"; echo 'frames 1'; done; echo 'await ended'; } |
    beside 'a window resized at random' "$TRACES/qsort" --every 1us
beside 'a view that stalls' "$TRACES/qsort" --every 10ns <<'S'
stall 1500
await ended
S
exit $failures
