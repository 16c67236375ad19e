#!/usr/bin/env bash
# A value that an error about a system suggests is accepted: of each wrong setting the first value behind "give" is tried in its place.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

# suggested SYSTEM KEY=VALUE [OTHER=VALUE...]: refused, and accepted with what the error says of the key that it names
suggested() {
    local system=$1 key value said settings=()
    shift
    for setting in "$@"; do settings+=(--set "$setting"); done
    if "$RUBATO" config show "$system" "${settings[@]}" >/dev/null 2>"$WORK/said"; then not_ok "$*: is accepted"; return; fi
    said=$(cat "$WORK/said")
    # "system wide: l2.size: ... ; give 999424B or ...", "--set: l2.size: ...", "...; give l1d.assoc: 4, or ..."
    key=$(sed -E 's/^rubato: (system [^:]*: |--set: )//; s/[: ].*//' "$WORK/said")
    value=$(sed -nE 's/.*; give (for example )?(([a-zA-Z0-9_.]+): )?(another, such as )?([^ ,;)]+).*/\3=\5/p' "$WORK/said")
    case $value in
        =*) value=$key$value ;;
        line=* | *.*=*) ;;
        *) value=${key%.*}.$value ;;
    esac
    settings=()
    for setting in "$@"; do [ "${setting%%=*}" = "${value%%=*}" ] || settings+=(--set "$setting"); done
    # of a range the upper end, where the lower one is too little for the rest of the system; the next fault is of another key
    for value in "$value" $(sed -nE "s/.* out of range; give [^ ]+ to ([^ ]+)$/${value%%=*}=\1/p" "$WORK/said"); do
        "$RUBATO" config show "$system" "${settings[@]}" --set "$value" >/dev/null 2>"$WORK/again" && break
    done
    if [ ! -s "$WORK/again" ] || ! grep -q ": ${value%%=*}: " "$WORK/again"; then ok "$*: $value"; else
        not_ok "$*: $value"; echo "    $said"; sed 's/^/    /' "$WORK/again"
    fi
}

suggested wide l2.size=1000000
suggested wide l2.size=64B
suggested wide l2.assoc=3
suggested wide l1d.size=48KiB
suggested wide l1d.size=64B
suggested wide l1d.assoc=1000
suggested wide memory_cache.size=1000001
suggested wide memory.size=1000
suggested wide memory.size=4EiB
suggested wide memory.size=2097153
suggested wide memory.size=4095B memory.channels=3
suggested wide memory.size=64KiB
suggested wide memory.size=64KiB memory.channels=3
suggested wide memory.channels=2 memory.interleave=96B
suggested wide memory.channels=3 memory.interleave=96B
suggested wide memory.channels=3 memory.interleave=32B
suggested wide memory.channels=2 memory.interleave=1MiB
suggested wide memory.channels=257
suggested wide memory.channels=4 memory.xor_low_bit=7
suggested wide memory.channels=6 memory.xor_low_bit=7
suggested wide memory.base=3
suggested wide memory.base=64B memory.channels=2
suggested wide memory.dram.max_accesses_per_row=1
suggested wide memory.dram.bank_groups_per_rank=3
suggested wide memory.dram.read_buffer_size=1 memory.dram.burst_length=4
suggested wide memory.controller.write_low_thresh_perc=90
suggested wide memory.controller.command_window=1ps
suggested wide memory.type=hbm_pseudo line=128B
suggested wide memory.type=hbm_pseudo memory.dram.addr_mapping=RoRaBaChCo
suggested wide memory.type=hbm_pseudo memory.channels=2 memory.interleave=64B
suggested wide memory.type=hbm_pseudo memory.channels=3 memory.interleave=64B
suggested wide line=48B
suggested wide cpu_clock=1Hz
suggested wide cpu_clock=10THz
suggested wide cpu.rob=0
suggested wide cpu.freq_multiplier=0
suggested wide l1d.mshrs=0
suggested wide l2.replacement=tree_plru l2.size=3MiB l2.assoc=12
suggested wide cpu.tlb.l1d.entries=48
suggested wide cpu.tlb.l1d.assoc=100
suggested wide pages.colours=0
suggested wide memory_bus.width=0
suggested quad cpu.offset_step=1
suggested quad cpu.offset_step=1EiB
suggested quad cores.1.offset=1TiB
suggested qv100 gpu.l1.sets=3
suggested qv100 memory.size=1000001
suggested wide cpu.model=detailed cpu.branchPred.BTBEntries=1000
suggested wide cpu.model=detailed cpu.numPhysIntRegs=1

# ---- of a run: an address that lies outside
"$RUBATO" replay wide "$TRACES/gups" --quiet --no-cache --set memory.size=1MiB >/dev/null 2>"$WORK/said"
more=$(sed -nE 's/.*; give (memory\.size=[^ ]+) or more.*/\1/p' "$WORK/said")
check 'a memory that is too small' test "$more"
check "a memory that is too small: $more" eval '"$RUBATO" config show wide --set "$more" >/dev/null'
check 'the largest that is suggested' eval '"$RUBATO" config show wide --set memory.size=1EiB >/dev/null'
exit $failures
