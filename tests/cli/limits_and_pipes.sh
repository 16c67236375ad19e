#!/usr/bin/env bash
# What cannot be done is refused, not ignored: files named by a list in a pipe, a warm-up that never ends, keys with two
# meanings, lists without kernels.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

traces=tests/traces
data=$traces/triad/deptrace.proto.gz
fetch=$traces/triad/fetchtrace.proto.gz

# --- pipes and standard input
"$RUBATO" trace info "$data" >"$WORK/info"
"$RUBATO" trace dump "$data" --records 0:50 >"$WORK/dump"
without_name() { sed 1d "$1"; }
check 'info of standard input' eval 'timeout 20 "$RUBATO" trace info - <"$data" >"$WORK/out" && cmp <(without_name "$WORK/out") <(without_name "$WORK/info")'
check 'info of a pipe' eval 'timeout 20 "$RUBATO" trace info <(cat "$data") >"$WORK/out" && cmp <(without_name "$WORK/out") <(without_name "$WORK/info")'
check 'dump of standard input, a pipe' eval 'cat "$data" | timeout 20 "$RUBATO" trace dump - --records 0:50 | cmp - "$WORK/dump"'
mkfifo "$WORK/fifo"
through_pipe() {    # NAME PATTERN FILE COMMAND...: refused, with FILE in the pipe
    local name=$1 pattern=$2 file=$3 writer
    shift 3
    cat "$file" >"$WORK/fifo" 2>/dev/null & writer=$!
    refused "$name" "$pattern" "$@"
    kill "$writer" 2>/dev/null
    wait "$writer" 2>/dev/null
}
list=$traces/gpu/volta-bfs-2blocks/kernelslist.g
check 'info of fetches in a pipe' eval 'timeout 20 "$RUBATO" trace info <(cat "$fetch") | grep -q "packet trace"'
through_pipe 'info of a list of kernels in a pipe' 'kernel-[0-9]+.traceg is not there' "$list" "$RUBATO" trace info "$WORK/fifo"
through_pipe 'verify of a pipe' 'is not a trace store' "$data" "$RUBATO" trace verify "$WORK/fifo"
through_pipe 'pack of a pipe' 'expected a folder' "$data" "$RUBATO" trace pack "$WORK/fifo" -o "$WORK/store"
through_pipe 'replay of a pipe' 'expected a folder' "$data" "$RUBATO" replay default "$WORK/fifo"
through_pipe 'what is no MacSim stream in a pipe' 'no record layout fits' "$data" "$RUBATO" trace info "$WORK/fifo" --format x86-2013a

# --- warm-ups that never end
records=35000
refused 'a warm-up as long as the trace and one' 'warmup.*35000' "$RUBATO" replay default $traces/triad --warmup $((records + 1)) --quiet
check 'a warm-up as long as the trace' "$RUBATO" replay default $traces/triad --warmup $records --quiet
refused 'a warm-up behind the last record' 'warmup' "$RUBATO" replay default $traces/triad --warmup 2000 --records 1000 --quiet
refused 'a warm-up behind the end' 'warmup' "$RUBATO" replay default $traces/triad --warmup 2000 --until 1000 --quiet

# --- sweeps
spec() { printf '%s\n' 'system: default' "traces: [$PWD/$traces/triad]" "$@" >"$WORK/spec.yaml"; }
spec 'axes: {l1d.mshrs: [1, 2]}' 'set: {l1d.mshrs: 4}'
refused 'an axis that is set, too' ':3: l1d.mshrs:.*line 4' "$RUBATO" sweep "$WORK/spec.yaml" -o "$WORK/s.db"
spec 'zip: {l1d.mshrs: [1, 2], l2.mshrs: [1, 2]}' 'set: {l2.mshrs: 4}'
refused 'an axis of a group that is set, too' ':3: l2.mshrs:.*line 4' "$RUBATO" sweep "$WORK/spec.yaml" -o "$WORK/s.db"
spec 'axes: {l1d.mshrs: [1, 2]}' "warmup: $((records + 1))"
"$RUBATO" sweep "$WORK/spec.yaml" -o "$WORK/s.db" >/dev/null 2>&1
check 'points whose warm-up never ends fail' eval '[ "$("$RUBATO" results "$WORK/s.db" --columns error | grep -c warmup)" = 2 ]'

# --- lists without kernels
printf 'MemcpyHtoD,0x1,10\n' >"$WORK/kernelslist.g"
refused 'info of a list without kernels' 'names no kernel' "$RUBATO" trace info "$WORK/kernelslist.g"
refused 'replay of a list without kernels' 'names no kernel' "$RUBATO" replay qv100 "$WORK/kernelslist.g"
exit ${failures:-0}
