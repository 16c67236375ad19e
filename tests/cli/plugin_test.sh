#!/usr/bin/env bash
# rubato plugin test: a run with a log has the same statistics; modules answer as they were recorded, a changed one does not; bad logs
# are refused with file and line.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

modules=$WORK/modules
mkdir "$modules"
for name in next_line srrip bimodal targets; do
    "$RUBATO" plugin build "docs/examples/modules/$name.c" -o "$modules/$name.so" >/dev/null 2>&1
done
"$RUBATO" plugin build tests/modules/probe.c -o "$modules/probe.so" >/dev/null 2>&1
program=$TRACES/detailed/sort.rbt
settings=(--set cpu.tlb=yes --set l1d.size=4KiB --set "l1d.prefetcher=$modules/next_line.so" --set l1d.prefetcher.module.degree=2 --set "l1d.replacement=$modules/srrip.so"
    --set "l1i.prefetcher=$modules/probe.so" --set "cpu.branchPred.type=$modules/bimodal.so" --set "cpu.branchPred.BTB=$modules/targets.so"
    --set "cpu.branchPred.indirectBranchPred=$modules/targets.so")
run() { "$RUBATO" replay default "$program" --model detailed --warmup 1000 --records 6000 --quiet --no-cache "${settings[@]}" "$@" 2>"$WORK/stderr"; }
run --stats "$WORK/without.json"
run --stats "$WORK/with.json" --module-log "$WORK/log"
check 'a log changes no statistic' cmp "$WORK/without.json" "$WORK/with.json"
for module in next_line srrip bimodal targets probe; do
    "$RUBATO" plugin test "$modules/$module.so" "$WORK/log" >"$WORK/said"
    code=$?
    check "$module answers as it did" eval '[ $code = 0 ] && grep -qE "^.*$module.so: [1-9][0-9]+ calls of [12] instances?, .*: all answers are those of the log" "$WORK/said"'
    check "$module: all that it asks is in the log" eval '! grep -q "not in the log" "$WORK/said"'
done

# differs NAME MODULE PATTERN SED-COMMAND: the log is changed, and the module no longer agrees with it
differs() {
    sed -E "$4" "$WORK/log" >"$WORK/changed"
    "$RUBATO" plugin test "$modules/$2.so" "$WORK/changed" >"$WORK/said" 2>&1
    code=$? expected=$3
    check "found: $1" eval '[ $code = 1 ] && grep -qE "changed: line [0-9]+: $expected" "$WORK/said" && grep -qE "[1-9][0-9]* differences?" "$WORK/said"'
}
differs 'another prefetch' next_line 'access of l1d: prefetch of 0x' 's/^(  prefetch 5 address=0x[0-9a-f]*)([0-9a-f])/\10\2/'
differs 'a prefetch too many' next_line 'access of l1d: no prefetch of 0x7c0, which the log has' '0,/^  answer 5 *$/s//  prefetch 5 address=0x7c0 is=1\n&/'
differs 'a prefetch too few' next_line 'access of l1d: prefetch of 0x[0-9a-f]*, of which the log has nothing' '0,/^  prefetch 5/s//# &/'
differs 'another direction' bimodal 'predict of branchPred: taken: [01]; the log has [01]' '/^predict 0 /{n;s/ is=1//}'
differs 'another parameter' next_line 'access of l1d: prefetch of 0x' 's/^(parameter 5 name=degree value=)2/\15/'
differs 'another answer' srrip 'victim of l1d: way [01]; the log has [01]' '/^victim 4 /{n;s/ way=1//;t;s/$/ way=1/}'
refused 'the calls of another module, with other parameters' 'line 15: parameter: the module next_line has no parameter below; the first is degree' \
    "$RUBATO" plugin test "$modules/next_line.so" "$WORK/log" --as probe

bad() {    # NAME PATTERN SED-COMMAND
    sed -E "$3" "$WORK/log" >"$WORK/bad"
    refused "$1" "bad: $2" "$RUBATO" plugin test "$modules/next_line.so" "$WORK/bad"
}
bad 'no log' 'line 1: expected "rubato module log 1"' '1s/.*/rubbish/'
bad 'another call' 'line 4: "creat": expected a call such as access, or answer' '4s/.*/creat 0/'
bad 'another field' 'line 5: answer: "was" is no field of it; expected FIELD=VALUE' '5s/ is=/ was=/'
bad 'no number' 'line 5: answer: is="1zz": expected a number, decimal or 0x' '5s/is=1/is=1zz/'
bad 'no instance' 'line 5: a number that no instance has' '5s/answer 0/answer 99/'
bad 'no such set' 'line [0-9]+: a set that the instance does not have; expected one below its sets' '0,/^(access 5 .*) set=[0-9]+/s//\1 set=99999/'
bad 'no such type' 'line [0-9]+: access: type="lode": expected one of load, rfo' '0,/^access 5 .*/s//& type=lode/'
bad 'another kind of call' 'line [0-9]+: a call that the instance.s kind of module does not have' '0,/^access 5 /s//victim 5 /'
bad 'the end is missing' 'line [0-9]+: the log ends within a call; expected answer' '$d'
bad 'a parameter out of range' 'line [0-9]+: .*degree: 99 is out of range; give 1 to 64' 's/^(parameter 5 name=degree value=)2/\199/'
refused 'no such file' 'none: cannot be opened; give a log' "$RUBATO" plugin test "$modules/srrip.so" "$WORK/none"
refused 'no log given' 'plugin test: no log was given' "$RUBATO" plugin test "$modules/srrip.so"
refused 'no calls' 'no calls of a module other; --as bimodal takes' "$RUBATO" plugin test "$modules/srrip.so" "$WORK/log" --as other
refused 'no module to log' 'default has no module; set one' "$RUBATO" replay default "$program" --model detailed --module-log "$WORK/x"
refused '--alone' '--module-log is for one run of each program; leave out --alone' "$RUBATO" replay default "$TRACES/gups" --alone --module-log "$WORK/x"
exit $failures
