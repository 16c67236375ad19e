#!/usr/bin/env bash
# Length costs time and nothing else. memory.sh [--time] RECORDS RECORDS repeats a bundled trace to both lengths and replays each
# from gzip files and from a store. The most anonymous memory stays below 64 MiB and is the same at both lengths (1 MiB apart at
# most). With --time, which wants a quiet machine: user + system time a record rises by 10 % at most. As many runs of the first
# length as hold the records of the second, half of them before its run and half after, are compared with that run by their mean:
# the least of many short runs would be compared with the mean of whatever else the machine did during the long one.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

is_timed=
if [ "${1:-}" = --time ]; then is_timed=yes && shift; fi
lengths=("$1" "$2")
halves=(1 0)                                  # short runs before and after
if [ -n "$is_timed" ]; then half=$(($2 / $1 / 2)); halves=("$half" "$half"); fi

if nm "$RUBATO" 2>/dev/null | grep -q '__asan_init'; then
    skip 'memory (6): a build with sanitizers'
    exit 0
fi

make_trace() {    # FOLDER RECORDS: the data trace is written plain into a pipe, behind which a second process packs it
    mkdir -p "$1" && mkfifo "$1/pipe" || return 1
    gzip -1 <"$1/pipe" >"$1/deptrace.proto.gz" &
    "$BUILD/tests/tools/repeat_trace" tests/traces/triad "$1/pipe" "$1/fetchtrace.proto.gz" "$2" && wait $! && rm "$1/pipe"
}

# KIND RECORDS RUNS INPUT OPTION...: puts a line `KIND RECORDS CPU_S ANONYMOUS_KIB` for each run into $WORK/runs.
replay() {
    local kind=$1 records=$2 times=$3
    shift 3
    for ((run = 0; run < times; run++)); do
        "$BUILD/tests/tools/measure" --anonymous "$WORK/cost" "$RUBATO" replay configs/wide.yaml "$@" --quiet >"$WORK/log" 2>&1 &&
            awk -v kind="$kind" -v records="$records" 'NF == 4 { print kind, records, $1, $4; good = 1 } END { exit !good }' \
                "$WORK/cost" >>"$WORK/runs" && continue
        not_ok "replay of $records records from $kind"
        cat "$WORK/log"
        exit 1
    done
}

counts=()
for length in 0 1; do
    make_trace "$WORK/trace$length" "${lengths[length]}" || { not_ok "a trace of ${lengths[length]} records"; exit 1; }
    "$RUBATO" trace pack "$WORK/trace$length" -o "$WORK/store$length" >"$WORK/log" ||
        { not_ok "store of ${lengths[length]} records"; exit 1; }
    counts+=("$(sed -n 's/.*: \([0-9]*\) records, .*/\1/p' "$WORK/log")")   # whole repetitions: somewhat more than were asked for
done
for kind in gzip store; do
    if [ $kind = gzip ]; then inputs=("$WORK/trace0" "$WORK/trace1") options=(--no-cache)
    else inputs=("$WORK/store0" "$WORK/store1") options=(); fi
    replay $kind "${counts[0]}" "${halves[0]}" "${inputs[0]}" "${options[@]}"
    replay $kind "${counts[1]}" 1 "${inputs[1]}" "${options[@]}"
    replay $kind "${counts[0]}" "${halves[1]}" "${inputs[0]}" "${options[@]}"
    rm -r "${inputs[@]}"
done
# A line for each kind and length: mean of the times, most memory.
for kind in gzip store; do
    for records in "${counts[@]}"; do
        awk -v kind=$kind -v records="$records" '$1 == kind && $2 == records { n++; sum += $3; if ($4 > most) most = $4 }
            END { if (!most) exit 1; print kind, records, sum / n, most }' "$WORK/runs" || { not_ok "cost of $records records"; exit 1; }
    done
done >"$WORK/figures"

while read -r kind records cpu_s kib; do
    ns=$(awk -v s="$cpu_s" -v n="$records" 'BEGIN { printf "%.1f", 1e9 * s / n }')
    check "$kind, $records records: $kib KiB, below 64 MiB ($ns ns a record)" test "$kib" -lt 65536
done <"$WORK/figures"

for kind in gzip store; do
    read -r apart growth < <(awk -v kind=$kind '$1 == kind { rate[++n] = $3 / $2; kib[n] = $4 }
        END { d = kib[2] - kib[1]; print d < 0 ? -d : d, rate[2] / rate[1] }' "$WORK/figures")
    check "$kind: the same at any length, $apart KiB apart" test "$apart" -le 1024
    [ -z "$is_timed" ] || check "$kind: $growth times the time a record, at most 1.1 expected" \
        awk -v growth="$growth" 'BEGIN { exit !(growth > 0 && growth <= 1.1) }'
done
exit $failures
