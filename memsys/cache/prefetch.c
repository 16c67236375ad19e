/* Modelled: the cache's side of prefetching (classic-memory 4.4, 4.8, 4.10, 13.1, 13.2): the notifications to the
 * prefetcher, the conditions for sending a prefetch, and the snoop of the caches above before it is sent.
 *
 * A prefetch takes an MSHR only when nothing else is ready to be sent, the cache is not blocked, and MSHRs for demand
 * requests stay free. It is sent in the call that takes it. Lines carry the mark BLOCK_PREFETCHED until their first
 * use. */
#include "memsys/cache/cache_internal.h"
#include "memsys/cache/cache_watch.h"

void cache_observe(struct cache *cache, struct packet *packet, bool is_miss)
{
    uint32_t const block = tags_find(&cache->tags, packet->address);
    struct prefetch_event event = {
        .request = &packet->request, .command = packet->command, .is_miss = is_miss, .packet = packet, .block = block,
        .was_prefetched = block != BLOCK_NONE && tags_has(&cache->tags, block, BLOCK_PREFETCHED)
                          && tags_filled_by(&cache->tags, block, cache->prefetcher->requestor)};

    if (packet_is(packet, ATTR_WRITE) && cache->has_write_allocator && cache->write_allocator.mode != WRITE_ALLOCATE)
        return;
    if (cache->module && is_miss) {
        const struct mshr *const mshr = cache_find_mshr(cache, packet->address);

        event.is_joined = mshr && mshr_first_packet(mshr) != packet;
    }
    prefetcher_observe(cache->prefetcher, &event);
}

void cache_schedule_prefetch(struct cache *cache)
{
    uint64_t const ready_ps = prefetcher_next_ps(cache->prefetcher);

    if (ready_ps != TICK_NEVER)
        cache_schedule_request(cache, max_u64(ready_ps, cache_edge_ps(cache)));
}

void cache_queue_prefetch(struct cache *cache, const struct prefetch_candidate *candidate)
{
    prefetcher_queue(cache->prefetcher, candidate);
    cache_schedule_prefetch(cache);
}

bool cache_may_prefetch(const struct cache *cache)
{
    return cache->prefetcher && !cache->blocked_causes
           && cache->mshr_count + 1 + cache->demand_mshr_reserve < cache->mshr_limit;
}

struct mshr *cache_take_prefetch(struct cache *cache)
{
    struct prefetcher *const prefetcher = cache->prefetcher;
    struct prefetch_candidate candidate;
    struct request request = {.size_bytes = cache->sim->line_bytes};
    struct packet *packet;

    if (!prefetcher_take(prefetcher, &candidate))
        return NULL;
    if (tags_find(&cache->tags, candidate.line_address) != BLOCK_NONE) {
        prefetcher->stats.hit_in_cache++;
        return NULL;
    }
    if (cache_find_mshr(cache, candidate.line_address)) {
        prefetcher->stats.hit_in_mshr++;
        return NULL;
    }
    if (cache_find_write(cache, candidate.line_address)) {
        prefetcher->stats.hit_in_write_queue++;
        return NULL;
    }
    if (candidate.levels_below > 0 && prefetcher->below.take) {
        candidate.ready_ps = cache_now_ps(cache) + cache->tag_ps;
        candidate.levels_below--;
        if (prefetcher->below.take(prefetcher->below.self, &candidate))
            prefetcher->figures.issued++;
        return NULL;
    }
    request.metadata = candidate.metadata;
    request.address = candidate.line_address;
    request.flags = candidate.line_address & ADDRESS_SECURE ? REQUEST_SECURE : 0;
    request.pc = candidate.pc;
    request.has_pc = candidate.has_pc;
    request.requestor = prefetcher->requestor;
    packet = packet_take(cache->sim->packets, &request, CMD_HardPFReq);
    cache_count(cache, packet)->mshr_misses++;
    sim_log(cache->sim, cache->name, "miss", packet->command, packet->address);
    if (cache->hooks.watch)
        cache->hooks.watch->prefetched(cache->hooks.watch, cache, packet);
    return cache_allocate_mshr(cache, packet, cache_now_ps(cache));
}

/* A demand request may have joined the prefetch before it was sent: then only the prefetch goes. */
static void drop_prefetch(struct cache *cache, struct mshr *mshr)
{
    struct target *const target = target_list_pop(&mshr->targets);

    packet_give(cache->sim->packets, target->packet);
    target_give(&cache->targets, target);
    if (!mshr->targets.first && !mshr_promote_deferred(mshr, &cache->targets, cache_now_ps(cache)))
        cache_free_mshr(cache, mshr);
}

bool cache_ask_above(struct cache *cache, struct mshr *mshr)
{
    struct packet snoop;

    packet_copy(&snoop, mshr_first_packet(mshr), false);
    snoop.express_snoop = true;
    snoop.sender_count = snoop.route_count = 0;
    snoop.senders[snoop.sender_count++] = mshr;
    cache->above.ops->recv_snoop(cache->above.self, &snoop, cache->above.port);
    if (snoop.cache_responding)
        cache_mark_in_service(cache, mshr, !snoop.has_sharers);      /* the answer comes as a snoop response */
    else if (snoop.block_cached)
        drop_prefetch(cache, mshr);
    else
        return false;
    return true;
}

bool cache_is_own_prefetch(const struct cache *cache, const struct packet *packet)
{
    const struct mshr *const mshr = packet->sender_count ? packet->senders[packet->sender_count - 1] : NULL;

    return packet->command == CMD_HardPFResp && mshr >= cache->mshr_entries
           && mshr < cache->mshr_entries + cache->mshr_limit;
}

void cache_line_filled(struct cache *cache, const struct mshr *mshr)
{
    bool by_prefetch = false;

    for (const struct target *target = mshr->targets.first; target; target = target->next)
        by_prefetch = by_prefetch || target->source == TARGET_FROM_PREFETCHER;
    prefetcher_line_filled(cache->prefetcher, mshr->line_address, by_prefetch);
}

void cache_line_lost(struct cache *cache, uint32_t block)
{
    struct prefetcher *const prefetcher = cache->prefetcher;

    if (tags_has(&cache->tags, block, BLOCK_PREFETCHED))
        prefetcher->stats.unused++;
    cache_prefetch_lost(cache, block);
    prefetcher_line_lost(prefetcher, tags_address(&cache->tags, block));
}
