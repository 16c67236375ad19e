/* Miss queue and write queue with an index of their lines (struct cache_queue_ops).
 *
 * Shortcut: for each value of a line number's low bits the index counts the MSHRs and the writes of such lines, and
 * keeps the MSHR that is the only one. Most searches find a count of 0, or this MSHR, and walk no list.
 * Why the result is the same: a list without entries of a line's low bits has none of the line; the only entry of
 * them is the oldest. Every other search is that of the plain queues, whose lists and steps these queues have, too.
 * Compared with plain by tests/unit/memsys/fast/test_queue_index.c and test_fast_memory.c.
 *
 * Use: queue_index_bind between cache_start and the first request. The other functions are those of the table in line,
 * for the fast paths of a cache with this index. */
#ifndef MEMSYS_FAST_QUEUE_INDEX_H
#define MEMSYS_FAST_QUEUE_INDEX_H

#include "memsys/cache/queues.h"

#define QUEUE_INDEX_PLACES 64

struct queue_index {
    uint16_t mshrs[QUEUE_INDEX_PLACES], writes[QUEUE_INDEX_PLACES];    /* how many */
    struct mshr *alone[QUEUE_INDEX_PLACES];                            /* NULL: none, or perhaps several */
};
_Static_assert(sizeof(struct queue_index) <= sizeof(union cache_queue_room), "it has room");

void queue_index_bind(struct cache *cache);

static inline struct queue_index *queue_index_of(const struct cache *cache)
{
    return (void *)(uintptr_t)&cache->queue_room;
}

static inline unsigned queue_index_place(const struct cache *cache, uint64_t address)
{
    return (unsigned)(address >> cache->tags.line_shift) % QUEUE_INDEX_PLACES;
}

static inline struct mshr *queue_index_find_mshr(const struct cache *cache, uint64_t address)
{
    const struct queue_index *const index = queue_index_of(cache);
    unsigned const place = queue_index_place(cache, address);
    struct mshr *alone;

    if (!index->mshrs[place])
        return NULL;
    alone = index->alone[place];
    if (!alone)
        return cache_plain_queues.find_mshr(cache, address);
    return alone->line_address == sim_line_address(cache->sim, address) && !alone->is_uncacheable ? alone : NULL;
}

static inline struct write_entry *queue_index_find_write(const struct cache *cache, uint64_t address)
{
    return queue_index_of(cache)->writes[queue_index_place(cache, address)]
               ? cache_plain_queues.find_write(cache, address) : NULL;
}

static inline void queue_index_enter_mshr(struct cache *cache, struct mshr *mshr, uint64_t when_ps, bool is_prefetch)
{
    struct queue_index *const index = queue_index_of(cache);
    unsigned const place = queue_index_place(cache, mshr->line_address);

    index->alone[place] = index->mshrs[place]++ == 0 ? mshr : NULL;
    cache_enter_new_mshr(cache, mshr, when_ps, is_prefetch);
}

static inline void queue_index_free_mshr(struct cache *cache, struct mshr *mshr)
{
    struct queue_index *const index = queue_index_of(cache);
    unsigned const place = queue_index_place(cache, mshr->line_address);

    index->mshrs[place]--;
    index->alone[place] = NULL;
    cache_close_mshr(cache, mshr);
}

static inline void queue_index_enter_write(struct cache *cache, struct packet *packet, uint64_t line_address,
                                           bool is_uncacheable, uint64_t when_ps)
{
    queue_index_of(cache)->writes[queue_index_place(cache, line_address)]++;
    cache_put_write(cache, packet, line_address, is_uncacheable, when_ps);
}

static inline struct packet *queue_index_free_write(struct cache *cache, struct write_entry *write)
{
    queue_index_of(cache)->writes[queue_index_place(cache, write->line_address)]--;
    return cache_take_write(cache, write);
}

static inline struct cache_choice queue_index_choose(const struct cache *cache)
{
    const struct queue_index *const index = queue_index_of(cache);
    struct mshr *const miss = cache_ready_mshr(cache);
    struct write_entry *const write = cache_ready_write(cache);

    if (write && (cache->write_count >= cache->write_buffer_limit || !miss)) {
        if (index->mshrs[queue_index_place(cache, write->line_address)])
            return cache_plain_queues.choose(cache);
        return (struct cache_choice){.write = write};
    }
    if (miss && index->writes[queue_index_place(cache, miss->line_address)])
        return cache_plain_queues.choose(cache);
    return (struct cache_choice){.mshr = miss};
}

#endif
