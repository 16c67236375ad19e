#!/usr/bin/env bash
# What readers find in MacSim traces: sets made here (two headers in a folder, figures by stream and by subfolder, an archive, no
# facts), all of $SHARED, and that a wrong figure, an unreadable set and wrong usage show.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

sets=$SHARED/traces/macsim
export TMPDIR=$WORK
write() { "$BUILD/tests/tools/macsim_write" "$@" || not_ok "macsim_write $*"; }
facts() { "$MACSIM_FACTS" "$@" 2>"$WORK/messages"; }

# counted NAME EXIT_CODE LAST_LINE ARGUMENTS...
counted() {
    local name=$1 code=$2 last=$3 got
    shift 3
    facts "$@" >"$WORK/out"
    got=$?
    if [ "$got" = "$code" ] && [ "$(tail -n 1 "$WORK/out")" = "$last" ]; then
        ok "$name"
    else
        not_ok "$name: exit code $got, $(tail -n 1 "$WORK/out")"
        grep -v '	ok$' "$WORK/out" | head -n 20
        head -n 20 "$WORK/messages"
    fi
}
# said NAME FILE LINE
said() { if grep -qxF -- "$3" "$WORK/$2"; then ok "$1"; else not_ok "$1"; head -n 5 "$WORK/$2"; fi; }

own=$WORK/own
mkdir -p "$own/two-headers" "$own/kernels" "$own/none" "$WORK/pack/k_0" "$WORK/pack/k_1"

# a loop of threads: 6 records, 2 loads and a store of 8 bytes, a branch that is taken but for the last time
printf 'x86 1.3\n2\n0 0\n1 9\n' >"$own/two-headers/a.txt"
printf '1 x86\n0 0\n' >"$own/two-headers/b.txt"
write C80/x86-pin313 50 gzip "$own/two-headers/a" 0 1
write C80/x86-pin212 20 plain "$own/two-headers/b" 0
cat >"$own/two-headers/facts.json" <<'END'
{
 "files": 3, "records": 720, "instructions": 720, "loads": 240, "stores": 120, "taken": 117, "bytes_read": 1920,
 "static_pcs": 6, "tail_bytes": 0, "cf": {"0": 600, "2": 120}, "read_size": {"8": 240}, "num_ld_1": 240, "op_30": 120,
 "per_file": {"a_0.raw": 300, "a_1.raw": 300, "b_0.raw": 120},
 "b_0.raw": {"taken": 19, "opcode": {"16": 20, "7": 20, "32": 20, "30": 20, "28": 20, "14": 20}}
}
END

# a loop of warps: 5 instructions, one loads and one stores; EXIT behind the last
for kernel in 0 1; do
    printf 'newptx 14 6 4 0 0 1 0 65536 0 65537 0' >"$WORK/pack/k_$kernel/Trace.txt"
    write G72/ptx-v14 $((10 + kernel)) plain "$WORK/pack/k_$kernel/Trace" 0 1 65536 65537
done
printf 'newptx 14 -1 /far/away/k_0/Trace.txt /far/away/k_1/Trace.txt' >"$WORK/pack/kernel_config.txt"
tar -czf "$own/kernels/pack.tar.gz" -C "$WORK" pack
cat >"$own/kernels/facts.json" <<'END'
{
 "k_0": {"files": 4, "records": 524, "instructions": 204, "mem_instr": 80, "lane_addresses": 2560,
         "mem_lane_mismatch": 0, "active_lanes": 6528, "cf": {"0": 160, "2": 40, "8": 4},
         "global_local_128B_transactions": 80, "distinct_128B_lines_global_local": 40},
 "k_1": {"files": 4, "instructions": 224, "k_1": {"Trace_65537.raw": {"instructions": 56}}}
}
END
# threads and kernels in one folder, names with dots and blanks, a list that names a kernel twice and one that is not there, a dump
# and a table that are no headers
mixed=$own/mixed
mkdir -p "$mixed"
cp -r "$WORK/pack/k_0" "$mixed/k_0"
printf 'newptx 14 -1 /gone/k_0/Trace.txt /gone/k_9/Trace.txt k_0/Trace.txt' >"$mixed/kernel_config.txt"
printf 'x86 1.3\n1\n0 0\n' >"$mixed/app v1.2.txt"
printf 'x86 1.3 1 0 0' >"$mixed/tile.txt"
write C80/x86-pin313 10 gzip "$mixed/app v1.2" 0
write C464/x86-amx2 5 plain "$mixed/tile" 0
printf '24 12.5%%\n7 3.2%%\n' >"$mixed/opcode_stat.txt"
printf '2 README.md and more' >"$mixed/notes.txt"
cat >"$mixed/facts.json" <<'END'
{
 "files": 6, "tail_bytes": 0, "k_0": {"instructions": 204, "per_file": {"Trace_1.raw": 131}},
 "per_file": {"app v1.2_0.raw": 60, "tile_0.raw": 30}, "app v1.2.txt": {"cf": {"0": 50, "2": 10}}, "tile": {"records": 30}
}
END
[ -d "$sets" ] || skip "sets of MacSim traces (7): $sets is not there"
counted 'sets made here' 0 '3 passed, 0 failed' "$own"
said 'a set without facts' out 'none	skipped	no facts.json'
said 'figures by stream' out 'two-headers	figures	24	differ	0	ok'
said 'a list with a kernel that is missing: streams one by one' out 'mixed	figures	9	differ	0	ok'
check 'and missing facts are reported' grep -q 'names /gone/k_9/Trace\.txt, which is not there' "$WORK/messages"
said 'figures by subfolder' out 'kernels	figures	15	differ	0	ok'
counted 'one set' 0 '1 passed, 0 failed' "$own" two-headers
counted 'only a set without facts' 0 '0 passed, 0 failed' "$own" none

printf 'newptx 14 -1 /gone/k_0/Trace.txt k_0/Trace.txt' >"$mixed/kernel_config.txt"
counted 'a kernel that is named twice counts once' 0 '1 passed, 0 failed' "$own" mixed
check 'texts that are no headers' grep -q 'notes\.txt: begins like a header, but is none; left out' "$WORK/messages"

cp -r "$own" "$WORK/wrong"
rm -r "$WORK/wrong/mixed"
sed -i 's/"taken": 19/"taken": 20/; s/"2": 120/"2": 119, "3": 1/; s/"op_30": 120/"wings": 2/' "$WORK/wrong/two-headers/facts.json"
counted 'wrong figures' 1 '1 passed, 1 failed' "$WORK/wrong"
said 'a wrong figure is named' messages 'two-headers/b_0.raw	taken	20	19'
said 'a wrong figure by value' messages 'two-headers	cf 2	119	120'
said 'a figure that nobody knows' messages 'two-headers	wings	a figure	not known'
sed -i 's/, "2": 119, "3": 1//' "$WORK/wrong/two-headers/facts.json"
counted 'a value that is not named' 1 '0 passed, 1 failed' "$WORK/wrong" two-headers
said 'a value that is not named is told' messages 'two-headers	cf 2	0	120'
rm "$WORK/wrong/two-headers/a_1.raw"
truncate -s 1000 "$WORK/wrong/kernels/pack.tar.gz"
counted 'unreadable sets' 1 '0 passed, 2 failed' "$WORK/wrong"
check 'nothing is left behind' [ -z "$(ls -d "$WORK"/macsim-facts.* 2>/dev/null)" ]

counted 'no argument' 2 ''
counted 'no folder' 2 '' "$WORK/missing"
counted 'no set' 2 '' "$own/none"
counted 'an unknown set' 2 '' "$own" three-headers

if [ -d "$sets" ]; then
    facts "$sets" >"$WORK/all"
    code=$?
    grep -v '	ok$' "$WORK/all" | tail -n 1
    [ "$code" = 0 ] || { grep FAILED "$WORK/all"; head -n 40 "$WORK/messages"; }
    exit $code
fi
exit $failures
