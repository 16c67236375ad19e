#!/usr/bin/env bash
# What a rule on an elastic trace may reach: limits.sh [--half choosing|unseen] --keep DIR [PROGRAM.c...]
# Two runs that know what such a trace has only in part are held to the bounds of --model window (README.md). Both are of the detailed
# core, with all instructions and the code:
#   values   on base without values on wrong paths (cpu.wrongPathValues: no): squashed loads, and pcs by cycles
#   memory   above the memory of the capture: the mispredictions that a trace records, beside those above base
# A line a program, then how many programs meet each bound. The traces are those that pairs.sh --keep DIR made.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

half=both keep=
while [ $# -gt 0 ]; do
    case $1 in
    --half) half=$2 && shift 2 ;;
    --keep) keep=$2 && shift 2 ;;
    -*) echo "limits.sh: $1 is no option; expected --half or --keep" >&2; exit 2 ;;
    *) break ;;
    esac
done
by_pc_tool=$BUILD/tests/tools/window_truth
[ -x "$by_pc_tool" ] || { echo "limits.sh: there is no $by_pc_tool; make test_tools builds it" >&2; exit 2; }
[ -d "$keep" ] || { echo "limits.sh: --keep DIR: expected the folder of pairs.sh --keep DIR" >&2; exit 2; }
[ $# -gt 0 ] || set -- tests/window-truth/programs/*.c
. tests/window-truth/halves.sh

# listing FILE SYSTEM TRACE [OPTION...]
listing() { "$RUBATO" replay "$2" "$3" --model detailed --no-cache --quiet --pipeline "$WORK/$1" "${@:4}" >/dev/null 2>&1; }

# both FILE TRACE: what the tool says of that listing beside the truth, into FILE.by-pc
both() { "$by_pc_tool" "$WORK/truth.tsv" "$WORK/$1" "$2/deptrace.proto.gz" >"$WORK/$1.by-pc"; }

value() { awk -F'\t' -v name="$2" '$1 == "value" && $2 == name { print $3 }' "$WORK/$1.by-pc"; }
squashed() { awk '$1 == "system.cpu.lsq0.squashedLoads" { print $2 }' "$WORK/$1"; }

printf 'half\tprogram\tsquashed_loads\tmispredictions\tcomplete\trefill\n'
for program; do
    name=$(basename "$program" .c)
    of=$(half_of "$name")
    [ "$half" = both ] || [ "$half" = "$of" ] || continue
    trace=$keep/$name.rbt
    listing truth.tsv detailed/base "$trace" --stats "$WORK/truth.txt" &&
        listing values.tsv detailed/base "$trace" --set cpu.wrongPathValues=no --stats "$WORK/values.txt" &&
        listing memory.tsv near-ideal "$trace" --set include=core/reference &&
        both values.tsv "$keep/$name.elastic" && both memory.tsv "$keep/$name.elastic" || {
        echo "limits.sh: $trace: it or its elastic trace cannot be compared" >&2
        exit 1
    }
    pcs=$(value values.tsv pcs)
    printf '%s\t%s\t%d/%d\t%d/%d\t%d/%d\t%d/%d\n' "$of" "$name" "$(squashed values.txt)" "$(squashed truth.txt)" \
        "$(value memory.tsv mispredictions)" "$(value memory.tsv true_mispredictions)" \
        "$(value values.tsv complete_within)" "$pcs" "$(value values.tsv refill_within)" "$pcs"
done | tee "$WORK/limits"
[ "${PIPESTATUS[0]}" = 0 ] || exit 1
awk -F'\t' '
    function within(pair, part) { split(pair, p, "/"); return p[1] - p[2] <= part * p[2] && p[2] - p[1] <= part * p[2] }
    { count[$1]++; squashed[$1] += within($3, 0.005); mispredicted[$1] += within($4, 0.02)
      split($5, c, "/"); split($6, r, "/"); pcs[$1] += c[2]; complete[$1] += c[1]; refill[$1] += r[1] }
    END {
        for (half in count)
            printf("%s: %d programs; squashed loads within 0.5 %% without values: %d; mispredictions of the capture within 2 %%: %d; " \
                   "of %d pcs without values %d complete within 3 cycles, %d are refilled\n", half, count[half], squashed[half],
                   mispredicted[half], pcs[half], complete[half], refill[half])
    }' "$WORK/limits" | sort -r
