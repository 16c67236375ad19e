#!/usr/bin/env bash
# Warm-ups without time (--warm functional) and lengths in retired instructions (--instructions), of whole traces, of mixes and in sweeps.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

sort=tests/traces/detailed/sort.rbt
chase=tests/traces/detailed/chase.rbt
plain=(--model detailed --set cpu.wrongPathValues=no)
replay() { local name=$1; shift; "$RUBATO" replay "$@" --no-cache --quiet --summary "$WORK/$name.json" --stats "$WORK/$name.champsim.json" --stats "$WORK/$name.txt" 2>"$WORK/stderr" || cat "$WORK/stderr"; }
metric() { awk -v name="\"$2\":" '$1 == name { sub(/,$/, "", $2); print $2; exit }' "$WORK/$1.json"; }
stat() { awk -v name="$2" '$1 == name { print $2; exit }' "$WORK/$1.txt"; }
near() { awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { off = a / b - 1; exit !(b > 0 && off <= most && off >= -most) }'; }
# The instructions of each core in a table of champsim.json.
retired() { sed -n "/\"$2\":/,/^ *}/p" "$WORK/$1.champsim.json" | grep -oE '"instructions":[0-9]+' | tr -dc '0-9\n' | paste -sd' '; }

# ---- a warm-up without time is a region that begins where it ends
"$RUBATO" regions $sort --interval 20k --warmup 0 --method systematic --regions 2 --keep 0 -o "$WORK/two.regions" >/dev/null
awk '$1 == "region" { if (!done++) print "region\t60000\t0\t20000\t1\t0"; next } { print }' "$WORK/two.regions" >"$WORK/one.regions"
cp $sort "$WORK"
"$RUBATO" replay detailed/base "$WORK/one.regions" "${plain[@]}" --warm functional --quiet --summary "$WORK/region.json" 2>"$WORK/stderr" || cat "$WORK/stderr"
replay walk detailed/base $sort "${plain[@]}" --warmup 60000 --warm functional --instructions 20000
replay fast detailed/base $sort "${plain[@]}" --warmup 60000 --warm functional --instructions 20000 --engine plain
for name in cpi ipc branch.mpki; do
    check "as a region behind a walk: $name" near "$(metric walk $name)" "$(metric region $name)" 0.0001
done
check 'both engines agree' cmp "$WORK/walk.champsim.json" "$WORK/fast.champsim.json"
replay long detailed/base $sort "${plain[@]}" --warmup 60000 --instructions 20000
replay cold detailed/base $sort "${plain[@]}" --skip 60000 --instructions 20000
check 'near to a warm-up in time' near "$(metric walk cpi)" "$(metric long cpi)" 0.05
check 'a cold start is not' eval '! near "$(metric cold cpi)" "$(metric long cpi)" 0.05'
check 'instructions behind both' test "$(retired walk roi | cut -c1-4) $(retired long roi | cut -c1-4)" = '2000 2000'
replay records detailed/base $sort "${plain[@]}" --warmup 60000 --records 80000
check 'as --records of the sum' near "$(metric long cpi)" "$(metric records cpi)" 0.001
"$RUBATO" replay detailed/base $sort "${plain[@]}" --skip 20000 --warmup 40000 --warm functional --instructions 20000 --no-cache >"$WORK/said" 2>&1
check 'the summary says how fast it was' grep -qE '^warmed in +[0-9.]+ s, [0-9.]+ million instructions/s, without time$' "$WORK/said"

# ---- prefetchers learn with pcs: two streams of loads in turn, which only their pcs tell apart
if command -v python3 >/dev/null; then
    python3 - "$WORK" <<'PY'
import struct, sys
def load(ip, address): return struct.pack("<QBB2B4B2Q4Q", ip, 0, 0, 10, 0, 3, 0, 0, 0, 0, 0, address, 0, 0, 0)
with open(f"{sys.argv[1]}/streams.champsim", "wb") as out:
    for i in range(4000):
        out.write(load(0x401000, 0x20000000 + 64 * i) + load(0x401004, 0x30000000 + 128 * i))
PY
    replay stride champsim "$WORK/streams.champsim" --set l1d.prefetcher=ip_stride --warmup 4000 --warm functional --instructions 100
    check 'a prefetcher that goes by the instruction is warm' test "$(stat stride system.l1d.demandHits::cpu.data)" -gt 25
else
    skip 'a prefetcher that goes by the instruction: no python3'
fi

# ---- a mix: each core has the figures of its own instructions, and goes on
mix() { replay "$1" champsim $chase $sort --set cores=2 --warmup 10k --instructions 30k --restart "${@:2}"; }
mix mix; mix mix_plain --engine plain; mix mix_walk --warm functional; mix mix_walk_plain --warm functional --engine plain
for name in mix mix_walk; do
    check "$name: both engines agree" cmp "$WORK/$name.champsim.json" "$WORK/${name}_plain.champsim.json"
    check "$name: own ends" test "$(retired $name roi | tr ' ' '\n' | cut -c1-4 | paste -sd' ')" = '3000 3000'
    check "$name: one has gone on" test "$(retired $name sim | tr ' ' '\n' | awk '$1 > 30100' | wc -l)" = 1
done
check 'statistics are of own ends, too' test "$(stat mix system.cpu0.commitStats0.numInsts | cut -c1-4)" = 3000
check 'the walk is what both cores begin with' near "$(metric mix_walk cpi)" "$(metric mix cpi)" 0.1
replay round champsim $sort --warmup 10k --instructions 400k --restart --set l1d.size=3KiB --set l1d.assoc=12
check 'a program that ends starts again until it has as many' test "$(retired round roi | cut -c1-4)" = 4000
"$RUBATO" replay champsim $sort --instructions 10M --no-cache --quiet 2>"$WORK/stderr"
check 'one that does not is named' grep -qE 'its trace ended when [0-9]+ of 10000000 instructions were retired; --restart begins it again' "$WORK/stderr"

# ---- sweeps
printf 'system: detailed/base\ntraces: [%s]\nset: {cpu.model: detailed, cpu.wrongPathValues: no}\nwarmup: 60000\nwarm: %s\ninstructions: 20000\n' "$PWD/$sort" functional >"$WORK/sweep.yaml"
"$RUBATO" sweep "$WORK/sweep.yaml" -o "$WORK/sweep.db" --no-cache >/dev/null 2>"$WORK/stderr" || cat "$WORK/stderr"
check 'a point of a sweep is the replay' near "$("$RUBATO" results "$WORK/sweep.db" --columns cpi | tail -n 1)" "$(metric walk cpi)" 0.00001
sed -i 's/functional/detailed/' "$WORK/sweep.yaml"
"$RUBATO" sweep "$WORK/sweep.yaml" -o "$WORK/sweep.db" --no-cache >"$WORK/said" 2>"$WORK/stderr"
check 'another warm-up is another point' eval '! grep -q "0 failed, 1 done before" "$WORK/said"'

# ---- refused
refused() {    # WHAT EXPECTED ARGUMENTS
    "$RUBATO" replay "${@:3}" --no-cache --quiet >"$WORK/said" 2>"$WORK/stderr"
    check "refused: $1" test "$? $(wc -l <"$WORK/stderr") $(grep -c -e "$2" "$WORK/stderr")" = '2 1 1'
}
refused 'elastic cores' '--instructions counts instructions that detailed cores retire' wide $sort --instructions 1000
refused 'elastic traces' '--instructions counts instructions that detailed cores retire' wide tests/traces/long/chase.pack --instructions 1000
refused 'records and instructions' 'both say where the run ends' champsim $sort --instructions 1000 --records 2000
refused 'programs alone' '--alone compares whole programs' champsim $sort $chase --set cores=2 --alone --instructions 1000
refused 'no warm-up to walk over' 'give --warmup N' champsim $sort --warm functional
refused 'more programs than cores' '2 programs for 1 core' champsim $sort $chase --warmup 10 --warm functional
refused 'a warm-up beyond the trace' 'the trace ends\|ends before\|has only' champsim $sort --warmup 1G --warm functional
refused 'an unknown way' 'expected functional or detailed' champsim $sort --warmup 10 --warm kept
refused 'no number' 'instructions' champsim $sort --instructions 1zz
"$RUBATO" replay titanx tests/traces/gpu/pascal-vectoradd-100 --instructions 10 >"$WORK/said" 2>"$WORK/stderr"
check "refused: a list of kernels" test "$? $(cat "$WORK/stderr")" = "2 rubato: --instructions is not for GPU traces; leave it out"
exit $failures
