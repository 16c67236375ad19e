#!/usr/bin/env bash
# rubato replay --commands: DRAM commands as text, of a window in a recording, and as slices of a trace for Perfetto. The trace is
# decoded again: its bursts are those of the event log, its slices do not overlap, its counters are those of the samples. Whether
# commands keep the rules of their device: dram_systems.sh.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
DECODE=$BUILD/tests/tools/perfetto_decode
[ -x "$DECODE" ] || { not_ok "there is no $DECODE; make tests builds it"; exit 1; }

replay() { "$RUBATO" replay "$@" --quiet </dev/null 2>>"$WORK/stderr"; }
# record NAME ARGUMENTS...: records, exports, decodes into $WORK/NAME.txt
record() {
    local name=$1
    shift
    replay "$@" --record "$WORK/$name.samples" && "$RUBATO" export "$WORK/$name.samples" --perfetto "$WORK/$name.perfetto" &&
        "$DECODE" "$WORK/$name.perfetto" "$WORK/$name.samples" >"$WORK/$name.txt"
    local code=$?
    check "$name: a sound trace with the values of the samples" test $code = 0
    [ $code = 0 ] || tail -n 1 "$WORK/$name.txt" | sed 's/^/    /'
}
# "CONTROLLER CHANNEL RANK BANK NS COMMAND ROW" of each burst
bursts_of_log() {
    awk '$3 == "burst" { channel = $6 ~ /^rank=/ ? "dram" : $6
        for (i = 6; i <= NF; i++) if (split($i, pair, "=") == 2) value[pair[1]] = pair[2]
        printf "%s.%s.rank%d %d %d %s %s\n", $2, channel, value["rank"], value["bank"], int(value["command"] / 1000),
            $4 == "Read" ? "RD" : "WR", value["row"] }' "$1" | sort
}
bursts_of_trace() {
    awk '$1 == "slice" && ($7 == "RD" || $7 == "WR") { print $2, $4, $5, $7, $8 }' "$1" | sort
}
same_bursts() {    # NAME: the trace has the bursts of the log
    check "$1: bursts of the trace are those of the event log" cmp -s <(bursts_of_log "$WORK/$1.log") \
        <(bursts_of_trace "$WORK/$1.txt")
    check "$1: there are some" test "$(bursts_of_trace "$WORK/$1.txt" | wc -l)" -gt 500
}
count() { grep -cE "$2" "$1"; }

all='--commands 0s:1s --every 3us'
record wide wide "$TRACES/gups" $all --log "$WORK/wide.log"
same_bursts wide
check 'wide: writes, too' test "$(count "$WORK/wide.txt" ' WR [0-9]+$')" -gt 20
check 'wide: rows are opened and closed' test "$(count "$WORK/wide.txt" ' ACT [0-9]+$')" -gt 100 -a "$(count "$WORK/wide.txt" ' PRE$')" -gt 100
check 'wide: refreshes have a track of their own' test "$(count "$WORK/wide.txt" '^slice [^ ]*rank0 refresh [0-9]+ [0-9]+ REF$')" -gt 3
record quad quad "$TRACES/qsort" $all --log "$WORK/quad.log"
same_bursts quad
record hbm hbm "$TRACES/gups" $all --log "$WORK/hbm.log"
same_bursts hbm
check 'hbm: two pseudo-channels' test "$(count "$WORK/hbm.txt" '^slice mem_ctrls1.dram_2.rank0 bank')" -gt 5
for device in LPDDR5_5500_1x16_8B_BL32 HBM_2000_4H_1x64 DDR4_2400_16x4 GDDR6_14000_1x16; do
    record $device wide "$TRACES/gups" $all --log "$WORK/$device.log" --set memory.device=$device
    same_bursts $device
done
record sleepy wide "$TRACES/gups" $all --log "$WORK/sleepy.log" --set memory.dram.enable_dram_powerdown=yes
same_bursts sleepy
check 'sleepy: power-down is a slice of the rank' test "$(count "$WORK/sleepy.txt" 'rank[01] power [0-9]+ [0-9]+ (active|precharge)_power_down$')" -gt 5

# ---- a window
replay wide "$TRACES/gups" --record "$WORK/none.samples" --every 3us --stats "$WORK/none.stats.txt"
record window wide "$TRACES/gups" --commands 5us:7us --every 3us --stats "$WORK/window.stats.txt"
check 'a window has the commands that begin in it' cmp -s <(grep ' bank ' "$WORK/window.txt" | cut -d ' ' -f 1-5,7- | sort) \
    <(awk '/ bank / && $5 >= 5000 && $5 < 7000' "$WORK/wide.txt" | cut -d ' ' -f 1-5,7- | sort)
check 'and there is something' test "$(grep -c ' bank ' "$WORK/window.txt")" -gt 20
check 'same statistics with it' cmp -s "$WORK/none.stats.txt" "$WORK/window.stats.txt"
"$RUBATO" export "$WORK/none.samples" --csv "$WORK/none.csv"
"$RUBATO" export "$WORK/window.samples" --csv "$WORK/window.csv"
check 'same samples with it' cmp -s "$WORK/none.csv" "$WORK/window.csv"
check 'some bytes for the commands' test "$(wc -c <"$WORK/window.samples")" -gt "$(wc -c <"$WORK/none.samples")"
read -r begin end rank < <(awk '$3 == "power" && $5 - $4 > 20 { print $4, $5, $2; exit }' "$WORK/sleepy.txt")
record sleepy-window wide "$TRACES/gups" --commands $(( begin + 5 ))ns:$(( end - 5 ))ns --set memory.dram.enable_dram_powerdown=yes
check 'power-down is cut at the ends of the window' \
    test "$(grep " $rank power" "$WORK/sleepy-window.txt" | cut -d ' ' -f 4,5)" = "$(( begin + 5 )) $(( end - 5 ))"

# ---- a GPU, and one beside cores
record gpu r9nano "$TRACES/gpu/gcn3-fir" --commands 0s:1s
"$RUBATO" export "$WORK/gpu.samples" --csv "$WORK/gpu.csv"
check 'a GPU: as many bursts as its channels count' test "$(bursts_of_trace "$WORK/gpu.txt" | wc -l)" = \
    "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /rank[0-9]+\.(reads|writes)/) is[i] = 1 }
                END { for (i in is) sum += $i; print sum }' "$WORK/gpu.csv")"
record hetero hetero "$TRACES/triad" "$TRACES/gpu/volta-bfs-2blocks" $all --log "$WORK/hetero.log"
same_bursts hetero

# ---- as text
# "CONTROLLER.CHANNEL RANK BANK PS COMMAND ROW" of each burst: of the log, of the file
log_lines() {
    awk '$3 == "burst" { channel = $6 ~ /^rank=/ ? "dram" : $6
        for (i = 6; i <= NF; i++) if (split($i, pair, "=") == 2) value[pair[1]] = pair[2]
        print $2 "." channel, value["rank"], value["bank"], value["command"], $4 == "Read" ? "RD" : "WR", value["row"] }' "$1" | sort
}
file_lines() {
    awk '$2 == "channel" { name[$3] = $4 } /^#/ { next } $6 ~ /^(RD|WR)/ { print name[$2], $3, $5, $1, substr($6, 1, 2), $7 }' "$1" | sort
}
as_text() {    # NAME ARGUMENTS...: statistics and bursts are those of the run without
    local name=$1
    shift
    replay "$@" --stats "$WORK/none.stats.txt" --log "$WORK/text.log"
    replay "$@" --stats "$WORK/text.stats.txt" --commands "$WORK/$name.commands"
    check "$name: same statistics with commands as text" cmp -s "$WORK/none.stats.txt" "$WORK/text.stats.txt"
    check "$name: bursts of the text are those of the event log" cmp -s <(log_lines "$WORK/text.log") <(file_lines "$WORK/$name.commands")
    check "$name: there are some, and an end" test "$(file_lines "$WORK/$name.commands" | wc -l)" -gt 500 -a \
        "$(tail -n 1 "$WORK/$name.commands" | cut -d ' ' -f 1,2)" = '# end'
    check "$name: each channel in the order of ticks" awk '!/^#/ { if ($1 < last[$2]) exit 1; last[$2] = $1 }' "$WORK/$name.commands"
}
as_text wide wide "$TRACES/gups"
as_text quad quad "$TRACES/qsort" --set memory.dram.enable_dram_powerdown=yes
as_text hbm hbm "$TRACES/gups"
as_text hetero hetero "$TRACES/triad" "$TRACES/gpu/volta-bfs-2blocks"
as_text columns wide "$TRACES/gups" --set memory.channels=4 --set memory.dram.addr_mapping=RoCoRaBaCh
check 'columns: a place is a burst, and a burst a place' test "$(awk '$3 == "burst" { print $5 }' "$WORK/text.log" | sort -u | wc -l)" = \
    "$(awk '$6 ~ /^(RD|WR)/ { print $2, $3, $5, $7, $8 }' "$WORK/columns.commands" | sort -u | wc -l)"
check 'wide: columns are those of the address' cmp -s \
    <(awk '$3 == "burst" { print int(strtonum_hex($5) / 64) % 128 }
           function strtonum_hex(text,    i, n) { for (i = 3; i <= length(text); i++) n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1; return n }' \
        <(replay wide "$TRACES/gups" --log /dev/stdout) | sort -n) \
    <(awk '$6 ~ /^(RD|WR)/ { print $8 }' "$WORK/wide.commands" | sort -n)
replay wide "$TRACES/gups" --commands "$WORK/both.commands" --record "$WORK/both.samples" --commands 5us:7us --every 3us
check 'as text and in a recording at once' test "$(cmp "$WORK/both.commands" "$WORK/wide.commands"; cmp "$WORK/both.samples" "$WORK/window.samples")" = ''
"$RUBATO" traffic wide --outstanding 8 --requests 2000 --read-share 0.5 --commands "$WORK/traffic.commands" >/dev/null
check 'traffic: a burst a request' test "$(file_lines "$WORK/traffic.commands" | wc -l)" -gt 1500
check 'a GPU alone: as many bursts as its channels count' test "$(replay r9nano "$TRACES/gpu/gcn3-fir" --commands - | file_lines - | wc -l)" = \
    "$(bursts_of_trace "$WORK/gpu.txt" | wc -l)"

# ---- refusals
refused 'of a whole curve' '--commands is of one measurement; add --rate or --outstanding' "$RUBATO" traffic wide --commands "$WORK/x"
refused 'a file that cannot be' 'no/such/file: cannot be written' "$RUBATO" replay wide "$TRACES/triad" --commands "$WORK/no/such/file"
refused 'without a recording' '--commands FROM:TO goes into a recording; add --record FILE' \
    "$RUBATO" replay wide "$TRACES/triad" --commands 1us:2us
for window in 2us:1us 1us: :1us 1:2 1us:1us x:y; do
    refused "no window: $window" 'expected two times such as 10us:12us' \
        "$RUBATO" replay wide "$TRACES/triad" --record "$WORK/x" --commands $window
done
exit $failures
