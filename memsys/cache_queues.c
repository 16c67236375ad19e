/* Modelled: the miss queue, the write queue, and blocking (classic-memory 4.6 to 4.9).
 *
 * Entries never move; four short arrays of pointers order them: all MSHRs and all writes in order of allocation
 * (look-ups take the oldest), and those to be sent by ready tick, ties in order of insertion. A write entry is always
 * to be sent. */
#include "memsys/cache_internal.h"

#include <string.h>

struct mshr *cache_find_mshr(const struct cache *cache, uint64_t address)
{
    uint64_t const line_address = sim_line_address(cache->sim, address);

    for (uint32_t i = 0; i < cache->mshr_count; i++)
        if (cache->mshrs[i]->line_address == line_address && !cache->mshrs[i]->is_uncacheable)
            return cache->mshrs[i];
    return NULL;
}

struct mshr *cache_find_any_mshr(const struct cache *cache, uint64_t address)
{
    uint64_t const line_address = sim_line_address(cache->sim, address);

    for (uint32_t i = 0; i < cache->mshr_count; i++)
        if (cache->mshrs[i]->line_address == line_address)
            return cache->mshrs[i];
    return NULL;
}

struct write_entry *cache_find_write(const struct cache *cache, uint64_t address)
{
    uint64_t const line_address = sim_line_address(cache->sim, address);

    for (uint32_t i = 0; i < cache->write_count; i++)
        if (cache->writes[i]->line_address == line_address && !cache->writes[i]->is_uncacheable)
            return cache->writes[i];
    return NULL;
}

bool cache_allocates_on_fill(const struct cache *cache, const struct packet *packet)
{
    if (!cache->is_mostly_exclusive)
        return true;
    switch (packet->command) {
    case CMD_WriteLineReq:
    case CMD_ReadReq:
    case CMD_WriteReq:
    case CMD_SoftPFReq:
    case CMD_SoftPFExReq:
    case CMD_HardPFReq:
    case CMD_LoadLockedReq:
    case CMD_StoreCondReq:
    case CMD_SwapReq:
        return true;
    default:
        return false;
    }
}

void cache_insert_ready_mshr(struct cache *cache, struct mshr *mshr)
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

static void insert_ready_write(struct cache *cache, struct write_entry *write)
{
    struct write_entry **const ready = cache->write_ready;
    uint32_t place = cache->write_count;

    if (place > 0 && ready[place - 1]->ready_ps > write->ready_ps) {
        for (place = 0; ready[place]->ready_ps <= write->ready_ps; place++)
            ;
        memmove(ready + place + 1, ready + place, (cache->write_count - place) * sizeof(*ready));
    }
    ready[place] = write;
}

/* Removes `wanted` from an array of `count`; it must be there. All behind it move on the way to it. */
static void remove_mshr(struct mshr **mshrs, uint32_t count, const struct mshr *wanted)
{
    struct mshr **place = mshrs + count, *moved = NULL;

    do {
        struct mshr *const here = *--place;

        *place = moved;
        moved = here;
    } while (moved != wanted);
    assert(place >= mshrs);
}

static void remove_write(struct write_entry **writes, uint32_t count, const struct write_entry *wanted)
{
    struct write_entry **place = writes + count, *moved = NULL;

    do {
        struct write_entry *const here = *--place;

        *place = moved;
        moved = here;
    } while (moved != wanted);
    assert(place >= writes);
}

void cache_remove_ready_mshr(struct cache *cache, struct mshr *mshr)
{
    remove_mshr(cache->mshr_ready, cache->mshr_ready_count, mshr);
    cache->mshr_ready_count--;
}

struct mshr *cache_allocate_mshr(struct cache *cache, struct packet *packet, uint64_t when_ps)
{
    uint64_t const order = cache->next_order++;
    struct target_arrival const arrival = {.now_ps = cache_now_ps(cache), .ready_ps = when_ps, .order = order,
                                           .source = packet->command == CMD_HardPFReq ? TARGET_FROM_PREFETCHER
                                                                                       : TARGET_FROM_ABOVE,
                                           .mark_upper_mshr = true,
                                           .allocate_on_fill = cache_allocates_on_fill(cache, packet)};
    struct mshr *mshr;

    assert(cache->mshr_count < cache->mshr_limit);
    mshr = cache->mshr_free[cache->mshr_limit - cache->mshr_count - 1];
    mshr_init(mshr, sim_line_address(cache->sim, packet->address), when_ps, order, packet_is_uncacheable(packet));
    target_list_add(&mshr->targets, &cache->targets, packet, &arrival);
    cache->mshrs[cache->mshr_count++] = mshr;
    cache_insert_ready_mshr(cache, mshr);
    occupancy_set(&cache->stats.mshrs, cache_now_ps(cache), cache->mshr_count);
    if (cache->mshr_count >= cache->mshr_limit)
        cache_set_blocked(cache, BLOCKED_NO_MSHRS);
    if (arrival.source == TARGET_FROM_ABOVE)
        cache_schedule_request(cache, when_ps);
    below_expect(&cache->below, mshr->line_address);
    return mshr;
}

void cache_free_mshr(struct cache *cache, struct mshr *mshr)
{
    if (!mshr->in_service)
        cache_remove_ready_mshr(cache, mshr);
    remove_mshr(cache->mshrs, cache->mshr_count, mshr);
    cache->mshr_count--;
    cache->mshr_free[cache->mshr_limit - cache->mshr_count - 1] = mshr;
    occupancy_set(&cache->stats.mshrs, cache_now_ps(cache), cache->mshr_count);
    if (cache->mshr_count + 1 == cache->mshr_limit)
        cache_clear_blocked(cache, BLOCKED_NO_MSHRS);
}

void cache_mark_in_service(struct cache *cache, struct mshr *mshr, bool responder_was_modified)
{
    mshr_mark_in_service(mshr, responder_was_modified);
    cache_remove_ready_mshr(cache, mshr);
}

void cache_allocate_write(struct cache *cache, struct packet *packet, uint64_t when_ps)
{
    struct write_entry *write;

    assert(cache->write_count < cache->write_capacity);
    write = cache->write_free[cache->write_capacity - cache->write_count - 1];
    *write = (struct write_entry){.line_address = sim_line_address(cache->sim, packet->address), .ready_ps = when_ps,
                                  .order = cache->next_order++, .packet = packet,
                                  .is_uncacheable = packet_is_uncacheable(packet)};
    insert_ready_write(cache, write);
    cache->writes[cache->write_count++] = write;
    occupancy_set(&cache->stats.write_buffers, cache_now_ps(cache), cache->write_count);
    if (cache->write_count >= cache->write_buffer_limit)
        cache_set_blocked(cache, BLOCKED_NO_WRITE_BUFFERS);
    cache_schedule_request(cache, when_ps);
    below_expect(&cache->below, write->line_address);
}

struct packet *cache_free_write(struct cache *cache, struct write_entry *write)
{
    struct packet *const packet = write->packet;

    remove_write(cache->writes, cache->write_count, write);
    remove_write(cache->write_ready, cache->write_count, write);
    cache->write_count--;
    cache->write_free[cache->write_capacity - cache->write_count - 1] = write;
    occupancy_set(&cache->stats.write_buffers, cache_now_ps(cache), cache->write_count);
    if (cache->write_count + 1 == cache->write_buffer_limit)
        cache_clear_blocked(cache, BLOCKED_NO_WRITE_BUFFERS);
    return packet;
}

void cache_set_blocked(struct cache *cache, enum blocked_cause cause)
{
    if (!cache->blocked_causes) {
        cache->stats.blocked_causes[cause]++;
        cache->blocked_since_cyc = domain_cycles(cache->clock, cache_now_ps(cache));
        if (cache->retry_event.scheduled) {
            event_deschedule(&cache->sim->events, &cache->retry_event);
            cache->retry_owed = true;
        }
    }
    cache->blocked_causes |= 1u << cause;
}

void cache_clear_blocked(struct cache *cache, enum blocked_cause cause)
{
    cache->blocked_causes &= ~(1u << cause);
    if (cache->blocked_causes)
        return;
    cache->stats.blocked_cycles[cause] +=
        domain_cycles(cache->clock, cache_now_ps(cache)) - cache->blocked_since_cyc;
    if (cache->retry_owed)
        event_schedule(&cache->sim->events, &cache->retry_event, cache_now_ps(cache) + 1);
}

void cache_send_retry(void *owner)
{
    struct cache *const cache = owner;

    cache->retry_owed = false;
    cache->above.ops->recv_request_retry(cache->above.self, cache->above.port);
}
