#!/usr/bin/env bash
# tests/silicon itself, with a stand-in for the command whose cycles are given: groups, means, ranks, changes, halves, what fails.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

machine=$WORK/machine answers=$WORK/answers
mkdir "$machine" "$answers"
export ANSWERS=$answers
# Of each case the name of its trace leads to the cycles.
cat >"$WORK/rubato" <<'EOF'
#!/usr/bin/env bash
last() { echo "${@: -1}"; }
case $1 in
capture) while [ "$1" != -o ]; do shift; done; [ "$(last "$@")" != broken ] || { echo 'rubato: it fails' >&2; exit 3; }; echo >"$2" ;;
trace) echo '{"instructions": 1000}' ;;
config) [ ! -e "$ANSWERS/nested" ] || echo '      nested: yes    # walks' ;;
replay)
    while [ $# -gt 0 ]; do
        case $1 in
        *.rbt) name=$(basename "$1" .rbt) ;;
        --summary) summary=$2 ;;
        --warmup) echo "$2" >"$ANSWERS/warmup" ;;
        --set) echo "$2" >"$ANSWERS/set" ;;
        esac
        shift
    done
    printf '{\n  "metrics": {\n    "cycles": %s,\n  }\n}\n' "$(cat "$ANSWERS/$name")" >"$summary" ;;
esac
EOF
chmod +x "$WORK/rubato"

printf 'case\tprogram\tcapture\twarm\tper\tunit\tpages\tcycles\tquartile\tspread\tspread_all\trounds\tagainst\tisolates\n' >"$machine/native.tsv"
add() {    # CASE PROGRAM WARM PER NATIVE SIMULATED AGAINST
    printf '%s\t%s\t%s\t%s\t%s\tpass\t4K\t%s\t%s\t0\t0\t5\t%s\tit\n' "$1" "$2" "$1" "$3" "$4" "$5" "$5" "$7" >>"$machine/native.tsv"
    echo "$6" >"$answers/${1//[^A-Za-z0-9]/_}"
}
add 'add_lat' microbench 0.25 100 1.0 102 ''
add 'chase 64K 1 1' microbench 0 10 14 147 ''
add 'chase 8M 1 1' microbench 0 10 50 540 ''
add 'sort 10 0' kernels 0.5 1 1000 1100 ''
add 'sort 10 1' kernels 0.5 1 500 590 'sort 10 0'
add 'filter 10 0' kernels 0.5 1 2000 1000 ''
add 'filter 10 1' kernels 0.5 1 1000 1200 'filter 10 0'
run() { RUBATO=$WORK/rubato tests/silicon --keep "$WORK/kept" "$@" "$machine" system >"$WORK/out" 2>"$WORK/err" </dev/null; }
line() { grep -qxF -- "$(printf '%b' "$1")" "$WORK/out"; }

check 'bounds that do not hold are failures' eval '! run'
check 'a case of operations: cycles by per' line 'near\tadd_lat\t1.0\t1.020\t+2.0'
check 'a footprint of the L2 is near' line 'near\tchase 64K 1 1\t14\t14.700\t+5.0'
check 'one of the L3 is far' line 'far\tchase 8M 1 1\t50\t54.000\t+8.0'
check 'mean of near' line 'ok near mean: 2 cases, 3.5 % off in the mean (5)'
check 'a half' line 'ok unseen mean: 2 cases, 14.0 % off in the mean (15)'
check 'the other half' line 'not ok choosing mean: 2 cases, 35.0 % off in the mean (15)'
check 'worst' line 'not ok choosing worst: -50.0 %, filter 10 0 (40)'
check 'rank of the same order' line 'ok unseen rank: 1.000 (0.97)'
check 'rank of the reverse' line 'not ok choosing rank: -1.000 (0.97)'
check 'a change' line 'change\tsort 10 1\t0.500\t0.536'
check 'its error' line 'ok unseen changes: 1, 7.3 % off in the mean (10)'
check 'a change the wrong way' line 'change\tfilter 10 1\t0.500\t1.200\twrong way'
check 'directions' line 'not ok choosing directions: 0 of 1 that are 5 % or more go the right way by 1 %'
check 'the last line' test "$(tail -n 1 "$WORK/out")" = '7 passed, 5 failed'
check 'one half' run --half unseen
check '... and that alone' test "$(grep -c '^choosing' "$WORK/out")" = 0
check 'cases by their beginning, settings' eval 'run --only add --set l2.size=1MiB && [ "$(cat "$answers/set")" = l2.size=1MiB ]'
check 'instructions of warm-up' test "$(cat "$answers/warmup")" = 250
# Steps that fill 2 MiB: 8 passes of 4096 lines; places by chance 96 of them.
captured() { RUBATO=$WORK/said tests/silicon --only "$1" "$machine" system >/dev/null 2>&1; cat "$ANSWERS/captured"; }
printf '#!/bin/sh\n[ "$1" != capture ] || echo "$*" >"$ANSWERS/captured"\nexec "%s/rubato" "$@"\n' "$WORK" >"$WORK/said"
chmod +x "$WORK/said"
for case in 'stride 2M 1 64' 'gups 2M 1' 'window 16 nop' 'load 2M'; do
    printf '%s\tmicrobench\t-1 -w 0 -n 4096 %s\t0\t1\tstep\t2M\t1\t1\t0\t0\t5\t\tit\n' "$case" "$case" >>"$machine/native.tsv"
done
check 'memory is read before a pass along it' eval 'captured stride | grep -q -- "-w 8 -n 4096 stride"'
check '... and before one at random' eval 'captured gups | grep -q -- "-w 96 -n 4096 gups"'
check 'tables are read before two chains through 64 MiB' eval 'captured window | grep -q -- "-w 3 -n 4096 window"'
check 'others are captured as the table says' eval 'captured load | grep -q -- "-w 0 -n 4096 load"'
rm -f "$answers/set"
check 'walks of a system without nested ones stay' eval 'captured load >"$WORK/out"; [ ! -e "$answers/set" ]'
check 'pages of 2 MiB walk the host alone' eval 'touch "$answers/nested"; captured load >"$WORK/out"; grep -qx cpu.tlb.walker.nested=no "$answers/set"'
rm "$answers/nested"
# Six passes: of the runs that a stand-in for nm knows the last begins behind 3 instructions, and ends with the sixth record.
mkdir "$WORK/bin"
printf '#!/bin/sh\necho "0000000000401000 t list_run"\n' >"$WORK/bin/nm"
printf '%s\n' '# a comment' '1 0x400ff0 3 indirect_call taken target 0x401000 bytes' '1 0x401000 1 return taken target 0x400ff3 bytes' \
    '1 0x400ff3 3 indirect_call taken target 0x401000 bytes' '1 0x401000 2 repeat bytes' '1 0x401001 2 other bytes' \
    '1 0x401002 1 return taken target 0x400ff6 bytes' '1 0x400ff6 5 direct_call taken target 0x402000 bytes' '1 0x402000 1 return taken' \
    >"$WORK/dump"
printf '#!/bin/sh\n[ "$1" != capture ] || echo "$*" >"$ANSWERS/captured"\n[ "$1 $2" != "trace cut" ] || { echo "$*" >"$ANSWERS/cut"; exit; }
[ "$1 $2" != "trace dump" ] || { cat "%s/dump"; exit; }\nexec "%s/rubato" "$@"\n' "$WORK" "$WORK" >"$WORK/said"
chmod +x "$WORK/bin/nm"
add 'list 10 0' kernels 0.5 1 1000 1100 ''
cp "$answers/list_10_0" "$answers/list_10_0_p6"
check 'kernels are captured with six passes' eval 'PATH=$WORK/bin:$PATH captured list | grep -q -- "--from list_set --to exit .* -p 6 list 10 0"'
check '... up to the end of their last run' grep -q -- '--records 0:6 ' "$answers/cut"
check '... which counts' test "$(cat "$answers/warmup")" = 3
sed -i '$d' "$machine/native.tsv"
sed -i '$d' "$machine/native.tsv"
add 'broken' kernels 0 1 10 10 ''
check 'a program that cannot be captured is a failure' eval '! run --only broken && line "not ok missing: 1 cases could not be captured or replayed"'
check '... with its reason' grep -q '^broken: rubato: it fails' "$WORK/err"
check 'no folder' eval 'RUBATO=$WORK/rubato tests/silicon /nowhere system 2>"$WORK/err"; [ $? = 2 ] && grep -q native.tsv "$WORK/err"'
exit $failures
