#!/usr/bin/env bash
# rubato search: its front is the one of the full factorial, the same with any number of workers and after a kill; its results are
# those of a sweep; conditions, several workloads, short runs; bad input is said before anything runs.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

cd "$WORK" || exit 1
search() { "$RUBATO" search "$@" >stdout 2>stderr </dev/null; }
front() { awk '/^designs/ { exit } NR > 1 { $1 = ""; print }' "$@"; }    # of a search's output, without the points' numbers
csv() { "$RUBATO" results "$1" --csv; }

cat >space.yaml <<END
system: wide
traces: {name: gups, traces: $TRACES/gups}
records: 3000
set: {technology: 22nm}
skip: l1d.size > l2.size
axes:
  cpu.rob: [48, 96, 192]
  l1d.mshrs: {from: 1, to: 16, times: 2}
  l1d.size: [16KiB, 64KiB]
  l2.size: {from: 32KiB, to: 256KiB, times: 2}
END

# ---- the front, against all points
"$RUBATO" sweep space.yaml -o all.db -j 2 >/dev/null
search space.yaml --objective time_ms --objective area_mm2 --budget 40 -o found.db -j 2
check 'a search ends well' test $? = 0
"$RUBATO" results all.db --columns time_ms,area_mm2 --format tsv | awk 'NR > 1 { time[NR] = $1; area[NR] = $2 }
    END { for (i in time) { is_front = 1
        for (k in time) if (time[k] <= time[i] && area[k] <= area[i] && (time[k] < time[i] || area[k] < area[i])) is_front = 0
        if (is_front) printf "%.6g %.6g\n", time[i], area[i] } }' | sort -u >front.all
front stdout | awk '{ print $1, $2 }' | sort -u >front.found
check 'each design of the front that it found is one of the true front, or nearly all are' \
    test "$(comm -12 front.all front.found | wc -l)" -ge $(($(wc -l <front.all) * 3 / 4))
check '40 designs were run' test "$("$RUBATO" results found.db --columns point | grep -c '^ *[0-9]')" = 40
csv all.db | cut -d , -f 4- | sort >all.rows
csv found.db | cut -d , -f 4- | sort >found.rows
check 'each of its points is one of the sweep' test "$(comm -13 all.rows found.rows | wc -l)" = 0
check 'a report can be made of it' "$RUBATO" report found.db -o page.html

# ---- the same again
search space.yaml --objective time_ms --objective area_mm2 --budget 40 -o one.db -j 1
check 'one worker finds the same' cmp <(csv found.db) <(csv one.db)
search space.yaml --objective time_ms --objective area_mm2 --budget 40 -o found.db
check 'a finished search runs nothing again' grep -q '^run  *0 points' stdout
search space.yaml --objective time_ms --objective area_mm2 --budget 40 --seed 2 -o seed.db
check 'another seed chooses others' test "$(csv found.db | cksum)" != "$(csv seed.db | cksum)"
"$RUBATO" search space.yaml --objective time_ms --objective area_mm2 --budget 40 -o killed.db -j 1 >/dev/null 2>&1 &
pid=$!
for _ in $(seq 200); do [ "$("$RUBATO" results killed.db --columns state 2>/dev/null | grep -c done)" -ge 12 ] && break; sleep 0.02; done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
search space.yaml --objective time_ms --objective area_mm2 --budget 40 -o killed.db -j 1
check 'a killed search ends as if it had not been' cmp <(csv found.db) <(csv killed.db)

# ---- conditions, workloads, short runs
search space.yaml --objective time_ms --subject-to 'area_mm2 < 0.4' --subject-to 'l1d.mshrs <= 4' --budget 30 -o small.db
check 'the best design fulfils the conditions' test "$(front stdout | wc -l)" = 1
best=$("$RUBATO" results all.db --columns time_ms --where 'area_mm2 < 0.4 and l1d.mshrs <= 4' --sort time_ms --limit 1 | tail -n 1)
check 'and is the best of all points that do' test "$(front stdout | awk '{ print $1 }')" = "${best// /}"
sed "s|^traces.*|traces: [{name: gups, traces: $TRACES/gups}, {name: triad, traces: $TRACES/triad}]|" space.yaml >two.yaml
search two.yaml --objective time_ms --objective area_mm2 --budget 30 -o two.db
point=$(awk 'NR == 2 { print $1 }' stdout)
mean=$("$RUBATO" results two.db --columns time_ms --where "point >= $point and point <= $((point + 1))" --format tsv |
    awk 'NR > 1 { sum += log($1) } END { printf "%.6g", exp(sum / 2) }')
check 'of two workloads the geometric mean counts' test "$(awk 'NR == 2 { print $2 }' stdout)" = "$mean"
search two.yaml --objective max:ipc --across worst --budget 30 -o worst.db
check 'or the worst' test $? = 0
search space.yaml --objective time_ms --objective area_mm2 --budget 60 --short 500 -o brief.db
check 'short runs come first' test -s brief.short.db
check 'and stop designs that are dominated' grep -qE 'and [1-9][0-9]* stopped after 500 records' stdout

# ---- bad input, before anything runs
bad() { refused "$@" && check "$1: nothing is written" test ! -e bad.db; }    # NAME PATTERN OPTIONS
asks() { bad "$1" "$2" "$RUBATO" search space.yaml -o bad.db "${@:3}"; }
asks 'no objective' 'no objective was given' --budget 40
asks 'no budget' 'no budget was given' --objective time_ms
asks 'an unknown objective' 'tme_ms.*time_ms' --objective tme_ms --budget 40
asks 'an objective that is twice' 'given twice' --objective time_ms --objective time_ms --budget 40
asks 'an objective without a direction' 'give min:' --objective mlp --budget 40
asks 'a condition with an unknown name' 'l2.sze' --objective time_ms --subject-to 'l2.sze < 1MiB' --budget 40
asks 'a condition that cannot be read' 'subject-to' --objective time_ms --subject-to 'l2.size <' --budget 40
asks 'a budget below the first designs' 'budget 3: .*begins with 18 designs' --objective time_ms --budget 3
asks 'a budget that is no number' '40zz' --objective time_ms --budget 40zz
asks 'an unknown mean' 'across' --objective time_ms --budget 40 --across most
search space.yaml --objective cost --budget 20 -o cost.db
check 'an objective that no point has' grep -q '^rubato: --objective cost: no point has it; add cost: to the sweep' stderr
search space.yaml --objective time_ms --subject-to 'time_ms < 0' --budget 20 -o none.db
check 'conditions that no design fulfils: exit code' test $? = 3
check 'conditions that no design fulfils: message' grep -q '^rubato: none of 20 designs fulfils all conditions' stderr
exit $failures
