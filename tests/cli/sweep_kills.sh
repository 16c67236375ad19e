#!/usr/bin/env bash
# Whatever is killed, a sweep that is resumed gives what an undisturbed one gives; and a damaged point costs that point only.
# KILLS: how many random kills (100). They take a tenth of a second each.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

KILLS=${KILLS:-100}
cd "$WORK" || exit 1
cat >kills.yaml <<YAML
system: wide
traces: [$TRACES/gups, $TRACES/triad]
axes:
  l2.size: {from: 128KiB, to: 2MiB, times: 2}
  l1d.mshrs: [2, 8]
  l2.assoc: [8, 4]
records: 3000
YAML
sweep() { timeout 60 "$RUBATO" sweep kills.yaml -j 2 "$@" >stdout 2>stderr </dev/null; }
is_reference() { "$RUBATO" results "$1" --csv | cmp - reference.csv; }
ends() {    # CODE COMMAND...: exit code
    local expected=$1
    shift
    "$@"
    local code=$?
    [ "$code" = "$expected" ] || { echo "    exit code $code, expected $expected"; head -n 3 stderr; return 1; }
}
children() { cat "/proc/$1/task/$1/children" 2>/dev/null; }
pause() { sleep "$(printf '0.%03d' "$1")"; }
sweep -o reference.db
"$RUBATO" results reference.db --csv >reference.csv
check 'the undisturbed sweep: 40 points' test "$(grep -c ',done,' reference.csv)" = 40

# --- a worker is killed between its answer and its next point: the parent sleeps meanwhile. Freed memory gets other contents.
kill_answered() {    # FILE -> how often
    local parent times=0 worker
    rm -f "$1"
    MALLOC_PERTURB_=90 "$RUBATO" sweep kills.yaml -j 1 -o "$1" >stdout 2>stderr &
    parent=$!
    while kill -STOP $parent; do
        pause 60
        for worker in $(children $parent); do kill -KILL "$worker" && times=$((times + 1)); done
        kill -CONT $parent
        pause 12
    done 2>/dev/null
    wait $parent
    return $times
}
kill_answered answered.db
times=$?
check "killed after the answer, $times times: the file has the written content" "$RUBATO" results answered.db --check
check 'killed after the answer: more than once' test "$times" -gt 3
check 'killed after the answer: the same bytes, with points killed twice run again' eval 'sweep -o answered.db --retry && is_reference answered.db'

# --- a damaged point
spoil() {    # FILE TEXT: the last letter of the first TEXT in it becomes another one
    local place
    place=$(LC_ALL=C grep -abo -m 1 "$2" "$1" | head -n 1 | cut -d : -f 1)
    printf 'X' | dd of="$1" bs=1 seek=$((place + ${#2} - 1)) conv=notrunc status=none
}
states() { "$RUBATO" results "$1" --csv --columns state | sort | uniq -c | tr -s ' \n' ' '; }
cp reference.db spoilt.db
spoil spoilt.db system.cpu.cpi
check 'a damaged point: the others are listed' test "$(states spoilt.db)" = ' 39 done 1 failed 1 state '
check 'a damaged point is reported' eval '"$RUBATO" results spoilt.db --where "state == failed" --csv --columns error |
    grep -q "its data in the file are damaged; .*--retry"'
number=$("$RUBATO" results spoilt.db --where 'state == failed' --csv --columns point | tail -n 1)
check 'a damaged point: --check ends with 2' eval 'ends 2 "$RUBATO" results spoilt.db --check >stdout 2>stderr'
check 'a damaged point: --check names it' eval 'grep -q "^spoilt.db: point $number: its data in the file are damaged" stdout'
check 'a damaged point: a sweep continues' ends 3 sweep -o spoilt.db
check 'a damaged point: --retry' ends 0 sweep -o spoilt.db --retry
check 'a damaged point: only that one' grep -q '^run  *1 done, 0 failed, 39 done before' stdout
check 'a damaged point: the same bytes' is_reference spoilt.db
check 'a damaged point: --check' "$RUBATO" results spoilt.db --check
for shard in 1 2; do sweep --shard $shard/2 -o merged.db; done
spoil merged.shards/2-of-2.db system.cpu.cpi
check 'a damaged point of a shard: the others are merged' ends 3 sweep --collect -o merged.db
check 'a damaged point of a shard: it is to do' test "$(states merged.db)" = ' 39 done 1 state 1 to do '
check 'a damaged point of a shard: then the same bytes' eval 'sweep -o merged.db && is_reference merged.db'

# --- any byte: --retry gives the whole again, or refuses the file as damaged
size=$(stat -c %s reference.db)
mended=0 refused=0
for ((place = 100; place < size; place += size / 30)); do
    cp reference.db flipped.db
    printf '\377' | dd of=flipped.db bs=1 seek=$place conv=notrunc status=none
    if sweep -o flipped.db --retry; then
        is_reference flipped.db || { echo "    byte $place is not mended"; break; }
        mended=$((mended + 1))
    else
        grep -q '^rubato: flipped.db: is damaged' stderr || { echo "    byte $place"; cat stderr; break; }
        refused=$((refused + 1))
    fi
done
check "a flipped byte: mended by --retry ($mended times) or refused ($refused times)" test $((place >= size && mended > 15)) = 1

# --- no thread beside the one that forks, which could hold a lock that the worker then waits for
threads=0 looks=0
"$RUBATO" sweep kills.yaml -j 2 -o threads.db >/dev/null 2>&1 &
parent=$!
while kill -0 $parent 2>/dev/null; do
    if [ -e threads.db.lock ]; then
        now=$(find /proc/$parent/task -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)
        threads=$((now > threads ? now : threads)) looks=$((looks + 1))
    fi
done
check "one thread only, looked at $looks times" test "$((threads == 1 && looks > 2))" = 1

# --- at random: the parent, a process of it, or all of them; a worker's second kill makes a failed point, which --retry runs
kills=0 rounds=0 odd='' retry=''
while [ "$kills" -lt "$KILLS" ] && [ -z "$odd" ]; do
    "$RUBATO" sweep kills.yaml -j 2 -o "$WORK/killed.db" $retry >/dev/null 2>stderr &
    parent=$!
    while kill -0 $parent; do
        pause $((RANDOM % 70))
        read -ra workers < <(children $parent)
        case $((RANDOM % 4)) in
            0) victims=("$parent") ;;
            1) victims=("$parent" "${workers[@]}") ;;
            *) victims=("${workers[@]:RANDOM % (${#workers[@]} + 1):1}") ;;
        esac
        for victim in "${victims[@]}"; do kill -KILL "$victim" && kills=$((kills + 1)); done
    done 2>/dev/null
    wait $parent 2>/dev/null
    case $? in
        0) is_reference killed.db || odd='other bytes'; rm -f killed.db*; rounds=$((rounds + 1)) ;;
        3) retry=--retry; continue ;;
        137) ;;
        *) odd=$(cat stderr) ;;
    esac
    retry=''
done
check "$kills kills, $rounds whole sweeps: nothing is lost" test -z "$odd"
[ -z "$odd" ] || echo "    $odd"
check "$kills kills: resumed, the same bytes" eval 'sweep -o "$WORK/killed.db" --retry && is_reference killed.db'
check 'one file is left' eval '! ls killed.db-* killed.db.lock 2>/dev/null | grep .'
check 'no process outlives its sweep' eval '! pgrep -f "$WORK/killed.db" >/dev/null'
