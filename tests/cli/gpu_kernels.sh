#!/usr/bin/env bash
# What is said of each GPU kernel: in the summary, the statistics, the results of a sweep.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

need_rubato
vectoradd=$TRACES/gpu/pascal-vectoradd-100     # three arrays of 100 floats: 13 sectors and 4 requests each, 1 block of 1024 threads
results() { "$RUBATO" results "$WORK/results.db" "$@"; }

# ---- a replay
"$RUBATO" replay titanx "$vectoradd" --stats "$WORK/stats.json" >"$WORK/summary" 2>"$WORK/stderr"
check 'sectors, bytes and occupancy in the summary' grep -qE '^ +1 _Z6vecAdd.* 3\.25 +0\.001 .* 50\.0 %  idle' "$WORK/summary"
"$RUBATO" config show titanx >"$WORK/titanx.yaml"
cat >"$WORK/look.py" <<'PYTHON'
import json, re, sys
kernel = json.load(open(sys.argv[1]))["kernels"][0]
text = open(sys.argv[2]).read()
peak = {key: float(re.search(rf"#   {title} +([\d.]+) GB/s", text)[1]) for key, title in (("dram", "memory"), ("l2", "GPU's L2, all slices"))}
seconds = (kernel["end_ps"] - kernel["start_ps"]) * 1e-12
assert kernel["sectors_per_request"] == 13 / 4 and kernel["l2_bytes"] == 3 * 13 * 32 and kernel["occupancy"] == 0.5
for level in ("l2", "dram"):
    assert abs(kernel[level + "_of_peak"] - kernel[level + "_bytes"] / seconds / peak[level] / 1e9) < 1e-5, level
assert kernel["bound"] == "gpu_idle"
PYTHON
check 'bytes against the peaks that config show names' python3 "$WORK/look.py" "$WORK/stats.json" "$WORK/titanx.yaml"

# ---- results of a sweep over cards
printf 'system: [qv100, rtx3070]\ntraces: ["%s"]\n' "$(realpath "$vectoradd")" >"$WORK/sweep.yaml"
"$RUBATO" sweep "$WORK/sweep.yaml" -o "$WORK/results.db" >"$WORK/stdout" 2>"$WORK/stderr"
"$RUBATO" replay qv100 "$vectoradd" --stats "$WORK/qv100.json" --quiet >/dev/null 2>&1
check 'a row a kernel and point' test "$(results --kernels --tsv | wc -l)" = 3
check 'its cycles are those of the replay' test "$(results --kernels --where 'system == qv100' --columns kernel.cycles --tsv | tail -n 1)" = \
    "$(grep -oE '"cycles": [0-9]+' "$WORK/qv100.json" | head -n 1 | cut -d ' ' -f 2)"
check 'conditions and order name its figures' test \
    "$(results --kernels --where 'kernel.cycles > 5000' --sort -kernel.cycles --columns system,kernel.grid --tsv | sed -n 2p)" = "$(printf 'rtx3070\t1x1x1')"
check 'a pivot of its figures' eval 'results --kernels --pivot system,kernel.number --value kernel.l2_bytes --tsv | grep -q "^qv100.*1248"'
refused 'an unknown figure' 'kernel\.wayz: a kernel has no such figure' "$RUBATO" results "$WORK/results.db" --kernels --columns kernel.wayz
check 'no column of all points' eval '! results --csv | head -n 1 | tr , "\n" | grep -qx kernels'

# ---- beside cores, and without a GPU
printf 'system: hetero\ntraces:\n  - {name: both, traces: ["%s", "%s"]}\n' "$(realpath "$TRACES/triad")" "$(realpath "$vectoradd")" >"$WORK/both.yaml"
"$RUBATO" sweep "$WORK/both.yaml" -o "$WORK/both.db" >"$WORK/stdout" 2>"$WORK/stderr"
check 'beside cores' test "$("$RUBATO" results "$WORK/both.db" --kernels --columns kernel.l2_bytes,kernel.number --tsv | tail -n 1)" = "$(printf '1248\t1')"
printf 'system: default\ntraces: ["%s"]\n' "$(realpath "$TRACES/triad")" >"$WORK/cpu.yaml"
"$RUBATO" sweep "$WORK/cpu.yaml" -o "$WORK/cpu.db" >"$WORK/stdout" 2>"$WORK/stderr"
refused 'a sweep without a GPU' 'no point has kernels of a GPU' "$RUBATO" results "$WORK/cpu.db" --kernels
check 'the files are undamaged' "$RUBATO" results "$WORK/both.db" --check

exit $failures
