#!/usr/bin/env bash
# Pointing at an element names it: the bar, the status line, titles, legends, scales and axes answer as parts of the
# system do, in a view of several systems.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/display.sh
need_rubato

need_pictures 'pointing (5)'

# steps TITLE...: each is pointed at by its title, and says it
steps() { for title; do printf 'point text %s\nawait hover %s\n' "$title" "$title"; done; }
all='Simulated time
Speed
Samples
Keys
Time window
First keys
Share of the peak
Width of links
Fill of boxes
DRAM banks
active row
conflicts
Memory bandwidth
Scale of Memory bandwidth
Time axis
Addresses
Accesses by address
Scale of colours
Rows of the map'
mapfile -t titles <<<"$all"

{ echo 'await ended'; steps "${titles[@]}" ended 'Load latency' p50 p99 peak 'Core cycles' 'Core buffers' 'By requestor'; } |
    scripted 'a core' wide "$TRACES/triad" --speed max
{ echo 'await ended'; steps "${titles[@]}" 'Warps' 'SM schedulers' 'GPU read latency'; } |
    scripted 'a GPU' rtx2060 "$TRACES/gpu-raw" --kernels 2 --set gpu.launch_latency=100 --every 50ns --speed max
# Rows of charts are then so low that their titles are drawn inside.
{ echo 'await no running'; steps "${titles[@]/#Memory bandwidth/By requestor}"; } | sed 's/text By req/chart By req/; s/hover By req.*/hover By requestor at/' |
    scripted 'two runs' wide "$TRACES/triad" --compare etrace --speed max
{ echo 'at 4us'; steps 'Share of the peak' 'DRAM banks' 'Time axis'; printf '%s\n' 'point component cpu41' 'await hover cpu41'; } |
    scripted 'groups' many-64c-16ch "$TRACES/triad" --every 1us --speed max
scripted 'what is said changes with what is shown' wide "$TRACES/triad" --speed max <<'S'
await ended
key s
point text Message
await hover Message
key p
point parameter cpu.rob
await hover cpu.rob
move 876 300
await hover Parameters
key escape
await no hover Parameters
S
exit $failures
