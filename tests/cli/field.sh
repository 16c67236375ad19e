#!/usr/bin/env bash
# Field cases: the bundled ones (tests/traces/field), and those of the reference data if they are there. tests/field says what a case is.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

export RUBATO
for folder in tests/traces/field "$SHARED/traces/field"; do
    if [ -d "$folder" ]; then tests/field "$folder"
    else skip "field cases of $(basename "$(dirname "$folder")"): no reference data"
    fi
done
