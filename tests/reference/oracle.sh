#!/usr/bin/env bash
# Reference runs, the 89 of $SHARED or the bundled ones: final tick and every statistic. oracle.sh [files|stores|plain]: from the trace files, or
# from stores, of which more is skipped, or from the files with the plain engine; without it all three.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/figures.sh

from=${1:-all}
if [ ! -d "$SHARED/oracle/elastic" ]; then
    skip "reference runs ($([ "$from" = all ] && echo 267 || echo 89)): $SHARED/oracle/elastic is not there"
    exit 0
fi

compare() {    # OPTION...
    RUBATO=$RUBATO "$ORACLE" --verbose "$@" "$SHARED/oracle/elastic" "$SHARED/traces/elastic" >"$WORK/all" || failures=1
    awk '!($4 == "+0" && $6 == "0")' "$WORK/all"    # equal ones are only counted
}
case $from in files | all) compare ;; esac
case $from in files | all)
    is_whole_reference && awk '/ passed, / { print "oracle.runs\t" $1 }' "$WORK/all" | figures_are oracle ;;
esac
case $from in stores | all) compare --cache "$WORK/stores" ;; esac
case $from in plain | all) compare --engine plain ;; esac
exit $failures
