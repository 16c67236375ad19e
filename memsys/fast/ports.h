/* What neighbours do with each other in the fast engine besides packets (struct below, struct above: `fast`). Ticks and
 * statistics are those of packets; each file of memsys/fast says why.
 *
 * A table is constant, and belongs to a kind of component; `self` is the port's. Each entry may be NULL: then only
 * packets go that way. */
#ifndef MEMSYS_FAST_PORTS_H
#define MEMSYS_FAST_PORTS_H

#include "memsys/sim/port.h"

struct cache;

struct below_fast {
    /* A request for that line will come: the component asks the host to fetch what it will look at. */
    void (*prefetch_hint)(const void *self, uint64_t address);
    bool takes_lines;                /* self is a cache of which memsys/fast/cache_lines.h may ask lines */
};

struct above_fast {
    /* The answer to an access without packet, with what was given there; never refused. */
    void (*recv_answer)(void *self, uint64_t address, uint64_t token);
    /* What the packet for an access would have as its request: one that is being tried, or a read until it is answered.
     * Without, only those are done that find their line. */
    void (*describe)(void *self, uint64_t token, struct request *request);
    /* packet_queue_pass with the component's recv_response compiled in, for a queue that leads here. */
    void (*take_from_queue)(void *queue);
    bool ignores_snoops;             /* recv_snoop does nothing: nobody need call it who counts no snoops */
    bool ignores_responses;          /* recv_response only gives the packet back: nobody need call it */
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
