#!/usr/bin/env bash
# The long forms of the tests that attack, which docs/reliability.md lists: hours. `make torture` builds their programs
# and calls this script. Arguments choose rows, as patterns: tests/torture.sh kills 'mutants*'. SHARE=0.01 does a
# hundredth of each, to see that all of it works. JOBS rows at a time (all cores), then fuzzing on all cores. The last
# line is "N passed, N failed, N skipped"; exit 1 if any failed. Logs: $BUILD/tests/torture/ROW.log; seconds of each
# row are printed.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/support/shell.sh

logs=$BUILD/tests/torture jobs=${JOBS:-$(nproc)} chosen=("$@") share=${SHARE:-1}
sanitized=build/sanitize
rm -rf "$logs"
mkdir -p "$logs"
of() { awk -v count="$1" -v share="$share" 'BEGIN { n = count * share; printf "%.0f", n < 1 ? 1 : n }'; }
# Every n-th call or allocation, or as many of each command as the share says.
points=all
[ "$share" = 1 ] || points=$(of 300)

rows=()
declare -A commands
row() {    # NAME COMMAND
    local pattern
    for pattern in "${chosen[@]:-*}"; do
        # shellcheck disable=SC2053
        [[ $1 == $pattern ]] || continue
        rows+=("$1")
        commands[$1]=$2
        return
    done
}
with_sanitizers() {    # COMMAND...: of the sanitized build
    if [ -x "$sanitized/rubato" ]; then echo "env RUBATO=$PWD/$sanitized/rubato BUILD=$sanitized $*"
    else echo "echo 'skip there is no $sanitized; make torture builds it'"
    fi
}
row kills "env KILLS=$(of 2000) bash tests/cli/sweep_kills.sh"
row kills-at-writes "env CALL_POINTS=$points CALL_CASES=sweep CALL_MODES='kill tear killall' bash tests/cli/failing_calls.sh"
row writes "env CALL_POINTS=$points CALL_CASES='[!s]*' bash tests/cli/failing_calls.sh"
row memory "env MEMORY_POINTS=$points bash tests/cli/out_of_memory.sh"
row bounds "env COMBINATIONS=$(of 20000) CMOCKA_MESSAGE_OUTPUT=TAP $BUILD/tests/unit/test_bounds"
row bounds-sanitized "$(with_sanitizers COMBINATIONS="$(of 20000)" CMOCKA_MESSAGE_OUTPUT=TAP $sanitized/tests/unit/test_bounds)"
row verdicts 'env REMEDIES=all bash tests/cli/verdict_helps.sh'
row dram "env SYSTEMS=$(of 2000) bash tests/cli/dram_systems.sh"
row mutants "env MUTANTS=$(of 40000) bash tests/cli/mutants.sh"
row mutants-sanitized "$(with_sanitizers MUTANTS="$(of 40000)" SEED=100000 bash tests/cli/mutants.sh)"
row fuzz "env FUZZ_RUNS=$(of 100000000) FUZZ_JOBS=$jobs tests/fuzz/run.sh"

run() {    # ROW
    local began=$SECONDS
    bash -c "${commands[$1]}" </dev/null >"$logs/$1.log" 2>&1 || echo "$1" >>"$logs/failed"
    echo $((SECONDS - began)) >"$logs/$1.seconds"
}
trap 'kill $(jobs -p) 2>/dev/null; exit 130' INT TERM
running=0
for name in "${rows[@]}"; do
    [ "$name" != fuzz ] || continue
    [ "$running" -lt "$jobs" ] || { wait -n; running=$((running - 1)); }
    run "$name" &
    running=$((running + 1))
done
wait
[[ " ${rows[*]} " != *" fuzz "* ]] || run fuzz

passed=0 failed=0 skipped=0
for name in "${rows[@]}"; do
    read -r p f s < <(count_results "$logs/$name.log")
    if grep -qx "$name" "$logs/failed" 2>/dev/null || [ $((p + f + s)) = 0 ]; then f=$((f > 0 ? f : 1)); fi
    printf '%-20s %6d s, %d passed, %d failed, %d skipped\n' "$name" "$(cat "$logs/$name.seconds")" "$p" "$f" "$s"
    grep -aE '^(ok|skip) ' "$logs/$name.log" | tail -n 30 | cut -c 1-150 | sed 's/^/    /'
    [ "$f" = 0 ] || grep -av '^ok ' "$logs/$name.log" | head -n 80 | cut -c 1-300 | sed 's/^/    /'
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
echo "$passed passed, $failed failed, $skipped skipped" | tee "$logs/summary"
[ "$failed" = 0 ]
