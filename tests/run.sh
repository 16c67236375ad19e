#!/usr/bin/env bash
# All tests, JOBS at a time (all cores), the long ones first, and beside them one of those that mostly wait; `make check` and .ci/run
# call it. Arguments choose tests by name, as
# patterns: tests/run.sh 'unit-*' cli-replay. Their output is printed in a fixed order, then a table of skipped tests:
# how many, why, and how they run. The last line is "N passed, N failed, N skipped"; exit 1 if any failed. A test is a
# program that prints lines `ok NAME`, `not ok NAME` or `skip NAME (N): why` (N tests, 1 if not said), TAP as cmocka
# writes it, or closes with `N passed, N failed`. It must say something and end in time; a crash is a failure. Logs:
# $BUILD/tests/log/NAME.log; log/times: NAME, seconds by the clock, seconds of processor time. Environment: see
# tests/support/shell.sh.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/support/shell.sh

logs=$BUILD/tests/log
jobs=${JOBS:-$(nproc)}
chosen=("$@")
rm -rf "$logs"
mkdir -p "$logs"
passed=0 failed=0 skipped=0

# ---- the tests, in the order of their lines: names, limits in seconds, commands
names=()
declare -A limits commands
test_is() {    # NAME SECONDS COMMAND
    local pattern
    for pattern in "${chosen[@]:-*}"; do
        # shellcheck disable=SC2053
        [[ $1 == $pattern ]] || continue
        names+=("$1")
        limits[$1]=$2 commands[$1]=$3
        return
    done
}
test_is rules 120 tests/rules.sh
for name in $(find tests/unit -name 'test_*.c' -printf '%f\n' | sed 's/\.c$//' | sort); do
    limit=120
    case $name in test_bounds | test_engine | test_engine_cores) limit=600 ;; esac    # with sanitizers minutes on a busy machine
    test_is "unit-${name#test_}" $limit "env CMOCKA_MESSAGE_OUTPUT=TAP $BUILD/tests/unit/$name"
done
for script in tests/cli/*.sh; do
    limit=300
    case $script in */python.sh) limit=600 ;; esac    # several Pythons, environments and notebooks
    test_is "cli-$(basename "$script" .sh)" $limit "bash $script"
done
test_is golden 300 tests/golden/check.sh
test_is golden-plain 300 'env ENGINE=plain tests/golden/check.sh'
test_is golden-detailed 300 tests/golden/detailed.sh
test_is golden-commands 120 tests/golden/commands.sh
test_is bundled 120 tests/reference/bundled.sh
test_is oracle-files 900 'tests/reference/oracle.sh files'
test_is oracle-stores 900 'tests/reference/oracle.sh stores'
test_is oracle-plain 900 'tests/reference/oracle.sh plain'
test_is gpu-counts 300 tests/reference/gpu_counts.sh
test_is insn-counts 120 tests/reference/insn_counts.sh
test_is insn-elastic 300 tests/reference/insn_elastic.sh
test_is isa-opinions 120 tests/reference/isa_opinions.sh
test_is macsim-facts 300 tests/reference/macsim_facts.sh
test_is branch-replay 120 tests/reference/branch_replay.sh
test_is gpu-timing 600 tests/reference/gpu_timing.sh
test_is o3-timing 1200 tests/reference/o3_timing.sh
test_is differential 600 "env KEEP_MODEL=1 SEEDS=${CHECK_SEEDS:-1:20} tests/reference/differential.sh --log"
shapes="KEEP_MODEL=1 SEEDS=${CHECK_SHAPE_SEEDS:-1:8} CASE_OPTIONS='--shapes --cores 4'"
test_is differential-cores 600 "env $shapes tests/reference/differential.sh --log"
test_is differential-detailed 300 "env SEEDS=1:20 tests/reference/differential_detailed.sh"
test_is memory 120 'tests/bench/memory.sh 250000 1000000'
test_is fuzz 900 "env FUZZ_TOTAL_SECONDS=${CHECK_FUZZ_SECONDS:-60} FUZZ_OPTIMISE=-O0 tests/fuzz/run.sh"

# Long ones, by their processor time, the longest first; the others fill the gaps.
long='o3-timing fuzz cli-sweep differential cli-readme differential-cores gpu-timing insn-elastic oracle-plain oracle-files cli-macsim_threads
    cli-trace_roundtrip cli-capture cli-own_program unit-bounds cli-failing_calls cli-out_of_memory cli-bad_input oracle-stores
    cli-view_library cli-sweep_kills cli-bench cli-docs unit-panels unit-engine unit-gpu_micro cli-interrupt'
# Windows wait for their next frame most of the time, others for browsers and notebooks: one after the other, beside the JOBS others.
waiting='cli-python cli-report cli-view cli-view_frame_times cli-view_stress cli-view_files cli-view_pointed cli-view_chosen cli-oracle_viewed
    cli-view_dense cli-view_played cli-view_compared cli-report_pictures cli-sweep_slurm cli-summary'
# It judges times by the clock, so it has the machine to itself.
alone='cli-gpu_store'

# ---- running
run() {    # NAME, in a shell of its own: leaves its log, exit code and times
    local began=$EPOCHREALTIME code
    timeout -k 5 "${limits[$1]}" bash -c "${commands[$1]}" </dev/null >"$logs/$1.log" 2>&1 &
    trap "kill $! 2>/dev/null" TERM
    wait $!
    code=$?
    times >"$logs/$1.used"    # its second line is of children: minutes and seconds, user's and system's
    awk -F '[ms ]+' -v name="$1" -v from="$began" -v to="$EPOCHREALTIME" \
        'NR == 2 { printf "%s\t%.1f\t%.1f\n", name, to - from, 60 * ($1 + $3) + $2 + $4 }' "$logs/$1.used" >>"$logs/times"
    echo $code >"$logs/$1.code.new" && mv "$logs/$1.code.new" "$logs/$1.code"
}

judge() {    # NAME: prints its output, and counts
    local name=$1 log=$logs/$1.log code p f s why=''
    code=$(cat "$logs/$name.code")
    read -r p f s < <(count_results "$log")
    case $code in
        0) ;;
        124 | 137) f=$((f + 1)) why="; not done after ${limits[$name]} s" ;;
        *) [ "$f" -gt 0 ] || { f=1 why="; exit code $code"; } ;;
    esac
    [ $((p + f + s)) -gt 0 ] || { f=1 why='; it tested nothing'; }
    printf '%-28s %4d passed' "$name" "$p"
    [ "$f" = 0 ] || printf ', %d FAILED%s' "$f" "$why"
    [ "$s" = 0 ] || printf ', %d skipped' "$s"
    printf '\n'
    grep -aE '^skip |^(not )?ok .*# SKIP' "$log" | sed 's/^.*# SKIP/skip/' >"$logs/skips"
    sed 's/^/    /' "$logs/skips"
    sed "s/^/$name\t/" "$logs/skips" >>"$logs/skipped"
    if [ "$f" -gt 0 ]; then
        grep -av '^ok ' "$log" | head -n 80 | cut -c 1-300 | sed 's/^/    /'
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

# The closing table: number, test, what and why, the command that brings it.
list_skipped() {
    [ -s "$logs/skipped" ] || return
    printf '\n%5s  %-20s %-52s %s\n' tests skipped 'runs with' 'what: why'
    awk -F '\t' -v shared="$SHARED/" '{
        count = match($2, /\([0-9]+\)/) ? substr($2, RSTART + 1, RLENGTH - 2) : 1
        brings = "-"
        if ($2 ~ /sanitizers/) brings = "make check, without SANITIZE=1"
        else if (index($2, shared) || $2 ~ /(reference|recorded) data/) brings = "make check SHARED=DIR, the whole reference data"
        else if ($2 ~ /others use the machine/) brings = "make check, on a quiet machine"
        else if ($2 ~ /not root/) brings = "make check, as root"
        else if ($2 ~ /: (there (is|are) )?no |without|not installed|built without/) brings = ".ci/setup tests, as root"
        sub(/^skip */, "", $2)
        printf "%5d  %-20s %-52s %s\n", count, $1, brings, $2
    }' "$logs/skipped" | cut -c 1-200
    echo
}

next=0
judge_those_done() {    # in the order of their lines: up to the first that is not done
    while [ $next -lt ${#names[@]} ] && [ -e "$logs/${names[next]}.code" ]; do
        judge "${names[next]}"
        next=$((next + 1))
    done
}

chosen_of() { for name in $1; do [ -z "${limits[$name]:-}" ] || echo "$name"; done; }
one_by_one() {    # NAME...
    trap 'kill $(jobs -p) 2>/dev/null; exit 130' TERM
    for name in "$@"; do
        run "$name" &
        wait
    done
}
mapfile -t together < <(chosen_of "$long"; printf '%s\n' "${names[@]}" | grep -vxF "$(printf '%s\n' $long $waiting $alone)")
mapfile -t beside < <(chosen_of "$waiting")
mapfile -t last < <(chosen_of "$alone")
trap 'kill $(jobs -p) 2>/dev/null; exit 130' INT TERM
one_by_one "${beside[@]}" &
beside_them=$!
for name in "${together[@]}"; do
    while [ "$(jobs -rp | grep -cvx $beside_them)" -ge "$jobs" ]; do
        wait -n
        judge_those_done
    done
    run "$name" &
done
wait
one_by_one "${last[@]}"
judge_those_done

list_skipped
echo "$passed passed, $failed failed, $skipped skipped" | tee "$logs/summary"
[ "$failed" = 0 ]
