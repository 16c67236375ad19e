#!/usr/bin/env bash
# logs.sh [NAME...]: the event log of a replay of reference cases equals the model's line by line; the order within a tick is free.
# Random systems: tests/reference/differential.sh --log. Needs $SHARED, the model in MODEL, python3; half a minute a case.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

[ $# -gt 0 ] || set -- wide-qsort close-adaptive l3-excl
[ -d "$SHARED/oracle/elastic" ] || { skip "event logs ($#): $SHARED/oracle/elastic is not there"; exit 0; }
command -v python3 >/dev/null || { skip "event logs ($#): no python3"; exit 0; }

compare() {    # NAME
    local case=$SHARED/oracle/elastic/$1/case.json trace
    trace=$(sed -n 's/^ *"trace": *"\(.*\)".*/\1/p' "$case" | head -n 1)
    "$ORACLE" --yaml "$case" >"$WORK/system.yaml" &&
        "$RUBATO" replay "$WORK/system.yaml" "$SHARED/traces/elastic/$trace" --quiet --log "$WORK/our.log" &&
        python3 "$MODEL/refmodel.py" "$case" --traces "$SHARED/traces/elastic" --log "$WORK/model.log" >"$WORK/out" &&
        [ -s "$WORK/model.log" ] && python3 "$MODEL/firstdiff.py" "$WORK/our.log" "$WORK/model.log" >"$WORK/out" && return
    cat "$WORK/out"
    return 1
}

failed=0
for name in "$@"; do
    if compare "$name"; then ok "$name: $(wc -l <"$WORK/our.log") lines"; else not_ok "$name"; failed=1; fi
done
exit $failed
