#!/usr/bin/env bash
# Instruction traces of each format through replay, sweep and convert: both engines and repeats give the same bytes; threads start and
# wait as they did; what a trace lacks is said; options are checked.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

sample=$BUILD/tests/tools/insn_sample
[ -x "$sample" ] || { not_ok "there is no $sample; make tests builds it"; exit 1; }
bundled=tests/traces/insn

equal() {    # NAME GOT EXPECTED
    if [ -n "$2" ] && [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1"; echo "    got '$2', expected '$3'"; fi
}
has() {    # NAME FILE TEXT
    if grep -qF -- "$3" "$2"; then ok "$1"; else not_ok "$1"; sed 's/^/    /' "$2" | head -n 30; fi
}
ends_at() { awk '/^time/ { sub("\\(", "", $4); print $4 }' "$1"; }

# ---- a sample of each format
mkdir -p "$WORK/text"
printf 'I  00001000,4\n L 00020000,8\nI  00001004,4\n S 00020008,4\nI  00001008,2\n M 00020040,8\nI  0000100a,2\n' >"$WORK/text/lackey"
for i in 0 1 2 3 4 5 6 7 8 9 a b; do printf '2 40%s0\n0 1000%s\n1 20%s00\n' "$i" "$i" "$i"; done >"$WORK/text/din"
printf '0x1000: R 0x20000\n0x1008: W 0x20040\n0x1010: R 0x20000\n#eof\n' >"$WORK/text/pinatrace"
printf '0x20000 R\n0x20040 W\n0x20080 R\n' >"$WORK/text/ramulator"
printf '3 131072\n10 131136 131200\n700 131264\n' >"$WORK/text/cpu_trace"
printf '0x20000 READ 100\n0x20040 WRITE 150\n0x20080 READ 1150\n' >"$WORK/text/dramsim3"
printf '0: read 0x20000\n50: write 0x20040\n1050: read 0x20080\n' >"$WORK/text/stl"
printf '12 R 131072 8\n30 W 131136 4\n95 R 131200 8\n' >"$WORK/text/prospero"
"$sample" "$WORK/threads.rbt" threads
"$RUBATO" trace convert "$bundled/drmemtrace/drmemtrace.allasm_x86_64.trace.zip" --to champsim -o "$WORK/allasm.champsim" --quiet ||
    rm -f "$WORK/allasm.champsim"

traces=("$WORK"/text/* "$bundled/lackey/exact.lackey.txt" "$bundled/drmemtrace/drmemtrace.small.x64.trace"
    "$bundled/drmemtrace/drmemtrace.threadsig.10510.0155.trace.gz" "$bundled/drmemtrace/drmemtrace.allasm_x86_64.trace.zip"
    "$WORK/threads.rbt" "$WORK/allasm.champsim")
can_decode=yes
"$RUBATO" trace dump "$bundled/drmemtrace/drmemtrace.allasm_x86_64.trace.zip" >/dev/null 2>"$WORK/decoder"
grep -q 'Zydis' "$WORK/decoder" && can_decode=
for trace in "${traces[@]}"; do
    name=${trace##*/}
    if [ ! -e "$trace" ] || { [ -z "$can_decode" ] && [[ $name == *allasm* ]]; }; then
        skip "$name (3): a build without the decoder of x86"
        continue
    fi
    if "$RUBATO" replay wide "$trace" --stats "$WORK/fast.txt" >"$WORK/out" 2>"$WORK/err"; then
        ok "$name: replays"
    else
        not_ok "$name: replays"
        sed 's/^/    /' "$WORK/err"
        continue
    fi
    "$RUBATO" replay wide "$trace" --stats "$WORK/plain.txt" --engine plain --quiet
    check "$name: both engines, all statistics" cmp -s "$WORK/fast.txt" "$WORK/plain.txt"
    "$RUBATO" replay wide "$trace" --stats "$WORK/again.txt" --quiet
    check "$name: the same twice" cmp -s "$WORK/fast.txt" "$WORK/again.txt"
    case $name in
        lackey | *.lackey.txt | din | pinatrace | ramulator | cpu_trace | dramsim3 | stl | prospero | *small* | *threadsig*)
            has "$name: says that it lacks dependences" "$WORK/out" 'dependences between instructions: accesses are issued in program order' ;;
        *) has "$name: has dependences" "$WORK/out" '  depend      on ' ;;
    esac
done

# ---- what formats say of time and sizes
figure() { "$RUBATO" replay wide "$1" 2>/dev/null | awk -v name="$2" '$1 == name { print $2; exit }'; }
equal 'a gap counts as instructions' "$(figure "$WORK/text/cpu_trace" instructions)" 716
equal 'Prospero counts instructions' "$(figure "$WORK/text/prospero" instructions)" 84
cycles() { "$RUBATO" replay wide "$1" 2>/dev/null | awk '$1 == "cpu" { print ($2 >= 1050) ? "yes" : $2 }'; }
equal 'cycles of STL are cycles of the core' "$(cycles "$WORK/text/stl")" yes
equal 'cycles of DRAMsim3 are cycles of the core' "$(cycles "$WORK/text/dramsim3")" yes
"$RUBATO" replay wide "$WORK/text/ramulator" >"$WORK/out" 2>&1
has 'traces of memory: accesses are lines' "$WORK/out" 'sizes of accesses: each is 64 bytes'
"$RUBATO" replay wide "$WORK/text/din" >"$WORK/out" 2>&1
has 'others: 8 bytes' "$WORK/out" 'sizes of accesses: each is 8 bytes'

# ---- packed, they replay to the same statistics
for name in lackey din pinatrace ramulator cpu_trace dramsim3 stl prospero; do
    "$RUBATO" trace pack "$WORK/text/$name" -o "$WORK/$name.rbt" --quiet
    "$RUBATO" replay wide "$WORK/text/$name" --stats "$WORK/text.txt" --quiet 2>/dev/null
    "$RUBATO" replay wide "$WORK/$name.rbt" --stats "$WORK/packed.txt" --quiet 2>/dev/null
    check "$name packed: all statistics" test -s "$WORK/packed.txt" -a -z "$(diff "$WORK/text.txt" "$WORK/packed.txt")"
    equal "$name packed: lacks the same" "$("$RUBATO" trace info "$WORK/$name.rbt" | grep '^  lacks')" \
        "$("$RUBATO" trace info "$WORK/text/$name" | grep '^  lacks')"
done

# ---- how they replay, in the last line of trace info; missing records
last() { "$RUBATO" trace info "$1" 2>/dev/null | tail -n 1; }
equal 'info: in order' "$(last "$WORK/text/pinatrace")" \
    '  replay        accesses in program order, within the reorder buffer; accesses are taken to be of one size'
equal 'info: sizes' "$(last "$WORK/text/prospero")" '  replay        accesses in program order, within the reorder buffer'
equal 'info: threads' "$(last "$WORK/threads.rbt")" \
    '  replay        with dependences between instructions; threads begin and wait for each other as system calls show it'
equal 'info: threads that nobody knows to wait' "$(last $bundled/drmemtrace)" \
    '  replay        accesses in program order, within the reorder buffer; threads run free: the trace has no waits between threads'
"$RUBATO" trace cut "$bundled/lackey/exact.lackey.txt" --records 100:300 -o "$WORK/part.rbt" >/dev/null
"$RUBATO" replay wide "$WORK/part.rbt" >"$WORK/out" 2>/dev/null
has 'what was not recorded' "$WORK/out" 'lost        instructions are missing at 1 place, 100 of them as far as the trace says'
check 'nothing is lost elsewhere' test -z "$("$RUBATO" replay wide "$WORK/threads.rbt" 2>/dev/null | grep lost)"

# ---- the view as text
"$RUBATO" view wide "$WORK/threads.rbt" --view=text --every 1us >"$WORK/out" 2>/dev/null </dev/null
equal 'view as text' "$?" 0
check 'view as text: samples' test "$(grep -c ' us  read .*load p50' "$WORK/out")" -gt 3
"$RUBATO" replay wide "$WORK/threads.rbt" --view=text --every 1us --stats "$WORK/viewed.txt" --quiet >/dev/null 2>&1
"$RUBATO" replay wide "$WORK/threads.rbt" --stats "$WORK/plain.txt" --quiet 2>/dev/null
check 'viewed or not, the same statistics' cmp -s "$WORK/viewed.txt" "$WORK/plain.txt"

# ---- strings: accesses of a line at a time; registers are written at the end
if [ -n "$can_decode" ]; then
    "$sample" "$WORK/strings.rbt" strings
    "$RUBATO" trace convert "$WORK/strings.rbt" -o "$WORK/strings" --window 2 >"$WORK/out" 2>/dev/null
    has 'a string is one instruction' "$WORK/out" 'thread 1, 3 instructions'
    "$RUBATO" trace dump "$WORK/strings/deptrace.proto.gz" >"$WORK/dump"
    # from 0x20020: 32 bytes to the end of a line, 32 more to the end of a line of the target, 32 to the next one of the source, 4
    equal 'a string: loads and stores' "$(awk -F, '$4 == "LOAD" || $4 == "STORE" { printf "%s %s ", $4, $6 }' "$WORK/dump")" \
        'LOAD 32 STORE 32 LOAD 32 STORE 32 LOAD 32 STORE 32 LOAD 4 STORE 4 '
else
    skip 'strings (2): a build without the decoder of x86'
fi

# ---- threads: the child starts when main has created it, main continues after its wake-up, and after the child's end
"$RUBATO" replay wide "$WORK/threads.rbt" --set cores=2 --log "$WORK/waits.log" >"$WORK/out" 2>/dev/null
start() { awk -v what="thread=$2 part=$3" '$3 == "start" && index($0, what) { print $1 }' "$1"; }
equal 'the main thread starts at once' "$(start "$WORK/waits.log" 1 0)" 0
equal 'the child starts where it was created' "$(start "$WORK/waits.log" 2 0)" "$(start "$WORK/waits.log" 1 1)"
equal 'a futex wait ends with its wake-up' "$(start "$WORK/waits.log" 1 2)" "$(start "$WORK/waits.log" 2 1)"
check 'and not before' [ "$(start "$WORK/waits.log" 1 2)" -gt "$(start "$WORK/waits.log" 1 1)" ]
check 'a join ends with the thread' [ "$(start "$WORK/waits.log" 1 3)" -gt "$(start "$WORK/waits.log" 2 1)" ]
has 'waits are counted' "$WORK/out" '1 of 2 threads begin when they were created; 2 waits end with their recorded wake-up, 0 are free'
"$RUBATO" replay wide "$WORK/threads.rbt" --set cores=2 --set cpu.rob=8 --set l1i.size=1KiB --log "$WORK/slow.log" --quiet 2>/dev/null
equal 'another system keeps who waits for whom' "$(start "$WORK/slow.log" 1 2)" "$(start "$WORK/slow.log" 2 1)"
"$RUBATO" replay wide "$WORK/threads.rbt" --set cores=2 --sync free --log "$WORK/free.log" >"$WORK/out" 2>/dev/null
equal '--sync free: all start at once, in one part' "$(awk '$3 == "start" { print $1, $6, $7 }' "$WORK/free.log" | tr '\n' ' ')" \
    '0 thread=1 part=0 0 thread=2 part=0 '
for engine in fast plain; do
    "$RUBATO" replay wide "$WORK/threads.rbt" "$bundled/lackey/exact.lackey.txt" --set cores=3 --engine $engine --stats "$WORK/$engine.txt" --quiet
done
check 'three threads of two processes: both engines, all statistics' cmp -s "$WORK/fast.txt" "$WORK/plain.txt"
has '--sync free: said' "$WORK/out" 'none (--sync free)'
"$RUBATO" replay wide "$WORK/threads.rbt" --set cores=1 --log "$WORK/one.log" --quiet 2>/dev/null
equal 'one core: each part once' "$(awk '$3 == "start" { print $6 $7 }' "$WORK/one.log" | sort -u | wc -l)" 6
"$RUBATO" replay wide "$WORK/threads.rbt" "$WORK/threads.rbt" --set cores=4 >"$WORK/out" 2>/dev/null
has 'two processes' "$WORK/out" 'instructions  44000 of 4 threads'

# ---- limits, latencies
"$RUBATO" replay wide "$bundled/lackey/exact.lackey.txt" --records 100 >"$WORK/out" 2>&1
has '--records: the summary is of what was read' "$WORK/out" ' were read'
check '--warmup' "$RUBATO" replay wide "$bundled/lackey/exact.lackey.txt" --warmup 100 --quiet
check '--until' "$RUBATO" replay wide "$bundled/lackey/exact.lackey.txt" --until 100000 --quiet
"$RUBATO" replay wide "$WORK/threads.rbt" >"$WORK/usual" 2>/dev/null
"$RUBATO" replay wide "$WORK/threads.rbt" --latency intalu=4 >"$WORK/slow" 2>/dev/null
check '--latency: additions that take longer' [ "$(ends_at "$WORK/slow")" -gt "$(($(ends_at "$WORK/usual") * 3))" ]
refused '--latency: no such class' 'is no class' "$RUBATO" replay wide "$WORK/threads.rbt" --latency Add=1
refused '--latency: no number' 'expected CLASS=CYCLES' "$RUBATO" replay wide "$WORK/threads.rbt" --latency IntAlu=x
refused '--latency: a table of MacSim' 'give CLASS=CYCLES' "$RUBATO" replay wide "$WORK/threads.rbt" --latency skylake
refused '--sync: neither' 'expected waits or free' "$RUBATO" replay wide "$WORK/threads.rbt" --sync no
refused '--sync: elastic traces' 'sync is for instruction traces' "$RUBATO" replay wide tests/traces/gups --sync free
refused '--alone' 'threads start each other' "$RUBATO" replay wide "$WORK/threads.rbt" --alone
refused '--tick-scale' 'tick scale' "$RUBATO" replay wide "$WORK/threads.rbt" --tick-scale 2
refused 'beside elastic traces' 'cores run either' "$RUBATO" replay wide "$WORK/threads.rbt" tests/traces/gups --set cores=2 \
    --set cpu.share=yes
refused 'more pages than memory' 'memory' "$RUBATO" replay wide "$bundled/lackey/exact.lackey.txt" --set memory.size=4KiB

printf '4294967296 131072\n10 131136\n' >"$WORK/text/far"
refused 'a gap that no program has' 'event 1: 4294967296 instructions' "$RUBATO" replay wide "$WORK/text/far"
printf 'I  00001000,4\n L 00020000,65537\n' >"$WORK/text/large"
refused 'an access that no program has' 'event 1: an access of 65537 bytes' "$RUBATO" replay wide "$WORK/text/large"

# ---- conversion: the trace that is written is the one that is replayed
"$RUBATO" trace convert "$bundled/lackey/exact.lackey.txt" -o "$WORK/elastic" --clock 2GHz --window 100 >"$WORK/out" 2>&1
equal 'convert' $? 0
has 'convert: order' "$WORK/out" 'accesses are in program order'
"$RUBATO" replay wide "$bundled/lackey/exact.lackey.txt" --log "$WORK/direct.log" --quiet 2>/dev/null
"$RUBATO" replay wide "$WORK/elastic" --no-cache --log "$WORK/files.log" --quiet 2>/dev/null
equal 'convert: the same events' "$(grep -v ' start thread ' "$WORK/direct.log" | cksum)" "$(cksum <"$WORK/files.log")"
"$RUBATO" trace convert "$WORK/threads.rbt" -o "$WORK/folders" --quiet 2>/dev/null
equal 'convert: a folder for each thread' "$(cd "$WORK/folders" && echo */*)" \
    'thread1/deptrace.proto.gz thread1/fetchtrace.proto.gz thread2/deptrace.proto.gz thread2/fetchtrace.proto.gz'
refused 'convert: a table of MacSim' 'MacSim' "$RUBATO" trace convert "$WORK/threads.rbt" -o "$WORK/no" --latency skylake

# ---- a sweep
cat >"$WORK/sweep.yaml" <<END
system: wide
traces: [{name: lackey, traces: $PWD/$bundled/lackey/exact.lackey.txt}, {name: threads, traces: $WORK/threads.rbt}]
set: {cores: 2}
latency: IntAlu=2
sync: free
axes: {l1d.size: [4KiB, 64KiB]}
END
"$RUBATO" sweep "$WORK/sweep.yaml" -o "$WORK/sweep.db" >"$WORK/out" 2>"$WORK/err"
has 'sweep: all points' "$WORK/out" '4 done, 0 failed'
"$RUBATO" sweep "$WORK/sweep.yaml" -o "$WORK/sweep.db" >"$WORK/out" 2>"$WORK/err"
has 'sweep: points are kept' "$WORK/out" '4 done before'
"$RUBATO" report "$WORK/sweep.db" --no-traffic -o "$WORK/report.html" >"$WORK/out" 2>&1
has 'report of a sweep' "$WORK/out" 'charts of 4 points'
check 'report: its workloads' test "$(grep -o '>lackey<\|>threads<\|lackey\|threads' "$WORK/report.html" | sort -u | wc -l)" -ge 2
sed -i 's/IntAlu=2/IntAlu=3/' "$WORK/sweep.yaml"
"$RUBATO" sweep "$WORK/sweep.yaml" -o "$WORK/other.db" >"$WORK/out" 2>"$WORK/err"
has 'sweep: other latencies' "$WORK/out" '4 done, 0 failed'
sed -i 's/IntAlu=3/IntAl=3/' "$WORK/sweep.yaml"
refused 'sweep: no such class' 'sweep.yaml:4: latency' "$RUBATO" sweep "$WORK/sweep.yaml" -o "$WORK/none.db"
