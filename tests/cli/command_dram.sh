#!/usr/bin/env bash
# Reference cases of command-level DRAM, chosen by kind: each controller, refresh, scheduler, row policy, map, defence, and front end.
# COMMAND_CASES=all runs all of them. Without the whole reference data the bundled ones run (tests/reference/data).
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

cases=$SHARED/oracle/command-dram
[ -f "$cases/index.tsv" ] || { skip "reference cases of command-level DRAM: $cases is not there"; exit 0; }
# Of the whole those that are the shortest of each kind, of the bundled part all.
if is_whole_reference && [ "${COMMAND_CASES:-}" != all ]; then
    chosen=$(tests/reference/command_cases.sh "$cases/index.tsv" kinds)
else
    chosen=$(cd "$cases" && for case in */case.json; do echo "${case%/*}"; done)
fi
count=$(wc -w <<<"$chosen")
# shellcheck disable=SC2086    # a list of names
tests/command-dram "$cases" $chosen >"$WORK/verdicts"
code=$?
check "$count cases are equal in every command, completion and statistic" test "$code" = 0
grep -vE ': equal|passed, 0 failed' "$WORK/verdicts" | head -n 5
check 'at least 60 cases' test "$count" -ge 60
exit $failures
