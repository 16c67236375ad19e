/* Miss queue and write queue: the steps of which queues.c and memsys/fast/queue_index.h make the functions of a table
 * (struct cache_queue_ops).
 *
 * Use: only by these two, but for cache_begin_mshr and cache_schedule_send; all other callers use the functions of
 * cache_internal.h. Nothing is allocated. */
#ifndef MEMSYS_CACHE_QUEUES_H
#define MEMSYS_CACHE_QUEUES_H

#include <string.h>

#include "memsys/cache/cache_internal.h"

/* cache_schedule_request, at a tick that is not TICK_NEVER */
static inline void cache_schedule_send(struct cache *cache, uint64_t when_ps)
{
    struct event_queue *const events = &cache->sim->events;

    if (cache->waiting_for_request_retry)
        return;
    when_ps = max_u64(when_ps, events->now_ps + 1);
    if (!cache->request_event.scheduled)
        event_schedule(events, &cache->request_event, when_ps);
    else if (when_ps < cache->request_event.when_ps)
        event_reschedule(events, &cache->request_event, when_ps);
}

/* A request for the line will go down. */
static inline void cache_note_queued(const struct cache *cache, uint64_t line_address)
{
    if (cache->hooks.queued != NULL)
        cache->hooks.queued(cache, line_address);
}

static inline void cache_add_ready_mshr(struct cache *cache, struct mshr *mshr)
{
    struct mshr **const ready = cache->mshr_ready;
    uint32_t place = cache->mshr_ready_count;

    if (place > 0 && ready[place - 1]->ready_ps > mshr->ready_ps) {
        for (place = 0; ready[place]->ready_ps <= mshr->ready_ps; place++)
            ;
        memmove(ready + place + 1, ready + place, (cache->mshr_ready_count - place) * sizeof(*ready));
    }
    ready[place] = mshr;
    cache->mshr_ready_count++;
}

/* The free entry behind those that are taken becomes one of them. */
static inline void cache_add_ready_write(struct cache *cache, struct write_entry *write)
{
    struct write_entry **const writes = cache->writes;
    uint32_t place = cache->write_count;

    if (place > 0 && writes[place - 1]->ready_ps > write->ready_ps) {
        for (place = 0; writes[place]->ready_ps <= write->ready_ps; place++)
            ;
        memmove(writes + place + 1, writes + place, (cache->write_count - place) * sizeof(*writes));
        writes[place] = write;
    }
    cache->write_count++;
}

/* The last that are taken move on the way to the entry, which is the first free one then; it must be there. */
static inline void cache_remove_write(struct cache *cache, struct write_entry *write)
{
    struct write_entry **place = cache->writes + cache->write_count, *moved = write;

    do {
        struct write_entry *const here = *--place;

        *place = moved;
        moved = here;
    } while (moved != write);
    HOT_ASSERT(place >= cache->writes);
    cache->write_count--;
}

/* All behind it move. */
static inline void cache_take_ready_mshr(struct cache *cache, struct mshr *mshr)
{
    struct mshr **place = cache->mshr_ready + cache->mshr_ready_count, *moved = NULL;

    do {
        struct mshr *const here = *--place;

        *place = moved;
        moved = here;
    } while (moved != mshr);
    HOT_ASSERT(place >= cache->mshr_ready);
    cache->mshr_ready_count--;
}

/* The heads of the two queues, if they are ready. */
static inline struct mshr *cache_ready_mshr(const struct cache *cache)
{
    return cache->mshr_ready_count && cache->mshr_ready[0]->ready_ps <= cache_now_ps(cache) ? cache->mshr_ready[0]
                                                                                             : NULL;
}

static inline struct write_entry *cache_ready_write(const struct cache *cache)
{
    return cache->write_count && cache->writes[0]->ready_ps <= cache_now_ps(cache) ? cache->writes[0] : NULL;
}

/* Two halves of cache_allocate_mshr, between which the first target is added: an MSHR is taken ... */
static inline struct mshr *cache_begin_mshr(struct cache *cache, uint64_t line_address, uint64_t when_ps,
                                             uint64_t order, bool is_uncacheable)
{
    struct mshr *mshr;

    assert(cache->mshr_count < cache->mshr_limit);
    mshr = cache->mshrs[cache->mshr_count];
    mshr_init(mshr, line_address, when_ps, order, is_uncacheable);
    return mshr;
}

/* ... and is to be sent: enter_mshr. */
static inline void cache_enter_new_mshr(struct cache *cache, struct mshr *mshr, uint64_t when_ps,
                                              bool is_prefetch)
{
    HOT_ASSERT(cache->mshrs[cache->mshr_count] == mshr);
    mshr->place = cache->mshr_count++;
    cache_add_ready_mshr(cache, mshr);
    occupancy_up(&cache->stats.mshrs, cache_now_ps(cache), cache->mshr_count);
    if (cache->mshr_count >= cache->mshr_limit)
        cache_set_blocked(cache, BLOCKED_NO_MSHRS);
    if (!is_prefetch)
        cache_schedule_send(cache, when_ps);
    cache_note_queued(cache, mshr->line_address);
}

/* free_mshr */
static inline void cache_close_mshr(struct cache *cache, struct mshr *mshr)
{
    uint32_t const count = cache->mshr_count - 1, place = mshr->place;
    struct mshr *const last = cache->mshrs[count];

    if (!mshr->in_service)
        cache_take_ready_mshr(cache, mshr);
    HOT_ASSERT(cache->mshrs[place] == mshr);
    last->place = place;
    cache->mshrs[place] = last;
    cache->mshrs[count] = mshr;
    cache->mshr_count = count;
    occupancy_down(&cache->stats.mshrs, cache_now_ps(cache), count);
    if (count + 1 == cache->mshr_limit)
        cache_clear_blocked(cache, BLOCKED_NO_MSHRS);
}

/* enter_write for a packet of that line. */
static inline void cache_put_write(struct cache *cache, struct packet *packet, uint64_t line_address,
                                    bool is_uncacheable, uint64_t when_ps)
{
    struct write_entry *write;

    assert(cache->write_count < cache->write_capacity);
    write = cache->writes[cache->write_count];
    *write = (struct write_entry){.line_address = line_address, .ready_ps = when_ps, .order = cache->next_order++,
                                  .packet = packet, .is_uncacheable = is_uncacheable};
    cache_add_ready_write(cache, write);
    occupancy_up(&cache->stats.write_buffers, cache_now_ps(cache), cache->write_count);
    if (cache->write_count >= cache->write_buffer_limit)
        cache_set_blocked(cache, BLOCKED_NO_WRITE_BUFFERS);
    cache_schedule_send(cache, when_ps);
    cache_note_queued(cache, line_address);
}

/* free_write */
static inline struct packet *cache_take_write(struct cache *cache, struct write_entry *write)
{
    struct packet *const packet = write->packet;

    cache_remove_write(cache, write);
    occupancy_down(&cache->stats.write_buffers, cache_now_ps(cache), cache->write_count);
    if (cache->write_count + 1 == cache->write_buffer_limit)
        cache_clear_blocked(cache, BLOCKED_NO_WRITE_BUFFERS);
    return packet;
}

#endif
