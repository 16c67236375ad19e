#!/usr/bin/env bash
# How far --model window is from the truth on programs: pairs.sh [options] [PROGRAM.c...] (default: those of programs/).
# Each program is built, captured, and run on the detailed core of configs/detailed, which is the truth; its elastic trace, made on the
# core of the reference above near-ideal memory, is replayed with --model window beside. README.md has the options.
# Halves are those of a hash of the name: rules are chosen on one, the other is looked at when they stand. A line a pair: error of the
# time in percent, squashed loads and mispredictions of both; then mean, signed mean and worst of each half. DIR keeps the traces.
# --by-pc compares them pc by pc, too (tests/tools/window_truth).
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

half=both systems=base keep=$WORK isa=riscv64 capture_system= by_pc=
capture_sets=() core_sets=() window_sets=()
while [ $# -gt 0 ]; do
    case $1 in
    --half) half=$2 && shift 2 ;;
    --systems) systems=$2 && shift 2 ;;
    --by-pc) by_pc=yes && shift ;;
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
by_pc_tool=$BUILD/tests/tools/window_truth
[ -z "$by_pc" ] || [ "$isa" = riscv64 ] || { echo "pairs.sh: --by-pc decodes the truth as riscv64; leave out --isa $isa" >&2; exit 2; }
[ -z "$by_pc" ] || [ -x "$by_pc_tool" ] || { echo "pairs.sh: there is no $by_pc_tool; make test_tools builds it" >&2; exit 2; }
command -v "$compiler" >/dev/null || { echo "$compiler is missing: a compiler for $isa (RISCV_CC, AARCH64_CC, X86_CC name it)" >&2; exit 2; }

. tests/window-truth/halves.sh

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

# by_pc PATH SYSTEM FILE: what the tool says of the pair, into FILE. Listings are large, and not kept.
by_pc() {
    "$RUBATO" replay "detailed/$2" "$1.rbt" --model detailed --no-cache --quiet ${core_sets[@]+"${core_sets[@]}"} \
        --pipeline "$WORK/truth.tsv" >/dev/null 2>&1 || return 1
    "$RUBATO" replay "detailed/$2" "$1$captured.elastic" --model window --no-cache --quiet ${core_sets[@]+"${core_sets[@]}"} \
        ${window_sets[@]+"${window_sets[@]}"} --pipeline "$WORK/window.tsv" >/dev/null 2>&1 || return 1
    "$by_pc_tool" "$WORK/truth.tsv" "$WORK/window.tsv" "$1$captured.elastic/deptrace.proto.gz" >"$3" || return 1
    rm -f "$WORK/truth.tsv" "$WORK/window.tsv"
}

# Its columns.
by_pc_columns() {
    awk -F'\t' '$1 == "value" { v[$2] = $3 } END {
        printf("\t%d/%d\t%d/%d\t%d/%d\t%s\t%s\t%s\t%s\t%s", v["mispredictions"], v["true_mispredictions"], v["complete_within"],
               v["pcs"], v["refill_within"], v["pcs"], v["paired_pct"], v["recorded_class_pct"], v["recorded_sources_pct"],
               v["mispredicted_sources_pct"], v["mispredicted_in_part_pct"])
    }' "$1"
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
        if [ -n "$by_pc" ]; then
            by_pc "$path" "$system" "$path.$system$captured$core.by-pc.txt" || return 1
            by_pc_columns "$path.$system$captured$core.by-pc.txt"
        fi
        printf '\n'
        [ -z "$by_pc" ] || sed '/^value/d; s/^/  /' "$path.$system$captured$core.by-pc.txt"
    done
}

printf 'half\tprogram\tsystem\terror_percent\tsquashed_loads\tmispredictions'
[ -z "$by_pc" ] || printf '\tcommitted\tcomplete\trefill\tpaired\tclasses\tsources\tof_mispredicted\tin_part'
printf '\n'
for program; do pair "$program" || { echo "pairs.sh: $program: no pair could be made" >&2; exit 1; }; done | tee "$WORK/pairs"
[ "${PIPESTATUS[0]}" = 0 ] || exit 1
awk -F'\t' '
    /^  / { next }
    { size = $4 < 0 ? -$4 : $4; count[$1]++; sum[$1] += size; signed[$1] += $4; if (size > worst[$1]) worst[$1] = size }
    NF > 6 {
        split($8, complete, "/")
        split($9, refill, "/")
        pcs[$1] += complete[2]; completes[$1] += complete[1]; refills[$1] += refill[1]
        for (i = 10; i <= 14; i++) share[$1, i] += $i
    }
    END {
        for (half in count)
            printf("%s: %d pairs, mean %.2f %%, signed %+.2f, worst %.1f\n", half, count[half], sum[half] / count[half],
                   signed[half] / count[half], worst[half])
        for (half in pcs)
            printf("%s: of %d pcs with 1000 mispredictions %.1f %% complete within 3 cycles, %.1f %% are refilled; means of programs: " \
                   "%.2f %% paired, %.2f %% classes right, %.2f %% sources, of mispredicted ones %.2f %%, in part %.2f %%\n", half,
                   pcs[half], 100 * completes[half] / (pcs[half] ? pcs[half] : 1), 100 * refills[half] / (pcs[half] ? pcs[half] : 1),
                   share[half, 10] / count[half], share[half, 11] / count[half], share[half, 12] / count[half],
                   share[half, 13] / count[half], share[half, 14] / count[half])
    }' "$WORK/pairs" | sort -r
