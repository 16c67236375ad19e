/* Internals of the cache, shared by its files and by the owner of its hooks (cache_hooks.h). */
#ifndef MEMSYS_CACHE_CACHE_INTERNAL_H
#define MEMSYS_CACHE_CACHE_INTERNAL_H

#include "memsys/cache/cache.h"
#include "memsys/cache/cache_module.h"

/* Evictions that an access or a fill causes, in order; a fill into the temporary block can cause two. */
struct eviction_list {
    struct packet *packets[3];
    unsigned count;
};

extern const struct below_ops cache_below_ops;
extern const struct above_ops cache_above_ops;

static inline uint64_t cache_now_ps(const struct cache *cache)
{
    return sim_now_ps(cache->sim);
}

/* The next-or-current clock edge. */
static inline uint64_t cache_edge_ps(const struct cache *cache)
{
    return domain_edge_ps(cache->clock, cache_now_ps(cache));
}

/* Do caches above have to be asked before this one evicts or prefetches a line? */
static inline bool cache_asks_above(const struct cache *cache)
{
    return cache->is_coherent && cache->above.is_snooping;
}

static inline void cache_respond(struct cache *cache, struct packet *packet, uint64_t when_ps)
{
    if (cache->hooks.respond != NULL)
        cache->hooks.respond(cache, packet);
    else
        packet_queue_push(&cache->responses, packet, when_ps);
}

static inline struct cache_command_stats *cache_count(struct cache *cache, const struct packet *packet)
{
    return &cache->stats.commands[packet->command * cache->requestor_count + packet->request.requestor];
}

/* Extra cycles of a read that hits a line whose fill is not complete: added to the latency, not its maximum
 * (classic-memory 4.5). */
uint64_t cache_fill_wait_cyc(struct cache *cache, uint32_t block, uint64_t arrival_ps,
                                         uint64_t latency_cyc);

/* prefetch.c; except for cache_may_prefetch the cache must have a prefetcher. */

/* After a hit was served or a miss was queued; not for software prefetches and clean evictions. */
void cache_observe(struct cache *cache, struct packet *packet, bool is_miss);
/* Sends candidates when their time has come. */
void cache_schedule_prefetch(struct cache *cache);
bool cache_may_prefetch(const struct cache *cache);
/* Allocates an MSHR for the oldest prefetch candidate; NULL without a candidate, or if its line is in the cache, an
 * MSHR or the write queue. */
struct mshr *cache_take_prefetch(struct cache *cache);
/* Asks the caches above for the line of a prefetch; true if nothing is to be sent for it now: an answer comes from
 * above, or they hold the line and the prefetch is gone (and the MSHR with it, unless other requests wait in it). */
bool cache_ask_above(struct cache *cache, struct mshr *mshr);
/* Is this snoop response the answer to a prefetch of this very cache? */
bool cache_is_own_prefetch(const struct cache *cache, const struct packet *packet);
/* A response has filled the line of `mshr`, whose targets are not served yet. / A valid block is about to be
 * invalidated. */
void cache_line_filled(struct cache *cache, const struct mshr *mshr);
void cache_line_lost(struct cache *cache, uint32_t block);

/* prefetch_figures.c: struct prefetch_figures; of a cache with a prefetcher. */
struct fault cache_prefetch_figures_init(struct cache *cache);
void cache_prefetch_figures_reset(struct cache *cache);
/* The request of `mshr` is on its way. */
void cache_prefetch_sent(struct cache *cache, struct mshr *mshr);
/* Around the fill of the line of `mshr`, whose targets are not served yet. */
void cache_prefetch_arrives(struct cache *cache, const struct mshr *mshr);
void cache_prefetch_arrived(struct cache *cache, struct mshr *mshr, uint32_t block);
/* A valid block is about to be invalidated. */
void cache_prefetch_lost(struct cache *cache, uint32_t block);
/* A request other than an eviction finds a block with BLOCK_UNUSED. / A demand request takes an MSHR. */
void cache_prefetch_used(struct cache *cache, uint32_t block);
void cache_prefetch_missed(struct cache *cache, uint64_t address);

static inline void cache_invalidate(struct cache *cache, uint32_t block)
{
    if (cache->module)
        cache_module_lost(cache, block);
    if (cache->prefetcher)
        cache_line_lost(cache, block);
    tags_invalidate(&cache->tags, block);
}

/* A store of a whole line, aligned, has a command of its own. */
static inline void cache_name_whole_line(const struct cache *cache, struct packet *packet)
{
    if (cache->is_coherent && packet->command == CMD_WriteReq && packet->size_bytes == cache->sim->line_bytes
        && (packet->address & (cache->sim->line_bytes - 1)) == 0)
        packet->command = CMD_WriteLineReq;
}

/* Must a further request wait until the MSHR is answered, and then become a new miss? */
static inline bool cache_must_defer(const struct mshr *mshr, bool needs_writable)
{
    return mshr->deferred.first
           || (mshr->in_service
               && (mshr->post_invalidate
                   || (needs_writable && (!mshr->pending_modified || mshr->post_downgrade || mshr->is_forward))));
}

/* Which of the two queues sends: one pointer is set, or none if nothing is ready. */
struct cache_choice {
    struct mshr *mshr;
    struct write_entry *write;
};

/* queues.c: miss queue and write queue (classic-memory 4.6 to 4.9). The functions that search them or change what is in
 * them are a table: `cache_plain_queues`, whose searches walk the lists, unless the fast engine puts another in its
 * place before the first request (memsys/fast/queue_index.h). */
struct cache_queue_ops {
    /* The oldest entry of the address's line that is not uncacheable, NULL without one. */
    struct mshr *(*find_mshr)(const struct cache *cache, uint64_t address);
    struct write_entry *(*find_write)(const struct cache *cache, uint64_t address);
    /* The MSHR is that of cache_begin_mshr (queues.h), and has its first target now. For a prefetch the caller sends
     * it; all others are scheduled. */
    void (*enter_mshr)(struct cache *cache, struct mshr *mshr, uint64_t when_ps, bool is_prefetch);
    void (*free_mshr)(struct cache *cache, struct mshr *mshr);
    void (*enter_write)(struct cache *cache, struct packet *packet, uint64_t when_ps);
    struct packet *(*free_write)(struct cache *cache, struct write_entry *write);
    /* The request to send now (4.8). */
    struct cache_choice (*choose)(const struct cache *cache);
};
extern const struct cache_queue_ops cache_plain_queues;

static inline struct mshr *cache_find_mshr(const struct cache *cache, uint64_t address)
{
    return cache->queues->find_mshr(cache, address);
}

static inline struct write_entry *cache_find_write(const struct cache *cache, uint64_t address)
{
    return cache->queues->find_write(cache, address);
}

/* Also one of an uncacheable request: to a memory-side cache they are like any other. */
struct mshr *cache_find_any_mshr(const struct cache *cache, uint64_t address);
/* For a prefetch the caller sends the MSHR; all others are scheduled. */
struct mshr *cache_allocate_mshr(struct cache *cache, struct packet *packet, uint64_t when_ps);

static inline void cache_free_mshr(struct cache *cache, struct mshr *mshr)
{
    cache->queues->free_mshr(cache, mshr);
}

static inline void cache_allocate_write(struct cache *cache, struct packet *packet, uint64_t when_ps)
{
    cache->queues->enter_write(cache, packet, when_ps);
}

/* Takes the entry out; its packet is the caller's. */
static inline struct packet *cache_free_write(struct cache *cache, struct write_entry *write)
{
    return cache->queues->free_write(cache, write);
}

void cache_insert_ready_mshr(struct cache *cache, struct mshr *mshr);
void cache_mark_in_service(struct cache *cache, struct mshr *mshr, bool responder_was_modified);
/* Of a mostly exclusive cache: does it keep the line of this miss itself? */
bool cache_keeps_exclusive(const struct packet *packet);

static inline bool cache_allocates_on_fill(const struct cache *cache, const struct packet *packet)
{
    return !cache->is_mostly_exclusive || cache_keeps_exclusive(packet);
}

void cache_set_blocked(struct cache *cache, enum blocked_cause cause);
void cache_clear_blocked(struct cache *cache, enum blocked_cause cause);
void cache_send_retry(void *owner);

/* send.c: choosing and sending requests. The next two return false if the request was refused. */
bool cache_send_mshr(struct cache *cache, struct mshr *mshr);
bool cache_send_write(struct cache *cache, struct write_entry *write);
void cache_schedule_request(struct cache *cache, uint64_t when_ps);
void cache_send_next_request(void *owner);
void cache_recv_request_retry(void *self, unsigned port);

/* fill.c: responses and evictions. */
bool cache_recv_response(void *self, struct packet *packet, unsigned port);
void cache_take_response(struct cache *cache, struct packet *packet);
uint32_t cache_allocate_block(struct cache *cache, const struct packet *packet, struct eviction_list *evictions);
void cache_evict(struct cache *cache, uint32_t block, struct eviction_list *evictions);
void cache_queue_evictions(struct cache *cache, const struct eviction_list *evictions, uint64_t when_ps);

/* The requester takes over a dirty line: it becomes the owner. */
static inline void cache_pass_dirty_up(struct cache *cache, struct packet *packet, uint32_t block)
{
    if (tags_has(&cache->tags, block, BLOCK_DIRTY)) {
        packet->cache_responding = true;
        tags_clear(&cache->tags, block, BLOCK_DIRTY);
    }
}

/* cache_satisfy_cache for a read, of a coherent cache. */
static inline void cache_satisfy_read(struct cache *cache, struct packet *packet, uint32_t attributes, uint32_t block,
                                      bool deferred, bool pending_downgrade)
{
    unsigned const flags = tags_flags(&cache->tags, block);

    if ((attributes & ATTR_NEEDS_WRITABLE)
        || ((flags & BLOCK_WRITABLE) && !pending_downgrade && !packet->has_sharers
            && packet->command != CMD_ReadCleanReq && !((flags & BLOCK_DIRTY) && deferred)))
        cache_pass_dirty_up(cache, packet, block);
    else
        packet->has_sharers = true;
}

/* cache.c: accesses. */
void cache_serve(struct cache *cache, struct packet *packet);
/* The packet becomes a target, ready to be sent at when_ps. */
void cache_join_mshr(struct cache *cache, struct mshr *mshr, struct packet *packet, uint64_t when_ps);
void cache_satisfy_cache(struct cache *cache, struct packet *packet, uint32_t block, bool deferred,
                         bool pending_downgrade);

static inline void cache_satisfy(struct cache *cache, struct packet *packet, uint32_t block, bool deferred,
                                 bool pending_downgrade)
{
    uint32_t const attributes = command_attributes(packet->command);

    if (attributes & ATTR_WRITE)
        tags_set(&cache->tags, block, BLOCK_DIRTY);
    if ((attributes & ATTR_FROM_CACHE) || !(attributes & (ATTR_READ | ATTR_WRITE)))    /* a core takes no line away */
        cache_satisfy_cache(cache, packet, block, deferred, pending_downgrade);
}

void cache_maintain_clusivity(struct cache *cache, bool from_cache, uint32_t block);

/* Must the request be refused? Its retry is owed then. */
static inline bool cache_refuses(struct cache *cache)
{
    if ((cache->blocked_causes | cache->retry_owed) == 0)
        return false;
    cache->retry_owed = true;
    return true;
}

/* snoop.c: snoops from below, answers from above. */
void cache_recv_snoop(void *self, struct packet *packet, unsigned port);
bool cache_recv_snoop_response(void *self, struct packet *packet, unsigned port);
void cache_recv_snoop_response_retry(void *self, unsigned port);
/* Returns the delay added by caches further up. A snoop that is the target of an MSHR is `deferred`. */
uint64_t cache_snoop_block(struct cache *cache, struct packet *packet, uint32_t block, bool post_invalidate);

#endif
