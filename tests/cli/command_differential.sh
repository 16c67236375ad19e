#!/usr/bin/env bash
# Random memories of DRAM commands against the slow model (tests/refmodel/command_dram.py), with both engines: standards, presets, ranks,
# controllers, queues, schedulers, row policies, refresh, maps, defences, streams. A rule of the model that is broken (the age of
# requests, the guard of active banks, the window of four activations) must be noticed.
#
#     FIRST=1 LAST=500 bash tests/cli/command_differential.sh
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

[ -f "$SHARED/spec/command-dram/resolved.tsv" ] ||
    { skip 'random memories against the slow model: its tables are not there'; exit 0; }
command -v python3 >/dev/null || { skip 'random memories against the slow model: no python3'; exit 0; }
first=${FIRST:-1} last=${LAST:-24}
tool=$BUILD/tests/tools/command_dram

mkdir "$WORK/cases"
check 'the slow model runs' python3 tests/refmodel/command_dram_random.py "$WORK/cases" "$first" "$last"
"$tool" "$WORK/cases" >"$WORK/fast"
check "seeds $first to $last: equal in every command, completion and statistic" test $? = 0
"$tool" --plain "$WORK/cases" >"$WORK/plain"
check 'the same by the plain engine' test $? = 0
grep -hvE ': equal|passed, 0 failed' "$WORK/fast" "$WORK/plain" | head -n 5
check 'as many cases as seeds' grep -q "^$((last - first + 1)) passed, 0 failed$" "$WORK/fast"
for rule in age guard tFAW; do
    mkdir "$WORK/$rule"
    python3 tests/refmodel/command_dram_random.py "$WORK/$rule" 1 16 "$rule"
    "$tool" "$WORK/$rule" >"$WORK/verdicts"
    code=$?
    check "a model without the rule of $rule is found out: $(tail -n 1 "$WORK/verdicts")" test "$code" = 1
done
exit $failures
