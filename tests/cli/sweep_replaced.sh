#!/usr/bin/env bash
# A trace that is replaced while a sweep reads it: no point has results of other contents than its hash says.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

cd "$WORK" || exit 1
sweep() { timeout 60 "$RUBATO" sweep "$@" --no-cache -j 1 >stdout 2>stderr </dev/null; }
during() {    # NAME COMMAND...: a sweep of NAME.yaml sleeps while the command runs, after its first point; its exit code
    local name=$1 parent i
    shift
    timeout 60 "$RUBATO" sweep "$name.yaml" --no-cache -j 1 -o "$name.db" >stdout 2>stderr </dev/null &
    parent=$!
    for ((i = 0; i < 400; i++)); do
        [ "$("$RUBATO" results "$name.db" --csv --columns state 2>/dev/null | grep -c done)" -lt 2 ] || break
        sleep 0.01
    done
    "$@"
    wait $parent
}
state_counts() { "$RUBATO" results "$1" --csv --columns state | tail -n +2 | sort | uniq -c | tr -s ' \n' ' '; }
no_wrong_ones() {    # NAME: each point that is done has the figures of the undisturbed sweep; some failed, with the reason
    "$RUBATO" results "$1.db" --where 'state == done' --csv --columns 'point,simTicks' | tail -n +2 >done.csv
    "$RUBATO" results "$1-reference.db" --csv --columns 'point,simTicks' >all.csv
    [ -s done.csv ] && [ -z "$(grep -vxFf all.csv done.csv)" ] || { echo '    results of other contents'; return 1; }
    "$RUBATO" results "$1.db" --where 'state == failed' --csv --columns error | grep -q 'was replaced or written to' ||
        { echo '    no point failed'; return 1; }
}

mkdir pair
cp "$TRACES"/gups/*.gz pair
printf 'system: wide\ntraces: pair\naxes: {l2.mshrs: {from: 1, to: 40}}\n' >pair.yaml
sweep pair.yaml -o pair-reference.db
swap() { cp "$TRACES/triad/$1" "$1.new" && mv "$1.new" "pair/$1"; }
check 'a replaced file: the sweep reports it' eval 'during pair swap deptrace.proto.gz; [ $? = 3 ]'
check 'a file that takes its place: no wrong results' no_wrong_ones pair
check 'a file that takes its place: with its own hash afterwards' eval 'cp "$TRACES"/triad/*.gz pair; sweep pair.yaml -o pair.db &&
    grep -q "^run *40 done, 0 failed, 0 done before" stdout'

cp "$TRACES"/gups/*.gz pair
rm pair.db
touch -d '2026-01-01' pair/*
sweep pair.yaml -o pair-reference.db
write_over() {    # same size, same times, other bytes
    printf '\252' | dd of=pair/deptrace.proto.gz bs=1 seek=60000 conv=notrunc status=none
    touch -d '2026-01-01' pair/*
}
during pair write_over
check 'written over in place, with its old time: no wrong results' no_wrong_ones pair

cp "$TRACES"/gups/*.gz pair
rm pair.db
during pair eval 'cp -r pair again && touch pair/* && mv again/deptrace.proto.gz pair && chmod 600 pair/*'
check 'the same contents in another file are no change' test "$(state_counts pair.db)" = ' 40 done '

cp -r "$TRACES/gpu/pascal-vectoradd-100" list
printf 'system: titanx\ntraces: list\naxes: {gpu.l2.ways: {from: 1, to: 200}}\n' >list.yaml
sweep list.yaml -o list-reference.db
during list cp "$TRACES"/gpu/volta-bfs-2blocks/kernel-*.traceg* list/$(cd list && echo kernel-1.*)
check 'a kernel of a list: no wrong results' no_wrong_ones list

"$RUBATO" trace pack "$TRACES/gpu/pascal-vectoradd-100" -o gpu.store >/dev/null
"$RUBATO" trace pack "$TRACES/gpu/volta-bfs-2blocks" -o other.store >/dev/null
sed 's/traces: list/traces: gpu.store/' list.yaml >gpu.yaml
sweep gpu.yaml -o gpu-reference.db
during gpu cp other.store gpu.store
check 'a store of kernels: no wrong results' no_wrong_ones gpu
