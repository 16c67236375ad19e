/* L2 slices of a GPU (gpu-traces 10, 12): requests from the interconnect to the tags, and on to DRAM.
 *
 * A request that reached its slice waits `latency` core cycles, then for its turn: a slice looks at one request and
 * takes one fetched sector in an L2 cycle, in order. A request that the tags cannot take (no MSHR, way or room towards
 * DRAM) blocks all behind it. Hits, writes and fetched sectors are answered.
 *
 * Without an L2 (gpu.l2.absent) a request goes directly to DRAM: a read is answered when its own sector has come, a
 * write when DRAM's queue has taken it, an atomic is a read and a write. Nothing is merged.
 *
 * With two partitions (gpu.l2.partitions) the upper half of the slices is the far side of the lower one, and the
 * reverse. A slice reads what lies on the far side from its twin there, half of the slices away, and keeps a copy,
 * under the key with GPU_KEY_COPY. It is an access of the twin and goes before those of SMs, which may wait for it. A
 * store or an atomic at a line's own slice ends the copy.
 *
 * Requests lie in a pool of slots, which know their place by number. Units: ticks are picoseconds. Ownership: the
 * slices must not move after init; they own caches and queues; the pool and the calendar, which calls gpu_slices_due,
 * belong to the memory. */
#ifndef MEMSYS_GPU_SLICE_H
#define MEMSYS_GPU_SLICE_H

#include "memsys/gpu/gpu_hooks.h"
#include "memsys/gpu/gpu_channel.h"
#include "memsys/gpu/gpu_params.h"
#include "memsys/gpu/icnt.h"
#include "memsys/gpu/gpu_memory.h"
#include "memsys/gpu/sector_cache.h"

#define GPU_NO_SLOT UINT32_MAX
#define GPU_KEY_COPY (UINT64_C(1) << (GPU_KEY_SHIFT - 1))        /* no address of two channels or more has this bit */

/* A request under way. It fills a line of the host's cache. */
struct gpu_slot {
    struct gpu_request request;
    uint64_t key;                        /* of its sector (hash.h) */
    uint64_t sent_ps;
    uint32_t slice;
    uint32_t next;                       /* of the free slots */
};

struct gpu_pool {
    struct gpu_slot *slots;
    uint32_t count, free, used;
};

/* A request on its way to the tags. */
struct gpu_arrival {
    uint64_t ready_ps;                   /* there */
    uint64_t key;
    uint32_t slot;
};

/* A read of the twin. */
struct gpu_crossing {
    uint64_t ready_ps;
    uint64_t key;
    struct gpu_counts *counts;
    uint32_t mshr;                       /* of the twin */
};

/* Why the first request of a queue waits. */
struct gpu_failure {
    uint64_t failed_ps;                  /* since when the tags cannot take it */
    bool has_failed;                     /* they cannot ... */
    bool waits_for_fill, waits_for_room; /* ... until then */
};

struct gpu_slice {
    struct sector_cache *cache;
    struct gpu_arrival *arrivals;        /* ring */
    uint32_t first, count;               /* of them: from the interconnect's output port to the tags */
    uint64_t *fetched;                   /* ring of the keys of sectors that came from DRAM; without tags of slots */
    uint32_t fetched_head, fetched_count;
    uint32_t reads;                      /* reads in flight to DRAM, in a slice without tags */
    uint64_t next_access_ps, next_fill_ps;       /* not before: one in a cycle */
    struct gpu_failure failure, far_failure;
    struct gpu_crossing *crossings;      /* ring, as many as the twin's MSHRs of copies; NULL with one partition */
    uint32_t first_crossing, crossing_count;
};

/* Where slots go that are answered, and news of room. */
struct gpu_slice_sink {
    /* `bytes` of data for SM `sm`: passed here so that the slot itself, long out of the host's cache, need not be
     * read. */
    void (*answer)(void *self, uint32_t slot, uint32_t slice, uint32_t sm, uint32_t bytes);
    /* A request has left the slice's queue. */
    void (*room)(void *self, uint32_t slice);
    void *self;
};

struct gpu_slices {
    const struct gpu_hooks *hooks;           /* NULL: the plain engine's (gpu_hooks.h) */
    struct sim *sim;
    struct gpu_pool *pool;
    struct gpu_icnt *icnt;
    struct gpu_channels *channels;
    struct gpu_slice_sink sink;
    struct gpu_slice *slices;
    uint32_t count, per_channel;
    uint32_t limit;                      /* requests of a slice */
    uint32_t arrival_mask, fetched_mask;
    uint64_t reply_queue;                /* packets that may wait for the interconnect */
    uint64_t latency_ps, far_latency_ps;
    uint32_t half;                       /* slices of a partition; 0: there is one */
    uint32_t far_item;                   /* of the calendar: the first slice's first crossing */
    struct clock_domain clock, core;
    uint64_t sector_mask;
    bool has_tags;                       /* no: there is no L2 */
    uint64_t *tokens;                    /* of one fill */
    struct gpu_calendar *edges;          /* item 2 * slice: its first request; the next: its first fetched sector */
    struct gpu_watch *watch;             /* NULL: no counting */
};

/* Faults name the key to change. */
struct fault gpu_slices_init(struct gpu_slices *slices, struct sim *sim, const struct gpu_params *params,
                             struct gpu_pool *pool, struct gpu_icnt *icnt, struct gpu_channels *channels,
                             const struct gpu_slice_sink *sink);
void gpu_slices_free(struct gpu_slices *slices);

static inline bool gpu_slices_has_room(const struct gpu_slices *slices, uint32_t slice)
{
    return slices->slices[slice].count < slices->limit;
}

/* The slot's request arrives from the interconnect at arrival_ps; arrivals of a slice come in order. There is room. */
void gpu_slices_receive(struct gpu_slices *slices, uint32_t slot, uint64_t arrival_ps);

/* Of the calendar: an item is due. */
void gpu_slices_due(struct gpu_slices *slices, uint32_t item);
/* The same of an item from far_item on: the first crossing of that slice. */
void gpu_slices_far_due(struct gpu_slices *slices, uint32_t slice);

static inline uint32_t gpu_slices_twin(const struct gpu_slices *slices, uint32_t slice)
{
    return slice < slices->half ? slice + slices->half : slice - slices->half;
}

/* Most replies of a slice that wait for the interconnect: it stops at params->queue, but a fill answers several. */
static inline uint64_t gpu_slices_most_replies(const struct gpu_l2_params *params)
{
    return params->queue + params->cache.merges + 1;
}

/* For struct gpu_channel_sink. */
void gpu_slices_fetched(void *slices, uint32_t slice, uint64_t key, uint32_t mshr);
void gpu_slices_channel_room(void *slices, uint32_t channel);

/* Tick at which the tags see a request that arrives at arrival_ps at an idle slice. */
uint64_t gpu_slices_tags_ps(const struct gpu_params *params, uint64_t arrival_ps);

#endif
