#!/usr/bin/env bash
# How far --model window is from the truth on programs: pairs.sh [options] [PROGRAM.c...] (default: those of programs/).
# Each program is built, captured, and run on the detailed core of configs/detailed, which is the truth; its elastic trace, made on the
# core of the reference above near-ideal memory, is replayed with --model window beside. README.md has the options.
# Halves are those of a hash of the name: rules are chosen on one, the other is looked at when they stand. A line a pair: error of the
# time in percent, squashed loads and mispredictions of both; then mean, signed mean and worst of each half. DIR keeps the traces.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

half=both systems=base keep=$WORK isa=riscv64 capture_system=
capture_sets=() core_sets=() window_sets=()
while [ $# -gt 0 ]; do
    case $1 in
    --half) half=$2 && shift 2 ;;
    --systems) systems=$2 && shift 2 ;;
    --keep) keep=$2 && shift 2 && mkdir -p "$keep" ;;
    --isa) isa=$2 && shift 2 ;;
    --capture-system) capture_system=$2 && shift 2 ;;
    --capture-set) capture_sets+=(--set "$2") && shift 2 ;;
    --core-set) core_sets+=(--set "$2") && shift 2 ;;
    --window-set) window_sets+=(--set "$2") && shift 2 ;;
    -*) echo "pairs.sh: $1 is no option; tests/window-truth/README.md has them" >&2; exit 2 ;;
    *) break ;;
    esac
done
[ $# -gt 0 ] || set -- tests/window-truth/programs/*.c
case $isa in
riscv64) compiler=${RISCV_CC:-riscv64-linux-gnu-gcc} flags=-march=rv64gc ;;
aarch64) compiler=${AARCH64_CC:-aarch64-linux-gnu-gcc} flags=-march=armv8-a ;;
x86-64) compiler=${X86_CC:-gcc} flags=-march=x86-64 ;;
*) echo "pairs.sh: --isa $isa: expected riscv64, aarch64 or x86-64" >&2; exit 2 ;;
esac
command -v "$compiler" >/dev/null || { echo "$compiler is missing: a compiler for $isa (RISCV_CC, AARCH64_CC, X86_CC name it)" >&2; exit 2; }

# Those whose errors were looked at before the split are of the choosing half.
half_of() {
    local hash
    [[ " queens shell_sort spheres stencil_3d " != *" $1 "* ]] || { echo choosing; return; }
    hash=$(printf %s "$1" | md5sum | cut -c1-8)
    ((16#$hash % 2)) && echo unseen || echo choosing
}

# statistic FILE NAME
statistic() { awk -v name="$2" '$1 == name { value = $2 } END { print value + 0 }' "$1"; }

# What --keep keeps apart: captures by the core and the memory that they were made on, runs by their core.
mark_of() { [ $# -eq 0 ] || printf '.%s' "$(printf '%s\n' "$@" | md5sum | cut -c1-8)"; }
captured=$(mark_of ${capture_system:+"$capture_system"} ${capture_sets[@]+"${capture_sets[@]}"})
core=$(mark_of ${core_sets[@]+"${core_sets[@]}"})

# capture PROGRAM: its elastic trace, from its instructions
capture() {
    if [ -n "$capture_system" ]; then
        "$RUBATO" replay "$capture_system" "$1.rbt" --model detailed --no-cache --quiet --probe "$1$captured.elastic" \
            ${capture_sets[@]+"${capture_sets[@]}"}
    else
        "$RUBATO" trace elastic core/reference "$1.rbt" -o "$1$captured.elastic" --quiet ${capture_sets[@]+"${capture_sets[@]}"}
    fi
}

# pair PROGRAM.c: the trace and its lines
pair() {
    local name system of error path truth window
    name=$(basename "$1" .c)
    of=$(half_of "$name")
    [ "$half" = both ] || [ "$half" = "$of" ] || return 0
    path=$keep/$name
    [ "$isa" = riscv64 ] || path+=.$isa
    if [ ! -f "$path.rbt" ]; then
        "$compiler" $flags -O2 -static -o "$path" "$1" -lm || return 1
        (cd "$keep" && "$RUBATO" capture --quiet -o "$(basename "$path").rbt" -- "./$(basename "$path")" >/dev/null 2>&1) || return 1
    fi
    [ -d "$path$captured.elastic" ] || capture "$path" >/dev/null 2>&1 || return 1
    for system in $systems; do
        truth=$path.$system$core.truth.txt window=$path.$system$captured$core.window.txt
        [ -f "$truth" ] || "$RUBATO" replay "detailed/$system" "$path.rbt" --model detailed --no-cache --quiet \
            ${core_sets[@]+"${core_sets[@]}"} --stats "$truth" >/dev/null 2>&1 || return 1
        "$RUBATO" replay "detailed/$system" "$path$captured.elastic" --model window --no-cache --quiet ${core_sets[@]+"${core_sets[@]}"} \
            ${window_sets[@]+"${window_sets[@]}"} --stats "$window" >/dev/null 2>&1 || return 1
        error=$(awk '$1 == "finalTick" { ticks[FILENAME] = $2 }
            END { printf("%+.2f", 100 * (ticks[ARGV[2]] / ticks[ARGV[1]] - 1)) }' "$truth" "$window")
        printf '%s\t%s\t%s\t%s' "$of" "$name" "$system" "$error"
        for of_what in lsq0.squashedLoads commit.branchMispredicts; do
            printf '\t%s/%s' "$(statistic "$window" "system.cpu.$of_what")" "$(statistic "$truth" "system.cpu.$of_what")"
        done
        printf '\n'
    done
}

printf 'half\tprogram\tsystem\terror_percent\tsquashed_loads\tmispredictions\n'
for program; do pair "$program" || { echo "pairs.sh: $program: no pair could be made" >&2; exit 1; }; done | tee "$WORK/pairs"
awk -F'\t' '
    { size = $4 < 0 ? -$4 : $4; count[$1]++; sum[$1] += size; signed[$1] += $4; if (size > worst[$1]) worst[$1] = size }
    END {
        for (half in count)
            printf("%s: %d pairs, mean %.2f %%, signed %+.2f, worst %.1f\n", half, count[half], sum[half] / count[half],
                   signed[half] / count[half], worst[half])
    }' "$WORK/pairs" | sort -r
