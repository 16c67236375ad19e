#!/usr/bin/env bash
# Random systems and traces, ours against the reference model: final tick and every statistic that the model writes; with --log
# also the event logs, tick by tick.
#
#     tests/reference/differential.sh [--log] [MODEL_DIR [FIRST_SEED LAST_SEED]]
#
# Without arguments: $MODEL (tests/refmodel) and $SEEDS (FIRST:LAST). CASE_OPTIONS are what randcase.py draws: --basic (one core, LRU, no
# prefetcher; the default), "" (several cores, policies, prefetchers), --shapes (also private L2s, HBM, two memories, a
# memory-side cache), "--shapes --cores 4". A seed in which the model says that the reference hangs or stops is named and
# counted as skipped. Two seeds at a time. What differs is printed, and its files are kept in
# $BUILD/tests/differential/SEED. With KEEP_MODEL=1, as make check has it, what the model says of a seed is kept in
# $BUILD/tests/model, by the hash of its sources, and not asked for again. ENGINES: the engines that replay each seed (rubato replay --engine), by default fast and
# plain; a seed passes if all of them agree with the model. The last line is `N passed, N failed`.
set -u
here=$PWD
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
export RUBATO PYTHONDONTWRITEBYTECODE=1

with_log=no
[ "${1:-}" = --log ] && { with_log=yes; shift; }
if [ $# -ge 1 ]; then
    case $1 in /*) MODEL=$1 ;; *) MODEL=$here/$1 ;; esac
fi
first=${2:-${SEEDS%%:*}}
last=${3:-${SEEDS##*:}}
kept=$BUILD/tests/differential

if [ ! -f "$MODEL/refmodel.py" ]; then
    skip "random systems against the model ($((last - first + 1))): $MODEL/refmodel.py is not there"
    exit 0
fi
if ! command -v python3 >/dev/null; then
    skip "random systems against the model ($((last - first + 1))): python3 is not installed"
    exit 0
fi

options=${CASE_OPTIONS---basic}
known=
if [ "${KEEP_MODEL:-0}" = 1 ]; then
    known=$BUILD/tests/model/$({ python3 --version; echo "$options $with_log"; cat "$MODEL"/*.py "$MODEL"/*.json; } | sha256sum | cut -c 1-16)
    mkdir -p "$known"
fi
engines=${ENGINES:-fast plain}

compare_logs() {    # FOLDER ENGINE: the log of ours against that of the model
    "$RUBATO" replay "$1/system.yaml" "$1"/traces/t* --engine "$2" --log "$1/ours.log" --quiet >/dev/null 2>"$1/log.messages" ||
        { sed 's/^/    /' "$1/log.messages"; return 1; }
    # an engine whose log is byte for byte that of the one before needs no second look
    cmp -s "$1/ours.log" "$1/equal.log" && return
    [ -s "$1/model.log" ] && python3 "$MODEL/firstdiff.py" "$1/ours.log" "$1/model.log" >"$1/firstdiff" &&
        mv "$1/ours.log" "$1/equal.log" && return
    sed 's/^/    /' "$1/firstdiff"
    return 1
}

one_seed() {    # SEED
    local folder=$WORK/seed-$1 log=()
    [ $with_log = yes ] && log=(--log "$folder/model.log")
    # shellcheck disable=SC2086
    if [ -n "$known" ] && [ -d "$known/seed-$1" ]; then
        cp -r "$known/seed-$1" "$folder"
    elif mkdir "$folder"; ! python3 "$MODEL/randcase.py" "$1" "$folder" $options >"$folder/messages" 2>&1 ||
        ! python3 "$MODEL/refmodel.py" "$folder/case.json" --traces "$folder/traces" --stats "$folder/model.json" \
            "${log[@]}" >"$folder/messages" 2>&1; then
        if grep -qE 'AssertionError|^hang:|every attempt hangs' "$folder/messages"; then
            echo "seed-$1 not compared: the model says that the reference stops: $(tail -n 1 "$folder/messages")"
            return 2
        fi
        echo "seed-$1: the model failed: $(tail -n 1 "$folder/messages")"
        return 1
    elif [ -n "$known" ]; then
        cp -r "$folder" "$known/seed-$1.$$" && mv "$known/seed-$1.$$" "$known/seed-$1"
    fi
    "$ORACLE" --yaml "$folder/case.json" >"$folder/system.yaml" || return 1
    local engine code
    for engine in $engines; do
        "$ORACLE" --verbose --engine "$engine" --model "$folder" >"$folder/result"
        code=$?
        sed -e 1d -e '$d' "$folder/result"
        [ $code = 0 ] || { echo "seed-$1 differs with --engine $engine"; return 1; }
        [ $with_log = no ] || compare_logs "$folder" "$engine" || { echo "seed-$1: logs differ with --engine $engine"; return 1; }
    done
}

finish() {    # SEED PROCESS: waits for it and counts
    local code
    wait "$2"
    code=$?
    if [ $code = 0 ]; then
        passed=$((passed + 1))
    elif [ $code = 2 ]; then
        skipped=$((skipped + 1))
    else
        failed=$((failed + 1))
        rm -rf "$kept/seed-$1"
        mkdir -p "$kept"
        mv "$WORK/seed-$1" "$kept/"
    fi
    cat "$WORK/output-$1"
    rm -rf "$WORK/seed-$1" "$WORK/output-$1"
}

passed=0 failed=0 skipped=0
for ((seed = first; seed <= last; seed += 2)); do
    one_seed "$seed" >"$WORK/output-$seed" 2>&1 &
    one=$!
    two=
    if [ $((seed + 1)) -le "$last" ]; then
        one_seed $((seed + 1)) >"$WORK/output-$((seed + 1))" 2>&1 &
        two=$!
    fi
    finish "$seed" $one
    [ -z "$two" ] || finish $((seed + 1)) "$two"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
