#!/usr/bin/env bash
# Files that cannot be written: each call of a command that changes a file fails (EIO, ENOSPC), is cut short, meets a disk that is full
# from there on, or is the last thing that the process does (tests/tools/fail_calls). Then each output name holds the
# earlier file, or the whole new one, or nothing if no file was there; what fails says so in one line a file, with the
# reason, and exits with 2 or 3; only a killed process leaves a temporary file behind. CALL_POINTS is how many calls of
# each command are tried in each mode (2; all), CALL_CASES a pattern of the commands' names, CALL_MODES the modes:
#     CALL_POINTS=all CALL_CASES='replay*' CALL_MODES='full kill' bash tests/cli/failing_calls.sh
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

points=${CALL_POINTS:-2} cases=${CALL_CASES:-*} modes=${CALL_MODES:-error noroom full short kill tear}
absolute() { case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac; }
fail=$(absolute "$BUILD/tests/tools/fail_calls") sample=$(absolute "$BUILD/tests/tools/macsim_sample")
[ -x "$fail" ] || { not_ok "there is no $fail; make tests builds it"; exit 1; }
"$fail" error 0 true 2>/dev/null || { skip 'failing calls: this host lets no process watch another'; exit 0; }
if nm "$RUBATO" 2>/dev/null | grep -q '__asan_init'; then export ASAN_OPTIONS=detect_leaks=0:exitcode=99 UBSAN_OPTIONS=exitcode=99; fi

# Numbers of the calls to try, given the total.
chosen() {
    awk -v all="$1" -v points="$points" -v shift="$2" 'BEGIN {
        if (points == "all" || points >= all) for (n = 1; n <= all; n++) print n
        else for (i = 0; i < points; i++) print 1 + int(all * (i + shift) / points)
    }'
}

# The same as without failures. What says when it was made, or how long it took, cannot be.
is_whole() {    # FILE
    case $1 in
        *.db) return 0 ;;                # judged by what a second run makes of it
        *.html) tail -n 1 "$1" | grep -q '</html>' ;;
        *.json) cmp -s <(grep -av host "../whole/$1") <(grep -av host "$1") ;;
        *) cmp -s "../whole/$1" "$1" ;;
    esac
}

# Prints the fault of the run that has ended, or nothing. Its folder is the current one.
judge() {    # MODE CODE OUTPUT...
    local mode=$1 code=$2 file said
    shift 2
    case $mode:$code in
        *:[023] | kill*:137 | tear:137) ;;
        *:124) echo 'does not end' ;;
        *) echo "exit code $code" ;;
    esac
    if [ "$code" = 2 ] || [ "$code" = 3 ]; then
        said=$(grep -vc '^rubato: warning: ' ../stderr)
        [ "$said" -ge 1 ] && [ "$said" -le $# ] || { echo 'does not say it in one line a file:'; head -n 3 ../stderr; }
        [ "$said" = "$(grep -v '^rubato: warning: ' ../stderr | grep -cE '^rubato: [^ ]+: .*[a-z]{4}')" ] ||
            { echo 'names no file and reason:'; head -n 3 ../stderr; }
    fi
    grep -E 'Success|rror 0' ../stderr
    grep -v '^rubato: ' ../stderr | head -n 3
    for file in "$@"; do
        if [ ! -e "$file" ]; then
            [ "$code" != 0 ] || echo "no $file"
            [ ! -e "../old/$file" ] || echo "$file, which was there, is not"
        elif [ -e "../old/$file" ] && cmp -s "../old/$file" "$file"; then
            [ "$code" != 0 ] || echo "$file is the old one"
        else
            is_whole "$file" || echo "$file is not whole"
        fi
    done
    for file in $(find . -mindepth 1 -printf '%P\n'); do
        [[ " $* " == *" $file "* ]] && continue
        case $mode:$file in
            full:*.db-journal) ;;        # of the last step, which the next use of the file takes in
            *:out | *.db-wal | *.db-shm | *.db-journal | *.db.lock) [ "$code" != 0 ] || [ "$file" = out ] || echo "leaves $file" ;;
            *:*.partial-*) [ "$code" = 137 ] || echo "leaves $file" ;;
            *) echo "leaves $file" ;;
        esac
    done
}

run_one() {    # MODE N COMMAND...: in a folder that holds what stood there before
    local mode=$1 n=$2
    shift 2
    rm -rf "$WORK/run"
    cp -R "$WORK/old" "$WORK/run"
    cd "$WORK/run" || exit 1
    timeout 60 "$fail" -c ../count "$mode" "$n" "$RUBATO" "$@" >../stdout 2>../stderr </dev/null
}

# Nothing is lost: run again without failures, the command gives its usual output.
again() { :; }
again_sweep() {    # CODE
    "$RUBATO" results r.db >../listed 2>&1 || grep -q 'holds no results yet\|no such file' ../listed || { echo 'r.db cannot be read'; head -n 2 ../listed; }
    "$RUBATO" "${sweep[@]}" >../stdout 2>../stderr </dev/null || { echo 'a second sweep fails'; head -n 2 ../stderr; }
    "$RUBATO" results r.db --csv 2>&1 | cmp -s - ../reference.csv || echo 'a second sweep gives other results'
    [ "$(ls)" = r.db ] || echo "a second sweep leaves $(ls | tr '\n' ' ')"
}
again_stores() {
    "$RUBATO" "${stores[@]}" >../stdout 2>../stderr </dev/null || { echo 'a second replay fails'; head -n 2 ../stderr; }
    is_whole s.json || echo 'a second replay gives other results'
}

# walk NAME [OUTPUT...] -- ARGUMENTS...: of a command that without failures succeeds
walk() {
    local name=$1 outputs=() total found bad=0 tried=0 n mode code file shift=0.1
    shift
    while [ "$1" != -- ]; do outputs+=("$1"); shift; done
    shift
    # shellcheck disable=SC2053
    [[ $name == $cases ]] || return 0
    rm -rf "$WORK/old" "$WORK/count" "$WORK/whole" "$WORK/kept"
    mkdir "$WORK/old"
    run_one error 0 "$@" || { not_ok "$name, without failures"; cat ../stderr; return; }
    total=$(tail -n 1 "$WORK/count")
    mv "$WORK/run" "$WORK/whole"
    for mode in $modes; do
        for n in $(chosen "$total" $shift); do
            rm -rf "$WORK/kept" "$WORK/old"
            mkdir "$WORK/old"
            [ $((n % 2)) = 0 ] || for file in "${outputs[@]}"; do
                [[ $file == */* || $file == *.db ]] || echo "what stood in $file" >"$WORK/old/$file"
            done
            run_one "$mode" "$n" "$@"
            code=$?
            found=$(judge "$mode" "$code" "${outputs[@]}"; $again "$code")
            tried=$((tried + 1))
            [ -n "$found" ] || continue
            bad=$((bad + 1))
            [ "$bad" -gt 20 ] || echo "    fail_calls -t $mode $n rubato $*:" $found
        done
        shift=$(awk -v shift=$shift 'BEGIN { shift += 0.17; print shift < 1 ? shift : shift - 1 }')
    done
    if [ "$bad" = 0 ]; then ok "$name: $tried times, $total calls that change files"
    else not_ok "$name: $bad of $tried times, $total calls that change files"
    fi
}

# ---- what the commands below need
cd "$WORK" || exit 1
mkdir threads old
"$sample" threads random 1 >/dev/null
qsort=$TRACES/qsort triad=$TRACES/triad gpu=$TRACES/gpu/gcn3-fir
cat >sweep.yaml <<YAML
system: wide
traces: [{name: triad, traces: $triad}, {name: gups, traces: $TRACES/gups}]
axes: {l1d.mshrs: [2, 4, 8], l2.assoc: [4, 8]}
records: 2000
YAML
sweep=(sweep "$WORK/sweep.yaml" -j 2 -o r.db)
stores=(replay default "$triad" --cache "$WORK/kept" --quiet --stats s.json)
"$RUBATO" sweep sweep.yaml -j 2 -o reference.db >/dev/null 2>&1 || not_ok 'a sweep'
"$RUBATO" results reference.db --csv >reference.csv
"$RUBATO" replay wide "$triad" --no-cache --quiet --every 1us --record recording.samples || not_ok 'a recording'
"$RUBATO" trace dump "$qsort"/deptrace* --records 0:2000 >dep.txt || not_ok 'a text'
again=again

walk 'replay --stats' s.json -- replay wide "$triad" --no-cache --quiet --stats s.json
walk 'replay --log' s.log -- replay wide "$triad" --no-cache --quiet --records 500 --log s.log
walk 'replay --record' a.samples -- replay wide "$triad" --no-cache --quiet --every 1us --record a.samples
walk 'replay --commands' a.txt s.json -- replay wide "$triad" --no-cache --quiet --commands a.txt --stats s.json
walk 'replay of a GPU --stats' s.json -- replay r9nano "$gpu" --quiet --stats s.json
walk 'traffic --plot' curve.svg -- traffic wide --pattern stream --requests 500 --plot curve.svg
walk 'trace pack' t.pack -- trace pack "$triad" -o t.pack
walk 'trace pack of a GPU' t.pack -- trace pack "$gpu" -o t.pack
walk 'trace pack of threads' t.pack -- trace pack "$WORK/threads" -o t.pack
walk 'trace cut' out/deptrace.proto.gz out/fetchtrace.proto.gz -- trace cut "$triad" --records 10:2000 -o out
walk 'trace build' dep.proto.gz -- trace build "$WORK/dep.txt" -o dep.proto.gz
walk 'trace convert' $(cd "$WORK" && "$RUBATO" trace convert threads -o all >/dev/null 2>&1 && cd all && find . -type f -printf 'out/%P ') -- \
    trace convert "$WORK/threads" -o out
walk 'trace elastic' out/deptrace.proto.gz out/fetchtrace.proto.gz -- \
    trace elastic wide "$TRACES/insn/drmemtrace/drmemtrace.small.x64.trace" -o out --quiet
walk 'trace group' $(cd "$WORK" && "$RUBATO" trace group "$TRACES/gpu-raw" -o every >/dev/null 2>&1 && cd every && find . -type f -printf 'out/%P ') -- \
    trace group "$TRACES/gpu-raw" -o out
walk 'report' page.html -- report "$WORK/reference.db" -o page.html
walk 'export --csv' a.csv -- export "$WORK/recording.samples" --csv a.csv
walk 'export --parquet' a.parquet -- export "$WORK/recording.samples" --parquet a.parquet
walk 'export --perfetto' a.perfetto -- export "$WORK/recording.samples" --perfetto a.perfetto
again=again_stores
walk 'replay that keeps a store' s.json -- "${stores[@]}"
again=again_sweep
[ "$modes" = "${CALL_MODES:-}" ] || modes="$modes killall"
walk 'sweep' r.db -- "${sweep[@]}"
exit "$failures"
