#!/usr/bin/env bash
# What a rule on an elastic trace may reach: limits.sh [--half choosing|unseen] --keep DIR [PROGRAM.c...]
# Two runs that know what such a trace has only in part are held to the bounds of --model window (README.md). Both are of the detailed core, with
# all instructions and the code:
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
[ -d "$keep" ] || { echo "limits.sh: --keep DIR: expected the folder of pairs.sh --keep DIR" >&2; exit 2; }
[ $# -gt 0 ] || set -- tests/window-truth/programs/*.c
. tests/window-truth/halves.sh

# listing FILE SYSTEM TRACE [OPTION...]
listing() { "$RUBATO" replay "$2" "$3" --model detailed --no-cache --quiet --pipeline "$WORK/$1" "${@:4}" >/dev/null 2>&1; }

# committed FILE: mispredictions of the committed path
committed() { awk -F'\t' '$2 == 1 && $11 == 1 { count++ } END { print count + 0 }' "$WORK/$1"; }

# by_pc TRUTH OTHER: pcs with 1000 mispredictions in one of both, those of them whose means from dispatch to completion are within
# 3 cycles, and from the next fetch to its dispatch
by_pc() {
    awk -F'\t' '
        function note() {
            if (!branch) return
            count[file, branch]++; pcs[branch]
            completes[file, branch] += complete; refills[file, branch] += $15 - $12
        }
        FNR == 1 { file++; branch = ""; next }
        $2 == 1 { note(); branch = $11 == 1 ? $3 : ""; complete = $17 - $15 }
        function near(one, other) { return one - other <= 3 && other - one <= 3 }
        END {
            for (pc in pcs) {
                one = count[1, pc]; other = count[2, pc]
                if (one < 1000 && other < 1000) continue
                of++
                if (!one || !other) continue
                complete_near += near(completes[1, pc] / one, completes[2, pc] / other)
                refill_near += near(refills[1, pc] / one, refills[2, pc] / other)
            }
            printf("%d/%d\t%d/%d", complete_near, of, refill_near, of)
        }' "$WORK/$1" "$WORK/$2"
}

squashed() { awk '$1 == "system.cpu.lsq0.squashedLoads" { print $2 }' "$WORK/$1"; }

printf 'half\tprogram\tsquashed_loads\tmispredictions\tcomplete\trefill\n'
for program; do
    name=$(basename "$program" .c)
    of=$(half_of "$name")
    [ "$half" = both ] || [ "$half" = "$of" ] || continue
    trace=$keep/$name.rbt
    listing truth.tsv detailed/base "$trace" --stats "$WORK/truth.txt" &&
        listing values.tsv detailed/base "$trace" --set cpu.wrongPathValues=no --stats "$WORK/values.txt" &&
        listing memory.tsv near-ideal "$trace" --set include=core/reference || { echo "limits.sh: $trace: no replay" >&2; exit 1; }
    printf '%s\t%s\t%d/%d\t%d/%d\t%s\n' "$of" "$name" "$(squashed values.txt)" "$(squashed truth.txt)" "$(committed memory.tsv)" \
        "$(committed truth.tsv)" "$(by_pc truth.tsv values.tsv)"
done | tee "$WORK/limits"
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
