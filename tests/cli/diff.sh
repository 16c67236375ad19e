#!/usr/bin/env bash
# rubato diff: statistics files, points and systems say the same of the same runs; what explains a difference adds up to it.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
cd "$WORK" || exit 1

stream=l2.prefetcher=stream
"$RUBATO" replay default "$TRACES/triad" --quiet --stats a.json --stats a.txt
"$RUBATO" replay default "$TRACES/triad" --set $stream --quiet --stats b.json
cat >two.yaml <<EOF
system: default
traces: [{name: triad, traces: $TRACES/triad}]
axes: {l2.prefetcher: [none, stream]}
EOF
"$RUBATO" sweep two.yaml -o two.db >out 2>&1 || cat out
body() { tail -n +3 "$1"; }
"$RUBATO" diff a.json b.json >files
"$RUBATO" diff two.db:1 two.db:2 >points
"$RUBATO" diff default default --set-b $stream --traces "$TRACES/triad" >systems
check 'points equal systems' cmp <(body points) <(body systems)
check 'files are, but for the configuration' cmp <(body files) <(body systems | awk '/^configuration/ { skips = 1 } /^metric/ { skips = 0 } !skips')
check 'the configuration' eval 'grep -qE "^l2.prefetcher.type +- +stream$" systems'
check 'nothing else of the configuration' test "$(awk '/^configuration/ { on = 1; next } /^$/ { on = 0 } on' systems | grep -cv '^l2.prefetcher')" = 0
check 'times and speed-up' awk '/^time_ms/ { found = 1; off = $2 / $3 - $8; exit !(off < 0.001 && off > -0.001) } END { if (!found) exit 1 }' files

# ---- the parts of the stack
stack() { awk '/^CPI stack/ { on = 1; next } /^$/ { on = 0 } on' "$1"; }
check 'parts add up to the difference' awk '$1 == "cpi" { whole = $4; next } { sum += $4 } END { off = sum - whole; exit !(whole < 0 && off < 0.001 && off > -0.001) }' <(stack files)
check 'shares add up to all of it' awk '$1 != "cpi" { sum += $5 } END { exit !(sum > 99.5 && sum < 100.5) }' <(stack files)
check 'the largest is first' awk '$1 == "cpi" { next } { size = $4 < 0 ? -$4 : $4; if (NR > 2 && size > before + 0.0001) exit 1; before = size }' <(stack files)
# Shares of less than 0.01 weigh no more than 0.01 does.
check 'metrics: the largest difference first' awk '/^metric/ { on = 1; next } / (caches|of [a-z]+)$/ && ($2 < 0.01 || $3 < 0.01) { next }
    on && $4 != "-" { size = $4 > 1 ? $4 : 1 / $4
    if (before && size > before * 1.03) exit 1; before = size }' files
check 'a run and itself' test "$("$RUBATO" diff a.json a.json | grep -c '^metric')" = 0
check 'text is as good as JSON' eval '"$RUBATO" diff a.txt a.json | grep -q "B is 1.000 times as fast"'
for form in json csv tsv; do "$RUBATO" diff default default --set-b l2.size=16KiB --traces "$TRACES/triad" --$form >table.$form; done
check 'as JSON: metrics that differ, and keys' eval 'grep -q "^{\"kind\": \"metric\", \"name\": \"mem.row_hit_rate\", .*\"a\": [0-9.e+-]*, \"b\": [0-9.e+-]*, " table.json &&
    grep -qx "{\"kind\": \"configuration\", \"name\": \"l2.size\", \"unit\": null, \"a\": \"2MiB\", \"b\": \"16KiB\", \"judgement\": null},*" table.json'
check 'CSV and TSV have as many rows' test "$(grep -c '^{' table.json) $(($(wc -l <table.csv) - 1)) $(($(wc -l <table.tsv) - 1))" = \
    "$(grep -c '^{' table.json) $(grep -c '^{' table.json) $(grep -c '^{' table.json)"
check 'all metrics, if wanted' eval '"$RUBATO" diff a.json a.json --all | grep -qE "^cpi "'
check 'the other way round' eval '"$RUBATO" diff b.json a.json | grep -qE "^cpi +1\..* 5\..* \+3\."'

# ---- detailed cores, GPUs, threads
"$RUBATO" diff core/skylake core/skylake --set cpu.model=detailed --set-b cpu.numROBEntries=16 --traces "$TRACES/detailed/hash.rbt" >detailed
check 'detailed cores: slots explain it' eval 'awk "/^commit slots/ { on = 1; next } on && \$1 != \"cpi\" { print \$1; exit }" detailed | grep -qx loads'
check 'detailed cores: the key' eval 'grep -qE "^cpu.numROBEntries +224 +16$" detailed'
"$RUBATO" diff gpu/titanx gpu/titanx --set-b gpu.units.int.interval=64 --traces "$TRACES/gpu/pascal-vectoradd-100" >gpu
check 'a GPU: units explain it' eval 'awk "/^GPU scheduler cycles/ { on = 1; next } on && \$1 != \"gpu.scheduler_cycles\" { print \$1; exit }" gpu | grep -qx unit'

# ---- not the same
check 'the slower one is B' eval '"$RUBATO" diff b.json a.json | grep -qE "^time_ms .*, A is 4\.[0-9]+ times as fast$"'
"$RUBATO" replay wide "$TRACES/triad" "$TRACES/qsort" --set cores=2 --set cpu.offset_step=32MiB --quiet --stats cores.json
check 'another number of cores, other work' test "$("$RUBATO" diff a.json cores.json | grep -cE '^not the same (work: A has 39735 instructions, B 68190|cores: A has 1, B 2)$')" = 2
check 'the same: nothing of that' eval '! "$RUBATO" diff a.json b.json | grep -q "^not the same"'
check 'another model of cores' eval '"$RUBATO" diff core/skylake core/skylake --set-b cpu.model=elastic --traces "$TRACES/detailed/hash.rbt" | grep -q "^not the same model"'
check 'two GPUs' eval '"$RUBATO" diff gpu/r9nano gpu/rtx2060 --traces "$TRACES/gpu/gcn3-fir" | grep -qE "^gpu.sms +64 +30$"'
check 'from nothing to little is not much' eval '"$RUBATO" diff a.json cores.json | awk "/^metric/ { on = NR } on && NR == on + 1 { exit \$2 == 0 || \$3 == 0 }"'

# ---- errors
refused 'one run' 'two runs are needed' "$RUBATO" diff a.json
refused 'three runs' 'only two runs' "$RUBATO" diff a.json b.json a.txt
refused 'a system without traces' 'give --traces' "$RUBATO" diff default a.json
refused 'a point that is none' 'two.db has no point 7' "$RUBATO" diff two.db:7 two.db:1
refused 'a result file without a point' 'name a point of it, such as two.db:1' "$RUBATO" diff two.db a.json
refused 'a file that is none' 'none.json' "$RUBATO" diff none.json a.json
echo '{"a": 1}' >odd.json
refused 'a file of something else' 'simTicks is missing' "$RUBATO" diff odd.json a.json
refused 'a key that is none' 'unknown key' "$RUBATO" diff default default --set-b l2.sise=1 --traces "$TRACES/triad"
exit $failures
