/* Calls between neighbours in the fast engine that replace packets (struct below, struct above: `fast`). Ticks and
 * statistics are those of packets; each file of memsys/fast says why.
 *
 * A table is constant, and belongs to a kind of component; `self` is the port's. Each entry may be NULL: then only
 * packets go that way. */
#ifndef MEMSYS_FAST_PORTS_H
#define MEMSYS_FAST_PORTS_H

#include "memsys/sim/port.h"

struct cache;

struct below_fast {
    /* A request for that line will come: the component asks the host to prefetch the data structures it will read. */
    void (*prefetch_hint)(const void *self, uint64_t address);
    bool takes_lines;                /* self is a cache of which memsys/fast/cache_lines.h may ask lines */
};

struct above_fast {
    /* The answer to an access without packet, with the address and token of that access; never refused. */
    void (*recv_answer)(void *self, uint64_t address, uint64_t token);
    /* Fills in the request that the packet of an access would have: of an access being tried, or of a read until its
     * answer. If NULL, only accesses that hit are taken without packet. */
    void (*describe)(void *self, uint64_t token, struct request *request);
    /* packet_queue_pass with the component's recv_response compiled in, for a queue that leads here. */
    void (*take_from_queue)(void *queue);
    bool ignores_snoops;             /* recv_snoop does nothing: callers that count no snoops may skip it */
    bool ignores_responses;          /* recv_response only frees the packet: callers may skip it */
};

static inline void below_prefetch_hint(const struct below *below, uint64_t address)
{
    if (below->fast && below->fast->prefetch_hint)
        below->fast->prefetch_hint(below->self, address);
}

/* Of a core's port: the cache, if it takes accesses without packets (memsys/fast/cache_try.h); else NULL. A core's port
 * has a table only then. */
static inline struct cache *below_fast_cache(const struct below *below)
{
    return below->fast ? (struct cache *)below->self : NULL;
}

static inline bool above_ignores_responses(const struct above *above)
{
    return above->fast && above->fast->ignores_responses;
}

/* May accesses be tried that miss? */
static inline bool above_describes(const struct above *above)
{
    return above->fast && above->fast->describe;
}

#endif
