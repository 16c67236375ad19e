#!/usr/bin/env bash
# tests/gpu-hardware: a sample of its tables on the real command; with a stand-in, whose cycles are given, errors, halves, empty kernels,
# two tools that disagree, refusals.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
command -v python3 >/dev/null || { skip 'gpu-hardware (1): there is no python3'; exit 0; }
export PYTHONDONTWRITEBYTECODE=1

run() { tests/gpu-hardware "$@" >"$WORK/out" 2>"$WORK/err" </dev/null; }
line() { grep -qE -- "$1" "$WORK/out"; }

run --rows --jobs 2 tests/reference/gpu_hardware a100-40 v100 h100-pcie
check 'a row of each table is replayed' eval "[ $(grep -cE '^row (latency|l1_strides|launch|kernels) ' "$WORK/out") = 16 ]"
check 'eight turns of banks take eight cycles' line '^row l1_strides a100-40 float stride 8 1024 1: measured 8, simulated (7\.[7-9]|8)'
check 'a bound is judged' line '^(not )?ok latency: 3 rows, mean [0-9.]+ %, worst [-+]'
check 'the last line counts' eval "tail -1 '$WORK/out' | grep -qE '^[0-9]+ passed, [0-9]+ failed$'"

# The stand-in's kernels take 1,000 cycles and one for each block.
cat >"$WORK/rubato" <<'END'
#!/usr/bin/env bash
[ "$1" != config ] || exec "$REAL" "$@"
printf '#kernel\tcycles\n'
for file in "$3"/kernel-*; do
    printf 'kernel\t%s\n' $((1000 + $(grep -c BEGIN_TB "$file")))
done
END
chmod +x "$WORK/rubato"
export REAL=$RUBATO
mkdir "$WORK/tables"
made() { printf 'card\ttool\tblocks\tthreads\tcycles\n' >"$WORK/tables/launch.tsv" && printf 'h100-pcie\t%b\n' "$@" >>"$WORK/tables/launch.tsv"; }
with() { RUBATO=$WORK/rubato run --jobs 1 --rows "$@" "$WORK/tables" h100=h100-pcie; }
made 'ncu\t1024\t256\t3024' 'ncu\t2048\t256\t4048' 'nsys\t2048\t256\t4100' 'ncu\t2048\t1024\t3000' 'nsys\t2048\t1024\t4853'
check 'what is as measured passes' with
check "the tool's empty kernel is taken off, and the replay's" line '^row launch h100 ncu 1024 256: measured 1024, simulated 1023, -0\.1 %'
check 'a tool without two points has the known empty kernel' line '^row launch h100 nsys 2048 256: measured 2247, simulated 2047, -8\.9 %'
check 'between two tools is right' line '^row launch h100 ncu 2048 1024: measured 2047, simulated 2047'
made 'ncu\t1024\t256\t3024' 'ncu\t2048\t256\t4048' 'ncu\t2048\t1024\t4000' 'nsys\t2048\t1024\t3843'
check 'above 16 warps the nearer tool counts' eval "with && line '^ok launch above 16 warps: 2 rows, mean 2\.[34] %'"
made 'ncu\t1024\t256\t1024' 'ncu\t2048\t256\t8192'
check 'a mean above its bound fails' eval '! with'
check 'and is said with its worst row' line '^not ok launch to 16 warps: 2 rows, mean 85\.7 %, worst .* 15 % asked$'
count() { with "$@"; grep -c '^row' "$WORK/out"; }
check 'halves are parts of the whole' eval "[ $(($(count --half first) + $(count --half second))) = 2 ]"
check 'one of each card and kernel' eval "[ $(count --most 1) = 1 ]"

made 'ncu\t1024\t256\tfast'
check 'a figure that is none is refused' eval '! with'
check 'with file, line, column' grep -qE 'launch.tsv:2: cycles: .fast.: expected a number above 0' "$WORK/err"
printf 'card\ttool\nx\ty\n' >"$WORK/tables/launch.tsv"
check 'a column that lacks is refused' eval "! with && grep -q 'launch.tsv:2: blocks: expected a value' '$WORK/err'"
made 'ncu\t1024\t256\t3024'
sed -i 's/h100-pcie/b200/' "$WORK/tables/launch.tsv"
check 'a card without system fails' eval "! with && line '^not ok card b200: '"
check 'a folder without tables is refused' eval "! run '$WORK' h100 && grep -q 'has none of the tables' '$WORK/err'"
check 'a system that is none is refused' eval "! run '$WORK/tables' h1000 && grep -q h1000 '$WORK/err'"
exit "$failures"
