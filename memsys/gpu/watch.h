/* Counters of a GPU for a viewer, beyond its statistics: by SM, by slice of the L2 and by port of the interconnect,
 * latencies, and where in memory the accesses go. Without a watch a GPU counts none of this, at no cost.
 *
 * Use: gpu_watch_init; gpu_memory_watch, and `watch` of what simulates the SMs, before the first event; look at the
 * counts between two events; gpu_watch_reset where they are to begin again; gpu_watch_free after the run.
 * Units: a piece is what a port of the interconnect moves in one of its cycles. Ownership: the watch owns its arrays
 * and must not move while it is in use; the map of addresses is the caller's. */
#ifndef MEMSYS_GPU_WATCH_H
#define MEMSYS_GPU_WATCH_H

#include "base/fault.h"
#include "memsys/noc/address_heat.h"
#include "memsys/sim/latency_histogram.h"

enum { GPU_WATCH_STALLS = 8 };

/* Of sectors that were read. Hits: of those that were there, not on their way. */
struct gpu_watch_cache {
    uint64_t hits, misses;
};

struct gpu_watch_sm {
    struct gpu_watch_cache l1;
    uint64_t pieces;                     /* that it sent and got */
    uint64_t stall_cycles[GPU_WATCH_STALLS];     /* of schedulers, by reason of the stall, while the SM has blocks */
};

struct gpu_watch_slice {
    struct gpu_watch_cache l2;
    uint64_t pieces;
    uint64_t sends;                      /* sectors to and from DRAM */
};

struct gpu_watch {
    uint32_t sm_count, slice_count;
    struct gpu_watch_sm *sms;
    struct gpu_watch_slice *slices;
    struct address_heat *heat;           /* of the slices' requests to DRAM; NULL: counted elsewhere */
    uint64_t latencies[LATENCY_BIN_COUNT];  /* reads answered by the memory below the L1s */
};

/* FAULT_MEMORY; gpu_watch_free is due in any case. */
struct fault gpu_watch_init(struct gpu_watch *watch, uint32_t sm_count, uint32_t slice_count,
                            struct address_heat *heat);
void gpu_watch_free(struct gpu_watch *watch);
/* All counts are 0 again, but those of the map. */
void gpu_watch_reset(struct gpu_watch *watch);

static inline void gpu_watch_read(struct gpu_watch_cache *cache, bool is_hit)
{
    cache->hits += is_hit;
    cache->misses += !is_hit;
}

#endif
