#!/usr/bin/env bash
# RowHammer figures of memories of DRAM commands: the summary, --summary and the statistics have the same, channels add up
# or have the highest; without a threshold nothing is counted.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

# ---- a run with PARA: text, metrics, statistics
defended=(commands-ddr4 "$TRACES/gups" --set memory.standard=DDR4_VRR --set memory.command.rowhammer_threshold=8
    --set memory.mitigation=PARA --set memory.mitigations.PARA_threshold=0.5)
"$RUBATO" replay "${defended[@]}" --summary "$WORK/summary.json" --stats "$WORK/stats.json" | tail -n 4 >"$WORK/table"
metric() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*$/\1/p" "$WORK/summary.json"; }
stat() { sed -n "s/.*\"system.mem_ctrls.rowhammer.$1\": \([0-9.e+]*\).*/\1/p" "$WORK/stats.json"; }
read -r _ _ most unserved hot flips prevented refreshes activates _ < <(sed -n 2p "$WORK/table")
while read -r shown name statistic; do
    check "$name: $shown is the metric $(metric "mem.$name") and the statistic $statistic $(stat "$statistic")" \
        test "$shown" = "$(metric "mem.$name")" -a "$shown" = "$(stat "$statistic")"
done <<END
$most rowhammer.most mostActivations
$unserved rowhammer.unserved mostUnserved
$hot rowhammer.hot hotRows
$flips rowhammer.flips possibleFlips
$prevented rowhammer.prevented preventedFlips
$refreshes defence.refreshes defenceRefreshes
$activates defence.activates defenceActivates
END
check "hot rows may flip or not: $hot = $flips + $prevented" test "$hot" = $((flips + prevented)) -a "$hot" -gt 0
check 'its refreshes are all VRR' grep -q "\"system.mem_ctrls.commands::VRR\": $refreshes," "$WORK/stats.json"
histogram() { sed -n '/"rows_by_activations"/,/}/s/^ *"\([0-9]*\)": \([0-9]*\),*$/\1 \2/p' "$WORK/summary.json"; }
check 'the histogram reaches the limit as often' test "$(histogram | awk '$1 >= 8 { n += $2 } END { print n + 0 }')" = "$hot"
check 'the histogram has all activations' awk -v acts="$(sed -n 's/.*"system.mem_ctrls.commands::ACT": \([0-9]*\).*/\1/p' "$WORK/stats.json")" '
    { least += $1 * $2; most += (2 * $1 - 1) * $2 } END { exit !(least <= acts && acts <= most) }' <(histogram)

# ---- channels: the most hammered row is of one of them, rows add up
"$RUBATO" replay commands-hbm3 "$TRACES/gups" --quiet --set memory.command.rowhammer_threshold=2 --summary "$WORK/summary.json"
check 'the highest of all channels' test "$(metric mem.rowhammer.most)" = \
    "$(sed -n 's/^ *"mem[0-9][0-9]*.rowhammer.most": \([0-9]*\),*$/\1/p' "$WORK/summary.json" | sort -n | tail -n 1)"
check 'hot rows of all channels' test "$(metric mem.rowhammer.hot)" = \
    "$(sed -n 's/^ *"mem[0-9][0-9]*.rowhammer.hot": \([0-9]*\),*$/\1/p' "$WORK/summary.json" | awk '{ sum += $1 } END { print sum + 0 }')"

# ---- the sweep over all defences: what hammers is stopped, what does not is let be
"$RUBATO" sweep configs/sweep/defences.yaml -j 2 -o "$WORK/defences.db" >"$WORK/said" 2>&1
check 'the sweep over defences: all points are done' grep -q '^run  *46 done, 0 failed' "$WORK/said"
"$RUBATO" results "$WORK/defences.db" --csv --columns traces,memory.standard,memory.mitigation,memory.command.controller,time_ms,mem.rowhammer.most,mem.rowhammer.unserved,mem.rowhammer.flips,mem.rowhammer.prevented,mem.defence.energy_mj,mem.energy_mj |
    sed 's/"\([^",]*\),\([^",]*\)"/\1+\2/' >"$WORK/table.csv"
rows() { awk -F, -v traces="$1" -v defence="$2" '$1 == traces && $3 "/" $4 ~ defence' "$WORK/table.csv"; }
check 'without a defence all twelve rows may flip' test "$(rows hammer '^none/auto' | cut -d , -f 6,8 | sort -u)" = 2048,12
check 'RFM alone serves no row that one can see' test "$(rows hammer '^RFM/auto' | cut -d , -f 7,8)" = 2048,12
check 'no row may flip with any other defence' test "$(rows hammer '.' | grep -vE ',(none|RFM),auto,' | cut -d , -f 8 | sort -u)" = 0
check 'defences that refresh prevent twelve flips' test \
    "$(rows hammer '^(PARA|Graphene|OracleRH|TWiCe|Hydra|RFM.*TRR)/|/single-bus-prac' | cut -d , -f 9 | sort | uniq -c | tr -s ' ')" = ' 14 12'
check 'defences that move or delay rows keep them below the limit' awk -F, '$6 >= 1024 { exit 1 } END { exit NR != 6 }' \
    <(rows hammer '^(RRS|AQUA)/|blockhammer')
check 'the program that does not hammer loses no more than a twentieth' awk -F, '
    $3 "/" $4 == "none/auto" { time[$2] = $5 } $5 > 1.05 * time[$2] { print; bad = 1 } END { exit bad || NR != 23 }' <(rows gups '.')
check 'energy is that of DDR4 only' awk -F, '$2 ~ /DDR4/ ? !($11 > 0) : $11 != "" { exit 1 }' <(rows hammer '.')
check 'a defence costs energy' awk -F, '$2 == "DDR4_VRR" && $3 != "none" && !($10 > 0 && $10 < $11) { exit 1 }' <(rows hammer '.')

# ---- a memory by itself: text and JSON have the same, and rows that hammer together are served together
traffic=(traffic commands-ddr4 "$TRACES/hammer/rows.load_store.xz" --set memory.standard=DDR4_VRR --set memory.command.rowhammer_threshold=256)
"$RUBATO" "${traffic[@]}" --json | sed -n '/"rowhammer"/,$p' >"$WORK/traffic.json"
read -r _ _ most _ hot flips _ < <("$RUBATO" "${traffic[@]}" | tail -n 3)
field() { sed -n "s/^ *\"$1\": \([0-9]*\),*\$/\1/p" "$WORK/traffic.json"; }
check "traffic: $most, $hot, $flips are $(field most), $(field hot), $(field flips) of JSON" test "$most $hot $flips" = \
    "$(field most) $(field hot) $(field flips)" -a "$flips" = 12 -a "$hot" = 12

# ---- no threshold
"$RUBATO" replay commands-ddr4 "$TRACES/gups" --summary "$WORK/summary.json" >"$WORK/plain"
check 'without a threshold no table' test "$(grep -c RowHammer "$WORK/plain")" = 0
check 'nor metrics' test "$(grep -c 'rowhammer\|defence\|rows_by' "$WORK/summary.json")" = 0

exit $failures
