#!/usr/bin/env bash
# What samples cost a run: samples.sh [PAIRS]. Each program is replayed from its store on configs/wide.yaml without samples, with
# --record, and with --publish while a reader reads; instructions of the replay by callgrind, which says the same every time, and user
# and system time in PAIRS pairs (ten), of which it takes the sum. Fails for each that takes more than 2 % more instructions. The
# programs are those of the reference data; the bundled ones are so short that setting up samples dominates.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
pairs=${1:-10}
limit_percent=2
name=bench-samples.$$
folder=$SHARED/traces/elastic

if [ ! -d "$folder" ]; then
    skip "cost of samples: no $folder"
    exit 0
fi
if ! command -v valgrind >/dev/null; then
    skip 'cost of samples: no valgrind to count instructions'
    exit 0
fi

count() {    # COMMAND...: instructions of the first thread; fails if there is no number
    local instructions
    rm -f "$WORK"/counted*
    valgrind --tool=callgrind --separate-threads=yes --callgrind-out-file="$WORK/counted" "$@" >/dev/null 2>&1 </dev/null || return 1
    instructions=$(cat "$WORK"/counted-01 "$WORK"/counted 2>/dev/null | awk '$1 == "totals:" || $1 == "summary:" { print $2; exit }')
    [ "${instructions:-0}" -gt 0 ] && echo "$instructions"
}
read_all() {    # reads whatever is published, until it is killed
    while :; do "$BUILD/tests/tools/sample_attach" $name >/dev/null 2>&1 || sleep 0.01; done
}
cost_s() { "$BUILD/tests/tools/measure" "$WORK/cost" "$@" >/dev/null 2>&1 </dev/null && cut -d ' ' -f 1 "$WORK/cost"; }
percent() { awk -v now="$1" -v before="$2" 'BEGIN { printf "%+.2f", 100 * (now / before - 1) }'; }

printf '%-10s %18s %10s %10s   %s\n' program 'instructions' record publish "time of $pairs pairs: record, publish"
for program in chase gups hashjoin lz matmul memops nbody qsort spmv triad; do
    [ -d "$folder/$program" ] || continue
    "$RUBATO" trace pack "$folder/$program" -o "$WORK/store" >/dev/null || exit 1
    run=("$RUBATO" replay configs/wide.yaml "$WORK/store" --quiet)
    off=$(count "${run[@]}") && record=$(count "${run[@]}" --record "$WORK/samples") &&
        publish=$(count "${run[@]}" --publish $name) || { not_ok "$program: counting"; continue; }
    read_all &
    reader=$!
    disown $reader
    sums=(0 0 0)
    for ((i = 0; i < pairs; i++)); do
        sums=($(echo "${sums[@]}" "$(cost_s "${run[@]}")" "$(cost_s "${run[@]}" --record "$WORK/samples")" \
            "$(cost_s "${run[@]}" --publish $name)" | awk '{ print $1 + $4, $2 + $5, $3 + $6 }'))
    done
    kill $reader
    line=$(printf '%-10s %15s %9s %% %9s %%   %s %% %s %%' "$program" "$off" "$(percent "$record" "$off")" "$(percent "$publish" "$off")" \
        "$(percent "${sums[1]}" "${sums[0]}")" "$(percent "${sums[2]}" "${sums[0]}")")
    if awk -v off="$off" -v a="$record" -v b="$publish" -v limit=$limit_percent 'BEGIN { most = off * (1 + limit / 100); exit !(a <= most && b <= most) }'; then
        ok "$line"
    else
        not_ok "$line; at most +$limit_percent % expected"
    fi
done
exit $failures
