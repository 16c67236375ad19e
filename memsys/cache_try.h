/* Plain accesses without a packet (port.h: plain_cache): those that hit, and those that miss in the plainest way.
 *
 * Use: cache_try_read and cache_try_write of the cache that a core's port names, to read or write bytes in one line, a
 * write less than the line, cacheable, not locked, not linked. True: done, as recv_request would with a packet;
 * recv_answer comes with `token` when the response would. False: nothing has changed, and recv_request has to decide.
 * cache_try_fetch is cache_try_read for a port that ignores responses; cache_try_fetch_hit the same if that hits
 * without more ado, else nothing.
 *
 * Calls that most hits do not need come last in each function, so that its caller keeps no frame for them. */
#ifndef MEMSYS_CACHE_TRY_H
#define MEMSYS_CACHE_TRY_H

#include "memsys/cache_internal.h"

/* The part of cache_try_read and cache_try_fetch for a line that is there, but perhaps not complete, or not
 * readable. */
bool cache_try_late_read(struct cache *cache, uint64_t address, uint64_t token, uint32_t block);

/* The parts of all tries for a line that stands in `block`, but may not be read or written, or that is not there (then
 * `block` is BLOCK_NONE), unless it is far away (tags_find_near). */
bool cache_try_read_miss(struct cache *cache, uint64_t address, uint64_t token, uint32_t block);
bool cache_try_write_miss(struct cache *cache, uint64_t address, uint64_t token, uint32_t block);

/* Would recv_request refuse? */
static inline bool cache_is_blocked(const struct cache *cache)
{
    return (cache->blocked_causes | cache->retry_owed) != 0;
}

static IN_LINE bool cache_try_any_read(struct cache *cache, uint64_t address, uint64_t token, bool is_answered)
{
    uint32_t block;

    if (RARELY(cache_is_blocked(cache)))
        return false;
    if (RARELY(!tags_find_near(&cache->tags, address, &block)))
        return cache_try_read_miss(cache, address, token, BLOCK_NONE);
    if (RARELY((tags_flags(&cache->tags, block) & (BLOCK_READABLE | BLOCK_LATE)) != BLOCK_READABLE))
        return cache_try_late_read(cache, address, token, block);
    cache_hit_plain(cache, block, false);
    cache->plain_counts[false]->hits++;
    if (is_answered)
        packet_queue_push_answer(&cache->responses, address, token, cache_edge_ps(cache) + cache->hit_ps);
    return true;
}

static IN_LINE bool cache_try_read(struct cache *cache, uint64_t address, uint64_t token)
{
    HOT_ASSERT(!cache->above.ignores_responses);
    return cache_try_any_read(cache, address, token, true);
}

static IN_LINE bool cache_try_fetch(struct cache *cache, uint64_t address)
{
    HOT_ASSERT(cache->above.ignores_responses);
    return cache_try_any_read(cache, address, 0, false);
}

static IN_LINE bool cache_try_fetch_hit(struct cache *cache, uint64_t address)
{
    uint32_t block;

    HOT_ASSERT(cache->above.ignores_responses);
    if (RARELY(cache_is_blocked(cache) || !tags_find_near(&cache->tags, address, &block)
               || (tags_flags(&cache->tags, block) & (BLOCK_READABLE | BLOCK_LATE)) != BLOCK_READABLE
               || !age_is_short(&cache->tags.policy)))
        return false;
    cache_hit_plain(cache, block, false);
    cache->plain_counts[false]->hits++;
    return true;
}

/* Would cache_try_fetch_hit do it at when_ps, if nothing happens to the cache before? */
static inline bool cache_will_hit_fetch(const struct cache *cache, uint64_t address, uint64_t when_ps)
{
    uint32_t block;

    return !cache_is_blocked(cache) && tags_find_near(&cache->tags, address, &block)
        && (tags_flags(&cache->tags, block) & (BLOCK_READABLE | BLOCK_LATE)) == BLOCK_READABLE
        && age_will_be_short(&cache->tags.policy, when_ps);
}

static IN_LINE bool cache_try_write(struct cache *cache, uint64_t address, uint64_t token)
{
    uint32_t block;

    HOT_ASSERT(!cache->above.ignores_responses);
    if (RARELY(cache_is_blocked(cache)))
        return false;
    if (RARELY(!tags_find_near(&cache->tags, address, &block)))
        return cache_try_write_miss(cache, address, token, BLOCK_NONE);
    if (RARELY(!tags_has(&cache->tags, block, BLOCK_WRITABLE)))
        return cache_try_write_miss(cache, address, token, block);
    cache_hit_plain(cache, block, true);
    cache->plain_counts[true]->hits++;
    packet_queue_push_answer(&cache->responses, address, token, cache_plain_write_ps(cache));
    return true;
}

#endif
