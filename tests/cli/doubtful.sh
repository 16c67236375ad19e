#!/usr/bin/env bash
# Comparisons name the unrequested differences of their points: page policy, queues and mapping that come with a device. And the
# order of settings and axes changes nothing.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

sweep() {    # NAME SYSTEM AXES...: NAME.db
    local name=$1 system=$2
    shift 2
    { echo "system: $system"; echo "traces: [$TRACES/triad]"; echo 'axes:'; printf '  %s\n' "$@"; } >"$WORK/$name.yaml"
    "$RUBATO" sweep "$WORK/$name.yaml" -o "$WORK/$name.db" >"$WORK/$name.log" 2>&1 || cat "$WORK/$name.log"
}
device='memory.device: [DDR3_1600_8x8, DDR5_6400_4x8]'
doubt='^doubtful: memory\.dram\.read_buffer_size: 32, 64; memory\.dram\.page_policy: open_adaptive, close_adaptive: differ, though no axis'

sweep kept wide "$device"
check 'a sweep over devices keeps the page policy' test "$("$RUBATO" results "$WORK/kept.db" --csv --columns memory.dram.page_policy |
    tail -n +2 | tr '\n' ' ')" = 'open_adaptive open_adaptive '
check 'nothing doubtful then' test "$("$RUBATO" results "$WORK/kept.db" | grep -c doubtful)" = 0
sweep own etrace "$device"
check 'devices with policies of their own: results' grep -qE "$doubt" <("$RUBATO" results "$WORK/own.db")
check 'not in output for programs' test "$("$RUBATO" results "$WORK/own.db" --csv | grep -c doubtful)" = 0
check 'one point alone differs from nothing' test "$("$RUBATO" results "$WORK/own.db" --limit 1 | grep -c doubtful)" = 0
check 'diff of two points' grep -qE '^doubtful +memory\.dram\.read_buffer_size: 32, 64;' <("$RUBATO" diff "$WORK/own.db:1" "$WORK/own.db:2")
"$RUBATO" report "$WORK/own.db" -o "$WORK/own.html" >/dev/null
check 'report' grep -q 'page_policy: open_adaptive, close_adaptive: differ, though no axis' "$WORK/own.html"
sweep asked etrace "$device" 'memory.policy: [device, system]'
check 'asked for' test "$("$RUBATO" results "$WORK/asked.db" | grep -c doubtful)" = 0
sweep policy wide 'memory.dram.page_policy: [open, close]'
check 'an axis that names it' test "$("$RUBATO" results "$WORK/policy.db" | grep -c doubtful)" = 0
check 'diff of systems' grep -qE '^doubtful .*memory\.dram\.page_policy: close_adaptive, open_adaptive' \
    <("$RUBATO" diff laptop quad --traces "$TRACES/triad")
check 'diff whose setting names it' test "$("$RUBATO" diff wide wide --traces "$TRACES/triad" --set-b memory.dram.page_policy=close |
    grep -c doubtful)" = 0

sweep one wide "$device" 'memory.dram.tCL: [12ns, 20ns]'
sweep other wide 'memory.dram.tCL: [12ns, 20ns]' "$device"
times() { "$RUBATO" results "$WORK/$1.db" --csv --columns memory.device,memory.dram.tCL,time_ms | sort; }
check 'the order of axes changes nothing' test "$(times one)" = "$(times other)"
show() { "$RUBATO" config show wide "$@" | grep -v '^ *#'; }
check 'nor does that of settings' test "$(show --set memory.dram.tCL=20ns --set memory.device=DDR5_6400_4x8)" = \
    "$(show --set memory.device=DDR5_6400_4x8 --set memory.dram.tCL=20ns)"
exit $failures
