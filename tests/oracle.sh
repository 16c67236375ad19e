#!/usr/bin/env bash
# All reference runs: final tick and every statistic; from the trace files, and from stores, of which more is skipped.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/support/shell.sh

if [ ! -d "$SHARED/oracle/elastic" ]; then
    skip "reference runs (178): $SHARED/oracle/elastic is not there"
    exit 0
fi

compare() {    # OPTION...
    RUBATO=$RUBATO "$ORACLE" --verbose "$@" "$SHARED/oracle/elastic" "$SHARED/traces/elastic" >"$WORK/all" || failures=1
    awk '!($4 == "+0" && $6 == "0")' "$WORK/all"    # equal ones are only counted
}
compare
compare --cache "$WORK/stores"
exit $failures
