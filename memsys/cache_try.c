/* Modelled: plain accesses that hit, without a packet (port.h: try_read, try_write). What they do is
 * cache_hit_plain's; everything else is left to recv_request, which finds the cache as if nobody had tried.
 *
 * Calls that most hits do not need come last in each function, so that it keeps no frame for them. */
#include "memsys/cache_internal.h"

/* Would recv_request refuse? */
static inline bool is_blocked(const struct cache *cache)
{
    return (cache->blocked_causes | cache->retry_owed) != 0;
}

/* The line is there, but perhaps not complete, or not readable. */
OUT_OF_LINE static bool try_late_read(struct cache *cache, uint64_t address, uint64_t token, uint32_t block)
{
    if (!tags_has(&cache->tags, block, BLOCK_READABLE))
        return false;
    cache_hit_plain(cache, block, false);
    cache->plain_counts[false]->hits++;
    if (!cache->above.ignores_responses)
        packet_queue_push_answer(&cache->responses, address, token, cache_plain_read_ps(cache, block));
    return true;
}

static bool try_read(void *self, uint64_t address, uint64_t token)
{
    struct cache *const cache = self;
    uint32_t block;

    if (RARELY(is_blocked(cache)) || RARELY(!tags_find_near(&cache->tags, address, &block)))
        return false;
    if (RARELY((tags_flags(&cache->tags, block) & (BLOCK_READABLE | BLOCK_LATE)) != BLOCK_READABLE))
        return try_late_read(cache, address, token, block);
    cache_hit_plain(cache, block, false);
    cache->plain_counts[false]->hits++;
    if (!cache->above.ignores_responses)
        packet_queue_push_answer(&cache->responses, address, token, cache_edge_ps(cache) + cache->hit_ps);
    return true;
}

static bool try_write(void *self, uint64_t address, uint64_t token)
{
    struct cache *const cache = self;
    uint32_t block;

    if (RARELY(is_blocked(cache)) || RARELY(!tags_find_near(&cache->tags, address, &block))
        || RARELY(!tags_has(&cache->tags, block, BLOCK_WRITABLE)))
        return false;
    cache_hit_plain(cache, block, true);
    cache->plain_counts[true]->hits++;
    if (!cache->above.ignores_responses)
        packet_queue_push_answer(&cache->responses, address, token, cache_plain_write_ps(cache));
    return true;
}

void cache_offer_tries(const struct cache *cache, struct below *port)
{
    if (!cache_has_plain_accesses(cache))
        return;
    port->try_read = try_read;
    port->try_write = try_write;
}
