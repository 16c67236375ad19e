/* Caches that take requests without time, so that a run can begin warm: lines, their order of last use, who owns them.
 *
 * Use: fill in a warm_node for each cache of a system, and warm_join them; warm_access for each request of a core, in
 * the order of the program, before the system's first event; warm_end, once, which is due even if there was none.
 * Each request is over before the next one comes: lines that are on their way in a timed run have arrived. A request
 * changes tags, owners and replacement as its packets would (classic-memory 4.2 to 4.13); the order of touches in each
 * cache is that of its packets. The write allocator and statistics take no part, prefetchers where it is asked for:
 * their translators must find pages at once (system_prefetch_at_once).
 * Units: addresses are physical. Ownership: borrows caches and crossbars. No errors but sim_out_of_memory. */
#ifndef MEMSYS_WARM_WARM_CACHES_H
#define MEMSYS_WARM_WARM_CACHES_H

#include "memsys/cache/cache.h"
#include "memsys/noc/crossbar.h"

struct warm_node {
    struct cache *cache;
    struct crossbar *bus;                /* below it, with a snoop filter that has to know its lines; NULL: none */
    /* ---- set by warm_join */
    struct warm_node *below;             /* NULL: memory */
    struct warm_node *first_above, *next_beside;     /* caches above; others above the same cache or memory */
};

struct warm_caches {
    struct warm_node *nodes;
    size_t count;
    uint64_t touches;                    /* so far: what stands for time */
    bool prefetches;                     /* prefetchers learn, and lines that they ask for come at once */
    bool is_ranked;                      /* nothing was touched since warm_rank */
};

/* `nodes`: borrowed. below[i]: index of the cache below nodes[i], SIZE_MAX: memory. */
void warm_join(struct warm_caches *caches, struct warm_node *nodes, size_t count, const size_t *below);

enum warm_kind { WARM_READ, WARM_WRITE, WARM_FETCH };

/* A request for (parts of) one line at a cache that a core, or a page walker, is connected to. */
struct warm_request {
    uint64_t address, pc;                /* pc: if has_pc */
    enum warm_kind kind;
    requestor_id requestor;
    bool has_pc;
};
void warm_access(struct warm_caches *caches, struct warm_node *node, const struct warm_request *request);

/* Now and then, so that warm_end has less to do: the order of what was touched becomes ranks. */
void warm_rank(struct warm_caches *caches);
/* Snoop filters learn what caches hold; the run may begin at tick 0. */
void warm_end(struct warm_caches *caches);

#endif
