#!/usr/bin/env bash
# The golden frames: pictures of the view, looked at by eye, kept in tests/golden/frames, drawn again and compared pixel by pixel.
# frames.sh write (make golden-frames) draws them anew; look at each before it is committed.
#
# Every pixel is equal with the libraries and the kind of machine listed in tests/golden/frames/drawn-with. Elsewhere
# letters may look otherwise, and at most 3.5 % of the pixels may differ: more than all letters together, which are at
# most 3.12 % (what differs in the first ten when FreeType makes every stem bolder:
# FREETYPE_PROPERTIES=autofitter:no-stem-darkening=0), and less than two microseconds more of the first run change (5.3
# %).
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
unset FREETYPE_PROPERTIES

frames=tests/golden/frames
compare=$BUILD/tests/tools/png_compare
sizes='1280x800 1920x1080'
long=$TRACES/long
four="$TRACES/triad $TRACES/qsort $TRACES/gups $TRACES/triad"
# name, arguments of rubato view
all="cpu wide $TRACES/triad --at 20us
four-cores quad $long/chase.pack $long/gups.pack $long/triad.pack $TRACES/triad --at 118us
requests quad $TRACES/gups $TRACES/qsort $TRACES/triad $TRACES/gups --requests --at 32us
gpu rtx2060 $TRACES/gpu-raw --kernels 2 --set gpu.launch_latency=100 --every 50ns --at 600ns
hetero hetero $four $TRACES/gpu/gcn3-fir --every 100ns --at 2900ns
compared quad $TRACES/gups $TRACES/qsort $TRACES/triad $TRACES/gups --compare-set l1d.mshrs=16
64-cores-16-channels many-64c-16ch $TRACES/gups --at 40us"

# The kind of machine, and the files of the libraries that draw letters.
drawn_with() {
    local name path
    uname -m
    for name in libfreetype.so.6 libSDL2_ttf-2.0.so.0; do
        path=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | awk -v name="$name" '$1 == name { print $NF; exit }')
        basename "$(readlink -f "${path:-no $name}")"
    done
}

draw() {    # SIZE FILE ARGUMENTS...
    local size=$1 file=$2
    shift 2
    rm -rf "$WORK/drawn"
    "$RUBATO" view "$@" --no-cache --size "$size" --frames "$WORK/drawn" </dev/null >"$WORK/said" 2>&1 &&
        mv "$WORK/drawn/frame-0001.png" "$file"
}

if [ "${1:-}" = write ]; then
    mkdir -p "$frames"
    while read -r name arguments; do
        for size in $sizes; do
            # shellcheck disable=SC2086
            draw "$size" "$frames/$name-$size.png" $arguments || { cat "$WORK/said" >&2; exit 1; }
        done
    done <<<"$all"
    drawn_with >"$frames/drawn-with"
    ls -l "$frames"
    exit 0
fi

# shellcheck disable=SC2086
if ! draw 640x480 "$WORK/small.png" wide "$TRACES/triad" --at 1us && grep -q SDL "$WORK/said"; then
    skip 'golden frames (16): built without SDL2, or it is not installed'
    exit $failures
fi

if [ "$(drawn_with)" = "$(cat "$frames/drawn-with")" ]; then
    share=0
else
    share=35
    echo "letters are drawn by $(drawn_with | paste -sd ' '), the golden ones by $(paste -sd ' ' "$frames/drawn-with"): 3.5 % may differ"
fi
pixels() { echo $((${1%x*} * ${1#*x})); }

# compared EXPECTED GOT PER_THOUSAND SIZE: as png_compare says, which says both numbers
compared() { "$compare" "$1" "$2" $(($3 * $(pixels "$4") / 1000)) >"$WORK/compared" 2>&1; }
while read -r name arguments; do
    for size in $sizes; do
        # shellcheck disable=SC2086
        if draw "$size" "$WORK/$name-$size.png" $arguments && compared "$frames/$name-$size.png" "$WORK/$name-$size.png" $share "$size"; then
            ok "$name at $size"
        else
            not_ok "$name at $size"
            sed 's/^/    /' "$WORK/said" "$WORK/compared"
        fi
    done
done <<<"$all"

# What passes elsewhere must not pass anything: another moment, another system.
draw 1280x800 "$WORK/later.png" wide "$TRACES/triad" --at 22us
check 'two microseconds later is another picture everywhere' test \
    "$(compared "$frames/cpu-1280x800.png" "$WORK/later.png" 35 1280x800; echo $?)" = 1
sed 's/^/    /' "$WORK/compared"
check 'another system is, too' test \
    "$(compared "$frames/cpu-1280x800.png" "$frames/four-cores-1280x800.png" 35 1280x800; echo $?)" = 1
exit $failures
