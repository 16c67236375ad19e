#!/usr/bin/env bash
# TLBs and pages: the summary's table, both engines agree, a larger TLB of one set never hits less, walks at both
# places, pages of MacSim's threads by every policy and from a map, without them nothing changes; refusals.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

sample=$BUILD/tests/tools/macsim_sample
replay() { "$RUBATO" replay "$@" --no-cache </dev/null; }
figure() { awk -v name="$2" '$1 == name { print $2; exit }' "$1"; }

# ---- off
replay wide "$TRACES/gups" --quiet --stats "$WORK/off.txt"
check 'without TLBs there are no figures of them' bash -c "! grep -q mmu '$WORK/off.txt'"
for setting in cpu.tlb=none pages.policy=random pages.huge=always; do
    replay wide "$TRACES/gups" --quiet --stats "$WORK/same.txt" --set "$setting"
    check "$setting: physical addresses stay as they are" cmp -s "$WORK/off.txt" "$WORK/same.txt"
done

# ---- both engines, both places, several cores, huge pages
same() {    # NAME SYSTEM TRACES OPTION...
    local name=$1 engine
    shift
    for engine in plain fast fast-buses plain+fills+buses; do
        replay "$@" --engine "$engine" --stats "$WORK/$engine.txt" --stats "$WORK/$engine.json" 2>"$WORK/stderr" |
            sed '/^replayed in /d' >"$WORK/$engine.out"
    done
    for engine in fast fast-buses plain+fills+buses; do
        check "$name: $engine" bash -c "cmp -s '$WORK/plain.txt' '$WORK/$engine.txt' && cmp -s '$WORK/plain.json' '$WORK/$engine.json' &&
            cmp -s '$WORK/plain.out' '$WORK/$engine.out'"
    done
    check "$name: there were walks" test "$(figure "$WORK/plain.txt" "${walks:-system.cpu.mmu.walker.walks}")" -gt 0
}
small=(--set cpu.tlb.l1d.entries=4 --set cpu.tlb.l1i.entries=8 --set cpu.tlb.l2.entries=48)
for at in l1d l2; do
    same "wide, walks at $at" wide "$TRACES/gups" "${small[@]}" --set "cpu.tlb.walker.at=$at"
    same "etrace, no cache behind the L1s, walks at $at" etrace "$TRACES/qsort" "${small[@]}" --set "cpu.tlb.walker.at=$at"
    walks=system.cpu3.mmu.walker.walks same "four cores, walks at $at" quad "$TRACES/qsort" "${small[@]}" --set "cpu.tlb.walker.at=$at"
done
same 'pages of 2 MiB' laptop-tlb "$TRACES/gups" --set pages.huge=always
same 'after a warm-up' laptop-tlb "$TRACES/gups" --warmup 20000
same 'scarce everywhere' wide "$TRACES/gups" "${small[@]}" --set cpu.tlb.l1d.mshrs=1 --set cpu.tlb.l1d.targets_per_mshr=1 \
    --set cpu.tlb.walker.outstanding=1 --set cpu.tlb.walker.caches=none --set l1d.mshrs=1

replay laptop-tlb "$TRACES/gups" >"$WORK/summary" 2>"$WORK/stderr"
check 'the summary has a table of TLBs' grep -qE '^cpu\.dtb +[0-9]+ +[0-9]+ +[0-9]+ +[0-9.]+ %' "$WORK/summary"
check 'and a line about walks' grep -qE '^  walks +[0-9]+ \(0\.0 % of 2 MiB\), [0-9.]+ reads each, [0-9.]+ ns each' "$WORK/summary"

# ---- figures that must hold
replay laptop-tlb "$TRACES/gups" --quiet --stats "$WORK/tlb.txt"
check 'hits and misses are the accesses' awk '{ v[$1] = $2 } END {
    for (side = 0; side < 2; side++) { n = "system.cpu.mmu." (side ? "i" : "d") "tb."
        if (v[n "hits"] + v[n "misses"] != v[n "accesses"] || v[n "accesses"] == 0) exit 1 }
    l = "system.cpu.mmu.l2_shared."; w = "system.cpu.mmu.walker."
    exit !(v[l "hits"] + v[l "misses"] == v[l "accesses"] && v[w "walks"] + v[w "mergedWalks"] == v[l "misses"] &&
        v[w "reads"] == v["system.l1d.ReadReq.accesses::cpu.mmu.walker"]) }' "$WORK/tlb.txt"
replay laptop-tlb "$TRACES/gups" --quiet --stats "$WORK/bare.txt" --set cpu.tlb.walker.caches=none
check 'without walk caches each walk reads four entries' test "$(figure "$WORK/bare.txt" system.cpu.mmu.walker.reads)" = \
    $((4 * $(figure "$WORK/bare.txt" system.cpu.mmu.walker.walks)))

# ---- of one set: what a smaller one holds, a larger one holds (LRU is a stack algorithm); one request at a time, so that order is the same
last=-1 fell=0 counts=
for entries in 8 16 32 64 128 256 512; do
    replay wide "$TRACES/gups" --quiet --stats "$WORK/point.txt" --set cpu.rob=1 --set cpu.load_buffer=1 --set cpu.store_buffer=1 \
        --set cpu.tlb.l1d.entries=4 --set "cpu.tlb.l2.entries=$entries" --set "cpu.tlb.l2.assoc=$entries"
    hits=$(figure "$WORK/point.txt" system.cpu.mmu.l2_shared.hits)
    counts="$counts $hits"
    [ "$hits" -ge "$last" ] || fell=1
    last=$hits
done
check "a larger L2 TLB of one set never hits less:$counts" test $fell = 0

# ---- a sweep over keys of TLBs
printf 'system: wide\ntraces: [{name: gups, traces: %s}]\naxes: {cpu.tlb.l2.entries: [96, 384], cpu.tlb.walker.at: [l1d, l2]}\n' "$TRACES/gups" \
    >"$WORK/sweep.yaml"
"$RUBATO" sweep "$WORK/sweep.yaml" -o "$WORK/sweep.db" -j 1 >"$WORK/stdout" 2>"$WORK/stderr"
check 'a sweep over keys of TLBs' test "$("$RUBATO" results "$WORK/sweep.db" | grep -c ' done ')" = 4

# ---- MacSim's threads
if [ -x "$sample" ]; then
    mkdir "$WORK/threads" && "$sample" "$WORK/threads" threads
    replay wide "$WORK/threads" --set cores=2 --quiet --stats "$WORK/default.txt" 2>/dev/null
    for setting in pages.policy=random pages.policy=coloured pages.huge=always pages.huge=threshold cpu.tlb=yes; do
        for engine in plain fast; do
            replay wide "$WORK/threads" --set cores=2 --set "$setting" --engine "$engine" --quiet --stats "$WORK/$engine.txt" 2>/dev/null
        done
        check "threads, $setting: engines" cmp -s "$WORK/plain.txt" "$WORK/fast.txt"
    done
    replay wide "$WORK/threads" --set cores=2 --set pages.policy=random --set pages.seed=2 --quiet --stats "$WORK/two.txt" 2>/dev/null
    replay wide "$WORK/threads" --set cores=2 --set pages.policy=random --quiet --stats "$WORK/one.txt" 2>/dev/null
    check 'another seed, other places' bash -c "! cmp -s '$WORK/one.txt' '$WORK/two.txt'"
    replay wide "$WORK/threads" --set cores=2 --set pages.colours=1 --set pages.policy=coloured --quiet --stats "$WORK/one.txt" 2>/dev/null
    check 'one colour is first touch' cmp -s "$WORK/default.txt" "$WORK/one.txt"
    printf 'page_size: 4096\naddress_mapping { virtual_address: 0x5555000 physical_address: 0x100000 }\n' >"$WORK/map"
    replay wide "$WORK/threads" --set cores=2 --set "pages.map=$WORK/map" --quiet --stats "$WORK/one.txt" 2>/dev/null
    check 'a map of a page that is not used changes nothing' cmp -s "$WORK/default.txt" "$WORK/one.txt"
    printf 'page_size: 4096\naddress_mapping { virtual_address: 0 physical_address: 0x7f00000000 }\n' >"$WORK/map"
    refused 'a map to where no memory is' 'map: line 2: .*not in memory; give more memory.size' \
        "$RUBATO" replay wide "$WORK/threads" --set "pages.map=$WORK/map"
    refused 'no map' 'nowhere' "$RUBATO" replay wide "$WORK/threads" --set "pages.map=$WORK/nowhere"
    refused 'a memory that is full' 'memory is full.*give more memory.size' \
        "$RUBATO" replay wide "$WORK/threads" --set pages.policy=random --set memory.size=128KiB --set memory.channels=1

    # ---- elastic traces with virtual addresses, from files and from a store
    mkdir "$WORK/random" && "$sample" "$WORK/random" random 2
    "$RUBATO" trace convert "$WORK/random" -o "$WORK/converted" >"$WORK/stdout" 2>"$WORK/stderr"
    "$RUBATO" trace pack "$WORK/converted" -o "$WORK/converted.pack" >"$WORK/stdout" 2>"$WORK/stderr"
    replay wide "$WORK/converted" --quiet --stats "$WORK/physical.txt" 2>/dev/null
    for setting in pages.policy=first_touch pages.policy=random pages.huge=always cpu.tlb=yes; do
        for engine in plain fast; do
            replay wide "$WORK/converted" --set pages.elastic=virtual --set "$setting" --engine "$engine" --quiet --stats "$WORK/$engine.txt" 2>/dev/null
        done
        replay wide "$WORK/converted.pack" --set pages.elastic=virtual --set "$setting" --quiet --stats "$WORK/packed.txt" 2>/dev/null
        check "virtual addresses of elastic traces, $setting: engines, store" bash -c "cmp -s '$WORK/plain.txt' '$WORK/fast.txt' &&
            cmp -s '$WORK/plain.txt' '$WORK/packed.txt'"
        check "$setting: not as the physical ones" bash -c "! cmp -s '$WORK/plain.txt' '$WORK/physical.txt'"
    done
else
    skip "MacSim's threads, virtual addresses of elastic traces (22): make tests builds $sample"
fi
refused 'an elastic trace without virtual addresses' 'has no virtual address; leave out pages.elastic' \
    "$RUBATO" replay wide "$TRACES/gups" --set pages.elastic=virtual

refused 'sets of a TLB' 'cpu.tlb.l2.entries: 100 in 12 ways.*give 96' "$RUBATO" replay wide "$TRACES/gups" --set cpu.tlb.l2.entries=100
refused 'an unknown part' 'cpu.tlb.l3.*did you mean' "$RUBATO" replay wide "$TRACES/gups" --set cpu.tlb.l3=yes
exit $failures
