#!/usr/bin/env bash
# Traces on a memory by itself: every format at its own times or as fast as the memory takes it, latencies worked out by hand, every
# request in the DRAM, levels of a device, faults in one line.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
cd "$WORK" || exit 1

by() {    # KIND SYSTEM TRACE [OPTION...]: the table --by KIND as TSV
    local kind=$1
    shift
    "$RUBATO" traffic "$@" --by "$kind" --tsv
}
# is FILE ACCESS KIND COUNT LEAST_NS MOST_NS: a row of `--by kind`
is() {
    awk -F '\t' -v access="$2" -v kind="$3" -v count="$4" -v least="$5" -v most="$6" '
        $1 == access && $2 == kind { found = 1; good = $3 == count && $5 == least && $10 == most
            if (!good) print "    " $0 "; expected " count ", " least ", " most }
        END { exit !(found && good) }' "$1"
}

# DDR4-2400R, CK 0.833 ns: nRCD = nCL = nRP = 16, nBL = 4. A request at an edge waits for the next one (1); then data are there after
# nCL + nBL = 20 where the row is open, nRCD more where the bank is closed, nRP more where another row is: 21, 37 and 53 CK, and 10 ns
# each of front and back end. 0x40 lies in the row of 0x0, 0x20000 in another row of its bank. The refresh is far away.
hit=37.493 miss=50.821 conflict=64.149
at_times() {    # NAME FILE [OPTION...]
    local name=$1 trace=$2
    shift 2
    by kind commands-ddr4 "$trace" "$@" >kinds 2>err || { not_ok "$name"; cat err; return; }
    check "$name: three latencies by hand" is kinds reads requests 3 $hit $conflict
    check "$name: a row miss" is kinds reads 'row misses' 1 30.821 30.821
    check "$name: a row hit" is kinds reads 'row hits' 1 17.493 17.493
    check "$name: a row conflict" is kinds reads 'row conflicts' 1 44.149 44.149
}
printf '0x0 READ 0\n0x40 READ 100\n0x20000 READ 200\n' >t.dramsim3
printf '0:\tread\t0x0\n100:\tread\t0x40\n200:\t(64)\tread\t0x20000\n' >t.stl
printf '0 R 0x0 0x00 0\n100 R 0x40 0x00 0\n200 R 0x20000 0x00 0\n' >t.nvt
printf '# rw_time\nR 0x0 0\nR 0x40 100\nR 0x20000 200\n' >t.rw
at_times DRAMsim3 t.dramsim3
at_times STL t.stl
at_times NVMain t.nvt
at_times 'letters and times' t.rw
at_times 'an option in place of the operand' --trace t.dramsim3
printf '0x200000000 READ 0\n0x200000040 READ 100\n0x200020000 READ 200\n' >t.up.dramsim3
at_times 'a memory that does not begin at 0' t.up.dramsim3 --set memory.base=8GiB
ends_at() { check "$1" test "$("$RUBATO" traffic commands-ddr4 "${@:3}" --json | sed -n 's/.*"drained_ns": \([0-9.]*\).*/\1/p')" = "$2"; }
# 200 cycles of 1.667 ns are 333400 ps, in CK 400; the data are there 53 CK later
ends_at 'another clock' 397.349 t.dramsim3 --trace-clock 600MHz

# gem5's packet trace, whose times are ticks: 0, 100 CK, 200 CK
if command -v python3 >/dev/null; then
    python3 - <<'PY'
def varint(n):
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128]); n >>= 7
    return out + bytes([n])
def message(*fields):
    body = b''.join(varint(number << 3) + varint(value) for number, value in fields)
    return varint(len(body)) + body
head = b'\x0a\x01t' + varint(3 << 3) + varint(10**12)
out = b'gem5' + varint(len(head)) + head
for tick, address in ((0, 0), (83300, 0x40), (166600, 0x20000)):
    out += message((1, tick), (2, 1), (3, address), (4, 64))
open('t.ptrc', 'wb').write(out)
back = b'gem5' + varint(len(head)) + head
for tick in (1000, 500):
    back += message((1, tick), (2, 1), (3, 0), (4, 64))
open('back.ptrc', 'wb').write(back)
PY
    at_times "gem5's packets" t.ptrc
    refused 'packets: times that go back' 'tick 500 follows 1000' "$RUBATO" traffic commands-ddr4 back.ptrc
else
    skip "gem5's packets (5): python3 is not installed"
fi

# Relative times: the second request is due 63 CK after the end of the first, at 50821 + 52479 = 103300 ps, in CK 124; its RD is in CK
# 125, its data are there in CK 145, at 120785 ps, and its answer 20 ns later: 37485 ps after it was due.
printf '0:\tread\t0x0\n63:\tread\t0x40\n' >t.rstl
by kind commands-ddr4 t.rstl >kinds
check 'relative STL: from the end of the request before' is kinds reads requests 2 37.485 $miss
ends_at 'relative STL: its end' 140.785 t.rstl

# --- formats without times: all requests, as fast as the memory takes them
once() {    # NAME READS WRITES FILE
    "$RUBATO" traffic commands-ddr4 "$4" --json >out 2>err || { not_ok "$1"; cat err; return; }
    check "$1: $2 reads, $3 writes" eval "grep -q '\"access\": \"reads\", \"requests\": $2, .*\"waiting\": 0' out &&
        grep -q '\"access\": \"writes\", \"requests\": $3, .*\"waiting\": 0' out"
}
printf '0x0 R\n0x40 W\n0x20000 R\n' >ram1; once "Ramulator's memory trace" 2 1 ram1
printf 'LD 0x0\nST 64\nLD 0x20000\n' >ram2; once "Ramulator 2's load-store trace" 2 1 ram2
printf '3 20841280 20841280\n100 64\n' >cpu; once "Ramulator's CPU trace" 2 1 cpu
printf '# cpu_trace\n3 64 R\n100 4096 W\n' >cpu1; once "Ramulator's unfiltered CPU trace" 1 1 cpu1
printf 'R 0,0,0,0,5,3\nW 0,0,0,0,5,4\n' >vectors; once "Ramulator 2's read-write trace" 1 1 vectors
# each of 100 instructions takes 10 ns: the second access is due 101 instructions after the first
printf '# cpu_trace\n0 0\n100 64\n' >cpu2
# and comes in CK 1212; data 21 CK later
ends_at 'instructions between accesses have times by --trace-clock' 1047.089 cpu2 --trace-clock 100MHz
# one after the other: the second read waits for the first
"$RUBATO" traffic commands-ddr4 ram1 --outstanding 1 --by kind --tsv >kinds
check 'one at a time: a row conflict without waiting' is kinds reads 'row conflicts' 1 44.149 44.149

# --- every request reaches the DRAM: 26,000 reads and 33,009 writes
awk 'BEGIN { srand(5); for (i = 0; i < 59009; i++) {
    place = (place * 48271 + 11) % 2147483647
    printf "0x%x %s %d\n", 64 * (place % 8388608), i * 26000 % 59009 < 26000 ? "READ" : "WRITE", i * 6 } }' >many
reads=$(grep -c READ many) writes=$(grep -c WRITE many)
reach() {    # NAME SYSTEM: accesses issued + forwarded or merged = those given; commands of a log say the same
    "$RUBATO" traffic "$2" many --json --commands log >out 2>err || { not_ok "$1"; cat err; return; }
    check "$1: $reads reads and $writes writes given, none waiting" eval "
        grep -q '\"access\": \"reads\", \"requests\": $reads, .*\"waiting\": 0' out &&
        grep -q '\"access\": \"writes\", \"requests\": $writes, .*\"waiting\": 0' out"
    check "$1: as many writes as it says, in the log of commands" awk -v log_writes="$(grep -cE '[, ]WRA?[, ]' log)" '
        match($0, /"access": "writes".*"accesses": [0-9]+, "dram": [0-9]+, "write_queue": [0-9]+/) {
            split(substr($0, RSTART, RLENGTH), part, /[^0-9]+/); n = 0
            for (i in part) if (part[i] != "") value[++n] = part[i]
            line = substr($0, RSTART); gsub(/[^0-9]+/, " ", line); split(line, f, " ")
            good = f[2] == f[3] + f[4] && f[3] == log_writes
            if (!good) print "    " $0 "; the log has " log_writes }
        END { exit !good }' out
}
reach 'by commands' commands-ddr4
reach 'of HBM3, two accesses a line' commands-hbm3
reach "gem5's controller" default
"$RUBATO" traffic default many --set memory.type=simple >out
check 'a simple memory' grep -qE "^writes +$writes +$writes +$writes +0 +0$" out
"$RUBATO" traffic commands-ddr4 many >one && "$RUBATO" traffic commands-ddr4 many >two
check 'the same twice' cmp -s <(grep -v ^driven one) <(grep -v ^driven two)

# --- banks and time
by bank commands-ddr4 many >banks
check 'banks: their accesses are all of them' awk -F '\t' -v all=$((reads + writes)) 'NR > 1 { n += $3 + $4; kinds += $5 + $6 + $7 }
    END { exit !(NR == 17 && n == kinds && n > 0.99 * all && n <= all) }' banks
by time commands-ddr4 many >times
check 'time: bytes of the windows are those of the trace' awk -F '\t' -v all=$((64 * (reads + writes))) 'NR > 1 { bytes += ($2 - $1) * ($3 + $4) }
    END { exit !(NR > 30 && bytes > 0.999 * all && bytes < 1.001 * all) }' times

# --- levels of a device: the commands go where the trace says
vectors_of() {    # LEVELS...: 300 vectors with entries below each number
    awk -v levels="$*" 'BEGIN { srand(7); n = split(levels, most, " "); for (i = 0; i < 300; i++) {
        printf "%s ", rand() < 0.5 ? "R" : "W"
        for (k = 1; k <= n; k++) printf "%d%s", int(rand() * most[k]), k < n ? "," : "\n" } }'
}
goes() {    # NAME LEVELS SYSTEM...
    local name=$1
    # shellcheck disable=SC2086
    vectors_of $2 | sort -u >vectors
    shift 2
    "$RUBATO" traffic "$@" vectors --commands log >out 2>err || { not_ok "$name"; cat err; return; }
    sed -n 's/^[0-9]*,\(RD\|WR\)A\{0,1\},\(.*\),[^,]*,[^,]*$/\1 \2/p' log | sed 's/^RD/R/; s/^WR/W/' | sort -u >got
    check "levels: $name" cmp -s vectors got
}
for mapping in RoBaRaCoCh ChRaBaRoCo MOP4CLXOR; do
    goes "DDR4, two channels, two ranks, $mapping" '2 2 4 4 9000 128' commands-ddr4 --set memory.channels=2 --set memory.overrides.rank=2 \
        --set memory.size=32GiB --set memory.command.mapping=$mapping
    goes "DDR4, three channels, $mapping" '3 1 4 4 9000 128' commands-ddr4 --set memory.channels=3 --set memory.size=24GiB \
        --set memory.command.mapping=$mapping
    goes "HBM3, half a line each, $mapping" '8 2 1 4 4 3000 32' commands-hbm3 --set memory.xor_low_bit=14 --set memory.command.mapping=$mapping
done

# --- odd and wrong input
printf '0x0 READ 100\n0x40 READ 5\n0x20000 READ 300\n' >back
by kind commands-ddr4 back >kinds 2>err
check 'a time that goes back: due with the one before' is kinds reads 'row hits' 1 35.819 35.819
check 'it is said' grep -q '^rubato: warning: back: 1 of its times are before' err
printf '0x0 READ 0\n0x40 READ 100000000000000\n' >late
refused 'a huge time' 'late: the time of request 2 leads beyond 100 s' "$RUBATO" traffic commands-ddr4 late
printf '0x0 READ 0\n0x40 READ 100000000000000000000\n' >later
refused 'a time of more than 64 bits' 'later:2: the third number has more than 64 bits' "$RUBATO" traffic commands-ddr4 later
printf '0x0 READ 0\n0x40 READ 1200000000\n' >idle
check 'a second without requests is no stall' "$RUBATO" traffic commands-ddr4 idle --csv >out
printf '0x0 READ 0\n0x400000000000 READ 5\n' >far
refused 'beyond the device' 'far: address 0x400000000000 lies outside memory, which ends at' "$RUBATO" traffic commands-ddr4 far
: >empty
refused 'empty' 'empty: holds no request' "$RUBATO" traffic commands-ddr4 empty
refused_vector() { printf '%b' "$3" >v; refused "levels: $1" "$2" "$RUBATO" traffic "${4:-commands-ddr4}" v; }
refused_vector 'a bank too many' 'v:2: Bank is 4; there are 4' 'R 0,0,0,0,5,3\nR 0,0,0,4,5,3\n'
refused_vector 'a channel too many' 'v:1: Channel is 1; there are 1' 'R 1,0,0,0,5,3\n'
refused_vector 'a level too few' 'v:1: 5 levels; DDR4_8Gb_x8 has 6, from Channel to Column' 'R 0,0,0,0,5\n'
refused_vector 'no number' 'v:1: expected R or W and the levels' 'R 0,0,x,0,5,3\n'
refused_vector 'behind addresses' 'v:2: levels of a device, behind addresses' '0x40 R\nR 0,0,0,0,5,3\n'
refused_vector 'before addresses' 'v:2: an address, behind levels' 'R 0,0,0,0,5,3\n0x40 R\n'
refused_vector "of gem5's controller" 'v:1: levels of a device need a memory that has them' 'R 0,0,0,0,5,3\n' default
refused 'tables of a curve' '--by is of one measurement' "$RUBATO" traffic commands-ddr4 --by bank
refused 'another table' '--by row: expected kind, bank or time' "$RUBATO" traffic commands-ddr4 many --by row
refused 'two traces' 'unexpected argument' "$RUBATO" traffic commands-ddr4 many many
exit $failures
