/* A core's accesses without packets (memsys/fast/ports.h: below_fast_cache): those that hit, and those that miss in the
 * simplest way.
 *
 * Shortcut: the packet, its way through port and cache, and the checks whose outcome is known for such an access: a
 * load, or a store to part of a line, of a core, without marks or delays, to a coherent cache with LRU and without
 * prefetcher (cache_is_simple).
 * Why the result is the same: such a hit moves its line to the front of its set, marks it if it is a store, counts, and
 * is answered at the tick that the packet's access would be; a miss becomes a target of an MSHR (cache_targets.h). All
 * else is left to recv_request, which finds the cache unchanged. Compared with plain by
 * tests/unit/memsys/fast/test_fast_memory.c, and tests/unit/memsys/cache/test_cache.c runs all its tests both ways.
 *
 * Use: cache_try_read and cache_try_write of the cache that a core's port names, to read or write bytes in one line, a
 * write less than the line, cacheable, not locked, not linked. True: done, as recv_request would with a packet;
 * recv_answer comes with `token` when the response would. False: nothing has changed, and recv_request has to decide.
 * cache_try_fetch is cache_try_read for a port that ignores responses; cache_try_fetch_hit the same if that hits
 * without more ado, else nothing.
 *
 * Calls that most hits do not need come last in each function, so that its caller keeps no frame for them. */
#ifndef MEMSYS_FAST_CACHE_TRY_H
#define MEMSYS_FAST_CACHE_TRY_H

#include "memsys/cache/cache_internal.h"
#include "memsys/fast/answers.h"
#include "memsys/fast/ways.h"

/* The part of cache_try_read and cache_try_fetch for a line that is there, but perhaps not complete, or not
 * readable. */
bool cache_try_late_read(struct cache *cache, uint64_t address, uint64_t token, uint32_t block);

/* The common part of all tries that miss: the line is in `block` without the permission to read or write, or absent
 * (`block` is BLOCK_NONE); lines beyond ways_find_near are excluded. */
bool cache_try_read_miss(struct cache *cache, uint64_t address, uint64_t token, uint32_t block);
bool cache_try_write_miss(struct cache *cache, uint64_t address, uint64_t token, uint32_t block);

/* The effects of a hit, except its line's age and its answer. */
static inline void cache_count_hit(struct cache *cache, uint32_t block, bool is_write)
{
    if (is_write)
        tags_set(&cache->tags, block, BLOCK_DIRTY);
    cache->hooks.counts[is_write]->hits++;
}

/* The effects of a hit, except its answer. */
static inline void cache_hit(struct cache *cache, uint32_t block, bool is_write)
{
    ways_age_now(&cache->tags, block);        /* it is LRU */
    cache_count_hit(cache, block, is_write);
}

/* Would recv_request refuse? */
static inline bool cache_is_blocked(const struct cache *cache)
{
    return (cache->blocked_causes | cache->retry_owed) != 0;
}

static FORCE_INLINE bool cache_try_any_read(struct cache *cache, uint64_t address, uint64_t token, bool is_answered)
{
    uint32_t block;

    if (unlikely(cache_is_blocked(cache)))
        return false;
    if (unlikely(!ways_find_near(&cache->tags, address, &block)))
        return cache_try_read_miss(cache, address, token, BLOCK_NONE);
    if (unlikely((tags_flags(&cache->tags, block) & (BLOCK_READABLE | BLOCK_LATE)) != BLOCK_READABLE))
        return cache_try_late_read(cache, address, token, block);
    cache_hit(cache, block, false);
    if (is_answered)
        packet_queue_push_answer(&cache->responses, address, token, cache_edge_ps(cache) + cache->hit_ps);
    return true;
}

static FORCE_INLINE bool cache_try_read(struct cache *cache, uint64_t address, uint64_t token)
{
    HOT_ASSERT(!above_ignores_responses(&cache->above));
    return cache_try_any_read(cache, address, token, true);
}

static FORCE_INLINE bool cache_try_fetch(struct cache *cache, uint64_t address)
{
    HOT_ASSERT(above_ignores_responses(&cache->above));
    return cache_try_any_read(cache, address, 0, false);
}

static FORCE_INLINE bool cache_try_fetch_hit(struct cache *cache, uint64_t address)
{
    uint32_t block;

    HOT_ASSERT(above_ignores_responses(&cache->above));
    if (unlikely(cache_is_blocked(cache) || !ways_find_near(&cache->tags, address, &block)
               || (tags_flags(&cache->tags, block) & (BLOCK_READABLE | BLOCK_LATE)) != BLOCK_READABLE
               || !ways_age_is_short(&cache->tags)))
        return false;
    cache_hit(cache, block, false);
    return true;
}

/* Would cache_try_fetch_hit do it at when_ps, if nothing happens to the cache before? */
static inline bool cache_will_hit_fetch(const struct cache *cache, uint64_t address, uint64_t when_ps)
{
    uint32_t block;

    return !cache_is_blocked(cache) && ways_find_near(&cache->tags, address, &block)
        && (tags_flags(&cache->tags, block) & (BLOCK_READABLE | BLOCK_LATE)) == BLOCK_READABLE
        && ways_age_will_be_short(&cache->tags, when_ps);
}

static FORCE_INLINE bool cache_try_write(struct cache *cache, uint64_t address, uint64_t token)
{
    uint32_t block;

    HOT_ASSERT(!above_ignores_responses(&cache->above));
    if (unlikely(cache_is_blocked(cache)))
        return false;
    if (unlikely(!ways_find_near(&cache->tags, address, &block)))
        return cache_try_write_miss(cache, address, token, BLOCK_NONE);
    if (unlikely(!tags_has(&cache->tags, block, BLOCK_WRITABLE)))
        return cache_try_write_miss(cache, address, token, block);
    cache_hit(cache, block, true);
    packet_queue_push_answer(&cache->responses, address, token, cache_edge_ps(cache) + cache->tag_ps);
    return true;
}

#endif
