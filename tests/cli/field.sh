#!/usr/bin/env bash
# Field cases: the bundled ones (tests/traces/field), and those of the reference data if they are there. tests/field says what a case is.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

# cases DIR: a line a failed case, one for all that passed
cases() {
    RUBATO=$RUBATO tests/field "$1" >"$WORK/field.log"
    sed -n 's/^failed: /not ok /p; /^    /p' "$WORK/field.log"
    tail -n 1 "$WORK/field.log" | grep -E '^[0-9]+ passed' | while read -r passed _; do
        for ((i = 1; i <= passed; i++)); do echo "ok $(basename "$1") case $i"; done
    done
    grep -qE '^[0-9]+ passed, [0-9]+ failed$' "$WORK/field.log" || not_ok "tests/field $1"
}
cases tests/traces/field
if [ -d "$SHARED/traces/field" ]; then cases "$SHARED/traces/field"; else skip 'reference field cases: no reference data'; fi
