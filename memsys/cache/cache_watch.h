/* Watching a cache: every request that it serves, and every prefetch that it makes, as they happen.
 *
 * Use: before the run, of a cache of the plain engine, fill in the functions and cache_watch_bind; the watch must
 * outlive the cache. What the cache does is the same with a watch. A cache without one pays nothing for
 * accesses, and a comparison a prefetch.
 * Ownership: what a function gets is valid during its call. */
#ifndef MEMSYS_CACHE_CACHE_WATCH_H
#define MEMSYS_CACHE_CACHE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "memsys/sim/packet.h"

struct cache;

/* A request that was served: looked up, and not refused. */
struct cache_served {
    const struct request *request;       /* as its first requestor sent it */
    uint64_t address;                    /* of this packet, with ADDRESS_SECURE */
    uint16_t command;                    /* enum command, before it became a response */
    bool is_hit, is_miss;                /* as statistics count; neither: not cached, answered above, clean eviction */
    bool is_fetch;                       /* the line is not there, and is taken from below for it alone, or first */
    bool uses_prefetch;                  /* the first use of a line that the cache's own prefetch brought */
};

struct cache_watch {
    void (*served)(struct cache_watch *watch, const struct cache *cache, const struct cache_served *served);
    /* A prefetch of the cache's own takes an MSHR; its request has the pc of the access that caused it. */
    void (*prefetched)(struct cache_watch *watch, const struct cache *cache, const struct packet *packet);
    void *context;
    unsigned number;                     /* context and number are the owner's */
};

void cache_watch_bind(struct cache *cache, struct cache_watch *watch);

#endif
