/* One cache: tags, miss queue (MSHRs), write queue, snoops (classic-memory 4). Coherent above the point of coherency;
 * non-coherent on the memory side (4.14): there it sees reads and writes only, is never snooped, and every line it
 * holds is writable.
 *
 * Use: cache_init, or cache_init_memory_side; connect it (`above`: the core or the crossbar above; `below`: the
 * crossbar below) with cache_below_port and cache_above_port; cache_start once all requestors are registered. Then it
 * lives from its neighbours' calls and its events. Units: ticks are picoseconds, latencies cycles of the cache's own
 * clock. Ownership: cache_free frees what init and start took, and gives the packets it still holds back to the pool.
 * */
#ifndef MEMSYS_CACHE_CACHE_H
#define MEMSYS_CACHE_CACHE_H

#include <stddef.h>

#include "memsys/cache/cache_hooks.h"
#include "memsys/cache/mshr.h"
#include "memsys/cache/tags.h"
#include "memsys/cache/write_allocator.h"
#include "memsys/prefetch/prefetcher.h"
#include "memsys/sim/occupancy.h"
#include "memsys/sim/packet_queue.h"
#include "memsys/sim/port.h"

struct cache_params;
struct prefetcher_params;

/* Reasons to refuse requests (classic-memory 4.9), as bits of blocked_causes. */
enum blocked_cause { BLOCKED_NO_MSHRS, BLOCKED_NO_WRITE_BUFFERS, BLOCKED_NO_TARGETS, BLOCKED_CAUSE_COUNT };

/* A packet in the write queue: an eviction or an uncacheable write. */
struct write_entry {
    uint64_t line_address;
    uint64_t ready_ps;
    uint64_t order;
    struct packet *packet;
    bool is_uncacheable;
};

/* What the owner of a cache's queue functions keeps, whose type it knows; the plain queues keep nothing. */
union cache_queue_room {
    max_align_t aligned;
    unsigned char bytes[768];
};

/* Counters of one command of one requestor (classic-memory 4.15). */
struct cache_command_stats {
    uint64_t hits, misses, miss_latency_ps;
    uint64_t mshr_hits, mshr_misses, mshr_miss_latency_ps;
    uint64_t mshr_uncacheable, mshr_uncacheable_latency_ps;
};                                                      /* a line of the host, and found by a shift */

struct cache_stats {
    struct cache_command_stats *commands;               /* [CMD_COUNT][requestor_count] */
    uint64_t writebacks;                                /* WritebackDirty and WritebackClean made */
    uint64_t replacements;                              /* valid victims */
    uint64_t blocked_causes[BLOCKED_CAUSE_COUNT];       /* intervals, by the first cause */
    uint64_t blocked_cycles[BLOCKED_CAUSE_COUNT];       /* their length, by the last cause to go, in cache cycles */
    struct occupancy mshrs, write_buffers;
};

/* Ways that fills may take, where two sides divide a cache: `theirs` those of one requestor, `others` all others. */
struct cache_ways {
    uint32_t first, count;
};
struct cache_division {
    requestor_id requestor;
    struct cache_ways theirs, others;
};

/* Fields are grouped by use: every access, misses only, rare. */
struct cache {
    struct sim *sim;
    struct clock_domain clock;
    uint64_t tag_ps, data_ps, response_ps;              /* latencies in ticks */
    uint64_t hit_ps;                                    /* tags and data, in a row or at once */
    unsigned blocked_causes;
    bool retry_owed;                                    /* "mustSendRetry" */
    struct cache_hooks hooks;
    struct tags tags;
    struct packet_queue responses;
    struct above above;

    bool is_coherent, is_read_only, writeback_clean, forward_clean, keeps_overwritten;
    bool is_mostly_exclusive, has_write_allocator;
    bool waiting_for_request_retry;
    bool is_divided;                                    /* by `division` */
    uint32_t target_limit, write_buffer_limit, mshr_limit;
    unsigned requestor_count;                           /* second dimension of stats.commands */
    struct prefetcher *prefetcher;                      /* NULL: none */
    struct cache_module *module;                        /* NULL: policy and prefetchers are built in */
    /* Pointers into the entries; the entries themselves never move. */
    struct mshr **mshrs;                                /* all; the first mshr_count are allocated */
    struct mshr **mshr_ready;                           /* not in service, by ready tick */
    uint32_t mshr_count, mshr_ready_count;
    struct target_pool targets;
    struct mshr *full_mshr;                             /* the one that caused BLOCKED_NO_TARGETS */
    uint64_t next_order;
    struct write_entry **writes;                        /* all; the first write_count are taken, by ready tick */
    uint32_t write_count, write_capacity;
    struct event request_event;
    const struct cache_queue_ops *queues;               /* of miss queue and write queue (cache_internal.h) */
    union cache_queue_room queue_room;
    struct cache_stats stats;
    struct below below;
    struct packet_queue snoop_responses;

    struct event retry_event;
    uint64_t blocked_since_cyc;
    uint64_t tag_latency_cyc, data_latency_cyc, response_latency_cyc, hit_latency_cyc;    /* the same in cycles */
    uint32_t demand_mshr_reserve;
    struct mshr *mshr_entries;
    struct write_entry *write_entries;
    struct write_allocator write_allocator;
    struct cache_division division;
    const char *name;
    const char *our_name;                               /* in messages and samples; the same, unless set */
};

/* name: as in statistics, e.g. "l1d"; must outlive the cache. params: checked by the configuration. */
struct fault cache_init(struct cache *cache, struct sim *sim, const char *name, const struct cache_params *params);
/* The same for a non-coherent cache between the memory bus and the memories. */
struct fault cache_init_memory_side(struct cache *cache, struct sim *sim, const char *name,
                                    const struct cache_params *params);
/* Gives the cache a prefetcher, unless params->type is PREFETCHER_NONE; at most once, before it
 * is connected. */
struct fault cache_add_prefetcher(struct cache *cache, const struct prefetcher_params *params);
/* One more beside those that it has; it has one. */
struct fault cache_add_further_prefetcher(struct cache *cache, const struct prefetcher_params *params);
/* Prefetches of this cache's modules may be for the cache below alone. Before cache_start of both. */
struct fault cache_pass_prefetches(struct cache *cache, struct cache *below);
/* A candidate whose address somebody else has found (struct prefetch_translator) waits for its turn. */
void cache_queue_prefetch(struct cache *cache, const struct prefetch_candidate *candidate);
/* From here on a fill takes a way of its side only; lines are found wherever they are. The replacement must be LRU,
 * each side have a way (both asserted). */
void cache_divide_ways(struct cache *cache, const struct cache_division *division);
/* To be called when all requestors are known and all components are connected. */
struct fault cache_start(struct cache *cache);
void cache_free(struct cache *cache);

/* The ports that the neighbours above and below call. */
struct below cache_below_port(struct cache *cache);
struct above cache_above_port(struct cache *cache);

/* Statistics restart at now. */
void cache_reset_stats(struct cache *cache);

static inline const struct cache_command_stats *cache_command_stats(const struct cache *cache, unsigned command,
                                                                    unsigned requestor)
{
    return &cache->stats.commands[command * cache->requestor_count + requestor];
}

/* For stall reports: says where in the cache a request for this line is; true if the cache holds one. */
bool cache_describe(const struct cache *cache, uint64_t address, char *text, size_t size);

/* Adds "system.<name>" with its prefetcher. */
void cache_add_stats(struct cache *cache, struct stats *stats);

#endif
