/* Modelled: the miss queue, the write queue, and blocking (classic-memory 4.6 to 4.9).
 *
 * Entries never move; short arrays of pointers hold them. MSHRs and writes to be sent are ordered by ready tick, ties
 * in order of insertion; every queued write is to be sent. The list of all MSHRs is unordered: allocated ones first,
 * free ones behind them, so that allocating the next free one moves none. Look-ups walk a list and take the oldest
 * entry. */
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

static struct mshr *find_mshr(const struct cache *cache, uint64_t address)
{
    return oldest_mshr(cache, address, false);
}

struct mshr *cache_find_any_mshr(const struct cache *cache, uint64_t address)
{
    return oldest_mshr(cache, address, true);
}

static struct write_entry *find_write(const struct cache *cache, uint64_t address)
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

static void enter_mshr(struct cache *cache, struct mshr *mshr, uint64_t when_ps, bool is_prefetch)
{
    cache_enter_new_mshr(cache, mshr, when_ps, is_prefetch);
}

static void free_mshr(struct cache *cache, struct mshr *mshr)
{
    cache_close_mshr(cache, mshr);
}

static void enter_write(struct cache *cache, struct packet *packet, uint64_t when_ps)
{
    cache_put_write(cache, packet, sim_line_address(cache->sim, packet->address), packet_is_uncacheable(packet),
                    when_ps);
}

static struct packet *free_write(struct cache *cache, struct write_entry *write)
{
    return cache_take_write(cache, write);
}

/* The first ready MSHR of the line, NULL without one. */
static struct mshr *ready_mshr_of(const struct cache *cache, uint64_t line_address)
{
    for (uint32_t i = 0; i < cache->mshr_ready_count; i++)
        if (cache->mshr_ready[i]->line_address == line_address)
            return cache->mshr_ready[i];
    return NULL;
}

static struct write_entry *write_of(const struct cache *cache, uint64_t line_address)
{
    for (uint32_t i = 0; i < cache->write_count; i++)
        if (cache->writes[i]->line_address == line_address)
            return cache->writes[i];
    return NULL;
}

/* A write goes if no miss is ready or the write queue is full, unless an older miss of its line waits; a miss goes,
 * unless a write of its line waits. */
static struct cache_choice choose(const struct cache *cache)
{
    struct mshr *const miss = cache_ready_mshr(cache);
    struct write_entry *write = cache_ready_write(cache);

    if (write && (cache->write_count >= cache->write_buffer_limit || !miss)) {
        struct mshr *const waiting = ready_mshr_of(cache, write->line_address);

        return waiting && waiting->order < write->order ? (struct cache_choice){.mshr = waiting}
                                                        : (struct cache_choice){.write = write};
    }
    write = miss ? write_of(cache, miss->line_address) : NULL;
    return write ? (struct cache_choice){.write = write} : (struct cache_choice){.mshr = miss};
}

const struct cache_queue_ops cache_plain_queues = {
    .find_mshr = find_mshr, .find_write = find_write, .enter_mshr = enter_mshr, .free_mshr = free_mshr,
    .enter_write = enter_write, .free_write = free_write, .choose = choose};

struct mshr *cache_allocate_mshr(struct cache *cache, struct packet *packet, uint64_t when_ps)
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
    cache->queues->enter_mshr(cache, mshr, when_ps, is_prefetch);
    return mshr;
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
