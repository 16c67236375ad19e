#!/usr/bin/env bash
# rubato sweep and rubato results: points, results for any number of workers, kill -9 and restart, shards, and files that cannot
# be written or read.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

root=$PWD
cd "$WORK" || exit 1
sweep() { timeout 120 "$RUBATO" sweep "$@" >"$WORK/stdout" 2>"$WORK/stderr" </dev/null; }
export_csv() { "$RUBATO" results "$1" --csv; }
same_as_reference() { export_csv "$1" | cmp - "$WORK/reference.csv"; }
says() { grep -qE -- "$1" "$WORK/stdout" "$WORK/stderr" || { head -n 5 "$WORK/stdout" "$WORK/stderr"; return 1; }; }
ends() {    # CODE COMMAND...: exit code
    local expected=$1
    shift
    "$@"
    local code=$?
    [ "$code" = "$expected" ] || { echo "    exit code $code, expected $expected"; head -n 3 "$WORK/stderr"; return 1; }
}
nothing_left() { ls "$1"-* "$1".lock 2>/dev/null | grep . && return 1; return 0; }

# --- points over short traces, for any number of workers; the bundled sweep is run by readme.sh
cat >first.yaml <<END
system: wide
traces: [$TRACES/gups, $TRACES/qsort, $TRACES/triad]
axes:
  l1d.mshrs: {from: 1, to: 32, times: 2}
  l2.size: {from: 256KiB, to: 2MiB, times: 2}
  l2.prefetcher: [none, stride, stream]
  memory.device: [DDR3_1600_8x8, DDR5_6400_4x8]
END
first=first.yaml
check 'two workers' ends 0 sweep "$first" -j 2 -o first.db
check 'one file is left' nothing_left first.db
export_csv first.db >"$WORK/first.csv"
check 'one worker: the same bytes' eval 'sweep "$first" -j1 -o one.db && export_csv one.db | cmp - first.csv'
check 'seven workers: the same bytes' eval 'sweep "$first" -j 7 -o seven.db && export_csv seven.db | cmp - first.csv'
digest=$(cd "$root" && { find base proto memsys replay \( -path proto/capture -o -path replay/library \) -prune -o -name '*.[ch]' -print \
    -o -name '*.proto' -print && ls sweep/run/run_point.[ch]
    echo docs/spec/macsim-enums.tsv; echo proto/macsim/tables.sh; } | LC_ALL=C sort |
    while read -r file; do echo "$file" && cat "$file"; done | sha256sum | cut -c 1-16)
check 'points know the sources of the model' grep -qaF "+$digest" first.db
check 'no times in the export' eval '! head -n 1 first.csv | tr , "\n" | grep -qxE "wall_s|cpu_s"'
check 'finished points are not run again' eval 'sweep "$first" -o first.db && says "^run +0 done, 0 failed, 432 done before"'
cp first.db renamed.db
LC_ALL=C sed -i 's/l1d\.mshrs/l1d.mshrt/g' renamed.db
check 'an axis that was renamed in the file: results refuses it' ends 2 "$RUBATO" results renamed.db 2>stderr
check 'report refuses it, and names the file once' eval '! "$RUBATO" report renamed.db -o no.html 2>stderr &&
    [ "$(grep -o "renamed.db" stderr | wc -l)" = 1 ]'
check 'the sweep writes its list again' eval 'sweep "$first" -o renamed.db && export_csv renamed.db | cmp - first.csv'
check 'tabs have the cells of CSV' test "$("$RUBATO" results first.db --tsv --columns point,traces,cpi)" = \
    "$("$RUBATO" results first.db --csv --columns point,traces,cpi | tr , '\t')"
check 'the list of metrics as JSON' test "$("$RUBATO" results --metrics --json | grep -c '^{"metric": ')" = \
    $(($("$RUBATO" results --metrics | wc -l) - 1))
figure() { "$RUBATO" results first.db --csv --where "point == $1" --columns "$2" | tail -n 1; }
point=$("$RUBATO" results first.db --csv --columns point --where 'traces == gups and l2.size == 512KiB and l1d.mshrs == 4 and
    l2.prefetcher == stream and memory.device == DDR5_6400_4x8' | tail -n +2)
"$RUBATO" replay wide "$TRACES/gups" --quiet --stats one.json --set memory.device=DDR5_6400_4x8 --set l2.size=512KiB \
    --set l2.prefetcher=stream --set l1d.mshrs=4
for name in simTicks system.cpu.cpi system.l2.overallMisses::total; do
    check "a point equals its replay: $name" test "$(figure "$point" "$name" | awk '{ printf "%.17g", $1 }')" = \
        "$(sed -n "s/^ \"$name\": \(.*\),\$/\1/p" one.json | awk '{ printf "%.17g", $1 }')"
done

# --- a DRAM standard of the user's own is part of a point by its content; keys of DRAM commands are axes
cat >mine.yaml <<END
extends: DDR4_VRR
timings:
  MINE: {rate: 2400, nBL: 4, nCL: 16, nRCD: 16, nRP: 16, nRAS: 39, nRC: 55, nWR: 18, nRTP: 9, nCWL: 12, nCCDS: 4, nCCDL: 6, nWTRS: 3, nWTRL: 9, nCS: 2, tCK_ps: 833}
END
cat >own.yaml <<END
system: commands-ddr4
traces: [$TRACES/qsort]
set: {memory.timing: MINE, memory.organization: DDR4_8Gb_x8}
axes:
  memory.standard: [./mine.yaml]
  memory.overrides.nRCD: [16, 20]
END
check 'a standard of the own' eval 'sweep own.yaml -o own.db && says "^run +2 done, 0 failed, 0 done before"'
check 'it is done' eval 'sweep own.yaml -o own.db && says "^run +0 done, 0 failed, 2 done before"'
sed -i 's/nCL: 16/nCL: 30/' mine.yaml
check 'changed content is another point' eval 'sweep own.yaml -o own.db && says "^run +2 done, 0 failed, 0 done before"'
cat >commands.yaml <<END
system: commands-ddr5
traces: [$TRACES/qsort]
axes:
  memory.standard: [DDR5_RFM_VRR]
  memory.timing: [DDR5_3200AN, DDR5_4800BN]
  memory.refresh: [none, all-bank]
  memory.mitigation: [PARA, [RFM, SamsungTRR]]
END
check 'standard, timing, refresh and lists of defences are axes' eval 'sweep commands.yaml -o commands.db && says "^run +8 done, 0 failed"'
"$RUBATO" results commands.db --csv --columns memory.timing,memory.refresh,memory.mitigation,cycles >commands.csv
check 'a list is one value of an axis' test "$(grep -c 'RFM.*SamsungTRR' commands.csv)" = 4

# --- kill -9 at any moment
cat >kill.yaml <<END
system: wide
traces: [$TRACES/gups, $TRACES/triad]
axes:
  l2.size: {from: 128KiB, to: 2MiB, times: 2}
  l1d.mshrs: [2, 8]
  l2.assoc: [8, 7]
END
began=$(date +%s%3N)
ends 3 sweep kill.yaml -o kill-reference.db
took=$(($(date +%s%3N) - began))
export_csv kill-reference.db >"$WORK/reference.csv"
check 'points that cannot be built are failures with a reason' test "$("$RUBATO" results kill-reference.db --csv --columns error \
    --where 'state == failed' | grep -c 'in 7 ways')" = 20
kills=0 restarts=${SWEEP_KILLS:-30}
for ((i = 0; i < restarts; i++)); do
    timeout -s KILL "$(printf '%d.%03d' $((at = RANDOM % took, at / 1000)) $((at % 1000 + (at < 1))))" "$RUBATO" sweep kill.yaml -j 2 -o "$WORK/killed.db" >/dev/null 2>&1
    [ $? != 137 ] || kills=$((kills + 1))
    "$RUBATO" results killed.db --csv --columns state >states 2>/dev/null
    grep -q 'to do' states || { [ -e killed.db ] && same_as_reference killed.db >/dev/null && rm -f killed.db*; }
done 2>/dev/null
check "$kills kills: the folder is readable, and a new run finishes it" ends 3 sweep kill.yaml -j 2 -o killed.db
check 'after kill -9 and restart: the same bytes' same_as_reference killed.db
check 'after kill -9 and restart: one file is left' nothing_left killed.db
check 'no worker outlives its sweep' eval '! pgrep -f "$WORK/killed.db" >/dev/null'

# --- others may read meanwhile
"$RUBATO" sweep kill.yaml -j 1 -o read.db >/dev/null 2>&1 &
writer=$!
reads=0 odd=''
while kill -0 $writer 2>/dev/null; do
    "$RUBATO" results read.db --csv --columns state >/dev/null 2>stderr || odd=$odd$(grep -vE 'no such file|holds no results yet' stderr)
    reads=$((reads + 1))
done
check "$reads reads while it is written" test -z "$odd"
# A reader that is there when the writer ends may leave the log of writes, with all of it, to who writes next.
"$RUBATO" sweep kill.yaml -j 1 -o read.db >/dev/null 2>&1
check 'reads while it is written: one file is left' nothing_left read.db

# --- Ctrl-C keeps finished points
"$RUBATO" sweep "$first" -j 1 -o stopped.db >stdout 2>stderr &
sleep 0.5
kill -TERM $!
wait $!
code=$?
kept=$("$RUBATO" results stopped.db --csv --columns state | grep -c done)
check 'SIGTERM: ends by the signal' test "$code" = 143
check "SIGTERM: reports $kept kept points" says "stopped; $kept of 432 points are kept"
check 'SIGTERM: the next run continues' eval 'sweep "$first" -o stopped.db && says "^run +$((432 - kept)) done, 0 failed, $kept done before"'
check 'SIGTERM: the same bytes' eval 'export_csv stopped.db | cmp - first.csv'

# --- a point that crashes its worker
check 'a crash: other points continue' ends 3 "$RUBATO" sweep kill.yaml -o crash.db --crash-point 5 >stdout 2>stderr
crashed() { "$RUBATO" results crash.db --csv --columns point,error --where 'state == failed and traces == gups and l2.assoc == 8'; }
check 'a crash: it is recorded' test "$(crashed | tail -n +2)" = '5,the worker was ended by signal 6 (Aborted)'
check 'a crash: nothing else is' eval '[ "$("$RUBATO" results crash.db --csv --columns state | grep -c done)" = 19 ]'
check 'a crash: not again by itself' eval 'sweep kill.yaml -o crash.db; says "^run +0 done, 21 failed, 19 done before .21 failed before; --retry runs them again."'
check 'a crash: --retry' ends 3 sweep kill.yaml -o crash.db --retry
check 'a crash: then the same bytes' same_as_reference crash.db

# --- shards
for shard in 1 2 3; do ends 3 sweep kill.yaml --shard $shard/3 -o merged.db; done
check 'shards: merged' ends 3 sweep kill.yaml --collect -o merged.db
check 'shards: the same bytes' same_as_reference merged.db
rm -f merged.db merged.shards/2-of-3.db
check 'a missing shard is reported' eval 'ends 3 sweep kill.yaml --collect -o merged.db && says "13 to do"'
check 'a missing shard: the rest can be run here' eval 'sweep kill.yaml -o merged.db; same_as_reference merged.db'
for shard in 1 2; do ends 3 sweep kill.yaml --shard $shard/2 -o spoilt.db; done
cp spoilt.shards/2-of-2.db sound.db
size=$(stat -c %s sound.db)
found=0
for ((place = 60; place < size; place += size / 25)); do
    cp sound.db spoilt.shards/2-of-2.db
    printf '\377' | dd of=spoilt.shards/2-of-2.db bs=1 seek=$place conv=notrunc status=none
    rm -f spoilt.db
    sweep kill.yaml --collect -o spoilt.db
    if [ -s stderr ]; then
        grep -q '^rubato: spoilt.shards/2-of-2.db: \(is damaged\|is no result file\|holds no results\)' stderr && [ "$(wc -l <stderr)" = 1 ] &&
            [ "$("$RUBATO" results spoilt.db --csv --columns state | grep -cE 'done|failed')" = 20 ] || { cat stderr; break; }
        found=$((found + 1))
    else
        lost=$("$RUBATO" results spoilt.db --csv --columns state | grep -c 'to do')
        [ "$lost" = 1 ] || export_csv spoilt.db | cmp -s - reference.csv || { echo "    a flipped byte at $place is not found"; break; }
        found=$((found + lost))
    fi
done
check "a flipped byte in a shard: found ($found times) or harmless, and the other shard is merged" test $((place >= size && found > 8)) = 1
refused 'no shards' 'run shards first' "$RUBATO" sweep kill.yaml --collect -o none.db

# --- files that do not take results
# shellcheck disable=SC2016
refused 'a full disk' 'full.db: .*(disk is full|may not grow).*make room' bash -c 'trap "" XFSZ; ulimit -f 600; exec "$0" sweep kill.yaml -j 1 -o full.db' "$RUBATO"
kept=$("$RUBATO" results full.db --csv --columns state | grep -c done)
check "a full disk: the $kept points before are kept" test "$kept" -gt 0
check 'a full disk: the next run continues' eval 'sweep kill.yaml -o full.db; same_as_reference full.db'
mkdir small
if mount -t tmpfs -o size=1m none small 2>/dev/null; then
    refused 'a full file system' 'small/x.db: .*(disk is full|may not grow).*make room' "$RUBATO" sweep kill.yaml -o small/x.db
    kept=$("$RUBATO" results small/x.db --csv --columns state | grep -c done)
    check "a full file system: the $kept points before are kept" test "$kept" -gt 0
    mount -o remount,size=30m small
    check 'a full file system: the next run continues' eval 'sweep kill.yaml -o small/x.db; same_as_reference small/x.db'
    mount -o remount,ro small
    refused 'a read-only file system' 'small/x.db.*(Read-only|read-only)' "$RUBATO" sweep kill.yaml -o small/x.db
    check 'a read-only file system: it can be read' same_as_reference small/x.db
    umount small
else
    skip 'a full and a read-only file system (5): no tmpfs can be mounted'
fi
chmod 755 "$WORK"
cp full.db readonly.db
chmod 444 readonly.db
nobody=()
[ "$(id -u)" != 0 ] || nobody=(setpriv --reuid=65534 --clear-groups env HOME=/nonexistent XDG_CACHE_HOME="$XDG_CACHE_HOME")
if "${nobody[@]}" test -x "$RUBATO" 2>/dev/null; then
    refused 'a read-only file' 'readonly.db.*(read-only|cannot be (created|made|written))' "${nobody[@]}" "$RUBATO" sweep kill.yaml --no-cache -o readonly.db
    check 'a read-only file: it can be read' eval '"${nobody[@]}" "$RUBATO" results readonly.db --csv | cmp - reference.csv'
else
    skip 'a read-only file (2): no other user may run the program'
fi
echo 'no results' >text.db
refused 'no result file' 'text.db: is no result file' "$RUBATO" sweep kill.yaml -o text.db
refused 'no result file: listed' 'text.db: is no result file' "$RUBATO" results text.db
check 'no result file: it stays' grep -q 'no results' text.db
head -c 9000 full.db >half.db
refused 'half a file' 'half.db: is damaged' "$RUBATO" sweep kill.yaml -o half.db
refused 'half a file: listed' 'half.db: is damaged' "$RUBATO" results half.db
size=$(stat -c %s full.db)
found=0
for ((place = 4200; place < size; place += size / 40)); do
    cp full.db flipped.db
    printf '\377' | dd of=flipped.db bs=1 seek=$place conv=notrunc status=none
    if "$RUBATO" results flipped.db --csv >flipped.csv 2>stderr; then
        lost=$(grep -c 'its data in the file are damaged' flipped.csv)
        [ "$lost" = 1 ] || cmp -s flipped.csv reference.csv || { echo "    a flipped byte at $place is not found"; break; }
        found=$((found + lost))
    elif grep -q '^rubato: flipped.db: is damaged' stderr && [ "$(wc -l <stderr)" = 1 ]; then
        found=$((found + 1))
    else
        cat stderr
        break
    fi
done
check "a flipped byte: found ($found times) or harmless" test $((place >= size && found > 10)) = 1
"$RUBATO" results nothing.db >/dev/null 2>&1
check 'a result file that is not there is not made' test ! -e nothing.db
sleep 3 >held.db.lock &
held=$!
flock -n held.db.lock sleep 2 &
sleep 0.2
refused 'two sweeps at once' 'held.db: is being written by' "$RUBATO" sweep kill.yaml -o held.db
kill $held 2>/dev/null
wait 2>/dev/null

# --- what a file of a sweep may say
said() {    # NAME PATTERN LINE...: the file with these lines is refused
    local name=$1 pattern=$2
    shift 2
    printf '%s\n' "$@" >wrong.yaml
    refused "$name" "$pattern" "$RUBATO" sweep wrong.yaml
}
base="system: wide"
traces="traces: $TRACES/qsort"
said 'an unknown key of the system' 'wrong.yaml:3: l2.sise: unknown key; did you mean l2.size' "$base" "$traces" 'axes: {l2.sise: [1]}'
said 'an unknown key of a sweep' 'wrong.yaml:3: axis: .*did you mean axes' "$base" "$traces" 'axis: {l2.size: [1]}'
said 'a value that does not fit' 'wrong.yaml:3: l2.size: "many"' "$base" "$traces" 'axes: {l2.size: [256KiB, many]}'
said 'a range without step' 'wrong.yaml:3: l2.size: has no step' "$base" "$traces" 'axes: {l2.size: {from: 1MiB, to: 4MiB}}'
said 'a range that is turned round' 'swap them' "$base" "$traces" 'axes: {l2.assoc: {from: 8, to: 4}}'
said 'zipped axes of two lengths' 'has 1 values, but l2.size, with which it varies, 2' "$base" "$traces" \
    'zip: {l2.size: [1MiB, 2MiB], l2.assoc: [8]}'
said 'an axis twice' 'is an axis already' "$base" "$traces" 'axes: {l2.size: [1MiB]}' 'zip: {l2.size: [1MiB]}'
said 'a condition on a key that is none' 'wrong.yaml:3: l2.sise: unknown key' "$base" "$traces" 'skip: l2.sise < 3'
said 'a condition that is none' 'expected a comparison' "$base" "$traces" 'skip: l2.size'
said 'everything skipped' 'skip leaves out all 1 points' "$base" "$traces" 'skip: line == 64B'
said 'no system' 'names no system' "$traces"
said 'no traces' 'names no traces' "$base"
said 'a system that is not there' 'wide-open' 'system: wide-open' "$traces"
said 'traces that are not there' 'nowhere' "$base" 'traces: nowhere'
said 'two workloads of one name' 'another one is called qsort' "$base" "traces: [$TRACES/qsort, $TRACES/qsort]"
said 'no YAML' 'wrong.yaml:2: not valid YAML' '{'
said 'too many points' 'take a sample' "$base" "$traces" 'axes: {l1i.mshrs: {from: 1, to: 1000}, l1d.mshrs: {from: 1, to: 1000}, l2.mshrs: {from: 1, to: 1000}}'
refused 'no file' 'No such file' "$RUBATO" sweep nothing.yaml
refused 'a folder' 'cannot be read|directory' "$RUBATO" sweep "$WORK"
refused 'a shard that is none' 'expected I/N' "$RUBATO" sweep kill.yaml --shard 4/3
refused 'an option of --on alone' 'add it' "$RUBATO" sweep kill.yaml --partition x
refused 'another scheduler' 'knows slurm' "$RUBATO" sweep kill.yaml --on pbs

# --- systems, several cores, GPUs, conditions, samples
cat >many.yaml <<END
system: [wide, quad]
traces:
  - $TRACES/qsort
  - {name: mix, traces: [$TRACES/qsort, $TRACES/triad, $TRACES/gups, $TRACES/qsort]}
set: {line: 64B}
zip: {l2.size: [256KiB, 512KiB, base], l2.assoc: [4, 8, base]}
skip:
  - system == wide and traces == mix
  - l2.size == 512KiB and traces == mix
records: 4000
END
check 'systems and mixes' ends 0 sweep many.yaml -o many.db
check 'systems and mixes: conditions skip points' says '^points +7, 6 of them different, 5 skipped'
check 'dry run' eval '"$RUBATO" sweep many.yaml -o many.db --dry-run | grep -qE "^7 points, 6 different, 5 skipped, 6 there already"'
cat >gpu.yaml <<END
system: [qv100, hetero]
traces: [$TRACES/gpu/volta-bfs-2blocks, {name: both, traces: [$TRACES/triad, $TRACES/gpu/gcn3-fir]}]
skip: [system == hetero and traces != both, system == qv100 and traces == both]
axes: {gpu.l2.ways: [8, base]}
END
check 'GPUs, and both' ends 0 sweep gpu.yaml -o gpu.db
cycles=$("$RUBATO" replay qv100 "$TRACES/gpu/volta-bfs-2blocks" 2>/dev/null | awk '/^ +1 / { print $3; exit }')
check 'a GPU point equals its replay' test "$("$RUBATO" results gpu.db --csv --columns kernel1.cycles \
    --where 'gpu.l2.ways == base and system == qv100' | tail -n 1)" = "$cycles"
"$RUBATO" replay hetero "$TRACES/triad" "$TRACES/gpu/gcn3-fir" --quiet --stats both.json
check 'a point of both equals its replay' test "$("$RUBATO" results gpu.db --csv --columns simTicks \
    --where 'gpu.l2.ways == base and system == hetero' | tail -n 1)" = "$(sed -n 's/^ "simTicks": \(.*\),$/\1/p' both.json)"
sample=$root/$BUILD/tests/tools/macsim_sample
[ -x "$sample" ] || sample=$BUILD/tests/tools/macsim_sample
mkdir threads
"$sample" threads threads || not_ok "a set of MacSim by $sample"
"$RUBATO" trace pack threads -o threads.pack >/dev/null
printf 'system: [wide, quad, qv100]\ntraces: [threads, threads.pack]\naxes: {l1d.size: [base]}\nset: {cpu.rob: 64}\n' >threads.yaml
sed 's/, qv100//' threads.yaml >cores.yaml
check "MacSim's threads" ends 0 sweep cores.yaml -o threads.db
for system in wide quad; do
    "$RUBATO" replay $system threads --set cpu.rob=64 --quiet --stats threads.json
    for traces in threads threads.pack; do
        check "MacSim's threads are what replay says: $system, $traces" test "$("$RUBATO" results threads.db --csv --columns simTicks \
            --where "system == $system and traces == $traces" | tail -n 1)" = "$(sed -n 's/^ "simTicks": \(.*\),$/\1/p' threads.json)"
    done
done
ends 3 sweep threads.yaml -o threads.db
check "MacSim's threads on a GPU: a reason" test "$("$RUBATO" results threads.db --csv --columns error --where 'state == failed' | tail -n 1)" = \
    '"qv100 has no cores, but threads.pack holds threads of a CPU; give a kernelslist.g or its folder, or a system with cores"'
said "MacSim's threads and elastic traces" "cores run either MacSim's threads or elastic traces" "$base" "traces: [[threads, $TRACES/qsort]]"
said "two sets of MacSim" 'name them in one trace_file_list' "$base" "traces: [[threads, threads.pack]]"
mkdir three
cp "$TRACES"/gpu/pascal-vectoradd-100/kernel-1.traceg* three
printf 'kernel-1.traceg\nkernel-1.traceg\nkernel-1.traceg\n' >three/kernelslist.g
printf 'system: [titanx, qv100]\ntraces: three\nkernels: [2, 3]\n' >kernels.yaml
check 'kernels of a list' ends 0 sweep kernels.yaml -o kernels.db
check 'kernels of a list: these run' test "$("$RUBATO" results kernels.db --csv --columns 'kernel*.cycles' | head -n 1)" = kernel2.cycles,kernel3.cycles
check 'kernels of a list: as in replay' test "$("$RUBATO" results kernels.db --csv --columns kernel3.cycles --limit 1 | tail -n 1)" = \
    "$("$RUBATO" replay titanx three --kernels 2-3 2>/dev/null | awk '/^ +3 / { print $3; exit }')"
sed 's/\[2, 3\]/9/' kernels.yaml >far.yaml
refused 'a kernel that is not in the list' 'kernels: 9, but .*three.* has 3 kernels' "$RUBATO" sweep far.yaml
said 'kernels that are none' 'wrong.yaml:3: kernels: expected kernels' 'system: qv100' 'traces: three' 'kernels: 3-1'
cat >sample.yaml <<END
system: wide
traces: $TRACES/qsort
axes:
  l1d.mshrs: {from: 1, to: 32}
  l2.size: {from: 128KiB, to: 1MiB, times: 2}
  l2.replacement: [lru, srrip]
sample: {points: 32, seed: 7}
END
check 'a sample' ends 0 sweep sample.yaml -o sample.db
check 'a sample: every level of 32 once' test "$("$RUBATO" results sample.db --csv --columns l1d.mshrs | tail -n +2 | sort -u | wc -l)" = 32
check 'a sample: every level of 4 eight times' test "$("$RUBATO" results sample.db --csv --columns l2.size | tail -n +2 | sort | uniq -c |
    awk '{ print $1 }' | sort -u)" = 8
check 'the program prints its tables' eval '"$RUBATO" results --schema | grep -q "^points: "'
refused 'results: a column that is none' 'unknown key' "$RUBATO" results sample.db --columns l2.sise
refused 'results: a name that is none' 'l2.sise: unknown key' "$RUBATO" results sample.db --where 'l2.sise > 1'
check 'results: any key of the effective system' test "$("$RUBATO" results sample.db --csv --columns l1d.size --limit 1 | tail -n 1)" = 65536
check 'results: JSON' eval '"$RUBATO" results sample.db --json --columns point,l2.size,time_ms --limit 2 | head -n 2 | grep -qE "^\{\"point\": 1, \"l2.size\": [0-9]+,"'
check 'results: quantities are numbers: bytes, ps, periods, bytes a second' test "$("$RUBATO" results sample.db --csv --limit 1 \
    --columns memory.size,memory.dram.tREFI,cpu_clock,memory.bandwidth,cpu.rob | tail -n 1 | grep -cE '^[0-9]+,[0-9]+,[0-9]+,[0-9]+,[0-9]+$')" = 1
check 'results: the value of base' test "$("$RUBATO" results gpu.db --csv --columns gpu.l2.ways | sed 1d | grep -cE '^[0-9]+$')" = 4
cat >each.yaml <<END
system: quad
traces: [{name: four, traces: [$TRACES/triad, $TRACES/qsort, $TRACES/gups, $TRACES/qsort]}]
axes: {cpu_clock: [1GHz, 2.5GHz]}
END
check 'cores: a sweep of four' ends 0 sweep each.yaml -o each.db
each() { "$RUBATO" results each.db --csv --limit 1 --columns "$1"; }
check 'cores: each, total, mean' test "$(each 'cpi,cpu*.cpi,mean.cpi,mem*.gb_s' | head -n 1)" = \
    cpi,cpu0.cpi,cpu1.cpi,cpu2.cpi,cpu3.cpi,mean.cpi,mem.gb_s,mem0.gb_s,mem1.gb_s
check 'cores: the mean' awk -F, -v row="$(each 'mean.cpi,cpu*.cpi' | tail -n 1)" \
    'BEGIN { split(row, v, ","); off = v[1] - (v[2] + v[3] + v[4] + v[5]) / 4; exit !(v[1] > 0 && off < 1e-9 && off > -1e-9) }'
check 'cores: all of it without --columns' eval '"$RUBATO" results each.db --csv | head -n 1 | grep -q ",mean.l1d.mpki,.*,cpu3.cpi,.*,mem1.p99_ns,"'
check 'cores: a cache of one, by our name and by gem5'"'"'s' test "$(each system.cpu2.l2.replacements | tail -n 1)" = "$(each system.l22.replacements | tail -n 1)"
check 'cores: ... in conditions' eval '"$RUBATO" results each.db --where "system.l1d3.overallMisses::total == system.cpu3.l1d.overallMisses::total" | grep -q quad'
check 'cores: clocks are periods' test "$("$RUBATO" results each.db --csv --columns cpu_clock | tr '\n' ' ')" = 'cpu_clock 1000 400 '
if command -v python3 >/dev/null; then
    check 'cores: JSON has no number as a word' python3 - <(cd "$WORK" && "$RUBATO" results each.db --json) <<'END'
import json, sys
words = {"hash", "system", "traces", "state", "error"}
for point in json.load(open(sys.argv[1])):
    odd = [(k, v) for k, v in point.items() if isinstance(v, str) and k not in words]
    assert not odd, odd[:5]
    assert point["cpu_clock"] in (1000, 400) and point["mean.cpi"] > 0 and point["mem1.p99_ns"] > 0
END
else
    skip 'cores: JSON has no number as a word: no python3'
fi
check 'results: a capacity in a table' eval '"$RUBATO" results sample.db --columns l2.size --limit 1 | tail -n 1 | grep -qE "[0-9](K|M)iB$"'
metric() { "$RUBATO" results sample.db --csv --limit 1 --columns "$1" | tail -n 1; }
check 'results: a metric is its formula of statistics' awk -v metrics="$(metric cpi,l1d.mpki,mem.gb_s)" -v of="$(metric \
    system.cpu.cpi,system.l1d.demandMshrMisses::total,system.cpu.numOps,system.mem_ctrls.dram.dramBytesRead,system.mem_ctrls.dram.dramBytesWritten,simSeconds)" \
    'function off(a, b) { return a > b ? a - b > 1e-9 * b : b - a > 1e-9 * b }
     BEGIN { split(metrics, m, ","); split(of, s, ",")
             exit m[1] == "" || off(m[1], s[1]) || off(m[2], 1000 * s[2] / s[3]) || off(m[3], (s[4] + s[5]) / s[6] / 1e9) }'
check 'results: metrics in conditions and columns' eval '[ "$("$RUBATO" results sample.db --csv --columns "l1d.m*,speedup" --baseline 1 \
    --where "point == 1 and cpi > 0 and l1d.hit_rate < 1" | head -n 1)" = l1d.mpki,l1d.miss_latency_ns,l1d.mshrs_used,speedup ]'
check 'results: a point is as fast as itself' test "$("$RUBATO" results sample.db --csv --columns speedup --baseline 3 --where 'point == 3' | tail -n 1)" = 1
refused 'results: speedup against nothing' 'give --baseline' "$RUBATO" results sample.db --columns speedup
refused 'results: a baseline that is none' 'no finished point matches' "$RUBATO" results sample.db --columns speedup --baseline 999
check 'the metrics are listed' eval '"$RUBATO" results --metrics | grep -qE "^llc\.mpki +- +lower "'
sorted=$("$RUBATO" results sample.db --csv --columns time_ms --sort -time_ms | tail -n +2)
check 'results: sorted' test "$sorted" = "$(sort -gr <<<"$sorted")"
