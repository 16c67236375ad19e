#!/usr/bin/env bash
# rubato config show --cost: components with their costs, what is doubtful, forms, and what is refused.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

cost() { "$RUBATO" config show "$@" --cost; }
column() { awk -F '\t' -v name="$1" -v want="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["component"] == name { print $at[want] }'; }
check() { if eval "$2"; then ok "$1"; else not_ok "$1"; fi; }    # NAME CONDITION
less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && b != "" && a < b) }'; }

for node in 90nm 45nm 32nm 22nm 16nm 14nm 10nm 7nm 5nm; do
    cost server --set technology=$node --tsv >"$WORK/$node"
done
cost server --tsv >"$WORK/none"
check 'without a technology it is 22nm' 'cmp -s "$WORK/none" "$WORK/22nm"'
check 'a newer node has less area' 'less "$(column l3 area_mm2 <"$WORK/7nm")" "$(column l3 area_mm2 <"$WORK/16nm")"'
check 'a newer node is faster' 'less "$(column l2 access_ns <"$WORK/32nm")" "$(column l2 access_ns <"$WORK/45nm")"'
check 'caches, MSHRs and prefetchers are components' \
    '[ -n "$(column l2.mshrs area_mm2 <"$WORK/22nm")$(column l1d.prefetcher area_mm2 <"$WORK/22nm")" ]'

one=$(cost default --tsv | column l1d area_mm2)
four=$(cost default --set cores=4 --set cpu.share=yes --tsv | column l1d area_mm2)
check 'the area of four L1Ds is four times that of one' 'awk -v a="$one" -v b="$four" "BEGIN { exit !(b / a > 3.999 && b / a < 4.001) }"'

cost default --set l2.tag_latency=2 --set l2.data_latency=2 >"$WORK/out"
check 'a cache that is too fast is doubtful' 'grep -q "^l2 is doubtful: it answers after 2 cycles, 1 ns" "$WORK/out"'
check 'what is not covered is said' 'grep -q "^Not covered: .*snoop filters" "$WORK/out"'
cost default --set cpu.model=detailed --set cpu.tlb=yes --tsv >"$WORK/out"
check 'detailed cores have queues, predictors and TLBs' \
    '[ -n "$(column cpu.rob read_pj <"$WORK/out")" ] && [ -n "$(column cpu.btb read_pj <"$WORK/out")" ] && [ -n "$(column cpu.tlb.l2 read_pj <"$WORK/out")" ]'
check 'JSON has a row for each' 'cost default --json | grep -q "\"component\": *\"l1i.mshrs\""'
check 'config show has a technology if it was set' '"$RUBATO" config show default --set technology=7nm | grep -q "^technology: 7nm"'
check 'config show has none otherwise' '! "$RUBATO" config show default | grep -q technology'

refuses() {    # NAME WORDS ARGUMENTS...
    local name=$1 words=$2
    shift 2
    "$RUBATO" "$@" >"$WORK/out" 2>"$WORK/err"
    if [ $? -eq 2 ] && grep -q -- "$words" "$WORK/err"; then ok "$name"; else not_ok "$name"; sed 's/^/    /' "$WORK/err"; fi
}
refuses 'an unknown node is refused with those that are known' '22nm' config show default --set technology=21nm --cost
refuses '--cost is for show' 'is for config show' config list --cost
refuses 'tables are for list and --cost' 'config show --cost' config show default --tsv

# ---- energy of a run
run() { "$RUBATO" replay default tests/traces/gups --quiet --stats "$WORK/$1" "${@:2}" >/dev/null 2>&1; }
run with.json --set technology=22nm
run with.txt --set technology=22nm
run without.txt
check 'no time and no statistic of gem5 depends on the technology' 'cmp -s "$WORK/with.txt" "$WORK/without.txt"'
value() { sed -nE "s/^ \"$1\": ([^,]*),?$/\1/p" "$WORK/with.json"; }
"$RUBATO" config show default --set technology=22nm --cost --tsv >"$WORK/costs"
about() { awk "BEGIN { a = ($1); b = ($2); exit !(b > 0 && a / b > 0.99999 && a / b < 1.00001) }"; }
sum=$(for part in caches buffers tlbs cores leakage; do printf ' + %s' "$(value "sramEnergy::$part")"; done)
check 'parts of the energy add up' 'about "0$sum" "$(value sramEnergy::total)"'
leakage=$(awk -F '\t' 'NR > 1 { sum += $5 } END { print sum }' "$WORK/costs")
check 'leakage is power times time' 'about "$leakage * $(value simTicks) * 1e-3" "$(value sramEnergy::leakage)"'
cost_of() { column "$1" "$2" <"$WORK/costs"; }
l1i="$(value system.l1i.overallAccesses::total) * $(cost_of l1i read_pj) + $(value system.l1i.overallMshrMisses::total) *
    ($(cost_of l1i write_pj) + $(cost_of l1i.mshrs read_pj) + $(cost_of l1i.mshrs write_pj)) +
    $(value system.l1i.overallMisses::total) * $(cost_of l1i.mshrs read_pj)"
check 'a cache has accesses times energy' 'about "$(tr "\n" " " <<<"$l1i")" "$(value system.l1i.sramEnergy::dynamic)"'

# ---- its line in the summary
"$RUBATO" replay default tests/traces/gups --set technology=22nm --summary "$WORK/sum.json" >"$WORK/summary"
metric() { sed -nE "s/^ *\"$1\": ([-0-9.e+]+),?$/\1/p" "$WORK/sum.json" | head -n 1; }
percent() { awk "BEGIN { printf \"%.1f\", 100 * $(metric "$1") / $(metric energy.total_mj) }"; }
line=$(printf 'energy        %.4g mJ: DRAM %s %%, leakage %s %%, caches %s %%; %.4g nJ an instruction; EDP %.4g uJ s' "$(metric energy.total_mj)" \
    "$(percent mem.energy_mj)" "$(percent energy.leakage_mj)" "$(percent energy.caches_mj)" "$(metric energy.nj_inst)" "$(metric energy.edp)")
check 'the summary has total, largest parts, nJ an instruction, EDP' 'grep -qxF "$line" "$WORK/summary"'
"$RUBATO" replay default tests/traces/gups >"$WORK/summary"
check 'the summary has no such line without a technology' '! grep -q "^energy  " "$WORK/summary"'
"$RUBATO" replay commands-ddr5 tests/traces/gups --set technology=22nm >"$WORK/summary"
check 'of a DRAM without currents it says so' 'grep -q "^energy  .* mJ of SRAMs: leakage .*; that of DRAM is not known$" "$WORK/summary"'

mkdir "$WORK/sweep"
printf 'system: default\ntraces: %s\nset: {technology: 22nm}\naxes: {l2.size: [256KiB, 2MiB]}\n' "$PWD/tests/traces/gups" >"$WORK/sweep/s.yaml"
"$RUBATO" sweep "$WORK/sweep/s.yaml" -o "$WORK/s.db" -j 1 >/dev/null 2>&1
"$RUBATO" results "$WORK/s.db" --csv --columns area_mm2,energy.total_mj,energy.sram_mj,mem.energy_mj,energy.edp,time_ms,energy.nj_inst,instructions,l2.energy_mj,l2.area_mm2 \
    | tail -n 1 >"$WORK/row"
check 'metrics of a sweep: energies, their product with time, and areas' "awk -F , '
    function near(a, b) { return a / b > 0.9999 && a / b < 1.0001 }
    { exit !(\$1 > 0 && near(\$3 + \$4, \$2) && near(\$2 * \$6, \$5) && near(1e6 * \$2 / \$8, \$7) && \$9 > 0 && \$9 < \$3 && \$10 < \$1) }' '$WORK/row'"

# ---- a price of one's own
spec() {    # COST: $WORK/sweep/p.yaml
    printf 'system: default\ntraces: %s\nset: {technology: 22nm}\naxes: {l2.size: [256KiB, 2MiB]}\ncost: %s\n' "$PWD/tests/traces/gups" "$1" >"$WORK/sweep/p.yaml"
}
priced() { "$RUBATO" sweep "$WORK/sweep/p.yaml" -o "$WORK/p.db" -j 1 2>&1; }
cells() { "$RUBATO" results "$WORK/p.db" --csv --columns "$1" | tail -n +2; }
spec '{sram_mm2: 0.9, channel: 12, core: 4, l2.size: 0.02 per KiB}'
priced >/dev/null
check 'names times prices' "cells cost,area_mm2,l2.size | awk -F , '{ d = \$1 - (0.9 * \$2 + 16 + 0.02 * \$3 / 1024); n += d < 1e-9 && d > -1e-9 } END { exit n != 2 }'"
spec '"area_mm2 / 2 + 100 / (l2.assoc - 4) - time_ms"'
priced >"$WORK/said"
check 'another price runs no point again' 'grep -q "0 done, 0 failed, 2 done before" "$WORK/said"'
check 'a formula' "cells cost,area_mm2,time_ms,l2.assoc | awk -F , '{ d = \$1 - (\$2 / 2 + 100 / (\$4 - 4) - \$3); n += d < 1e-9 && d > -1e-9 } END { exit n != 2 }'"
check 'conditions and order by cost' '[ "$("$RUBATO" results "$WORK/p.db" --csv --columns l2.size --sort -cost --limit 1 --where "cost > 1" | tail -n 1)" = 2097152 ]'
"$RUBATO" report "$WORK/p.db" -o "$WORK/p.html" >/dev/null 2>&1
check 'the report has it' 'grep -q "\"cost\",\"unit\"" "$WORK/p.html"'
spec 'mem.rowhammer.most'
priced >/dev/null
check 'a metric without a value: the cost is missing' '[ "$(cells cost | sort -u)" = "" ]'
sed -i 's/axes: .*/axes: {cpu_clock: [2GHz, 3GHz, 1.3GHz]}/; s/^cost: .*/cost: {cpu_clock: 6 per GHz}/' "$WORK/sweep/p.yaml"
priced >/dev/null
check 'clocks are counted in Hz, those without a whole period, too' '[ "$(cells cost | cut -c 1-6 | paste -sd " ")" = "12 18.018 7.8023" ]'
while IFS='|' read -r name words formula; do
    spec "$formula"
    "$RUBATO" sweep "$WORK/sweep/p.yaml" -o "$WORK/q.db" -j 1 >/dev/null 2>"$WORK/err"
    if [ $? -eq 2 ] && grep -q "p.yaml:5: .*$words" "$WORK/err"; then ok "refused: $name"; else not_ok "refused: $name"; sed 's/^/    /' "$WORK/err"; fi
done <<'CASES'
an unknown metric|did you mean area_mm2|"0.9 * area_mm3"
an unknown key|did you mean l2.size|{l2.sise: 3}
a division by zero|divides by zero|1 / (l2.assoc - l2.assoc)
a word|is no number|3 * l2.replacement
a unit that is none|expected a price|{l2.size: 0.02 per apple}
no number|expected a price|{channel: x}
a condition|expected|1 < 2
itself|a part of itself|cost + 1
half a formula|expected a key|3 +
a list|expected a formula|[1, 2]
bytes and clocks|cannot be added|l2.size + cpu_clock
CASES
