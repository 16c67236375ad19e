/* Sending the next request (classic-memory 4.8): the step of which send.c and memsys/fast/ make functions. */
#ifndef MEMSYS_CACHE_SEND_H
#define MEMSYS_CACHE_SEND_H

#include "memsys/cache/queues.h"

/* Chooses an MSHR or a write by `choose` (struct cache_queue_ops), sends it by the matching function, and schedules the
 * next choice. */
static inline void cache_send_next(struct cache *cache,
                                   struct cache_choice (*choose)(const struct cache *cache),
                                   bool (*send_mshr)(struct cache *cache, struct mshr *mshr),
                                   bool (*send_write)(struct cache *cache, struct write_entry *write))
{
    uint64_t when_ps = TICK_NEVER;
    struct cache_choice const chosen = choose(cache);
    struct write_entry *const write = chosen.write;
    struct mshr *mshr = chosen.mshr;

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
