#!/usr/bin/env bash
# Counts take suffixes wherever there are counts: every option N of every command, by the tables of options; keys of a sweep; keys of
# systems whose values are numbers or cycles.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

members() { "$RUBATO" $1 --help=table | awk -F '\t' '$1 == "member" { print $2 }'; }
said() { timeout 20 "$RUBATO" "$@" </dev/null 2>&1 | head -n 3; }

options=0
while read -r command; do
    for option in $("$RUBATO" $command --help=table | awk -F '\t' '$1 == "option" && $3 == "N" { print $2 }'); do
        options=$((options + 1))
        wrong=$(said $command --"$option" 1zz) bad=
        [[ $wrong == *"--$option 1zz has an unknown suffix; expected a whole number such as"*100k* ]] || bad="1zz: $wrong"
        for count in 100k 2M 64Ki 1_000 2e3; do
            right=$(said $command --"$option" "$count")
            [[ $right != *"$count has "* && $right != *"$count is no"* && $right != *'whole number such as'* ]] || bad="$count: $right"
        done
        if [ -z "$bad" ]; then ok "$command --$option"; else not_ok "$command --$option"; echo "    $bad"; fi
    done
done < <(members '' | while read -r name; do
    if [ -n "$(members "$name" 2>/dev/null)" ]; then members "$name" | sed "s/^/$name /"; else echo "$name"; fi
done)
check "the tables have such options ($options)" test "$options" -ge 15

# ---- the counts are correct
figure() { awk '$1 == "cpu" { print $6; exit }'; }
for pair in '1k 1000' '1.5k 1500' '1Ki 1024' '2e3 2000'; do
    read -r text plain <<<"$pair"
    check "--records $text is --records $plain" test "$("$RUBATO" replay wide "$TRACES/gups" --records "$text" | figure)" = \
        "$("$RUBATO" replay wide "$TRACES/gups" --records "$plain" | figure)"
done
check '--until without a unit is picoseconds' cmp <("$RUBATO" replay wide "$TRACES/gups" --until 20M | grep '^time') \
    <("$RUBATO" replay wide "$TRACES/gups" --until 20us | grep '^time')
check 'a range of records' cmp <("$RUBATO" trace dump tests/traces/detailed/sort.rbt --records 1k:1.01k) \
    <("$RUBATO" trace dump tests/traces/detailed/sort.rbt --records 1000:1010)
"$RUBATO" trace info "tests/traces/detailed/sort.rbt" --line 1KiB >"$WORK/line" 2>&1
check 'a line is a size' test $? = 0

# ---- sweeps
cat >"$WORK/sweep.yaml" <<YAML
system: wide
traces: {name: gups, traces: $TRACES/gups}
warmup: 1k
records: 0.01M
axes:
  cpu.rob: [64, 0.1k]
  l1d.mshrs: {from: 2, to: 0.008k, times: 2}
YAML
sed 's/: 1k/: 1000/; s/0.01M/10000/; s/0.1k/100/; s/0.008k/8/' "$WORK/sweep.yaml" >"$WORK/plain.yaml"
for name in sweep plain; do
    "$RUBATO" sweep "$WORK/$name.yaml" -o "$WORK/$name.db" --jobs 1 >"$WORK/$name.out" 2>&1
    "$RUBATO" results "$WORK/$name.db" --json --columns l1d.mshrs,cpu.rob,time_ms,cpu.numOps >"$WORK/$name.json" 2>&1
done
check 'a sweep with suffixes is the one without' cmp "$WORK/sweep.json" "$WORK/plain.json"
for key in warmup records; do
    sed "s/^$key: .*/$key: 1zz/" "$WORK/sweep.yaml" >"$WORK/bad.yaml"
    refused "$key: in a sweep" "$key: expected a whole number such as" "$RUBATO" sweep "$WORK/bad.yaml" --dry-run
done
printf 'sample: {points: 1k, seed: 2Ki}\n' | cat "$WORK/sweep.yaml" - >"$WORK/sample.yaml"
check 'points and seed of a sample' "$RUBATO" sweep "$WORK/sample.yaml" --dry-run >/dev/null

# ---- keys of systems
keys=0 bad=
while read -r key; do
    keys=$((keys + 1))
    wrong=$("$RUBATO" config show wide --set "$key=1zz" 2>&1 >/dev/null)
    right=$("$RUBATO" config show wide --set "$key=0.01k" 2>&1 >/dev/null)
    [[ $wrong == *'has an unknown suffix'* ]] || bad="$bad $key=1zz: $wrong"
    [[ $right != *'suffix'* && $right != *'plain number'* && $right != *'not a whole'* ]] || bad="$bad $key=0.01k: $right"
done < <("$RUBATO" config keys | awk '($2 == "number" || $2 == "cycles") && $1 !~ /^(gpu|cpu.freq_multiplier|cores\.|detailed|l3|memcache)/ && $1 ~ /^[a-z0-9_.]+$/ { print $1 }')
if [ -z "$bad" ] && [ $keys -ge 20 ]; then ok "$keys keys"; else not_ok "$keys keys"; echo "   $bad" | cut -c 1-400; fi
exit $failures
