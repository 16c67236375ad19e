#!/usr/bin/env bash
# x86 threads of MacSim sets: conversion to elastic traces, recounted and replayed by the reference model; threads that
# start during the run; the reference's defects on request.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

sample=$BUILD/tests/tools/macsim_sample recount=$BUILD/tests/tools/macsim_recount
mergesort=$SHARED/traces/macsim/x86-mergesort-pin313
for program in "$sample" "$recount"; do
    [ -x "$program" ] || { not_ok "there is no $program; make tests builds it"; exit 1; }
done

equal() {    # NAME GOT EXPECTED
    if [ -n "$2" ] && [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1"; echo "    got '$2', expected '$3'"; fi
}

make_sample() { mkdir -p "$WORK/$1" && "$sample" "$WORK/$1" "${@:2}"; }
convert() { "$RUBATO" trace convert "$@" >"$WORK/stdout" 2>"$WORK/stderr"; }
figure() { awk -v name="$2" '$1 == name { print $2; exit }' "$1"; }

recounted() {    # NAME RAW FOLDER [WINDOW WIDTH PERIOD]
    if "$recount" "$2" "$3/deptrace.proto.gz" "$3/fetchtrace.proto.gz" "${@:4}" >"$WORK/recount"; then
        ok "$1"
    else
        not_ok "$1"
        sed 's/^/    /' "$WORK/recount"
    fi
}

# ---- every record, dependence and fetch by an independent recount
for seed in 1 2 3 4; do
    make_sample "random$seed" random "$seed"
    for shape in '768 4 250' '50 2 500' '20 1 1000'; do
        read -r window width period <<<"$shape"
        convert "$WORK/random$seed" -o "$WORK/converted" --window "$window" --width "$width" --clock "${period}ps"
        # shellcheck disable=SC2086
        recounted "random records $seed, window $window, width $width" "$WORK/random$seed/app_0.raw" "$WORK/converted" $shape
    done
done
if [ -d "$mergesort" ]; then
    convert "$mergesort" -o "$WORK/mergesort"
    recounted 'x86-mergesort: dependences and all else' "$mergesort/mergesort_0.raw" "$WORK/mergesort"
    recounted_line=$(cat "$WORK/recount")
    printed=$(awk '/records/ { r = $2; sub(":", "", r) } /dependences/ { g = $2; m = $4; f = $7 } /fetches/ { n = $2 }
        END { printf "equal: %s records, %s register, %s memory order, %s fetch order, %s fetches", r, g, m, f, n }' "$WORK/stdout")
    equal 'x86-mergesort: the counts that convert prints' "$printed" "$recounted_line"
else
    skip "x86-mergesort recounted (2): $mergesort is not there"
fi

# ---- the reference model replays the converted traces
against_model() {    # NAME FOLDER
    local case=$WORK/case
    rm -rf "$case"
    mkdir -p "$case/traces"
    cp -r "$2" "$case/traces/t"
    python3 -c 'import json, sys
case = json.load(open(sys.argv[1]))
del case["reference"]
case["name"] = case["cores"][0]["trace"] = "t"
json.dump(case, open(sys.argv[2], "w"))' "$SHARED/oracle/elastic/wide-qsort/case.json" "$case/case.json" &&
        PYTHONDONTWRITEBYTECODE=1 python3 "$MODEL/refmodel.py" "$case/case.json" --traces "$case/traces" \
            --stats "$case/model.json" >"$case/messages" 2>&1
    if "$ORACLE" --verbose --model "$case" >"$case/result" && grep -q '^1 passed, 0 failed' "$case/result"; then
        ok "$1"
    else
        not_ok "$1"
        sed 's/^/    /' "$case/messages" "$case/result"
    fi
}
if [ -f "$MODEL/refmodel.py" ] && [ -f "$SHARED/oracle/elastic/wide-qsort/case.json" ] && command -v python3 >/dev/null &&
    [ -x "$ORACLE" ]; then
    convert "$WORK/random1" -o "$WORK/converted"
    against_model 'random records: ticks and statistics of the model' "$WORK/converted"
    if [ -d "$mergesort" ]; then
        against_model 'x86-mergesort: ticks and statistics of the model' "$WORK/mergesort"
    else
        skip "x86-mergesort against the model: $mergesort is not there"
    fi
else
    skip "converted traces against the model (2): $MODEL/refmodel.py or its modules are missing"
fi

# ---- a replay of the set is one of the converted files
convert "$WORK/random2" -o "$WORK/converted" --clock 2GHz
"$RUBATO" replay wide "$WORK/random2" --quiet --stats "$WORK/set.txt" --log "$WORK/set.log" 2>/dev/null
"$RUBATO" replay wide "$WORK/converted" --quiet --no-cache --stats "$WORK/files.txt" --log "$WORK/files.log"
check 'replay of a set and of its files: statistics' cmp -s "$WORK/set.txt" "$WORK/files.txt"
equal 'replay of a set and of its files: event log' "$(grep -v ' start thread ' "$WORK/set.log" | cksum)" "$(cksum <"$WORK/files.log")"

# ---- four threads start when the main thread has fetched their counts
make_sample threads threads
"$RUBATO" replay wide "$WORK/threads" --set cores=4 --log "$WORK/four.log" >"$WORK/four.out" 2>&1
equal 'four threads on four cores' "$(grep -c ' start thread ' "$WORK/four.log")" 4
# Main fetches five instructions at a time. Its sends before the start, and the tick of the last of them.
before() {    # CORE: fetches of cpu0 before it starts, "+" if its start is in the clock cycle of the last one
    awk -v core="$1" '$2 == core && $3 == "start" { print n ($1 - last <= 500 ? "+" : "-") ; exit }
        $2 == "cpu0.inst" && $3 == "send" { n++; last = $1 }' "$WORK/four.log"
}
equal 'thread 1 starts when 1000 instructions are fetched' "$(before cpu1)" 200+
equal 'thread 2 starts when 2500 instructions are fetched' "$(before cpu2)" 500+
equal 'thread 3, whose count never comes, starts when main has fetched all' "$(before cpu3)" 1200+
equal 'the main thread starts at tick 0' "$(grep -m 1 ' start thread ' "$WORK/four.log" | cut -d ' ' -f 1,2,6-)" \
    '0 cpu0 thread=0 count=0 of=app_0.raw'
# ---- threads that share cores: each thread runs once, after the one before it on its core
for cores in 1 2 3; do
    "$RUBATO" replay wide "$WORK/threads" --set "cores=$cores" --log "$WORK/few.log" --stats "$WORK/few.txt" >"$WORK/few.out" 2>&1
    equal "four threads on $cores cores: each starts once" \
        "$(awk '$3 == "start" { split($6, t, "="); print t[2] }' "$WORK/few.log" | sort | tr '\n' ' ')" '0 1 2 3 '
    sends=$(awk '$3 == "send" && $2 ~ /\.data$/' "$WORK/few.log" | wc -l)
    equal "four threads on $cores cores: all accesses" "$sends" \
        "$(awk '$3 == "send" && $2 ~ /\.data$/' "$WORK/four.log" | wc -l)"
done
"$RUBATO" replay wide "$WORK/threads" --set cores=2 --log "$WORK/again.log" --quiet
"$RUBATO" replay wide "$WORK/threads" --set cores=2 --log "$WORK/two.log" --quiet
check 'the same twice' cmp -s "$WORK/again.log" "$WORK/two.log"
check 'more cores than threads' "$RUBATO" replay wide "$WORK/threads" --set cores=6 --quiet
"$RUBATO" replay wide "$WORK/threads" --set cores=4 --quiet --interval 5us --stats "$WORK/interval.txt" --warmup 100
equal 'statistics by the interval, with a warm-up' $? 0
convert "$WORK/threads" -o "$WORK/four"
equal 'four threads become four folders' "$(cd "$WORK/four" && echo */deptrace.proto.gz)" \
    'thread0/deptrace.proto.gz thread1/deptrace.proto.gz thread2/deptrace.proto.gz thread3/deptrace.proto.gz'

# ---- latencies by the table that is asked for
convert "$WORK/random1" -o "$WORK/converted"
convert "$WORK/random1" -o "$WORK/skylake" --latency skylake
delays() { "$RUBATO" trace dump "$1/deptrace.proto.gz" | awk -F, '$4 == "COMP" { n += $5 + $6 + $7 } END { print n }'; }
check "--latency skylake: other delays" [ "$(delays "$WORK/converted")" != "$(delays "$WORK/skylake")" ]

# ---- the reference's defects
convert "$WORK/random1" -o "$WORK/compat" --macsim-compat
largest() { "$RUBATO" trace dump "$1/deptrace.proto.gz" | awk -F, '$4 == "LOAD" || $4 == "STORE" { if ($6 + 0 > n) n = $6 + 0 } END { print n }'; }
convert "$WORK/random1" -o "$WORK/converted"
equal 'sizes are those of the trace, line by line' "$(largest "$WORK/converted")" 64
equal 'compat: no access is larger than 4 bytes' "$(largest "$WORK/compat")" 4
stores() { "$RUBATO" trace info "$1/deptrace.proto.gz" | awk '/records/ { n += 0 } $1 == "STORE" { n = $2 } END { print n }'; }
make_sample stos stos
convert "$WORK/stos" -o "$WORK/converted"
equal 'STOS stores' "$(stores "$WORK/converted")" 100
convert "$WORK/stos" -o "$WORK/compat" --macsim-compat
equal 'compat: STOS is a NOP' "$(stores "$WORK/compat")" 0

# ---- a pack is the set in one file
check 'four threads in a pack' "$RUBATO" trace pack "$WORK/threads" -o "$WORK/four.pack" --quiet
"$RUBATO" replay wide "$WORK/four.pack" --set cores=4 --log "$WORK/pack.log" --quiet
check 'a pack replays as the set does' cmp -s "$WORK/pack.log" "$WORK/four.log"
equal 'a pack is whole' "$("$RUBATO" trace verify "$WORK/four.pack")" "$WORK/four.pack: whole; 4 threads"
convert "$WORK/four.pack" -o "$WORK/fromPack"
check 'a pack is converted as the set is' diff -rq "$WORK/four" "$WORK/fromPack"
"$RUBATO" trace pack "$WORK/four.pack" -o "$WORK/again.pack" --quiet
check 'a pack of a pack is the same' cmp -s "$WORK/four.pack" "$WORK/again.pack"
"$RUBATO" trace pack "$WORK/random1/app_0.raw" -o "$WORK/raw.pack" --quiet 2>/dev/null
check 'a stream without its header in a pack' "$RUBATO" replay wide "$WORK/raw.pack" --quiet
size=$(wc -c <"$WORK/four.pack")
for place in 20 200 $((size - 100)); do
    cp "$WORK/four.pack" "$WORK/bad.pack"
    printf '\377\376' | dd of="$WORK/bad.pack" bs=1 seek="$place" conv=notrunc 2>/dev/null
    refused "a pack with other bytes at $place of $size" 'trace pack' "$RUBATO" trace verify "$WORK/bad.pack"
    [ "$place" != 200 ] ||
        refused 'a damaged pack that is replayed is named' \
            'bad\.pack: app_0\.raw: byte' "$RUBATO" replay wide "$WORK/bad.pack" --set cores=4
done
head -c 5000 "$WORK/four.pack" >"$WORK/bad.pack"
refused 'a pack that breaks off' 'broken copy' "$RUBATO" replay wide "$WORK/bad.pack" --set cores=4
refused 'a pack of threads has no defects' 'rubato replay' "$RUBATO" trace pack "$WORK/threads" -o "$WORK/no.pack" --macsim-compat

# ---- refusals
refused 'convert: no set' 'no set was given' "$RUBATO" trace convert -o "$WORK/none"
refused 'convert: no output' 'add -o DIR' "$RUBATO" trace convert "$WORK/threads"
refused 'convert: a wrong width' 'from 1 to 64' "$RUBATO" trace convert "$WORK/threads" -o "$WORK/none" --width 65
refused 'convert: a line that is not a power of two' 'power of two' "$RUBATO" trace convert "$WORK/threads" -o "$WORK/none" --line 48B
refused 'convert: latencies that there are not' 'coffee_lake' "$RUBATO" trace convert "$WORK/threads" -o "$WORK/none" --latency zen
refused 'replay: latencies that there are not' 'coffee_lake' "$RUBATO" replay wide "$WORK/threads" --latency zen
refused 'replay: a set and elastic traces' 'either' "$RUBATO" replay wide "$WORK/threads" "$TRACES/qsort" --set cores=2 --set cpu.share=yes
refused 'replay: alone' 'start each other' "$RUBATO" replay wide "$WORK/threads" --alone
refused 'replay: options of MacSim without its threads' 'leave it out' "$RUBATO" replay wide "$TRACES/qsort" --macsim-compat
cp -r "$WORK/threads" "$WORK/broken"
truncate -s 3000 "$WORK/broken/app_2.raw"
refused 'convert: a stream whose gzip breaks off' 'app_2.raw' "$RUBATO" trace convert "$WORK/broken" -o "$WORK/none"
refused 'replay: a stream whose gzip breaks off' 'app_2.raw' "$RUBATO" replay wide "$WORK/broken" --set cores=4
check 'nothing is left of a conversion that failed' [ ! -e "$WORK/none" ]
rm "$WORK/broken/app_2.raw"
refused 'replay: a stream that is missing' 'app_2.raw' "$RUBATO" replay wide "$WORK/broken" --set cores=4

# ---- memory does not grow with the trace
if command -v /usr/bin/time >/dev/null && ! nm "$RUBATO" 2>/dev/null | grep -q '__asan_init'; then
    make_sample long long
    /usr/bin/time -f %M "$RUBATO" trace convert "$WORK/long" -o "$WORK/converted" --quiet 2>"$WORK/kib"
    kib=$(tail -n 1 "$WORK/kib")
    check "converting 2,000,000 instructions takes less than 32 MiB ($kib KiB)" [ "$kib" -lt 32768 ]
else
    skip 'memory of a conversion: no /usr/bin/time, or a build with sanitizers'
fi
exit $failures
