/* Modelled: the miss queue, the write queue, and blocking (classic-memory 4.6 to 4.9).
 *
 * Entries never move; short arrays of pointers hold them. MSHRs and writes to be sent are ordered by ready tick, ties
 * in order of insertion; a write always is to be sent. All MSHRs stand in no order. Those that are taken come first,
 * those that are free behind them, so that taking the next free one moves none. Look-ups take the oldest. */
#include "memsys/cache/queues.h"

static struct mshr *oldest_mshr(const struct cache *cache, uint64_t address, bool uncacheable_too)
{
    uint64_t const line_address = sim_line_address(cache->sim, address);
    struct mshr *oldest = NULL;

    for (uint32_t i = 0; i < cache->mshr_count; i++) {
        struct mshr *const mshr = cache->mshrs[i];

        if (mshr->line_address == line_address && (uncacheable_too || !mshr->is_uncacheable)
            && (!oldest || mshr->first_order < oldest->first_order))
            oldest = mshr;
    }
    return oldest;
}

struct mshr *cache_search_mshr(const struct cache *cache, uint64_t address)
{
    return oldest_mshr(cache, address, false);
}

struct mshr *cache_find_any_mshr(const struct cache *cache, uint64_t address)
{
    return oldest_mshr(cache, address, true);
}

struct write_entry *cache_search_write(const struct cache *cache, uint64_t address)
{
    uint64_t const line_address = sim_line_address(cache->sim, address);
    struct write_entry *oldest = NULL;

    for (uint32_t i = 0; i < cache->write_count; i++) {
        struct write_entry *const write = cache->writes[i];

        if (write->line_address == line_address && !write->is_uncacheable && (!oldest || write->order < oldest->order))
            oldest = write;
    }
    return oldest;
}

bool cache_keeps_exclusive(const struct packet *packet)
{
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

void cache_enter_mshr(struct cache *cache, struct mshr *mshr, uint64_t when_ps, bool is_prefetch)
{
    cache_enter_new_mshr(cache, mshr, when_ps, is_prefetch);
}

struct mshr *cache_allocate_mshr(struct cache *cache, struct packet *packet, uint64_t when_ps)
{
    return cache_open_mshr(cache, packet, when_ps);
}

void cache_free_mshr(struct cache *cache, struct mshr *mshr)
{
    cache_close_mshr(cache, mshr);
}

void cache_allocate_write(struct cache *cache, struct packet *packet, uint64_t when_ps)
{
    cache_put_write(cache, packet, sim_line_address(cache->sim, packet->address), packet_is_uncacheable(packet),
                    when_ps);
}

struct packet *cache_free_write(struct cache *cache, struct write_entry *write)
{
    return cache_take_write(cache, write);
}

void cache_insert_ready_mshr(struct cache *cache, struct mshr *mshr)
{
    cache_add_ready_mshr(cache, mshr);
}

void cache_schedule_request(struct cache *cache, uint64_t when_ps)
{
    if (when_ps != TICK_NEVER)
        cache_schedule_send(cache, when_ps);
}

void cache_mark_in_service(struct cache *cache, struct mshr *mshr, bool responder_was_modified)
{
    mshr_mark_in_service(mshr, responder_was_modified);
    cache_take_ready_mshr(cache, mshr);
    if (cache->prefetcher != NULL)
        cache_prefetch_sent(cache, mshr);
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
