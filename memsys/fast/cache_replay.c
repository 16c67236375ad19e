/* The rarer parts of cache_replay.h. */
#include "memsys/fast/cache_replay.h"

bool cache_is_quiet(const struct cache *cache)
{
    const struct packet_queue *const answers = &cache->responses;

    if (cache->mshr_count > 0 || cache->write_count > 0 || cache_is_blocked(cache) || answers->waiting_for_retry
        || (packet_queue_count(answers) > 0) != answers->send_event.scheduled)
        return false;
    for (uint32_t i = 0; i < cache->tags.late_count; i++)
        if (cache->tags.late[i].ready_ps > cache_now_ps(cache))
            return false;
    return true;
}

bool cache_suspend_answers(struct cache *cache, struct event_place *place)
{
    struct event *const event = &cache->responses.send_event;

    if (!event->scheduled)
        return false;
    *place = (struct event_place){event->when_ps, event->number};
    event_deschedule(&cache->sim->events, event);
    return true;
}

void cache_resume_answers(struct cache *cache, const struct event_place *place)
{
    event_schedule_reserved(&cache->sim->events, &cache->responses.send_event, place);
}

void cache_forget_answers(struct cache *cache)
{
    assert(!cache->responses.send_event.scheduled);
    cache->responses.head = cache->responses.tail = 0;
}

void cache_finish_answers(struct cache *cache, uint64_t send_ps, uint64_t last_ps)
{
    cache->responses.last_ps = last_ps;
    if (packet_queue_count(&cache->responses) > 0)
        event_schedule(&cache->sim->events, &cache->responses.send_event, send_ps);
}
