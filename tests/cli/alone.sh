#!/usr/bin/env bash
# The command alone in an empty folder has the shipped systems inside: it lists, shows and runs each, as a sweep's system and as an
# include, too. A folder configs beside it comes before them.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

mkdir -p "$WORK/alone/bin" && cp "$RUBATO" "$WORK/alone/bin/rubato" && cd "$WORK/alone" || exit 1
alone=$WORK/alone/bin/rubato
check 'list' cmp <("$alone" config list) <("$RUBATO" config list)
check 'the list is long' test "$("$alone" config list | wc -l)" -gt 25
systems=$("$alone" config list | awk 'NR > 1 { print $1 }')
for system in $systems; do
    check "$system: as beside configs" cmp -s <("$alone" config show "$system") <("$RUBATO" config show "$system")
    traces=("$TRACES/gups" --records 300)
    case $system in
        a100* | a40 | gh200 | h100* | h200 | qv100* | titanv | v100 | r9nano* | rtx* | titanx*) traces=("$TRACES/gpu/pascal-vectoradd-100") ;;
        genoa* | champsim | dpc* | crc2 | cbp) traces=(--model elastic "$TRACES/gups" --records 300) ;;
        hetero | macsim*) traces=(--set cores=1 --set gpu=none "$TRACES/gups" --records 300) ;;
    esac
    timeout 60 "$alone" replay "$system" "${traces[@]}" --quiet >out 2>&1
    code=$?
    check "$system: runs" test "$code" = 0
    [ "$code" = 0 ] || cat out
done
check 'an include' test "$("$alone" config show laptop --set include=core/zen4 | grep -c 'numROBEntries: 320')" = 1
echo 'include: [laptop, core/zen4]' >own.yaml
check 'an include of a file' cmp -s <("$alone" config show own.yaml | tail -n +2) <("$alone" config show laptop --set include=core/zen4 | tail -n +2)
printf 'system: [wide, detailed/ddr4]\ntraces: [%s/triad]\naxes: {l2.size: [1MiB]}\n' "$TRACES" >sweep.yaml
check 'a sweep' eval '"$alone" sweep sweep.yaml -o sweep.db >sweep.log 2>&1'
check 'its system' grep -q wide <("$alone" results sweep.db)
refused 'no such system' 'did you mean server\?' "$alone" config show servr
refused 'a fault in an included one names it' 'include: ../wide.yaml' "$alone" config show wide --set include=../wide.yaml
mkdir bin/configs && echo 'cpu_clock: 1GHz' >bin/configs/wide.yaml
check 'a folder beside comes first' grep -q '^cpu_clock: 1GHz' <("$alone" config show wide)
check 'and has not all' grep -q '^  size: 1280KiB' <("$alone" config show laptop)
exit $failures
