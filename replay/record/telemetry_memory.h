/* What a sample has of each component of a memory system (memsys/telemetry/telemetry.h).
 *
 * Each function adds a component under `parent` with its figures and answers its place. Call them when the system is
 * complete. Units: ticks are picoseconds. Ownership: the component must outlive the layout; it is not changed. */
#ifndef REPLAY_RECORD_TELEMETRY_MEMORY_H
#define REPLAY_RECORD_TELEMETRY_MEMORY_H

#include "memsys/noc/crossbar.h"
#include "memsys/cache/cache.h"
#include "memsys/dram/mem_ctrl.h"
#include "memsys/dram/simple_memory.h"
#include "memsys/noc/address_heat.h"
#include "memsys/telemetry/telemetry.h"

/* Names of fields that links count by. */
#define TELEMETRY_BUS_ABOVE "bytes_above"
#define TELEMETRY_BUS_BELOW "bytes_below"

/* Whose accesses a cache is asked for: all requestors, or, for a private one, a few. */
struct telemetry_requestors {
    unsigned first, count;
};

/* Demand hits and misses are those of `requestors`; a private cache sees no others, and is read faster so. */
uint32_t telemetry_add_cache(struct telemetry *telemetry, uint32_t parent, const struct cache *cache,
                             struct telemetry_requestors requestors);
/* Its fields TELEMETRY_BUS_ABOVE and _BELOW have one element a port. */
uint32_t telemetry_add_noc(struct telemetry *telemetry, uint32_t parent, struct noc *noc);
/* With its channels and their ranks. */
uint32_t telemetry_add_mem_ctrl(struct telemetry *telemetry, uint32_t parent, const struct mem_ctrl *ctrl);
uint32_t telemetry_add_simple_memory(struct telemetry *telemetry, uint32_t parent, const struct simple_memory *memory);
/* The rank of a component that telemetry_add_mem_ctrl made of one; NULL of others. */
const struct dram_rank *telemetry_rank_of(const struct telemetry *telemetry, uint32_t component);
/* Fields heat_base, heat_shift, heat of a component. */
void telemetry_add_heat(struct telemetry *telemetry, uint32_t component, const struct address_heat *heat);

#endif
