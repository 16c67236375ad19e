#!/usr/bin/env bash
# rubato view with two runs side by side: --set is of both, --compare-set of the second alone, which is the same system again where
# no other is named. What each run did is what a replay of that system does.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/display.sh
need_rubato

refused 'a setting of the second that is none' '--compare-set l2.size: expected KEY=VALUE' "$RUBATO" view wide "$TRACES/gups" --compare-set l2.size
refused 'settings of the second without a run' '--compare-set works only for a run started here' "$RUBATO" view --attach nobody --compare-set l2.size=1MiB
refused 'settings of the second as text' 'shows one run.*--compare-set' "$RUBATO" view wide "$TRACES/gups" --view text --compare-set l2.size=1MiB

need_pictures 'two runs side by side (13)'

frames() {    # NAME PATTERN OPTIONS...
    local name=$1 pattern=$2
    shift 2
    refused "$name" "$pattern" "$RUBATO" view wide "$TRACES/gups" --frames "$WORK/f" --at 1us "$@"
}
frames 'a key that the second does not have' 'second run: .*l2.sizes: unknown key' --compare-set l2.sizes=1MiB
frames 'a value that it does not take' 'second run: .*l2.size: 1 is out of range' --compare-set l2.size=1
frames 'a second system that is none' 'second run: nosuch: no such file' --compare nosuch

# samples FILE: what came in them
samples() { "$RUBATO" export "$1" --csv "$1.csv" && cat "$1.csv"; }
# FIRST and SECOND: systems as replay takes them, which the two runs of the view are to equal
compared() {    # NAME FIRST SECOND OPTIONS...
    local name=$1 first=$2 second=$3
    shift 3
    rm -f "$WORK"/view-*.samples
    scripted "$name" wide "$TRACES/gups" --every 2us --speed max --no-cache "$@" <<'S'
expect runs 2
await no running
key r
await note written view-0001.samples
S
    # shellcheck disable=SC2086
    "$RUBATO" replay $first "$TRACES/gups" --every 2us --record "$WORK/first.samples" --quiet --no-cache </dev/null
    # shellcheck disable=SC2086
    "$RUBATO" replay $second "$TRACES/gups" --every 2us --record "$WORK/second.samples" --quiet --no-cache </dev/null
    check "$name: the first is $first" cmp <(samples "$WORK/view-0001.samples") <(samples "$WORK/first.samples")
    check "$name: the second is $second" cmp <(samples "$WORK/view-0002.samples") <(samples "$WORK/second.samples")
}
compared 'another system' wide etrace --compare etrace
compared 'settings are of both' 'wide --set cpu.rob=20' 'etrace --set cpu.rob=20' --compare etrace --set cpu.rob=20
compared 'settings of the second come after those of both' 'wide --set cpu.rob=20 --set l2.size=64KiB' \
    'wide --set cpu.rob=60 --set l2.size=64KiB' --set cpu.rob=20 --compare-set cpu.rob=60 --set l2.size=64KiB
scripted 'c ends it, and begins it again with its settings' wide "$TRACES/gups" --every 2us --speed max --compare-set cpu.rob=20 <<'S'
await no running
key c
await runs 1
key c
await runs 2
await no running
S
exit $failures
