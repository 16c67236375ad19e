#!/usr/bin/env bash
# The single-core reference runs without prefetcher and with LRU: final tick and every statistic.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/support/shell.sh

cases='simple default wide virt tiny small ddr lpddr wideio hbm1 hmc close open fcfs smallq maxrow powerdown two-ranks l3 clk'
if [ ! -d "$SHARED/oracle/elastic" ]; then
    skip "reference runs (59): $SHARED/oracle/elastic is not there"
    exit 0
fi

names=()
for prefix in $cases; do
    for folder in "$SHARED/oracle/elastic/$prefix"*; do
        names+=("$(basename "$folder")")
    done
done
RUBATO=$RUBATO "$ORACLE" --verbose "$SHARED/oracle/elastic" "$SHARED/traces/elastic" "${names[@]}" >"$WORK/all"
code=$?
awk '!($4 == "+0" && $6 == "0")' "$WORK/all"    # equal ones are only counted
exit $code
