#!/usr/bin/env bash
# Stores of a GPU take the time that DRAM needs for them: a kernel that writes N bytes takes (N - size of the L2) / peak bandwidth
# at least, on each card and by each pattern. What is under way between the L2 and DRAM is bounded by the queues.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

readonly BLOCK=256

# stores FOLDER BYTES-A-LANE STRIDE MIB: a kernel that stores MIB, each lane once
stores() {
    mkdir -p "$1"
    printf 'kernel-1.traceg\n' >"$1/kernelslist.g"
    awk -v bytes="$2" -v stride="$3" -v mib="$4" -v block=$BLOCK 'BEGIN {
        blocks = mib * 1048576 / bytes / block
        printf("-kernel name = stores\n-kernel id = 1\n-grid dim = (%d,1,1)\n-block dim = (%d,1,1)\n-shmem = 0\n-nregs = 32\n" \
               "-binary version = 75\n-cuda stream id = 0\n-shmem base_addr = 0x7e0000000000\n-local mem base_addr = 0x7e1000000000\n" \
               "-nvbit version = 1.7\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n#traces format = PC mask dest_num " \
               "[reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate\n\n", blocks, block)
        opcode = bytes == 16 ? "STG.E.128" : "STG.E"
        for (b = 0; b < blocks; b++) {
            printf("#BEGIN_TB\n\nthread block = %d,0,0\n\n", b)
            for (w = 0; w < block / 32; w++) {
                printf("warp = %d\ninsts = 2\n0000 ffffffff 0 %s 2 R2 R4 %d 1 0x7f00%08x %d 0\n0010 ffffffff 0 EXIT 0 0 0\n\n", w,
                       opcode, bytes, (b * block / 32 + w) * 32 * stride, stride)
            }
            print("#END_TB\n")
        }
    }' >"$1/kernel-1.traceg"
}

stores "$WORK/wide" 16 16 8
stores "$WORK/words" 4 4 4
stores "$WORK/apart" 16 32 4

# held CARD PATTERN MIB [OPTION...]: its time is no less than DRAM's
held() {
    local card=$1 pattern=$2 mib=$3
    shift 3
    "$RUBATO" replay "$card" "$WORK/$pattern" "$@" >"$WORK/said" 2>&1
    check "$card, $pattern${*:+, $*}" awk -v mib="$mib" '
        /^memory / && / GB\/s$/ { peak = $(NF - 1) }
        /- gpu.l2 x[0-9]+ / {
            for (i = 1; i <= NF; i++) {
                if ($i ~ /^x[0-9]+$/) slices = substr($i, 2)
                if ($i ~ /^[0-9.]+[KM]?i?B,$/ && !size) size = $i * ($i ~ /KiB/ ? 1024 : $i ~ /MiB/ ? 1048576 : 1)
            }
        }
        /^time / { ms = $2 }
        END { exit !(peak > 0 && slices > 0 && size > 0 && ms > 0 && ms * 1e6 * peak >= mib * 1048576 - slices * size) }' "$WORK/said"
}

for card in $(cd configs/gpu && ls -- *.yaml); do
    card=${card%.yaml}
    held "$card" wide 8 --set gpu.l2.sets=16
done
for card in rtx2060 titanx qv100 rtx3070-commands; do
    held "$card" words 4 --set gpu.l2.sets=16
    held "$card" apart 4 --set gpu.l2.sets=16
done
held rtx2060 wide 8
held rtx2060 wide 8 --set gpu.l2.sets=16 --engine plain
exit $failures
