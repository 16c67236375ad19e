/* Names for the counters of each component (registration, see memsys/stats.h).
 *
 * Each function adds a component's statistics under its path and its reset hook. Call them at set-up, when all
 * requestors are known and the component is complete (a cache: after cache_start), in the order in which statistics
 * shall be written.
 * Ownership: the component and its sim must outlive the registry. */
#ifndef MEMSYS_COMPONENT_STATS_H
#define MEMSYS_COMPONENT_STATS_H

#include "memsys/cache.h"
#include "memsys/crossbar.h"
#include "memsys/mem_ctrl.h"
#include "memsys/sim.h"
#include "memsys/simple_memory.h"
#include "memsys/stats.h"

/* Simulated time: simSeconds, simTicks, finalTick, simFreq. */
void sim_add_stats(const struct sim *sim, struct stats *stats);
/* A number that does not change during a run. */
void stats_add_constant(struct stats *stats, const char *name, double value, const char *unit, const char *help);

/* "system.l1d" and so on: component names are those of the log, without "system.". */
void cache_add_stats(struct cache *cache, struct stats *stats);
/* "system.l1d.prefetcher"; cache_add_stats calls it, and resets the counters with the cache's. */
void prefetcher_add_stats(const struct prefetcher *prefetcher, struct stats *stats);
void crossbar_add_stats(struct crossbar *crossbar, struct stats *stats);
void mem_ctrl_add_stats(struct mem_ctrl *ctrl, struct stats *stats);
void simple_memory_add_stats(struct simple_memory *memory, struct stats *stats);

/* Traffic of the memory called `path` by requestor: memory_traffic.h. */
void memory_traffic_add_stats(const struct memory_traffic *traffic, const struct sim *sim, const char *path,
                              struct stats *stats);

#endif
