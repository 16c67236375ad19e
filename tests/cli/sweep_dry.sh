#!/usr/bin/env bash
# rubato sweep --dry-run tries what each point needs; points that failed are counted in every later run; a report is named after its
# results.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

sort=$PWD/tests/traces/detailed/sort.rbt
cd "$WORK" || exit 1
sweep() { "$RUBATO" sweep "$@" -j 1 >stdout 2>stderr </dev/null; }
dry() {    # NAME CODE PATTERN: of the only line on stderr, none if there is no pattern
    sweep dry.yaml -o "$WORK/none.db" --dry-run
    local code=$?
    if [ $code = "$2" ] && { [ $# -lt 3 ] && [ ! -s stderr ] || { [ "$(grep -c '' stderr)" = 1 ] && grep -qE -- "${3:-}" stderr; }; } \
        && [ ! -e none.db ]; then ok "$1"; else not_ok "$1"; echo "    exit code $code, expected $2"; sed 's/^/    /' stderr; fi
}

# ---- what runs, and what does not
printf 'system: wide\ntraces: [%s, {name: sort, traces: %s}]\naxes: {l1d.assoc: [2, 4]}\n' "$TRACES/gups" "$sort" >dry.yaml
dry 'all points can run' 0
printf 'system: wide\ntraces: [%s]\naxes: {l1d.assoc: [2, 7], cpu.rob: [64, 128]}\n' "$TRACES/gups" >dry.yaml
dry 'a system that cannot be built' 2 '^rubato: 2 of 4 points cannot run; the first is point 3 \(wide, gups, l1d.assoc 7, cpu.rob 64\): .*in 7 ways'
sed -i 's/l1d.assoc: .*/cpu.model: [elastic, detailed]}/' dry.yaml
dry 'a model that is not for the trace' 2 'the first is point 2 \(wide, gups, cpu.model detailed\): .*holds an elastic trace'
printf 'system: wide\ntraces: {name: mix, traces: [%s, %s]}\naxes: {cores: [2, 3]}\nset: {cpu.offset_step: 128MiB}\n' "$TRACES/gups" "$TRACES/qsort" >dry.yaml
dry 'too few traces for the cores of a point' 2 'the first is point 2 \(wide, mix, cores 3\): wide has 3 cores, but 2 traces'
printf 'system: wide\ntraces: {name: mix, traces: [%s, %s]}\nrestart: yes\naxes: {cores: [2, 1]}\n' "$sort" "$sort" >dry.yaml
dry 'more programs than cores that start again' 2 'the first is point 2 .*1 core, but 2 programs'
printf 'system: wide\ntraces: %s\naxes: {pages.map: [base, %s/nothing.map]}\n' "$sort" "$WORK" >dry.yaml
dry 'a file that a point reads' 2 'the first is point 2 .*nothing.map'
printf 'system: [wide, qv100]\ntraces: %s\naxes: {l2.size: [1MiB]}\n' "$sort" >dry.yaml
dry 'a system without cores' 2 'qv100'
head -c 300 "$sort" >cut.rbt
printf 'system: wide\ntraces: %s/cut.rbt\naxes: {l2.size: [1MiB, 2MiB]}\n' "$WORK" >dry.yaml
dry 'a trace that is cut' 2 'cut.rbt'
sweep dry.yaml --dry-run --shard 1/2
check 'of a shard, too' test $? = 2

# ---- many points: axes, and ten of them
printf 'system: wide\ntraces: [%s]\naxes: {cpu.rob: {from: 32, to: 63}, l1d.assoc: [2, 4]}\n' "$TRACES/gups" >many.yaml
sweep many.yaml --dry-run
check 'ten of 64 points' test "$(grep -cE '^ +[0-9]+ +wide ' stdout)" = 10
check 'the axes, with their first values and their last one' grep -qE '^cpu.rob +32: 32, 33, 34, 35, 36, 37, ..., 63$' stdout
check 'how many are not shown' grep -q '54 more points; --all prints them' stdout
sweep many.yaml --dry-run --all
check '--all: all points' test "$(grep -cE '^ +[0-9]+ +wide ' stdout)" = 64
refused '--all without --dry-run' '--all is for --dry-run' "$RUBATO" sweep many.yaml --all

# ---- points that failed
printf 'system: wide\ntraces: [%s]\naxes: {l1d.assoc: [2, 7], cpu.rob: {from: 32, to: 63}}\n' "$TRACES/gups" >fail.yaml
sweep fail.yaml -o fail.db
check '32 points fail' grep -q '^run  *32 done, 32 failed, 0 done before$' stdout
sweep fail.yaml -o fail.db
code=$?
check 'a second run reports it' grep -q '^run  *0 done, 32 failed, 32 done before (32 failed before; --retry runs them again)$' stdout
check 'and its exit code' test $code = 3
check 'one line on stderr names the query' grep -q "^rubato: 32 points failed; .rubato results fail.db --where 'state == failed'. says why" stderr
sweep fail.yaml -o fail.db --dry-run
check 'a dry run knows them' grep -q '64 there already (32 failed)' stdout
sweep fail.yaml -o fail.db --retry
check '--retry counts them once' grep -q '^run  *0 done, 32 failed, 32 done before$' stdout

# ---- the report's name
mkdir -p there
for name in first.db second.sqlite third.sqlite3 fourth; do cp fail.db "there/$name"; done
for name in first.db second.sqlite third.sqlite3 fourth; do
    "$RUBATO" report "there/$name" --no-traffic >stdout 2>&1
    check "report $name" test -s "${name%%.*}.html"
done
check 'no point has the old name' test ! -e report.html
(cd there && "$RUBATO" report first.db --no-traffic >/dev/null) && check 'here, not beside the results' test -s there/first.html
"$RUBATO" report fail.db --no-traffic -o own.html >/dev/null && check 'or as it is called' test -s own.html
exit $failures
