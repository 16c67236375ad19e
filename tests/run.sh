#!/usr/bin/env bash
# All tests, one after the other; `make check` and .ci/run call it. The last line is "N passed, N failed, N skipped"; exit 1 if any
# failed. A test is a program that prints lines `ok NAME`, `not ok NAME` or `skip NAME (N): why` (N tests, 1 if not said), TAP as
# cmocka writes it, or closes with `N passed, N failed`. It must say something and end in time; a crash is a failure.
# Logs: $BUILD/tests/log/. Environment: see tests/support/shell.sh.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/support/shell.sh

logs=$BUILD/tests/log
rm -rf "$logs"
mkdir -p "$logs"
passed=0 failed=0 skipped=0

# Sum of what a log says: passed, failed, skipped.
count() {
    awk '/^(not )?ok .*# SKIP/ { skipped++; next }    # cmocka says "not ok" to a skipped test, too
         /^ok / { passed++; next }
         /^not ok/ { failed++; next }
         /^skip / { skipped += match($0, /\([0-9]+\)/) ? substr($0, RSTART + 1, RLENGTH - 2) : 1; next }
         /^[0-9]+ passed, [0-9]+ failed/ { passed += $1; failed += $3; skipped += $5 }
         END { print passed + 0, failed + 0, skipped + 0 }' "$1"
}

# run NAME SECONDS COMMAND...
run() {
    local name=$1 limit=$2 log code p f s why=''
    shift 2
    log=$logs/$name.log
    timeout -k 5 "$limit" "$@" </dev/null >"$log" 2>&1
    code=$?
    read -r p f s < <(count "$log")
    case $code in
        0) ;;
        124 | 137) f=$((f + 1)) why="; not done after $limit s" ;;
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

run rules 120 tests/rules.sh
for source in tests/unit/test_*.c; do
    name=$(basename "$source" .c)
    run "unit-${name#test_}" 120 env CMOCKA_MESSAGE_OUTPUT=TAP "$BUILD/tests/unit/$name"
done
for script in tests/cli/*.sh; do
    run "cli-$(basename "$script" .sh)" 300 bash "$script"
done
run golden 300 tests/golden/check.sh
run oracle 900 tests/oracle.sh
run gpu-counts 300 tests/gpu_counts.sh
run macsim-facts 300 tests/macsim_facts.sh
run gpu-timing 600 tests/gpu_timing.sh
SEEDS=${CHECK_SEEDS:-1:20} run differential 600 tests/differential.sh --log
SEEDS=${CHECK_SHAPE_SEEDS:-1:8} CASE_OPTIONS='--shapes --cores 4' run differential-cores 600 tests/differential.sh --log
run memory 120 tests/memory.sh 250000 1000000
FUZZ_SECONDS=${CHECK_FUZZ_SECONDS:-3} run fuzz 600 tests/fuzz.sh

echo "$passed passed, $failed failed, $skipped skipped" | tee "$logs/summary"
[ "$failed" = 0 ]
