#!/usr/bin/env bash
# All reference runs: final tick and every statistic.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/support/shell.sh

if [ ! -d "$SHARED/oracle/elastic" ]; then
    skip "reference runs (89): $SHARED/oracle/elastic is not there"
    exit 0
fi

RUBATO=$RUBATO "$ORACLE" --verbose "$SHARED/oracle/elastic" "$SHARED/traces/elastic" >"$WORK/all"
code=$?
awk '!($4 == "+0" && $6 == "0")' "$WORK/all"    # equal ones are only counted
exit $code
