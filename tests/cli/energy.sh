#!/usr/bin/env bash
# Energy of DRAM: parts worked out again from the commands that a run writes, by the currents of the data sheet; summary, metrics and sweeps; files
# with currents of the user's own; a device without published ones says so; wrong ones are refused, with place, key and bound.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

value() { sed -n "s/.*\"$2\": \([-0-9.e+]*\).*/\1/p" "$1" | head -n 1; }
about() { awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { exit !(a != "" && b > 0 && a - b <= most * b && b - a <= most * b) }'; }    # relative

# ---- commands: Micron's x8 chip at DDR4-2400, 8 of them; pJ, by hand in tests/unit/memsys/command/test_cmd_energy.c
"$RUBATO" replay commands-ddr4 "$TRACES/gups" --quiet --stats "$WORK/c.json" --summary "$WORK/c.sum.json" --commands "$WORK/c.txt"
check 'a run with commands ends' test -s "$WORK/c.txt"
count() { awk -F , -v c="$1" '$2 == c || $2 == c "A" { n++ } END { print n + 0 }' "$WORK/c.txt"; }
activates=$(count ACT) reads=$(count RD) writes=$(count WR) refreshes=$(count REFab)
part() { value "$WORK/c.json" "system.mem_ctrls.dram.energy::$1"; }
check 'activates' about "$(part activate)" "$(awk -v n="$activates" 'BEGIN { printf "%.9g", n * 3350.6592 }')" 1e-6
check 'reads' about "$(part read)" "$(awk -v n="$reads" 'BEGIN { printf "%.9g", n * 92 * 3.333 * 9.6 }')" 1e-6
check 'writes' about "$(part write)" "$(awk -v n="$writes" 'BEGIN { printf "%.9g", n * 80 * 3.333 * 9.6 }')" 1e-6
check 'refreshes: 433 x 0.833 ns of 2.4872 W' about "$(part refresh)" "$(awk -v n="$refreshes" 'BEGIN { printf "%.9g", n * 433 * 0.833 * 2487.2 }')" 1e-6
time_ps=$(value "$WORK/c.json" simTicks)
check 'the background is between precharge and active standby' awk -v e="$(part background)" -v t="$time_ps" \
    'BEGIN { exit !(e > t * 8 * 0.0483 && e < t * 8 * 0.0591) }'
check 'I/O is not published' test -z "$(part io)"
check 'the parts add up' about "$(part total)" "$(awk -v a="$(part activate)" -v b="$(part read)" -v c="$(part write)" -v d="$(part refresh)" \
    -v e="$(part background)" 'BEGIN { printf "%.12g", a + b + c + d + e }')" 1e-9
check 'a metric is the sum' about "$(value "$WORK/c.sum.json" mem.energy_mj)" "$(awk -v t="$(part total)" 'BEGIN { printf "%.9g", t * 1e-9 }')" 1e-6
check 'pJ a bit' about "$(value "$WORK/c.sum.json" mem.pj_per_bit)" \
    "$(awk -v t="$(part total)" -v n=$((reads + writes)) 'BEGIN { printf "%.9g", t / (512 * n) }')" 1e-6
"$RUBATO" replay commands-ddr4 "$TRACES/gups" --quiet --set memory.command.ecc=sideband --stats "$WORK/e.json"
for one in activate read write refresh background total energyPerBit; do
    name=energy::$one; [ $one = energyPerBit ] && name=$one
    check "sideband ECC: nine chips for eight, $one" about "$(value "$WORK/e.json" "system.mem_ctrls.dram.$name")" \
        "$(value "$WORK/c.json" "system.mem_ctrls.dram.$name" | awk '{ printf "%.12g", $1 * 9 / 8 }')" 1e-6
done
"$RUBATO" replay commands-ddr4 "$TRACES/gups" --quiet --engine plain --stats "$WORK/p.json"
check 'both engines have the same' test "$(grep energy "$WORK/c.json")" = "$(grep energy "$WORK/p.json")"

# ---- gem5's controller on the same chip: a burst costs the same
gem5() { "$RUBATO" replay default "$TRACES/gups" --set memory.device=DDR4_2400_8x8 "$@"; }
gem5 --quiet --stats "$WORK/g.json" --summary "$WORK/g.sum.json"
g() { value "$WORK/g.json" "system.mem_ctrls.dram.$1"; }
check 'reads of gem5'\''s' about "$(g energy::read)" "$(awk -v n="$(g readBursts)" 'BEGIN { printf "%.9g", n * 92 * 3.332 * 9.6 }')" 1e-6
check 'refreshes by the time of that state' about "$(g energy::refresh)" \
    "$(awk -v a="$(g rank0.pwrStateTime::REF)" -v b="$(g rank1.pwrStateTime::REF)" 'BEGIN { printf "%.9g", (a + b) * 2.4872 }')" 1e-6
check 'the background by all states' about "$(g energy::background)" "$(for rank in 0 1; do
    for state in IDLE:0.0483 REF:0.0591 SREF:0.0435 PRE_PDN:0.0375 ACT:0.0591 ACT_PDN:0.0519; do
        echo "$(g "rank$rank.pwrStateTime::${state%:*}") ${state#*:}"; done; done | awk 'NF == 2 { e += $1 * $2 * 8 } END { printf "%.6f", e }')" 1e-6
gem5 --quiet --set memory.dram.enable_dram_powerdown=yes --stats "$WORK/d.json"
check 'power-down saves background' awk -v a="$(value "$WORK/d.json" system.mem_ctrls.dram.energy::background)" -v b="$(g energy::background)" \
    'BEGIN { exit !(a > 0 && a < b) }'

# ---- the summary
gem5 --all >"$WORK/summary"
check 'the table of memories has energy' grep -q 'energy mJ  pJ/bit$' "$WORK/summary"
check 'the table of parts has the data sheet' grep -q 'not published .* Micron 8Gb DDR4, MT40A1G8, die revision B, DDR4-2400$' "$WORK/summary"
gem5 --set memory.currents.read_pin=4.6mW --all >"$WORK/io"
check 'I/O that is given' awk '/^energy mJ/ { getline; exit !($8 > 0) }' "$WORK/io"
"$RUBATO" replay commands-ddr5 "$TRACES/gups" --all --summary "$WORK/none.json" >"$WORK/none"
check 'none published' test "$(grep -c 'none published$' "$WORK/none")" = 4
check 'no metric' test -z "$(value "$WORK/none.json" mem.energy_mj)"
"$RUBATO" replay near-far "$TRACES/gups" --quiet --summary "$WORK/mixed.json"
check 'of several memories, of which one has none' test -z "$(value "$WORK/mixed.json" mem.energy_mj)"
check 'each has its own' test -n "$(value "$WORK/mixed.json" mem1.energy_mj)"

# ---- files of one's own
cd "$WORK" || exit 1
traces=$OLDPWD/$TRACES; [ -d "$traces" ] || traces=$TRACES
cp "$OLDPWD/configs/dram/DDR5_4400_4x8.yaml" mine.yaml
cat >>mine.yaml <<'END'
currents: {VDD: 1.1V, IDD0: 150mA, IDD2N: 92mA, IDD2P: 88mA, IDD3N: 142mA, IDD3P: 140mA, IDD4R: 377mA, IDD4W: 349mA, IDD5B: 277mA, IDD6: 102mA,
           datasheet: "of mine"}
END
check 'a device with currents' sh -c "'$RUBATO' replay default '$traces/gups' --set memory.device=./mine.yaml --all | grep -q ' of mine\$'"
"$RUBATO" config show default --set memory.device=./mine.yaml >shown.yaml
check 'config show keeps them without the file' sh -c "mv mine.yaml gone; '$RUBATO' replay shown.yaml '$traces/gups' --all | grep -q ' of mine\$'; r=\$?
    mv gone mine.yaml; exit \$r"
cat >plan.yaml <<END
system: default
traces: [$traces/gups]
axes:
  memory.device: [./mine.yaml, DDR4_2400_8x8, DDR5_4400_4x8]
END
"$RUBATO" sweep plan.yaml -o points.db >sweep.out
"$RUBATO" results points.db --columns memory.device,mem.energy_mj,mem.pj_per_bit,mem.energy_mj.read -o points.csv
check 'a sweep over devices' awk -F , 'NR > 1 { n[$1] = $2 } END { exit !(n["mine.yaml"] > 0 && n["DDR4_2400_8x8"] > 0 && n["DDR5_4400_4x8"] == "") }' points.csv
cat >standard.yaml <<'END'
extends: DDR4
currents:
  - {organization: DDR4_8Gb_x8, rate: 2400, datasheet: "the other", VDD: 1.2V, IDD0: 58mA, IDD2N: 34mA, IDD2P: 25mA, IDD3N: 43mA,
     IDD3P: 37mA, IDD4R: 135mA, IDD4W: 123mA, IDD5B: 250mA, IDD6: 30mA}
END
check 'a standard with currents' sh -c "'$RUBATO' replay commands-ddr4 '$traces/gups' --set memory.standard=./standard.yaml --all | grep -q ' the other\$'"

# ---- refused
bad() { refused "$1" "$2" "$RUBATO" replay default "$traces/gups" --quiet --set "$3"; }
bad 'less than standby' 'memory\.currents\.IDD4R: 20\.000 mA is less than 3N, active standby.*give 38\.000 mA or more' memory.currents.IDD4R=20mA
bad 'an activate that yields energy' 'memory\.currents\.IDD0: 10\.000 mA .*give 36\.308 mA or more' memory.currents.IDD0=10mA
bad 'a negative current' 'memory\.currents\.IDD0: "-5mA" is negative; give a current such as 48mA' memory.currents.IDD0=-5mA
bad 'a voltage' 'memory\.currents\.VDD: 50V is out of range; give 0V to 5V' memory.currents.VDD=50V
bad 'no unit' 'memory\.currents\.IDD0: "55" has no unit' memory.currents.IDD0=55
refused 'single currents of a device without any' 'memory\.currents\.VDD: is missing' "$RUBATO" replay default "$traces/gups" --quiet --set \
    memory.device=DDR5_4400_4x8 --set memory.currents.IDD0=50mA
sed -i 's/IDD4R: 377mA/IDD4R: 100mA/' mine.yaml
refused 'in a device'\''s file' 'mine\.yaml:[0-9]*: currents\.IDD4R: 100\.000 mA' "$RUBATO" replay default "$traces/gups" --quiet --set memory.device=./mine.yaml
sed -i 's/IDD6: 30mA/IDD7: 30mA/' standard.yaml
refused 'in a standard'\''s file' 'standard\.yaml: line 4: currents: IDD7: "30mA" is unknown; give' "$RUBATO" replay commands-ddr4 "$traces/gups" --quiet --set \
    memory.standard=./standard.yaml
