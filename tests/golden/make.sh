#!/usr/bin/env bash
# Makes the kept results again: for each tests/golden/<system>/case.json the model in MODEL replays a bundled trace;
# its statistics go to model.json.gz. make.sh [SYSTEM...]: only these. Needs python3.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

[ -f "$MODEL/refmodel.py" ] || { echo "golden: no model in $MODEL; give its folder: make golden MODEL=DIR" >&2; exit 2; }
[ $# -gt 0 ] || set -- $(cd tests/golden && ls -d */case.json | sed 's,/case.json,,')

for system in "$@"; do
    folder=tests/golden/${system%/}
    if ! python3 "$MODEL/refmodel.py" "$folder/case.json" --traces tests/traces --stats "$WORK/model.json" >"$WORK/log" 2>&1; then
        echo "golden: $folder: $(tail -n 1 "$WORK/log")" >&2
        exit 1
    fi
    gzip -9nc "$WORK/model.json" >"$folder/model.json.gz"
    printf '%-32s %s\n' "${system%/}" "$(cat "$WORK/log")"
done
