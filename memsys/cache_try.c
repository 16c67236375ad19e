/* Modelled: plain accesses without a packet: those that hit, and if the core describes its accesses also those that
 * open an MSHR, or join one. What they do is what recv_request does with a packet; everything else is left to that,
 * which finds the cache as if nobody had tried. The usual part stands in cache_try.h. */
#include "memsys/cache_queues.h"
#include "memsys/cache_try.h"

/* What is not told of a target that has no packet: the end of its list, and its ready_ps, which target_make_packet
 * finds. */
static IN_LINE void fill_target(struct cache *cache, struct target *target, uint64_t address, uint64_t token,
                                bool is_write)
{
    target->packet = NULL;
    target->received_ps = cache_now_ps(cache);
    target->order = cache->next_order++;
    target->source = TARGET_FROM_ABOVE;
    target->marks_upper_mshr = target->is_described = false;
    target->allocate_on_fill = true;
    target->is_write = is_write;
    target->token = token;
    target->request.address = address;
}

/* Of a store the core may know nothing any more when it is answered. Of a load that does not open its MSHR nobody asks
 * more than the address, as a rule. */
static IN_LINE void describe(const struct cache *cache, struct target *target)
{
    target->is_described = true;
    cache->above.describe(cache->above.self, target->token, &target->request);
}

/* All that miss. */
OUT_OF_LINE static bool try_any_miss(struct cache *cache, uint64_t address, uint64_t token, bool is_write,
                                     uint32_t block)
{
    struct cache_command_stats *const counts = cache->plain_counts[is_write];
    uint64_t const ready_ps = cache_edge_ps(cache) + cache->tag_ps;
    bool const is_near = !tags_is_far(&cache->tags, address);
    struct mshr *mshr = cache_find_mshr(cache, address);
    struct target *target;
    bool const joins = mshr != NULL;

    if (RARELY(!cache->above.describe || !is_near || (cache->has_write_allocator && is_write)
               || (joins && cache_must_defer(mshr, is_write))))
        return false;
    if (RARELY(block != BLOCK_NONE))
        tags_touch(&cache->tags, block, NULL);
    counts->misses++;
    if (joins) {
        counts->mshr_hits++;
    } else {
        counts->mshr_misses++;
        if (RARELY(block != BLOCK_NONE))
            tags_clear(&cache->tags, block, BLOCK_READABLE);
        mshr = cache_begin_mshr(cache, sim_line_address(cache->sim, address), ready_ps, cache->next_order, false);
        mshr->line_is_absent = block == BLOCK_NONE;
    }
    sim_log(cache->sim, cache->name, joins ? "merge" : "miss", is_write ? CMD_WriteReq : CMD_ReadReq, address);
    target = target_pool_pop(&cache->targets);
    fill_target(cache, target, address, token, is_write);
    if (is_write || !joins)
        describe(cache, target);
    target_list_note_plain(&mshr->targets, &cache->targets, target, !joins, mshr->in_service);
    target_list_append(&mshr->targets, target);
    if (!joins) {
        cache_enter_mshr(cache, mshr, ready_ps, false);
    } else if (RARELY(mshr_target_count(mshr) >= cache->target_limit)) {
        cache->full_mshr = mshr;
        cache_set_blocked(cache, BLOCKED_NO_TARGETS);
    }
    return true;
}

/* The MSHR that a miss can join at once, as most do that join one. What is rare is left to try_any_miss, so that most
 * keep no frame. */
static IN_LINE struct mshr *find_joinable(const struct cache *cache, uint64_t address, bool is_write)
{
    struct mshr *const mshr = cache->mshr_alone[cache_line_place(cache, address)];

    if (!mshr || mshr->line_address != sim_line_address(cache->sim, address)
        || RARELY(!mshr->line_is_absent || mshr->post_invalidate || mshr->deferred.first
                  || mshr->targets.count + 1 >= cache->target_limit || !cache->targets.free
                  || !cache->above.describe || cache->sim->log.line))
        return NULL;
    if (is_write && RARELY(cache->has_write_allocator
                           || (mshr->in_service
                               && (!mshr->pending_modified || mshr->post_downgrade || mshr->is_forward))))
        return NULL;
    return mshr;
}

static IN_LINE bool try_miss(struct cache *cache, uint64_t address, uint64_t token, bool is_write, uint32_t block)
{
    struct mshr *const mshr = find_joinable(cache, address, is_write);
    struct cache_command_stats *const counts = cache->plain_counts[is_write];
    struct target *const target = cache->targets.free;

    if (!mshr)
        return try_any_miss(cache, address, token, is_write, block);
    counts->misses++;
    counts->mshr_hits++;
    cache->targets.free = target->next;
    target->next = NULL;
    fill_target(cache, target, address, token, is_write);
    mshr->targets.last->next = target;
    mshr->targets.last = target;
    mshr->targets.count++;
    if (is_write)
        describe(cache, target);
    target_list_note_plain(&mshr->targets, &cache->targets, target, false, mshr->in_service);
    return true;
}

OUT_OF_LINE bool cache_try_read_miss(struct cache *cache, uint64_t address, uint64_t token, uint32_t block)
{
    return try_miss(cache, address, token, false, block);
}

OUT_OF_LINE bool cache_try_write_miss(struct cache *cache, uint64_t address, uint64_t token, uint32_t block)
{
    return try_miss(cache, address, token, true, block);
}

OUT_OF_LINE bool cache_try_late_read(struct cache *cache, uint64_t address, uint64_t token, uint32_t block)
{
    uint64_t when_ps;

    if (!tags_has(&cache->tags, block, BLOCK_READABLE))
        return cache_try_read_miss(cache, address, token, block);
    cache_hit_plain(cache, block, false);
    cache->plain_counts[false]->hits++;
    when_ps = cache_plain_read_ps(cache, block);    /* takes BLOCK_LATE away, which otherwise stays for ever */
    if (!cache->above.ignores_responses)
        packet_queue_push_answer(&cache->responses, address, token, when_ps);
    return true;
}
