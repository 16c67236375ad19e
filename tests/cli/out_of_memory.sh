#!/usr/bin/env bash
# Allocations that fail, one alone or all from one on, in set-up and during runs: the command works as usual, or says
# in lines `rubato: ...` that memory is exhausted and exits with 2 or 3. Outputs are whole or absent, and nothing else
# is left behind. MEMORY_POINTS is how many allocations of each command are tried (all: each of the first 2,000, then
# 200 more), MEMORY_CASES a pattern of their names, e.g. MEMORY_POINTS=all MEMORY_CASES='replay*' bash
# tests/cli/out_of_memory.sh
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

points=${MEMORY_POINTS:-9} cases=${MEMORY_CASES:-*}
shim=$PWD/$BUILD/tests/tools/fail_memory.so
case $BUILD in /*) shim=$BUILD/tests/tools/fail_memory.so ;; esac
[ -f "$shim" ] || { not_ok "there is no $shim; make tests builds it"; exit 1; }
preload=$shim
if nm "$RUBATO" 2>/dev/null | grep -q '__asan_init'; then
    export ASAN_OPTIONS=verify_asan_link_order=0:allocator_may_return_null=1:detect_leaks=${MEMORY_LEAKS:-0}:exitcode=99
fi
sample=$BUILD/tests/tools/macsim_sample
case $sample in /*) ;; *) sample=$PWD/$sample ;; esac
export UBSAN_OPTIONS=exitcode=99

# Numbers of the allocations to try, given the total: close together at first, where commands set up, then further
# apart.
chosen() {
    awk -v all="$1" -v points="$points" 'BEGIN {
        if (points == "all") {
            for (n = 1; n <= all && n <= 2000; n++) print n
            for (i = 1; i <= 200 && all > 2000; i++) print 2000 + int((all - 2000) * i / 200)
        } else for (i = 1; i <= points; i++) print 1 + int((all - 1) * (i - 0.5) / points)
    }' | sort -n -u
}

# The same as without failures. What says when it was made, or how long it took, cannot be; results are those of the points done.
is_whole() {    # FILE CODE
    case $1 in
        *.db) "$RUBATO" results "$1" >../results 2>&1 || grep -q 'holds no results yet' ../results ;;
        *.samples | *.log)    # as far as the run came
             cmp -s <(head -c "$(stat -c %s "$1")" "../whole/$1") "$1" && { [ "$2" != 0 ] || cmp -s "../whole/$1" "$1"; } ;;
        *.html) tail -n 1 "$1" | grep -q '</html>' ;;
        pictures | out) diff -rq "../whole/$1" "$1" >/dev/null || [ "$2" != 0 ] ;;
        *.json) cmp -s <(grep -av host "../whole/$1") <(grep -av host "$1") ;;
        *) cmp -s "../whole/$1" "$1" ;;
    esac
}

# Prints the fault of the run that has ended, or nothing. Its folder is the current one.
judge() {    # CODE OUTPUT...
    local code=$1 file
    shift
    case $code in
        0 | 2 | 3) ;;
        124) echo 'does not end' ;;
        *) echo "exit code $code" ;;
    esac
    [ "$code" = 0 ] || grep -q '^rubato: ' ../stderr || echo 'says nothing'
    grep -v '^rubato: ' ../stderr | head -n 3
    for file in "$@"; do
        if [ -e "$file" ]; then is_whole "$file" "$code" || echo "$file is not whole"
        elif [ "$code" = 0 ]; then echo "no $file"
        fi
    done
    for file in * .[!.]*; do
        [ ! -e "$file" ] || [[ " $* " == *" ${file%-[sw][ha][ml]} "* ]] || echo "leaves $file"
    done
}

run_one() {    # N COMMAND...: in an empty folder
    local n=$1
    shift
    rm -rf "$WORK/run"
    mkdir "$WORK/run"
    cd "$WORK/run" || exit 1
    timeout 60 env LD_PRELOAD="$preload" FAIL_MEMORY="$n" "$RUBATO" "$@" >../stdout 2>../stderr </dev/null
}

# walk NAME [OUTPUT...] -- ARGUMENTS...: of a command that without failures succeeds
walk() {
    local name=$1 outputs=() total found bad=0 tried=0 n code
    shift
    while [ "$1" != -- ]; do outputs+=("$1"); shift; done
    shift
    # shellcheck disable=SC2053
    [[ $name == $cases ]] || return 0
    rm -f "$WORK/count"
    FAIL_MEMORY_COUNT=$WORK/count run_one 0 "$@" || { not_ok "$name, without failures"; cat ../stderr; return; }
    total=$(sort -n "$WORK/count" | tail -n 1)
    rm -rf "$WORK/whole"
    mv "$WORK/run" "$WORK/whole"
    for n in $(chosen "$total"); do
        for n in "$n" "$n-"; do
            run_one "$n" "$@"
            code=$?
            found=$(judge "$code" "${outputs[@]}")
            tried=$((tried + 1))
            [ -n "$found" ] || continue
            bad=$((bad + 1))
            [ "$bad" -gt 20 ] || echo "    FAIL_MEMORY=$n rubato $*:" $found
        done
    done
    if [ "$bad" = 0 ]; then ok "$name: $tried times without memory, $total allocations"
    else not_ok "$name: $bad of $tried times without memory, $total allocations"
    fi
}

# ---- what the commands below need
cd "$WORK" || exit 1
mkdir threads
"$sample" threads random 1 >/dev/null
cat >sweep.yaml <<YAML
system: wide
traces: [{name: triad, traces: $TRACES/long/triad.pack}]
axes: {l1d.mshrs: [2, 4]}
YAML
"$RUBATO" sweep sweep.yaml -j 1 -o sweep.db >/dev/null 2>&1 || not_ok 'a sweep'
"$RUBATO" replay wide "$TRACES/triad" --no-cache --quiet --every 1us --record recording.samples || not_ok 'a recording'
qsort=$TRACES/qsort triad=$TRACES/triad

walk 'config show' -- config show server
walk 'replay of files' s.json -- replay default "$triad" --no-cache --stats s.json
walk 'replay of a store' s.txt -- replay wide "$TRACES/long/gups.pack" --records 20000 --stats s.txt
walk 'replay that keeps a store' s.json -- replay default "$triad" --cache "$WORK/stores" --stats s.json
walk 'replay, plain' s.json -- replay wide "$triad" --engine plain --no-cache --stats s.json
walk 'replay of one trace on four cores' s.json -- replay quad "$triad" --stats s.json
walk 'replay of four traces, lookahead' s.json -- replay quad "$qsort" "$triad" "$triad" "$triad" --no-cache --stats s.json
walk 'replay with samples' s.json a.samples -- replay wide "$triad" --no-cache --stats s.json --every 1us --record a.samples
walk 'replay with a log' s.log -- replay wide "$triad" --no-cache --records 500 --log s.log
walk 'replay of a GPU' s.json -- replay rtx2060 "$TRACES/gpu/pascal-vectoradd-100" --stats s.json
walk 'replay of cores and a GPU' s.json -- replay hetero "$triad" "$TRACES/gpu/gcn3-fir" --no-cache --stats s.json
walk 'replay of threads' s.json -- replay quad "$WORK/threads" --stats s.json
walk 'traffic' -- traffic wide --rate 10GB/s --requests 20000
walk 'trace pack' t.pack -- trace pack "$triad" -o t.pack
walk 'trace pack of a GPU' t.pack -- trace pack "$TRACES/gpu/gcn3-fir" -o t.pack
walk 'trace pack of threads' t.pack -- trace pack "$WORK/threads" -o t.pack
walk 'trace convert' out -- trace convert "$WORK/threads" -o out
walk 'trace elastic' out -- trace elastic wide "$TRACES/insn/drmemtrace/drmemtrace.small.x64.trace" -o out --quiet
walk 'trace info' -- trace info "$triad/deptrace.proto.gz"
walk 'trace cut' out -- trace cut "$triad" --records 10:500 -o out
walk 'sweep' r.db -- sweep "$WORK/sweep.yaml" -j 1 -o r.db
walk 'results' -- results "$WORK/sweep.db" --where 'l1d.mshrs > 2' --csv
walk 'report' page.html -- report "$WORK/sweep.db" -o page.html
walk 'results to Parquet' a.parquet -- results "$WORK/sweep.db" -o a.parquet
walk 'export' a.csv -- export "$WORK/recording.samples" --csv a.csv
walk 'export to Parquet' a.parquet -- export "$WORK/recording.samples" --parquet a.parquet
walk 'export to Perfetto' a.perfetto -- export "$WORK/recording.samples" --perfetto a.perfetto
exit "$failures"
