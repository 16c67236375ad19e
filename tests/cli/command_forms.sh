#!/usr/bin/env bash
# --commands FILE in other tools' forms: another reader finds in Ramulator's binary files what the CSV of the same run has; DRAMPower's
# lines are those commands in its words, of both controllers. tools/command_check finds no broken rule in a run, and the right one in a
# list in which a line was moved or is missing.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
CHECK=$BUILD/tests/tools/command_check
[ -x "$CHECK" ] || { not_ok "there is no $CHECK; make tests builds it"; exit 1; }
one='--set memory.size=512MiB --set memory.channels=1'
run() { "$RUBATO" replay "$1" "$TRACES/gups" --quiet --commands "$2" "${@:3}"; }

# shellcheck disable=SC2086    # $one: settings
# ---- Ramulator's
python=$(command -v python3)
same_as_csv() {    # NAME FILE CSV
    PYTHONDONTWRITEBYTECODE=1 "$python" tests/support/read_commands.py "$2" >"$WORK/read" 2>"$WORK/stderr" || cat "$WORK/stderr"
    check "$1: $(wc -l <"$3") lines" cmp -s "$WORK/read" "$3"
}
for system in commands-ddr4 commands-ddr5 commands-hbm3; do
    [ -n "$python" ] || { skip "no python3 to read $system (2)"; continue; }
    run $system "$WORK/list.csv" $one
    for form in bin ram2bin; do
        run $system "$WORK/list.$form" $one
        same_as_csv "$system, .$form" "$WORK/list.$form" "$WORK/list.csv"
    done
done
run commands-ddr4 "$WORK/two.ram2bin" --set memory.channels=2
run commands-ddr4 "$WORK/two.csv" --set memory.channels=2
check 'two channels: a file each' test -f "$WORK/two.ch0.ram2bin" -a -f "$WORK/two.ch1.ram2bin" -a ! -e "$WORK/two.ram2bin"
for channel in 0 1; do
    [ -n "$python" ] || { skip 'no python3 to read a channel'; continue; }
    awk -F, -v channel=$channel 'NR == 1 || $3 == channel' "$WORK/two.csv" >"$WORK/one.csv"
    same_as_csv "channel $channel" "$WORK/two.ch$channel.ram2bin" "$WORK/one.csv"
done
"$RUBATO" traffic commands-ddr4 --rate 2GB/s --commands "$WORK/traffic.bin" >/dev/null
check 'traffic writes it, too' test "$(head -c 8 "$WORK/traffic.bin" | od -An -tu4 | tr -s ' ')" = ' 6 8'
refused 'gem5'\''s controller has no ticks for it' '--commands .*x\.bin: Ramulator.s binary list of commands is for memory\.type: command' \
    "$RUBATO" replay default "$TRACES/gups" --quiet --commands "$WORK/x.bin"
check 'and nothing is left' test ! -e "$WORK/x.bin"

# ---- DRAMPower's: time,command,rank,bank group,bank,row,column[,data], as its commands in the CSV (one channel, one rank)
run commands-ddr4 "$WORK/list.csv" $one
run commands-ddr4 "$WORK/list.drampower" $one
awk -F, 'NR > 1 { name = $2; sub(/PREpb/, "PRE", name); sub(/PREab/, "PREA", name); sub(/REFab/, "REFA", name)
    for (i = 4; i <= 8; i++) if ($i < 0) $i = 0
    printf "%s,%s,%s,%s,%s,%s,%s\n", $1, name, $4, $5, $5 * 4 + $6, $7, $8 }' "$WORK/list.csv" >"$WORK/expected"
check "DDR4: $(wc -l <"$WORK/expected") commands for DRAMPower 5" cmp -s "$WORK/expected" <(sed '$d' "$WORK/list.drampower" | cut -d, -f1-7)
check 'reads and writes have the data of an access, others none' awk -F, '
    { wanted = $2 ~ /^(RD|WR)A?$/ ? 8 : 7; if (NF != wanted || (NF == 8 && length($8) != 128)) exit 1 }' "$WORK/list.drampower"
check 'the last line is the end' grep -qx '[0-9]*,END,0,0,0,0,0' <(tail -n 1 "$WORK/list.drampower")
run commands-ddr4 "$WORK/list.drampower4" $one
check 'DRAMPower 4 has time, command, bank' cmp -s <(sed '$d' "$WORK/list.drampower4") <(
    sed 's/REFA/REF/' "$WORK/expected" | cut -d, -f1,2,5)
run commands-lpddr5 "$WORK/two.drampower" $one
run commands-lpddr5 "$WORK/two.csv" $one
count() { grep -c ",$2," "$1"; }
check 'LPDDR5: an ACT for each ACT2, no CAS' test "$(count "$WORK/two.drampower" ACT)" = "$(count "$WORK/two.csv" ACT2)" \
    -a "$(grep -c CAS "$WORK/two.drampower")" = 0
run commands-ddr5 "$WORK/rfm.drampower" $one --set memory.standard=DDR5_RFM --set memory.mitigation=RFM \
    --set memory.mitigations.RFM_thresh=4 2>"$WORK/stderr"
check 'what DRAMPower does not know is said' grep -qE 'warning: .*rfm\.drampower: [0-9]+ RFMab left out: DRAMPower has no such command' "$WORK/stderr"
run default "$WORK/gem5.drampower"
run default "$WORK/gem5.txt"
awk '!/^#/ { name = $6; sub(/^REF$/, "REFA", name); bank = $5 == "-" ? 0 : $5
    printf "%d,%s,%d,%d,%d,%d,%d\n", int(($1 + 1249) / 1250), name, $3, $4 == "-" ? 0 : $4, bank, $7, $8 }' "$WORK/gem5.txt" >"$WORK/expected"
check "gem5's controller: $(wc -l <"$WORK/expected") commands for DRAMPower 5" cmp -s "$WORK/expected" <(
    sed '$d' "$WORK/gem5.drampower" | cut -d, -f1-7)
run default "$WORK/down.drampower" --set memory.dram.enable_dram_powerdown=yes
check 'power-down by the state of the banks' test "$(count "$WORK/down.drampower" 'PD[EX][AP]')" -gt 0 -a \
    "$(grep -cE ',(PDE|PDX),' "$WORK/down.drampower")" = 0
run near-far "$WORK/both.drampower"
check 'memories of both kinds' test -s "$WORK/both.ch0.drampower" -a -s "$WORK/both.ch1.drampower"

# ---- the rules
keeps() { "$CHECK" "$1" "$2" >"$WORK/result" || { head -n 3 "$WORK/result" | sed 's/^/    /'; return 1; }; }
for system in commands-ddr4 commands-ddr5 commands-lpddr5 commands-hbm3 commands-gddr7 near-far; do
    run $system "$WORK/list.csv"
    sed -i '/^#/d; /^[0-9]* [0-9]/d' "$WORK/list.csv"          # near-far: gem5's controller has a list of its own kind
    check "$system keeps the rules of its device" keeps $system "$WORK/list.csv"
done
breaks() {    # NAME PATTERN AWK
    awk -F, -v OFS=, "$3" "$WORK/list.csv" >"$WORK/broken.csv"
    cmp -s "$WORK/list.csv" "$WORK/broken.csv" && { not_ok "$1: nothing was changed"; return; }
    "$CHECK" commands-ddr4 "$WORK/broken.csv" >"$WORK/result"
    [ $? = 1 ] && grep -qE "$2" "$WORK/result" && ok "$1" || { not_ok "$1"; head -n 2 "$WORK/result" | sed 's/^/    /'; }
}
run commands-ddr4 "$WORK/list.csv"
breaks 'a read a tick early' 'RD at [0-9]+ \(.*\) comes 15 ticks after ACT at [0-9]+ .*; Bank: ACT to RD needs 16' \
    '!done && $2 == "RD" && last == "ACT" && $1 == at + 16 { $1--; done = 1 } { last = $2; at = $1; print }'
breaks 'an activation without its precharge' 'ACT at [0-9]+ .* opens a row in a bank with an open row' '!done && $2 == "PREpb" { done = 1; next } { print }'
breaks 'a read of a closed bank' 'RD at [0-9]+ .* finds the bank closed' '!done && $2 == "ACT" { done = 1; next } { print }'
breaks 'a read of another row' 'RD at [0-9]+ .* finds another row open' '!done && $2 == "RD" { $7++; done = 1 } { print }'
breaks 'no refresh' 'when the bank has had [0-9]+ refreshes and [0-9]+ were due' '$2 != "REFab"'
breaks 'a refresh with open banks' 'REFab at [0-9]+ .* finds a bank that is not closed' '!done && $2 == "PREab" { done = 1; next } { print }'
breaks 'two commands in a tick' 'second command of its bus in one tick' '!done && NR > 9 && $2 == "ACT" && last == "RD" { $1 = at; done = 1 } { at = $1; last = $2; print }'
breaks 'a bank that is not there' 'has Bank 4 of 4' '!done && NR > 9 && $2 == "RD" { $6 = 4; done = 1 } { print }'
check 'another file is none' test "$("$CHECK" commands-ddr4 README.md >/dev/null 2>&1; echo $?)" = 2
exit $failures
