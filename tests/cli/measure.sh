#!/usr/bin/env bash
# rubato measure: a short measurement writes a system that config and replay take, each key with what it is from; limits of the host; bad
# options; a measurement that is stopped leaves nothing. Arithmetic of values and edges: unit-spread; code: unit-micro_code.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
export TMPDIR=$WORK

case $(uname -m) in
x86_64 | aarch64) ;;
*)
    refused 'another architecture' 'architecture is not one of x86-64 and aarch64' "$RUBATO" measure --seconds 1 -o "$WORK/none.yaml"
    exit $failures ;;
esac

measure() { timeout 60 "$RUBATO" measure "$@" </dev/null >"$WORK/out" 2>"$WORK/err"; }
key_of() { awk -v key="$2:" '$1 == key { print $2; exit }' "$1"; }    # FILE KEY

# ---- a short one
machine=$WORK/machine.yaml
check 'a short measurement' measure --seconds 2 --memory 16MiB -o "$machine" --report "$WORK/page.html" --tsv
check '... says nothing else' test ! -s "$WORK/err"
check '... its table has cycles' awk -F '\t' 'NR == 1 { named = $1 == "benchmark" && $2 == "cycles" && $3 == "spread" && $4 == "replayed" }
    $1 == "add_lat" { found = $2 > 0.5 && $2 < 2 } END { exit !(named && found) }' "$WORK/out"
check '... config shows its system' "$RUBATO" config show "$machine" >"$WORK/shown"
check '... with its clock' awk '/^cpu_clock:/ { exit !($2 ~ /ps$/ && $2 + 0 > 100 && $2 + 0 < 2000) }' "$WORK/shown"
check '... replay takes it' "$RUBATO" replay "$machine" "$TRACES/field/filter_x86.rbt" --quiet --no-cache --summary "$WORK/summary.json"
check '... keys say where they are from, or why they are unknown' test "$(grep -cE '^ *(# )?[a-zA-Z0-9_.]+: [^ ]+ +# ' "$machine")" -gt 40
check '... all keys do' test "$(grep -cE '^ *[a-zA-Z0-9_]+: [^ #]+ *$' "$machine")" = 0
check '... a key that replays do not agree with is unknown' awk '/% off in the mean/ { known = $1 != "#"; match($0, /[0-9]+ % off/)
        if (known && substr($0, RSTART) + 0 > 25) bad = 1 } /does not agree/ && $1 != "#" { bad = 1 } END { exit bad }' "$machine"
check '... a key that has a value has figures' eval '! grep -E "^ *[a-zA-Z0-9_]+: [^ #]+ .*\<nan\>" "$machine"'
check '... what is not known says why' grep -qE '^ *# [a-zA-Z0-9_]+: unknown +# .' "$machine"
check '... cycles of an addition' awk '$1 == "IntALU:" { exit !($2 >= 1 && $2 <= 16) }' "$machine"
check '... a page with curves' eval 'grep -q "<svg" "$WORK/page.html" && grep -q "Latency by footprint" "$WORK/page.html" && tail -n 1 "$WORK/page.html" | grep -qx "</html>"'
check '... bandwidth by cores and latencies are replayed' awk '/<h2>/ { part = $0 } /replayed<\/text>/ && part ~ /Latency|Bandwidth/ { n++ } END { exit n != 2 }' "$WORK/page.html"
check '... without references' eval '! grep -qE "(src|href)=\"[^d]" "$WORK/page.html"'
check '... a disturbed benchmark is one whose spread is above 2 %' awk -F '\t' 'NR > 1 && $3 != "-" && $5 != "disturbed" && $3 > 0.0201 { print; bad = 1 }
    END { exit bad }' "$WORK/out"
check '... no traces are left' eval '! ls -d "$WORK"/rubato-measure-* 2>/dev/null'

# ---- limits of the host: as far as it goes, the rest is unknown
check 'little memory' eval '(ulimit -v 120000; measure --seconds 1 --memory 2MiB -o "$WORK/small.yaml")'
check '... is said' grep -qE '# l3\.size: unknown|# size: unknown +# chase: no plateau|# bandwidth: unknown' "$WORK/small.yaml"
check '... and it is a system' "$RUBATO" config show "$WORK/small.yaml" >/dev/null
check 'a small stack' eval '(ulimit -s 128; measure --seconds 1 --memory 2MiB -o "$WORK/stack.yaml")'
refused 'no memory at all' 'out of memory' bash -c "ulimit -v 40000; exec '$RUBATO' measure --seconds 1 -o '$WORK/never.yaml'"
check '... leaves nothing' test ! -e "$WORK/never.yaml"
if command -v taskset >/dev/null; then
    check 'one core' taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" "$RUBATO" measure --seconds 1 --memory 1MiB -o "$WORK/one.yaml" >/dev/null
    check '... is said' grep -q 'Cores that could be used: 1' "$WORK/one.yaml"
else
    skip 'one core (2): no taskset'
fi

# ---- stopped
("$RUBATO" measure --seconds 30 -o "$WORK/stopped.yaml" >/dev/null 2>"$WORK/err" & echo $! >"$WORK/pid"; wait $!; echo $? >"$WORK/code")&
for _ in $(seq 50); do ls -d "$WORK"/rubato-measure-* >/dev/null 2>&1 && break; sleep 0.1; done
kill -TERM "$(cat "$WORK/pid")"
wait
check 'stopped: exit code of the signal' test "$(cat "$WORK/code")" = 143
check '... nothing is left' eval '[ ! -e "$WORK/stopped.yaml" ] && ! ls -d "$WORK"/rubato-measure-* 2>/dev/null'
check '... it says so' grep -q 'nothing was written' "$WORK/err"

# ---- bad options
refused 'no output' 'no file for the system; give -o machine.yaml' "$RUBATO" measure
refused 'an operand' 'unexpected argument laptop' "$RUBATO" measure laptop -o "$WORK/x.yaml"
refused 'no seconds' '--seconds 0: expected a number of seconds' "$RUBATO" measure --seconds 0 -o "$WORK/x.yaml"
refused 'two durations' 'leave one out' "$RUBATO" measure --quick --seconds 9 -o "$WORK/x.yaml"
refused 'a size that is none' '--memory' "$RUBATO" measure --memory much -o "$WORK/x.yaml"
refused 'one file for both' '.' "$RUBATO" measure -o "$WORK/x" --report "$WORK/x"
refused 'a folder that is not there' 'no/such' "$RUBATO" measure -o "$WORK/no/such/x.yaml"
refused 'no folder for traces' 'TMPDIR' env TMPDIR="$WORK/nowhere" "$RUBATO" measure -o "$WORK/x.yaml"
exit $failures
