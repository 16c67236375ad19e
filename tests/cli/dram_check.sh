#!/usr/bin/env bash
# tools/dram_check, the checker of DRAM commands: each rule is broken once, by a picosecond where it is a distance, and kept by the same
# commands a picosecond later; exceptions are counted, are errors with --strict, and reach no further than they say.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
CHECK=$BUILD/tests/tools/dram_check
[ -x "$CHECK" ] || { not_ok "there is no $CHECK; make tests builds it"; exit 1; }

# Two ranks of four banks in two groups; a time is 0 unless a case gives it, bursts last 1 ps.
device='buses=1 device_rowbuffer_size=1024 device_bus_width=8 burst_length=8 ranks_per_channel=2 banks_per_rank=4 bank_groups_per_rank=2
    activation_limit=0 tCK=0 tBURST=1 tBURST_MIN=1 tBURST_MAX=1 tCCD_L=0 tCCD_L_WR=0 tRCD=0 tRCD_WR=0 tCL=0 tCWL=0 tRP=0 tRAS=0 tRRD=0
    tRRD_L=0 tXAW=0 tWR=0 tRTP=0 tWTR=0 tWTR_L=0 tRTW=0 tCS=0 tPPD=0 tRFC=0 tREFI=1000000 tXP=0 tXS=0'

# commands FILE "KEY=VALUE ..." "TICK COMMAND BANK [RANK], ...": `row 5` of all; bank - of a whole rank; a command `end` ends the file
commands() {
    awk -v device="$device" -v keys="$2" -v list="$3" 'BEGIN {
        print "# rubato DRAM commands 1"
        count = split(device " " keys, pairs, /[ \n]+/)
        for (i = 1; i <= count; i++) { split(pairs[i], pair, "="); if (!(pair[1] in value)) order[++all] = pair[1]; value[pair[1]] = pair[2] }
        printf "# channel 0 test.dram device=test"
        for (i = 1; i <= all; i++) printf " %s=%s", order[i], value[order[i]]
        printf "\n"
        groups = value["bank_groups_per_rank"]
        count = split(list, items, / *, */)
        for (i = 1; i <= count; i++) {
            split(items[i], word, " ")
            if (word[2] == "end") { print "# end " word[1]; ended = 1; continue }
            bank = word[3] == "" ? "-" : word[3]
            print word[1], 0, word[4] + 0, bank == "-" || !groups ? "-" : bank % groups, bank, word[2] (bank == "-" ? "" : word[2] == "PRE" ? "" : " " (word[5] == "" ? 5 : word[5]))
            last = word[1]
        }
        if (!ended) print "# end " last
    }' >"$1"
}
# LIST with its last tick one later
later() {
    local last=${1##*, } first=
    [[ $1 == *,* ]] && first="${1%, *}, "
    echo "$first$(( ${last%% *} + 1 )) ${last#* }"
}

# KEY=VALUE ... of a burst that lasts N
burst() { echo "tBURST=$1 tBURST_MIN=$1 tBURST_MAX=$1"; }

tested=
# breaks RULE KEYS BAD [GOOD]: the last line of BAD breaks the rule; GOOD, by default BAD with its last tick one later, breaks none
breaks() {
    local rule=$1 file=$WORK/bad good=${4:-$(later "$3")} count
    tested="$tested $rule"
    commands "$file" "$2" "$3"
    count=$(grep -c '' "$file")
    [[ $3 == *end* ]] || count=$((count - 1))
    "$CHECK" "$file" >"$WORK/result"
    [ $? = 1 ] && grep -q "^$file:$count: $rule: " "$WORK/result" || { not_ok "$rule: $3 breaks it"; head -n 3 "$WORK/result"; return; }
    commands "$WORK/good" "$2" "$good"
    "$CHECK" "$WORK/good" >"$WORK/result" || { not_ok "$rule: $good keeps it"; head -n 3 "$WORK/result"; return; }
    ok "$rule: $3"
}

breaks tRCD tRCD=10 '100 ACT 0, 109 RD 0'
breaks tRCD tRCD=10 '100 ACT 0, 109 RDA 0'
breaks tRCD_WR tRCD_WR=10 '100 ACT 0, 109 WR 0'
breaks tRAS tRAS=10 '100 ACT 0, 109 PRE 0'
breaks tRAS_all tRAS=10 '100 ACT 0, 109 PREA'
breaks tRC 'tRAS=6 tRP=4' '100 ACT 0, 101 RDA 0, 109 ACT 0'
breaks tRC_rest 'tRAS=6 tRP=4' '100 ACT 0, 101 RDA 0, 109 REF'
breaks tRP tRP=10 '100 ACT 0, 105 PRE 0, 114 ACT 0'
breaks tRP_all tRP=10 '100 ACT 0, 105 PREA, 114 ACT 0'
breaks tRP_rest tRP=10 '100 ACT 0, 105 PRE 0, 114 REF'
breaks tRP_rest tRP=10 '100 ACT 0, 105 PREA, 114 SRE'
breaks tRTP tRTP=10 '100 ACT 0, 101 RD 0, 110 PRE 0'
breaks tRTP_all tRTP=10 '100 ACT 0, 101 RD 0, 110 PREA'
breaks tRTP_auto 'tRTP=6 tRP=4' '100 ACT 0, 105 RDA 0, 114 ACT 0'
breaks tRTP_auto_rest 'tRTP=6 tRP=4' '100 ACT 0, 105 RDA 0, 114 REF'
write="tCWL=3 tWR=5 tRP=4 $(burst 2)"
breaks tWR "$write" '100 ACT 0, 101 WR 0, 110 PRE 0'
breaks tWR_all "$write" '100 ACT 0, 101 WR 0, 110 PREA'
breaks tWR_auto "$write" '100 ACT 0, 101 WRA 0, 114 ACT 0'
breaks tWR_auto_rest "$write" '100 ACT 0, 101 WRA 0, 114 REF'
breaks tCCD_S "$(burst 4)" '100 ACT 0, 100 ACT 1, 110 RD 0, 113 RD 1'
breaks tCCD_S "bank_groups_per_rank=0 $(burst 4)" '100 ACT 0, 110 RD 0, 113 RD 0'
breaks tCCD_S_WR "$(burst 4)" '100 ACT 0, 100 ACT 1, 110 WR 0, 113 WR 1'
breaks tCCD_L tCCD_L=8 '100 ACT 0, 100 ACT 2, 110 RD 0, 117 RD 2'
breaks tCCD_L_WR tCCD_L_WR=8 '100 ACT 0, 110 WR 0, 117 WRA 0'
breaks tRRD_S tRRD=10 '100 ACT 0, 109 ACT 1'
breaks tRRD_L tRRD_L=10 '100 ACT 0, 109 ACT 2'
breaks tWTR_S "tCWL=3 tWTR=5 $(burst 2)" '100 ACT 0, 100 ACT 1, 110 WR 0, 119 RD 1'
breaks tWTR_L "tCWL=3 tWTR_L=5 $(burst 2)" '100 ACT 0, 110 WR 0, 119 RD 0'
breaks tRTW "tCL=5 tCWL=5 tRTW=3 $(burst 2)" '100 ACT 0, 110 RD 0, 114 WR 0'
breaks tCS "tCS=3 $(burst 2)" '100 ACT 0, 100 ACT 0 1, 110 RD 0, 114 RD 0 1'
breaks tCS_WR "tCS=3 $(burst 2)" '100 ACT 0, 100 ACT 0 1, 110 WR 0, 114 WR 0 1'
breaks tCS_RTW "tCS=3 tCL=5 tCWL=5 $(burst 2)" '100 ACT 0, 100 ACT 0 1, 110 RD 0, 114 WR 0 1'
breaks tCS_WTR "tCS=3 tCL=5 tCWL=5 $(burst 2)" '100 ACT 0, 100 ACT 0 1, 110 WR 0, 114 RD 0 1'
breaks tPPD tPPD=3 '100 ACT 0, 100 ACT 1, 110 PRE 0, 112 PRE 1'
breaks tRFC tRFC=10 '100 REF, 109 ACT 0'
breaks tRFC tRFC=10 '100 REF, 109 REF'
breaks tXP tXP=10 '100 PDE, 110 PDX, 119 ACT 0'
breaks tXP tXP=10 '100 PDE, 110 PDX, 119 REF'
breaks tXS tXS=10 '100 SRE, 110 SRX, 119 ACT 0'
breaks tXS tXS=10 '100 SRE, 110 SRX, 119 PDE'
breaks tCKE_down tCK=4 '100 PDE, 103 PDX'
breaks tCKE_up tCK=4 '100 PDE, 110 PDX, 113 PDE'
breaks tCKE_self tCK=4 '100 SRE, 103 SRX'
breaks tACTPDEN tCK=4 '100 ACT 0, 103 PDE'
breaks tPRPDEN tCK=4 '100 ACT 0, 110 PRE 0, 113 PDE'
breaks tREFPDEN tCK=4 '100 REF, 103 PDE'
breaks tRDPDEN "tCL=5 $(burst 2)" '100 ACT 0, 110 RD 0, 116 PDE'
breaks tWRPDEN "tCWL=5 tWR=3 $(burst 2)" '100 ACT 0, 110 WR 0, 116 PDE'
breaks order '' '100 ACT 0, 99 RD 0'
breaks place '' '100 ACT 4' '100 ACT 3'
breaks place '' '100 ACT 0 2' '100 ACT 0 1'
breaks place '' '100 PRE' '100 PREA'
breaks open_row '' '100 RD 0' '100 ACT 0, 100 RD 0'
breaks open_row '' '100 ACT 0 0 6, 100 WR 0' '100 ACT 0 0 6, 100 WR 0 0 6'
breaks open_row '' '100 ACT 0, 100 RDA 0, 110 RD 0' '100 ACT 0, 100 RDA 0, 105 ACT 0, 110 RD 0'
breaks open_row '' '100 ACT 0, 101 PREA, 110 RD 0' '100 ACT 0, 101 PREA, 105 ACT 0, 110 RD 0'
breaks closed_bank '' '100 ACT 0, 101 ACT 0' '100 ACT 0, 101 ACT 1'
breaks closed_twice '' '100 ACT 0, 101 PRE 0, 102 PRE 0' '100 ACT 0, 101 PRE 0, 102 PREA'
breaks rest '' '100 ACT 0, 101 REF' '100 ACT 0, 101 PREA, 101 REF'
breaks rest '' '100 ACT 0, 101 SRE' '100 ACT 0 1, 101 SRE'
breaks power '' '100 PDE, 101 ACT 0' '100 PDE, 101 PDX, 102 ACT 0'
breaks power '' '100 PDX' '100 PDE, 101 PDX'
breaks power '' '100 SRE, 101 PDX' '100 SRE, 101 SRX'
breaks power '' '100 SRX' '100 SRE, 101 SRX'
breaks power '' '100 PDE, 101 PDE' '100 PDE, 101 PDE - 1'
breaks tXAW 'activation_limit=2 tXAW=50' '100 ACT 0, 110 ACT 1, 149 ACT 2'
breaks self_refresh '' '100 SRE, 110 SRX, 120 SRE' '100 SRE, 110 SRX, 115 REF, 120 SRE'
breaks tREFI 'tREFI=100 ranks_per_channel=1' '100 ACT 0, 900 end' '100 ACT 0, 899 end'
breaks tREFI 'tREFI=100 ranks_per_channel=1' '1000 REF, 1000 end' '100 REF, 200 REF, 1000 end'
breaks tREFI 'tREFI=100 ranks_per_channel=1' '100 SRE, 800 SRX, 1800 end' '100 SRE, 800 SRX, 1699 end'
breaks data_bus 'tBURST=3 tBURST_MIN=2 tBURST_MAX=3' '100 ACT 0, 100 ACT 1, 110 RD 0, 112 RD 1'
breaks data_bus 'tBURST=6 tBURST_MIN=2 tBURST_MAX=8' '100 ACT 0, 100 ACT 1, 110 RD 0, 115 RD 1'
breaks data_bus 'tBURST=6 tBURST_MIN=2 tBURST_MAX=8' '100 ACT 0, 100 ACT 1, 110 RD 0, 114 RD 1' '100 ACT 0, 100 ACT 1, 110 RD 0, 112 RD 1'

# excused EXCEPTION RULE KEYS COMMANDS: counted as that, an error with --strict
excused() {
    commands "$WORK/excused" "$3" "$4"
    "$CHECK" "$WORK/excused" >"$WORK/result"
    check "$1 excuses $2 and counts it: $4" test $? = 0 -a "$(grep -c "^exception $1: $2: 1 times$" "$WORK/result")" = 1
    "$CHECK" --strict "$WORK/excused" >"$WORK/result"
    check "$1: with --strict it is broken" test $? = 1 -a "$(grep -c "^$WORK/excused:[0-9]*: $2: " "$WORK/result")" = 1
    tested="$tested $2"
}
excused LATENCIES_DIFFER tRTW "tCL=9 tCWL=5 tRTW=3 $(burst 2)" '100 ACT 0, 110 RD 0, 115 WR 0'
excused LATENCIES_DIFFER tCS_RTW "tCL=9 tCWL=5 tCS=3 $(burst 2)" '100 ACT 0, 100 ACT 0 1, 110 RD 0, 115 WR 0 1'
excused LATENCIES_DIFFER tCS_WTR "tCL=5 tCWL=9 tCS=3 $(burst 2)" '100 ACT 0, 100 ACT 0 1, 110 WR 0, 115 RD 0 1'
excused LATENCIES_DIFFER data_bus "tCL=9 tCWL=5 tRTW=3 $(burst 2)" '100 ACT 0, 110 RD 0, 115 WR 0'
excused COMMAND_WINDOWS command_bus tCK=4 '100 ACT 0, 103 ACT 1'
excused TICK_ZERO tXAW 'activation_limit=2 tXAW=50' '0 ACT 0, 10 ACT 1, 49 ACT 2'
excused REFRESH_FORGETS tXAW 'activation_limit=2 tXAW=50' '100 ACT 0, 110 ACT 1, 120 PREA, 130 REF, 140 ACT 0'
excused WRITE_RECOVERY tWRPDEN "tCWL=5 tWR=3 $(burst 2)" '100 ACT 0, 110 WR 0, 117 PDE'
excused WAKES_IDLE rest tCK=1 '100 PDE -, 110 PDX -, 110 ACT 0, 150 REF -'
excused WAKES_IDLE tRC_rest tRAS=50 '100 PDE -, 110 PDX -, 110 ACT 0, 150 SRE -'
excused WAKES_IDLE rest 'tRAS=30 tRP=5' '100 PDE -, 110 PDX -, 110 ACT 0, 120 RDA 0, 145 ACT 0, 170 SRE -'
breaks rest 'tRAS=30 tRP=5' '100 PDE -, 110 PDX -, 110 ACT 0, 120 RDA 0, 146 ACT 0, 170 REF -' \
    '100 PDE -, 110 PDX -, 110 ACT 0, 120 RDA 0, 146 ACT 0, 180 PREA -, 190 REF -'
breaks rest tCK=1 '100 PDE -, 110 PDX -, 111 ACT 0, 150 REF -' \
    '100 PDE -, 110 PDX -, 111 ACT 0, 140 PREA -, 150 REF -'
breaks rest tCK=1 '100 PDE -, 110 PDX -, 110 ACT 0, 120 PREA -, 130 ACT 0, 150 REF -' \
    '100 PDE -, 110 PDX -, 110 ACT 0, 120 PREA -, 130 ACT 0, 140 PREA -, 150 REF -'
breaks tRTW "tCL=9 tCWL=5 tRTW=3 $(burst 2)" '100 ACT 0, 110 RD 0, 114 WR 0'
breaks data_bus "tCL=9 tCWL=5 tRTW=3 $(burst 2)" '100 ACT 0, 110 RD 0, 114 WR 0'
check 'two buses: a read beside an activate' test 0 = "$(commands "$WORK/buses" 'tCK=4 buses=2' '100 ACT 0, 101 RD 0'
    "$CHECK" --strict "$WORK/buses" >/dev/null; echo $?)"

check 'every rule was broken' test -z "$("$CHECK" --rules | grep -vxF "$(tr ' ' '\n' <<<"$tested")")"

# ---- files without commands
no_file() {    # NAME LINE TEXT: exit code 2, and the line
    "$CHECK" "$WORK/file" >/dev/null 2>"$WORK/stderr"
    check "$1" test $? = 2 -a "$(grep -c "^$WORK/file:$2: .*$3" "$WORK/stderr")" = 1
}
commands "$WORK/whole" '' '100 ACT 0, 101 RD 0'
echo 'something else' >"$WORK/file"
no_file 'another file' 1 'expected'
sed '$d' "$WORK/whole" >"$WORK/file"
no_file 'a file that breaks off' 4 'breaks off'
sed 's/ tRFC=0//' "$WORK/whole" >"$WORK/file"
no_file 'a device without a time' 2 'has no tRFC'
sed 's/ACT/ACTIVATE/' "$WORK/whole" >"$WORK/file"
no_file 'no command' 3 'is no command'
sed 's/^100 0/100 1/' "$WORK/whole" >"$WORK/file"
no_file 'no channel' 3 'there is no channel 1'
sed 's/^101/1o1/' "$WORK/whole" >"$WORK/file"
no_file 'no number' 4 'is not a number'
exit $failures
