#!/usr/bin/env bash
# ChampSim's configurations: the default one becomes the shipped system, contests' systems load, modules and keys that are not known are
# refused in one line with file, line and key.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

cat >"$WORK/champsim_config.json" <<'END'
{
  "executable_name": "bin/champsim", "block_size": 64, "page_size": 4096, "heartbeat_frequency": 10000000, "num_cores": 1,
  "ooo_cpu": [{"frequency": 4000, "ifetch_buffer_size": 64, "decode_buffer_size": 32, "rob_size": 352, "lq_size": 128, "sq_size": 72,
      "fetch_width": 6, "decode_width": 6, "dispatch_width": 6, "execute_width": 4, "lq_width": 2, "sq_width": 2, "retire_width": 5,
      "mispredict_penalty": 1, "scheduler_size": 128, "branch_predictor": "bimodal", "btb": "basic_btb"}],
  "L1I": {"sets": 64, "ways": 8, "pq_size": 32, "mshr_size": 8, "latency": 4, "prefetcher": "no_instr"},
  "L1D": {"sets": 64, "ways": 12, "pq_size": 8, "mshr_size": 16, "latency": 5, "prefetcher": "no"},
  "L2C": {"sets": 1024, "ways": 8, "wq_size": 64, "pq_size": 16, "mshr_size": 32, "latency": 10, "prefetcher": "no"},
  "ITLB": {"sets": 16, "ways": 4, "mshr_size": 8, "latency": 1},
  "DTLB": {"sets": 16, "ways": 4, "mshr_size": 8, "latency": 1},
  "STLB": {"sets": 128, "ways": 12, "mshr_size": 16, "latency": 8},
  "PTW": {"pscl4_set": 1, "pscl4_way": 4, "pscl3_set": 2, "pscl3_way": 4, "pscl2_set": 4, "pscl2_way": 8, "mshr_size": 5},
  "LLC": {"sets": 2048, "ways": 16, "wq_size": 32, "mshr_size": 64, "latency": 20, "prefetcher": "no", "replacement": "lru"},
  "physical_memory": {"data_rate": 3200, "channels": 1, "ranks": 1, "bankgroups": 8, "banks": 4, "bank_rows": 65536, "bank_columns": 1024,
      "channel_width": 8, "wq_size": 64, "rq_size": 64, "tCAS": 24, "tRCD": 24, "tRP": 24, "tRAS": 52},
  "virtual_memory": {"num_levels": 5, "minor_fault_penalty": 200}
}
END
imported() { "$RUBATO" config import "$WORK/${1:-champsim_config.json}" -o "$WORK/system.yaml" 2>"$WORK/stderr"; }
changed() { sed "$1" "$WORK/champsim_config.json" >"$WORK/changed.json"; imported changed.json; }
has() { "$RUBATO" config show "$WORK/system.yaml" | grep -qE -- "$1"; }

"$RUBATO" config show champsim | sed 1d >"$WORK/shipped"
imported
check 'the default configuration is the shipped system' cmp -s <("$RUBATO" config show "$WORK/system.yaml" | sed 1d) "$WORK/shipped"
check 'keys without counterpart are listed with their reasons' grep -q '^# line 5, mispredict_penalty: is the length' "$WORK/system.yaml"
changed 's/"pq_size": 16, "mshr_size": 32, "latency": 10, "prefetcher": "no"/"pq_size": 16, "mshr_size": 48, "latency": 14, "prefetcher": ["spp_dev", "next_line"], "prefetch_activate": "LOAD,RFO"/'
check 'several prefetchers of a cache' has '^ +type: spp ' && check 'the second' has '^ +type: next_line '
check 'what they learn from' test "$("$RUBATO" config show "$WORK/system.yaml" | grep -cE 'ignore_stores: no|ignore_prefetches: yes')" = 4
check 'a latency without its fill' has '^  tag_latency: 13 '
changed 's/"num_cores": 1/"num_cores": 4/; s/"sets": 2048, "ways": 16, //'
check 'four cores, whose last level grows with them' has '^#      `- l3 +8MiB'
check 'four cores on one system' has 'l2 x4'
changed 's/"data_rate": 3200/"frequency": 3200/; s/"bankgroups": 8, //; s/"bank_columns": 1024/"columns": 128/; s/"bank_rows"/"rows"/; s/"tCAS": 24/"tCAS": 12.5/'
check 'DRAM of before 2025 in nanoseconds' has '^    tCL: 12\.5ns '
check 'its banks and rows' has '^    banks_per_rank: 4 ' && check 'its size' has '^  size: 2GiB '

refused() {    # WHAT SED-COMMAND EXPECTED
    changed "$2"
    check "refused: $1" test "$? $(cat "$WORK/stderr")" = "2 rubato: $WORK/changed.json: line $3"
}
refused 'a module that is not built in' '/"L2C"/s/"prefetcher": "no"/"prefetcher": "berti"/' \
    '8: L2C.prefetcher: the module "berti" is not built in; give one of no, next_line, next_line_instr, ip_stride, spp_dev, va_ampm_lite, or set the imported key to what rubato plugin build makes of it'
refused 'a predictor that is not' 's/"bimodal"/"batage"/' \
    '5: branch_predictor: the module "batage" is not built in; give one of bimodal, gshare, perceptron, hashed_perceptron, or set the imported key to what rubato plugin build makes of it'
refused 'an unknown key' '/"L2C"/s/"sets"/"setz"/' '8: L2C.setz: is no key of ChampSim'\''s; leave it out'
refused 'a number that is none' 's/"rob_size": 352/"rob_size": "many"/' '3: rob_size: "many": expected a number of at least 0'
refused 'sets without ways' '/"STLB"/s/"ways": 12, //' '11: STLB: give both sets and ways, such as 16 and 4'
refused 'cores that differ' 's/"btb": "basic_btb"}/"btb": "basic_btb"}, {"rob_size": 64}/' \
    '5: ooo_cpu: cores differ; give one, which stands for all'
refused 'pages of another size' 's/"page_size": 4096/"page_size": 2097152/' '2: page_size: 2097152: expected 4096'
"$RUBATO" config import "$WORK/champsim_config.json" "$WORK/champsim_config.json" >"$WORK/stdout" 2>"$WORK/stderr"
check 'a second file is refused' test "$? $(grep -c 'have one file' "$WORK/stderr")" = '2 1'

# ---- shipped systems of contests run a trace
for system in champsim dpc3 dpc4-fullbw dpc4-limitbw crc2 cbp; do
    "$RUBATO" replay "$system" tests/traces/detailed/sort.rbt --records 20000 --no-cache --quiet --stats "$WORK/run-$system.txt" 2>"$WORK/stderr"
    check "$system runs" grep -q '^system.cpu.ipc ' "$WORK/run-$system.txt"
    [ -s "$WORK/stderr" ] && head -n 2 "$WORK/stderr"
done
"$RUBATO" replay dpc4-mc tests/traces/detailed/{sort,chase,sort,chase}.rbt --records 10000 --no-cache --quiet --stats "$WORK/mc.txt" 2>"$WORK/stderr"
check 'dpc4-mc runs four traces' grep -q '^system.cpu3.ipc ' "$WORK/mc.txt"
"$RUBATO" replay champsim tests/traces/detailed/sort.rbt --records 20000 --no-cache --quiet --engine plain --stats "$WORK/plain.txt" 2>/dev/null
check 'both engines agree' test "$(grep -v host "$WORK/plain.txt" | cksum)" = "$(grep -v host "$WORK/run-champsim.txt" | cksum)"

# ---- what two keys are worth: a stream of stores, and a walk down a column, whose elements lie a row of all banks apart
ipc() { "$RUBATO" replay champsim "$@" --no-cache --quiet --stats - 2>/dev/null | awk '$1 == "system.cpu.ipc" { print $2 }'; }
more() { awk -v one="$1" -v other="$2" -v times="$3" 'BEGIN { exit !(other > 0 && one > times * other) }'; }
if command -v python3 >/dev/null; then
    python3 - "$WORK" <<'END'
import struct, sys
def record(ip, written=(), read=(), is_branch=0, taken=0, loads=(), stores=()):
    fill = lambda values, size: list(values) + [0] * (size - len(values))
    return struct.pack("<QBB2B4B2Q4Q", ip, is_branch, taken, *fill(written, 2), *fill(read, 4), *fill(stores, 2), *fill(loads, 4))
def loop(name, count, access):
    with open(f"{sys.argv[1]}/{name}.champsim", "wb") as out:
        for i in range(count):
            out.write(record(0x401000, (3,), (3,)) + access(i) + record(0x401008, (25,), (3,)))
            out.write(record(0x40100b, (26,), (26, 25), 1, int(i < count - 1)))
loop("stores", 60000, lambda i: record(0x401004, (), (3, 10), stores=(0x10000000 + 8 * i,)))
loop("column", 20000, lambda i: record(0x401004, (10,), (3,), loads=(0x20000000 + i % 512 * 262144 + i // 512 * 64,)))
END
    check 'stores that the L1D has taken leave the queue' more "$(ipc "$WORK/stores.champsim")" "$(ipc "$WORK/stores.champsim" --set cpu.releaseSentStores=no)" 1.3
    check 'hashed banks serve a column' more "$(ipc "$WORK/column.champsim" --set pages.policy=identity)" \
        "$(ipc "$WORK/column.champsim" --set pages.policy=identity --set memory.dram.bank_hash=no)" 5
else
    skip 'a stream of stores, a column: no python3'
fi

# ---- mispredictions of the trace's order are the same on any memory and core
mispredicted() { "$RUBATO" replay champsim tests/traces/detailed/sort.rbt --no-cache --quiet --stats - "$@" | grep -E '^system.cpu.branchPred.mispredicted_0::' | awk '{ print $1, $2 }'; }
mispredicted >"$WORK/usual"
check 'branches are mispredicted' test "$(awk '$1 ~ /DirectCond/ { print ($2 > 1000) }' "$WORK/usual")" = 1
check 'as many on a slow memory' cmp -s "$WORK/usual" <(mispredicted --set memory.dram.tRCD=200ns --set l1d.size=3KiB --set l1d.assoc=12)
check 'as many with a small core, on both engines' cmp -s "$WORK/usual" <(mispredicted --set cpu.numROBEntries=32 --set cpu.fetchAhead=0 --engine plain)
"$RUBATO" replay laptop tests/traces/detailed/sort.rbt --model detailed --quiet --no-cache --set cpu.branchPred.train=trace_order 2>"$WORK/stderr"
check 'it is not for wrong paths' test "$? $(grep -c 'give cpu.wrongPath: no' "$WORK/stderr")" = '2 1'

# ---- statistics in ChampSim's forms
run() { "$RUBATO" replay "$@" --no-cache --quiet --stats "$WORK/champsim.json" --stats "$WORK/champsim.txt" --stats "$WORK/own.txt" 2>"$WORK/stderr"; }
own() { awk -v name="$1" '$1 == name { print $2; exit }' "$WORK/own.txt"; }
# counts TABLE CACHE TYPE: "[hits] [misses]" of a table of champsim.json, a cache a line
counts() {
    sed -n "/^ *\"$1\":/,/^ *}/p" "$WORK/champsim.json" | grep -m1 "\"$2\":" | sed -E "s/.*\"$3\":\{\"hit\":(\[[0-9,]*\]),\"miss\":(\[[0-9,]*\]).*/\1 \2/"
}
run champsim tests/traces/detailed/chase.rbt --warmup 20000 --records 80000 --set l2.prefetcher=next_line
check 'both forms are written' test -s "$WORK/champsim.json" -a -s "$WORK/champsim.txt"
check 'loads of the L1D' test "$(counts roi cpu0_L1D LOAD)" = "[0] [$(own system.l1d.ReadReq.misses::cpu.data)]"
check 'translations of the L2' test "$(counts sim cpu0_L2C TRANSLATION | tr -dc 0-9)" != '' -a "$(counts sim cpu0_L2C TRANSLATION)" != '[0] [0]'
check 'instructions behind the warm-up' grep -qE '"instructions":6000[0-9],' "$WORK/champsim.json"
check 'the same in the table' grep -qE '^CPU 0 cumulative IPC: [0-9.]+ instructions: 6000[0-9] cycles: ' "$WORK/champsim.txt"
check 'a line a type' test "$(grep -cE '^cpu0_L2C (TOTAL|LOAD|RFO|PREFETCH|WRITE|TRANSLATION) +ACCESS: +[0-9]+ HIT: +[0-9]+ MISS: +[0-9]+' "$WORK/champsim.txt")" = 6
if command -v python3 >/dev/null; then
    check 'it is JSON with the members that scripts read' python3 - "$WORK/champsim.json" <<'END'
import json, sys
run = json.load(open(sys.argv[1]))[0]
assert run["name"] == "Simulation" and run["traces"] == ["tests/traces/detailed/chase.rbt"]
for table in run["roi"], run["sim"]:
    assert {"instructions", "cycles", "Avg ROB occupancy at mispredict", "mispredict"} <= table["cores"][0].keys()
    assert {"prefetch requested", "prefetch issued", "useful prefetch", "useless prefetch", "miss latency"} <= table["LLC"].keys()
    assert "RQ ROW_BUFFER_HIT" in table["DRAM"][0] and "cpu0_STLB" in table
assert run["roi"]["cpu0_L2C"]["PREFETCH"]["miss"] == run["sim"]["cpu0_L2C"]["PREFETCH"]["miss"]
END
else
    skip 'members of champsim.json: no python3'
fi
# A core whose program starts again: its own pass, and the whole.
run dpc4-mc tests/traces/detailed/{sort,chase,hash,matrix}.rbt --restart
own_pass=$(sed -n '/"roi":/,/^ *}/p' "$WORK/champsim.json" | grep -oE '"instructions":[0-9]+' | tr -dc '0-9\n')
whole=$(sed -n '/"sim":/,/^ *}/p' "$WORK/champsim.json" | grep -oE '"instructions":[0-9]+' | tr -dc '0-9\n')
check 'four cores, at their own ends and at the end of the run' test "$(paste <(echo "$own_pass") <(echo "$whole") | awk '$1 <= $2 { some += $1 < $2; n++ } END { print n, (some > 1) }')" = '4 1'
"$RUBATO" replay champsim tests/traces/detailed/sort.rbt --records 2000 --quiet --no-cache --interval 1us --stats "$WORK/x.champsim.json" 2>"$WORK/stderr"
check 'blocks over time are refused' test "$? $(grep -c 'one block, of a system with cores' "$WORK/stderr")" = '2 1'
exit $failures
