#!/usr/bin/env bash
# The summary of many cores, its colours, and progress in pipes.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

# ---- nine cores: eight alike with one program, or two kinds
nine=(--set cores=9 --set cpu.offset_step=32MiB)
traces=()
for _ in 1 2 3 4 5 6 7 8; do traces+=("$TRACES/triad"); done
"$RUBATO" replay wide "${traces[@]}" "$TRACES/qsort" "${nine[@]}" --summary "$WORK/nine.json" >"$WORK/nine"
"$RUBATO" replay wide "${traces[@]}" "$TRACES/qsort" "${nine[@]}" --all >"$WORK/all"
"$RUBATO" replay wide "${traces[@]}" "$TRACES/qsort" "${nine[@]}" --set cores.3.rob=20 >"$WORK/kinds"
figure() { sed -n "s/^  \"$1\": \([-0-9.e]*\),*\$/\1/p" "$WORK/nine.json"; }
rounds_to() { awk -v a="$1" -v b="$2" 'BEGIN { off = a - b; exit !(off < 0.0001 && off > -0.0001) }'; }
row() { awk -v name="$1" -v column="$2" '$1 == name { print $column }' "$WORK/nine"; }
check 'nine cores: one group' test "$(grep -c '^cpu[0-9] to cpu[0-9] ' "$WORK/nine")" = 1
check 'nine cores: no line for a single core' eval '! grep -qE "^cpu[0-9] +[0-9]+ cycles" "$WORK/nine"'
check 'least is the least' rounds_to "$(row cpi 2)" "$(for i in 0 1 2 3 4 5 6 7 8; do figure "cpu$i.cpi"; done | sort -g | head -n 1)"
check 'most is the most' rounds_to "$(row cpi 5)" "$(for i in 0 1 2 3 4 5 6 7 8; do figure "cpu$i.cpi"; done | sort -g | tail -n 1)"
check 'mean is the mean' rounds_to "$(row cpi 4)" "$(figure mean.cpi)"
check 'who has least: the other program' test "$(row cpi 3)" = cpu8
check 'a core far from the mean is reported' grep -q 'far from the mean: cpu8 ' "$WORK/nine"
check 'all: each core' test "$(grep -cE '^cpu[0-9] +[0-9]+ cycles' "$WORK/all")" = 9
check 'all: each cache' test "$(grep -cE '^cpu[0-9]\.l1d ' "$WORK/all")" = 9
"$RUBATO" replay wide "$TRACES/triad" "$TRACES/qsort" --set cores=2 --set cpu.offset_step=32MiB --quiet --stats "$WORK/two.json" --stats "$WORK/two.txt"
names() { grep -oE 'system\.[a-z0-9]+(\.l1[di])?\.replacements' "$1" | sort | tr '\n' ' '; }
check "names of a core's caches: ours in JSON" test "$(names "$WORK/two.json")" = \
    'system.cpu0.l1d.replacements system.cpu0.l1i.replacements system.cpu1.l1d.replacements system.cpu1.l1i.replacements system.l2.replacements '
check "names of a core's caches: gem5's in its text" test "$(names "$WORK/two.txt")" = \
    'system.l1d0.replacements system.l1d1.replacements system.l1i0.replacements system.l1i1.replacements system.l2.replacements '
check 'caches add up' test "$(awk '$1 == "l1d" && $2 == "x9" { print $4 }' "$WORK/nine")" = "$(awk '/^cpu[0-9]\.l1d / { sum += $3 } END { print sum }' "$WORK/all")"
check 'cycles add up' test "$(sed -n 's/^cores .*: \([0-9]*\) cycles.*/\1/p' "$WORK/nine")" = \
    "$(awk '/^cpu[0-9] +[0-9]+ cycles/ { sum += $2 } END { print sum }' "$WORK/all")"
check 'another reorder buffer: another group' test "$(grep -cE '^cpu[0-9](,| to| ) *.*least' "$WORK/kinds")" = 2
check 'a group of one' grep -qE '^cpu3 +least' "$WORK/kinds"
check 'eight cores: each' test "$("$RUBATO" replay wide "$TRACES/qsort" --set cores=8 --set cpu.share=yes |
    grep -cE '^cpu[0-9] +[0-9]+ cycles')" = 8
channels() { "$RUBATO" replay wide "$TRACES/triad" --set memory.channels=16 --set memory.size=8GiB "$@"; }
check 'sixteen channels: one line' test "$(channels | grep -cE '^(all 16|mem_ctrls)')" = 1
check 'sixteen channels: each' test "$(channels --all | sed '/^energy/,$d' | grep -c '^mem_ctrls')" = 16

# ---- colours
escape=$(printf '\033')
if command -v script >/dev/null; then
    terminal() { TERM=xterm script -qec "$* '$RUBATO' replay default '$TRACES/triad'" /dev/null </dev/null; }
    check 'a terminal has colours' eval 'terminal env -u NO_COLOR | grep -q "^bound by .*$escape\[1m"'
    check 'NO_COLOR has no colours' eval '! terminal env NO_COLOR=1 | grep -qE "^(bound by|doubtful).*$escape"'
    check 'a dumb terminal has no colours' eval '! terminal env -u NO_COLOR TERM=dumb | grep -qE "^(bound by|doubtful).*$escape"'
else
    skip 'colours (3): no script'
fi
check 'a pipe has no colours' eval '! "$RUBATO" replay default "$TRACES/triad" | grep -q "$escape"'

# ---- progress: a run that takes more than ten seconds, as it is stopped for as long
stopped() {    # OPTIONS...: stderr of such a run
    "$RUBATO" replay wide "$TRACES/long/chase.pack" --engine plain --set cores=8 --set cpu.offset_step=32MiB "$@" >"$WORK/out" 2>"$WORK/err" &
    local run=$!
    sleep 0.2
    kill -STOP $run
    sleep 10.2
    kill -CONT $run
    wait $run
    cat "$WORK/err"
}
stopped >"$WORK/progress"
check 'a pipe has a line of progress after ten seconds' grep -qE '^[0-9.]+ million records, .* million/s' "$WORK/progress"
check 'and nothing that moves the cursor' eval '! grep -q "$(printf "\r")" "$WORK/progress"'
exit $failures
