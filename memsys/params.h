/* Parameters of the memory system as data: one line defines field, key, unit, default, limits and help. The
 * configuration reader, `--help`, `config show` and the documentation come from these lines.
 *
 * Line: P(field, key, unit, default, lowest, highest, help). `field` is the C name and carries the unit; `key` is what
 * users write. All numbers are uint64_t (unit RATIO: double, limits ignored but > 0), so one reader serves all tables.
 *
 * Units: BYTES "32KiB" | CYCLES of the component's own clock | COUNT | PERIOD ps, written "2GHz" or "500ps" | TIME ps,
 * "13.75ns" | BANDWIDTH bytes/s, "12.8GiB/s" | PERCENT | BOOL | BYTES_OR_ROW bytes or the word row_buffer | RATIO |
 * ENUM names listed in params.c under the unit's name. */
#ifndef MEMSYS_PARAMS_H
#define MEMSYS_PARAMS_H

#include <stddef.h>
#include <stdint.h>

#define PARAM_MISSING UINT64_MAX         /* no default: the user must give it */
#define INTERLEAVE_ROW_BUFFER (UINT64_MAX - 1)
#define INTERLEAVE_AUTO 0                /* a cache line; with RoRaBaChCo the row buffer (classic-memory 6) */
#define CLOCK_INHERITED 0                /* clock: as the CPU's (caches, cache bus) or the system's (memory bus) */

enum clusivity { CLUSIVITY_MOSTLY_INCL, CLUSIVITY_MOSTLY_EXCL };

/* One line a policy: R(kind, name). `name` is what users write; policy_*.c defines its functions as
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

/* One line a kind: K(kind, name). `name` is what users write; prefetch_*.c defines its functions as prefetch_<name>. */
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

/* Accesses that train: as the kind's paper has it; misses; those and first hits on prefetched lines; all. */
enum prefetch_training {
    PREFETCH_TRAINING_AUTO, PREFETCH_TRAINING_MISSES, PREFETCH_TRAINING_FIRST_HITS, PREFETCH_TRAINING_ACCESSES
};

enum page_policy { PAGE_OPEN, PAGE_OPEN_ADAPTIVE, PAGE_CLOSE, PAGE_CLOSE_ADAPTIVE };
enum addr_mapping { MAP_RO_RA_BA_CO_CH, MAP_RO_RA_BA_CH_CO, MAP_RO_CO_RA_BA_CH };
enum mem_sched { SCHED_FRFCFS, SCHED_FCFS };
enum memory_type { MEMORY_DRAM, MEMORY_SIMPLE, MEMORY_HBM_PSEUDO };

enum param_unit {
    UNIT_BYTES, UNIT_CYCLES, UNIT_COUNT, UNIT_PERIOD, UNIT_TIME, UNIT_BANDWIDTH, UNIT_PERCENT, UNIT_BOOL,
    UNIT_BYTES_OR_ROW, UNIT_RATIO,
    UNIT_CLUSIVITY, UNIT_REPLACEMENT, UNIT_PAGE_POLICY, UNIT_ADDR_MAPPING, UNIT_MEM_SCHED, UNIT_MEMORY_TYPE,
    UNIT_PREFETCHER, UNIT_PREFETCH_TRAINING,
    UNIT_WARP_SCHEDULER, UNIT_COALESCING, UNIT_SECTOR_ALLOC, UNIT_SECTOR_WRITE, UNIT_SECTOR_WRITE_MISS, UNIT_SET_INDEX,
    UNIT_SLICE_INDEX, UNIT_GPU_MEMORY
};

/* C type of a field by unit */
#define PARAM_CTYPE_BYTES uint64_t
#define PARAM_CTYPE_CYCLES uint64_t
#define PARAM_CTYPE_COUNT uint64_t
#define PARAM_CTYPE_PERIOD uint64_t
#define PARAM_CTYPE_TIME uint64_t
#define PARAM_CTYPE_BANDWIDTH uint64_t
#define PARAM_CTYPE_PERCENT uint64_t
#define PARAM_CTYPE_BOOL uint64_t
#define PARAM_CTYPE_BYTES_OR_ROW uint64_t
#define PARAM_CTYPE_RATIO double
#define PARAM_CTYPE_CLUSIVITY uint64_t
#define PARAM_CTYPE_REPLACEMENT uint64_t
#define PARAM_CTYPE_PAGE_POLICY uint64_t
#define PARAM_CTYPE_ADDR_MAPPING uint64_t
#define PARAM_CTYPE_MEM_SCHED uint64_t
#define PARAM_CTYPE_MEMORY_TYPE uint64_t
#define PARAM_CTYPE_PREFETCHER uint64_t
#define PARAM_CTYPE_PREFETCH_TRAINING uint64_t
#define PARAM_CTYPE_WARP_SCHEDULER uint64_t
#define PARAM_CTYPE_COALESCING uint64_t
#define PARAM_CTYPE_SECTOR_ALLOC uint64_t
#define PARAM_CTYPE_SECTOR_WRITE uint64_t
#define PARAM_CTYPE_SECTOR_WRITE_MISS uint64_t
#define PARAM_CTYPE_SET_INDEX uint64_t
#define PARAM_CTYPE_SLICE_INDEX uint64_t
#define PARAM_CTYPE_GPU_MEMORY uint64_t

/* classic-memory 4.1, 4.12, 4.13; defaults of the L1D of classic-memory 15 */
#define CACHE_PARAMETERS(P)                                                                                           \
    P(size_bytes, size, BYTES, 65536, 16, UINT64_C(1) << 40, "capacity")                                              \
    P(assoc, assoc, COUNT, 2, 1, 65536, "ways of a set")                                                              \
    P(tag_latency_cyc, tag_latency, CYCLES, 2, 0, 1000000, "tag look-up; also what a miss, an eviction or a snoop "  \
      "answer takes to leave")                                                                                        \
    P(data_latency_cyc, data_latency, CYCLES, 2, 0, 1000000, "data access of a hit; also the fill")                   \
    P(response_latency_cyc, response_latency, CYCLES, 2, 0, 1000000, "return path of a miss")                         \
    P(sequential_access, sequential_access, BOOL, 0, 0, 1, "look up tags first, then data (latencies add up)")        \
    P(mshrs, mshrs, COUNT, 4, 1, 65536, "outstanding misses (lines)")                                                 \
    P(targets_per_mshr, targets_per_mshr, COUNT, 20, 1, 65536, "requests that may wait for one line")                 \
    P(demand_mshr_reserve, demand_mshr_reserve, COUNT, 1, 0, 65536, "MSHRs that prefetches leave free")               \
    P(write_buffers, write_buffers, COUNT, 8, 1, 65536, "pending write-backs and evictions")                          \
    P(clock_ps, clock, PERIOD, CLOCK_INHERITED, 1, 1000000000, "clock; left out: the CPU's")                          \
    P(read_only, read_only, BOOL, 0, 0, 1, "never asks for write permission (instruction caches)")                    \
    P(writeback_clean, writeback_clean, BOOL, 0, 0, 1, "write clean victims back too instead of only saying so")      \
    P(clusivity, clusivity, CLUSIVITY, CLUSIVITY_MOSTLY_INCL, 0, 1, "keep lines that caches above hold, or drop them") \
    P(write_allocator, write_allocator, BOOL, 0, 0, 1, "coalesce streaming stores and stop allocating for them")      \
    P(replacement, replacement, REPLACEMENT, REPLACEMENT_LRU, 0, REPLACEMENT_COUNT - 1, "which way of a set is "  \
      "reused")

/* classic-memory 13 */
#define PREFETCHER_PARAMETERS(P)                                                                                      \
    P(type, type, PREFETCHER, PREFETCHER_NONE, 0, PREFETCHER_COUNT - 1, "which prefetcher, or none")                  \
    P(degree, degree, COUNT, 0, 0, 256, "lines fetched for one access; 0: the kind's own")                            \
    P(distance, distance, COUNT, 0, 0, 4096, "lines or strides that it keeps ahead; 0: the kind's own")               \
    P(latency_cyc, latency, CYCLES, 1, 0, 1000000, "from the access to its first prefetch")                           \
    P(queue_size, queue_size, COUNT, 32, 1, 65536, "candidates that wait for their turn")                             \
    P(train_on, train_on, PREFETCH_TRAINING, PREFETCH_TRAINING_AUTO, 0, 3, "accesses it learns from; auto: the "      \
      "kind's own")

/* classic-memory 5.1; defaults of the L2XBar, the memory bus has its own */
#define CROSSBAR_PARAMETERS(P)                                                                                        \
    P(clock_ps, clock, PERIOD, CLOCK_INHERITED, 1, 1000000000, "clock; left out: the CPU's (cache bus) or the "      \
      "system's (memory bus)")                                                                                        \
    P(width_bytes, width, BYTES, 32, 1, 65536, "bytes a cycle")                                                       \
    P(frontend_latency_cyc, frontend_latency, CYCLES, 1, 0, 1000000, "arbitration and decoding of a request")         \
    P(forward_latency_cyc, forward_latency, CYCLES, 0, 0, 1000000, "request path")                                    \
    P(response_latency_cyc, response_latency, CYCLES, 1, 0, 1000000, "response path")                                 \
    P(snoop_response_latency_cyc, snoop_response_latency, CYCLES, 1, 0, 1000000, "path of snoop responses")           \
    P(header_latency_cyc, header_latency, CYCLES, 1, 0, 1000000, "cycles a packet's header occupies the path")

/* classic-memory 6, 7 */
#define MEMORY_PARAMETERS(P)                                                                                          \
    P(type, type, MEMORY_TYPE, MEMORY_DRAM, 0, 2, "a DRAM controller with banks, one of two HBM pseudo-channels a "   \
      "channel, or a fixed latency and bandwidth")                                                                    \
    P(base, base, BYTES, 0, 0, UINT64_C(1) << 62, "first address")                                                    \
    P(size_bytes, size, BYTES, 536870912, 4096, UINT64_C(1) << 60, "capacity of all channels together")               \
    P(channels, channels, COUNT, 1, 1, 256, "DRAM: channels, a power of two")                                         \
    P(interleave_bytes, interleave, BYTES_OR_ROW, INTERLEAVE_AUTO, 16, UINT64_C(1) << 30, "DRAM: bytes in a row on "  \
      "one channel; left out: a line (RoRaBaChCo: a row)")                                                            \
    P(xor_low_bit, xor_low_bit, COUNT, 0, 0, 58, "DRAM: hash the channel bits with those from this address bit on; " \
      "0: no")                                                                                                        \
    P(latency_ps, latency, TIME, 30000, 0, UINT64_C(1) << 40, "simple: latency of every access")                      \
    P(bandwidth_bytes_per_s, bandwidth, BANDWIDTH, UINT64_C(13743895347), 1, UINT64_C(2000000000000),                 \
      "simple: bandwidth of reads and writes together")

/* classic-memory 8.1 */
#define CONTROLLER_PARAMETERS(P)                                                                                      \
    P(write_high_thresh_perc, write_high_thresh_perc, PERCENT, 85, 0, 100, "write queue fill that forces writes")     \
    P(write_low_thresh_perc, write_low_thresh_perc, PERCENT, 50, 0, 100, "write queue fill above which an idle bus "  \
      "writes")                                                                                                       \
    P(min_writes_per_switch, min_writes_per_switch, COUNT, 16, 0, 65536, "writes before the bus turns to reads")      \
    P(min_reads_per_switch, min_reads_per_switch, COUNT, 16, 0, 65536, "reads before the bus turns to forced writes") \
    P(mem_sched_policy, mem_sched_policy, MEM_SCHED, SCHED_FRFCFS, 0, 1, "row hits first, or strictly in order")      \
    P(static_frontend_latency_ps, static_frontend_latency, TIME, 10000, 0, UINT64_C(1) << 40, "controller, on the "  \
      "way in")                                                                                                       \
    P(static_backend_latency_ps, static_backend_latency, TIME, 10000, 0, UINT64_C(1) << 40, "controller and PHY, on " \
      "the way out")                                                                                                  \
    P(command_window_ps, command_window, TIME, 10000, 1, UINT64_C(1) << 40, "window in which commands are counted "  \
      "against the command bus")

/* classic-memory 9, 12. Keys are the reference's. Defaults: DDR3_1600_8x8; other devices: dram_devices.h. */
#define DRAM_PARAMETERS(P)                                                                                            \
    P(device_size_bytes, device_size, BYTES, 536870912, 1, UINT64_C(1) << 60, "capacity of one chip (only checked)")  \
    P(device_bus_width_bits, device_bus_width, COUNT, 8, 1, 4096, "data pins of one chip")                            \
    P(burst_length, burst_length, COUNT, 8, 1, 1024, "beats of a burst")                                              \
    P(device_rowbuffer_bytes, device_rowbuffer_size, BYTES, 1024, 1, UINT64_C(1) << 30, "row buffer of one chip")     \
    P(devices_per_rank, devices_per_rank, COUNT, 8, 1, 1024, "chips of a rank")                                       \
    P(ranks_per_channel, ranks_per_channel, COUNT, 2, 1, 64, "ranks")                                                 \
    P(banks_per_rank, banks_per_rank, COUNT, 8, 1, 1024, "banks")                                                     \
    P(bank_groups_per_rank, bank_groups_per_rank, COUNT, 0, 0, 1024, "bank groups; 0: the device has none")           \
    P(read_buffer_size, read_buffer_size, COUNT, 32, 1, 65536, "read queue of a channel, in bursts")                  \
    P(write_buffer_size, write_buffer_size, COUNT, 64, 1, 65536, "write queue of a channel, in bursts")               \
    P(page_policy, page_policy, PAGE_POLICY, PAGE_OPEN_ADAPTIVE, 0, 3, "when a row is closed")                        \
    P(addr_mapping, addr_mapping, ADDR_MAPPING, MAP_RO_RA_BA_CO_CH, 0, 2, "order of row, rank, bank, column and "    \
      "channel bits")                                                                                                 \
    P(max_accesses_per_row, max_accesses_per_row, COUNT, 16, 0, UINT64_C(1) << 32, "accesses after which a row is "  \
      "closed; 0: no limit")                                                                                          \
    P(activation_limit, activation_limit, COUNT, 4, 0, 64, "activates in a window of tXAW; 0: no limit")              \
    P(two_cycle_activate, two_cycle_activate, BOOL, 0, 0, 1, "an activate takes two commands")                        \
    P(data_clock_sync, data_clock_sync, BOOL, 0, 0, 1, "the data clock must be synchronised before a burst")          \
    P(enable_dram_powerdown, enable_dram_powerdown, BOOL, 0, 0, 1, "idle ranks power down")                           \
    P(tCK_ps, tCK, TIME, 1250, 1, UINT64_C(1) << 40, "clock period")                                                  \
    P(tBURST_ps, tBURST, TIME, 5000, 1, UINT64_C(1) << 40, "duration of a burst")                                     \
    P(tBURST_MIN_ps, tBURST_MIN, TIME, 5000, 1, UINT64_C(1) << 40, "shortest distance of bursts to other bank groups") \
    P(tBURST_MAX_ps, tBURST_MAX, TIME, 5000, 1, UINT64_C(1) << 40, "longest duration of a burst")                     \
    P(tCCD_L_ps, tCCD_L, TIME, 0, 0, UINT64_C(1) << 40, "column to column, same bank group")                          \
    P(tCCD_L_WR_ps, tCCD_L_WR, TIME, 0, 0, UINT64_C(1) << 40, "write to write, same bank group")                      \
    P(tRCD_ps, tRCD, TIME, 13750, 0, UINT64_C(1) << 40, "activate to read")                                           \
    P(tRCD_WR_ps, tRCD_WR, TIME, 13750, 0, UINT64_C(1) << 40, "activate to write")                                    \
    P(tCL_ps, tCL, TIME, 13750, 0, UINT64_C(1) << 40, "read to data")                                                 \
    P(tCWL_ps, tCWL, TIME, 13750, 0, UINT64_C(1) << 40, "write to data")                                              \
    P(tRP_ps, tRP, TIME, 13750, 0, UINT64_C(1) << 40, "precharge")                                                    \
    P(tRAS_ps, tRAS, TIME, 35000, 0, UINT64_C(1) << 40, "activate to precharge")                                      \
    P(tRRD_ps, tRRD, TIME, 6000, 0, UINT64_C(1) << 40, "activate to activate")                                        \
    P(tRRD_L_ps, tRRD_L, TIME, 0, 0, UINT64_C(1) << 40, "activate to activate, same bank group")                      \
    P(tXAW_ps, tXAW, TIME, 30000, 0, UINT64_C(1) << 40, "window of activation_limit activates")                       \
    P(tWR_ps, tWR, TIME, 15000, 0, UINT64_C(1) << 40, "write recovery")                                               \
    P(tRTP_ps, tRTP, TIME, 7500, 0, UINT64_C(1) << 40, "read to precharge")                                           \
    P(tWTR_ps, tWTR, TIME, 7500, 0, UINT64_C(1) << 40, "write to read")                                               \
    P(tWTR_L_ps, tWTR_L, TIME, 7500, 0, UINT64_C(1) << 40, "write to read, same bank group")                          \
    P(tRTW_ps, tRTW, TIME, 2500, 0, UINT64_C(1) << 40, "read to write")                                               \
    P(tCS_ps, tCS, TIME, 2500, 0, UINT64_C(1) << 40, "rank to rank")                                                  \
    P(tPPD_ps, tPPD, TIME, 0, 0, UINT64_C(1) << 40, "precharge to precharge")                                         \
    P(tAAD_ps, tAAD, TIME, 1250, 0, UINT64_C(1) << 40, "between the two commands of an activate")                     \
    P(tRFC_ps, tRFC, TIME, 260000, 0, UINT64_C(1) << 40, "refresh")                                                   \
    P(tREFI_ps, tREFI, TIME, 7800000, 1, UINT64_C(1) << 40, "refresh interval")                                       \
    P(tXP_ps, tXP, TIME, 6000, 0, UINT64_C(1) << 40, "leaving power-down")                                            \
    P(tXS_ps, tXS, TIME, 270000, 0, UINT64_C(1) << 40, "leaving self-refresh")

#define PARAM_FIELD(field, key, unit, fallback, lowest, highest, help) PARAM_CTYPE_##unit field;
struct prefetcher_params { PREFETCHER_PARAMETERS(PARAM_FIELD) };
struct cache_params { CACHE_PARAMETERS(PARAM_FIELD) };
struct crossbar_params { CROSSBAR_PARAMETERS(PARAM_FIELD) };
struct controller_params { CONTROLLER_PARAMETERS(PARAM_FIELD) };
struct dram_params { DRAM_PARAMETERS(PARAM_FIELD) };
struct memory_params {
    MEMORY_PARAMETERS(PARAM_FIELD)
    char device[40];                     /* name of the row in the device table */
    struct dram_params dram;             /* that row, overridden by the user */
    struct controller_params controller;
};

/* One line of a table, as the reader sees it. */
struct param_info {
    const char *key;
    enum param_unit unit;
    size_t offset;                       /* of the field in its struct */
    uint64_t fallback;                   /* RATIO: see fallback_ratio */
    double fallback_ratio;
    uint64_t lowest, highest;
    const char *help;
};

/* A whole table, and the tables of this header (params.c). */
struct param_table {
    const struct param_info *rows;
    size_t count;
};
extern const struct param_table cache_param_table, crossbar_param_table, memory_param_table, controller_param_table,
    dram_param_table, prefetcher_param_table;

/* Names of an ENUM unit in the order of its values, ended by NULL; NULL for any other unit. */
const char *const *param_enum_names(enum param_unit unit);

/* Makes the row of a struct param_info table: #define ROW(...) PARAM_INFO(struct cache_params, __VA_ARGS__). */
#define PARAM_INFO(type, field, key, unit, fallback, lowest, highest, help)                                           \
    {#key, UNIT_##unit, offsetof(type, field), (uint64_t)(fallback), (double)(fallback), (uint64_t)(lowest),          \
     (uint64_t)(highest), help},

#endif
