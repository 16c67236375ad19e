#!/usr/bin/env bash
# Length costs time and nothing else. memory.sh [--time] RECORDS RECORDS repeats a bundled trace to both lengths and replays each
# from gzip files and from a store. The most anonymous memory stays below 64 MiB and is the same at both lengths (1 MiB apart at
# most). With --time, which wants a quiet machine: user + system time a record rises by 10 % at most; the least of RUNS runs of the
# first length and of LONG_RUNS runs of the second.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/support/shell.sh
need_rubato

is_timed=
if [ "${1:-}" = --time ]; then is_timed=yes && shift; fi
lengths=("$1" "$2")
runs=(1 1)
if [ -n "$is_timed" ]; then runs=("${RUNS:-5}" "${LONG_RUNS:-1}"); fi

if nm "$RUBATO" 2>/dev/null | grep -q '__asan_init'; then
    skip 'memory (6): a build with sanitizers'
    exit 0
fi

make_trace() {    # FOLDER RECORDS: the data trace is written plain into a pipe, behind which a second process packs it
    mkdir -p "$1" && mkfifo "$1/pipe" || return 1
    gzip -1 <"$1/pipe" >"$1/deptrace.proto.gz" &
    "$BUILD/tests/tools/repeat_trace" tests/traces/triad "$1/pipe" "$1/fetchtrace.proto.gz" "$2" && wait $! && rm "$1/pipe"
}

# KIND RECORDS RUNS INPUT OPTION...: puts a line `KIND RECORDS CPU_S ANONYMOUS_KIB` into $WORK/figures.
replay() {
    local kind=$1 records=$2 times=$3
    shift 3
    for ((run = 0; run < times; run++)); do
        if ! "$BUILD/tests/tools/measure" --anonymous "$WORK/cost" "$RUBATO" replay configs/wide.yaml "$@" --quiet >"$WORK/log" 2>&1
        then
            not_ok "replay of $records records from $kind"
            cat "$WORK/log"
            exit 1
        fi
        cat "$WORK/cost"
    done | awk -v kind="$kind" -v records="$records" '
        NR == 1 || $1 < least { least = $1 }
        $4 > most { most = $4 }
        NF != 4 { bad = 1 }
        END { if (bad || !most) exit 1; print kind, records, least, most }' >>"$WORK/figures" && return
    not_ok "cost of $records records from $kind"
    exit 1
}

for length in 0 1; do
    records=${lengths[length]}
    make_trace "$WORK/long" "$records" || { not_ok "a trace of $records records"; exit 1; }
    "$RUBATO" trace pack "$WORK/long" -o "$WORK/store" >"$WORK/log" || { not_ok "store of $records records"; exit 1; }
    records=$(sed -n 's/.*: \([0-9]*\) records, .*/\1/p' "$WORK/log")     # whole repetitions: somewhat more than were asked for
    replay gzip "$records" "${runs[length]}" "$WORK/long" --no-cache
    rm -r "$WORK/long"
    replay store "$records" "${runs[length]}" "$WORK/store"
    rm "$WORK/store"
done

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
