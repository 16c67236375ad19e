#!/usr/bin/env bash
# rubato sweep --axes prints the axes for programs, --designs FILE runs chosen combinations alone, --progress TIME says how often it speaks.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
cd "$WORK" || exit 1
printf 'system: [wide, default]\ntraces: [%s, %s]\nrecords: 1000\naxes: {l1d.mshrs: {from: 2, to: 8, times: 2}, l2.size: [512KiB, 1MiB]}
zip: {l1d.size: [32KiB, 64KiB], l1d.assoc: [2, 4]}\nskip: l1d.mshrs == 4\n' "$TRACES/gups" "$TRACES/triad" >s.yaml

"$RUBATO" sweep s.yaml --axes >axes.json
check '--axes: values of ranges, systems, traces' grep -q '{"axis": "l1d.mshrs", "group": 0, "values": \["2", "4", "8"\]}' axes.json
check '--axes: axes that vary together are of a group' test "$(grep -c '"group": 2' axes.json)" = 2
check '--axes: nothing runs' test ! -e s.db

designs() { printf '%b' "$1" >designs && "$RUBATO" sweep s.yaml --designs designs -o d.db -j 1 "${@:2}" >said 2>err; }
cells() { "$RUBATO" results d.db --csv --columns "$1" | tail -n +2 | paste -sd ' '; }
designs 'l1d.mshrs,l2.size,system,l1d.size,l1d.assoc\n2,524288,wide,64KiB,4\n8, 1MiB,default,32KiB,2\n'
check 'two designs, each with both traces, in their order' test "$(cells system,traces,l1d.mshrs,l2.size,l1d.assoc)" = \
    'wide,gups,2,524288,4 wide,triad,2,524288,4 default,gups,8,1048576,2 default,triad,8,1048576,2'
designs 'system\tl1d.size\tl2.size\tl1d.mshrs\nwide\t64KiB\t512KiB\t2\nwide\t32KiB\t512KiB\t4\nwide\t32KiB\t512KiB\t8\n'
check 'tabs; one axis of a zip; points that are there are not run again; skipped ones have no points' \
    grep -q 'run           2 done, 0 failed, 2 done before' said
"$RUBATO" sweep s.yaml -o whole.db -j 1 >/dev/null 2>&1
check 'a point is that of the whole sweep' test "$("$RUBATO" results whole.db --csv --columns time_ms --where \
    'system == wide and l1d.size == 64KiB and l2.size == 512KiB and l1d.mshrs == 2' | tail -n +2 | paste -sd ' ')" = "$(cells time_ms | cut -d ' ' -f 1,2)"

wrong() {    # NAME PATTERN FILE
    printf '%b' "$3" >designs
    refused "designs: $1" "$2" "$RUBATO" sweep s.yaml --designs designs -o none.db
}
all='system,l1d.mshrs,l2.size,l1d.size'
wrong 'an unknown axis' 'designs:1: l1d.mshr: is no axis of s.yaml; did you mean l1d.mshrs\?' 'l1d.mshr\n2\n'
wrong 'a value that is none' 'designs:3: l1d.mshrs: 3: is none of its values, 2 to 8' "$all\nwide,2,1MiB,32KiB\nwide,3,1MiB,32KiB\n"
wrong 'values of a zip that do not stand together' 'designs:2: 64KiB: no values of the axes zipped with l1d.size' "$all,l1d.assoc\nwide,2,1MiB,64KiB,2\n"
wrong 'an axis that is left out' 'designs:2: no value of l1d.mshrs, which has 3' 'system,l2.size\nwide,1MiB\n'
wrong 'a system that is left out' 'designs:2: no system of 2' 'l1d.mshrs,l2.size,l1d.size\n2,1MiB,32KiB\n'
wrong 'an unknown system' 'designs:2: wild: is no system' "$all\nwild,2,1MiB,32KiB\n"
wrong 'too few values' 'designs:2: has 3 of 4 values' "$all\nwide,2,1MiB\n"
wrong 'too many values' 'designs:2: has more than 4 values' "$all\nwide,2,1MiB,32KiB,2\n"
wrong 'a name twice' 'designs:1: system: is named twice' 'system,system\nwide,wide\n'
wrong 'an empty file' 'designs: has no designs' ''
refused 'designs: a folder' 'cannot be read' "$RUBATO" sweep s.yaml --designs . -o none.db
refused 'designs: no file' 'nothing: cannot be opened' "$RUBATO" sweep s.yaml --designs nothing -o none.db
refused 'designs of an array job' 'leave out --on' "$RUBATO" sweep s.yaml --designs designs --on slurm
refused '--progress takes a time' 'unknown unit' "$RUBATO" sweep s.yaml --progress 1zz
check 'nothing was written' test ! -e none.db

rm -f d.db
designs "$all\nwide,2,1MiB,32KiB\nwide,8,1MiB,32KiB\n" --progress 1ms
check '--progress: lines as often as asked for' grep -qE '^[1-4] of 4 points, 0 failed, ' err
