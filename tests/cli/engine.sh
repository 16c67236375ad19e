#!/usr/bin/env bash
# --engine, and engine: of a sweep: plain and fast say the same, in summaries, statistics, logs, intervals, at limits, in samples and
# in sweeps; a note says which fast paths a run does without; names that there are not are refused.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

engines=(plain fast plain+hits+memo fast-memo-buses)

# run ENGINE SYSTEM TRACES OPTION...: all that a replay writes, but the host's time, how many events it took, and notes
run() {
    local engine=$1 to=$WORK/$1
    shift
    rm -rf "$to" && mkdir "$to"
    (cd "$to" && "$RUBATO" replay "$@" --engine "$engine" --no-cache >summary 2>warnings </dev/null; echo $? >code)
    sed -i '/^replayed in /d' "$to/summary"
    sed -i '/^rubato: note: /d' "$to/warnings"
}
same() {    # NAME SYSTEM TRACES OPTION...
    local name=$1 engine
    shift
    for engine in "${engines[@]}"; do run "$engine" "$@"; done
    for engine in "${engines[@]:1}"; do
        check "$name: $engine" diff -r "$WORK/plain" "$WORK/$engine"
    done
}

stats=(--stats s.json --stats s.txt)
same 'summary and statistics' wide "$TRACES/qsort" "${stats[@]}"
check 'the runs went well' grep -qx 0 "$WORK/plain/code"
same 'the log' wide "$TRACES/gups" "${stats[@]}" --log log
check 'the log has lines' grep -q ' cpu.data send ' "$WORK/plain/log"
same 'intervals' wide "$TRACES/qsort" "${stats[@]}" --interval 4us
same 'records' wide "$TRACES/qsort" "${stats[@]}" --records 5000
same 'a limit of time' wide "$TRACES/triad" "${stats[@]}" --until 3000001
same 'after a warm-up' wide "$TRACES/qsort" "${stats[@]}" --warmup 5000
engines=(plain fast plain+dram plain+hints)
same 'a GPU with memory of its own' rtx2060 "$TRACES/gpu/volta-bfs-2blocks" "${stats[@]}"
same 'a GPU beside cores' hetero "$TRACES/qsort" "$TRACES/gpu/volta-bfs-2blocks" "${stats[@]}"
check 'the GPU read DRAM' grep -q 'gpu' "$WORK/plain/s.txt"
engines=(plain fast plain+hits+memo fast-memo-buses)
# an answer to a hit that the fast path hits gives waits in no queue
figures() {
    "$RUBATO" export "$1" --csv - |
        awk -F , -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) left_out[i] = $i ~ /^l1[id]\.responses$/ }
            { for (i = 1; i <= NF; i++) if (left_out[i]) $i = ""; print }'
}
for engine in "${engines[@]}"; do
    run "$engine" wide "$TRACES/qsort" --record r --every 2us
    figures "$WORK/$engine/r" >"$WORK/$engine.samples"
    check "samples: $engine" eval 'test -s "$WORK/plain.samples" && cmp "$WORK/plain.samples" "$WORK/$engine.samples"'
done
same 'several cores' quad "$TRACES/qsort" "${stats[@]}" --alone
same 'several cores, with a log' quad "$TRACES/qsort" --log log --records 2000
same 'a simple memory without a cache' wide "$TRACES/qsort" "${stats[@]}" --set memory=simple --set l2=none
same 'separate cores' wide "$TRACES/qsort" "$TRACES/gups" --set cores=2 --set cpu.offset_step=128MiB --set l2=none "${stats[@]}"
same 'a GPU alone' qv100 "$TRACES/gpu/gcn3-fir" --stats s.json

# --- notes
notes() { "$RUBATO" replay "$@" 2>&1 >/dev/null </dev/null | grep '^rubato: note: '; }
check 'a note with a log' eval 'notes wide "$TRACES/qsort" --log "$WORK/log" | grep -q "without memo: the event log"'
check 'one note' test "$(notes wide "$TRACES/qsort" --log "$WORK/log" --interval 4us --stats "$WORK/notes.txt" | wc -l)" = 1
check 'no message if quiet' test -z "$(notes wide "$TRACES/qsort" --log "$WORK/log" --quiet)"
check 'no message without a log' test -z "$(notes wide "$TRACES/qsort")"
check 'no message of the plain engine' test -z "$(notes wide "$TRACES/qsort" --log "$WORK/log" --engine plain)"

# --- names
refused 'no such engine' "'slow': expected plain or fast" "$RUBATO" replay wide "$TRACES/qsort" --engine slow
refused 'no such fast path' "no fast path 'speed'" "$RUBATO" replay wide "$TRACES/qsort" --engine fast-speed
refused 'no such engine of a view' 'expected plain or fast' "$RUBATO" view wide "$TRACES/qsort" --engine slow --view text
refused 'compare without replays' '--engine is for --run' "$RUBATO" compare "$WORK" --engine plain
check 'help lists the fast paths' eval '"$RUBATO" replay --help | grep -q "^  lookahead: "'

# --- sweeps
sweep() {    # ENGINE FILE OPTION...
    cat >"$WORK/sweep.yaml" <<END
system: wide
traces: [$TRACES/qsort, $TRACES/gups]
engine: $1
axes: {l2.size: [256KiB, 1MiB], l1d.mshrs: [2, 8]}
END
    "$RUBATO" sweep "$WORK/sweep.yaml" -j 2 -o "$2" >"$WORK/out" 2>"$WORK/err" </dev/null
}
for engine in plain fast; do
    check "a sweep: $engine" sweep "$engine" "$WORK/$engine.db"
    "$RUBATO" results "$WORK/$engine.db" --csv >"$WORK/$engine.csv"
done
check 'a sweep: the same results' eval 'test -s "$WORK/plain.csv" && cmp "$WORK/plain.csv" "$WORK/fast.csv"'
check 'another engine runs no point again' eval 'sweep fast "$WORK/plain.db" && grep -qE "^run +0 done, 0 failed, 8 done before" "$WORK/out"'
sweep slow "$WORK/slow.db"
check 'a sweep: no such engine' eval 'test $? = 2 || grep -q "sweep.yaml:3: engine .slow.: expected plain or fast" "$WORK/err"'
