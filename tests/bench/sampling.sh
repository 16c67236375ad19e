#!/usr/bin/env bash
# Effective speed of replays from regions: instructions of the whole program over the time of a point by the clock, on all processors.
# sampling.sh [ROUNDS]: programs join and waves of tests/sampling, of some 98 and 9.6 million instructions a round (100), their regions
# chosen once, then replayed on SYSTEM (core/zen4). REGIONS (60), INTERVAL (10K), WARMUP (10K) choose them; the goal: 10^9 instructions/s on
# two cores. region_ms: processor time a region; of it start_ms until its first instruction, as regions of 1,000 instructions show.
# two_idle/s: instructions over half of the processor time, what two processors without other load would come to.
# walk/s: instructions a second of processor time that --warm functional walks over.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

rounds=${1:-100}
system=${SYSTEM:-core/zen4}
TIMEFORMAT='%R %U %S'
# clock FILE COMMAND...: seconds by the clock, of the processor, and of the system, to FILE
clock() {
    local file=$1
    shift
    { time "$@" </dev/null >/dev/null 2>"$WORK/said"; } 2>"$file" && return
    echo "sampling.sh: $(head -n 1 "$WORK/said")" >&2
    exit 1
}

# choose NAME OPTION...: NAME.regions
choose() {
    local name=$1
    shift
    "$RUBATO" regions "$WORK/$program.rbt" -o "$WORK/$name.regions" --quiet "$@"
}

# point NAME OPTION...: NAME.point
point() {
    local name=$1
    shift
    clock "$WORK/$name.point" "$RUBATO" replay "$system" "$WORK/$name.regions" --model detailed --quiet --no-cache \
        --summary "$WORK/$name.json" "$@"
}

# processor NAME: seconds of the processor
processor() { awk '{ print $2 + $3 }' "$WORK/$1.point"; }
count() { grep -c '^region' "$WORK/$1.regions"; }

printf '%-8s %14s %10s %10s %10s %10s %16s %12s %12s %12s\n' program instructions chosen_s point_s region_ms start_ms \
    instructions/s two_idle/s walk/s goal
for program in join waves; do
    "$CC" -O2 -static -o "$WORK/$program" "tests/sampling/programs/$program.c" || exit 1
    clock "$WORK/captured" "$RUBATO" capture --quiet -o "$WORK/$program.rbt" -- "$WORK/$program" "$rounds"
    clock "$WORK/chosen" choose whole --regions "${REGIONS:-60}" --interval "${INTERVAL:-10K}" --warmup "${WARMUP:-10K}"
    choose short --regions "${REGIONS:-60}" --interval 1K --warmup 0 --method systematic
    choose walked --regions 2 --interval 1K --warmup 0 --method systematic
    point whole && point short && point walked --warm functional
    instructions=$(sed -n 's/^ *"instructions": *\([0-9]*\).*/\1/p' "$WORK/whole.json" | head -n 1)
    walked=$(awk '$1 == "region" { sum += $2 } END { print sum }' "$WORK/walked.regions")
    awk -v name="$program" -v count="$instructions" -v chosen="$(cut -d ' ' -f 1 "$WORK/chosen")" -v point="$(cut -d ' ' -f 1 "$WORK/whole.point")" \
        -v busy="$(processor whole)" -v regions="$(count whole)" -v short="$(processor short)" -v shorts="$(count short)" \
        -v walked="$walked" -v walking="$(processor walked)" \
        'BEGIN { printf "%-8s %14d %10.2f %10.2f %10.1f %10.1f %16.3g %12.3g %12.3g %12.3g\n", name, count, chosen, point, 1000 * busy / regions,
                 1000 * short / shorts, count / (point > 0 ? point : 0.001), count / (busy > 0 ? busy / 2 : 0.001),
                 walked / (walking > 0 ? walking : 0.001), 1e9 }'
done
