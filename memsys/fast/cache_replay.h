/* The cache's part in the memo of replay/fast, which replays earlier stretches of a run: is the cache at rest, and
 * repeated hits done at once.
 *
 * Use: only with a cache that takes accesses without packets (memsys/fast/cache_try.h). While cache_is_quiet, the
 * outcome of such accesses depends only on its lines, which cache_find_hit looks up, and on the answers that are due,
 * of which its queue of responses gives a snapshot.
 * Shortcut: an access that hits is tried, done, counted, and queues an answer. cache_replay_hit does it without the
 * try and without the answer. The result is the same because no other access of this cache comes between, which the
 * caller has to ensure; the caller also makes the answers.
 * Compared with plain by tests/unit/replay/fast/test_elastic_memo.c. Units: ticks are picoseconds. */
#ifndef MEMSYS_FAST_CACHE_REPLAY_H
#define MEMSYS_FAST_CACHE_REPLAY_H

#include "memsys/fast/cache_try.h"

/* No miss, write-back or retry is under way, and all lines are complete. */
static inline bool cache_is_quiet(const struct cache *cache)
{
    return cache->mshr_count == 0 && cache->write_count == 0 && !cache_is_blocked(cache)
        && packet_queue_is_settled(&cache->responses) && tags_are_complete(&cache->tags);
}

/* Counters of accesses without packets. */
static inline const struct cache_command_stats *cache_access_counts(const struct cache *cache, bool is_write)
{
    return cache->hooks.counts[is_write];
}

/* The answers that are due. */
static inline struct packet_queue *cache_answers(struct cache *cache)
{
    return &cache->responses;
}

/* The block of a load's or store's line, if the access simply hits. */
static inline bool cache_find_hit(struct cache *cache, uint64_t address, bool is_write, uint32_t *block)
{
    struct tags *const tags = &cache->tags;

    if (!ways_find_near(tags, address, block))
        return false;
    if (unlikely(tags_has(tags, *block, BLOCK_LATE)) && tags_ready_ps(tags, *block) > 0)
        return false;
    return tags_has(tags, *block, is_write ? BLOCK_WRITABLE : BLOCK_READABLE);
}

/* May hits until that tick be replayed? */
static inline bool cache_may_replay(const struct cache *cache, uint64_t until_ps)
{
    return ways_age_will_be_short(&cache->tags, until_ps);
}

/* Does the access at that tick to the block that cache_find_hit found, without its answer. Calls come in the order of
 * their ticks. */
static inline void cache_replay_hit(struct cache *cache, uint32_t block, uint64_t when_ps, bool is_write)
{
    ways_age_at(&cache->tags, block, when_ps);
    cache_count_hit(cache, block, is_write);
}

#endif
