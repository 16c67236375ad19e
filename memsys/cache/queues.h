/* Miss queue and write queue: the steps of which queues.c and memsys/fast/ make functions.
 *
 * Use: where a miss opens an MSHR, a fill closes one, an eviction enters or leaves the write queue; all other callers
 * use the functions of internal.h. Nothing is allocated. */
#ifndef MEMSYS_CACHE_QUEUES_H
#define MEMSYS_CACHE_QUEUES_H

#include <string.h>

#include "memsys/cache/internal.h"

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

/* ... and is to be sent. */
static inline void cache_enter_new_mshr(struct cache *cache, struct mshr *mshr, uint64_t when_ps,
                                              bool is_prefetch)
{
    unsigned const place = cache_line_place(cache, mshr->line_address);

    HOT_ASSERT(cache->mshrs[cache->mshr_count] == mshr);
    mshr->place = cache->mshr_count++;
    cache->mshr_alone[place] = cache->mshr_lines.counts[place]++ == 0 ? mshr : NULL;
    cache_add_ready_mshr(cache, mshr);
    occupancy_up(&cache->stats.mshrs, cache_now_ps(cache), cache->mshr_count);
    if (cache->mshr_count >= cache->mshr_limit)
        cache_set_blocked(cache, BLOCKED_NO_MSHRS);
    if (!is_prefetch)
        cache_schedule_send(cache, when_ps);
    cache_note_queued(cache, mshr->line_address);
}

/* The same as a call. */
void cache_enter_mshr(struct cache *cache, struct mshr *mshr, uint64_t when_ps, bool is_prefetch);

/* cache_allocate_mshr */
static inline struct mshr *cache_open_mshr(struct cache *cache, struct packet *packet, uint64_t when_ps)
{
    uint64_t const order = cache->next_order++;
    bool const is_prefetch = packet->command == CMD_HardPFReq;
    struct target_arrival const arrival = {.now_ps = cache_now_ps(cache), .ready_ps = when_ps, .order = order,
                                           .source = is_prefetch ? TARGET_FROM_PREFETCHER : TARGET_FROM_ABOVE,
                                           .mark_upper_mshr = true,
                                           .allocate_on_fill = cache_allocates_on_fill(cache, packet)};
    struct mshr *const mshr = cache_begin_mshr(cache, sim_line_address(cache->sim, packet->address), when_ps, order,
                                               packet_is_uncacheable(packet));

    target_list_add(&mshr->targets, &cache->targets, packet, &arrival);
    cache_enter_mshr(cache, mshr, when_ps, is_prefetch);
    return mshr;
}

/* cache_free_mshr */
static inline void cache_close_mshr(struct cache *cache, struct mshr *mshr)
{
    unsigned const line_place = cache_line_place(cache, mshr->line_address);
    uint32_t const count = cache->mshr_count - 1, place = mshr->place;
    struct mshr *const last = cache->mshrs[count];

    if (!mshr->in_service)
        cache_take_ready_mshr(cache, mshr);
    HOT_ASSERT(cache->mshrs[place] == mshr);
    last->place = place;
    cache->mshrs[place] = last;
    cache->mshrs[count] = mshr;
    cache->mshr_count = count;
    cache->mshr_lines.counts[line_place]--;
    cache->mshr_alone[line_place] = NULL;
    occupancy_down(&cache->stats.mshrs, cache_now_ps(cache), count);
    if (count + 1 == cache->mshr_limit)
        cache_clear_blocked(cache, BLOCKED_NO_MSHRS);
}

/* cache_allocate_write for a packet of that line. */
static inline void cache_put_write(struct cache *cache, struct packet *packet, uint64_t line_address,
                                    bool is_uncacheable, uint64_t when_ps)
{
    struct write_entry *write;

    assert(cache->write_count < cache->write_capacity);
    write = cache->writes[cache->write_count];
    *write = (struct write_entry){.line_address = line_address, .ready_ps = when_ps, .order = cache->next_order++,
                                  .packet = packet, .is_uncacheable = is_uncacheable};
    cache_add_ready_write(cache, write);
    cache->write_lines.counts[cache_line_place(cache, line_address)]++;
    occupancy_up(&cache->stats.write_buffers, cache_now_ps(cache), cache->write_count);
    if (cache->write_count >= cache->write_buffer_limit)
        cache_set_blocked(cache, BLOCKED_NO_WRITE_BUFFERS);
    cache_schedule_send(cache, when_ps);
    cache_note_queued(cache, line_address);
}

/* cache_free_write */
static inline struct packet *cache_take_write(struct cache *cache, struct write_entry *write)
{
    struct packet *const packet = write->packet;

    cache->write_lines.counts[cache_line_place(cache, write->line_address)]--;
    cache_remove_write(cache, write);
    occupancy_down(&cache->stats.write_buffers, cache_now_ps(cache), cache->write_count);
    if (cache->write_count + 1 == cache->write_buffer_limit)
        cache_clear_blocked(cache, BLOCKED_NO_WRITE_BUFFERS);
    return packet;
}

#endif
