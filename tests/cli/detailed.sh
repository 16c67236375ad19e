#!/usr/bin/env bash
# Detailed cores in a run: every format that has instructions, both engines, repeats, threads that wait, limits, samples, TLBs, a GPU
# beside them, sweeps; what traces lack is said; what cannot run is refused with what to do.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

sample=$BUILD/tests/tools/insn_sample
[ -x "$sample" ] || { not_ok "there is no $sample; make tests builds it"; exit 1; }
bundled=tests/traces/insn
small=$bundled/drmemtrace/drmemtrace.small.x64.trace
signals=$bundled/drmemtrace/drmemtrace.threadsig.10510.0155.trace.gz
lackey=$bundled/lackey/exact.lackey.txt
"$sample" "$WORK/threads.rbt" threads

equal() {    # NAME GOT EXPECTED
    if [ -n "$2" ] && [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1"; echo "    got '$2', expected '$3'"; fi
}
has() {    # NAME FILE TEXT
    if grep -qF -- "$3" "$2"; then ok "$1"; else not_ok "$1"; sed 's/^/    /' "$2" | head -n 30; fi
}
stat() { awk -v name="$2" '$1 == name { print $2; exit }' "$1"; }

# ---- formats: all instructions commit, both engines and repeats agree
expected_of() { case $1 in *small*) echo 173 ;; *threadsig*) echo 1388 ;; *lackey*) echo 497 ;; *threads*) echo 22000 ;; esac; }
for trace in "$small" "$signals" "$lackey" "$WORK/threads.rbt"; do
    name=${trace##*/}
    "$RUBATO" replay wide "$trace" --model detailed --stats "$WORK/fast.txt" >"$WORK/out" 2>"$WORK/err"
    equal "$name: runs" "$?" 0
    equal "$name: all instructions commit" "$(stat "$WORK/fast.txt" simInsts)" "$(expected_of "$name")"
    equal "$name: and no more than its cores'" "$(stat "$WORK/fast.txt" system.cpu.commitStats0.numInsts)" "$(expected_of "$name")"
    has "$name: the summary counts them" "$WORK/out" "cycles of 2GHz, $(expected_of "$name") instructions,"
    has "$name: without a code image" "$WORK/out" 'no code     the trace has no code image: fetch stops at mispredictions'
    "$RUBATO" replay wide "$trace" --model detailed --engine plain --stats "$WORK/plain.txt" --quiet 2>/dev/null
    check "$name: both engines, all statistics" cmp -s "$WORK/fast.txt" "$WORK/plain.txt"
    "$RUBATO" replay wide "$trace" --set cpu.model=detailed --stats "$WORK/again.txt" --quiet 2>/dev/null
    check "$name: --set gives the same" cmp -s "$WORK/fast.txt" "$WORK/again.txt"
done

# ---- the summary: where the cycles went adds up to all of them
"$RUBATO" replay wide "$signals" --model detailed --stats "$WORK/stats.json" >"$WORK/out" 2>/dev/null
for word in 'branches      ' 'wrong paths   ' 'in flight     ' 'where its cycles went' 'IPC 0.' '  retiring ' '  backEnd.loads '; do
    has "summary: $word" "$WORK/out" "$word"
done
equal 'the parts are all cycles' \
    "$(awk '/^where its cycles went/ { on = 1; next } !NF { on = 0 } on { sum += $2 } END { printf "%.0f", sum }' "$WORK/out" |
        awk -v all="$(awk '$1 == "cpu" { print $2 }' "$WORK/out")" '{ print ($1 - all) ^ 2 <= 25 ? "yes" : $1 " of " all }')" yes
has 'the top-down account is in the JSON' "$WORK/stats.json" 'topDown'
has 'lacks dependences' "$WORK/out" 'dependences between instructions: no register is waited for'

# ---- parameters have an effect, and elastic runs have none of it
cycles() { "$RUBATO" replay wide "$signals" --quiet --model detailed --stats - "$@" 2>/dev/null | awk '$1 == "system.cpu.numCycles" { print $2 }'; }
usual=$(cycles)
check 'a narrow core is slower' [ "$(cycles --set cpu.fetchWidth=1)" -gt "$usual" ]
check 'ideal fetch is faster' [ "$(cycles --set cpu.idealFetch=yes)" -lt "$usual" ]
check 'perfect branches are faster' [ "$(cycles --set cpu.branchPred.type=perfect)" -lt "$usual" ]
for core in reference neoverse-n1 skylake zen4 firestorm; do
    check "core/$core runs" [ "$(cycles --set include=core/$core)" -gt 100 ]
done
equal 'core/reference is the default' "$(cycles --set include=core/reference)" "$usual"
"$RUBATO" replay wide "$signals" --stats "$WORK/elastic.txt" --quiet 2>/dev/null
"$RUBATO" replay wide "$signals" --set include=core/zen4 --model elastic --stats "$WORK/again.txt" --quiet 2>/dev/null
check 'elastic cores know nothing of it' cmp -s "$WORK/elastic.txt" "$WORK/again.txt"

# ---- threads: on one core one after the other, on two as they waited; freed, at once
ends() { "$RUBATO" replay wide "$WORK/threads.rbt" --model detailed --set cores=2 --quiet --stats - "$@" | awk '$1 == "finalTick" { print $2 }'; }
"$RUBATO" replay wide "$WORK/threads.rbt" --model detailed --set cores=2 --log "$WORK/log" >"$WORK/out" 2>/dev/null
start() { awk -v what="thread=$2 part=$3" '$3 == "start" && index($0, what) { print $1 }' "$1"; }
equal 'the main thread starts at once' "$(start "$WORK/log" 1 0)" 0
equal 'the child starts where it was created' "$(start "$WORK/log" 2 0)" "$(start "$WORK/log" 1 1)"
equal 'a futex wait ends with its wake-up' "$(start "$WORK/log" 1 2)" "$(start "$WORK/log" 2 1)"
check 'a join ends with the thread' [ "$(start "$WORK/log" 1 3)" -gt "$(start "$WORK/log" 2 1)" ]
has 'waits are counted' "$WORK/out" '1 of 2 threads begin when they were created; 2 waits end with their recorded wake-up, 0 are free'
has 'both cores are in the summary' "$WORK/out" 'cpu1 '
check 'free threads are done sooner' [ "$(ends --sync free)" -lt "$(ends)" ]
equal 'all commit, of both cores' "$("$RUBATO" replay wide "$WORK/threads.rbt" --model detailed --set cores=2 --quiet --stats - |
    awk '$1 == "simInsts" { print $2 }')" 22000

# ---- limits count instructions
"$RUBATO" replay wide "$signals" --model detailed --records 500 --stats "$WORK/part.txt" --quiet 2>/dev/null
check 'records: instructions' [ "$(stat "$WORK/part.txt" simInsts)" -ge 500 -a "$(stat "$WORK/part.txt" simInsts)" -lt 508 ]
"$RUBATO" replay wide "$signals" --model detailed --warmup 500 --stats "$WORK/part.txt" --quiet 2>/dev/null
check 'warm-up: instructions' [ "$(stat "$WORK/part.txt" simInsts)" -le 888 -a "$(stat "$WORK/part.txt" simInsts)" -gt 880 ]
refused 'a warm-up that is never over' 'warmup: 50000 instructions, but the run ended' "$RUBATO" replay wide "$signals" --model detailed --warmup 50000

# ---- samples and views change nothing
"$RUBATO" replay wide "$signals" --model detailed --record "$WORK/run.rbr" --every 200ns --stats "$WORK/viewed.txt" --quiet 2>/dev/null
equal 'recorded' "$?" 0
"$RUBATO" replay wide "$signals" --model detailed --stats "$WORK/fast.txt" --quiet 2>/dev/null
check 'recorded or not, the same statistics' cmp -s "$WORK/viewed.txt" "$WORK/fast.txt"
"$RUBATO" view "$WORK/run.rbr" --view=text >"$WORK/out" 2>&1 </dev/null
equal 'the recording is played' "$?" 0
"$RUBATO" view wide "$signals" --model detailed --view=text --every 500ns >"$WORK/out" 2>&1 </dev/null
equal 'view as text' "$?" 0
check 'with samples' [ "$(grep -c ' us  read ' "$WORK/out")" -gt 2 ]

# ---- beside a TLB, and a GPU
"$RUBATO" replay laptop-tlb "$signals" --model detailed --stats "$WORK/fast.txt" >"$WORK/out" 2>/dev/null
has 'TLBs are asked' "$WORK/out" '  walks '
"$RUBATO" replay laptop-tlb "$signals" --model detailed --engine plain --stats "$WORK/plain.txt" --quiet 2>/dev/null
check 'TLBs, both engines' cmp -s "$WORK/fast.txt" "$WORK/plain.txt"
"$RUBATO" replay hetero "$signals" tests/traces/gpu/volta-bfs-2blocks --model detailed >"$WORK/out" 2>/dev/null
equal 'a GPU beside it' "$?" 0
has 'both are in the summary' "$WORK/out" 'gpu '

# ---- sweeps
cat >"$WORK/sweep.yaml" <<EOF
system: wide
traces: [$PWD/$signals]
axes:
  cpu.model: [elastic, detailed]
  cpu.numROBEntries: [32, 192]
EOF
"$RUBATO" sweep "$WORK/sweep.yaml" -o "$WORK/sweep.db" >"$WORK/out" 2>&1
equal 'a sweep over models and sizes' "$?" 0
"$RUBATO" results "$WORK/sweep.db" --columns cpu.model,cpu.numROBEntries,system.cpu.cpi --csv >"$WORK/out" 2>&1
equal 'its points' "$(grep -c '^detailed,\(32\|192\),[0-9]' "$WORK/out")" 2
cat >"$WORK/cores.yaml" <<EOF
system: wide
traces: [$PWD/$signals]
axes:
  include: [core/reference, core/neoverse-n1]
EOF
"$RUBATO" sweep "$WORK/cores.yaml" -o "$WORK/cores.db" >"$WORK/out" 2>&1
equal 'a sweep over cores' "$?" 0
equal 'its points are two systems' "$("$RUBATO" results "$WORK/cores.db" --columns cpu.numROBEntries --csv | tail -n +2 | sort | tr '\n' ' ')" '128 192 '

# ---- refused
refused 'elastic traces' 'holds an elastic trace' "$RUBATO" replay wide tests/traces/gups --model detailed
refused 'and what to do' 'or replay this one with --model elastic' "$RUBATO" replay core/zen4 tests/traces/gups
refused 'models by name' '--model fast: expected elastic, window, detailed or auto' "$RUBATO" replay wide "$signals" --model fast
refused 'a core that is none' 'cpu.numROBEntries: 4 is less than renameWidth, 8' "$RUBATO" replay wide "$signals" --model detailed \
    --set cpu.numROBEntries=4
printf '0x20000 R\n0x20040 W\n' >"$WORK/ramulator"
refused 'traces of memory alone' 'a detailed core needs each instruction' "$RUBATO" replay wide "$WORK/ramulator" --model detailed
refused 'GPUs alone' '--model is not for GPU traces' "$RUBATO" replay qv100 tests/traces/gpu/volta-bfs-2blocks --model detailed
