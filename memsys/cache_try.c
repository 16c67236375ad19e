/* Modelled: plain accesses that hit, without a packet (port.h: try_read, try_write). What they do is
 * cache_count_plain_hit's; everything else is left to recv_request, which finds the cache as if nobody had tried.
 *
 * Calls that are not needed for most hits come last in each function, so that it keeps no frame for them. */
#include "memsys/cache_internal.h"

/* The block if the access hits and nothing keeps the cache from taking it, else BLOCK_NONE. */
static inline uint32_t find_hit(const struct cache *cache, uint64_t address, unsigned permission)
{
    uint32_t block;

    if (RARELY(cache->blocked_causes | cache->retry_owed))
        return BLOCK_NONE;
    block = tags_find(&cache->tags, address);
    if (RARELY(block == BLOCK_NONE || !tags_has(&cache->tags, block, permission)))
        return BLOCK_NONE;
    return block;
}

/* The line is not complete yet. */
OUT_OF_LINE static bool answer_early_read(struct cache *cache, uint64_t address, uint64_t token, uint32_t block)
{
    packet_queue_push_answer(&cache->responses, address, token, cache_plain_read_ps(cache, block));
    return true;
}

static bool try_read(void *self, uint64_t address, requestor_id requestor, uint64_t token)
{
    struct cache *const cache = self;
    uint32_t const block = find_hit(cache, address, BLOCK_READABLE);

    if (RARELY(block == BLOCK_NONE))
        return false;
    cache_count_plain_hit(cache, block, requestor, false);
    if (cache->above.ignores_responses)
        return true;
    if (RARELY(!cache_is_complete(cache, block)))
        return answer_early_read(cache, address, token, block);
    packet_queue_push_answer(&cache->responses, address, token, cache_edge_ps(cache) + cache->hit_ps);
    return true;
}

static bool try_write(void *self, uint64_t address, requestor_id requestor, uint64_t token)
{
    struct cache *const cache = self;
    uint32_t const block = find_hit(cache, address, BLOCK_WRITABLE);

    if (RARELY(block == BLOCK_NONE))
        return false;
    cache_count_plain_hit(cache, block, requestor, true);
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
