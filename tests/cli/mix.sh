#!/usr/bin/env bash
# Programs that share a memory system: --alone and --restart for every kind of trace and model, in both engines; metrics of mixes.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

insn=tests/traces/detailed fir=tests/traces/gpu/gcn3-fir write=$BUILD/tests/tools/macsim_write
replay() { timeout 120 "$RUBATO" replay "$@" </dev/null; }
metric() { sed -n "s/^ *\"$2\": \([-0-9.e]*\),*\$/\1/p" "$WORK/$1.json"; }
column() { awk -v name="$2" -v column="$3" '$1 == name && $4 ~ /x$/ { print $column; exit }' "$WORK/$1.out"; }

equal() {    # NAME GOT EXPECTED
    if [ -n "$2" ] && [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1"; echo "    got '$2', expected '$3'"; fi
}
near() {    # NAME GOT EXPECTED: to three places, as the table shows them
    check "$1: $2 is $3" awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; exit !(a > 0 && d < 0.002 && d > -0.002) }'
}

# ---- sets of two programs, the short one first
"$write" C80/x86-pin313 30 gzip "$WORK/short" 0 && "$write" C80/x86-pin313 200 gzip "$WORK/long" 0
for name in short long; do printf 'x86 1.3\n1\n0 0\n' >"$WORK/$name.txt"; done
printf '2\n%s\n%s\n' "$WORK/short.txt" "$WORK/long.txt" >"$WORK/trace_file_list"
awk 'BEGIN { for (i = 0; i < 300; i++) printf "I  %x,4\n L %x,8\n", 4096 + 4 * (i % 50), 1048576 + 64 * i }' >"$WORK/a.lackey"
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "I  %x,4\n L %x,8\n", 4096 + 4 * (i % 50), 1048576 + 64 * (i * 7 % 2048) }' >"$WORK/b.lackey"

judge() {    # SET: the metrics follow from the table, in summary and JSON
    local set=$1 one two
    one=$(column "$set" cpu0 4) two=$(column "$set" cpu1 4)
    one=${one%x} two=${two%x}
    near "$set: weighted speed-up" "$(metric "$set" weighted_speedup)" "$(awk -v a="$one" -v b="$two" 'BEGIN { print 1 / a + 1 / b }')"
    near "$set: harmonic mean" "$(metric "$set" harmonic_speedup)" "$(awk -v a="$one" -v b="$two" 'BEGIN { print 2 / (a + b) }')"
    near "$set: fairness" "$(metric "$set" fairness)" "$(awk -v a="$one" -v b="$two" 'BEGIN { print (a < b ? a / b : b / a) }')"
    near "$set: largest slowdown" "$(metric "$set" max_slowdown)" "$(awk -v a="$one" -v b="$two" 'BEGIN { print (a > b ? a : b) }')"
    near "$set: cpu1's slowdown" "$(metric "$set" cpu1.slowdown)" "$two"
}

mix() {    # SET SHORT_CORE ARGUMENTS...
    local set=$1 short=$2 engine
    shift 2
    for engine in plain fast; do
        replay "$@" --alone --restart --engine $engine --summary "$WORK/$set.$engine.json" --stats "$WORK/$set.$engine.txt" \
            >"$WORK/$set.$engine.out" 2>"$WORK/stderr" || { not_ok "$set, $engine"; sed 's/^/    /' "$WORK/stderr"; return; }
        sed -i '/^host/d' "$WORK/$set.$engine.txt"
    done
    check "$set: both engines alike, metrics" cmp "$WORK/$set.plain.json" "$WORK/$set.fast.json"
    cp "$WORK/$set.fast.out" "$WORK/$set.out" && cp "$WORK/$set.fast.json" "$WORK/$set.json"
    check "$set: the short one starts again" grep -q "^restarted  *cpu$short [0-9]* time" "$WORK/$set.out"
    judge "$set"
    # the first pass: work done once is that of a run without --restart
    replay "$@" --summary "$WORK/$set.once.json" >"$WORK/$set.once.out" 2>&1
    for core in cpu0 cpu1; do
        equal "$set: $core counts its first pass" "$(metric "$set" $core.instructions)" "$(metric "$set.once" $core.instructions)"
        equal "$set: the summary of $core, too" "$(awk -v c=$core '$1 == c && / cycles of / { print $6, $7; exit }' "$WORK/$set.out")" \
            "$(awk -v c=$core '$1 == c && / cycles of / { print $6, $7; exit }' "$WORK/$set.once.out")"
    done
    # the short one meets the same contention till it has ended; the long one has it to its end
    equal "$set: the short one ends when it did" "$(awk -v c="cpu$short" '$1 == c && / done at / { print $(NF - 1); exit }' "$WORK/$set.out")" \
        "$(awk -v c="cpu$short" '$1 == c && / done at / { print $(NF - 1); exit }' "$WORK/$set.once.out")"
    equal "$set: accesses of the short one's L1D" "$(grep "^cpu$short.l1d" "$WORK/$set.out" | awk '{ print $3, $4 }')" \
        "$(grep "^cpu$short.l1d" "$WORK/$set.once.out" | awk '{ print $3, $4 }')"
}

two=(--set cores=2)
mix elastic 0 wide "$TRACES/qsort" "$TRACES/gups" "${two[@]}" --set cpu.offset_step=128MiB
mix window 0 wide "$TRACES/qsort" "$TRACES/gups" "${two[@]}" --set cpu.offset_step=128MiB --model window
mix insn 1 wide $insn/chase.rbt $insn/sort.rbt "${two[@]}"
mix detailed 1 wide $insn/chase.rbt $insn/sort.rbt "${two[@]}" --model detailed
mix macsim 0 wide "$WORK/trace_file_list" "${two[@]}" --set cpu.share=yes
mix text 0 wide "$WORK/a.lackey" "$WORK/b.lackey" "${two[@]}"
mix tlb 0 laptop-tlb "$WORK/a.lackey" "$WORK/b.lackey" "${two[@]}"

# ---- GPU beside cores
replay hetero "$TRACES/triad" "$fir" --set gpu.copies_fill_l2=no --alone --restart --summary "$WORK/gpu.json" >"$WORK/gpu.out" 2>&1
near 'the GPU has a slowdown, too' "$(metric gpu gpu.slowdown)" "$(column gpu gpu 4 | tr -d x)"
replay hetero $insn/sort.rbt "$fir" --set gpu.copies_fill_l2=no --alone --summary "$WORK/gpu2.json" >"$WORK/gpu2.out" 2>&1
check 'an instruction trace beside a GPU: both alone' test -n "$(metric gpu2 weighted_speedup)"

# ---- --alone without --restart
replay wide $insn/chase.rbt $insn/sort.rbt "${two[@]}" --alone --model detailed >"$WORK/plain.out" 2>&1
check 'alone: programs by name' grep -q '^cpu1 .*x  sort.rbt$' "$WORK/plain.out"
replay wide $insn/sort.rbt --model detailed >"$WORK/own.out" 2>&1
replay wide $insn/sort.rbt $insn/chase.rbt "${two[@]}" --alone --model detailed >"$WORK/first.out" 2>&1
near 'alone, a program takes what it takes on a system of its own' "$(column first cpu0 3)" "$(awk '/^time / { print $2 }' "$WORK/own.out")"

# ---- sweeps
cat >"$WORK/mix.yaml" <<YAML
system: wide
traces: {name: mix, traces: [$PWD/$insn/chase.rbt, $PWD/$insn/sort.rbt]}
set: {cores: 2}
alone: yes
restart: yes
axes: {l2.size: [512KiB, 1MiB]}
YAML
"$RUBATO" sweep "$WORK/mix.yaml" -o "$WORK/mix.db" --jobs 1 >"$WORK/stdout" 2>&1
"$RUBATO" results "$WORK/mix.db" --columns l2.size,weighted_speedup,harmonic_speedup,fairness,max_slowdown,cpu1.slowdown >"$WORK/results"
replay wide $insn/chase.rbt $insn/sort.rbt "${two[@]}" --set l2.size=1MiB --alone --restart --summary "$WORK/point.json" --quiet
near 'a sweep has what a replay has: weighted speed-up' "$(awk '$1 == "1MiB" { print $2 }' "$WORK/results")" "$(metric point weighted_speedup)"
near 'and fairness' "$(awk '$1 == "1MiB" { print $4 }' "$WORK/results")" "$(metric point fairness)"
"$RUBATO" report "$WORK/mix.db" -o "$WORK/mix.html" >/dev/null
check 'and the report' grep -q weighted_speedup "$WORK/mix.html"
sed 's/^alone: yes/alone: no/' "$WORK/mix.yaml" >"$WORK/without.yaml"
"$RUBATO" sweep "$WORK/without.yaml" -o "$WORK/mix.db" --jobs 1 >"$WORK/stdout" 2>&1
check 'without alone these are other points' grep -q '2 done, 0 failed, 0 done before' "$WORK/stdout"
for name in weighted_speedup harmonic_speedup fairness max_slowdown slowdown gpu.slowdown; do
    check "results --metrics has $name" sh -c "\"$RUBATO\" results --metrics | grep -q '^$name '"
done
sed 's/^alone: yes/alone: maybe/' "$WORK/mix.yaml" >"$WORK/bad.yaml"
refused 'neither yes nor no' 'alone: expected yes or no' "$RUBATO" sweep "$WORK/bad.yaml" --dry-run

# ---- refusals, by name
"$BUILD/tests/tools/insn_sample" "$WORK/threads.rbt" threads
refused 'threads that start each other alone' 'one program, whose 2 threads start each other' \
    "$RUBATO" replay wide "$WORK/threads.rbt" "${two[@]}" --alone
refused 'or again' 'programs of one thread' "$RUBATO" replay wide "$WORK/threads.rbt" $insn/sort.rbt "${two[@]}" --restart
replay wide "$WORK/threads.rbt" $insn/sort.rbt "${two[@]}" --alone >"$WORK/several.out" 2>&1
check 'several programs, one of several threads: each alone' grep -q '^weighted speed-up .* of 2' "$WORK/several.out"
refused 'more programs than cores' 'wide has 1 core, but 2 programs' "$RUBATO" replay wide $insn/chase.rbt $insn/sort.rbt --restart
refused 'the first core ends the run' 'exit_first_core' "$RUBATO" replay wide $insn/chase.rbt $insn/sort.rbt "${two[@]}" --restart --set exit_first_core=yes
refused 'a listing of one pass' 'pipeline' "$RUBATO" replay wide $insn/chase.rbt $insn/sort.rbt "${two[@]}" --restart --model detailed --pipeline "$WORK/p.txt"
refused 'a GPU that has no core beside it' 'programs of cores' "$RUBATO" replay hetero "$fir" --restart
refused 'a warm-up that a program does not outlast' 'ended before all had completed' \
    "$RUBATO" replay wide "$WORK/a.lackey" "$WORK/b.lackey" "${two[@]}" --restart --warmup 1000
exit $failures
