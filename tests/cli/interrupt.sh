#!/usr/bin/env bash
# Ctrl-C: the first one stops a run where all of it is at one tick T, with exit code 130, and all results are whole, marked, and those
# of --until T; what writes only when it is done leaves nothing; the second one ends it at once.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
set -m                      # else the shell lets its children ignore SIGINT

traces=$PWD/tests/traces long=$PWD/tests/traces/long
sample=$BUILD/tests/tools/macsim_sample
case $sample in /*) ;; *) sample=$PWD/$sample ;; esac
cd "$WORK" || exit 1
mkdir threads
"$sample" threads long >/dev/null || not_ok 'a set of MacSim'
mkdir run
cd run || exit 1

# interrupt SECONDS ARGUMENTS...: code and stderr of the command, which gets SIGINT after that time
interrupt() {
    local pid wait=$1
    shift
    "$RUBATO" "$@" >stdout 2>stderr </dev/null &
    pid=$!
    sleep "$wait"
    kill -INT $pid 2>/dev/null
    wait $pid
    code=$?
}
# Waits for what the host needs, so that the signal comes in the midst of the run: tries longer times, then shorter ones.
interrupt_in_midst() {    # ARGUMENTS...
    local wait
    for wait in 0.4 0.8 1.6 0.2 0.1 0.07 0.05 0.04 0.03 0.02 0.015 0.01 0.4 0.2 0.1 0.07 0.05 0.04 0.03 0.02 0.015 0.01; do
        rm -f ./*
        interrupt "$wait" "$@"
        [ $code != 0 ] && grep -q '^rubato: stopped by Ctrl-C at tick [1-9]' stderr && return 0
    done
    return 1
}

# stops NAME ARGUMENTS...: of a replay
stops() {
    local name=$1 tick
    shift
    interrupt_in_midst replay "$@" --stats stats.txt --stats stats.json
    if [ $? != 0 ]; then not_ok "$name: is not stopped"; head -n 3 stderr; return; fi
    check "$name: exit code 130" test $code = 130
    tick=$(sed -n 's/.*at tick \([0-9]*\).*/\1/p' stderr)
    check "$name: the summary is there, and marked" eval 'grep -q "^stopped *by Ctrl-C at tick $tick$" stdout && grep -q "^time " stdout'
    check "$name: statistics are marked" eval 'grep -qE "interrupted.*$tick|^run.$tick$" stats.txt && grep -q "interrupted.*: $tick," stats.json'
    "$RUBATO" replay "$@" --quiet --until "$tick" --stats until.txt --stats until.json >/dev/null 2>&1
    check "$name: statistics are those of --until $tick" \
        cmp <(grep -vE '^host|nterrupted|^run' stats.txt) <(grep -v ^host until.txt)
    check "$name: and as JSON" cmp <(grep -vE 'host|interruptedAt' stats.json | sed 's/"interrupted_ps": [0-9]*, //') <(grep -v host until.json)
}
quad=("$long/gups.pack" "$long/chase.pack" "$long/triad.pack" "$traces/qsort")
cat >../domains.yaml <<'YAML'
cores: 4
cpu: {offset_step: 512MiB}
l2: {private: yes}
memories: [{size: 512MiB}, {base: 512MiB, size: 512MiB}, {base: 1GiB, size: 512MiB}, {base: 1536MiB, size: 512MiB}]
YAML
sed 's/^memories.*/memories: [{size: 2GiB}]/' ../domains.yaml >../shared.yaml
stops 'one core' default "$long/chase.pack" --engine plain
stops 'one core, fast' default "$long/gups.pack"
stops 'four cores, in order' quad "${quad[@]}" --engine plain
stops 'four cores, lookahead' ../shared.yaml "${quad[@]}" --engine fast-memo
stops 'four cores, domains' ../domains.yaml "${quad[@]}" --engine fast-memo-hits
check 'domains end with the same statistics' eval '
    "$RUBATO" replay ../domains.yaml "${quad[@]}" --no-cache --quiet --stats a.json >/dev/null &&
    "$RUBATO" replay ../domains.yaml "${quad[@]}" --no-cache --quiet --stats b.json --engine plain >/dev/null && cmp <(grep -v host a.json) <(grep -v host b.json)'

echo 'cores: 1' >../macsim.yaml

# ---- GPUs: the same kernel often
mkdir ../kernels
cp "$traces"/gpu/volta-bfs-2blocks/* ../kernels
kernel=$(grep -m 1 kernel ../kernels/kernelslist.g)
for ((i = 0; i < 2000; i++)); do echo "$kernel"; done >../kernels/kernelslist.g
stops 'a GPU' qv100 ../kernels/kernelslist.g
stops 'cores and a GPU' hetero "$long/chase.pack" ../kernels/kernelslist.g
stops 'threads of MacSim' ../macsim.yaml ../threads --engine plain

# ---- other outputs of a replay
interrupt_in_midst replay default "$long/chase.pack" --no-cache --quiet --log event.log --commands dram.log --record a.samples --every 1us ||
    not_ok 'a run with a log is not stopped'
tick=$(sed -n 's/.*at tick \([0-9]*\).*/\1/p' stderr)
mark="# stopped by Ctrl-C at tick $tick"
check 'logs end with the mark' test "$(tail -n 1 event.log)" = "$mark" -a "$(tail -n 1 dram.log)" = "$mark"
"$RUBATO" replay default "$long/chase.pack" --no-cache --quiet --until "$tick" --log until.log --commands until.dram --record until.samples \
    --every 1us >/dev/null 2>&1
check 'logs are those of --until' eval 'cmp <(head -n -1 event.log) until.log && cmp <(head -n -1 dram.log) until.dram'
check 'the recording is that of --until' cmp a.samples until.samples
interrupt_in_midst replay default "$long/chase.pack" --no-cache --quiet --engine plain --stats stats.txt --interval 10us
blocks() { grep -c "$1 Simulation Statistics" stats.txt; }
check 'statistics of intervals are whole' test "$(blocks Begin)" = "$(blocks End)" -a "$(blocks End)" -gt 1 -a "$(grep -c interruptedAt stats.txt)" = 1

# ---- in a warm-up there are no figures, and one tick is named
rm -f ./*
if interrupt_in_midst replay quad "${quad[@]}" --no-cache --engine plain --warmup 249990 --stats stats.txt --summary s.json; then
    check 'in a warm-up: one line, one tick' test "$(grep -c '' stderr)$(grep -oE 'tick [0-9]+' stderr | sort -u | grep -c '')" = 11
    check 'in a warm-up: reports its progress' grep -qE 'in the warm-up: a core had completed [0-9]+ of 249990 records; there are no results$' stderr
    check 'in a warm-up: exit code 130' test $code = 130
    check 'in a warm-up: no summary, no files' test ! -s stdout -a ! -e stats.txt -a ! -e s.json
else
    not_ok 'in a warm-up: is not stopped'
fi

# ---- twice: at once. The first one is waited for by a reader that does not read.
rm -f ./*
mkfifo pipe
"$RUBATO" replay default "$long/chase.pack" --no-cache --quiet --log pipe --stats stats.txt >stdout 2>stderr &
pid=$!
exec 3<pipe
sleep 0.3
kill -INT $pid
sleep 0.2
check 'a run that cannot write continues after the first error' kill -0 $pid
kill -INT $pid
wait $pid
check 'and ends by the second one' test $? = 130
exec 3<&-
check 'without an output under its name' test ! -e stats.txt

# ---- commands that write at their end, and those that print partial results
nothing_left() { [ -z "$(find . -type f ! -name stdout ! -name stderr)" ]; }
ends_at_once() {    # NAME ARGUMENTS...: or is done before
    local name=$1 wait
    shift
    for wait in 0.2 0.1 0.05 0.02 0.01; do
        rm -rf ./*
        interrupt "$wait" "$@"
        [ $code = 0 ] || break
    done
    check "$name: ends" test $code = 130
    check "$name: leaves nothing" nothing_left
}
ends_at_once 'trace pack' trace pack ../threads -o t.pack
ends_at_once 'trace convert' trace convert ../threads -o out
for wait in 0.2 0.1 0.05; do
    rm -rf ./*
    interrupt $wait traffic default --requests 100000 --plot curve.svg
    [ $code != 0 ] && break
done
check 'traffic: exit code 130' test $code = 130
check 'traffic: reports the number of points' grep -qE 'stopped by Ctrl-C after [1-9][0-9]* points' stderr
check 'traffic: the table and the plot of these' eval 'grep -q "^unloaded\|^one" stdout; test "$(tail -n 1 curve.svg)" = "</svg>"'
exit $failures
