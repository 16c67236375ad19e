/* Modules of a cache: its replacement policy, its prefetchers, or both, as functions that a user has loaded
 * (include/rubato_policy.h). This is the cache's side of that interface: the events that it tells, and the functions of
 * struct rubato_host.
 *
 * Use: cache_init makes it if the replacement is a module, cache_add_prefetcher if a prefetcher is one;
 * cache_module_join gives it the rest of the system, before cache_start, which creates the instances; cache_module_end
 * when the run is over. All other functions are the cache's, called only if cache->module is there.
 * Ownership: cache_module_free, of cache_free. */
#ifndef MEMSYS_CACHE_CACHE_MODULE_H
#define MEMSYS_CACHE_CACHE_MODULE_H

#include "memsys/policy/replacement.h"
#include "memsys/prefetch/prefetcher.h"
#include "memsys/sim/module_use.h"

struct cache;
struct mshr;
struct prefetcher_params;

enum module_requestor { MODULE_REQUESTOR_CORE, MODULE_REQUESTOR_PREFETCHER, MODULE_REQUESTOR_WALKER };

/* What modules may ask of a system: one for all its caches. */
struct module_world {
    void *self;
    uint64_t (*retired)(void *self, unsigned core);
    uint32_t (*memory_bandwidth)(void *self);
    bool (*is_memory)(void *self, uint64_t address);
    unsigned core_count;
    bool is_warm;
    uint8_t requestor_kinds[MAX_REQUESTORS];     /* enum module_requestor */
    uint16_t requestor_cores[MAX_REQUESTORS];    /* UINT16_MAX: none */
};

/* Of one cache. */
struct module_joint {
    struct module_world *world;          /* NULL: there is no system */
    const char *kind;                    /* name in the configuration */
    uint32_t core;                       /* RUBATO_NO_CORE: shared */
    /* The virtual address of a physical one; NULL: the same. */
    uint64_t (*virtual_of)(void *self, uint64_t physical);
    void *self;
};

extern const struct prefetcher_ops cache_module_prefetcher;
extern const struct replacement_ops cache_module_policy;

struct fault cache_module_add_policy(struct cache *cache, const struct module_use *use);
/* one: the prefetcher that was made with cache_module_prefetcher. */
struct fault cache_module_add_prefetcher(struct cache *cache, struct prefetcher *one, const struct module_use *use);
void cache_module_join(struct cache *cache, const struct module_joint *joint);
/* Does a prefetcher ask for lines of the cache below? */
bool cache_module_fills_below(const struct cache *cache);
struct fault cache_module_start(struct cache *cache);
void cache_module_end(struct cache *cache);
void cache_module_free(struct cache *cache);
void cache_module_add_stats(struct cache *cache, struct stats *stats);
/* A branch of the core whose instructions the cache holds. */
void cache_module_branch(struct cache *cache, const struct rubato_branch *branch);

/* ---- events */

/* The packet finds no block. */
void cache_module_missed(struct cache *cache, const struct packet *packet);
/* Around the choice of a victim for the packet. */
void cache_module_fills(struct cache *cache, const struct packet *packet);
/* A valid block is about to be invalidated; before its policy's invalidate. */
void cache_module_lost(struct cache *cache, uint32_t block);
/* A block has the line of the packet. mshr: whose answer it is, NULL for a write-back. */
void cache_module_filled(struct cache *cache, const struct packet *packet, const struct mshr *mshr, uint32_t block);

#endif
