/* Choosing what is sent next (classic-memory 4.8): the pieces of which send.c makes functions. */
#ifndef MEMSYS_CACHE_SEND_H
#define MEMSYS_CACHE_SEND_H

#include "memsys/cache/queues.h"

/* A write is ready, and no miss is, or the write queue is full: it goes, unless an older miss of its line waits. */
static inline void cache_choose_write(const struct cache *cache, struct mshr **mshr, struct write_entry **write)
{
    *mshr = NULL;
    if (!cache->mshr_lines.counts[cache_line_place(cache, (*write)->line_address)])
        return;
    for (uint32_t i = 0; i < cache->mshr_ready_count; i++) {
        struct mshr *const conflict = cache->mshr_ready[i];

        if (conflict->line_address != (*write)->line_address)
            continue;
        if (conflict->order < (*write)->order) {
            *mshr = conflict;
            *write = NULL;
        }
        return;
    }
}

/* A miss is ready: it goes, unless a write of its line waits. */
static inline void cache_choose_miss(const struct cache *cache, struct mshr **mshr, struct write_entry **write)
{
    uint64_t const line_address = (*mshr)->line_address;

    *write = NULL;
    if (!cache->write_lines.counts[cache_line_place(cache, line_address)])
        return;
    for (uint32_t i = 0; *mshr && i < cache->write_count; i++)
        if (cache->writes[i]->line_address == line_address) {
            *write = cache->writes[i];
            *mshr = NULL;
        }
}

/* Sets one of the two, or neither if nothing is ready. */
static inline void cache_choose_entry(const struct cache *cache, struct mshr **mshr, struct write_entry **write)
{
    uint64_t const now_ps = cache_now_ps(cache);

    *mshr = cache->mshr_ready_count && cache->mshr_ready[0]->ready_ps <= now_ps ? cache->mshr_ready[0] : NULL;
    *write = cache->write_count && cache->writes[0]->ready_ps <= now_ps ? cache->writes[0] : NULL;
    if (*write && (cache->write_count >= cache->write_buffer_limit || !*mshr))
        cache_choose_write(cache, mshr, write);
    else if (*mshr)
        cache_choose_miss(cache, mshr, write);
}

/* Sends what is to be sent now by one of the two functions, and schedules the next choice. */
static inline void cache_send_next(struct cache *cache,
                                         bool (*send_mshr)(struct cache *cache, struct mshr *mshr),
                                         bool (*send_write)(struct cache *cache, struct write_entry *write))
{
    uint64_t when_ps = TICK_NEVER;
    struct write_entry *write;
    struct mshr *mshr;

    cache_choose_entry(cache, &mshr, &write);
    if (!mshr && !write && cache_may_prefetch(cache))
        mshr = cache_take_prefetch(cache);
    if (mshr || write) {
        if (packet_queue_count(&cache->snoop_responses) > 0
            && packet_queue_holds_line(&cache->snoop_responses, mshr ? mshr->line_address : write->line_address)) {
            cache_schedule_request(cache, packet_queue_next_ps(&cache->snoop_responses));
            return;
        }
        cache->waiting_for_request_retry = !(mshr ? send_mshr(cache, mshr) : send_write(cache, write));
    }
    if (cache->waiting_for_request_retry)
        return;
    if (cache->mshr_ready_count)
        when_ps = cache->mshr_ready[0]->ready_ps;
    if (cache->write_count)
        when_ps = min_u64(when_ps, cache->writes[0]->ready_ps);
    if (cache_may_prefetch(cache))
        when_ps = min_u64(when_ps, prefetcher_next_ps(cache->prefetcher));
    if (when_ps != TICK_NEVER)
        cache_schedule_send(cache, when_ps);
}

#endif
