#!/usr/bin/env bash
# Runs the bundled traces of tests/traces/detailed on detailed cores, and compares with detailed/PROGRAM.SYSTEM.tsv;
# all other statistics of both engines must be equal. The kept figures are rubato's own: a difference shows a change,
# not an error; tests/o3-timing judges accuracy. `make golden-detailed` (--write) keeps new figures.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

is_writing=
if [ "${1:-}" = --write ]; then is_writing=yes; fi

# programs (one for all cores, or one for each, joined by +), name, system and settings
cases='sort base detailed/base
sort local detailed/base --set cpu.branchPred.type=local
sort neoverse detailed/small --set include=core/neoverse-n1
hash base detailed/base
hash small detailed/small
hash zen4 detailed/ddr4 --set include=core/zen4
chase base detailed/base
chase lpddr3 detailed/lpddr3 --set cpu.numROBEntries=64
matrix base detailed/base
matrix ddr5 detailed/ddr5-2ch --set cpu.branchPred.type=tage_sc_l
matrix narrow detailed/base --set cpu.issueWidth=2 --set cpu.wrongPath=no
chase+chase+chase+chase quad quad
chase+hash+sort+matrix quad quad --records 15000
chase+hash shared laptop --set cores=2 --records 20000
sort+chase+chase+hash hetero hetero --records 15000'

# The kept statistics: name and value.
kept='^(system\.)?cpu[0-9]*\.(numCycles|commitStats0\.num(Insts|Ops|LoadInsts|StoreInsts)|commit\.branchMispredicts|commit\.commitSquashedInsts'
kept+='|decode\.branchMispred|fetch\.cacheLines|iew\.memOrderViolationEvents|lsq0\.(forwLoads|rescheduledLoads|blockedByCache|squashedLoads)'
kept+='|MemDepUnit__0\.conflictingLoads|instsIssued|rename\.(ROB|IQ|LQ|SQ)FullEvents)$'

run() {    # PROGRAM FILE ENGINE SYSTEM SETTINGS...
    local programs=$1 file=$2 engine=$3
    shift 3
    IFS=+ read -r -a programs <<<"$programs"
    programs=("${programs[@]/#/tests/traces/detailed/}")
    "$RUBATO" replay "$1" "${programs[@]/%/.rbt}" --model detailed --engine "$engine" --no-cache --quiet --stats "$file" "${@:2}" \
        >"$WORK/output" 2>&1 || { cat "$WORK/output"; return 1; }
    awk -v kept="$kept" '$1 ~ kept || $1 == "finalTick" { print $1 "\t" $2 }' "$file" >"$file.kept"
}
# Host time is no result.
results() { grep -v '^host' "$1"; }

while read -r program name settings; do
    golden=tests/golden/detailed/$program.$name.tsv
    # shellcheck disable=SC2086    # settings are words
    if ! run "$program" "$WORK/fast.txt" fast $settings || ! run "$program" "$WORK/plain.txt" plain $settings; then
        not_ok "$program.$name runs"
        continue
    fi
    if [ -n "$is_writing" ]; then cp "$WORK/fast.txt.kept" "$golden"; fi
    check "$program.$name: both engines have the same statistics" diff <(results "$WORK/fast.txt") <(results "$WORK/plain.txt")
    check "$program.$name: as kept" diff "$golden" "$WORK/fast.txt.kept"
done <<CASES
$cases
CASES
exit $failures
