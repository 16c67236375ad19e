#!/usr/bin/env bash
# Speed against the reference. programs.sh [--json FILE] [FOLDER]: for each of the ten programs of tests/bench/gem5_over_zcat.tsv whose traces
# are in FOLDER (without it $SHARED/traces/elastic, or tests/traces, which has parts of three) `rubato replay` on configs/wide.yaml,
# first run (from the trace files, writing a store) and from a store, beside zcat unpacking the same files.
#
# Speed-up over gem5 = gem5_over_zcat times zcat's time here, divided by rubato's; both user + system time of the whole process on
# one core, the least of RUNS (7) runs that alternate. Wall: time from start to end of a first run on all cores, over zcat's.
# Instructions a record: see tests/support/instructions.sh. Then GPUs and the
# detailed core: see tests/bench/gpu.sh, detailed.sh.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/instructions.sh
need_rubato

json=
if [ "${1:-}" = --json ]; then json=$2 && shift 2; fi
runs=${RUNS:-7}
system=configs/wide.yaml
folder=${1:-}
[ -n "$folder" ] || { [ -d "$SHARED/traces/elastic" ] && folder=$SHARED/traces/elastic || folder=tests/traces; }
pick_counter

# One core: the last that we may use.
pin=()
if core=$(taskset -pc $$ 2>/dev/null) && core=${core##*[ ,-]}; then pin=(taskset -c "$core"); fi

fail() { echo "programs.sh: $*" >&2; exit 1; }

least() {    # VARIABLE FIELD: the lesser of the variable's value and a field of the last measurement
    local cost
    read -ra cost <"$WORK/cost"
    printf -v "$1" '%s' "$(awk -v a="${!1:-}" -v b="${cost[$2]}" 'BEGIN { print a == "" || b < a ? b : a }')"
}
measure() {    # COMMAND...
    "$BUILD/tests/tools/measure" "$WORK/cost" "$@" >/dev/null 2>"$WORK/stderr" || { cat "$WORK/stderr" >&2; fail "$* failed"; }
}
measure_pinned() { "${pin[@]}" "$BUILD/tests/tools/measure" "$WORK/cost" "$@" >/dev/null 2>&1 || fail "$* failed"; }

first_run() { rm -rf "$WORK/fresh" && mkdir "$WORK/fresh" && "$@" "$RUBATO" replay "$system" "$traces" --cache "$WORK/fresh" --quiet; }

# A line: name, gem5_over_zcat, records, seconds of zcat, of a first run and of one from a store, wall of zcat and of a first run,
# instructions a record of a first run and of one from a store.
measure_program() {    # NAME GEM5_OVER_ZCAT
    local traces=$folder/$1 records zcat='' first='' stored='' zcat_wall='' first_wall='' first_count stored_count
    local files=("$traces/deptrace.proto.gz" "$traces/fetchtrace.proto.gz")
    records=$("$RUBATO" trace pack "$traces" -o "$WORK/store" | sed -n 's/.*: \([0-9]*\) records, .*/\1/p')
    [ -n "$records" ] || fail "$traces cannot be packed"
    for ((run = 0; run < runs; run++)); do
        measure_pinned zcat "${files[@]}"
        least zcat 0 && least zcat_wall 1
        first_run measure_pinned
        least first 0
        first_run measure
        least first_wall 1
        measure_pinned "$RUBATO" replay "$system" "$WORK/store" --quiet
        least stored 0
    done
    rm -rf "$WORK/fresh"
    first_count=$(instructions_a_record "$records" "$RUBATO" replay "$system" "$traces" --quiet --cache "$WORK/fresh") &&
        stored_count=$(instructions_a_record "$records" "$RUBATO" replay "$system" "$WORK/store" --quiet) || fail "counting failed"
    echo "$1 $2 $records $zcat $first $stored $zcat_wall $first_wall $first_count $stored_count"
}

# The same, and the three results: speed-up of a first run, from a store, wall of a first run over zcat's.
while read -r program ratio; do
    [ -f "$folder/$program/deptrace.proto.gz" ] || continue
    measure_program "$program" "$ratio" </dev/null || exit 1
done < <(awk '!/^#/ && $1 != "program"' tests/bench/gem5_over_zcat.tsv | sort) >"$WORK/measured" || exit 1
[ -s "$WORK/measured" ] || fail "none of the ten programs is in $folder"
awk '{ printf "%s %.3f %.3f %.3f\n", $0, $2 * $4 / $5, $2 * $4 / $6, $8 / $7 }' "$WORK/measured" >"$WORK/rows"

geometric_mean() { awk -v column="$1" '{ sum += log($column) } END { printf "%.3f", exp(sum / NR) }' "$WORK/rows"; }
means=("$(geometric_mean 11)" "$(geometric_mean 12)" "$(geometric_mean 13)")

printf '%-9s %8s %28s   %15s %6s %15s\n' '' '' 'user + system time, ms' 'times gem5' wall 'instr./record'
printf '%-9s %8s %8s %10s %8s   %7s %7s %6s %7s %7s\n' program records zcat 'first run' store first store '/ zcat' first store
awk '{ printf "%-9s %8d %8.1f %10.1f %8.1f   %7.2f %7.2f %6.2f %7s %7s\n", $1, $3, 1e3 * $4, 1e3 * $5, 1e3 * $6, $11, $12, $13,
    $9 == "-" ? "-" : int($9 + 0.5), $10 == "-" ? "-" : int($10 + 0.5) }' "$WORK/rows"
printf '%-46s   %7.2f %7.2f %6.2f\n' 'geometric mean' "${means[@]}"
case $folder in
    tests/traces | tests/traces/) echo 'These are short parts of the programs, and start-up counts; the yardstick is of the whole ones.' ;;
esac

# GPUs and the detailed core have tables of their own, and members in FILE.
echo
tests/bench/gpu.sh --json "$WORK/gpu" || exit 1
echo
tests/bench/detailed.sh --json "$WORK/detailed" || exit 1

[ -n "$json" ] || exit 0
commit=$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
[ -z "$(git status --porcelain --untracked-files=no 2>/dev/null)" ] || commit="$commit with changes"
host="$(uname -m), $(nproc) cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)"
text() { printf '"%s"' "$(printf %s "$1" | tr -d '[:cntrl:]' | sed 's/[\\"]/\\&/g')"; }
awk 'function number(s) { return s == "-" ? "null" : s }
    { printf "%s    \"%s\": {\n", (NR == 1 ? "" : ",\n"), $1
      printf "      \"first_cpu_s\": %s,\n      \"first_instructions_per_record\": %s,\n", $5, number($9)
      printf "      \"first_speedup\": %s,\n      \"first_wall_over_zcat\": %s,\n", $11, $13
      printf "      \"gem5_over_zcat\": %s,\n      \"records\": %s,\n      \"store_cpu_s\": %s,\n", $2, $3, $6
      printf "      \"store_instructions_per_record\": %s,\n      \"store_speedup\": %s,\n", number($10), $12
      printf "      \"zcat_cpu_s\": %s\n    }", $4 }' "$WORK/rows" >"$WORK/programs" || fail 'no JSON of the programs'
{
    echo '{'
    echo "  \"commit\": $(text "$commit"),"
    echo "  \"compiler\": $(text "$("$CC" --version | head -n 1)"),"
    echo "  \"detailed\": $(cat "$WORK/detailed"),"
    echo '  "geometric_mean": {'
    printf '    "first_speedup": %s,\n    "first_wall_over_zcat": %s,\n    "store_speedup": %s\n' "${means[0]}" "${means[2]}" "${means[1]}"
    echo '  },'
    echo "  \"gpu\": $(cat "$WORK/gpu"),"
    echo "  \"host\": $(text "$host"),"
    echo "  \"instructions_counted_by\": $(text "$counter"),"
    echo '  "programs": {'
    cat "$WORK/programs"
    printf '\n  },\n  "runs": %s\n}\n' "$runs"
} >"$json" || fail "$json cannot be written"
