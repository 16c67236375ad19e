/* Parameters of a GPU as data, in the form of memsys/sim/param.h (gpu-traces 9 to 14). The SM's own are here
 * too, so that one set of tables serves configuration, documentation and import; memsys/ reads those of its parts
 * only.
 *
 * Cycles are of the core clock unless the help says otherwise. */
#ifndef MEMSYS_GPU_GPU_PARAMS_H
#define MEMSYS_GPU_GPU_PARAMS_H

#include "memsys/sim/param.h"

#define WARP_SCHEDULERS(V)                                                                                            \
    V(WARP_LRR, lrr) V(WARP_GTO, gto) V(WARP_TWO_LEVEL, two_level)
PARAM_ENUM(warp_scheduler, WARP_SCHEDULERS);
#define COALESCINGS(V)                                                                                                \
    V(COALESCE_SECTORS, sectors) V(COALESCE_SEGMENTS, segments) V(COALESCE_LINES, lines)
PARAM_ENUM(coalescing, COALESCINGS);
#define SECTOR_ALLOCS(V)                                                                                              \
    V(SECTOR_ON_MISS, on_miss) V(SECTOR_ON_FILL, on_fill) V(SECTOR_STREAMING, streaming)
PARAM_ENUM(sector_alloc, SECTOR_ALLOCS);
#define SECTOR_WRITES(V)                                                                                              \
    V(SECTOR_READ_ONLY, read_only) V(SECTOR_WRITE_BACK, write_back) V(SECTOR_WRITE_THROUGH, write_through)            \
    V(SECTOR_WRITE_EVICT, write_evict) V(SECTOR_LOCAL_BACK_GLOBAL_THROUGH, local_back_global_through)
PARAM_ENUM(sector_write, SECTOR_WRITES);
#define SECTOR_WRITE_MISSES(V)                                                                                        \
    V(SECTOR_NO_ALLOCATE, no_allocate) V(SECTOR_FETCH_AND_WRITE, fetch_and_write)                                     \
    V(SECTOR_FETCH_ON_WRITE, fetch_on_write) V(SECTOR_LAZY_FETCH, lazy_fetch)
PARAM_ENUM(sector_write_miss, SECTOR_WRITE_MISSES);
#define SET_INDICES(V)                                                                                                \
    V(SET_LINEAR, linear) V(SET_FERMI, fermi) V(SET_IPOLY, ipoly) V(SET_XOR, xor)
PARAM_ENUM(set_index, SET_INDICES);
#define SLICE_INDICES(V)                                                                                              \
    V(SLICE_LINEAR, linear) V(SLICE_XOR, xor) V(SLICE_IPOLY, ipoly) V(SLICE_PAE, pae) V(SLICE_RANDOM, random)         \
    V(SLICE_IPOLY_MODULO, ipoly_modulo)
PARAM_ENUM(slice_index, SLICE_INDICES);
#define GPU_MEMORY_PLACES(V)                                                                                          \
    V(GPU_MEMORY_AUTO, auto) V(GPU_MEMORY_OWN, own) V(GPU_MEMORY_SHARED, shared)
PARAM_ENUM(gpu_memory_place, GPU_MEMORY_PLACES);

#define GPU_PARAMETERS(P)                                                                                             \
    P(sms, sms, COUNT, 0, 0, 1024, "streaming multiprocessors (compute units); 0: no GPU")                            \
    P(core_clock_ps, core_clock, PERIOD, 883, 1, SLOWEST_CLOCK_PS, "clock of the SMs and their L1s")                  \
    P(icnt_clock_ps, icnt_clock, PERIOD, 883, 1, SLOWEST_CLOCK_PS, "clock of the interconnect")                       \
    P(l2_clock_ps, l2_clock, PERIOD, 883, 1, SLOWEST_CLOCK_PS, "clock of the L2 slices")                              \
    P(coalescing, coalescing, COALESCING, COALESCE_SECTORS, 0, 2, "how lanes become requests: 32-byte sectors, "      \
      "segments of up to 128 bytes, or 64-byte lines")                                                                \
    P(launch_latency_cyc, launch_latency, CYCLES, 5000, 0, 1000000, "from a kernel's turn to its first block")        \
    P(dispatch_pause_cyc, dispatch_pause, CYCLES, 0, 0, 1000, "from one block to the next, or as many as the block "  \
      "has warps, if that is more; 0: every SM may take a block in a cycle")                                          \
    P(dispatch_blocks, dispatch_blocks, COUNT, 0, 0, 1024, "blocks that the GPU dispatches in a cycle; 0: every SM "  \
      "may take one")                                                                                                 \
    P(block_latency_cyc, block_latency, CYCLES, 0, 0, MOST_CYC, "from a block's dispatch to its first instruction")   \
    P(concurrent_streams, concurrent_streams, BOOL, 1, 0, 1, "kernels of different streams overlap, and share SMs")   \
    P(copies_fill_l2, copies_fill_l2, BOOL, 1, 0, 1, "what is copied to the device lies in the L2 afterwards")        \
    P(icnt_latency_cyc, icnt_latency, CYCLES, 1, 0, MOST_CYC, "of the interconnect's cycles, unloaded, one way")      \
    P(icnt_packet_bytes, icnt_packet, BYTES, 40, 1, 65536, "bytes that a port moves in a cycle")                      \
    P(icnt_packets, icnt_packets, COUNT, 1, 1, 16, "packets that a port moves in a cycle of the interconnect; also "  \
      "the requests that an L1 sends, and the sectors that it writes to registers, in one of its own")                \
    P(icnt_queue, icnt_queue, COUNT, 512, 1, 65536, "packets that wait at a port")                                    \
    P(memory_place, memory, GPU_MEMORY, GPU_MEMORY_AUTO, 0, 2, "target of its L2 misses: its own channels, or "       \
      "over memory_bus and memory_cache to the memories, as beside cores; auto: own where there are no cores")        \
    P(memory_base, memory_base, BYTES, 0, 0, UINT64_C(1) << 62, "shared: first address of the memory that the GPU's " \
      "pages get")                                                                                                    \
    P(memory_size_bytes, memory_size, BYTES, 0, 0, UINT64_C(1) << 60, "shared: its size; 0: to the end of the "       \
      "memory that it begins in")                                                                                     \
    P(page_bytes, page, BYTES, 65536, 4096, UINT64_C(1) << 30, "shared: page, a power of two")                        \
    P(llc_ways, llc_ways, COUNT, 0, 0, 65536, "shared: ways of the memory cache that the GPU fills, counted from the " \
      "last; 0: all")                                                                                                 \
    P(cpu_llc_ways, cpu_llc_ways, COUNT, 0, 0, 65536, "shared: ways that cores fill, counted from the first; 0: all")

#define GPU_SM_PARAMETERS(P)                                                                                          \
    P(schedulers, schedulers, COUNT, 4, 1, 16, "warp schedulers")                                                     \
    P(policy, policy, WARP_SCHEDULER, WARP_LRR, 0, 2, "which warp issues: loose round robin, greedy then oldest, "    \
      "two levels")                                                                                                   \
    P(issue_width, issue_width, COUNT, 1, 1, 4, "instructions of one warp that a scheduler issues in a cycle")        \
    P(dual_issue_units, dual_issue_units, BOOL, 0, 0, 1, "the second must go to another unit")                        \
    P(max_threads, max_threads, COUNT, 2048, 32, 65536, "threads")                                                    \
    P(max_blocks, max_blocks, COUNT, 32, 1, 1024, "thread blocks")                                                    \
    P(register_banks, register_banks, COUNT, 0, 0, 1024, "banks of the register file, shared out to the schedulers, " \
      "each with two reads a cycle; 0: reads never wait for each other")                                              \
    P(registers, registers, COUNT, 65536, 1, UINT64_C(1) << 24, "32-bit registers; GCN3: vector registers of all "    \
      "lanes of all SIMDs together")                                                                                  \
    P(shared_bytes, shared, BYTES, 98304, 0, UINT64_C(1) << 24, "shared memory")                                      \
    P(pipeline_cyc, pipeline, CYCLES, 5, 0, 1000, "register read and write-back: added to a unit's latency before a " \
      "dependent instruction issues")                                                                                 \
    P(scoreboard, scoreboard, BOOL, 1, 0, 1, "instructions wait for the registers they use; no: a warp issues when "  \
      "its last instruction left its unit (GCN3)")                                                                    \
    P(issue_in_turn, issue_in_turn, BOOL, 0, 0, 1, "one scheduler issues in a cycle, the last one as long as it has " \
      "ready warps, and it one instruction to each unit (GCN3)")                                                      \
    P(issue_rotates, issue_rotates, BOOL, 0, 0, 1, "with issue_in_turn: each cycle is the next scheduler's, whether " \
      "it has ready warps or not")                                                                                    \
    P(address_latency_cyc, address_latency, CYCLES, 0, 0, 1000, "without scoreboard: from issue of a vector memory "  \
      "instruction to its first request, when the warp goes on; 0: it goes on when all requests have left")           \
    P(stores_leave, stores_leave, BOOL, 0, 0, 1, "a store is done when it has left the LD/ST unit: no warp, block or "\
      "fence waits for its acknowledgement, only the end of the kernel")                                              \
    P(shared_latency_cyc, shared_latency, CYCLES, 20, 0, MOST_CYC, "of shared memory without conflicts")              \
    P(shared_banks, shared_banks, COUNT, 32, 1, 1024, "banks of 4 bytes")                                             \
    P(shared_first_word, shared_first_word, BOOL, 0, 0, 1, "only a lane's first word makes conflicts, as in the "     \
      "reference")                                                                                                    \
    P(scalar_latency_cyc, scalar_latency, CYCLES, 20, 0, MOST_CYC, "of a scalar load that hits (GCN3)")

/* One section a unit: int, sp, dp, sfu, tensor, branch, texture, uniform. */
#define GPU_UNIT_PARAMETERS(P)                                                                                        \
    P(latency_cyc, latency, CYCLES, 4, 0, MOST_CYC, "execution")                                                      \
    P(interval_cyc, interval, CYCLES, 1, 1, MOST_CYC, "cycles before the unit takes the next instruction")            \
    P(count, count, COUNT, 4, 0, 64, "units of an SM; 0: none, its instructions go to int")

#define GPU_UNITS(U) U(INT, int) U(SP, sp) U(DP, dp) U(SFU, sfu) U(TENSOR, tensor) U(BRANCH, branch)                  \
    U(TEXTURE, texture) U(UNIFORM, uniform)

/* A sectored cache (12.1): the L1 of an SM, an L2 slice. */
#define SECTOR_CACHE_PARAMETERS(P)                                                                                    \
    P(sets, sets, COUNT, 4, 1, 16384, "sets")                                                                         \
    P(ways, ways, COUNT, 64, 1, 4096, "lines of a set")                                                               \
    P(line_bytes, line, BYTES, 128, 32, 1024, "line")                                                                 \
    P(sector_bytes, sector, BYTES, 32, 16, 1024, "sector, the unit of transfer")                                      \
    P(alloc, alloc, SECTOR_ALLOC, SECTOR_ON_MISS, 0, 2, "a line is taken when a request misses, when its data "       \
      "come, or when they come and with as many MSHRs as lines")                                                      \
    P(write, write, SECTOR_WRITE, SECTOR_WRITE_BACK, 0, 4, "what a write does with the level below")                  \
    P(write_miss, write_miss, SECTOR_WRITE_MISS, SECTOR_LAZY_FETCH, 0, 3, "what a write does that finds no sector")   \
    P(index, index, SET_INDEX, SET_LINEAR, 0, 3, "how addresses choose a set")                                        \
    P(mshrs, mshrs, COUNT, 256, 1, 16384, "outstanding sectors")                                                      \
    P(merges, merges, COUNT, 8, 1, 4096, "requests that may wait for one sector")                                     \
    P(miss_queue, miss_queue, COUNT, 16, 1, 65536, "requests to the level below that wait to leave")                  \
    P(dirty_percent, dirty_percent, PERCENT, 25, 0, 100, "victims are clean ones while less of the cache is dirty")   \
    P(latency_cyc, latency, CYCLES, 20, 0, MOST_CYC, "of a hit; of a slice: from the interconnect to the tags")

#define GPU_L1_PARAMETERS(P)                                                                                          \
    P(banks, banks, COUNT, 4, 1, 64, "banks; one request a bank and cycle")                                           \
    P(bank_bytes, bank_bytes, BYTES, 32, 4, 4096, "bytes after which the next bank follows")                          \
    P(tag_banks, tag_banks, COUNT, 0, 0, 64, "an instruction's accesses take as many cycles as the larger of two "    \
      "counts: words of 4 bytes in one of 32 data banks, by half and quarter warps if they are wider, and lines in "  \
      "one of these tag banks, hashed; then any bank takes any request. 0: each request waits for its bank alone")  \
    P(skip_global, skip_global, BOOL, 0, 0, 1, "global accesses go past the L1")                                      \
    P(is_absent, absent, BOOL, 0, 0, 1, "there is no L1: all accesses go to the L2")                                  \
    P(adaptive, adaptive, BOOL, 0, 0, 1, "what shared memory leaves of unified is L1, kernel by kernel")              \
    P(unified_bytes, unified, BYTES, 0, 0, UINT64_C(1) << 24, "L1 and shared memory together")                        \
    P(flush, flush, BOOL, 1, 0, 1, "the L1 is emptied after each kernel")                                             \
    P(data_latency_cyc, data_latency, CYCLES, 0, 0, MOST_CYC, "from the tags to a hit's data")                        \
    P(in_flight, in_flight, COUNT, 0, 0, 4096, "requests between tags and answer; 0: any number")                     \
    P(reorder, reorder, COUNT, 0, 0, 4096, "entries of the reorder buffer between L1 and registers, which answers "   \
      "in the order of requests; 0: none")                                                                            \
    P(return_latency_cyc, return_latency, CYCLES, 0, 0, MOST_CYC, "from the L1's answer through the reorder buffer")

/* A shader array of GCN3 (14): caches of instructions and scalar data that neighbouring SMs share. */
#define GPU_ARRAY_PARAMETERS(P)                                                                                       \
    P(sms, sms, COUNT, 0, 0, 1024, "SMs that share instruction and scalar cache; 0: instructions are there at once")  \
    P(inst_buffer_bytes, inst_buffer, BYTES, 256, 128, 65536, "a warp's instructions; of two lines on, any fits")     \
    P(inst_sets, inst_sets, COUNT, 128, 1, 16384, "sets of the instruction cache, of lines of 64 bytes")              \
    P(inst_ways, inst_ways, COUNT, 4, 1, 64, "its ways")                                                              \
    P(inst_latency_cyc, inst_latency, CYCLES, 11, 1, MOST_CYC, "from a fetch to its instructions, on a hit")          \
    P(scalar_sets, scalar_sets, COUNT, 64, 1, 16384, "sets of the scalar cache, of lines of 64 bytes")                \
    P(scalar_ways, scalar_ways, COUNT, 4, 1, 64, "its ways")                                                          \
    P(scalar_issue_cyc, scalar_issue, CYCLES, 3, 1, 1000, "from a scalar load's issue to the warp's next instruction")\
    P(inst_miss_cyc, inst_miss, CYCLES, 8, 1, MOST_CYC, "from a fetch to its request to the L2, on a miss")           \
    P(scalar_miss_cyc, scalar_miss, CYCLES, 12, 1, MOST_CYC, "from a scalar load to its request to the L2, on a miss")\
    P(return_latency_cyc, return_latency, CYCLES, 4, 0, MOST_CYC, "from the L2's answer to instructions or registers")\
    P(mshrs, mshrs, COUNT, 16, 1, 4096, "outstanding lines of each of the two caches")

/* Address translation of vector, scalar and instruction accesses (14). */
#define GPU_TLB_PARAMETERS(P)                                                                                         \
    P(page_bytes, page, BYTES, 0, 0, UINT64_C(1) << 30, "page, a power of two; 0: no translation")                    \
    P(entries, entries, COUNT, 64, 1, 4096, "pages that an L1 TLB holds, any of them")                                \
    P(misses, misses, COUNT, 4, 1, 4096, "pages that an L1 TLB waits for at a time")                                  \
    P(l1_latency_cyc, l1_latency, CYCLES, 65, 0, MOST_CYC, "from a vector access's first request to its lookup")      \
    P(l2_sets, l2_sets, COUNT, 1024, 1, 65536, "sets of the L2 TLB that all share")                                   \
    P(l2_ways, l2_ways, COUNT, 64, 1, 64, "its ways")                                                                 \
    P(l2_latency_cyc, l2_latency, CYCLES, 3, 0, MOST_CYC, "of an L1 miss that hits there")                            \
    P(walk_latency_cyc, walk_latency, CYCLES, 700, 0, MOST_CYC, "of a page walk")

#define GPU_L2_PARAMETERS(P)                                                                                          \
    P(is_absent, absent, BOOL, 0, 0, 1, "there is no L2: slices hand all requests on to DRAM, up to mshrs reads at "  \
      "once")                                                                                                         \
    P(channels, channels, COUNT, 32, 1, 256, "memory channels")                                                       \
    P(slices, slices, COUNT, 2, 1, 64, "slices of a channel")                                                         \
    P(interleave_bytes, interleave, BYTES, 256, 32, UINT64_C(1) << 30, "bytes after which the next channel follows")  \
    P(hash, hash, SLICE_INDEX, SLICE_LINEAR, 0, 5, "how addresses choose a slice (12.3)")                             \
    P(dram_latency_cyc, dram_latency, CYCLES, 100, 0, MOST_CYC, "core cycles on the way to the DRAM queue")           \
    P(queue, queue, COUNT, 64, 1, 65536, "entries of a slice's queues to and from DRAM and interconnect")             \
    P(partitions, partitions, COUNT, 1, 1, 2, "2: halves of the channels. An SM reads from its own half, which "      \
      "fetches lines of the other from there and keeps copies of them; stores and atomics go to the line's half, and "\
      "end the copy")                                                                                                 \
    P(partition_sms, partition_sms, COUNT, 16, 1, 1024, "neighbouring SMs at the same partition; the next as many "   \
      "are at the other")                                                                                             \
    P(far_latency_cyc, far_latency, CYCLES, 0, 0, MOST_CYC, "core cycles from one partition to the other and back")

struct gpu_unit_params { GPU_UNIT_PARAMETERS(PARAM_FIELD) };
struct sector_cache_params { SECTOR_CACHE_PARAMETERS(PARAM_FIELD) };
struct gpu_sm_params { GPU_SM_PARAMETERS(PARAM_FIELD) };
struct gpu_array_params { GPU_ARRAY_PARAMETERS(PARAM_FIELD) };
struct gpu_tlb_params { GPU_TLB_PARAMETERS(PARAM_FIELD) };

#define GPU_UNIT_VALUE(value, name) GPU_UNIT_##value,
enum gpu_unit { GPU_UNITS(GPU_UNIT_VALUE) GPU_UNIT_COUNT };
#undef GPU_UNIT_VALUE

enum { GPU_SHARED_OPTIONS = 8, GPU_ADDRESS_LETTERS = 64 };
#define GPU_LETTERS_MAPPING "mapping"

struct gpu_l1_params {
    struct sector_cache_params cache;
    GPU_L1_PARAMETERS(PARAM_FIELD)
    /* Sizes of shared memory to choose from, rising; the first may be 0, a later 0 ends them. */
    uint64_t shared_options[GPU_SHARED_OPTIONS];
};

struct gpu_l2_params {
    struct sector_cache_params cache;    /* of one slice */
    GPU_L2_PARAMETERS(PARAM_FIELD)
    /* The meaning of the bits of an address without channel: R row, B bank, C column, S column within a burst, 0
     * unused; 64 of them, most significant first (12.3). Or GPU_LETTERS_MAPPING: a device of DRAM commands maps the
     * address itself, and the lowest bits above l2.interleave choose the slice. */
    char letters[GPU_ADDRESS_LETTERS + 1];
};

struct gpu_params {
    GPU_PARAMETERS(PARAM_FIELD)
    struct gpu_sm_params sm;
    struct gpu_unit_params units[GPU_UNIT_COUNT];
    struct gpu_array_params array;
    struct gpu_tlb_params tlb;
    struct gpu_l1_params l1;
    struct gpu_l2_params l2;
};

#endif
