#!/usr/bin/env bash
# memory.type: command in whole systems: both engines give the same statistics on random memories, systems and traces; wrong values are
# refused in one line that names the key; a standard of the user's own, the keys there and back, several memories, --commands.
#
#     FIRST=1 LAST=400 bash tests/cli/command_systems.sh
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

# ---- bad input
bad() {    # NAME PATTERN SYSTEM SETTING...
    local name=$1 pattern=$2 system=$3 settings=()
    shift 3
    for setting; do settings+=(--set "$setting"); done
    refused "$name" "$pattern" "$RUBATO" replay "$system" "$TRACES/gups" --quiet "${settings[@]}"
}
bad 'timing of zero' 'memory\.overrides\.nRCD: 0 is out of range; give 1 to' commands-ddr4 memory.overrides.nRCD=0
bad 'unknown timing' 'memory\.overrides\.nRCDx: DDR4 has no such timing' commands-ddr4 memory.overrides.nRCDx=5
bad 'levels of the channel' 'memory\.overrides\.channel: .*give memory\.channels' commands-ddr4 memory.overrides.channel=2
bad 'refresh without end' 'nREFI must exceed nRFC' commands-ddr4 memory.overrides.nREFI=100
bad 'unknown standard' 'memory\.standard: unknown standard "DDR9"' commands-ddr4 memory.standard=DDR9
bad 'no file of a standard' 'memory\.standard: \./none\.yaml: no such file' commands-ddr4 memory.standard=./none.yaml
bad 'unknown organization' 'memory\.organization: DDR4 has no preset DDR4_9Gb; give auto or one of DDR4_2Gb_x4' commands-ddr4 \
    memory.organization=DDR4_9Gb
bad 'unknown timing preset' 'memory\.timing: DDR4 has no preset DDR4_2401; .*DDR4_2400R' commands-ddr4 memory.timing=DDR4_2401
bad 'beyond the device' 'memory\.size: 16GiB is beyond the device: 1 channel of 8GiB' commands-ddr4 memory.size=16GiB
bad 'unknown defence' 'memory\.mitigation: unknown defence "PARAX"' commands-ddr4 memory.mitigation=PARAX
bad 'a defence twice' 'PARA is given twice' commands-ddr4 memory.mitigation=PARA,PARA
bad 'a defence without its command' 'DDR4 has no command VRR' commands-ddr4 memory.mitigation=PARA
bad 'a threshold that never ends' 'RRS_threshold: 2, with odd behaviour 20, never ends' commands-ddr4 memory.mitigation=RRS \
    memory.command.mode=exact memory.mitigations.RRS_threshold=2
bad 'probability above 1' 'it must lie between 0 and 1' commands-ddr4 memory.mitigation=PARA memory.standard=DDR4_VRR \
    memory.mitigations.PARA_threshold=1.5
bad 'the controller of another standard' 'this controller cannot drive it' commands-ddr4 memory.command.controller=gddr7
bad 'marks of writes' 'wr_low_watermark: 90% is above' commands-ddr4 memory.command.wr_low_watermark=90%
bad 'a queue without entries' 'read_buffer_size: 0 is out of range; give 1 to' commands-ddr4 memory.command.read_buffer_size=0
bad 'refresh of banks without the command' 'DDR4 has no REFpb' commands-ddr4 memory.refresh=per-bank
bad 'ClosedCAP on two buses, exact' 'row_policy: closed-after cannot work' commands-hbm3 memory.command.mode=exact \
    memory.command.row_policy=closed-after
bad 'a temperature without a range' 'temperature_c: 90: the standard of LPDDR5 says no .*refresh_rate' commands-lpddr5 \
    memory.command.temperature_c=90
bad 'a temperature beyond' 'temperature_c: 96 is out of range; give 0 to 95' commands-ddr4 memory.command.temperature_c=96
bad 'a refresh rate beyond' 'refresh_rate: 9; give 0\.125 to 8' commands-ddr4 memory.command.refresh_rate=9
bad 'postponed too often' 'postponed_refreshes is 5; DDR5 may postpone at most 4' commands-ddr5 memory.command.postponed_refreshes=5
bad 'postponed refreshes of banks' 'give refresh: all-bank' commands-lpddr5 memory.refresh=per-bank memory.command.postponed_refreshes=1
bad 'power-down without its times' 'memory\.command\.power_down_exit .tXP. is missing' commands-hbm3 memory.command.power_down_idle=100
bad 'power-down without room' 'power-down of GDDR7 is not modelled' commands-gddr7 memory.command.power_down_idle=100 \
    memory.command.power_down_exit=10ns memory.command.power_down_least=10ns
bad 'inline ECC without rows in one piece' 'ecc: inline needs rows' commands-ddr4 memory.command.ecc=inline memory.command.mapping=MOP4CLXOR
bad 'inline ECC takes an eighth' 'memory\.size: 8GiB is beyond the device: 1 channel of 7GiB' commands-ddr4 memory.command.ecc=inline memory.size=8GiB
bad 'sideband ECC of no DIMM' 'ecc: sideband needs chips' commands-hbm3 memory.command.ecc=sideband
bad 'interleaving below an access' 'memory\.interleave: 32B is not a power of two of at least 64B' commands-ddr5 memory.interleave=32B
bad 'a link below a GPU alone' 'memory\.link: cxl does not go below a GPU alone' qv100 memory.link=cxl
bad 'a link without lanes' 'memories\.1\.link_lanes: 0 is out of range; give 1 to 16' cxl memories.1.link_lanes=0
printf 'extends: ./%s\n' cycle.yaml >"$WORK/cycle.yaml"
(cd "$WORK" && refused 'a file that extends itself' 'is there a cycle' "$RUBATO" replay commands-ddr4 "$TRACES/gups" --quiet --set \
    memory.standard=./cycle.yaml) || failures=1

# ---- standard files that cannot be: extends DDR4, a key more, the preset SLOW
slow='rate: 1600, tCK_ps: 1250, nBL: 4, nCL: 20, nRCD: 20, nRP: 20, nRAS: 28, nRC: 48, nWR: 12, nRTP: 6, nCWL: 9, nCCDS: 4, nCCDL: 5'
slow="$slow, nRRDS: 4, nRRDL: 5, nWTRS: 2, nWTRL: 6, nFAW: 20, nRFC: 280, nREFI: 6240, nCS: 2"
bad_standard() {    # NAME PATTERN KEY ROW SETTING...
    printf 'extends: DDR4\n%s:\n  %s\n' "$3" "$4" >"$WORK/bad.yaml"
    bad "$1" "$2" commands-ddr4 "memory.standard=$WORK/bad.yaml" "${@:5}"
}
command='bus: shared, banks: single, needs: row, effect: none'
bad_standard 'an unknown command' 'constraints: unknown command ACTX' constraints '- [Rank, ACTX, RD, nRCD]'
bad_standard 'an unknown level' 'constraints: Rankx is no level from Channel to Bank' constraints '- [Rankx, ACT, RD, nRCD]'
bad_standard 'an unknown timing in a distance' 'constraints: "nRCDx": unknown name at "nRCDx"' constraints '- [Rank, ACT, RD, nRCDx]'
bad_standard 'a division by zero' 'constraints: "nRCD / \(nRCD - nRCD\)": division by zero' constraints '- [Rank, ACT, RD, nRCD / (nRCD - nRCD)]'
bad_standard 'a distance of hours' '"nRFC \* 2000000000" is .*; it must be within' constraints '- [Rank, ACT, RD, nRFC * 2000000000]'
bad_standard 'a command of half a tick' 'cycles of FOO are 0\.5 ticks; they must be 1 to 255' commands "FOO: {cycles: 0.5, kind: accessing, $command}"
bad_standard 'an access of megabytes' 'an access of 8589934592 bits; 4096 bytes at most' organizations \
    'O: {density: 8192, dq: 8, channel_width: 1073741824, rank: 1, bankgroup: 4, bank: 4, row: 65536, column: 1024}' memory.organization=O
bad_standard 'more columns than addresses' 'more than 2\^46 columns a channel' organizations \
    'O: {density: 8192, dq: 8, channel_width: 64, rank: 1, bankgroup: 4, bank: 4, row: 1073741824, column: 1073741824}' memory.organization=O
bad_standard 'a window of none' 'line 3: expected "siblings" or "window N", N from 1 to 16' constraints '- [Rank, ACT, RD, nRCD, window 0]'
bad_standard 'a command without cycles' 'line 3: expected a number above 0, up to 64' commands "FOO: {cycles: 0, kind: accessing, $command}"
bad_standard 'an unknown kind' 'line 3: expected one of opening closing accessing refreshing' commands "FOO: {cycles: 1, kind: jumping, $command}"
bad_standard 'a negative timing' 'line 3: expected a whole number from 0 to' timings "SLOW: {${slow/nRP: 20/nRP: -5}}" memory.timing=SLOW
bad_standard 'a level without nodes' 'organization O: Rank is 0; it must be at least 1' organizations \
    'O: {density: 8192, dq: 8, channel_width: 64, rank: 0, bankgroup: 4, bank: 4, row: 65536, column: 1024}' memory.organization=O
for timing in 'nRCD: 20' 'nRP: 20' 'nRAS: 28' 'nRC: 48' 'nBL: 4' 'nCL: 20' 'nRTP: 6' 'nCCDL: 5' 'rate: 1600'; do
    bad_standard "${timing%:*} of zero" "timing SLOW: ${timing%:*} is 0; it must be at least 1" timings \
        "SLOW: {${slow/$timing/${timing%:*}: 0}}" memory.timing=SLOW
done
bad_standard 'a clock of zero' 'tCK_ps' timings "SLOW: {${slow/tCK_ps: 1250/tCK_ps: 0}}" memory.timing=SLOW
for threshold in DDR4_VRR:Graphene_activation_threshold DDR4_VRR:OracleRH_tRH DDR4_VRR:TWiCe_rh_threshold DDR4_VRR:Hydra_tracking_threshold \
    DDR4_VRR:RRS_threshold DDR4_VRR:AQUA_threshold DDR5_RFM:RFM_thresh; do
    name=${threshold#*:}
    bad "$name of zero" "memory\.mitigations\.$name: 0 is out of range; give 1 to" commands-ddr4 "memory.standard=${threshold%:*}" \
        "memory.mitigation=${name%%_*}" "memory.mitigations.$name=0"
done
printf '0x10 READ 0\n0xffffffffff READ 5\n' >"$WORK/beyond.trc"
refused 'a trace beyond the device' 'beyond\.trc: address 0xffffffff.. lies outside memory, which ends at 0x200000000' "$RUBATO" traffic commands-ddr4 \
    --trace "$WORK/beyond.trc"

# ---- a standard of one's own: DDR4 with a timing more, by path; beside the file that names it
mkdir "$WORK/own"
cat >"$WORK/own/mine.yaml" <<'END'
extends: DDR4
timings:
  SLOW: {rate: 1600, tCK_ps: 1250, nBL: 4, nCL: 20, nRCD: 20, nRP: 20, nRAS: 28, nRC: 48, nWR: 12, nRTP: 6, nCWL: 9, nCCDS: 4, nCCDL: 5, nRRDS: 4, nRRDL: 5, nWTRS: 2, nWTRL: 6, nFAW: 20, nRFC: 280, nREFI: 6240, nCS: 2}
END
printf 'include: commands-ddr4\nmemory: {standard: ./mine.yaml, timing: SLOW}\n' >"$WORK/own/system.yaml"
check 'a standard of one'\''s own' "$RUBATO" replay "$WORK/own/system.yaml" "$TRACES/gups" --quiet --stats "$WORK/own.json"
latency() { sed -n 's/.*"system.mem_ctrls.dram.avgMemAccLat": \([0-9]*\).*/\1/p' "$1"; }
"$RUBATO" replay commands-ddr4 "$TRACES/gups" --quiet --stats "$WORK/shipped.json"
check 'it is slower' test "$(latency "$WORK/own.json")" -gt "$(latency "$WORK/shipped.json")"

# ---- keys there and back
"$RUBATO" config show commands-hbm3 --set memory.mitigation= --set memory.overrides.nRCDRD=30 --set memory.mends.half-tick=no >"$WORK/one.yaml"
"$RUBATO" config show "$WORK/one.yaml" >"$WORK/two.yaml"
check 'config show reads back' cmp -s <(tail -n +2 "$WORK/one.yaml") <(tail -n +2 "$WORK/two.yaml")
check 'with the override' grep -q '^    nRCDRD: 30' "$WORK/one.yaml"
check 'and the odd behaviour' grep -q '^    half-tick: no ' "$WORK/one.yaml"

# ---- commands: as many as are counted, in the order of their ticks, and the file has Ramulator's head
"$RUBATO" replay commands-hbm3 "$TRACES/gups" --quiet --commands "$WORK/commands.txt" --stats "$WORK/stats.json"
check 'the head of a list of commands' grep -qx 'clock,command,Channel,PseudoChannel,Sid,BankGroup,Bank,Row,Column,type,source' \
    <(head -n 1 "$WORK/commands.txt")
total=$(grep -o '"system.mem_ctrls[0-9].commands::total": [0-9]*' "$WORK/stats.json" | awk '{ sum += $2 } END { print sum }')
check "all $total commands are listed" test "$(($(wc -l <"$WORK/commands.txt") - 1))" = "$total"
check 'clocks rise' awk -F, 'NR > 2 && $1 < last { exit 1 } { last = $1 }' "$WORK/commands.txt"

# ---- refresh: twice as often when hot; postponed where requests wait
refreshes() { sed -n 's/.*"system.mem_ctrls.commands::REFab": \([0-9]*\).*/\1/p' "$1"; }
replay_ddr4() { "$RUBATO" replay commands-ddr4 "$TRACES/gups" --quiet --stats "$@"; }
replay_ddr4 "$WORK/cool.json"
replay_ddr4 "$WORK/hot.json" --set memory.command.temperature_c=86
replay_ddr4 "$WORK/put_off.json" --set memory.command.postponed_refreshes=8
cool=$(refreshes "$WORK/cool.json") hot=$(refreshes "$WORK/hot.json")
check "$hot refreshes when hot, of $cool" test "$((hot / 2 - cool))" -le 1 -a "$hot" -ge "$((2 * cool))"
check 'postponed refreshes are counted' grep -q '"system.mem_ctrls.refreshes_postponed": [0-9]' "$WORK/put_off.json"
check 'and only if there are any' grep -vq refreshes_postponed "$WORK/cool.json"

# ---- power-down and self-refresh: commands in pairs, times of the states are those of the run
replay_ddr4 "$WORK/sleepy.json" --set memory.command.power_down_idle=50 --set memory.command.self_refresh_idle=20000
counted() { sed -n "s/.*\"system.mem_ctrls.$1\": \([0-9]*\).*/\1/p" "$WORK/sleepy.json"; }
entries=$(counted commands::PDE) exits=$(counted commands::PDX)
check "$entries power-downs, $exits ended" test "$entries" -gt 0 -a $((entries - exits)) -le 1 -a $((entries - exits)) -ge 0
total=0
for state in active_standby_ps precharge_standby_ps refresh_ps active_powerdown_ps precharge_powerdown_ps self_refresh_ps; do
    total=$((total + $(sed -nE "s/.*\"system.mem_ctrls.$state(::0)?\": ([0-9]*).*/\2/p" "$WORK/sleepy.json")))
done
check 'times of the states add up' test "$total" = "$(sed -n 's/.*"finalTick": \([0-9]*\).*/\1/p' "$WORK/sleepy.json")"

# ---- inline ECC: each line of check bits that is not kept is read
replay_ddr4 "$WORK/ecc.json" --set memory.size=4GiB --set memory.command.ecc=inline --set memory.command.ecc_lines=0
replay_ddr4 "$WORK/kept.json" --set memory.size=4GiB --set memory.command.ecc=inline --set memory.command.ecc_lines=64
of() { sed -n "s/.*\"system.mem_ctrls.$2\": \([0-9]*\).*/\1/p" "$1"; }
check 'a read of check bits for each access' test "$(of "$WORK/ecc.json" ecc_reads)" = "$(of "$WORK/ecc.json" ecc_misses)" \
    -a "$(of "$WORK/ecc.json" ecc_hits)" = 0
check 'kept lines save reads' test "$(of "$WORK/kept.json" ecc_reads)" -lt "$(of "$WORK/ecc.json" ecc_reads)"
check 'sideband ECC changes no time' cmp -s <(replay_ddr4 /dev/stdout --set memory.command.ecc=sideband | grep -v 'ecc_chips\|energy') \
    <(replay_ddr4 /dev/stdout | grep -v energy)

# ---- a link: far memory is slower by both ways, and few credits cost bandwidth; whatever is behind it
simple() { "$RUBATO" replay wide "$TRACES/gups" --quiet --stats "$@" --set memory.type=simple; }
ticks() { sed -n 's/.*"finalTick": \([0-9]*\).*/\1/p' "$1"; }
simple "$WORK/near.json"
simple "$WORK/far.json" --set memory.link=cxl
simple "$WORK/narrow.json" --set memory.link=cxl --set memory.link_credits=1
check 'a link takes time' test "$(ticks "$WORK/near.json")" -lt "$(ticks "$WORK/far.json")"
check 'a single credit takes more' test "$(ticks "$WORK/far.json")" -lt "$(ticks "$WORK/narrow.json")"
check 'messages are counted' grep -q '"system.memory.link.requests": [1-9]' "$WORK/far.json"
check 'config show has the keys of a link only where there is one' test "$("$RUBATO" config show cxl | grep -c link_lanes)" = 1
# config show: a request is a slot, an answer with a line five, of 17 bytes on 8 lanes of 32 GT/s: 0.53125 and 2.65625 ns, rounded up
far() { "$RUBATO" config show cxl "$@" | sed -n '/^# unloaded latency of memories.1 with its link/,$p'; }
ns() { sed -n "s/^#   $1 *\([0-9.]*\)ns .*/\1/p"; }
check 'config show has the latency of a link' test "$(far | ns 'link, request') $(far | ns 'link, answer with a line')" = '35.532 37.657'
check 'it is set' test "$(far --set memories.1.link_latency=100ns --set memories.1.link_lanes=4 | ns 'link, answer with a line')" = 105.313
check 'and counted in that of its memory' test "$(far | ns 'row is open') $(far --set memories.1.link_latency=50ns | ns 'row is open')" = \
    "$("$RUBATO" config show commands-ddr4 --set memory.timing=DDR4_3200AA | ns 'row is open' | awk '{ printf "%.3f %.3f", $1 + 73.189, $1 + 103.189 }')"
check 'the link is in the drawing' sh -c "'$RUBATO' config show cxl --set memories.1.link_credits=9 |
    grep -q '|- link  *CXL, 8 lanes of 32000 MT/s and 35ns each way, 9 credits'"
check 'and its peak with those of memories' sh -c "'$RUBATO' config show cxl | grep -qE 'memories.1, link, reads +24.09 GB/s'"
check 'what is shown is what traffic measures' test \
    "$("$RUBATO" config show wide --set memory.type=simple --set memory.link=cxl | ns 'every access')" = \
    "$("$RUBATO" traffic wide --set memory.type=simple --set memory.link=cxl --outstanding 1 --requests 1000 --json |
    sed -n 's/.*"mean_ns": \([0-9.]*\).*/\1/p')"

# ---- both engines, random systems
first=${FIRST:-1} last=${LAST:-24}
pick() { shift $((RANDOM % $#)) && picked=$1; }    # not in a subshell, which would have random numbers of its own
put() { pick "${@:2}" && echo "$1=$picked"; }      # KEY VALUE...
settings_of() {    # SEED: one a line
    RANDOM=$1
    local standard
    pick DDR3 DDR4 DDR5 GDDR6 GDDR7 HBM1 HBM2 HBM3 HBM4 LPDDR5 LPDDR6 DDR4_VRR DDR5_RFM_VRR
    standard=$picked
    echo memory.type=command
    echo "memory.standard=$standard"
    echo memory.size=128MiB
    put memory.channels 1 2 4
    echo memory.interleave=auto
    put memory.command.mapping RoBaRaCoCh RoBaRaCoCh ChRaBaRoCo
    put memory.command.scheduler FR-FCFS FR-FCFS FR-FCFS-RowHit
    put memory.command.row_policy open open closed-after
    put memory.command.read_buffer_size 1 4 32
    put memory.command.write_buffer_size 2 8 32
    put memory.command.frontend_latency 0ns 10ns
    put memory.command.backend_latency 0ns 10ns
    put memory.command.rowhammer_threshold 0 8
    put memory.command.refresh_rate 1 1 2
    put memory.link none none cxl
    put memory.link_credits 1 4 64
    put memory.link_lanes 1 8
    put memory.command.ecc none inline
    put memory.command.ecc_lines 0 1 16
    case $standard in
    DDR3 | DDR4 | DDR5) put memory.command.power_down_idle 0 20 500 ; put memory.command.self_refresh_idle 0 2000 ;;
    HBM2 | LPDDR5)
        put memory.command.power_down_idle 0 20
        echo memory.command.power_down_exit=10ns
        echo memory.command.power_down_least=10ns
        ;;
    esac
    case $standard in
    DDR3 | DDR4 | DDR5 | GDDR6) put memory.command.postponed_refreshes 0 0 1 4 ;;
    esac
    case $standard in
    DDR3)
        put memory.command.controller auto single-bus-blockhammer
        [ "$picked" = auto ] || printf 'memory.command.%s\n' bf_ctr_thresh=2 bf_num_rh=64 bf_len_epoch=20us bf_trefw=20us
        ;;
    DDR4_VRR) put memory.mitigation PARA Graphene OracleRH,PARA TWiCe ;;
    DDR5_RFM_VRR) put memory.mitigation RFM RFM,HynixTRR RFM,SamsungTRR ; echo memory.mitigations.RFM_thresh=20 ;;
    LPDDR5) put memory.refresh auto per-bank none ;;
    HBM1) put memory.refresh auto per-bank none ; echo memory.command.ecc=none ;;    # the check bits would leave less than 512 MiB
    HBM3) put memory.refresh auto per-bank-hbm34 ;;
    esac
    case $((RANDOM % 4)) in 0) echo memory.mends.one-window=no ;; 1) echo memory.mends.priority-blocks=no ;; esac
}
replay_as() {    # ENGINE OUTPUT
    timeout 120 "$RUBATO" replay "$system" "${traces[@]}" --engine "$1" --quiet --stats "$2" "${settings[@]}" </dev/null >"$WORK/said" 2>&1
}
keeps_rules() {
    local set=() i
    for ((i = 0; i < ${#settings[@]}; i++)); do
        [ "${settings[i]}" != --set ] || set+=(--set "${settings[i + 1]}")
    done
    timeout 120 "$RUBATO" replay "$system" "${traces[@]}" --quiet --commands "$WORK/list.csv" "${settings[@]}" </dev/null >"$WORK/said" 2>&1 &&
        "$BUILD/tests/tools/command_check" "$system" "${set[@]}" "$WORK/list.csv" >"$WORK/said"
}
for seed in $(seq "$first" "$last"); do
    settings=()
    while read -r setting; do settings+=(--set "$setting"); done < <(settings_of "$seed")
    case $((seed % 4)) in
    0) system=wide traces=("$TRACES/gups") ;;
    1) system=quad traces=("$TRACES/gups" "$TRACES/gups" "$TRACES/gups" "$TRACES/gups") settings+=(--set cpu.offset_step=16MiB) ;;
    2) system=phone traces=("$TRACES/detailed/sort.rbt") settings+=(--set cpu.model=detailed --until 100us) ;;
    3) system=hetero traces=("$TRACES/gups" "$TRACES/gups" "$TRACES/gups" "$TRACES/gups" "$TRACES/gpu/volta-bfs-2blocks")
        settings+=(--set memory.size=512MiB --set cpu.offset_step=16MiB --set gpu.memory_base=256MiB --set gpu.memory_size=256MiB) ;;
    esac
    if replay_as plain "$WORK/plain.json" && replay_as fast "$WORK/fast.json" && cmp -s "$WORK/plain.json" "$WORK/fast.json"; then
        same=$((${same:-0} + 1))
        # each third one: its commands keep the rules of the device
        [ $((seed % 3)) != 0 ] || keeps_rules || not_ok "seed $seed: $system ${settings[*]}: $(tail -n 1 "$WORK/said")"
    else
        not_ok "seed $seed: $system ${settings[*]}: $(tail -n 1 "$WORK/said")"
    fi
done
check "both engines agree on $((last - first + 1)) random systems" test "${same:-0}" = $((last - first + 1))
exit $failures
