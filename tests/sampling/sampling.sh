#!/usr/bin/env bash
# How far estimates from regions are from whole runs: sampling.sh [options]. README.md has the options.
# Each program of programs.tsv is captured and replayed whole with --model detailed on each system: the truth. Its regions are chosen once
# and replayed on the same systems. A line a pair: CPI of both, error, interval of confidence, misses, bandwidth and times; then means,
# worst, the share of intervals that hold the truth, and the changes from the first system; the last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

usage() { echo "sampling.sh: $1; tests/sampling/README.md has the options" >&2; exit 2; }

only=() systems=() keep=$WORK jobs=$(nproc) regions_options=() replay_options=() table=tests/sampling/programs.tsv
while [ $# -gt 0 ]; do
    case $1 in
    --only | --system | --keep | --jobs | --regions | --interval | --warmup | --method | --seed | --warm | --programs)
        [ $# -gt 1 ] || usage "$1 lacks its value" ;;&
    --only) only+=("$2") ;;
    --system) systems+=("$2") ;;
    --keep) keep=$2 ;;
    --jobs) jobs=$2 ;;
    --programs) table=$2 ;;
    --regions | --interval | --warmup | --method | --seed) regions_options+=("$1" "$2") ;;
    --warm) replay_options+=("$1" "$2") ;;
    *) usage "$1 is no option" ;;
    esac
    shift 2
done
[ ${#systems[@]} -gt 0 ] || systems=(genoa core/skylake 'genoa l2.size=256KiB l3.size=4MiB')
[[ $jobs =~ ^[1-9][0-9]*$ ]] || usage "--jobs $jobs: expected a number from 1 on"
[ -r "$table" ] || usage "$table cannot be read"
mkdir -p "$keep"

# ---- captures

find tests/sampling base proto -name '*.[ch]' | LC_ALL=C sort | xargs cat 2>/dev/null | head -c 500000 >"$keep/text"
"$CC" -std=c17 -E -P -I. replay/detailed/store_sets.c -o "$keep/source.i" || usage 'replay/detailed/store_sets.c does not compile'
for source in tests/sampling/programs/*.c; do
    "$CC" -O2 -pthread -static -o "$keep/$(basename "$source" .c)" "$source" || usage "$source does not compile"
done

# command_of COMMAND: an argument a line; a space within one stands behind a backslash
command_of() {
    local text=${1//'\ '/$'\v'}
    # shellcheck disable=SC2086    # its words
    printf '%s\n' $text | sed "s/\v/ /g; s|{programs}|tests/sampling/programs|; s|{text}|$keep/text|; s|{source}|$keep/source.i|
        s|{built}|$keep|; s|{cc1}|$("$CC" -print-prog-name=cc1)|"
}

# capture NAME COMMAND
capture() {
    local arguments=()
    [ -e "$keep/$1.rbt" ] && return
    mapfile -t arguments < <(command_of "$2")
    command -v "${arguments[0]}" >/dev/null || { skip "$1 (${#systems[@]}): ${arguments[0]} is missing"; return 1; }
    "$RUBATO" capture --quiet -o "$keep/$1.rbt" -- "${arguments[@]}" </dev/null >/dev/null 2>"$keep/$1.said" && return
    rm -f "$keep/$1.rbt"
    not_ok "$1: not captured: $(head -n 1 "$keep/$1.said")"
    return 1
}

# ---- replays

mark_of() { printf %s "$1" | tr -c 'A-Za-z0-9.' _; }

# timed FILE COMMAND...: FILE.seconds has the user time
timed() {
    local file=$1 TIMEFORMAT=%U
    shift
    { time "$@" </dev/null >/dev/null 2>"$file.said"; } 2>"$file.seconds"
}

# replay SYSTEM FILE SUMMARY OPTION...
replay() {
    local words=() sets=() word file=$2 summary=$3
    read -ra words <<<"$1"
    shift 3
    for word in "${words[@]:1}"; do sets+=(--set "$word"); done
    timed "$summary" "$RUBATO" replay "${words[0]}" "$file" ${sets[@]+"${sets[@]}"} --model detailed --quiet --no-cache \
        --summary "$summary.part" "$@" && mv "$summary.part" "$summary" && return
    not_ok "$file on ${words[*]}: $(head -n 1 "$summary.said")"
    return 1
}

# figure SUMMARY GROUP NAME: of "metrics" or "intervals"
figure() { awk -v group="\"$2\":" -v name="\"$3\":" '$1 ~ /^".*":$/ && $2 == "{" { at = $1 } at == group && $1 == name { print $2 + 0 }' "$1"; }

whole() {    # NAME SYSTEM
    local summary
    summary=$keep/$1.$(mark_of "$2").whole.json
    [ -e "$summary" ] || replay "$2" "$keep/$1.rbt" "$summary"
}

sampled() {    # NAME SYSTEM
    local summary
    summary=$keep/$1.$(mark_of "$2").sampled.json
    replay "$2" "$keep/$1.regions" "$summary" --jobs 1 ${replay_options[@]+"${replay_options[@]}"}
}

# A line of a pair: name, system, then for both CPI, L1D, L2 and last-level MPKI, GB/s; the interval of CPI; seconds.
pair() {
    local mark whole sampled metric
    mark=$(mark_of "$2")
    whole=$keep/$1.$mark.whole.json sampled=$keep/$1.$mark.sampled.json
    printf '%s\t%s' "$1" "$2"
    for metric in cpi l1d.mpki l2.mpki llc.mpki mem.read_gb_s; do
        printf '\t%s\t%s' "$(figure "$whole" metrics $metric)" "$(figure "$sampled" metrics $metric)"
    done
    printf '\t%s\t%s\t%s\n' "$(figure "$sampled" intervals cpi)" "$(cat "$whole.seconds")" "$(cat "$sampled.seconds")"
}

names=() running=0
while IFS=$'\t' read -r name command; do
    [ ${#only[@]} = 0 ] || [[ " ${only[*]} " = *" $name "* ]] || continue
    capture "$name" "$command" || continue
    timed "$keep/$name.regions" "$RUBATO" regions "$keep/$name.rbt" -o "$keep/$name.regions" --quiet \
        ${regions_options[@]+"${regions_options[@]}"} || { not_ok "$name: $(head -n 1 "$keep/$name.regions.said")"; continue; }
    names+=("$name")
done < <(tail -n +2 "$table")
[ ${#names[@]} -gt 0 ] || { echo '0 passed, 1 failed'; exit 1; }
for system in "${systems[@]}"; do
    for name in "${names[@]}"; do
        [ "$running" -lt "$jobs" ] || { wait -n; running=$((running - 1)); }
        { whole "$name" "$system" && sampled "$name" "$system" && pair "$name" "$system" >"$keep/$name.$(mark_of "$system").pair"; } &
        running=$((running + 1))
    done
done
wait

for name in "${names[@]}"; do
    for system in "${systems[@]}"; do cat "$keep/$name.$(mark_of "$system").pair" 2>/dev/null; done
done | awk -F '\t' -v pairs="$((${#names[@]} * ${#systems[@]}))" -f tests/sampling/pairs.awk
