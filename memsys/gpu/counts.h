/* Counters of one kernel, of the SMs and of the memory below them; one line each: C(name, help).
 *
 * Each request carries the counters of the kernel that caused it, so that kernels which overlap are counted
 * separately. */
#ifndef MEMSYS_GPU_COUNTS_H
#define MEMSYS_GPU_COUNTS_H

#include <stdint.h>

#define GPU_COUNTERS(C)                                                                                               \
    C(blocks, "thread blocks")                                                                                        \
    C(warps, "warps")                                                                                                 \
    C(warp_insts, "warp instructions issued")                                                                         \
    C(thread_insts, "active lanes of these, a scalar instruction as one warp size")                                   \
    C(unknown_insts, "warp instructions whose opcode no rule names")                                                  \
    C(global_accesses, "warp instructions that access global or local memory")                                        \
    C(shared_accesses, "warp instructions that access shared memory")                                                 \
    C(shared_conflict_cycles, "cycles that shared memory took beyond one an access")                                  \
    C(barriers, "warps that arrived at a barrier")                                                                    \
    C(stall_scoreboard, "scheduler cycles in which warps waited for registers: of loads, or of other results")        \
    C(scoreboard_loads, "of these, those in which only answers to loads from below the L1 could end the wait")        \
    C(stall_ldst, "scheduler cycles in which warps waited for the load/store unit")                                   \
    C(stall_unit, "scheduler cycles in which warps waited for another unit")                                          \
    C(stall_barrier, "scheduler cycles in which all warps waited at barriers")                                        \
    C(idle_cycles, "scheduler cycles of an SM with blocks in which no warp had anything to issue")                    \
    C(lines, "128-byte lines (GCN3: 64-byte) that accesses touched: requests as hardware makes them")                 \
    C(l1_reads, "sectors read from the L1")                                                                           \
    C(l1_writes, "sectors written to the L1")                                                                         \
    C(l1_read_hits, "of the sectors read, those that were there")                                                     \
    C(l1_read_pending_hits, "of these, those that were on their way")                                                 \
    C(l1_read_misses, "of these, those whose line was not there")                                                     \
    C(l1_read_sector_misses, "of these, those whose line was there, but not the sector")                              \
    C(l1_write_hits, "of the sectors written, those that were there")                                                 \
    C(l1_retries, "cycles in which the L1 could not take a request")                                                  \
    C(to_l2_reads, "read requests sent to the L2")                                                                    \
    C(to_l2_writes, "write requests sent to the L2")                                                                  \
    C(inst_fetches, "lines of instructions that warps fetched (GCN3)")                                                \
    C(inst_misses, "of these, those that the instruction cache had not")                                              \
    C(scalar_reads, "lines that scalar loads read")                                                                   \
    C(scalar_misses, "of these, those that the scalar cache had not")                                                 \
    C(tlb_lookups, "translations of vector, scalar and instruction accesses")                                         \
    C(tlb_misses, "of these, those that the L1 TLB had not")                                                          \
    C(tlb_walks, "of these, those that the L2 TLB had not either")                                                    \
    C(l2_reads, "sectors read from the L2")                                                                           \
    C(l2_writes, "sectors written to the L2")                                                                         \
    C(l2_atomics, "atomic operations at the L2")                                                                      \
    C(l2_read_hits, "of the sectors read, those that were there")                                                     \
    C(l2_read_pending_hits, "of these, those that were on their way")                                                 \
    C(l2_read_misses, "of these, those whose line was not there")                                                     \
    C(l2_read_sector_misses, "of these, those whose line was there, but not the sector")                              \
    C(l2_write_hits, "of the sectors written, those that were there")                                                 \
    C(l2_retries, "L2 cycles in which a slice could not take a request")                                              \
    C(dram_reads, "sectors read from DRAM")                                                                           \
    C(dram_writes, "sectors written to DRAM")                                                                         \
    C(latency_requests, "reads answered by the memory below the L1")                                                  \
    C(latency_ps, "sum of their latencies, ps")                                                                       \
    C(l2_far_reads, "sectors that one partition of the L2 read from the other")

#define GPU_COUNTER_FIELD(name, help) uint64_t name;
struct gpu_counts { GPU_COUNTERS(GPU_COUNTER_FIELD) };
#undef GPU_COUNTER_FIELD

#endif
