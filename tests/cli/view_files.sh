#!/usr/bin/env bash
# Files that keys of the view write: r writes the visible time range, R the samples from now on, s a picture. view
# plays these recordings as they were shown; names are never used twice.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/display.sh
need_rubato

need_pictures 'files of the view (23)'

equal() {    # NAME GOT EXPECTED
    if [ -n "$2" ] && [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1"; echo "    got '$2', expected '$3'"; fi
}
# "FIRST LAST COUNT" of the samples in a recording, ps
range() {
    "$RUBATO" export "$1" --csv "$WORK/range.csv" || return
    awk -F, 'NR == 2 { first = $2 } NR > 1 { last = $2 } END { printf "%.0f %.0f %d\n", first, last, NR - 1 }' "$WORK/range.csv"
}
# rows FILE FROM TO: figures of the samples behind FROM, each of which counts what came since the sample before, and up to TO.
rows() {
    "$RUBATO" export "$1" --csv "$1.csv" && awk -F, -v from="$2" -v to="$3" 'NR > 1 && $2 > from && $2 <= to' "$1.csv" | cut -d, -f 2-
}

"$RUBATO" replay wide "$TRACES/triad" --every 1us --record "$WORK/all.samples" --quiet </dev/null
all=$(range "$WORK/all.samples")

# ---- the stretch of time that is shown
scripted 'r writes all, where all is shown' all.samples --speed max <<'S'
await ended
expect whole
key r
await note written view-0001.samples: 1.00 us to 68.5 us, 69 samples
expect no recording
S
equal 'it has all samples' "$(range "$WORK/view-0001.samples")" "$all"
check 'with the same figures' cmp <(rows "$WORK/view-0001.samples" 0 1e12) <(rows "$WORK/all.samples" 0 1e12)

# Zoomed about the end: 0.8^6 of 68.5 us, moved by an eighth of that, twice.
scripted 'r writes the part that is shown' all.samples --speed max <<'S'
await ended
wheel 2 2 6
key left
key left
frames 2
expect window ~46.1us ~64us
key r
await note written view-0002.samples: 46.0 us to 65.0 us, 20 samples
S
equal 'it has what the window is drawn from, and no more' "$(range "$WORK/view-0002.samples")" '46000000 65000000 20'
check 'with the same figures' cmp <(rows "$WORK/view-0002.samples" 46e6 65e6) <(rows "$WORK/all.samples" 46e6 65e6)
scripted 'what was written is played from its begin' view-0002.samples --speed 1us <<'S'
at 46us
expect no samples 20
await ended
expect whole
expect window 46us 65us
wheel 2 2 3
await no whole
key home
await whole
expect window 46us 65us
wheel 2 2 3
wheel 2 2 -20
await whole
expect window 46us 65us
S
"$RUBATO" view "$WORK/view-0002.samples" --frames "$WORK/frames" --at 46us,50us </dev/null
equal 'and drawn from there' "$(ls "$WORK/frames" | wc -l)" 2

rm -f "$WORK"/view-*.samples
scripted 'r in mid-run' wide "$TRACES/triad" --every 1us --speed 1us <<'S'
at 10us
key space
await paused
key r
await note written view-0001.samples: 1.00 us to
key space
await ended
S
# shellcheck disable=SC2046
set -- $(range "$WORK/view-0001.samples")
check "samples up to there: $*" test "$1" = 1000000 -a "$2" -ge 10000000 -a "$2" -lt 40000000 -a "$3" = $(($2 / 1000000))

rm -f "$WORK"/view-*.samples
scripted 'before the first sample nothing is written' all.samples --speed 1ns <<'S'
key space
await paused
key r
await note nothing was written: the time shown has no samples
S
check 'and no file is made' test -z "$(ls "$WORK"/view-*.samples 2>/dev/null)"

"$RUBATO" replay wide "$TRACES/triad" --every 3us --until 20000000 --record "$WORK/short.samples" --quiet </dev/null
scripted 'of two runs, a file each' all.samples --compare short.samples --speed max <<'S'
await no running
key r
await note written view-0001.samples: 1.00 us to 68.5 us, 69 samples; view-0002.samples: 3.00 us to 20.0 us, 7 samples
S
equal 'that of the first' "$(range "$WORK/view-0001.samples")" "$all"
equal 'and that of the second' "$(range "$WORK/view-0002.samples")" "$(range "$WORK/short.samples")"
scripted 'one that has nothing in the window is left out' all.samples --compare short.samples --speed max <<'S'
await no running
wheel 2 2 6
key r
await note written view-0003.samples: 50.0 us to 68.5 us, 20 samples
S
check 'it has no file' test ! -e "$WORK/view-0004.samples"

# ---- samples from now on
rm -f "$WORK"/view-*.samples
scripted 'R writes what comes, until R again' all.samples --speed 1us <<'S'
at 10us
key R
await recording
expect note recording to view-0001.samples; press R to stop
at 20us
key R
await no recording
expect note written view-0001.samples
await ended
key R
await note the run is over, so there is nothing more to record
expect no recording
S
# shellcheck disable=SC2046
set -- $(range "$WORK/view-0001.samples")
check "from there on, to where it ended: $*" test "$1" -gt 10000000 -a "$1" -lt 20000000 -a "$2" -ge 20000000 -a "$2" -lt 60000000

# ---- names
touch $(seq -f "$WORK/view-%04g.png" 9998) $(seq -f "$WORK/view-%04g.samples" 9998)
scripted 'the last name that is free' all.samples --speed max <<'S'
await ended
key s
await note written view-9999.png
key r
await note written view-9999.samples
S
cp "$WORK/view-9999.png" "$WORK/last.png"
cp "$WORK/view-9999.samples" "$WORK/last.samples"
scripted 'no name is free' all.samples --speed 1us <<'S'
await samples 2
key s
await note nothing was written: view-0001.png to view-9999.png exist already
key r
await note nothing was written: view-0001.samples to view-9999.samples exist already
key R
frames 2
expect note nothing was written: view-0001.samples to view-9999.samples exist already
expect no recording
S
check 'and nothing is overwritten' cmp "$WORK/last.png" "$WORK/view-9999.png"
check 'neither samples' cmp "$WORK/last.samples" "$WORK/view-9999.samples"
exit $failures
