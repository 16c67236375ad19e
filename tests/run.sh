#!/usr/bin/env bash
# All tests, JOBS at a time (all cores), the long ones first; `make check` and .ci/run call it. Arguments choose tests by name, as
# patterns: tests/run.sh 'unit-*' cli-replay. What they say comes in a fixed order. The last line is "N passed, N failed, N skipped";
# exit 1 if any failed. A test is a program that prints lines `ok NAME`, `not ok NAME` or `skip NAME (N): why` (N tests, 1 if not
# said), TAP as cmocka writes it, or closes with `N passed, N failed`. It must say something and end in time; a crash is a failure.
# Logs: $BUILD/tests/log/NAME.log, seconds in log/times. Environment: see tests/support/shell.sh.
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
    [ "$name" != test_bounds ] || limit=600    # all keys, with sanitizers minutes on a busy machine
    test_is "unit-${name#test_}" $limit "env CMOCKA_MESSAGE_OUTPUT=TAP $BUILD/tests/unit/$name"
done
for script in tests/cli/*.sh; do
    test_is "cli-$(basename "$script" .sh)" 300 "bash $script"
done
test_is golden 300 tests/golden/check.sh
test_is golden-plain 300 'env ENGINE=plain tests/golden/check.sh'
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
test_is differential 600 "env SEEDS=${CHECK_SEEDS:-1:20} tests/reference/differential.sh --log"
shapes="SEEDS=${CHECK_SHAPE_SEEDS:-1:8} CASE_OPTIONS='--shapes --cores 4'"
test_is differential-cores 600 "env $shapes tests/reference/differential.sh --log"
test_is memory 120 'tests/bench/memory.sh 250000 1000000'
test_is fuzz 600 "env FUZZ_TOTAL_SECONDS=${CHECK_FUZZ_SECONDS:-60} tests/fuzz/run.sh"

# Long ones, the longest first; the others fill the gaps.
long='fuzz unit-bounds oracle-plain cli-sweep cli-readme differential differential-cores gpu-timing cli-macsim_threads oracle-files cli-trace_roundtrip'
# These judge times, so they have the machine to themselves.
alone='cli-gpu_store cli-view_frame_times'

# ---- running
run() {    # NAME: leaves its log, exit code and time
    local began=$EPOCHREALTIME code
    timeout -k 5 "${limits[$1]}" bash -c "${commands[$1]}" </dev/null >"$logs/$1.log" 2>&1 &
    trap "kill $! 2>/dev/null" TERM
    wait $!
    code=$?
    awk -v name="$1" -v from="$began" -v to="$EPOCHREALTIME" 'BEGIN { printf "%s\t%.1f\n", name, to - from }' >>"$logs/times"
    echo $code >"$logs/$1.code.new" && mv "$logs/$1.code.new" "$logs/$1.code"
}

judge() {    # NAME: prints what it said, and counts
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
    grep -aE '^skip |^(not )?ok .*# SKIP' "$log" | sed 's/^.*# SKIP/skip/; s/^/    /'
    if [ "$f" -gt 0 ]; then
        grep -av '^ok ' "$log" | head -n 80 | cut -c 1-300 | sed 's/^/    /'
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

next=0
judge_those_done() {    # in the order of their lines: up to the first that is not done
    while [ $next -lt ${#names[@]} ] && [ -e "$logs/${names[next]}.code" ]; do
        judge "${names[next]}"
        next=$((next + 1))
    done
}

is_one_of() { [[ " $2 " == *" $1 "* ]]; }
together=()
last=()
for name in $long; do [ -n "${limits[$name]:-}" ] && together+=("$name"); done
for name in "${names[@]}"; do
    if is_one_of "$name" "$alone"; then last+=("$name")
    elif ! is_one_of "$name" "$long"; then together+=("$name")
    fi
done
trap 'kill $(jobs -p) 2>/dev/null; exit 130' INT TERM
running=0
for name in "${together[@]}"; do
    [ "$running" -lt "$jobs" ] || { wait -n; running=$((running - 1)); judge_those_done; }
    run "$name" &
    running=$((running + 1))
done
wait
for name in "${last[@]}"; do
    run "$name"
done
judge_those_done

echo "$passed passed, $failed failed, $skipped skipped" | tee "$logs/summary"
[ "$failed" = 0 ]
