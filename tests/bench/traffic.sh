#!/usr/bin/env bash
# Speed of the memory side alone: DRAM requests that `rubato traffic` drives in a second, for one channel of DDR4-2400 with as many
# requests under way as its read queue holds, 4 reads to 1 write. Time is user + system time of the process, the least of RUNS runs
# that alternate; the goal is what a run on one core should reach.
# traffic.sh [REQUESTS]
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

requests=${1:-5000000}
runs=${RUNS:-3}

TIMEFORMAT='%U %S'
seconds() {    # PATTERN: user + system time
    { time "$RUBATO" traffic default --set memory.device=DDR4_2400_8x8 --pattern "$1" --read-share 0.8 --outstanding 64 \
        --requests "$requests" --tsv >"$WORK/output" 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}
least() { awk -v a="$1" -v b="$2" 'BEGIN { print a == "" || b < a ? b : a }'; }

random='' stream=''
for ((run = 0; run < runs; run++)); do
    random=$(least "$random" "$(seconds random)")
    stream=$(least "$stream" "$(seconds stream)")
done
printf '%-8s %10s %8s %12s %12s\n' pattern requests seconds requests/s goal
awk -v requests="$requests" -v random="$random" -v stream="$stream" '
    function line(name, s, goal) { printf "%-8s %10d %8.3f %12.0f %12d\n", name, requests, s, requests / (s > 0 ? s : 0.001), goal }
    BEGIN { line("random", random, 2000000); line("stream", stream, 4000000) }'
