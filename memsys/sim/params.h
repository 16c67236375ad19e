/* Parameters of the memory system as data: one line defines field, key, unit, default, limits and help. The
 * configuration reader, `--help`, `config show` and the documentation come from these lines.
 *
 * Line: P(field, key, unit, default, lowest, highest, help). `field` is the C name and carries the unit; `key` is what
 * users write. All numbers are uint64_t (unit RATIO: double, limits ignored but > 0), so one reader serves all tables.
 *
 * Units: BYTES "32KiB" | CYCLES of the component's own clock | COUNT | PERIOD ps, written "2GHz" or "500ps" | TIME ps,
 * "13.75ns" | BANDWIDTH bytes/s, "12.8GiB/s" | PERCENT | BOOL | BYTES_OR_ROW bytes or the word row_buffer | RATIO |
 * that of an enumeration: its names. The list of units: replay/config/tables.h. */
#ifndef MEMSYS_SIM_PARAMS_H
#define MEMSYS_SIM_PARAMS_H

#include <stdint.h>

#define PARAM_MISSING UINT64_MAX         /* no default: the user must give it */
#define INTERLEAVE_ROW_BUFFER (UINT64_MAX - 1)
#define INTERLEAVE_AUTO 0                /* a cache line; with RoRaBaChCo the row buffer (classic-memory 6) */
/* Highest values that many keys share. They keep the longest wait far below what a run takes for a standstill
 * (replay/system/system.c), and ticks within 64 bits. */
#define MOST_CYC 10000                   /* of one latency */
#define SLOWEST_CLOCK_PS 1000000         /* 1 MHz */
#define LONGEST_DRAM_PS 10000000         /* 10 us: of one distance between two commands */
#define LONGEST_WAY_PS 100000000         /* 100 us: of what a controller or a memory without banks adds */
#define MOST_MEMORY_BYTES (UINT64_C(1) << 60)
#define CLOCK_INHERITED 0                /* clock: as the CPU's (caches, cache bus) or the system's (memory bus) */

/* An enumeration: V(value, name) for each of its values, in order; `name` is what users write. */
#define PARAM_ENUM_VALUE(value, name) value,
#define PARAM_ENUM(tag, LIST) enum tag { LIST(PARAM_ENUM_VALUE) }

#define CLUSIVITIES(V)                                                                                                \
    V(CLUSIVITY_MOSTLY_INCL, mostly_incl) V(CLUSIVITY_MOSTLY_EXCL, mostly_excl)
PARAM_ENUM(clusivity, CLUSIVITIES);

/* One line a policy: R(kind, name). `name` is what users write; memsys/policy/ defines its functions as
 * replacement_<name>. */
#define REPLACEMENT_POLICIES(R)                                                                                       \
    R(LRU, lru)                                                                                                       \
    R(FIFO, fifo)                                                                                                     \
    R(LFU, lfu)                                                                                                       \
    R(MRU, mru)                                                                                                       \
    R(TREE_PLRU, tree_plru)                                                                                           \
    R(SECOND_CHANCE, second_chance)                                                                                   \
    R(RRIP, rrip)                                                                                                     \
    R(SRRIP, srrip)                                                                                                   \
    R(BRRIP, brrip)                                                                                                   \
    R(NRU, nru)                                                                                                       \
    R(RANDOM, random)                                                                                                 \
    R(BIP, bip)                                                                                                       \
    R(LIP, lip)                                                                                                       \
    R(SHIP, ship)                                                                                                     \
    R(DRRIP, drrip)

#define REPLACEMENT_VALUE(kind, name) REPLACEMENT_##kind,
enum replacement_kind { REPLACEMENT_POLICIES(REPLACEMENT_VALUE) REPLACEMENT_COUNT };
#undef REPLACEMENT_VALUE

/* One line a kind: K(kind, name). `name` is what users write; its functions are prefetch_<name>. */
#define PREFETCHERS(K)                                                                                                \
    K(STRIDE, stride)                                                                                                 \
    K(TAGGED, tagged)                                                                                                 \
    K(NEXT_LINE, next_line)                                                                                           \
    K(STREAM, stream)                                                                                                 \
    K(BOP, bop)                                                                                                       \
    K(SPP, spp)                                                                                                       \
    K(AMPM, ampm)

#define PREFETCHER_VALUE(kind, name) PREFETCHER_##kind,
enum prefetcher_kind { PREFETCHER_NONE, PREFETCHERS(PREFETCHER_VALUE) PREFETCHER_COUNT };
#undef PREFETCHER_VALUE

/* Interconnects. One line a kind: N(kind, name). `name` is what users write; memsys/noc/ defines its functions as
 * noc_<name>. */
#define INTERCONNECTS(N)                                                                                              \
    N(CROSSBAR, crossbar)

#define NOC_VALUE(kind, name) NOC_##kind,
enum noc_kind { INTERCONNECTS(NOC_VALUE) NOC_COUNT };
#undef NOC_VALUE

/* Accesses that train: as the kind's paper has it; misses; those and first hits on prefetched lines; all. */
#define PREFETCH_TRAININGS(V)                                                                                         \
    V(PREFETCH_TRAINING_AUTO, auto) V(PREFETCH_TRAINING_MISSES, misses) V(PREFETCH_TRAINING_FIRST_HITS, first_hits)   \
    V(PREFETCH_TRAINING_ACCESSES, accesses)
PARAM_ENUM(prefetch_training, PREFETCH_TRAININGS);

#define PAGE_POLICIES(V)                                                                                              \
    V(PAGE_OPEN, open) V(PAGE_OPEN_ADAPTIVE, open_adaptive) V(PAGE_CLOSE, close)                                      \
    V(PAGE_CLOSE_ADAPTIVE, close_adaptive)
PARAM_ENUM(page_policy, PAGE_POLICIES);
#define ADDR_MAPPINGS(V)                                                                                              \
    V(MAP_RO_RA_BA_CO_CH, RoRaBaCoCh) V(MAP_RO_RA_BA_CH_CO, RoRaBaChCo) V(MAP_RO_CO_RA_BA_CH, RoCoRaBaCh)
PARAM_ENUM(addr_mapping, ADDR_MAPPINGS);
/* Who says page policy, address map and queue depths. */
#define DEVICE_POLICIES(V)                                                                                            \
    V(DEVICE_POLICY_SYSTEM, system) V(DEVICE_POLICY_DEVICE, device)
PARAM_ENUM(device_policy, DEVICE_POLICIES);
#define MEM_SCHEDS(V)                                                                                                 \
    V(SCHED_FRFCFS, frfcfs) V(SCHED_FCFS, fcfs)
PARAM_ENUM(mem_sched, MEM_SCHEDS);
#define REFRESH_POLICIES(V)                                                                                           \
    V(REFRESH_ALL_BANK, all_bank) V(REFRESH_NONE, none)
PARAM_ENUM(refresh_policy, REFRESH_POLICIES);
#define MEMORY_TYPES(V)                                                                                               \
    V(MEMORY_DRAM, dram) V(MEMORY_SIMPLE, simple) V(MEMORY_HBM_PSEUDO, hbm_pseudo)
PARAM_ENUM(memory_type, MEMORY_TYPES);

#define PLACEMENTS(V)                                                                                                 \
    V(PLACEMENT_FIRST_TOUCH, first_touch) V(PLACEMENT_IDENTITY, identity) V(PLACEMENT_RANDOM, random)                 \
    V(PLACEMENT_COLOURED, coloured)
PARAM_ENUM(placement, PLACEMENTS);
#define HUGE_PAGES(V)                                                                                                 \
    V(HUGE_NEVER, never) V(HUGE_ALWAYS, always) V(HUGE_THRESHOLD, threshold)
PARAM_ENUM(huge_pages, HUGE_PAGES);
#define ELASTIC_ADDRESSES(V)                                                                                          \
    V(ELASTIC_PHYSICAL, physical) V(ELASTIC_VIRTUAL, virtual)
PARAM_ENUM(elastic_addresses, ELASTIC_ADDRESSES);
#define INSN_ADDRESSES(V)                                                                                             \
    V(ADDRESSES_OF_FORMAT, format) V(ADDRESSES_VIRTUAL, virtual) V(ADDRESSES_PHYSICAL, physical)
PARAM_ENUM(insn_addresses_key, INSN_ADDRESSES);
#define WALKER_PLACES(V)                                                                                              \
    V(WALKER_AT_L1D, l1d) V(WALKER_AT_L2, l2)
PARAM_ENUM(walker_place, WALKER_PLACES);

/* Fields are uint64_t, of unit RATIO double: PARAM_OTHER_<unit> is defined for that one alone. */
#define PARAM_OTHER_RATIO ~, double
#define PARAM_SECOND(first, second, ...) second
#define PARAM_EXPANDED(...) PARAM_SECOND(__VA_ARGS__)
#define PARAM_FIELD(field, key, unit, fallback, lowest, highest, help)                                                \
    PARAM_EXPANDED(PARAM_OTHER_##unit, uint64_t, ~) field;

/* classic-memory 4.1, 4.12, 4.13; defaults of the L1D of classic-memory 15 */
#define CACHE_PARAMETERS(P)                                                                                           \
    P(size_bytes, size, BYTES, 65536, 16, UINT64_C(1) << 30, "capacity")                                              \
    P(assoc, assoc, COUNT, 2, 1, 65536, "ways of a set")                                                              \
    P(tag_latency_cyc, tag_latency, CYCLES, 2, 0, MOST_CYC, "tag look-up; also what a miss, an eviction or a snoop "  \
      "response takes to leave")                                                                                      \
    P(data_latency_cyc, data_latency, CYCLES, 2, 0, MOST_CYC, "data access of a hit; also the fill")                  \
    P(response_latency_cyc, response_latency, CYCLES, 2, 0, MOST_CYC, "return path of a miss")                        \
    P(sequential_access, sequential_access, BOOL, 0, 0, 1, "look up tags first, then data (latencies add up)")        \
    P(mshrs, mshrs, COUNT, 4, 1, 65536, "outstanding misses (lines)")                                                 \
    P(targets_per_mshr, targets_per_mshr, COUNT, 20, 1, 65536, "requests that may wait for one line")                 \
    P(demand_mshr_reserve, demand_mshr_reserve, COUNT, 1, 0, 65536, "MSHRs that prefetches leave free")               \
    P(write_buffers, write_buffers, COUNT, 8, 1, 65536, "pending write-backs and evictions")                          \
    P(clock_ps, clock, PERIOD, CLOCK_INHERITED, 1, SLOWEST_CLOCK_PS, "clock; left out: the CPU's")                    \
    P(read_only, read_only, BOOL, 0, 0, 1, "never asks for write permission (instruction caches)")                    \
    P(writeback_clean, writeback_clean, BOOL, 0, 0, 1, "write clean victims back too instead of only saying so")      \
    P(clusivity, clusivity, CLUSIVITY, CLUSIVITY_MOSTLY_INCL, 0, 1, "keep lines that caches above hold, or drop them") \
    P(write_allocator, write_allocator, BOOL, 0, 0, 1, "coalesce streaming stores and stop allocating for them")      \
    P(replacement, replacement, REPLACEMENT, REPLACEMENT_LRU, 0, REPLACEMENT_COUNT - 1, "which way of a set is "      \
      "reused")

/* classic-memory 13 */
#define PREFETCHER_PARAMETERS(P)                                                                                      \
    P(type, type, PREFETCHER, PREFETCHER_NONE, 0, PREFETCHER_COUNT - 1, "which prefetcher, or none")                  \
    P(degree, degree, COUNT, 0, 0, 256, "lines fetched for one access; 0: the kind's own")                            \
    P(distance, distance, COUNT, 0, 0, 4096, "lines or strides that it keeps ahead; 0: the kind's own")               \
    P(latency_cyc, latency, CYCLES, 1, 0, MOST_CYC, "from the access to its first prefetch")                          \
    P(queue_size, queue_size, COUNT, 32, 1, 65536, "candidates that wait for their turn")                             \
    P(train_on, train_on, PREFETCH_TRAINING, PREFETCH_TRAINING_AUTO, 0, 3, "accesses it learns from; auto: the "      \
      "kind's own")

/* classic-memory 5.1; defaults of the L2XBar, the memory bus has its own */
#define NOC_PARAMETERS(P)                                                                                             \
    P(kind, type, INTERCONNECT, NOC_CROSSBAR, 0, NOC_COUNT - 1, "kind of interconnect")                               \
    P(clock_ps, clock, PERIOD, CLOCK_INHERITED, 1, SLOWEST_CLOCK_PS, "clock; left out: the CPU's (cache bus) or the " \
      "system's (memory bus)")                                                                                        \
    P(width_bytes, width, BYTES, 32, 1, 65536, "bytes a cycle")                                                       \
    P(frontend_latency_cyc, frontend_latency, CYCLES, 1, 0, MOST_CYC, "arbitration and decoding of a request")        \
    P(forward_latency_cyc, forward_latency, CYCLES, 0, 0, MOST_CYC, "request path")                                   \
    P(response_latency_cyc, response_latency, CYCLES, 1, 0, MOST_CYC, "response path")                                \
    P(snoop_response_latency_cyc, snoop_response_latency, CYCLES, 1, 0, MOST_CYC, "path of snoop responses")          \
    P(header_latency_cyc, header_latency, CYCLES, 1, 0, MOST_CYC, "cycles a packet's header occupies the path")

/* classic-memory 6, 7 */
#define MEMORY_PARAMETERS(P)                                                                                          \
    P(type, type, MEMORY_TYPE, MEMORY_DRAM, 0, 2, "a DRAM controller with banks, one of two HBM pseudo-channels a "   \
      "channel, or a fixed latency and bandwidth")                                                                    \
    P(policy, policy, DEVICE_POLICY, DEVICE_POLICY_SYSTEM, 0, 1, "page policy, address mapping, queue depths and "    \
      "power-down under another device: the system's, which stay, or that device's own")                              \
    P(base, base, BYTES, 0, 0, UINT64_C(1) << 62, "first address")                                                    \
    P(size_bytes, size, BYTES, 536870912, 4096, MOST_MEMORY_BYTES, "capacity of all channels together")               \
    P(channels, channels, COUNT, 1, 1, 256, "DRAM: channels")                                                         \
    P(interleave_bytes, interleave, BYTES_OR_ROW, INTERLEAVE_AUTO, 16, UINT64_C(1) << 30, "DRAM: bytes in a row on "  \
      "one channel; left out: a line (RoRaBaChCo: a row)")                                                            \
    P(xor_low_bit, xor_low_bit, COUNT, 0, 0, 58, "DRAM: hash the channel bits with those from this address bit on; "  \
      "0: no")                                                                                                        \
    P(latency_ps, latency, TIME, 30000, 0, LONGEST_WAY_PS, "simple: latency of every access")                         \
    P(bandwidth_bytes_per_s, bandwidth, BANDWIDTH, UINT64_C(13743895347), 1 << 20, UINT64_C(2000000000000),           \
      "simple: bandwidth of reads and writes together")

/* classic-memory 8.1 */
#define CONTROLLER_PARAMETERS(P)                                                                                      \
    P(write_high_thresh_perc, write_high_thresh_perc, PERCENT, 85, 0, 100, "write queue fill that forces writes")     \
    P(write_low_thresh_perc, write_low_thresh_perc, PERCENT, 50, 0, 100, "write queue fill above which an idle bus "  \
      "writes")                                                                                                       \
    P(min_writes_per_switch, min_writes_per_switch, COUNT, 16, 0, 65536, "writes before the bus turns to reads")      \
    P(min_reads_per_switch, min_reads_per_switch, COUNT, 16, 0, 65536, "reads before the bus turns to forced writes") \
    P(mem_sched_policy, mem_sched_policy, MEM_SCHED, SCHED_FRFCFS, 0, 1, "row hits first, or strictly in order")      \
    P(refresh, refresh, REFRESH, REFRESH_ALL_BANK, 0, 1, "ranks are refreshed each tREFI, all banks closed, or never")\
    P(static_frontend_latency_ps, static_frontend_latency, TIME, 10000, 0, LONGEST_WAY_PS, "controller, on the "      \
      "way in")                                                                                                       \
    P(static_backend_latency_ps, static_backend_latency, TIME, 10000, 0, LONGEST_WAY_PS, "controller and PHY, on "    \
      "the way out")                                                                                                  \
    P(command_window_ps, command_window, TIME, 10000, 1, LONGEST_WAY_PS, "window in which commands are counted "      \
      "against the command bus")

/* classic-memory 9, 12. Keys are the reference's. Defaults: DDR3_1600_8x8; other devices: configs/dram/. */
#define DRAM_PARAMETERS(P)                                                                                            \
    P(device_size_bytes, device_size, BYTES, 536870912, 1, UINT64_C(1) << 60, "capacity of one chip (only checked)")  \
    P(device_bus_width_bits, device_bus_width, COUNT, 8, 1, 4096, "data pins of one chip")                            \
    P(burst_length, burst_length, COUNT, 8, 1, 1024, "beats of a burst")                                              \
    P(device_rowbuffer_bytes, device_rowbuffer_size, BYTES, 1024, 1, UINT64_C(1) << 17, "row buffer of one chip")     \
    P(devices_per_rank, devices_per_rank, COUNT, 8, 1, 256, "chips of a rank")                                        \
    P(ranks_per_channel, ranks_per_channel, COUNT, 2, 1, 16, "ranks")                                                 \
    P(banks_per_rank, banks_per_rank, COUNT, 8, 1, 1024, "banks")                                                     \
    P(bank_groups_per_rank, bank_groups_per_rank, COUNT, 0, 0, 1024, "bank groups; 0: the device has none")           \
    P(read_buffer_size, read_buffer_size, COUNT, 32, 1, 65536, "read queue of a channel, in bursts")                  \
    P(write_buffer_size, write_buffer_size, COUNT, 64, 1, 65536, "write queue of a channel, in bursts")               \
    P(page_policy, page_policy, PAGE_POLICY, PAGE_OPEN_ADAPTIVE, 0, 3, "when a row is closed")                        \
    P(addr_mapping, addr_mapping, ADDR_MAPPING, MAP_RO_RA_BA_CO_CH, 0, 2, "order of row, rank, bank, column and "     \
      "channel bits")                                                                                                 \
    P(max_accesses_per_row, max_accesses_per_row, COUNT, 16, 0, 65536, "accesses after which a row is "               \
      "closed; 0: no limit")                                                                                          \
    P(activation_limit, activation_limit, COUNT, 4, 0, 64, "activates in a window of tXAW; 0: no limit")              \
    P(two_cycle_activate, two_cycle_activate, BOOL, 0, 0, 1, "an activate takes two commands")                        \
    P(data_clock_sync, data_clock_sync, BOOL, 0, 0, 1, "the data clock must be synchronised before a burst")          \
    P(enable_dram_powerdown, enable_dram_powerdown, BOOL, 0, 0, 1, "idle ranks power down")                           \
    P(tCK_ps, tCK, TIME, 1250, 1, LONGEST_DRAM_PS, "clock period")                                                    \
    P(tBURST_ps, tBURST, TIME, 5000, 1, LONGEST_DRAM_PS, "duration of a burst")                                       \
    P(tBURST_MIN_ps, tBURST_MIN, TIME, 5000, 1, LONGEST_DRAM_PS, "shortest distance of bursts to other bank groups")  \
    P(tBURST_MAX_ps, tBURST_MAX, TIME, 5000, 1, LONGEST_DRAM_PS, "longest duration of a burst")                       \
    P(tCCD_L_ps, tCCD_L, TIME, 0, 0, LONGEST_DRAM_PS, "column to column, same bank group")                            \
    P(tCCD_L_WR_ps, tCCD_L_WR, TIME, 0, 0, LONGEST_DRAM_PS, "write to write, same bank group")                        \
    P(tRCD_ps, tRCD, TIME, 13750, 0, LONGEST_DRAM_PS, "activate to read")                                             \
    P(tRCD_WR_ps, tRCD_WR, TIME, 13750, 0, LONGEST_DRAM_PS, "activate to write")                                      \
    P(tCL_ps, tCL, TIME, 13750, 0, LONGEST_DRAM_PS, "read to data")                                                   \
    P(tCWL_ps, tCWL, TIME, 13750, 0, LONGEST_DRAM_PS, "write to data")                                                \
    P(tRP_ps, tRP, TIME, 13750, 0, LONGEST_DRAM_PS, "precharge")                                                      \
    P(tRAS_ps, tRAS, TIME, 35000, 0, LONGEST_DRAM_PS, "activate to precharge")                                        \
    P(tRRD_ps, tRRD, TIME, 6000, 0, LONGEST_DRAM_PS, "activate to activate")                                          \
    P(tRRD_L_ps, tRRD_L, TIME, 0, 0, LONGEST_DRAM_PS, "activate to activate, same bank group")                        \
    P(tXAW_ps, tXAW, TIME, 30000, 0, LONGEST_DRAM_PS, "window of activation_limit activates")                         \
    P(tWR_ps, tWR, TIME, 15000, 0, LONGEST_DRAM_PS, "write recovery")                                                 \
    P(tRTP_ps, tRTP, TIME, 7500, 0, LONGEST_DRAM_PS, "read to precharge")                                             \
    P(tWTR_ps, tWTR, TIME, 7500, 0, LONGEST_DRAM_PS, "write to read")                                                 \
    P(tWTR_L_ps, tWTR_L, TIME, 7500, 0, LONGEST_DRAM_PS, "write to read, same bank group")                            \
    P(tRTW_ps, tRTW, TIME, 2500, 0, LONGEST_DRAM_PS, "read to write")                                                 \
    P(tCS_ps, tCS, TIME, 2500, 0, LONGEST_DRAM_PS, "rank to rank")                                                    \
    P(tPPD_ps, tPPD, TIME, 0, 0, LONGEST_DRAM_PS, "precharge to precharge")                                           \
    P(tAAD_ps, tAAD, TIME, 1250, 0, LONGEST_DRAM_PS, "between the two commands of an activate")                       \
    P(tRFC_ps, tRFC, TIME, 260000, 0, LONGEST_DRAM_PS, "refresh")                                                     \
    P(tREFI_ps, tREFI, TIME, 7800000, 500000, UINT64_C(1) << 40, "refresh interval")                                  \
    P(tXP_ps, tXP, TIME, 6000, 0, LONGEST_DRAM_PS, "leaving power-down")                                              \
    P(tXS_ps, tXS, TIME, 270000, 0, LONGEST_DRAM_PS, "leaving self-refresh")

/* virtual-memory 2 */
#define PAGES_PARAMETERS(P)                                                                                           \
    P(policy, policy, PLACEMENT, PLACEMENT_FIRST_TOUCH, 0, 3, "which frame a page gets: the next, its own number's, "\
      "any, the next of its colour")                                                                                  \
    P(huge, huge, HUGE_PAGES, HUGE_NEVER, 0, 2, "pages of 2 MiB: none, all, or those of which the trace uses many "   \
      "pieces of 4 KiB")                                                                                              \
    P(threshold, threshold, COUNT, 256, 1, 512, "huge: threshold: so many pieces of 4 KiB make a page of 2 MiB")      \
    P(seed, seed, COUNT, 1, 0, UINT32_MAX, "policy random: another number, other places")                             \
    P(colours, colours, COUNT, 64, 1, 65536, "policy coloured: number of colours; frame and page number are equal "   \
      "modulo that")                                                                                                  \
    P(elastic, elastic, ELASTIC_ADDRESSES, ELASTIC_PHYSICAL, 0, 1, "which addresses of elastic traces count: the "    \
      "physical ones as they are, or the virtual ones, which are placed as those of other traces")                    \
    P(addresses, addresses, INSN_ADDRESSES, ADDRESSES_OF_FORMAT, 0, 2, "what addresses of instruction traces are: "   \
      "what their format has, virtual ones, which are placed, or physical ones, which stay as they are")

/* virtual-memory 4; sizes of the 4 KiB and 2 MiB parts as in Intel's Skylake */
#define TLB_L1_PARAMETERS(P)                                                                                          \
    P(entries, entries, COUNT, 64, 1, 65536, "entries for pages of 4 KiB")                                            \
    P(assoc, assoc, COUNT, 4, 1, 4096, "ways of a set of these")                                                      \
    P(huge_entries, huge_entries, COUNT, 32, 1, 65536, "entries for pages of 2 MiB")                                  \
    P(huge_assoc, huge_assoc, COUNT, 4, 1, 4096, "ways of a set of these")                                            \
    P(mshrs, mshrs, COUNT, 8, 1, 1024, "pages that may miss at once; further misses are refused")                     \
    P(targets_per_mshr, targets_per_mshr, COUNT, 16, 1, 65536, "requests that may wait for one page")

#define TLB_L2_PARAMETERS(P)                                                                                          \
    P(entries, entries, COUNT, 1536, 0, 1 << 20, "entries, for pages of both sizes; 0: there is no L2")               \
    P(assoc, assoc, COUNT, 12, 1, 4096, "ways of a set")                                                              \
    P(latency_cyc, latency, CYCLES, 7, 0, MOST_CYC, "look-up, after a miss in an L1")

/* virtual-memory 5 */
#define WALKER_PARAMETERS(P)                                                                                          \
    P(at, at, WALKER_PLACE, WALKER_AT_L1D, 0, 1, "where walks read: in the L1D, or in what is behind it")             \
    P(outstanding, outstanding, COUNT, 4, 1, 256, "walks at once; further ones wait")

#define WALK_CACHES_PARAMETERS(P)                                                                                     \
    P(level4, level4, COUNT, 2, 0, 4096, "entries of the root table; 0: none")                                        \
    P(level3, level3, COUNT, 4, 0, 4096, "entries of tables of level 3; 0: none")                                     \
    P(level2, level2, COUNT, 32, 0, 4096, "entries of tables of level 2; 0: none")

struct pages_params { PAGES_PARAMETERS(PARAM_FIELD) };
struct tlb_l1_params { TLB_L1_PARAMETERS(PARAM_FIELD) };
struct tlb_l2_params { TLB_L2_PARAMETERS(PARAM_FIELD) };
struct walker_params { WALKER_PARAMETERS(PARAM_FIELD) };
struct walk_caches_params { WALK_CACHES_PARAMETERS(PARAM_FIELD) };
struct tlb_params {
    struct tlb_l1_params l1i, l1d;
    struct tlb_l2_params l2;
    struct walker_params walker;
    struct walk_caches_params caches;
};

struct prefetcher_params { PREFETCHER_PARAMETERS(PARAM_FIELD) };
struct cache_params { CACHE_PARAMETERS(PARAM_FIELD) };
struct noc_params { NOC_PARAMETERS(PARAM_FIELD) };
struct controller_params { CONTROLLER_PARAMETERS(PARAM_FIELD) };
struct dram_params { DRAM_PARAMETERS(PARAM_FIELD) };
struct memory_params {
    MEMORY_PARAMETERS(PARAM_FIELD)
    char device[40];                     /* name of the device */
    uint64_t has_policy;                 /* a device or a key has said what the controller does with rows and queues */
    struct dram_params of_device;        /* the device's own values */
    struct dram_params dram;             /* those, overridden by the user */
    struct controller_params controller;
};

#endif
