#!/usr/bin/env bash
# Replays the bundled traces on every system of this folder and compares final tick and statistics with those kept here.
# ENGINE: the engine that replays them (rubato replay --engine), by default fast.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

cases=()
for case in tests/golden/*/case.json; do
    folder=$(dirname "$case")
    name=$(basename "$folder")
    mkdir "$WORK/$name"
    cp "$folder/case.json" "$WORK/$name"
    gzip -dc "$folder/model.json.gz" >"$WORK/$name/model.json"
    ln -s "$TRACES" "$WORK/$name/traces"
    cases+=("$WORK/$name")
done
RUBATO=$RUBATO "$ORACLE" --verbose ${ENGINE:+--engine "$ENGINE"} --model "${cases[@]}" >"$WORK/all"
code=$?
awk '!($4 == "+0" && $6 == "0")' "$WORK/all"    # equal ones are only counted
exit $code
