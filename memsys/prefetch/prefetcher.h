/* Prefetchers: which lines a cache should fetch before they are requested (classic-memory 13).
 *
 * The base decides when a kind is trained, keeps the queue of candidates with its filters, and counts. A kind (one file
 * prefetch_<name>.c) sees accesses and proposes addresses. The cache's side is in memsys/cache/prefetch.c: it reports
 * accesses, fills and lost lines, and takes candidates when it has nothing else to send.
 *
 * Use: prefetcher_create; prefetcher_observe for each request handled; prefetcher_next_ps and prefetcher_take to send.
 * Adding a kind: docs/extending.md. Units: ticks are picoseconds, addresses byte addresses (ADDRESS_SECURE
 * included, so that a secure page is a page of its own). Ownership: prefetcher_destroy frees all; kinds allocate
 * nothing. */
#ifndef MEMSYS_PREFETCH_PREFETCHER_H
#define MEMSYS_PREFETCH_PREFETCHER_H

#include "memsys/sim/sim.h"

/* Candidates do not leave the page of the access that caused them: beyond it, physical addresses tell nothing. Where
 * the user has it so (cross_pages), a prefetcher learns from virtual addresses, and candidates in other pages are
 * translated before they are queued: struct prefetch_translator. */
#define PREFETCH_NOWHERE UINT64_MAX
#define PREFETCH_PAGE_SHIFT 12
#define PREFETCH_PAGE_BYTES (UINT64_C(1) << PREFETCH_PAGE_SHIFT)
#define PREFETCH_PAGE_LINES (PREFETCH_PAGE_BYTES / 16)      /* with the shortest lines */

/* The cache's report of a request that it has handled. */
struct prefetch_event {
    const struct request *request;       /* of the core, or of the prefetcher above that caused it */
    unsigned command;                    /* enum command, after the miss was handled */
    bool is_miss;                        /* joined misses too */
    bool was_prefetched;                 /* the line is present, brought by this prefetcher and not used since */
    bool is_joined;                      /* a miss that waits for a line on its way; with `observe` */
    struct packet *packet;               /* with `observe`, like the next: of the request */
    uint32_t block;                      /* that has the line; UINT32_MAX: none */
};

/* The part of it that a kind sees. */
struct prefetch_access {
    uint64_t address, line_address;      /* of the request, not aligned; its line */
    uint64_t pc;
    bool has_pc;
    bool is_miss;
    bool is_first_hit;                   /* a line of this prefetcher is used for the first time */
    requestor_id requestor;
};

struct prefetch_candidate {
    uint64_t line_address;
    uint64_t ready_ps;
    uint64_t pc;                         /* of the access that caused it */
    uint32_t metadata;                   /* of modules: goes with the request */
    bool has_pc;
    uint8_t levels_below;                /* 1: for the cache below alone; more: for one further below */
};

/* Takes candidates for the cache below. False: its queue is full. */
struct prefetch_below {
    bool (*take)(void *self, const struct prefetch_candidate *candidate);
    void *self;
};

/* Who knows the pages of a cache's addresses: the MMU of its core. */
struct prefetch_translator {
    /* PREFETCH_NOWHERE: in no page of the core, such as a page table. */
    uint64_t (*virtual_of)(void *self, uint64_t physical);
    /* candidate->line_address is virtual, of the space in which the physical address `from` is. Ends in
     * prefetcher_queue with the physical one, at once or later, or in nothing if there is no such page. False: there is
     * no room to look for it now. NULL: candidates stay in their page. */
    bool (*translate)(void *self, const struct prefetch_candidate *candidate, uint64_t from);
    void *self;
};

/* classic-memory 13.5 */
struct prefetcher_stats {
    uint64_t demand_mshr_misses;         /* misses of demand commands that took an MSHR */
    uint64_t issued;                     /* candidates taken, dropped ones included */
    uint64_t unused;                     /* lines that were evicted without a use */
    uint64_t useful, useful_but_miss;    /* lines used; of these, those whose permission did not suffice */
    uint64_t hit_in_cache, hit_in_mshr, hit_in_write_queue;      /* candidates dropped when their turn came */
    uint64_t identified, other_page, useful_other_page;
    uint64_t already_queued, removed_by_demand, removed_full;
};

/* The outcomes of the prefetches sent since the statistics began; counted by the cache (memsys/cache/
 * prefetch_figures.c). A prefetch sent before counts nowhere, so useful <= filled <= issued. */
struct prefetch_figures {
    uint64_t issued;                     /* sent to the level below, or answered by a cache above */
    uint64_t filled;                     /* lines that they brought */
    uint64_t useful;                     /* of these: used by a request, late ones included */
    uint64_t late;                       /* of these: a request asked for the line before it came */
    uint64_t pollution;                  /* demand misses to lines that a prefetched line had displaced */
};

/* One of a cache's prefetchers. The first has the queue of all, their requestor and counters; the others hang behind
 * it, and what lies below `access_physical` in this struct is not used of them. */
struct prefetcher {
    const struct prefetcher_ops *ops;
    struct sim *sim;
    void *own;                           /* the kind's: own_bytes of zeros at first */
    uint64_t latency_ps;
    uint32_t degree, distance;           /* as the kind means them */
    uint8_t training;                    /* enum prefetch_training */
    bool crosses_pages;
    uint32_t ignored_attributes;         /* of commands that it does not learn from */
    bool ignores_walks;
    bool ignores_queued;                 /* accesses leave the queue as it is */
    struct prefetcher *first_of_cache, *next;
    struct prefetch_access access;       /* the access that is training now: virtual if it crosses pages */
    uint64_t access_physical;

    requestor_id requestor;
    char name[32];                       /* "l2.prefetcher" */
    struct prefetch_translator translator;
    struct prefetch_below below;         /* take NULL: none */
    bool refuses;                        /* a full queue takes no candidate, and one may be queued twice */

    /* Candidates, oldest first: queue[queue_first] to queue[queue_first + count - 1]. There is room for twice the
     * limit, so that taking the oldest moves the others only once in `limit` times. */
    struct prefetch_candidate *queue;
    uint32_t queue_first, count, limit;

    struct prefetcher_stats stats;
    struct prefetch_figures figures;

    /* Of each set the lines that prefetched ones displaced last, the youngest first: line address | 1; 0: none. */
    uint64_t *displaced;
    uint32_t displaced_ways, displaced_count;
    bool is_filling;                     /* the present eviction makes room for a prefetched line */
};

struct prefetcher_params;

struct prefetcher_ops {
    const char *name;                    /* the user's word */
    size_t own_bytes;
    uint32_t degree, distance;           /* used where the user gives none */
    uint8_t training;                    /* enum prefetch_training */
    bool ignores_fetches;                /* learns from data only */
    /* Sets state that is not 0 at first. NULL: none. */
    void (*start)(struct prefetcher *prefetcher);
    /* Learns, and calls prefetcher_propose for each line to fetch, the most wanted first. */
    void (*train)(struct prefetcher *prefetcher, const struct prefetch_access *access);
    /* A line came in; by_prefetch: this prefetcher had asked for it. NULL: not wanted. */
    void (*filled)(struct prefetcher *prefetcher, uint64_t line_address, bool by_prefetch);
    /* A line is lost. NULL: not wanted. */
    void (*lost)(struct prefetcher *prefetcher, uint64_t line_address);
    /* All requests that the cache reports, in place of `train`; NULL: those that train. */
    void (*observe)(struct prefetcher *prefetcher, const struct prefetch_event *event);
};

/* Functions of a kind; NULL for PREFETCHER_NONE. */
const struct prefetcher_ops *prefetcher_ops_of(uint64_t kind);

/* The prefetcher of a cache, NULL in *made if params->type is PREFETCHER_NONE. Registers the requestor
 * "<cache_name>.prefetcher". */
struct fault prefetcher_create(struct prefetcher **made, struct sim *sim, const char *cache_name, uint64_t period_ps,
                               const struct prefetcher_params *params);
/* The same of a kind that is in no list. */
struct fault prefetcher_create_of(struct prefetcher **made, struct sim *sim, const char *cache_name,
                                  uint64_t period_ps, const struct prefetcher_params *params,
                                  const struct prefetcher_ops *ops);
/* A further one of the same cache, behind those that it has; nothing if params->type is PREFETCHER_NONE. It is trained
 * after them, by the same accesses and fills, and shares their queue, so that a line is proposed once. */
struct fault prefetcher_add(struct prefetcher *first, uint64_t period_ps, const struct prefetcher_params *params);
struct fault prefetcher_add_of(struct prefetcher *first, uint64_t period_ps, const struct prefetcher_params *params,
                               const struct prefetcher_ops *ops, struct prefetcher **made);
/* All of the cache. */
void prefetcher_destroy(struct prefetcher *prefetcher);

/* Does one of the cache's? */
bool prefetcher_crosses_pages(const struct prefetcher *prefetcher);

/* Tells all of the cache's of a line that came in, or is lost (struct prefetcher_ops). */
void prefetcher_line_filled(struct prefetcher *prefetcher, uint64_t line_address, bool by_prefetch);
void prefetcher_line_lost(struct prefetcher *prefetcher, uint64_t line_address);

/* A candidate of the translator; it is queued unless it is already. */
void prefetcher_queue(struct prefetcher *prefetcher, const struct prefetch_candidate *candidate);

void prefetcher_observe(struct prefetcher *prefetcher, const struct prefetch_event *event);

/* Tick from which a candidate may leave, TICK_NEVER without candidates. */
static inline uint64_t prefetcher_next_ps(const struct prefetcher *prefetcher)
{
    return prefetcher->count ? prefetcher->queue[prefetcher->queue_first].ready_ps : TICK_NEVER;
}

/* Takes the oldest candidate, even if its tick is in the future. False without candidates. */
bool prefetcher_take(struct prefetcher *prefetcher, struct prefetch_candidate *candidate);

/* ---- for kinds, within train */

/* The line of `address` is a candidate. False if it is not fetched: it lies in another page than the access, which it
 * may not, or which cannot be looked for now. */
bool prefetcher_propose(struct prefetcher *prefetcher, uint64_t address);

/* The same for a line, with all that the candidate says; within_access: the access that is observed now causes it.
 * False also if the queue is full and refuses. */
bool prefetcher_propose_candidate(struct prefetcher *prefetcher, const struct prefetch_candidate *candidate,
                                  bool within_access);
/* Of a kind with `observe`: what it proposes now is caused by this event. */
void prefetcher_begin_access(struct prefetcher *prefetcher, const struct prefetch_event *event);

/* Number of the line within its page, and lines of a page. */
static inline uint32_t prefetch_page_line(const struct prefetcher *prefetcher, uint64_t address)
{
    return (uint32_t)((address & (PREFETCH_PAGE_BYTES - 1)) >> prefetcher->sim->line_shift);
}

static inline uint32_t prefetch_page_lines(const struct prefetcher *prefetcher)
{
    return (uint32_t)(PREFETCH_PAGE_BYTES >> prefetcher->sim->line_shift);
}

/* Adds "system.<cache>.prefetcher"; the cache resets the counters with its own. */
void prefetcher_add_stats(const struct prefetcher *prefetcher, struct stats *stats);

#endif
