#!/usr/bin/env bash
# Makes the table of a full factorial, to search in without simulating (tests/support/search_table.h):
#   tests/search/make_table.sh window time_ms energy.total_mj    # of tests/search/window.yaml; takes minutes
# Of several workloads an objective is its geometric mean. Values have four digits.
set -eu
cd "$(dirname "$0")/../.."
name=$1
shift
results=${RESULTS:-build/search-$name.db}
[ -f "$results" ] || ./rubato sweep "tests/search/$name.yaml" -o "$results" -j "${JOBS:-2}"
objectives=$(IFS=,; echo "$*")
axes=$(awk '/^axes:/ { inside = 1; next } /^[^ ]/ { inside = 0 } inside { sub(/:.*/, "", $1); print $1 }' "tests/search/$name.yaml" | paste -sd ,)
{
    head -n 1 "tests/search/$name.yaml"
    ./rubato results "$results" --columns "traces,$axes,$objectives" --format tsv | awk -F '\t' -v OFS=' ' -v objectives=$# '
        NR == 1 { for (i = 2; i <= NF; i++) names[i] = $i; columns = NF - objectives; next }
        { design = ""
          for (i = 2; i <= columns; i++) {
              design = design $i "\t"
              if (!((i, $i) in seen)) { seen[i, $i] = 1; levels[i]++; if ($i !~ /^[0-9]/ || $i ~ /_/) words[i] = 1 }
          }
          if (!(design in runs)) order[++count] = design
          runs[design]++
          for (i = columns + 1; i <= NF; i++)
              if ($i == "-" || $i == "") failed[design] = 1; else sums[design, i] += log($i) }
        END { for (i = 2; i <= columns; i++) print "axis", names[i], levels[i], i in words ? "words" : "numbers"
              printf "objectives"
              for (i = columns + 1; i in names; i++) printf " %s", names[i]
              printf "\n"
              for (k = 1; k <= count; k++) {
                  line = ""
                  for (i = columns + 1; i in names; i++)
                      line = line (line == "" ? "" : " ") sprintf("%.4g", exp(sums[order[k], i] / runs[order[k]]))
                  print order[k] in failed ? "-" : line
              } }'
} | gzip -9n >"tests/search/$name.tsv.gz"
