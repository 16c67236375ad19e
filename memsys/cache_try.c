/* Modelled: plain accesses without a packet: those that hit, and if the core describes its accesses also those that
 * open an MSHR, or join one. What they do is what recv_request does with a packet; everything else is left to that,
 * which finds the cache as if nobody had tried. The usual part stands in cache_try.h. */
#include "memsys/cache_queues.h"
#include "memsys/cache_try.h"

/* A target that has no packet. Of a load that joins a request under way nobody asks more than the address, as a rule;
 * of a store the core may know nothing any more when it is answered. */
static IN_LINE void add_target(struct cache *cache, struct mshr *mshr, uint64_t address, uint64_t token, bool is_write,
                               const struct target_arrival *arrival)
{
    struct target_list *const targets = &mshr->targets;
    struct target *const target = target_take(&cache->targets, arrival);

    target->packet = NULL;
    target->marks_upper_mshr = false;
    target->is_write = is_write;
    target->token = token;
    target->request.address = address;
    target->is_described = is_write || !mshr->in_service;
    if (target->is_described)
        cache->above.describe(cache->above.self, token, &target->request);
    if (mshr->in_service)
        target_list_note_late(targets, target);
    else
        target_list_note_plain(targets, &cache->targets, target, targets->count == 0);
    target_list_append(targets, target);
}

OUT_OF_LINE bool cache_try_miss(struct cache *cache, uint64_t address, uint64_t token, bool is_write, uint32_t block)
{
    struct cache_command_stats *const counts = cache->plain_counts[is_write];
    struct target_arrival arrival = {.source = TARGET_FROM_ABOVE, .allocate_on_fill = true};
    struct mshr *mshr;

    if (RARELY(!cache->above.describe || tags_is_far(&cache->tags, address)
               || (is_write && cache->has_write_allocator)))
        return false;
    mshr = cache_find_mshr(cache, address);
    if (RARELY(mshr && cache_must_defer(mshr, is_write)))
        return false;
    arrival.now_ps = cache_now_ps(cache);
    arrival.ready_ps = domain_edge_ps(cache->clock, arrival.now_ps) + cache->tag_ps;
    arrival.order = cache->next_order;
    if (RARELY(block != BLOCK_NONE))
        tags_touch(&cache->tags, block, NULL);
    counts->misses++;
    cache->next_order++;
    if (mshr) {
        counts->mshr_hits++;
        sim_log(cache->sim, cache->name, "merge", is_write ? CMD_WriteReq : CMD_ReadReq, address);
        add_target(cache, mshr, address, token, is_write, &arrival);
        if (RARELY(mshr_target_count(mshr) >= cache->target_limit)) {
            cache->full_mshr = mshr;
            cache_set_blocked(cache, BLOCKED_NO_TARGETS);
        }
        return true;
    }
    counts->mshr_misses++;
    sim_log(cache->sim, cache->name, "miss", is_write ? CMD_WriteReq : CMD_ReadReq, address);
    if (RARELY(block != BLOCK_NONE))
        tags_clear(&cache->tags, block, BLOCK_READABLE);
    mshr = cache_begin_mshr(cache, sim_line_address(cache->sim, address), arrival.ready_ps, arrival.order, false);
    mshr->line_is_absent = block == BLOCK_NONE;
    add_target(cache, mshr, address, token, is_write, &arrival);
    cache_enter_mshr(cache, mshr, arrival.ready_ps, false);
    return true;
}

OUT_OF_LINE bool cache_try_late_read(struct cache *cache, uint64_t address, uint64_t token, uint32_t block)
{
    uint64_t when_ps;

    if (!tags_has(&cache->tags, block, BLOCK_READABLE))
        return cache_try_miss(cache, address, token, false, block);
    cache_hit_plain(cache, block, false);
    cache->plain_counts[false]->hits++;
    when_ps = cache_plain_read_ps(cache, block);    /* takes BLOCK_LATE away, which otherwise stays for ever */
    if (!cache->above.ignores_responses)
        packet_queue_push_answer(&cache->responses, address, token, when_ps);
    return true;
}
