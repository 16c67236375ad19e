/* Energy of a run's SRAMs: accesses times energy, leakage times time (replay/cost/system_cost.h), as statistics of the
 * run and of each cache. Only of systems with a technology; DRAM has its own (memsys/dram/energy_stats.h).
 *
 * What counts: a cache is read by each access and by each line that it writes back, written by stores, and by lines
 * that come from below or are written back into it; an MSHR is looked up by each miss, written and read by each that
 * takes one; a write buffer is written and read by each line written back; a prefetcher's tables by each access of its
 * cache; TLBs are read by each look-up, written by each miss; a core's ROB, instruction queue and registers are written
 * and read by each micro-op, its load and store queues by what reaches the L1D, its predictors are read by each
 * prediction and written by each branch that commits.
 * Ownership: system_energy_add makes system->energy, system_energy_free frees it. */
#ifndef REPLAY_SYSTEM_SYSTEM_ENERGY_H
#define REPLAY_SYSTEM_SYSTEM_ENERGY_H

#include "base/fault.h"

struct stats;
struct system;

/* Nothing without a technology. FAULT_MEMORY. Statistics of the run; then those of single caches may be added. */
struct fault system_energy_add(struct system *system, struct stats *stats);
void system_energy_add_cache(struct system *system, unsigned cache, struct stats *stats);
void system_energy_free(struct system *system);

#endif
