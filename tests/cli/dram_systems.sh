#!/usr/bin/env bash
# Random memory systems: the DRAM commands of each run keep the rules of their device, as tools/dram_check reads them. SYSTEMS is how
# many (20), FIRST the first seed (1); a seed says all of a system: device, times, mapping, policies, refresh, power-down, and what
# drives it: traffic, traces of cores, of GPUs, of both. A system that the command refuses is counted. The files of one that fails
# are kept in $BUILD/tests/dram_systems/SEED. Before them come systems that once broke a rule.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
CHECK=$BUILD/tests/tools/dram_check
[ -x "$CHECK" ] || { not_ok "there is no $CHECK; make tests builds it"; exit 1; }
first=${FIRST:-1} systems=${SYSTEMS:-20} kept=$BUILD/tests/dram_systems
devices=$("$RUBATO" config keys | awk '/^ *(DDR|LPDDR|HBM|GDDR|HMC|WideIO)[0-9A-Za-z]*_/ { printf "%s ", $1 }')

# draw SEED: the arguments of rubato, one a line
draw() {
    awk -v seed="$1" -v devices="$devices" -v traces="$TRACES" '
    function chance(p) { return rand() < p }
    function pick(list,    words) { return words[1 + int(rand() * split(list, words, " "))] }
    function among(low, high) { return low + int(rand() * (high - low + 1)) }
    function time(low, high) { return chance(0.03) && low < 10000 ? "0ps" : int(low * exp(rand() * log(high / low))) "ps" }
    function set(key, value) { printf "--set\nmemory.%s=%s\n", key, value }
    function maybe(p, key, value) { if (chance(p)) set(key, value) }
    function times(p,    burst) {
        maybe(p, "dram.tRCD", time(3000, 40000)); maybe(p, "dram.tRCD_WR", time(3000, 40000))
        maybe(p, "dram.tCL", time(2000, 40000)); maybe(p, "dram.tCWL", time(2000, 40000))
        maybe(p, "dram.tRP", time(3000, 40000)); maybe(p, "dram.tRAS", time(5000, 80000))
        maybe(p, "dram.tRRD", time(500, 15000)); maybe(p, "dram.tRRD_L", time(500, 20000))
        maybe(p, "dram.tXAW", time(2000, 120000)); maybe(p, "dram.activation_limit", among(0, 8))
        maybe(p, "dram.tWR", time(2000, 60000)); maybe(p, "dram.tRTP", time(1000, 30000))
        maybe(p, "dram.tWTR", time(500, 30000)); maybe(p, "dram.tWTR_L", time(500, 40000))
        maybe(p, "dram.tRTW", time(500, 20000)); maybe(p, "dram.tCS", time(500, 10000))
        maybe(p, "dram.tCCD_L", time(1000, 15000)); maybe(p, "dram.tCCD_L_WR", time(1000, 15000))
        maybe(p, "dram.tPPD", time(200, 5000)); maybe(p, "dram.tCK", among(300, 2000) "ps")
        maybe(p, "dram.tXP", time(1000, 40000)); maybe(p, "dram.tXS", time(10000, 400000))
        if (chance(p)) {
            burst = int(1000 * exp(rand() * log(10))) "ps"
            set("dram.tBURST", burst); set("dram.tBURST_MIN", burst); set("dram.tBURST_MAX", burst)
        }
        if (chance(0.6)) { set("dram.tRFC", time(40000, 300000)); set("dram.tREFI", time(1500000, 6000000)) }
    }
    function policies() {
        maybe(0.5, "dram.page_policy", pick("open open_adaptive close close_adaptive"))
        maybe(0.4, "dram.max_accesses_per_row", pick("0 2 3 4 8 16 64"))
        maybe(0.4, "dram.enable_dram_powerdown", "yes")
        maybe(0.2, "controller.mem_sched_policy", "fcfs")
        maybe(0.3, "controller.min_writes_per_switch", pick("1 2 8 32")); maybe(0.3, "controller.min_reads_per_switch", pick("1 2 8 32"))
        maybe(0.3, "controller.write_low_thresh_perc", pick("0 10 50")); maybe(0.2, "controller.command_window", pick("4ns 5ns 20ns"))
    }
    function geometry() {
        set("device", pick(devices)); set("dram.tCS", time(500, 10000)); set("dram.tREFI", "3900000ps")
        set("channels", pick("1 1 2 4")); set("size", "16GiB")
        maybe(0.5, "dram.addr_mapping", pick("RoRaBaCoCh RoCoRaBaCh")); maybe(0.5, "dram.ranks_per_channel", pick("1 2 4"))
        maybe(0.3, "dram.read_buffer_size", pick("4 16 64")); maybe(0.3, "dram.write_buffer_size", pick("8 32 128"))
    }
    BEGIN {
        srand(seed); for (i = 0; i < 5; i++) rand()
        drive = rand(); p = pick("0 0.2 0.5 1")
        if (drive < 0.55) {
            printf "traffic\nwide\n"
            printf "--pattern\n%s\n--read-share\n%s\n--seed\n%d\n", pick("random stream"), pick("1 0.9 0.66 0.5 0.2 0"), among(1, 1000)
            if (chance(0.3)) printf "--range\n%s\n", pick("64KiB 1MiB 64MiB")
            if (chance(0.6)) printf "--rate\n%s\n--requests\n%d\n", pick("50MB/s 300MB/s 1GB/s 3GB/s 10GB/s"), among(500, 4000)
            else printf "--outstanding\n%d\n--requests\n%d\n", pick("1 2 4 16 64"), among(2000, 8000)
            geometry()
        } else if (drive < 0.85) {
            printf "replay\n%s\n%s/%s\n--quiet\n--no-cache\n", pick("default wide quad phone"), traces, pick("triad gups qsort")
            geometry()
        } else if (drive < 0.9) {
            printf "replay\nhbm\n%s/%s\n--quiet\n--no-cache\n", traces, pick("triad gups qsort")
        } else if (drive < 0.97) {
            set_of = pick("volta-bfs-2blocks pascal-vectoradd-100 gcn3-fir")
            printf "replay\n%s\n%s/gpu/%s\n--quiet\n", set_of ~ /^volta/ ? pick("qv100 h100 rtx3070") : set_of ~ /^pascal/ ? "titanx" : "r9nano", traces, set_of
        } else {
            printf "replay\nhetero\n%s/%s\n%s/gpu/volta-bfs-2blocks\n--quiet\n--no-cache\n", traces, pick("triad gups"), traces
        }
        policies(); times(p)
    }'
}

# keeps NAME ARGUMENTS...: 0 no rule is broken, 1 one is, or the run failed, 2 the command refuses the system
keeps() {
    local name=$1 code
    shift
    : >"$WORK/result"
    timeout 120 "$RUBATO" "$@" --commands "$WORK/commands" >"$WORK/stdout" 2>"$WORK/stderr" </dev/null
    code=$?
    [ $code = 2 ] && grep -q '^rubato: ' "$WORK/stderr" && return 2
    [ $code = 0 ] && "$CHECK" "$WORK/commands" >"$WORK/result" && return 0
    mkdir -p "$kept/$name"
    printf '%q ' "$RUBATO" "$@" >"$kept/$name/command"
    cp "$WORK/commands" "$WORK/result" "$WORK/stderr" "$kept/$name/" 2>/dev/null
    echo "    $name (exit code $code): $(head -n 1 "$WORK/result" | cut -d : -f 2-)"
    return 1
}

rm -rf "$kept"
# Without tXP the reference takes a rank that woke with rows open for idle: counted as the exception WAKES_IDLE.
check 'rows open, power-down, no tXP' keeps open-rows replay default "$TRACES/gups" --quiet --no-cache --set memory.device=GDDR5_4000_2x32 \
    --set memory.dram.tCS=1002ps --set memory.dram.tREFI=3900ns --set memory.channels=2 --set memory.dram.page_policy=open \
    --set memory.dram.addr_mapping=RoCoRaBaCh --set memory.dram.max_accesses_per_row=3 --set memory.dram.enable_dram_powerdown=yes
sound=0 refused=0 broken=0
: >"$WORK/results"
for ((seed = first; seed < first + systems; seed++)); do
    mapfile -t arguments < <(draw "$seed")
    keeps "$seed" "${arguments[@]}"
    case $? in
        0) sound=$((sound + 1)); cat "$WORK/result" >>"$WORK/results" ;;
        1) broken=$((broken + 1)) ;;
        2) refused=$((refused + 1)); tail -n 1 "$WORK/stderr" >>"$WORK/refusals" ;;
    esac
done
awk '/^rule / { checked[$2] += $3 } /^exception .* times$/ { excused[$2 " " $3] += $4 } / commands on / { commands += $1 }
    END { print "    " commands " commands"; for (i in excused) print "    exception " i " " excused[i]
          for (i in checked) if (checked[i]) rules++; print "    " rules " rules of '"$("$CHECK" --rules | wc -l)"' applied" }' "$WORK/results"
[ "$refused" = 0 ] || sort "$WORK/refusals" | cut -c 1-70 | uniq -c | sort -rn | head -n 5
check "$sound of $systems random systems keep the rules of their devices, $refused refused" test $broken = 0
check 'few of them are refused' test $((refused * 4)) -le "$systems"
exit $failures
