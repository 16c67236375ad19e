#!/usr/bin/env bash
# rubato traffic: the curve against what config show states, formats, plain traces, repeatability, faults in one line.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

ddr4=(default --set memory.device=DDR4_2400_8x8 --set memory.policy=device)
hbm=(hbm)

# figure COLUMN POINT FILE: a column of a TSV, from the first line of that kind of point
figure() {
    awk -F '\t' -v name="$1" -v point="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i; next }
        $1 == point { print $column; exit }' "$3"
}

# stated KEY FILE: a time (in ns) or a bandwidth (in GB/s) that config show printed, as key or in its summary
stated() {
    sed -n "s/^[# ]*$1:\{0,1\}  *\([0-9.]*\)\( \{0,1\}[a-zA-Z]*\).*/\1 \2/p" "$2" | head -n 1 | awk '
        { print $1 * ($2 == "us" ? 1000 : $2 == "ps" ? 0.001 : 1) }'
}

is_within() { awk -v value="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(value != "" && value >= low && value <= high) }'; }
is_near() { is_within "$1" "$(awk "BEGIN { print 0.996 * ${2:-0} }")" "$(awk "BEGIN { print 1.004 * ${2:-0} }")"; }

# --- DDR4 and HBM: the curve against config show
curve_agrees() {    # NAME LATENCY SYSTEM...: the median of one read at a time is that latency of config show
    local name=$1 latency=$2 peak refresh
    shift 2
    "$RUBATO" config show "$@" >"$WORK/stated"
    "$RUBATO" traffic "$@" --requests 30000 --tsv >"$WORK/curve" || not_ok "$name: curve"
    peak=$(sed -n 's|^#   memory  *\([0-9.]*\) GB/s$|\1|p' "$WORK/stated")
    # a percentile is off by at most 0.4 %
    check "$name: unloaded, median" is_near "$(figure p50_ns unloaded "$WORK/curve")" "$(stated "$latency" "$WORK/stated")"
    # mean: between a row hit and a conflict, and at most the wait for a refresh that began just before
    refresh=$(awk "BEGIN { t = $(stated tRFC "$WORK/stated") + $(stated tRP "$WORK/stated"); print t * t / 2 / $(stated tREFI "$WORK/stated") }")
    check "$name: unloaded, mean" is_within "$(figure mean_ns unloaded "$WORK/curve")" "$(stated 'row is open' "$WORK/stated")" \
        "$(awk "BEGIN { print $(stated 'another row is open' "$WORK/stated") + $refresh }")"
    # the lowest rate is kept, the highest measured one is not above the peak
    check "$name: 5 % of the peak" is_near "$(figure gb_per_s rate "$WORK/curve")" "$(awk "BEGIN { print 0.05 * $peak }")"
    check "$name: full" is_within "$(figure gb_per_s full "$WORK/curve")" "$(awk "BEGIN { print 0.3 * $peak }")" "$peak"
    check "$name: means rise with the rate" awk -F '\t' '$1 == "rate" && $13 == 0 { if ($6 < last) exit 1; last = $6; n++ }
        END { exit n < 5 }' "$WORK/curve"
}
curve_agrees DDR4 'another row is open' "${ddr4[@]}"
curve_agrees HBM 'bank is closed' "${hbm[@]}"

streams_at() {    # NAME LOWEST SYSTEM...: share of the peak that a stream of reads reaches; LOWEST is an awk expression over
                  # the times of config show, without the refresh: each tREFI loses tRFC, tRP and tRAS at most
    local name=$1 lowest=$2 share
    shift 2
    "$RUBATO" config show "$@" >"$WORK/stated"
    "$RUBATO" traffic "$@" --pattern stream --outstanding 1024 --requests 400000 --tsv >"$WORK/full"
    share=$(figure share_of_peak full "$WORK/full")
    lowest=$(awk "BEGIN { tBURST = $(stated tBURST "$WORK/stated"); tCCD_L = $(stated tCCD_L "$WORK/stated")
        tCS = $(stated tCS "$WORK/stated"); tRFC = $(stated tRFC "$WORK/stated"); tRP = $(stated tRP "$WORK/stated")
        tRAS = $(stated tRAS "$WORK/stated"); tREFI = $(stated tREFI "$WORK/stated")
        print ($lowest) * (1 - (tRFC + tRP + tRAS) / tREFI) }")
    check "$name: streams at $share of the peak, at least $lowest" is_within "$share" "$lowest" 1
}
# rows of one bank follow each other: as fast as one bank group goes; with columns above the banks all banks take turns, and
# the rank changes every 16 bursts
streams_at 'DDR4, RoRaBaCoCh' 'tBURST / tCCD_L' "${ddr4[@]}"
streams_at 'DDR4, RoCoRaBaCh' '16 * tBURST / (16 * tBURST + tCS)' "${ddr4[@]}" --set memory.dram.addr_mapping=RoCoRaBaCh
streams_at HBM 1 "${hbm[@]}"

# --- formats
"$RUBATO" traffic "${ddr4[@]}" --requests 2000 --plot "$WORK/curve.svg" >"$WORK/table"
check 'table: one read at a time' grep -qE '^1 under way +[0-9.]+ +[0-9.]+ % +[0-9.]+' "$WORK/table"
check 'table: a rate that is too high' grep -qE '^[0-9.]+ GB/s .* saturated$' "$WORK/table"
check 'plot: text' grep -qE '^ +0 +19\.2 GB/s$' "$WORK/table"
check 'plot: SVG' grep -q '<polyline .* points="[0-9]' "$WORK/curve.svg"
check 'plot: SVG ends' test "$(tail -n 1 "$WORK/curve.svg")" = '</svg>'
if command -v python3 >/dev/null; then
    for form in json tsv csv; do "$RUBATO" traffic "${ddr4[@]}" --requests 2000 --$form >"$WORK/$form"; done
    check 'CSV, TSV and JSON have the same cells' python3 -c 'import csv, json, sys
tables = [list(csv.DictReader(open(sys.argv[1]))), list(csv.DictReader(open(sys.argv[2]), delimiter="\t")), json.load(open(sys.argv[3]))["points"]]
assert len(tables[0]) > 5 and tables[0] == tables[1], tables[:2]
assert [[str(r[k]) if k == "point" else float(r[k]) for k in r] for r in tables[2]] == \
    [[r[k] if k == "point" else float(r[k]) for k in r] for r in tables[0]], tables' "$WORK/csv" "$WORK/tsv" "$WORK/json"
    "$RUBATO" traffic "${ddr4[@]}" --requests 2000 --read-share 0 --rate 1GB/s --json >"$WORK/writes"
    check 'without reads their latencies are not known' grep -qF '"mean_ns": null' "$WORK/writes"
    check 'JSON' python3 -c 'import json, sys
points = json.load(open(sys.argv[1]))["points"]
assert [points[0]["point"], points[1]["point"], points[-1]["point"]] == ["unloaded", "rate", "full"], points' "$WORK/json"
    check 'SVG is XML' python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$WORK/curve.svg"
else
    skip 'JSON, SVG (2): python3 is not installed'
fi

# --- the same twice
"$RUBATO" traffic "${hbm[@]}" --read-share 0.8 --requests 5000 --tsv >"$WORK/one"
"$RUBATO" traffic "${hbm[@]}" --read-share 0.8 --requests 5000 --tsv >"$WORK/two"
check 'the same twice' cmp -s "$WORK/one" "$WORK/two"
"$RUBATO" traffic "${hbm[@]}" --read-share 0.8 --requests 5000 --tsv --seed 2 >"$WORK/two"
check 'another seed' test "$(cmp "$WORK/one" "$WORK/two" >/dev/null; echo $?)" = 1

# --- rates and traces
"$RUBATO" traffic "${ddr4[@]}" --rate 100Mreq/s --requests 5000 --tsv >"$WORK/rate"
check 'rate in requests' is_near "$(figure gb_per_s rate "$WORK/rate")" 6.4
"$RUBATO" traffic "${ddr4[@]}" --rate 6.4GB/s --requests 5000 --tsv >"$WORK/two"
check 'rate in bytes' cmp -s "$WORK/rate" "$WORK/two"
awk 'BEGIN { print "# a stream"; for (i = 0; i < 5000; i++) printf i % 2 ? "%d R\n" : "0x%x READ 7\n", 64 * i }' >"$WORK/trace"
"$RUBATO" traffic "${ddr4[@]}" --trace "$WORK/trace" --outstanding 8 --tsv >"$WORK/one"
"$RUBATO" traffic "${ddr4[@]}" --pattern stream --outstanding 8 --requests 5000 --tsv >"$WORK/two"
check 'a trace of a stream is a stream' cmp -s "$WORK/one" "$WORK/two"
"$RUBATO" traffic "${ddr4[@]}" --trace - --outstanding 8 --tsv <"$WORK/trace" >"$WORK/two"
check 'standard input' cmp -s "$WORK/one" "$WORK/two"
gzip -c "$WORK/trace" >"$WORK/trace.gz"
"$RUBATO" traffic "${ddr4[@]}" --trace "$WORK/trace.gz" --outstanding 8 --tsv >"$WORK/two"
check 'gzip' cmp -s "$WORK/one" "$WORK/two"
check 'memories of two kinds' "$RUBATO" traffic default --set memories.0.type=simple --set memories.0.size=64MiB \
    --set memories.1.size=512MiB --requests 1000 --tsv >"$WORK/two" 2>&1

# --- faults
bad_trace() {    # NAME PATTERN LINES
    printf '%b' "$3" >"$WORK/bad"
    refused "$1" "$2" "$RUBATO" traffic default --trace "$WORK/bad"
}
bad_trace 'trace: no number' 'bad:2: the address is not a number; expected an address and R or W' '0x40 R\nzz R\n'
bad_trace 'trace: hexadecimal without 0x' 'bad:1: the address is not a number' '1f40 R\n'
bad_trace 'trace: 0x alone' 'bad:1: the address is not a number' '0x R\n'
bad_trace 'trace: no kind' 'bad:3: nothing behind the address' '\n# x\n64\n'
bad_trace 'trace: another kind' 'bad:1: neither R nor W' '64 X'
bad_trace 'trace: too large' 'bad:1: the address has more than 64 bits' '0x10000000000000000 R\n'
bad_trace 'trace: outside' 'bad:1: address 0x40000000 lies in no memory of default; it goes from 0x0 to 0x1fffffff' '0x40000000 W\n'
bad_trace 'trace: the last line of a memory' 'bad:1: address 0x20000000' '0x20000000 R\n'
bad_trace 'trace: empty' 'bad: holds no request' '# nothing\n'
bad_trace 'trace: long line' 'bad:1: the line is longer than 1024 bytes' "$(printf '%2000s' x)"
refused 'trace: not there' 'nothere: cannot be opened' "$RUBATO" traffic default --trace "$WORK/nothere"
refused 'no system' 'no SYSTEM was given' "$RUBATO" traffic
refused 'unknown pattern' 'expected random, stream or stride' "$RUBATO" traffic default --pattern zigzag
refused 'read share' '--read-share 80: expected a number from 0 to 1' "$RUBATO" traffic default --read-share 80
refused 'read share: no number' '--read-share nan: expected' "$RUBATO" traffic default --read-share nan
refused 'rate without unit' '--rate 5 has no unit; give a rate such as 12.8GB/s or 200Mreq/s' "$RUBATO" traffic default --rate 5
refused 'stride' '--stride is 100 bytes; give a multiple of the line, 64' "$RUBATO" traffic default --stride 100B --outstanding 1
refused 'range' '--range is .* the memories have 536870912' "$RUBATO" traffic default --range 1GiB
refused 'small range' '--range is 32 bytes, less than a line' "$RUBATO" traffic default --range 32B
refused 'warm-up' '--warmup is 10, but there are 10 requests' "$RUBATO" traffic default --warmup 10 --requests 10
refused 'no requests' '--requests 0: expected at least 1' "$RUBATO" traffic default --requests 0
refused 'plot without a curve' '--plot draws a curve' "$RUBATO" traffic default --rate 1GB/s --plot "$WORK/x.svg"
refused 'plot nowhere' 'cannot be written' "$RUBATO" traffic default --plot "$WORK/nowhere/x.svg"
