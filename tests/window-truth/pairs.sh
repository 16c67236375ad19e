#!/usr/bin/env bash
# How far --model window is from the truth on programs: pairs.sh [--half choosing|unseen] [--systems "base small"] [--keep DIR] [PROGRAM.c...]
# (default: those of programs/). Each program is built for RV64GC, captured, and run on the detailed core of configs/detailed, which is
# the truth; its elastic trace, made on the core of the reference above near-ideal memory, is replayed with --model window beside.
# Halves are those of a hash of the name: rules are chosen on one, the other is looked at when they stand. A line a pair: error of the
# time in percent, squashed loads and mispredictions of both; then mean, signed mean and worst of each half. DIR keeps the traces.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

half=both systems=base keep=$WORK
while [ $# -gt 0 ]; do
    case $1 in
    --half) half=$2 && shift 2 ;;
    --systems) systems=$2 && shift 2 ;;
    --keep) keep=$2 && shift 2 && mkdir -p "$keep" ;;
    *) break ;;
    esac
done
[ $# -gt 0 ] || set -- tests/window-truth/programs/*.c
compiler=${RISCV_CC:-riscv64-linux-gnu-gcc}
command -v "$compiler" >/dev/null || { echo "$compiler is missing: a compiler for riscv64 (RISCV_CC names it)" >&2; exit 2; }

# Those whose errors were looked at before the split are of the choosing half.
half_of() {
    local hash
    [[ " queens spheres stencil_3d " != *" $1 "* ]] || { echo choosing; return; }
    hash=$(printf %s "$1" | md5sum | cut -c1-8)
    ((16#$hash % 2)) && echo unseen || echo choosing
}

# statistic FILE NAME
statistic() { awk -v name="$2" '$1 == name { value = $2 } END { print value + 0 }' "$1"; }

# pair PROGRAM.c: the trace and its lines
pair() {
    local name system of error path
    name=$(basename "$1" .c)
    of=$(half_of "$name")
    [ "$half" = both ] || [ "$half" = "$of" ] || return 0
    path=$keep/$name
    if [ ! -d "$path.elastic" ]; then
        "$compiler" -march=rv64gc -O2 -static -o "$path" "$1" -lm || return 1
        (cd "$keep" && "$RUBATO" capture --quiet -o "$name.rbt" -- "./$name" >/dev/null 2>&1) || return 1
        xz -kfc0 "$path" >"$path.elf.xz"                     # beside the trace: wrong paths have values
        "$RUBATO" trace elastic core/reference "$path.rbt" -o "$path.elastic" --quiet >/dev/null 2>&1 || return 1
    fi
    for system in $systems; do
        [ -f "$path.$system.truth.txt" ] || "$RUBATO" replay "detailed/$system" "$path.rbt" --model detailed --no-cache --quiet \
            --stats "$path.$system.truth.txt" >/dev/null 2>&1 || return 1
        "$RUBATO" replay "detailed/$system" "$path.elastic" --model window --no-cache --quiet \
            --stats "$path.$system.window.txt" >/dev/null 2>&1 || return 1
        error=$(awk '$1 == "finalTick" { ticks[FILENAME] = $2 }
            END { printf("%+.2f", 100 * (ticks[ARGV[2]] / ticks[ARGV[1]] - 1)) }' "$path.$system.truth.txt" "$path.$system.window.txt")
        printf '%s\t%s\t%s\t%s' "$of" "$name" "$system" "$error"
        for of_what in lsq0.squashedLoads commit.branchMispredicts; do
            printf '\t%s/%s' "$(statistic "$path.$system.window.txt" "system.cpu.$of_what")" \
                "$(statistic "$path.$system.truth.txt" "system.cpu.$of_what")"
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
