#!/usr/bin/env bash
# What each prefetcher and replacement policy does: one table over all programs. A line is one choice for one cache of
# configs/wide.yaml with an L2 of 256 KiB; figures are CPI of each program, then over all programs the geometric mean of CPI against
# the first line, misses of that cache per 1000 micro-ops, and MB moved to and from DRAM.
# policies.sh [FOLDER]: a folder of trace folders; without it the ten programs of $SHARED/traces/elastic, or tests/traces.
# PREFETCH_LEVEL and POLICY_LEVEL (both l2) choose the cache.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

folder=${1:-$SHARED/traces/elastic}
[ -d "$folder" ] || folder=tests/traces
programs=''
for traces in "$folder"/*/deptrace.proto.gz; do
    traces=${traces%/*}/
    name=$(basename "$traces")
    case $name in *-512 | *-virt) continue ;; esac    # the same programs, captured in another way
    programs="$programs $name"
done
prefetch_level=${PREFETCH_LEVEL:-l2} policy_level=${POLICY_LEVEL:-l2}

# names of an enumeration, as `config keys` lists them
kinds() { "$RUBATO" config keys | sed -n "s/^ *$1 .*\[\(.*\)\].*/\1/p" | tr -d ',' | head -n 1; }

measure() {    # LEVEL LABEL [SETTING...]: one line for each program: label, program, cpi, ops, misses, bytes
    local level=$1 label=$2 program settings=(--set l2.size=256KiB)
    shift 2
    for setting in "$@"; do settings+=(--set "$setting"); done
    for program in $programs; do
        "$RUBATO" replay wide "$folder/$program" "${settings[@]}" --stats "$WORK/stats.txt" --quiet || exit 1
        awk -v label="$label" -v program="$program" -v level="$level" '
            $1 == "system.cpu.cpi" { cpi = $2 }
            $1 == "system.cpu.numOps" { ops = $2 }
            $1 == "system." level ".overallMisses::total" { misses = $2 }
            $1 ~ /dramBytes(Read|Written)$/ { bytes += $2 }
            END { print label, program, cpi, ops, misses, bytes }' "$WORK/stats.txt"
    done
}

table() {    # reads lines of measure; the first label is the base
    awk '
        !($1 in seen) { seen[$1] = 1; labels[++n] = $1 }
        !($2 in known) { known[$2] = 1; programs[++m] = $2 }
        { cpi[$1, $2] = $3; ops[$1] += $4; misses[$1] += $5; bytes[$1] += $6 }
        END {
            printf "%-14s", ""
            for (j = 1; j <= m; j++) printf " %8s", programs[j]
            printf " %9s %8s %8s\n", "mean CPI", "MPKI", "DRAM MB"
            for (i = 1; i <= n; i++) {
                printf "%-14s", labels[i]
                sum = 0
                for (j = 1; j <= m; j++) {
                    printf " %8.3f", cpi[labels[i], programs[j]]
                    sum += log(cpi[labels[i], programs[j]] / cpi[labels[1], programs[j]])
                }
                printf " %8.3fx %8.2f %8.2f\n", exp(sum / m), 1000 * misses[labels[i]] / ops[labels[i]], bytes[labels[i]] / 1e6
            }
        }'
}

echo "prefetchers of the $prefetch_level (CPI)"
for kind in $(kinds "$prefetch_level.prefetcher.type"); do
    measure "$prefetch_level" "$kind" "$prefetch_level.prefetcher=$kind"
done | table
echo
echo "replacement policies of the $policy_level (CPI)"
for kind in $(kinds "$policy_level.replacement"); do
    measure "$policy_level" "$kind" "$policy_level.replacement=$kind"
done | table
