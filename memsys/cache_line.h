/* What a cache gets most from caches above: reads of whole lines, and evictions of lines that are here. For caches with
 * plain accesses (cache_has_plain_accesses) only.
 *
 * Use: cache_recv_line_read and cache_recv_line_eviction are recv_request for such a packet, which is cacheable, has no
 * marks but has_sharers, and comes from a cache. They are pieces of code: where requests come from caches without a
 * detour (cache_send.c), and in recv_request itself. */
#ifndef MEMSYS_CACHE_LINE_H
#define MEMSYS_CACHE_LINE_H

#include "memsys/cache_queues.h"

/* Must the request be refused? Its retry is owed then. */
static inline bool cache_refuses(struct cache *cache)
{
    if (USUALLY((cache->blocked_causes | cache->retry_owed) == 0))
        return false;
    cache->retry_owed = true;
    return true;
}

/* The line read opens an MSHR. */
static IN_LINE void cache_open_line_read(struct cache *cache, struct packet *packet, uint32_t attributes,
                                         uint64_t forward_ps, bool is_absent)
{
    struct mshr *const mshr = cache_begin_mshr(cache, packet->address, forward_ps, cache->next_order, false);
    struct target_arrival const arrival = {.now_ps = cache_now_ps(cache), .ready_ps = forward_ps,
                                           .order = cache->next_order, .source = TARGET_FROM_ABOVE};
    struct target *const target = target_take(&cache->targets, &arrival);
    struct mshr *const sender = target_sender(packet);

    cache->next_order++;
    sim_log(cache->sim, cache->name, "miss", packet->command, packet->address);
    mshr->line_is_absent = is_absent;
    mshr->targets.needs_writable = (attributes & ATTR_NEEDS_WRITABLE) != 0;
    mshr->targets.can_merge = false;
    mshr->targets.allocate_on_fill = target->allocate_on_fill = cache_allocates_on_fill(cache, packet);
    target->packet = packet;
    target->marks_upper_mshr = sender != NULL;
    if (USUALLY(sender != NULL))
        sender->downstream_pending = true;
    target_list_append(&mshr->targets, target);
    cache_enter_new_mshr(cache, mshr, forward_ps, false);
}

/* False: refused. */
static IN_LINE bool cache_recv_line_read(struct cache *cache, struct packet *packet)
{
    struct tags *const tags = &cache->tags;
    uint32_t const attributes = command_attributes(packet->command);
    uint64_t const now_ps = cache_now_ps(cache), edge_ps = domain_edge_ps(cache->clock, now_ps);
    uint64_t const header_ps = packet->header_delay_ps;
    unsigned const permission = attributes & ATTR_NEEDS_WRITABLE ? BLOCK_WRITABLE : BLOCK_READABLE;
    struct cache_command_stats *counts;
    struct mshr *mshr;
    uint32_t block;

    if (cache_refuses(cache))
        return false;
    counts = cache_count(cache, packet);
    block = tags_find(tags, packet->address);
    if (block != BLOCK_NONE)
        tags_touch(tags, block, packet);
    packet->header_delay_ps = packet->payload_delay_ps = 0;
    if (block != BLOCK_NONE && tags_has(tags, block, permission)) {
        uint64_t latency_cyc = domain_cycles(cache->clock, header_ps) + cache->hit_latency_cyc;

        if (tags_is_late(tags, block, now_ps + header_ps))
            latency_cyc += cache_fill_wait_cyc(cache, block, now_ps + header_ps, latency_cyc);
        counts->hits++;
        cache_satisfy_read(cache, packet, attributes, block, false, false);
        cache_maintain_clusivity(cache, true, block);
        packet_make_response(packet);
        cache_respond(cache, packet, edge_ps + latency_cyc * cache->clock.period_ps);
        return true;
    }
    counts->misses++;
    mshr = cache_find_mshr(cache, packet->address);
    if (RARELY(mshr != NULL)) {
        counts->mshr_hits++;
        cache_join_mshr(cache, mshr, packet, edge_ps + cache->tag_ps + header_ps);
        return true;
    }
    counts->mshr_misses++;
    if (tags_is_valid(tags, block))
        tags_clear(tags, block, BLOCK_READABLE);
    cache_open_line_read(cache, packet, attributes, edge_ps + cache->tag_ps + header_ps, block == BLOCK_NONE);
    return true;
}

/* The cache does not refuse now. False: nothing was done yet, recv_request has to decide. */
static IN_LINE bool cache_serve_line_eviction(struct cache *cache, struct packet *packet)
{
    struct tags *const tags = &cache->tags;
    uint32_t block;

    if (packet->command == CMD_WritebackClean || cache_find_write(cache, packet->address))
        return false;
    block = tags_find(tags, packet->address);
    if (block == BLOCK_NONE)
        return false;
    tags_touch(tags, block, packet);
    if (packet->command == CMD_WritebackDirty) {
        cache_count(cache, packet)->hits++;
        tags_set(tags, block, packet->has_sharers ? BLOCK_DIRTY : BLOCK_DIRTY | BLOCK_WRITABLE);
        tags_set_ready_ps(tags, block, cache_edge_ps(cache) + cache->data_ps + packet->header_delay_ps
                                           + max_u64(cache->tag_ps, packet->payload_delay_ps));
    }
    packet_give(&cache->sim->packets, packet);
    return true;
}

#endif
