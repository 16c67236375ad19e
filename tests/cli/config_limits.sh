#!/usr/bin/env bash
# Systems and sweeps that are made to take for ever to read are refused within a second, with the limit that they break.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
cd "$WORK" || exit 1

refused_at_once() {    # NAME TEXT COMMAND...
    local before=${EPOCHREALTIME/./}
    refused "$@"
    local took=$((${EPOCHREALTIME/./} - before))
    if [ "$took" -lt 1000000 ]; then ok "$1: in time"; else not_ok "$1: took $took us"; fi
}
times() { awk -v count="$1" -v text="$2" 'BEGIN { for (i = 0; i < count; i++) printf text, i, i }'; }

for i in {0..14}; do
    { [ "$i" = 14 ] || echo "include: [$(times 10 "c$((i + 1)).yaml, ")]"; echo 'line: 64B'; } >"c$i.yaml"
done
echo "include: [$(times 60000 'c14.yaml, ')]" >again.yaml
printf '%s%s%s\n' 'l2: ' "$(times 100000 '[')" "$(times 100000 ']')" >lists.yaml
printf '%s%s1%s\n' 'l2: ' "$(times 20000 '{a: ')" "$(times 20000 '}')" >maps.yaml
times 30000 'unknown_%d: 1\n' >keys.yaml
echo "l2: {$(times 60000 'k%d: 1, ')}" >same.yaml
awk 'BEGIN { for (i = 0; i < 1000; i++) printf "%*s%s\n", i, "", "a:" }' >indented.yaml
for i in {1..20}; do { echo 'line: 64B'; times 12000 '# nothing but a comment, %d\n'; } >"long$i.yaml"; done
echo "include: [$(times 20 'long%d.yaml, ' | sed 's/long0.yaml, //')]" >long.yaml

refused_at_once includes 'more than 100 files in all' "$RUBATO" config show c0.yaml
refused_at_once 'many includes' '4000 keys, or 8000 items' "$RUBATO" config show again.yaml
refused_at_once 'nested lists' 'more than 32 levels' "$RUBATO" config show lists.yaml
refused_at_once 'nested keys' 'more than 32 levels' "$RUBATO" config show maps.yaml
refused_at_once 'indented keys' 'more than 32 levels' "$RUBATO" config show indented.yaml
refused_at_once 'unknown keys' '4000 keys, or 8000 items' "$RUBATO" config show keys.yaml
refused_at_once 'keys of a part' '4000 keys, or 8000 items' "$RUBATO" config show same.yaml
refused_at_once 'bytes' 'more than 1 MiB in all' "$RUBATO" config show long.yaml
for spec in lists maps keys same; do
    refused_at_once "sweep: $spec" 'more than ' "$RUBATO" sweep "$spec.yaml" -o "$spec.db"
done
exit $failures
