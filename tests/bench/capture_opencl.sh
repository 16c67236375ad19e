#!/usr/bin/env bash
# What a capture of OpenCL kernels costs: user time of Oclgrind alone with one thread, of Oclgrind with the plugin, and of this process,
# which makes warps of work-items and writes the store; the least of RUNS runs that alternate. Goal: at least 2 million instructions of
# work-items a second of user time of all together.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
command -v oclgrind >/dev/null || { skip 'captures of kernels: no oclgrind'; exit 0; }

runs=${RUNS:-3}
TIMEFORMAT='%U'
least() { awk -v a="$1" -v b="$2" 'BEGIN { print a == "" || b < a ? b : a }'; }

line() {    # PROGRAM SIZE
    local plain='' oclgrind='' all='' count took
    "${CC%% *}" -O1 -w -o "$WORK/$1" "tests/programs/opencl/$1.c" -lOpenCL || { skip "$1: not compiled"; return; }
    for ((run = 0; run < runs; run++)); do
        plain=$(least "$plain" "$({ time oclgrind --num-threads 1 "$WORK/$1" "$2" >/dev/null 2>&1; } 2>&1)")
        took=$({ time "$RUBATO" capture --opencl -o "$WORK/x.pack" -- "$WORK/$1" "$2" >/dev/null 2>"$WORK/table"; } 2>&1)
        if [ "$(least "$all" "$took")" != "$all" ]; then
            all=$took
            oclgrind=$(sed -n 's/^Oclgrind took \([0-9.]*\) s.*/\1/p' "$WORK/table")
        fi
        count=$(awk '/ instructions of work-items$/ { print $1 }' "$WORK/table")
    done
    awk -v name="$1" -v n="$count" -v plain="$plain" -v oclgrind="$oclgrind" -v all="$all" -v bytes="$(stat -c %s "$WORK/x.pack")" 'BEGIN {
        printf "%-18s %12d %8.2f %8.2f %8.2f %8.1f %8.3f  %s\n", name, n, plain, oclgrind, all - oclgrind, n / all / 1e6,
            bytes / n, n / all < 2e6 ? "below 2 million/s" : "" }'
}

printf '%-18s %12s %8s %8s %8s %8s %8s\n' program instructions plain/s plugin/s warps/s 'all M/s' 'B/insn'
line vector_add 262144
line strided_copy 262144
line reduction 524288
line divergent_branch 131072
line histogram 262144
line matrix_product 80
