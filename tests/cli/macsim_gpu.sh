#!/usr/bin/env bash
# GPU kernels of MacSim sets: blocks and warps of the ids, lists in order, children of N64, stores, thousands of files; and beside
# threads of MacSim's CPUs in one system. The sets are made by our own writers (tests/tools/macsim_sets.c).
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

sets=$WORK/sets
mkdir "$sets"
if ! "$BUILD/tests/tools/macsim_sets" "$sets"; then
    not_ok 'the sets are made'
    exit 1
fi
hetero=macsim-hetero-4c-4g

replay() { "$RUBATO" replay "$@" --quiet </dev/null 2>"$WORK/stderr"; }
# figure FILE KERNEL NAME: of the statistics in JSON
figure() { grep -o "{\"number\": $2, .*" "$1" | head -n 1 | grep -oE "\"$3\": (\"[^\"]*\"|[0-9.]+)" | head -n 1 | sed 's/.*: //; s/"//g'; }
equal() {    # NAME GOT EXPECTED
    if [ -n "$2" ] && [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1"; echo "    got '$2', expected '$3'"; fi
}
# Without what names files.
plain() { sed -E 's/"(file|path)": "[^"]*"//g' "$1" | grep -v 'host'; }

# ---- a list of two kernels, the first by a path of another machine
check 'a list of two PTX kernels runs' replay qv100 "$sets/ptx" --stats "$WORK/ptx.json"
equal 'its first kernel' "$(figure "$WORK/ptx.json" 1 name)" fill_0
equal 'its second kernel' "$(figure "$WORK/ptx.json" 2 name)" scan_1
check 'the second is launched when the first has ended' [ "$(figure "$WORK/ptx.json" 1 end_ps)" = "$(figure "$WORK/ptx.json" 2 launch_ps)" ]
equal 'blocks of the ids' "$(figure "$WORK/ptx.json" 1 blocks) $(figure "$WORK/ptx.json" 2 blocks)" '6 3'
equal 'warps of the ids' "$(figure "$WORK/ptx.json" 1 warps) $(figure "$WORK/ptx.json" 2 warps)" '12 12'
# 12 warps by 6 and by 26 instructions; address records are none
equal 'warp instructions' "$(figure "$WORK/ptx.json" 1 warp_insts) $(figure "$WORK/ptx.json" 2 warp_insts)" '72 312'
# fill_0: all lanes everywhere; scan_1: 12 warps by 16 + 32 + 32 + 20 x 17 + 1 + 32 + 32 lanes
equal 'active lanes' "$(figure "$WORK/ptx.json" 1 thread_insts) $(figure "$WORK/ptx.json" 2 thread_insts)" '2304 5820'
equal 'accesses of the spaces' "$(figure "$WORK/ptx.json" 2 global_accesses) $(figure "$WORK/ptx.json" 2 shared_accesses)" '264 12'
equal 'barriers' "$(figure "$WORK/ptx.json" 2 barriers)" 12
replay qv100 "$sets/ptx" --set gpu.sms=1 --stats "$WORK/one.json"
equal 'blocks an SM by the header' "$(figure "$WORK/one.json" 1 blocks_per_sm) $(figure "$WORK/one.json" 1 limit)" '1 trace'
equal 'and of the next kernel' "$(figure "$WORK/one.json" 2 blocks_per_sm) $(figure "$WORK/one.json" 2 limit)" '2 trace'
replay qv100 "$sets/ptx" --kernels 2 --stats "$WORK/second.json"
equal 'one kernel of the list' "$(figure "$WORK/second.json" 2 name)" scan_1
check 'the header of a kernel is a list of itself' replay qv100 "$sets/ptx/scan_1/Trace.txt"

# ---- applications start together, also one that is listed twice
printf '2\nptx/kernel_config.txt\nptx/kernel_config.txt\n' >"$sets/twice"
check 'an application twice' replay qv100 "$sets/twice" --stats "$WORK/twice.json"
equal 'its instances are streams' "$(for kernel in 1 2 3 4; do figure "$WORK/twice.json" $kernel stream_id; done | tr '\n' ' ')" '0 0 1 1 '
equal 'which start together' "$(figure "$WORK/twice.json" 3 launch_ps)" "$(figure "$WORK/twice.json" 1 launch_ps)"
check 'and are packed' "$RUBATO" trace pack "$sets/twice" -o "$WORK/twice.rgt" --quiet
replay qv100 "$WORK/twice.rgt" --stats "$WORK/store.json"
check 'into a store that replays the same' cmp -s <(plain "$WORK/twice.json") <(plain "$WORK/store.json")

# ---- N64: a load of four blocks is one instruction, with its parent's block; in the reference's way without
check 'N64 runs' replay qv100 "$sets/nvbit" --stats "$WORK/n64.json"
replay qv100 "$sets/nvbit" --macsim-compat --stats "$WORK/compat.json"
equal 'children are no instructions' "$(figure "$WORK/n64.json" 1 warp_insts)" 16
equal 'lines of parents and children, and of stores' "$(figure "$WORK/n64.json" 1 lines)" 20
equal 'lines in the way of the reference' "$(figure "$WORK/compat.json" 1 lines)" 16

# ---- stores
for set in ptx nvbit; do
    check "$set is packed" "$RUBATO" trace pack "$sets/$set" -o "$WORK/$set.rgt" --quiet
    replay qv100 "$sets/$set" --stats "$WORK/files.json"
    replay qv100 "$WORK/$set.rgt" --stats "$WORK/store.json"
    check "$set: the store replays the same" cmp -s <(plain "$WORK/files.json") <(plain "$WORK/store.json")
done
"$RUBATO" trace verify "$WORK/ptx.rgt" >"$WORK/stdout"
equal 'the store is whole, and its warps are what they were' "$? $(grep -c 'its 12 streams are the same' "$WORK/stdout")" '0 2'
"$RUBATO" trace pack "$sets/nvbit" -o "$WORK/compat.rgt" --macsim-compat --quiet
replay qv100 "$WORK/compat.rgt" --stats "$WORK/store.json"
check 'a store keeps the way of the reference' cmp -s <(plain "$WORK/compat.json") <(plain "$WORK/store.json")
"$RUBATO" trace dump "$WORK/nvbit.rgt" >"$WORK/dump"
equal 'blocks a core by the header' "$(grep max_blocks "$WORK/dump")" '# max_blocks 16'
equal 'which is not heard in the way of the reference' "$("$RUBATO" trace dump "$WORK/compat.rgt" | grep -c max_blocks)" 0
equal 'warp numbers with gaps' "$(grep -c '^1,0,0 [01] ' "$WORK/dump")" 8
cp -r "$sets/ptx" "$WORK/changed"
"$RUBATO" trace pack "$WORK/changed" -o "$WORK/changed.rgt" --quiet
cp "$WORK/changed/scan_1/Trace_0.raw" "$WORK/changed/scan_1/Trace_1.raw"
"$RUBATO" trace verify "$WORK/changed.rgt" >"$WORK/stdout"
equal 'a warp that has changed' "$? $(grep -c 'streams have changed' "$WORK/stdout")" '1 1'

# ---- bad input
cp -r "$sets/ptx" "$WORK/bad"
gzip -dc "$sets/ptx/scan_1/Trace_0.raw" | head -c -7 >"$WORK/bad/scan_1/Trace_0.raw"
replay qv100 "$WORK/bad"
check 'a truncated record is reported' grep -q 'Trace_0.raw: .*incomplete\|Trace_0.raw: .*record' "$WORK/stderr"
rm "$WORK/bad/scan_1/Trace_131073.raw"
refused 'a warp without its file' 'Trace_131073.raw' "$RUBATO" replay qv100 "$WORK/bad"
sed -i 's/^12$/13/' "$WORK/bad/fill_0/Trace.txt"
echo '0 0' >>"$WORK/bad/fill_0/Trace.txt"
refused 'an id twice' 'twice' "$RUBATO" replay qv100 "$WORK/bad/fill_0"
refused 'a set with both is packed one by one' \
    'trace pack .*/ptx/kernel_config\.txt -o FILE.* pack .*/x86/app\.txt -o FILE' "$RUBATO" trace pack "$sets/trace_file_list" -o "$WORK/no"
refused 'kernels without a GPU' 'has no GPU' "$RUBATO" replay wide "$sets/ptx"
refused 'the way of the reference for other traces' 'is for traces of MacSim' \
    "$RUBATO" replay qv100 tests/traces/gpu/pascal-vectoradd-100 --macsim-compat

# ---- both sides
"$RUBATO" replay "$hetero" "$sets/x86" "$sets/ptx" >"$WORK/both.txt" 2>"$WORK/stderr"
equal 'threads and kernels in one system' "$?" 0
check 'the summary shows the bandwidth of the cores' awk '$1 == "cores" && $4 > 0 { found = 1 } END { exit !found }' "$WORK/both.txt"
check 'and of the GPU' awk '$1 == "gpu" && $4 > 0 { found = 1 } END { exit !found }' "$WORK/both.txt"
check 'and both kernels in order' awk '$2 == "fill_0" { first = NR } $2 == "scan_1" { second = NR } END { exit !(first && second > first) }' \
    "$WORK/both.txt"
replay "$hetero" "$sets/x86" "$sets/ptx" --stats "$WORK/two.txt"
replay "$hetero" "$sets/trace_file_list" --stats "$WORK/list.txt"
check 'one trace_file_list gives the same' cmp -s <(plain "$WORK/two.txt") <(plain "$WORK/list.txt")
check 'threads are packed' "$RUBATO" trace pack "$sets/x86" -o "$WORK/x86.pack" --quiet
replay "$hetero" "$WORK/x86.pack" "$WORK/ptx.rgt" --stats "$WORK/packed.txt"
check 'both packed give the same' cmp -s <(plain "$WORK/two.txt") <(plain "$WORK/packed.txt")
sed 's/1\.3/1.2/' "$sets/x86/app.txt" >"$sets/x86/old.txt"
cp "$sets/x86/app_0.raw" "$sets/x86/old_0.raw"
cp "$sets/x86/app_1.raw" "$sets/x86/old_1.raw"
printf '2\nx86/old.txt\nptx/kernel_config.txt\n' >"$sets/old_list"
replay "$hetero" "$sets/old_list"
equal 'a set with both sides warns once' "$(grep -c 'old\.txt: version 1\.2' "$WORK/stderr")" 1
check 'kernels alone' replay "$hetero" "$sets/ptx"
check 'threads alone' replay "$hetero" "$sets/x86"
replay qv100 "$sets/trace_file_list"
check 'threads without cores are reported' grep -q 'no cores for the threads' "$WORK/stderr"

# ---- thousands of files, few descriptors
archive=$SHARED/traces/macsim/nvbit-vectormultadd-65536/65536.tar.gz
if [ -f "$archive" ]; then
    tar xzf "$archive" -C "$WORK"
    check '6144 warps with 64 descriptors' bash -c 'ulimit -n 64; "$@" >/dev/null 2>&1' - "$RUBATO" replay qv100 "$WORK/65536" \
        --stats "$WORK/many.json"
    equal 'all of their instructions' "$(figure "$WORK/many.json" 1 warp_insts) $(figure "$WORK/many.json" 2 warp_insts) $(
        figure "$WORK/many.json" 3 warp_insts)" '28672 28672 28672'
    check 'they become one file' bash -c 'ulimit -n 64; "$@"' - "$RUBATO" trace pack "$WORK/65536" -o "$WORK/many.rgt" --quiet
    replay qv100 "$WORK/many.rgt" --stats "$WORK/store.json"
    check 'which replays the same' cmp -s <(plain "$WORK/many.json") <(plain "$WORK/store.json")
else
    skip '6144 warps with 64 descriptors (4): needs the reference data'
fi

exit $failures
