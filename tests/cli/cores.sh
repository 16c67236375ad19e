#!/usr/bin/env bash
# rubato replay with several cores: traces, addresses, the end of the run, what sharing costs.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

replay() { "$RUBATO" replay "$@" </dev/null; }
figure() { awk -v name="$2" '$1 == name { print $2; exit }' "$1"; }

equal() {    # NAME GOT EXPECTED
    if [ -n "$2" ] && [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1"; echo "    got '$2', expected '$3'"; fi
}

# ---- refusals
refused 'cores that overlap' 'share: yes.*offset|offset.*share' "$RUBATO" replay wide "$TRACES/qsort" --set cores=2
refused 'too few traces' '4 cores, but 2 traces' "$RUBATO" replay quad "$TRACES/qsort" "$TRACES/gups"
refused 'too many traces' '1 core, but 2 traces' "$RUBATO" replay wide "$TRACES/qsort" "$TRACES/gups"
refused 'an offset outside memory' 'past the end of the memory, 512MiB' \
    "$RUBATO" replay wide "$TRACES/qsort" --set cores=2 --set cpu.offset_step=1GiB

# ---- two cores
two=(--set cores=2 --set cpu.offset_step=128MiB)
replay wide "$TRACES/qsort" "$TRACES/gups" "${two[@]}" --stats "$WORK/two.txt" --alone >"$WORK/two.out" 2>"$WORK/stderr"
equal 'exit code' $? 0
for trace in qsort gups; do
    replay wide "$TRACES/$trace" --stats "$WORK/$trace.txt" --quiet
done
for core in cpu0 cpu1; do
    check "summary has $core" grep -q "^$core " "$WORK/two.out"
done
equal 'each core replays its own trace: cpu0' "$(figure "$WORK/two.txt" system.cpu0..dside.numSendAttempted)" \
    "$(figure "$WORK/qsort.txt" system.cpu..dside.numSendAttempted)"
equal 'each core replays its own trace: cpu1' "$(figure "$WORK/two.txt" system.cpu1..dside.numSendAttempted)" \
    "$(figure "$WORK/gups.txt" system.cpu..dside.numSendAttempted)"
alone_ms() { awk -v ps="$1" 'BEGIN { printf "%.6f", ps / 1e9 }'; }
equal 'alone, the first core takes what it takes on a system of its own' \
    "$(awk '$1 == "cpu0" && NF == 4 { print $3 }' "$WORK/two.out")" "$(alone_ms "$(figure "$WORK/qsort.txt" finalTick)")"
slowdowns=$(awk '/^cpu[01] / && NF == 4 { d = $2 / $3 - $4; if (d < 0) d = -d; if (d > 0.001) bad = 1; n++ } END { print n, bad + 0 }' \
    "$WORK/two.out")
equal 'slowdown is shared / alone, for both' "$slowdowns" '2 0'
equal 'weighted speed-up is the sum of their reciprocals' \
    "$(sed -n 's/^weighted speed-up \([0-9.]*\) .*/\1/p' "$WORK/two.out")" \
    "$(awk '/^cpu[01] / && NF == 4 { sum += $3 / $2 } END { printf "%.3f", sum }' "$WORK/two.out")"
replay wide "$TRACES/qsort" "$TRACES/gups" "${two[@]}" --stats "$WORK/again.txt" --quiet
check 'with or without --alone, the same statistics' cmp -s "$WORK/two.txt" "$WORK/again.txt"

# ---- cores that share lines
replay wide "$TRACES/qsort" --set cores=2 --set cpu.share=yes --stats "$WORK/share.txt" --quiet
replay wide "$TRACES/qsort" "${two[@]}" --stats "$WORK/apart.txt" --quiet
check 'sharing lines means snoops' test "$(figure "$WORK/share.txt" system.tol2bus.snoops)" -gt 0
equal 'cores that are apart never meet' "$(figure "$WORK/apart.txt" system.tol2bus.snoops)" 0
check 'and read twice as much' test "$(figure "$WORK/apart.txt" system.mem_ctrls.dram.bytesRead::total)" -gt \
    "$(figure "$WORK/share.txt" system.mem_ctrls.dram.bytesRead::total)"

# ---- the end of a run
replay wide "$TRACES/qsort" "$TRACES/gups" "${two[@]}" --set exit_first_core=yes --alone --stats "$WORK/first.txt" \
    >"$WORK/first.out" 2>&1
check 'the first core that is done ends the run' test "$(figure "$WORK/first.txt" finalTick)" -lt \
    "$(figure "$WORK/two.txt" finalTick)"
check 'the other core is reported as unfinished' grep -q '^cpu1 .*not done' "$WORK/first.out"

# ---- lookahead and domains: without them all events execute in the order of one queue
apart=(--set cores=2 --set l2.private=yes)
together=(--engine fast-lookahead-domains)
for step in 128MiB 64KiB; do        # at the second step addresses overlap after all
    for way in ahead together; do
        options=("${apart[@]}" --set "cpu.offset_step=$step")
        [ $way = ahead ] || options+=("${together[@]}")
        replay wide "$TRACES/qsort" "$TRACES/gups" "${options[@]}" --stats "$WORK/$way.json" | sed 's/^replayed .*, //' >"$WORK/$way.out"
    done
    check "step $step: ahead or together, the same statistics" cmp "$WORK/ahead.json" "$WORK/together.json"
    check "step $step: ahead or together, the same summary" cmp "$WORK/ahead.out" "$WORK/together.out"
done
cat >"$WORK/domains.yaml" <<'YAML'
cores: 2
cpu: {offset_step: 256MiB}
l2: {private: yes}
memories: [{size: 256MiB}, {base: 256MiB, size: 256MiB}]
YAML
for way in ahead together; do
    options=()
    [ $way = ahead ] || options=("${together[@]}")
    replay "$WORK/domains.yaml" "$TRACES/qsort" "${options[@]}" --stats "$WORK/$way.json" | sed 's/^replayed .*, //' >"$WORK/$way.out"
done
check 'memories of their own: ahead or together, the same statistics' cmp "$WORK/ahead.json" "$WORK/together.json"
check 'memories of their own: ahead or together, the same summary' cmp "$WORK/ahead.out" "$WORK/together.out"
"$RUBATO" trace pack "$TRACES/gups" -o "$WORK/damaged.store" >/dev/null
printf '\377\377\377\377' | dd of="$WORK/damaged.store" bs=1 seek="$(($(wc -c <"$WORK/damaged.store") / 2))" conv=notrunc 2>/dev/null
for way in ahead together; do
    options=("${apart[@]}" --set cpu.offset_step=128MiB)
    [ $way = ahead ] || options+=("${together[@]}")
    replay wide "$TRACES/qsort" "$WORK/damaged.store" "${options[@]}" >"$WORK/$way.out" 2>&1
    echo "exit code $?" >>"$WORK/$way.out"
done
check 'a damaged trace is reported in one line' grep -q 'exit code 2' "$WORK/ahead.out"
check 'ahead or together, in the same one' cmp "$WORK/ahead.out" "$WORK/together.out"

# ---- memories with a hole between them
cat >"$WORK/hole.yaml" <<'YAML'
memories: [{size: 128KiB}, {base: 1GiB, size: 512MiB}]
YAML
refused 'an address in the hole' 'lies in a hole between memories' "$RUBATO" replay "$WORK/hole.yaml" "$TRACES/qsort"
cat >"$WORK/far.yaml" <<'YAML'
memories: [{size: 512MiB}, {base: 1GiB, size: 512MiB, type: simple}]
YAML
echo 'memories: [{size: 512MiB}]' >"$WORK/near.yaml"
for name in far near; do
    replay "$WORK/$name.yaml" "$TRACES/qsort" --stats "$WORK/$name.txt" --quiet
done
equal 'a second memory that nobody uses changes nothing' "$(figure "$WORK/far.txt" finalTick)" \
    "$(figure "$WORK/near.txt" finalTick)"
