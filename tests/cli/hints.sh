#!/usr/bin/env bash
# Suggestions of the probable meaning: mistyped columns, metrics and workloads of results, swapped arguments of a
# replay.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

traces=$PWD/tests/traces configs=$PWD/configs
cd "$WORK" || exit 1
printf 'system: default\ntraces: [%s, %s]\naxes:\n  l2.size: [256KiB, 512KiB]\n  until: 5us\n' "$traces/gups" "$traces/triad" >bad.yaml
printf 'system: default\nuntil: 5us\ntraces: [%s, %s]\naxes:\n  l2.size: [256KiB, 512KiB]\n' "$traces/gups" "$traces/triad" >spec.yaml
"$RUBATO" sweep spec.yaml -o t.db >/dev/null 2>messages || { not_ok 'a sweep'; cat messages; }
check 'until: of a sweep takes a time with its unit' test "$("$RUBATO" results t.db --columns finalTick --csv |
    tail -n +2 | sort -u)" = 5000000
printf 'system: default\nuntil: 5xs\ntraces: [%s]\n' "$traces/gups" >wrong.yaml
refused 'until: of a sweep without such a unit' 'wrong.yaml:2: .*until.* a time such as 20us' "$RUBATO" sweep wrong.yaml -o w.db

where() { refused "$1" "$3" "$RUBATO" results t.db --where "$2"; }
where 'a workload' 'traces == triade' '--where: no point has traces triade; did you mean triad\? There are gups, triad'
where 'a workload in quotes' "traces == 'gupss'" 'no point has traces gupss; did you mean gups\?'
where 'a workload that is not to be' 'traces != triadd' 'did you mean triad\?'
where 'a workload among others' 'l2.size > 1KiB and (traces == gups or not traces == trid)' 'no point has traces trid; did you mean triad\?'
where 'a workload like none' 'traces == xyzzy' 'no point has traces xyzzy\. There are gups, triad$'
where 'a system' 'system == defaut' 'no point has system defaut; did you mean default\?'
where 'a state' 'state == doen' 'state is never doen; did you mean done\?'
where 'a metric' 'cpii > 1' '--where: cpii is not a column; did you mean cpi\?'
where 'a metric of a cache' 'l1d.mkpi > 1' 'l1d.mkpi is not a column; did you mean l1d.mpki\?'
where 'a metric of a core' 'cpu0.ipcc > 1' 'cpu0.ipcc is not a column; did you mean cpu0.ipc\?'
where 'a mean' 'mean.cpii > 1' 'mean.cpii is not a column; did you mean mean.cpi\?'
where 'a statistic' 'system.cpu.cpii > 1' 'did you mean system.cpu.cpi\?'
where 'a key' 'l2.sise > 1' 'l2.sise: unknown key; did you mean l2.size\?'
where 'a column' 'trace == gups' 'trace is not a column; did you mean traces\?'
where 'a name like none' 'xyzzy > 1' 'xyzzy is not a column; .rubato results --metrics. lists metrics'
refused 'a column to show' '--columns: mem.gbs is not a column; did you mean mem.gb_s\?' "$RUBATO" results t.db --columns point,mem.gbs
refused 'a column to sort by' '--sort: tmie_ms is not a column; did you mean time_ms\?' "$RUBATO" results t.db --sort tmie_ms
check 'valid names are listed' test "$("$RUBATO" results t.db --where 'traces == gups and state == done' --csv --columns point | wc -l)" = 3
check 'a state that no point is in' test "$("$RUBATO" results t.db --where 'state == failed' --csv --columns point | wc -l)" = 1

swapped() { refused "$1" "$2" "$RUBATO" replay "${@:3}"; }
swapped 'a trace, then a system' 'triad is a trace, and wide a system; the system comes first: wide .*triad$' "$traces/triad" wide
swapped 'two traces, then a system' 'and quad a system' "$traces/triad" "$traces/gups" quad
swapped 'a file of a system' 'chase.rbt is a trace, and .*configs/wide.yaml a system' "$traces/detailed/chase.rbt" "$configs/wide.yaml"
swapped 'kernels and a GPU' 'gcn3-fir is a trace, and r9nano a system' "$traces/gpu/gcn3-fir" r9nano
swapped 'a trace alone' 'triad is a trace; a system comes first' "$traces/triad"
swapped 'traces alone' 'triad is a trace; a system comes first' "$traces/triad" "$traces/gups"
swapped 'two systems' 'laptop is a system, and there is one already, wide' wide laptop
refused 'an elastic trace to be made' 'chase.rbt is a trace, and wide a system' "$RUBATO" trace elastic "$traces/detailed/chase.rbt" wide -o el
swapped 'a mistyped system' 'laptpo: no such file, .*did you mean laptop\?' laptpo "$traces/triad"
for system in "$configs"/*.yaml "$configs"/detailed/*.yaml; do
    "$RUBATO" replay "$traces/triad" "$system" 2>&1 | grep -q 'comes first: ' || not_ok "$system is not taken for a system"
done
exit $failures
