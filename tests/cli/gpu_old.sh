#!/usr/bin/env bash
# GPUs without an L2, or without an L1, and configurations of earlier versions of GPGPU-Sim: caches without a type or an index, options
# by earlier names, timings without bank groups, an L2 for textures alone.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

count() { grep -oE "\"[a-z0-9_.]*$1\": [0-9]+" "$2" | awk '{ sum += $2 } END { print sum + 0 }'; }

agree() {    # NAME SYSTEM SETTING...: both engines agree, and the summary is in $WORK/summary
    local name=$1 system=$2 settings=()
    shift 2
    for setting in "$@"; do settings+=(--set "$setting"); done
    for engine in fast plain; do
        "$RUBATO" replay "$system" "$TRACES/gpu/volta-bfs-2blocks" "${settings[@]}" --engine $engine --stats "$WORK/$engine.json" \
            >"$WORK/summary" 2>&1 || { not_ok "$name: $engine"; cat "$WORK/summary"; }
    done
    check "$name: both engines agree" cmp -s "$WORK/plain.json" "$WORK/fast.json"
}
last() { awk '/^kernel$/ { inside = 1 } inside && /_Z6Kernel/ { print; exit }' "$WORK/summary"; }

# ---- a card without caches
agree 'a GPU with both' qv100
with=$(last | awk '{ print $3 }')
agree 'no L2' qv100 gpu.l2=none
check 'no L2: it has no hits' grep -qE ' - / +- %' <(last)
check 'no L2: DRAM is read' awk -v n="$(last | awk '{ print $(NF - 1) }')" 'BEGIN { exit !(n > 0) }'
check 'no L2: it takes longer' awk -v with="$with" -v without="$(last | awk '{ print $3 }')" 'BEGIN { exit !(without > with) }'
agree 'no L2, few reads at once' qv100 gpu.l2.absent=yes gpu.l2.mshrs=1 gpu.l2.queue=1
agree 'no L1' qv100 gpu.l1=none
agree 'neither' qv100 gpu.l1=none gpu.l2=none
agree 'neither, of another card' r9nano gpu.l2=none
agree 'a GPU beside cores' hetero cores=0 gpu.l2=none
agree 'an L2 of 24 sets a slice' qv100 gpu.l2.index=linear gpu.l2.sets=24
refused 'xor needs a power of two' 'gpu\.l2\.sets: 24 is not a power of two; give 32' "$RUBATO" config show qv100 --set gpu.l2.index=xor \
    --set gpu.l2.sets=24
check 'the tree shows it' grep -q 'gpu\.l2 x64 *none, requests go on to DRAM' <("$RUBATO" config show qv100 --set gpu.l2=none)
check 'the printed form is read back' eval '"$RUBATO" config show qv100 --set gpu.l2=none >"$WORK/shown.yaml" &&
    cmp -s <("$RUBATO" config show "$WORK/shown.yaml" | tail -n +2) <(tail -n +2 "$WORK/shown.yaml")'

# ---- an early card: no L1, an L2 for textures, timings without bank groups
cat >"$WORK/early.config" <<'EOF'
-gpgpu_n_clusters 4
-gpgpu_n_cores_per_cluster 2
-gpgpu_n_mem 3
-gpgpu_clock_domains 400.0:600.0:600.0:800.0
-gpgpu_shader_registers 16384
-gpgpu_shader_core_pipeline 1024:32
-gpgpu_cache:il1 4:256:4,L:R:f:N:L,A:2:32,4
-gpgpu_cache:dl2 8:256:8,L:B:m:W:L,A:16:4,4
-gpgpu_cache:dl2_texture_only 1
-gpgpu_shmem_warp_parts 2
-ptx_opcode_latency_int 1,1,10,20,100
-gpgpu_n_mem_per_ctrlr 2
-gpgpu_dram_buswidth 4
-gpgpu_dram_burst_length 4
-gpgpu_mem_addr_mapping dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RRBBBCCC.CCCSSSSS
-gpgpu_dram_timing_opt nbk=8:CCD=2:RRD=8:RCD=12:RAS=25:RP=10:RC=35:CL=10:WL=7:CDLR=6:WR=11
EOF
import() { "$RUBATO" config import "$WORK/$1.config" >"$WORK/$1.yaml" 2>/dev/null || not_ok "$1: import"; }
import early
agree 'an early card' "$WORK/early.yaml"
check 'it has neither L1 nor L2' test "$(grep -cE '^ +absent: yes' "$WORK/early.yaml")" = 2
check 'three channels' grep -qE '^ +channels: 3 ' "$WORK/early.yaml"
check 'no bank groups' grep -qE '^ +bank_groups_per_rank: 0 ' "$WORK/early.yaml"
check 'a note of unmodelled options' grep -q '^# *-ptx_opcode_latency_int 1,1,10,20,100: ' "$WORK/early.yaml"
sed -i 's/nbk=8.*/8:2:8:12:25:10:35:10:7:6:11/' "$WORK/early.config"
cp "$WORK/early.yaml" "$WORK/named.yaml"
import early
check 'timings as numbers alone' cmp -s "$WORK/early.yaml" "$WORK/named.yaml"
sed 's/texture_only 1/texture_only 0/; s/dl2 8:.*/dl2 none/' "$WORK/early.config" >"$WORK/none.config"
import none
check 'none turns it off' test "$(grep -cE '^ +absent: yes' "$WORK/none.yaml")" = 2

# ---- a card of version 3: caches without a type, earlier names
sed -e 's/^-gpgpu_cache:dl2 .*/-gpgpu_cache:dl2 64:128:8,L:B:m:W:L,A:32:4,4:0,32/; s/texture_only 1/texture_only 0/' \
    -e 's/^-ptx.*/-gpgpu_cache:dl1 32:128:4,L:L:m:N,A:32:8,8/; s/^-gpgpu_shmem_warp_parts.*/-rop_latency 111 -gmem_skip_L1D 1 -smem_latency 25/' \
    "$WORK/early.config" >"$WORK/three.config"
import three
agree 'a card of version 3' "$WORK/three.yaml"
check 'its caches are there' test "$(grep -cE '^ +absent: no' "$WORK/three.yaml")" = 2
for line in 'latency: 111 ' 'skip_global: yes ' 'shared_latency: 25 ' 'index: linear ' 'sector: 128B '; do
    check "version 3: $line" grep -qE "^ +$line" "$WORK/three.yaml"
done
# ---- an L1 of whole lines above an L2 of sectors
sed 's/^-gpgpu_cache:dl2 .*/-gpgpu_cache:dl2 S:64:128:8,L:B:m:L:L,A:256:4,4:0,32/; s/dl1 32/dl1 N:32/' "$WORK/three.config" >"$WORK/mixed.config"
import mixed
agree 'lines above sectors' "$WORK/mixed.yaml"
check 'lines above sectors: a note' grep -q '^# *-gpgpu_cache:dl1 N:32.*: a miss fetches a sector of the L2, not the line' "$WORK/mixed.yaml"

# ---- version 3.0: a colon behind the ways, caches without a write miss, a third number of the pipeline, lines of 256 bytes
sed -e 's/^-gpgpu_cache:dl1 .*/-gpgpu_cache:dl1 32:128:4:L:R:f,A:32:8,8/; s/^-gpgpu_cache:dl2 .*/-gpgpu_cache:dl2 256:256:6:L:R:m,A:32:4,4/' \
    -e 's/1024:32/1024:32:32/' "$WORK/three.config" >"$WORK/zero.config"
echo '-gpgpu_dram_sched_queue_size 16' >>"$WORK/zero.config"
import zero
agree 'a card of version 3.0' "$WORK/zero.yaml"
for line in 'line: 256B ' 'sets: 256 ' 'write_miss: no_allocate ' 'read_buffer_size: 16 ' 'max_threads: 1024 '; do
    check "version 3.0: $line" grep -qE "^ +$line" "$WORK/zero.yaml"
done
# ---- version 2: SMs by another name, options without values, several in a line, no L2, an L1 that is off, ten timings
grep -E 'registers|addr_mapping|n_mem_per|buswidth|burst' "$WORK/early.config" >"$WORK/two.config"
cat >>"$WORK/two.config" <<'EOF'
-gpgpu_cuda_sim
-gpgpu_n_shader 6 -gpgpu_n_mem 8 -gpgpu_clock_domains 325.0:650.0:650.0:800.0
-gpgpu_spread_blocks_across_cores
-gpgpu_shader_core_pipeline 1024:32:32
-gpgpu_no_dl1 1
-gpgpu_cache:dl1 128:64:4:L
-gpgpu_dram_timing_opt 8:2:8:12:25:10:35:10:7:6
EOF
import two
agree 'a card of version 2' "$WORK/two.yaml"
check 'version 2: neither L1 nor L2' test "$(grep -cE '^ +absent: yes' "$WORK/two.yaml")" = 2
check 'version 2: its SMs' grep -qE '^ +sms: 6 ' "$WORK/two.yaml"
check 'version 2: no write recovery' grep -qE '^ +tWR: 0' "$WORK/two.yaml"
# ---- names with letters in the wrong order, as two configurations have them
sed 's/^-gpgpu_shmem_warp_parts.*//' "$WORK/mixed.config" >"$WORK/letters.config"
echo '-inct_in_buffer_limit 512 -sub_core_model 0' >>"$WORK/letters.config"
import letters
check 'inct is icnt' grep -qE '^ +icnt_queue: 512 ' "$WORK/letters.yaml"
check 'sub_core_model: a note' grep -q '^# *-sub_core_model 0: always 1 here' "$WORK/letters.yaml"

# ---- Volta of 4.0: an adaptive L1 whose sizes are the simulator's own, by four names
for name in adaptive_volta_cache_config adpative_volta_cache_config adpative_cache_config adaptive_cache_config; do
    sed 's/^-gpgpu_cache:dl1 .*/-gpgpu_cache:dl1 S:4:128:64,L:L:s:N:L,A:256:8,16:0,32/' "$WORK/mixed.config" >"$WORK/volta.config"
    echo "-$name 1 -gpgpu_shmem_size 98304" >>"$WORK/volta.config"
    import volta
    check "$name: its sizes" test "$(grep -cE '^ +(adaptive: yes|unified: 128KiB|shared_options: \[0B, 8KiB, 16KiB, 32KiB, 64KiB, 96KiB\]) ' \
        "$WORK/volta.yaml")" = 3
done
agree 'Volta of 4.0' "$WORK/volta.yaml"
echo '-gpgpu_unified_l1d_size 160 -gpgpu_shmem_option 0,8,164' >>"$WORK/volta.config"
refused 'shared memory beyond what there is' 'gpu\.l1\.shared_options: 164KiB leaves nothing of 160KiB for the L1' \
    "$RUBATO" config import "$WORK/volta.config"
# ---- lines of an L2 that are longer than what a channel has side by side
sed 's/^-gpgpu_cache:dl2 .*/-gpgpu_cache:dl2 256:512:6:L:R:m,A:32:4,4/' "$WORK/zero.config" >"$WORK/long.config"
import long
agree 'long lines' "$WORK/long.yaml"
check 'long lines: sectors of a channel' test "$(grep -cE '^ +(line: 512B|sector: 256B) ' "$WORK/long.yaml")" = 2
check 'long lines: a note' grep -q '^# *-gpgpu_cache:dl2 256:512.*: a miss fetches 256 bytes, what one channel has' "$WORK/long.yaml"
# ---- H100: 80 slices and IPOLY over 16 groups of 5
sed 's/^-gpgpu_n_mem .*/-gpgpu_n_mem 40 -gpgpu_n_sub_partition_per_mchannel 2 -gpgpu_memory_partition_indexing 6/' "$WORK/mixed.config" \
    >"$WORK/eighty.config"
import eighty
agree '80 slices' "$WORK/eighty.yaml"
check '80 slices: ipoly_modulo' grep -qE '^ +hash: ipoly_modulo ' "$WORK/eighty.yaml"

sed 's/^-gpgpu_cache:dl1 .*/-gpgpu_cache:dl1 S:nonsense/' "$WORK/mixed.config" >"$WORK/bad.config"
refused 'a cache that is none' 'bad\.config:[0-9]+: -gpgpu_cache:dl1: "S:nonsense": expected a cache such as .*, or none' \
    "$RUBATO" config import "$WORK/bad.config"
exit $failures
