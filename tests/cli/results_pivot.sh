#!/usr/bin/env bash
# rubato results --pivot: cells and means are those of the points, worked out again by awk from the list.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

traces=$PWD/tests/traces/detailed
cd "$WORK" || exit 1
printf 'system: wide\ntraces: [%s/sort.rbt, %s/hash.rbt]\naxes: {l1d.assoc: [2, 4, 7], l1d.size: [16KiB, 64KiB]}\n' \
    "$traces" "$traces" >pivot.yaml
"$RUBATO" sweep pivot.yaml --model detailed >said 2>&1
results() { "$RUBATO" results pivot.db "$@"; }
results --where 'l1d.assoc != 7' --columns traces,l1d.size,l1d.assoc,cpi --tsv >list

# mean_by SIZE ASSOC G-AND-INVERSE: of both traces
mean_by() {
    awk -F'\t' -v size="$1" -v assoc="$2" -v kind="$3" 'NR > 1 && $2 == size && $3 == assoc {
        n++; sum += kind == "geometric" ? log($4) : kind == "harmonic" ? 1 / $4 : $4
    } END { mean = sum / n; printf("%.6g", kind == "geometric" ? exp(mean) : kind == "harmonic" ? 1 / mean : mean) }' list
}
for mean in arithmetic geometric harmonic; do
    results --where 'l1d.assoc != 7' --pivot traces,l1d.size,l1d.assoc --value cpi --mean $mean >table
    results --where 'l1d.assoc != 7' --pivot traces,l1d.size,l1d.assoc --value cpi --mean $mean --json >json
    for assoc in 2 4; do
        for size in 16 64; do
            check "$mean mean of $size KiB in $assoc ways" awk -v is="$(jq -r ".[-1].\"${size}KiB, $assoc\"" json)" \
                -v want="$(mean_by $((size * 1024)) $assoc $mean)" 'BEGIN { off = is / want - 1; exit !(is > 0 && off < 1e-5 && off > -1e-5) }'
        done
    done
done
check 'the last row says which mean' grep -q '^ *harmonic mean ' table
check 'a row a trace' test "$(jq -r '[.[].traces] | join(" ")' json)" = 'sort.rbt hash.rbt harmonic mean'
check 'cells are those of the points' test "$(jq '.[0]."16KiB, 4"' json)" = "$(results --where 'l1d.assoc == 4 and l1d.size == 16KiB' --columns cpi --json | jq '.[0].cpi')"
results --where 'l1d.assoc != 7' --pivot l1d.size,traces --value cpi --json >json
check 'several points a cell: their mean' awk -v is="$(jq '.[0]."sort.rbt"' json)" \
    -v want="$(awk -F'\t' '$1 == "sort.rbt" && $2 == 16384 { sum += $4; n++ } END { printf("%.9g", sum / n) }' list)" 'BEGIN { off = is / want - 1; exit !(off < 1e-6 && off > -1e-6) }'
results --pivot traces,l1d.assoc --json >json
check 'points that failed: no cell, and no mean' test "$(jq -c '[.[]."7"]' json)" = '[null,null,null]'
check 'the value is the time, if none is named' test "$(jq '.[0]."2" > 0' json)" = true
results --pivot traces,l1d.assoc -o out.csv
check 'CSV' test "$(head -1 out.csv)" = 'traces,2,4,7'
results --pivot traces,l1d.assoc -o out.parquet
check 'Parquet' test "$(head -c 4 out.parquet)" = PAR1

refused 'one name' '--pivot traces: expected the name of rows and that of columns' "$RUBATO" results pivot.db --pivot traces
refused 'a name twice' 'expected two different names at least' "$RUBATO" results pivot.db --pivot traces,traces
refused 'an unknown name' 'no.such' "$RUBATO" results pivot.db --pivot traces,no.such
refused 'a word as value' '--value bound: is .*; expected a column of numbers' "$RUBATO" results pivot.db --pivot traces,l1d.size --value bound
refused 'an unknown mean' '--mean mode: must be arithmetic, geometric or harmonic' "$RUBATO" results pivot.db --pivot traces,l1d.size --mean mode
refused 'a geometric mean of zero' 'such a mean is of numbers above 0; give --mean arithmetic' "$RUBATO" results pivot.db --pivot traces,l1d.size --value l1i.blocked --mean geometric --where 'state == done and l1d.assoc == 2 and traces == sort.rbt'
refused 'with --columns' '--columns is for lists' "$RUBATO" results pivot.db --pivot traces,l1d.size --columns cpi
refused '--mean alone' '--value and --mean are for --pivot' "$RUBATO" results pivot.db --mean geometric
check 'nothing is written' test ! -e "$WORK/no.csv"
exit $failures
