# A GPU kernel of a test's own making, as a trace of Accel-Sim; to be sourced, with WORK set.

# gpu_kernel NAME BLOCKS WARPS TIMES: a kernel in $WORK/NAME of BLOCKS blocks of WARPS warps, each of which runs the lines of standard
# input TIMES times: "* INSTRUCTION" for all warps, "0 INSTRUCTION" for the first one; then it ends.
gpu_kernel() {
    mkdir -p "$WORK/$1"
    echo kernel-1.traceg >"$WORK/$1/kernelslist.g"
    awk -v name="$1" -v blocks="$2" -v warps="$3" -v times="$4" '
        { who[NR] = $1; sub(/^[^ ]+ /, ""); what[NR] = $0 }
        END {
            print "-kernel name = " name "\n-kernel id = 1\n-grid dim = (" blocks ",1,1)\n-block dim = (" 32 * warps ",1,1)\n-shmem = 0"
            print "-nregs = 16\n-binary version = 70\n-cuda stream id = 0\n-shmem base_addr = 0x00007f0000000000"
            print "-local mem base_addr = 0x00007f1000000000\n-nvbit version = 1.5.5\n-accelsim tracer version = 4\n-enable lineinfo = 0\n"
            for (block = 0; block < blocks; block++) {
                print "\n#BEGIN_TB\n\nthread block = " block ",0,0\n"
                for (warp = 0; warp < warps; warp++) {
                    list = ""
                    count = 1
                    for (k = 0; k < times; k++)
                        for (i = 1; i <= NR; i++)
                            if (who[i] == "*" || who[i] == warp) {
                                list = list sprintf("%04x ffffffff %s\n", 16 * i, what[i])
                                count++
                            }
                    print "warp = " warp "\ninsts = " count "\n" list sprintf("%04x ffffffff 0 EXIT 0 0\n", 16 * NR + 16)
                }
                print "#END_TB"
            }
        }' >"$WORK/$1/kernel-1.traceg"
}
