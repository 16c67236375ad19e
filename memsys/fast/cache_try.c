/* Accesses without packets that miss: they open an MSHR, or join one, if the core describes its accesses. The usual
 * case, hits, is in cache_try.h. */
#include "memsys/fast/cache_targets.h"
#include "memsys/fast/cache_try.h"
#include "memsys/fast/queue_index.h"

/* All that miss. */
NOINLINE static bool try_any_miss(struct cache *cache, uint64_t address, uint64_t token, bool is_write,
                                     uint32_t block)
{
    struct cache_command_stats *const counts = cache->hooks.counts[is_write];
    uint64_t const ready_ps = cache_edge_ps(cache) + cache->tag_ps;
    bool const is_near = !ways_are_far(&cache->tags, address);
    struct mshr *mshr = queue_index_find_mshr(cache, address);
    struct target *target;
    bool const joins = mshr != NULL;

    if (unlikely(!above_describes(&cache->above) || !is_near || (cache->has_write_allocator && is_write)
               || (joins && cache_must_defer(mshr, is_write))))
        return false;
    if (unlikely(block != BLOCK_NONE))
        ways_touch(&cache->tags, block, NULL);
    counts->misses++;
    if (joins) {
        counts->mshr_hits++;
    } else {
        counts->mshr_misses++;
        if (unlikely(block != BLOCK_NONE))
            tags_clear(&cache->tags, block, BLOCK_READABLE);
        mshr = cache_begin_mshr(cache, sim_line_address(cache->sim, address), ready_ps, cache->next_order, false);
        mshr->line_is_absent = block == BLOCK_NONE;
    }
    sim_log(cache->sim, cache->name, joins ? "merge" : "miss", is_write ? CMD_WriteReq : CMD_ReadReq, address);
    target = target_pool_pop(&cache->targets);
    cache_fill_target(cache, target, address, token, is_write);
    if (is_write || !joins)
        cache_describe_target(cache, target);
    target_list_note_access(&mshr->targets, &cache->targets, target, !joins, mshr->in_service);
    target_list_append(&mshr->targets, target);
    if (!joins) {
        cache->queues->enter_mshr(cache, mshr, ready_ps, false);
    } else if (unlikely(mshr_target_count(mshr) >= cache->target_limit)) {
        cache->full_mshr = mshr;
        cache_set_blocked(cache, BLOCKED_NO_TARGETS);
    }
    return true;
}

/* The MSHR that a miss can join at once, as nearly all that join one. Rare cases are left to try_any_miss, so that the
 * common case needs no stack frame. */
static FORCE_INLINE struct mshr *find_joinable(const struct cache *cache, uint64_t address, bool is_write)
{
    struct mshr *const mshr = queue_index_of(cache)->alone[queue_index_place(cache, address)];

    if (!mshr || mshr->line_address != sim_line_address(cache->sim, address)
        || unlikely(!mshr->line_is_absent || mshr->post_invalidate || mshr->deferred.first
                  || mshr->targets.count + 1 >= cache->target_limit || !cache->targets.free
                  || !above_describes(&cache->above) || cache->sim->log.line))
        return NULL;
    if (is_write && unlikely(cache->has_write_allocator
                           || (mshr->in_service
                               && (!mshr->pending_modified || mshr->post_downgrade || mshr->is_forward))))
        return NULL;
    return mshr;
}

static FORCE_INLINE bool try_miss(struct cache *cache, uint64_t address, uint64_t token, bool is_write, uint32_t block)
{
    struct mshr *const mshr = find_joinable(cache, address, is_write);
    struct cache_command_stats *const counts = cache->hooks.counts[is_write];
    struct target *const target = cache->targets.free;

    if (!mshr)
        return try_any_miss(cache, address, token, is_write, block);
    counts->misses++;
    counts->mshr_hits++;
    cache->targets.free = target->next;
    target->next = NULL;
    cache_fill_target(cache, target, address, token, is_write);
    mshr->targets.last->next = target;
    mshr->targets.last = target;
    mshr->targets.count++;
    if (is_write)
        cache_describe_target(cache, target);
    target_list_note_access(&mshr->targets, &cache->targets, target, false, mshr->in_service);
    return true;
}

NOINLINE bool cache_try_read_miss(struct cache *cache, uint64_t address, uint64_t token, uint32_t block)
{
    return try_miss(cache, address, token, false, block);
}

NOINLINE bool cache_try_write_miss(struct cache *cache, uint64_t address, uint64_t token, uint32_t block)
{
    return try_miss(cache, address, token, true, block);
}

NOINLINE bool cache_try_late_read(struct cache *cache, uint64_t address, uint64_t token, uint32_t block)
{
    uint64_t const now_ps = cache_now_ps(cache);
    uint64_t when_ps;

    if (!tags_has(&cache->tags, block, BLOCK_READABLE))
        return cache_try_read_miss(cache, address, token, block);
    cache_hit(cache, block, false);
    when_ps = cache_edge_ps(cache) + cache->hit_ps;
    if (tags_is_late(&cache->tags, block, now_ps))    /* takes BLOCK_LATE away, which otherwise stays for ever */
        when_ps += cache_fill_wait_cyc(cache, block, now_ps, cache->hit_latency_cyc) * cache->clock.period_ps;
    if (!above_ignores_responses(&cache->above))
        packet_queue_push_answer(&cache->responses, address, token, when_ps);
    return true;
}
