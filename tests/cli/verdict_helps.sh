#!/usr/bin/env bash
# The resource that the verdict names helps most: each system here is bound by one cause, and of all resources (sizes
# of queues, units, widths doubled; latencies halved), tried one by one, the named one shortens the run most. Each cause
# tries its own and every sixth of the others, which rotate from cause to cause; REMEDIES=all tries all (some 2,800
# replays). CAUSES: extended regular expression, only these. Causes are shown for elastic cores, detailed cores, cores of --model window,
# MacSim's threads and GPUs. What cannot be first there:
#   window  l1i_*, fetch_times: fetch is that of the detailed core, whose verdict has l1i and front_end in their place. serialising: the
#           micro-op that serialises is known by a delay of 5 cycles or more, which it has here, too, and spends as units. mispredictions
#           are those of the capture with any predictor; only the refill of the pipe can change, and the L1I serves it
#   both    l1d_write_buffers: found only where the buses or MSHRs behind help more; elastic cores below have a system
#   MacSim  what only detailed cores have (instruction_queue, memory_order, l1i, front_end, mispredictions, serialising, units): its
#           threads are replayed by elastic cores alone, and --model window refuses them. fetch_times: fetches go with their
#           instructions, so they end later than these only by what the L1I refuses
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

# Name, then each key with the factor that makes it better (=VALUE: that value). A name counts where the system has one of its keys.
cat >"$WORK/common" <<'TABLE'
l1i.mshrs l1i.mshrs*2
l1i.targets l1i.targets_per_mshr*2
l1i.write_buffers l1i.write_buffers*2
l1i.latency l1i.tag_latency/2 l1i.data_latency/2 l1i.response_latency/2
l1d.mshrs l1d.mshrs*2
l1d.targets l1d.targets_per_mshr*2
l1d.write_buffers l1d.write_buffers*2
l1d.latency l1d.tag_latency/2 l1d.data_latency/2 l1d.response_latency/2
l2.mshrs l2.mshrs*2
l2.targets l2.targets_per_mshr*2
l2.write_buffers l2.write_buffers*2
l2.latency l2.tag_latency/2 l2.data_latency/2 l2.response_latency/2
cache_bus cache_bus.width*2
memory_bus memory_bus.width*2
channels memory.channels*2
bandwidth memory.bandwidth*2
banks memory.dram.banks_per_rank*2
dram.latency memory.dram.tCL/2 memory.dram.tRCD/2 memory.dram.tRP/2 memory.latency/2
tlb.latency cpu.tlb.l2.latency/2
tlb.entries cpu.tlb.l1d.entries*2
TABLE
cat >"$WORK/elastic" <<'TABLE'
rob cpu.rob*2
load_buffer cpu.load_buffer*2
store_buffer cpu.store_buffer*2
computation cpu.freq_multiplier*2
TABLE
cat "$WORK/elastic" - >"$WORK/commands" <<'TABLE'
activations memory.overrides.nFAW/2
bank_group memory.overrides.nCCDL/2
turns memory.overrides.nWTRS/2 memory.overrides.nWTRL/2
refresh memory.refresh=none
mitigation memory.mitigations.PARA_threshold=0.1
rows memory.overrides.nRCD/2 memory.overrides.nRP/2 memory.overrides.nRAS/2 memory.overrides.nRC/2
command_bus memory.standard=DDR4
TABLE
cat >"$WORK/detailed" <<'TABLE'
rob cpu.numROBEntries*2
instruction_queue cpu.numIQEntries*2
load_queue cpu.LQEntries*2
store_queue cpu.SQEntries*2
registers cpu.numPhysIntRegs*2 cpu.numPhysFloatRegs*2
fetch cpu.fetchWidth*2
width cpu.decodeWidth*2 cpu.renameWidth*2 cpu.dispatchWidth*2 cpu.issueWidth*2 cpu.wbWidth*2 cpu.commitWidth*2
units cpu.fuPool.IntALU*2 cpu.fuPool.IntMultDiv*2 cpu.fuPool.FP_ALU*2 cpu.fuPool.FP_MultDiv*2 cpu.fuPool.RdWrPort*2
operations cpu.opLat.IntAlu/2 cpu.opLat.IntMult/2 cpu.opLat.FloatAdd/2 cpu.opLat.FloatMult/2
ports cpu.cacheLoadPorts*2 cpu.cacheStorePorts*2
prediction cpu.branchPred.type=perfect
order cpu.storeSets=yes
TABLE
cat >"$WORK/gpu" <<'TABLE'
schedulers gpu.sm.schedulers*2
warps gpu.sm.max_threads*2 gpu.sm.max_blocks*2
shared gpu.sm.shared_banks*2
units gpu.units.int.interval/2 gpu.units.sp.interval/2 gpu.units.dp.interval/2 gpu.units.sfu.interval/2
results gpu.units.int.latency/2 gpu.units.sp.latency/2 gpu.units.dp.latency/2 gpu.units.sfu.latency/2
gpu.l1.latency gpu.l1.latency/2
gpu.l2.latency gpu.l2.latency/2
gpu.dram_latency gpu.l2.dram_latency/2
gpu.icnt_latency gpu.icnt_latency/2
gpu.tlb.latency gpu.tlb.walk_latency/2
launch gpu.launch_latency/2
TABLE

# The effective system of REPLAY... as KEY VALUE lines.
system_of() {
    local sets=("$1") model=
    shift
    while [ $# -gt 0 ]; do
        case $1 in
        --set) sets+=(--set "$2") && shift ;;
        --model) model=$2 && shift ;;
        esac
        shift
    done
    "$RUBATO" config show "${sets[@]}" ${model:+--set cpu.model=$model} | awk '
        { sub(/ *#.*/, "") }
        /^ *[A-Za-z_0-9]+:/ {
            depth = match($0, /[^ ]/) - 1
            key = $0; sub(/^ */, "", key); value = key; sub(/:.*/, "", key); sub(/^[^:]*: */, "", value)
            while (level > 0 && indent[level] >= depth) level--
            indent[++level] = depth; name[level] = key
            path = name[1]; for (i = 2; i <= level; i++) path = path "." name[i]
            if (value != "") print path, value
        }'
}

# remedies REPLAY... <TABLE: a line NAME --set KEY=VALUE ... each that changes something.
remedies() {
    system_of "$@" >"$WORK/system"
    awk 'NR == FNR { value[$1] = $2; next }
        {
            sets = ""
            for (i = 2; i <= NF; i++) {
                match($i, /[*\/=]/)
                key = substr($i, 1, RSTART - 1); how = substr($i, RSTART, 1); with = substr($i, RSTART + 1); is = value[key]
                if (is == "" || (how != "=" && is !~ /^[0-9.]/)) continue
                number = is + 0; unit = is; sub(/^[0-9.]+/, "", unit)
                if (how == "*") new = number * with unit
                else if (how == "/") new = (unit == "" ? int(number / with < 1 ? 1 : number / with) : number / with) unit
                else new = with
                if (new != is) sets = sets " --set " key "=" new
            }
            if (sets != "") print $1 sets
        }' "$WORK/system" -
}

# NAME REPLAY...: the name and the time in milliseconds, without an awk of its own: this runs a thousand times.
time_of() {
    local summary=$WORK/$BASHPID.json text=
    "$RUBATO" replay "${@:2}" --quiet --summary "$summary" >/dev/null 2>&1 </dev/null && text=$(<"$summary")
    [[ $text =~ \"time_ms\":\ ([0-9.e+-]+) ]] && text=${BASH_REMATCH[1]}
    printf '%s %s\n' "$1" "$text"
}

seen=' ' workers=$(nproc) number=0
every=$([ "${REMEDIES:-}" = all ] && echo 1 || echo 6)
# helps SIDE CAUSE REMEDIES TABLE REPLAY...: of a run that CAUSE bounds the best remedy is one of these (a,b); "none": each gains less than 3 %.
# With only=REGEX of lines of the tables others are left out.
helps() {
    local side=$1 cause=$2 wanted=$3 table=$4 found before line name begun=0
    shift 4
    seen+="$cause "
    number=$((number + 1))
    [[ $cause =~ ${CAUSES:-.} ]] || return 0
    "$RUBATO" replay "$@" --quiet --summary "$WORK/summary.json" >"$WORK/out" 2>&1 </dev/null || cat "$WORK/out"
    found=$(sed -n "/^  \"$side\": /,/^  }/s/^    {\"cause\": \"\([a-z0-9_]*\)\".*/\1/p" "$WORK/summary.json" | head -n 1)
    if [ "$found" = "$cause" ]; then ok "$side: $cause"; else not_ok "$side: $cause, found ${found:-none}: $*"; return; fi
    before=$(awk -F'[ ,]+' '/^  "time_ms":/ { print $3 }' "$WORK/summary.json")
    cat "$WORK/common" "$WORK/$table" | remedies "$@" | grep -E "${only:-.}" |
        awk -v wanted=",$wanted," -v from=$number -v every=$every 'index(wanted, "," $1 ",") || (NR + from) % every == 0' >"$WORK/remedies"
    : >"$WORK/gains"
    while read -r line; do
        # shellcheck disable=SC2086    # words
        time_of "${line%% *}" "$@" ${line#* } &
        ((++begun % workers)) || wait
    done <"$WORK/remedies" |
        awk -v a="$before" '{ printf("%.2f %s\n", ($2 > 0 ? 100 * (a / $2 - 1) : -100), $1) }' | sort -rn >"$WORK/gains"
    read -r best name <"$WORK/gains"
    if [ "$wanted" = none ]; then
        check "$cause: nothing helps by 3 %" awk -v best="$best" 'BEGIN { exit !(best < 3) }'
    elif [[ ,$wanted, = *,$name,* ]] && awk -v best="$best" 'BEGIN { exit !(best >= 5) }'; then
        ok "$cause: $name helps most, $best %"
    else
        not_ok "$cause: $wanted should help most"
        head -n 5 "$WORK/gains" | sed 's/^/    /'
    fi
}

long=$TRACES/long bounds=$TRACES/bounds detailed=$TRACES/detailed
# A wide core that waits for nothing of its own.
roomy=(--set cpu.rob=2048 --set cpu.load_buffer=1024 --set cpu.store_buffer=1024 --set l1d.mshrs=64 --set l2.mshrs=128)
small=(--set l1i.size=1KiB --set l1i.assoc=1 --set l1i.mshrs=32)
quick=(--set memory.type=simple --set memory.latency=30ns --set memory.bandwidth=100GB/s)
# A chain of computations.
mkdir "$WORK/chain"
awk 'BEGIN { for (i = 1; i <= 3000; i++) printf("%d,4096,1,COMP,%d::%s\n", i, 4000, i > 1 ? "," i - 1 : "") }' >"$WORK/chain.txt"
printf 'r,8192,64,256,1000\nr,8256,64,256,3000\n' >"$WORK/fetch.txt"
"$RUBATO" trace build "$WORK/chain.txt" -o "$WORK/chain/deptrace.proto.gz" >/dev/null
"$RUBATO" trace build "$WORK/fetch.txt" -o "$WORK/chain/fetchtrace.proto.gz" >/dev/null

# ---- elastic cores
helps cores dram_bandwidth channels,bandwidth elastic wide "$long/triad.pack" "${roomy[@]}" --set l2.prefetcher=stream --set memory.device=LPDDR3_1600_1x32
helps cores dram_bandwidth bandwidth elastic wide "$long/triad.pack" "${roomy[@]}" --set memory.type=simple --set memory.bandwidth=1GB/s
helps cores dram_banks banks elastic wide "$long/gups.pack" "${roomy[@]}" --warmup 200000 --set memory.dram.banks_per_rank=1
helps cores dram_channel channels elastic quad "$TRACES/gups" "$TRACES/triad" "$TRACES/gups" "$TRACES/gups"
helps cores memory_bus memory_bus elastic wide "$long/gups.pack" "${roomy[@]}" --set memory_bus.width=1B
helps cores cache_mshrs l2.mshrs elastic wide "$long/gups.pack" "${roomy[@]}" --set l2.mshrs=1
helps cores cache_targets l2.targets elastic wide "$long/triad.pack" "${roomy[@]}" --set l2.prefetcher=next_line --set l2.targets_per_mshr=2
helps cores cache_write_buffers l2.write_buffers elastic wide "$long/triad.pack" "${roomy[@]}" "${quick[@]}" --set l2.write_buffers=1 \
    --set l2.size=128KiB --set l2.tag_latency=30 --set l2.data_latency=30
helps cores translation tlb.latency elastic laptop-tlb "$long/gups.pack" "${roomy[@]}" --set cpu.tlb.l2.latency=400 --set cpu.tlb.l1d.assoc=4 \
    --set cpu.tlb.l1d.entries=4
helps cores dram_latency dram.latency elastic wide "$long/chase.pack" "${roomy[@]}"
helps cores cache_latency l2.latency elastic wide "$long/chase.pack" "${roomy[@]}" --set l2.size=8MiB --set l1d.size=1KiB --set l1d.assoc=1 \
    --set l2.tag_latency=100 --warmup 150000
helps cores rob rob elastic wide "$long/gups.pack" "${roomy[@]}" --set cpu.rob=64
helps cores load_queue load_buffer elastic wide "$long/gups.pack" "${roomy[@]}" --set cpu.load_buffer=2
helps cores store_buffer store_buffer elastic wide "$long/triad.pack" "${roomy[@]}" --set cpu.store_buffer=16
helps cores l1d_mshrs l1d.mshrs elastic wide "$long/gups.pack" "${roomy[@]}" --set l1d.mshrs=2
helps cores l1d_targets l1d.targets elastic wide "$long/triad.pack" "${roomy[@]}" --set l1d.targets_per_mshr=8
helps cores l1d_write_buffers l1d.write_buffers elastic wide "$long/triad.pack" "${roomy[@]}" "${quick[@]}" --set l1d.write_buffers=1 \
    --set l1d.tag_latency=24 --set l1d.data_latency=24
helps cores l1i_mshrs l1i.mshrs elastic wide "$TRACES/qsort" "${small[@]}" --set l1i.mshrs=4 --set l1i.tag_latency=200
helps cores l1i_targets l1i.targets elastic wide "$TRACES/qsort" "${small[@]}" --set l1i.targets_per_mshr=2 --set l1i.tag_latency=200
helps cores l1i_write_buffers l1i.write_buffers elastic wide "$TRACES/qsort" "${small[@]}" --set l1i.write_buffers=1 --set l1i.tag_latency=90
helps cores fetch_times none elastic wide "$TRACES/training/nbody.pack" --set cpu.freq_multiplier=8
helps cores dependences computation elastic wide "$WORK/chain"
helps cores compute computation elastic wide "$long/triad.pack" "${roomy[@]}" --set memory.type=simple --set memory.latency=1ns --set memory.bandwidth=1TB/s

# ---- MacSim's threads
# body NAME BODY TURNS STRIDE FOLD: a thread of these instructions in $WORK/macsim/NAME, as an elastic trace in $WORK/window/NAME.
body() {
    mkdir -p "$WORK/macsim/$1" "$WORK/window"
    "$BUILD/tests/tools/macsim_sample" "$WORK/macsim/$1" "${@:2}"
    "$RUBATO" trace convert "$WORK/macsim/$1" -o "$WORK/window/$1" >/dev/null
}
many() { local i; for ((i = 0; i < $1; i++)); do printf %s "$2"; done; }
body stream lll 1500 64 1000000000
body pairs liii 4000 32 1000000000
body rows lii 2000 65600 10000000000
body sparse "l$(many 15 i)" 1000 4160 1000000000
body one_channel lii 2000 4608 10000000000
body copies ls 2000 4160 1000000000
body line_copies ls 4000 64 1000000000
body stores "s$(many 7 i)" 1000 4160 1000000000
body misses c 2000 4160 1000000000
body near_misses c 3000 4160 266240
body hits c 4000 64 64
body one_line l 8000 8 64
body divisions d 2000 64 64
body additions i 6000 64 64
body order dwriiii 600 64 64
body lines "$(many 200 j)" 15 64 64
body lines_thrice "$(many 200 xjxbxj)" 3 64 64
body jumps "$(many 12 iiiij)" 120 64 64

slow_l2=(--set l2.tag_latency=100 --set l1d.size=1KiB --set l1d.assoc=1)
l2_writes=("${quick[@]}" --set l2.write_buffers=1 --set l2.size=16KiB)
few_translations=(--set cpu.tlb.l2.latency=400 --set cpu.tlb.l1d.assoc=4 --set cpu.tlb.l1d.entries=4)
many_lines=("${small[@]}" --set l1i.mshrs=256 --set cache_bus.width=64B)
# A thread of MacSim.
thread() { helps cores "$1" "$2" elastic "$3" "$WORK/macsim/$4" "${@:5}"; }
thread dram_bandwidth bandwidth wide stream "${roomy[@]}" --set memory.type=simple --set memory.bandwidth=1GB/s
thread dram_banks banks,channels wide rows "${roomy[@]}" --set memory.dram.banks_per_rank=1
thread dram_channel channels quad one_channel "${roomy[@]}"
thread memory_bus memory_bus wide rows "${roomy[@]}" --set memory_bus.width=1B
thread cache_mshrs l2.mshrs wide rows "${roomy[@]}" --set l2.mshrs=1
thread cache_targets l2.targets wide stream "${roomy[@]}" --set l2.targets_per_mshr=2 --set l2.prefetcher=next_line
thread cache_write_buffers l2.write_buffers wide copies "${roomy[@]}" "${l2_writes[@]}" --set l2.tag_latency=8 --set l2.data_latency=8
thread translation tlb.latency laptop-tlb rows "${roomy[@]}" "${few_translations[@]}"
thread dram_latency dram.latency wide misses "${roomy[@]}"
thread cache_latency l2.latency wide near_misses "${roomy[@]}" "${slow_l2[@]}"
thread rob rob wide sparse "${roomy[@]}" --set cpu.rob=64
thread load_queue load_buffer wide sparse "${roomy[@]}" --set cpu.load_buffer=2
thread store_buffer store_buffer wide stores "${roomy[@]}" --set cpu.store_buffer=4
thread l1d_mshrs l1d.mshrs wide rows "${roomy[@]}" --set l1d.mshrs=2
thread l1d_targets l1d.targets wide pairs "${roomy[@]}" --set l1d.targets_per_mshr=2
thread l1i_mshrs l1i.mshrs wide lines --set l1i.mshrs=4
thread l1i_targets l1i.targets wide lines_thrice "${many_lines[@]}" --set l1i.targets_per_mshr=2
thread l1i_write_buffers l1i.write_buffers wide lines "${many_lines[@]}" --set l1i.write_buffers=1
thread dependences computation wide additions
"$RUBATO" replay wide "$WORK/macsim/jumps" --quiet --summary "$WORK/summary.json" >/dev/null 2>&1
check 'fetches that the L1I refuses for a short time only wait for it, not for the trace' \
    awk '/"l1i_mshrs"/ { refused = 1 } /"fetch_times"/ { exit failed = 1 } END { exit failed || !refused }' "$WORK/summary.json"
thread compute computation wide divisions

# ---- DRAM by its commands. A second channel doubles all that one has, so it is left out.
# Timings of DDR4-2400: those that a remedy halves are given.
by_commands() {
    helps cores "$1" "$2" commands wide "$3" "${roomy[@]}" --set memory.type=command --set memory.standard=DDR4 --set memory.overrides.nRCD=16 \
        --set memory.overrides.nRP=16 --set memory.overrides.nRAS=39 --set memory.overrides.nRC=55 "${@:4}"
}
# A command bus that is slower than that of DDR4.
sed 's/  ACT: {cycles: 1,/  ACT: {cycles: 6,/; s/  PREpb: {cycles: 1,/  PREpb: {cycles: 4,/; s/  RD: {cycles: 1,/  RD: {cycles: 4,/' \
    configs/dram/command/DDR4.yaml >"$WORK/slow.yaml"
only='^([^c]|ca|co)'
by_commands dram_activations activations "$long/gups.pack" --set memory.overrides.nFAW=200
by_commands dram_bank_group bank_group "$WORK/macsim/stream" --set memory.overrides.nCCDL=16
by_commands dram_turns turns "$WORK/macsim/line_copies" --set l1d.size=4KiB --set l2.size=16KiB --set memory.command.write_buffer_size=4 \
    --set memory.command.wr_low_watermark=20% --set memory.overrides.nWTRS=80 --set memory.overrides.nWTRL=80
by_commands dram_refresh refresh "$WORK/macsim/stream" --set memory.overrides.nREFI=1000
by_commands dram_mitigation mitigation "$long/gups.pack" --set memory.standard=DDR4_VRR --set memory.mitigation=PARA \
    --set memory.mitigations.PARA_threshold=0.8
by_commands dram_command_bus command_bus "$WORK/macsim/rows" --set memory.standard="$WORK/slow.yaml"
by_commands dram_banks rows "$long/gups.pack" --set memory.command.mapping=ChRaBaRoCo
only=

# ---- cores of --model window
wide_core=(--set cpu.numROBEntries=1024 --set cpu.numIQEntries=512 --set cpu.LQEntries=512 --set cpu.SQEntries=512
    --set cpu.numPhysIntRegs=2048 --set cpu.numPhysFloatRegs=2048 --set l1d.mshrs=64 --set l2.mshrs=128)
# A core of --model window.
window() { helps cores "$1" "$2" detailed "$3" "$WORK/window/$4" --model window "${wide_core[@]}" "${@:5}"; }
window dram_bandwidth bandwidth wide stream --set memory.type=simple --set memory.bandwidth=1GB/s
window dram_banks banks,channels wide rows --set memory.dram.banks_per_rank=1
window dram_channel channels quad one_channel
window memory_bus memory_bus wide rows --set memory_bus.width=1B
window cache_mshrs l2.mshrs wide rows --set l2.mshrs=1
window cache_targets l2.targets wide stream --set l2.targets_per_mshr=2 --set l2.prefetcher=next_line
window cache_write_buffers l2.write_buffers wide copies "${l2_writes[@]}" --set l2.tag_latency=30 --set l2.data_latency=30
window translation tlb.latency laptop-tlb rows "${few_translations[@]}"
window dram_latency dram.latency wide misses
window cache_latency l2.latency wide near_misses "${slow_l2[@]}"
window rob rob wide sparse --set cpu.numROBEntries=64
window load_queue load_queue wide sparse --set cpu.LQEntries=4
window instruction_queue instruction_queue wide rows --set cpu.numIQEntries=8
window store_buffer store_queue wide stores --set cpu.SQEntries=4
window l1d_mshrs l1d.mshrs wide rows --set l1d.mshrs=2
window l1d_targets l1d.targets wide pairs --set l1d.targets_per_mshr=2
window l1i l1i.latency wide jumps
window front_end fetch wide additions --set cpu.fetchWidth=1
helps cores mispredictions l1i.latency detailed core/skylake "$TRACES/qsort" --model window --set l1i.data_latency=3 --set cpu.fetchAhead=0 \
    --set cpu.uopCache=0 --set cpu.fetchBranches=0
window memory_order order wide order --set cpu.storeSets=no
window dependences l1d.latency wide hits
window units units wide additions --set cpu.fuPool.IntALU=1
window compute width wide additions --set cpu.fuPool.IntALU=16 --set cpu.fetchWidth=16
# Misses that wait for each other fill the queues, too, and larger ones only hold more of them.
only='^(dram.latency|l1d.mshrs|rob|instruction_queue|load_queue) '
helps cores dram_latency dram.latency detailed wide "$long/gups.pack" --model window
helps cores dram_latency dram.latency detailed wide "$long/chase.pack" --model window
only=

# ---- detailed cores
core=(--model detailed)
helps cores instruction_queue instruction_queue detailed core/skylake "$bounds/queue.rbt" "${core[@]}" --set l1d.mshrs=32 --set cpu.numIQEntries=32
helps cores l1d_mshrs l1d.mshrs detailed core/skylake "$bounds/queue.rbt" "${core[@]}" --set l1d.mshrs=2
helps cores store_buffer store_queue detailed phone "$bounds/stores.rbt" "${core[@]}"
helps cores l1d_mshrs l1d.mshrs detailed core/skylake "$bounds/stores.rbt" "${core[@]}"
helps cores l1i l1i.latency detailed laptop "$bounds/jumps.rbt" "${core[@]}"
helps cores l1i l1i.latency detailed core/neoverse-n1 "$bounds/jumps.rbt" "${core[@]}" --set cpu.fetchAhead=0
helps cores l1i l1i.latency detailed laptop "$bounds/collide.rbt" "${core[@]}"
helps cores l1i l1i.latency detailed server "$bounds/jumps.rbt" "${core[@]}"
helps cores front_end fetch,width detailed core/skylake "$bounds/straight.rbt" "${core[@]}" --set cpu.fetchWidth=1
helps cores mispredictions prediction detailed core/skylake "$detailed/sort.rbt" "${core[@]}"
helps cores memory_order order detailed core/skylake "$bounds/collide.rbt" "${core[@]}" --set cpu.storeSets=no
helps cores units units detailed core/skylake "$bounds/divide.rbt" "${core[@]}"
helps cores serialising none detailed core/skylake "$bounds/fences.rbt" "${core[@]}"
helps cores dram_latency dram.latency detailed core/skylake "$detailed/chase.rbt" "${core[@]}" --set memory.channels=4

# ---- GPUs
. tests/support/gpu_kernel.sh
gpu_kernel barriers 60 8 1 <<LINES
$(for _ in {1..200}; do echo '0 1 R2 FADD 2 R2 R3 0'; done)
* 0 BAR.SYNC 0 0
LINES
gpu_kernel results 60 4 300 <<'LINES'
* 1 R2 MUFU.RSQ 1 R2 0
LINES
gpu_kernel issue 60 16 60 <<'LINES'
* 1 R2 FADD 2 R4 R5 0
* 1 R3 IADD3 2 R4 R5 0
LINES
# Stores to shared memory of which all lanes want one bank.
gpu_kernel conflicts 60 4 40 <<'LINES'
* 0 STS 2 R4 R5 4 1 0x7f0000000000 128
LINES
# Loads of which each waits for the one before.
gpu_kernel loads 240 1 10 <<LINES
$(for i in {0..15}; do printf '* 1 R2 LDG.E 1 R4 4 1 0x7f50%08x 4\n* 1 R4 IADD3 2 R2 R2 0\n' $((1280 * i)); done)
LINES
at_once=(--set gpu.launch_latency=1)
bfs=$TRACES/gpu/volta-bfs-2blocks
helps gpu gpu_barriers none gpu gpu/rtx2060 "$WORK/barriers" "${at_once[@]}"
helps gpu gpu_results results gpu gpu/rtx2060 "$WORK/results" "${at_once[@]}"
helps gpu gpu_issue schedulers gpu gpu/rtx2060 "$WORK/issue" "${at_once[@]}" --set gpu.units.int.count=16 --set gpu.units.sp.count=16
helps gpu gpu_units units gpu gpu/rtx2060 "$WORK/issue" "${at_once[@]}" --set gpu.units.int.interval=16 --set gpu.units.sp.interval=16
helps gpu gpu_ldst shared gpu gpu/rtx2060 "$WORK/conflicts" "${at_once[@]}"
helps gpu gpu_occupancy warps gpu gpu/titanx "$WORK/loads" "${at_once[@]}" --set gpu.sms=2 --set gpu.sm.max_blocks=4 --set gpu.icnt_latency=60
helps gpu gpu_scoreboard gpu.icnt_latency gpu gpu/rtx2060 "$bfs" "${at_once[@]}" --set gpu.icnt_latency=300 --set gpu.sm.schedulers=1 \
    --set gpu.sm.max_threads=512
helps gpu gpu_grid gpu.icnt_latency gpu gpu/rtx2060 "$bfs" "${at_once[@]}" --set gpu.icnt_latency=300 --set gpu.sm.schedulers=1 \
    --set gpu.sm.max_threads=2048
helps gpu gpu_idle launch gpu gpu/rtx2060 "$bfs"
# DRAM: tests/cli/verdict.sh

while read -r cause; do
    check "a system is bound by $cause" test "${seen/ $cause /}" != "$seen"
done < <(sed -n 's/^ *C([A-Z0-9_]*, "\([a-z0-9_]*\)", .*/\1/p' replay/metrics/verdict.h)
exit $failures
