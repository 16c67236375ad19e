#!/usr/bin/env bash
# What must hold whatever the numbers are: other memory under a run that never misses, a private L2 of the only core, the order
# of a file's keys, and the balance of packets, bytes, hits and misses between neighbours.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

need_rubato
replay() { "$RUBATO" replay "$@" --quiet </dev/null; }
final_tick() { awk '$1 == "finalTick" { print $2; exit }' "$1"; }

# trace NAME CORE AWK-PROGRAM: builds a folder of both trace files; the program prints data records. A few fetches come along.
trace() {
    local folder=$WORK/$1
    mkdir -p "$folder"
    awk -v core="$2" "BEGIN { srand(core + 1); $3 }" >"$folder/data.txt"
    printf 'r,8192,64,256,1000\nr,8256,64,256,3000\nr,8320,64,256,9000\n' >"$folder/fetch.txt"
    "$RUBATO" trace build "$folder/data.txt" -o "$folder/deptrace.proto.gz" >"$WORK/log" 2>&1 &&
        "$RUBATO" trace build "$folder/fetch.txt" -o "$folder/fetchtrace.proto.gz" >>"$WORK/log" 2>&1 && return
    not_ok "trace $1 could be built"
    sed 's/^/    /' "$WORK/log"
    exit 1
}

# ---- no load or store misses: strictly ordered ones are never sent (elastic-trace 2.8)
trace no-misses 0 'for (i = 1; i <= 400; i++)
    printf("%d,4096,1,%s,%s%d:%s:\n", i, i % 3 ? "COMP" : i % 2 ? "LOAD" : "STORE",
           i % 3 ? "" : 4096 + 64 * i ",8,3072,", 500 + i % 7 * 1000, i > 1 && i % 5 ? "," i - 1 : "")'
first=
for memory in memory.device=DDR3_1600_8x8 memory.device=HBM_1000_4H_1x64 memory.device=LPDDR5_6400_1x16_BG_BL32 \
    'memory.type=simple memory.latency=1us' 'memory.type=simple memory.bandwidth=1GiB/s'; do
    settings=()
    for setting in $memory; do settings+=(--set "$setting"); done
    if ! replay default "$WORK/no-misses" "${settings[@]}" --stats "$WORK/n.txt" 2>"$WORK/stderr"; then
        not_ok "a run without misses on $memory"
        sed 's/^/    /' "$WORK/stderr"
        continue
    fi
    tick=$(final_tick "$WORK/n.txt")
    first=${first:-$tick}
    if [ "$tick" = "$first" ] && ! grep -q '^system\.l1d\..*misses::total' "$WORK/n.txt"; then
        ok "a run without misses takes as long on $memory"
    else
        not_ok "a run without misses takes as long on $memory"
        echo "    $tick ps, expected $first; l1d misses: $(grep -c '^system\.l1d\..*misses::total' "$WORK/n.txt")"
    fi
done

# ---- the only core: a private L2 is a shared one
for name in qsort gups triad; do
    replay default "$TRACES/$name" --stats "$WORK/shared.txt"
    replay default "$TRACES/$name" --set l2.private=yes --stats "$WORK/private.txt"
    check "$name: private L2 of one core equals a shared one" cmp -s "$WORK/shared.txt" "$WORK/private.txt"
    replay server "$TRACES/$name" --stats "$WORK/shared.txt"
    replay server "$TRACES/$name" --set l2.private=yes --stats "$WORK/private.txt"
    check "$name: the same above an L3" cmp -s "$WORK/shared.txt" "$WORK/private.txt"
done

# ---- any order of keys
mkdir "$WORK/one" "$WORK/two"
cat >"$WORK/one/system.yaml" <<'END'
line: 64B
cpu_clock: 2GHz
system_clock: 1GHz
cpu: {rob: 64, load_buffer: 24, store_buffer: 12}
l1d: {size: 4KiB, assoc: 4, mshrs: 6, prefetcher: {type: stride, degree: 2}, replacement: srrip}
l2: {size: 64KiB, assoc: 8, tag_latency: 9, data_latency: 11, response_latency: 7, clusivity: mostly_excl}
l3: {size: 256KiB, assoc: 16, tag_latency: 20, data_latency: 20, response_latency: 20}
memory_bus: {width: 32B, frontend_latency: 2}
memory:
  device: DDR4_2400_8x8
  channels: 2
  dram: {page_policy: close, tCL: 15ns}
  controller: {write_high_thresh_perc: 70, min_writes_per_switch: 8}
END
cat >"$WORK/two/system.yaml" <<'END'
memory:
  controller: {min_writes_per_switch: 8, write_high_thresh_perc: 70}
  dram: {tCL: 15ns, page_policy: close}
  channels: 2
  device: DDR4_2400_8x8
memory_bus: {frontend_latency: 2, width: 32B}
l3: {response_latency: 20, data_latency: 20, tag_latency: 20, assoc: 16, size: 256KiB}
l2: {clusivity: mostly_excl, response_latency: 7, data_latency: 11, tag_latency: 9, assoc: 8, size: 64KiB}
l1d: {replacement: srrip, prefetcher: {degree: 2, type: stride}, mshrs: 6, assoc: 4, size: 4KiB}
cpu: {store_buffer: 12, load_buffer: 24, rob: 64}
system_clock: 1GHz
cpu_clock: 2GHz
line: 64B
END
for order in one two; do
    replay "$WORK/$order/system.yaml" "$TRACES/qsort" --stats "$WORK/$order.txt" --log "$WORK/$order.log"
    (cd "$WORK/$order" && "$RUBATO" config show system.yaml) >"$WORK/$order.show"
done
check 'keys in another order: the same statistics' cmp -s "$WORK/one.txt" "$WORK/two.txt"
check 'keys in another order: the same event log' cmp -s "$WORK/one.log" "$WORK/two.log"
check 'keys in another order: the same system shown' cmp -s "$WORK/one.show" "$WORK/two.show"
check 'and it is not empty' test -s "$WORK/one.show" -a -s "$WORK/one.log"

# ---- balance. The traces end with a long computation, so that nothing is under way when the run is over.
for core in 0 1 2 3; do
    trace "core$core" "$core" 'for (i = 1; i <= 1500; i++) {
        kind = rand(); where = rand()
        address = where < 0.3 ? 65536 + 64 * int(rand() * 40) : 131072 + core * 65536 + 64 * int(rand() * 900)
        if (where > 0.9) address = 8192 + 64 * int(rand() * 4)
        address += 8 * int(rand() * 8)
        printf("%d,%d,1,%s:%s:\n", i, 4096 + i % 64 * 4,
               kind < 0.25 ? "COMP,1000" : (kind < 0.6 ? "STORE," : "LOAD,") address ",8,0," 500 * int(rand() * 9),
               i > 3 && rand() < 0.4 ? "," i - 3 : "")
    }
    printf "%d,4096,1,LOAD,%d,8,0,0:,%d:\n%d,4096,1,COMP,9000000::,%d\n", i, 131072, i - 1, i + 1, i'
done

# Statistics are v[name]. Between caches and a cache C below them lies the bus toCbus; membus lies above the memories, or above
# memcache. `loose` names caches whose evictions and prefetches are not all replacements: exclusive ones, with prefetcher.
cat >"$WORK/balance.awk" <<'END'
function sum(pattern,    name, total) {
    for (name in v) if (name ~ pattern) total += v[name]
    return total + 0
}
function equal(what, a, b) {
    checked++
    if (a + 0 == b + 0) return
    bad++
    print "    " what ": " a + 0 " and " b + 0
}
function dist(bus, command) { return v["system." bus ".transDist::" command] + 0 }
function requests(bus,    i, total) {
    for (i in request) total += dist(bus, i)
    return total
}
function answers(bus) { return sum("^system\\." bus "\\.transDist::(Read|Upgrade|Inv)[A-Za-z]*Resp(WithInvalidate)?$") }
function all(bus) { return sum("^system\\." bus "\\.transDist::") }
function packets(bus) { return sum("^system\\." bus "\\.pktCount_.*port$") }
function bytes(bus) { return sum("^system\\." bus "\\.pktSize_.*port$") }
$1 ~ /^system\./ { v[$1] = $2 }
END {
    n = split("ReadReq ReadSharedReq ReadCleanReq ReadExReq UpgradeReq InvalidateReq", list)
    for (i = 1; i <= n; i++) request[list[i]]
    for (name in v) if (match(name, /^system\.[a-z0-9]+\.overallAccesses::total$/)) {
        split(name, part, "."); cache[part[2]]
    }
    equal("data requests that the L1Ds took = their accesses", sum("dside\\.num(Send|Retry)Succeeded$"),
          sum("^system\\.l1d[0-9]*\\.overallAccesses::total$"))
    for (c in cache) {
        for (name in v) if (name ~ "^system\\." c "\\.(Read|Write|Upgrade|Invalidate).*Req\\.misses::total$") {
            stem = name; sub(/misses::total$/, "", stem)
            equal(stem "misses open an MSHR or join one", v[name], v[stem "mshrHits::total"] + v[stem "mshrMisses::total"])
        }
        bus = "to" c "bus"
        if (packets(bus) == 0) continue
        # 5.8: of a dirty eviction the bus sees the question to the caches above (4.10), and what those send down
        equal(bus ": WritebackDirty = those looked up in " c " + those made there", dist(bus, "WritebackDirty"),
              v["system." c ".WritebackDirty.accesses::total"] + v["system." c ".writebacks::total"])
        if (c ~ /^l2[0-9]+$/) continue        # private: other snoops come from below, too
        equal(bus ": reads = their responses", dist(bus, "ReadReq") + dist(bus, "ReadSharedReq") + dist(bus, "ReadCleanReq"),
              dist(bus, "ReadResp") + dist(bus, "ReadRespWithInvalidate"))
        # 4.11: when an owner answers its neighbour, a copy of the request is forwarded and not answered here; 5.8
        # counts it as a snoop, too, like snoops from below and all snoop answers
        copies = requests(bus) - answers(bus)
        equal(bus ": all packets = those between above and below + snoops and their answers", all(bus),
              packets(bus) + v["system." bus ".snoops"] - copies)
        if (c == "l2") equal(bus ": requests = responses", copies, 0)
        if ((" " loose " ") ~ (" " c " ")) continue
        seen = 0
        for (i in request) seen += v["system." c "." i ".accesses::total"]
        equal(bus ": requests = accesses of " c " + answers of caches above", requests(bus),
              seen + v["system." bus ".snoops"] - v["system." c ".replacements"])
    }
    # The memory bus: whatever is not a request or an eviction came up from below, and was asked for there.
    writes = dist("membus", "WritebackDirty") + dist("membus", "WritebackClean")
    reads = packets("membus") - requests("membus") - writes - dist("membus", "CleanEvict")
    last = "membus"
    if ("memcache" in cache) {
        equal("membus: responses = reads looked up in memcache", reads,
              sum("^system\\.memcache\\.Read.*Req\\.accesses::total$"))
        equal("membus: write-backs = those looked up in memcache", writes,
              sum("^system\\.memcache\\.Writeback.*\\.accesses::total$"))
        last = "memcache_bus"
        writes = dist(last, "WritebackDirty") + dist(last, "WritebackClean")
        reads = dist(last, "ReadReq")
        equal(last ": reads = responses", reads, dist(last, "ReadResp"))
        equal(last ": packets = reads, responses and write-backs", packets(last), 2 * reads + writes)
    }
    equal(last ": reads = those of the memories", reads, sum("^system\\.mem_ctrls[0-9]*\\.readReqs$"))
    equal(last ": write-backs = those of the memories", writes, sum("^system\\.mem_ctrls[0-9]*\\.writeReqs$"))
    equal(last ": bytes = those of the memories", bytes(last), sum("^system\\.mem_ctrls[0-9]*\\.bytes(Read|Written)Sys$"))
    if (checked < 7) { bad++; print "    only " checked " equations" }
    exit bad > 0
}
END

balance() {    # NAME LOOSE SYSTEM TRACES... [--set ...]
    local name=$1 loose=$2
    shift 2
    if ! replay "$@" --stats "$WORK/balance.txt" >"$WORK/stdout" 2>"$WORK/stderr"; then
        not_ok "balance: $name"
        sed 's/^/    /' "$WORK/stderr" | head -n 5
    elif awk -v loose="$loose" -f "$WORK/balance.awk" "$WORK/balance.txt" >"$WORK/unequal"; then
        ok "balance: $name"
    else
        not_ok "balance: $name"
        head -n 20 "$WORK/unequal"
    fi
}

four=("$WORK/core0" "$WORK/core1" "$WORK/core2" "$WORK/core3" --set cores=4 --set cpu.share=yes)
small=(--set l1d.size=2KiB --set l1i.size=2KiB --set l2.size=16KiB)
third=(--set l3.size=64KiB --set l3.assoc=8)
behind=(--set memory_cache.size=64KiB --set memory_cache.assoc=8)
balance 'one core' '' default "$WORK/core0" "${small[@]}"
balance 'one core, no L2' '' etrace "$WORK/core0" --set l1d.size=2KiB
balance 'one core, prefetchers' l2 default "$WORK/core0" "${small[@]}" --set l1d.prefetcher.type=stride \
    --set l2.prefetcher.type=tagged
balance 'one core, mostly exclusive' l2 default "$WORK/core0" "${small[@]}" --set l2.clusivity=mostly_excl \
    --set l1d.writeback_clean=yes
balance 'one core, memory-side cache' '' default "$WORK/core0" "${small[@]}" "${behind[@]}"
balance 'four cores' '' default "${four[@]}" "${small[@]}"
balance 'four cores, no L2' '' etrace "${four[@]}" --set l1d.size=2KiB
balance 'four cores, private L2' '' default "${four[@]}" "${small[@]}" --set l2.private=yes
balance 'four cores, private L2, L3' '' default "${four[@]}" "${small[@]}" "${third[@]}" --set l2.private=yes
balance 'four cores, shared L2, exclusive L3' l3 default "${four[@]}" "${small[@]}" "${third[@]}" \
    --set l3.clusivity=mostly_excl
balance 'four cores, two channels, memory-side cache' '' default "${four[@]}" "${small[@]}" "${behind[@]}" \
    --set memory.channels=2
