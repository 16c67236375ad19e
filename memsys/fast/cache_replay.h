/* A cache for who replays what it did before (the memo of replay/fast): is it at rest, which answers are due, hits done
 * again at once.
 *
 * Use: only with a cache that takes accesses without packets (memsys/fast/cache_try.h). While cache_is_quiet, all that
 * decides what such accesses do next are its lines, which cache_find_hit asks for, and the answers that are due, which
 * are read one by one, and put back one by one after cache_forget_answers.
 * What is shortened: an access that hits moves its line to the front of its set, marks it if it is a store, counts, and
 * puts an answer in line. cache_replay_hit does the first three. It is the same because no other access of this cache
 * comes between, which who replays has to see to; answers are the replayer's.
 * Compared with plain by tests/unit/test_elastic_memo.c. Units: ticks are picoseconds. Ownership: nothing. */
#ifndef MEMSYS_FAST_CACHE_REPLAY_H
#define MEMSYS_FAST_CACHE_REPLAY_H

#include "memsys/fast/cache_try.h"

/* No miss, write-back or retry is under way, and all lines are complete. */
bool cache_is_quiet(const struct cache *cache);

/* Counters of accesses without packets. */
static inline const struct cache_command_stats *cache_access_counts(const struct cache *cache, bool is_write)
{
    return cache->fast.counts[is_write];
}

/* ---- answers that are due */

struct cache_answer {
    uint64_t when_ps, address, token;
};

static inline uint32_t cache_answer_count(const struct cache *cache)
{
    return packet_queue_count(&cache->responses);
}

/* In the order in which they leave. False: that one is a packet. */
static inline bool cache_answer_at(const struct cache *cache, uint32_t place, struct cache_answer *answer)
{
    const struct packet_queue_entry *const entry = packet_queue_entry_at(&cache->responses, place);

    *answer = (struct cache_answer){entry->when_ps, entry->address, entry->token};
    return !entry->packet;
}

/* Tick of the last one, or of one that has left already: one that is put in line later does not leave before it. */
static inline uint64_t cache_last_answer_ps(const struct cache *cache)
{
    return cache->responses.last_ps;
}

/* Its event: scheduled if an answer is due. */
static inline struct event *cache_answer_event(struct cache *cache)
{
    return &cache->responses.send_event;
}

/* The event is taken out of the queue; false if it was not there. / It comes back to its place. */
bool cache_suspend_answers(struct cache *cache, struct event_place *place);
void cache_resume_answers(struct cache *cache, const struct event_place *place);

/* None is due; the event is not scheduled (asserted). */
void cache_forget_answers(struct cache *cache);
/* Behind those that were put back, as it was read; no more than there were at any time. */
static inline void cache_put_back_answer(struct cache *cache, const struct cache_answer *answer)
{
    HOT_ASSERT(cache->responses.tail < cache->responses.mask);
    cache->responses.entries[cache->responses.tail++] = (struct packet_queue_entry){
        .when_ps = answer->when_ps, .address = answer->address, .token = answer->token};
}
/* All are back: the first leaves at send_ps, if there are any. */
void cache_finish_answers(struct cache *cache, uint64_t send_ps, uint64_t last_ps);

/* ---- hits */

/* The block of a load's or store's line, if the access simply hits. */
static inline bool cache_find_hit(struct cache *cache, uint64_t address, bool is_write, uint32_t *block)
{
    struct tags *const tags = &cache->tags;

    if (!tags_find_near(tags, address, block))
        return false;
    if (unlikely(tags_has(tags, *block, BLOCK_LATE)) && tags_ready_ps(tags, *block) > 0)
        return false;
    return tags_has(tags, *block, is_write ? BLOCK_WRITABLE : BLOCK_READABLE);
}

/* May hits until that tick be replayed? */
static inline bool cache_may_replay(const struct cache *cache, uint64_t until_ps)
{
    return age_will_be_short(&cache->tags.policy, until_ps);
}

/* The access of that tick to the block that cache_find_hit found, but for its answer. In the order of their ticks. */
static inline void cache_replay_hit(struct cache *cache, uint32_t block, uint64_t when_ps, bool is_write)
{
    struct replacement *const policy = &cache->tags.policy;

    policy->ways[block].age = (uint32_t)(when_ps - policy->age_base_ps);
    if (is_write)
        tags_set(&cache->tags, block, BLOCK_DIRTY);
    cache->fast.counts[is_write]->hits++;
}

#endif
