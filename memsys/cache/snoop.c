/* Modelled: snoops from below and answers of caches above (classic-memory 4.11); all in zero time. Not modelled: cache
 * maintenance operations.
 *
 * Order of the questions: an MSHR in service takes snoops that come after it; a pending write-back answers for the
 * line it carries; then the block, after the caches further up. */
#include "memsys/cache/cache_internal.h"

/* One answer is enough. Two owners of a line come from races in which the reference's order loses data and it stops
 * at an assertion of its own: the eviction of a line from the temporary block overtaken by the MSHR that it left
 * (4.8, 4.10). */
static bool wants_answer(const struct packet *packet)
{
    return packet_is(packet, ATTR_NEEDS_RESPONSE) && !packet->cache_responding;
}

/* The answer leaves as a packet of its own; the snoop stays the sender's. */
static void supply(struct cache *cache, const struct packet *snoop, bool post_invalidate)
{
    struct packet *const response = packet_take_copy(cache->sim->packets, snoop, true);
    uint64_t const when_ps = cache_edge_ps(cache) + cache->tag_ps + response->header_delay_ps;

    packet_make_response(response);
    if (response->command == CMD_ReadResp && post_invalidate)
        response->command = CMD_ReadRespWithInvalidate;
    response->header_delay_ps = response->payload_delay_ps = 0;
    packet_queue_push(&cache->snoop_responses, response, when_ps);
}

/* A snoop that the request in flight has to answer, or that takes its line away, becomes a target of the MSHR. */
static void keep_snoop(struct cache *cache, struct mshr *mshr, struct packet *packet, bool will_respond)
{
    struct packet_pool *const packets = cache->sim->packets;
    uint64_t const now_ps = cache_now_ps(cache);
    struct target_arrival const arrival = {.now_ps = now_ps, .ready_ps = now_ps, .order = cache->next_order,
                                           .source = TARGET_FROM_SNOOP,
                                           .mark_upper_mshr = mshr->downstream_pending && mshr->targets.needs_writable};
    struct packet *kept;

    if (will_respond) {
        kept = packet_take_copy(packets, packet, false);
        packet->cache_responding = true;
        packet->responder_had_writable = true;
    } else {
        kept = packet_take(packets, &packet->request, (enum command)packet->command);
        kept->address = sim_line_address(cache->sim, packet->address);
        kept->size_bytes = cache->sim->line_bytes;
    }
    target_list_add(&mshr->targets, &cache->targets, kept, &arrival);
    if (packet_is(packet, ATTR_NEEDS_WRITABLE | ATTR_INVALIDATE))
        mshr->post_invalidate = true;
}

/* True if the MSHR takes care of the snoop. */
static bool snoop_mshr(struct cache *cache, struct mshr *mshr, struct packet *packet)
{
    bool const needs_writable = packet_is(packet, ATTR_NEEDS_WRITABLE);
    bool will_respond;

    if (!mshr->in_service || (packet->express_snoop && mshr->downstream_pending)) {
        if (needs_writable) {
            target_list_rewrite_upgrades(&mshr->targets);
            target_list_rewrite_upgrades(&mshr->deferred);
        }
        return false;
    }
    if (needs_writable)
        target_list_rewrite_upgrades(&mshr->deferred);
    if (mshr->post_invalidate)
        return true;
    will_respond = mshr->pending_modified && wants_answer(packet);
    if (mshr->pending_modified || packet_is(packet, ATTR_INVALIDATE))
        keep_snoop(cache, mshr, packet, will_respond);
    cache->next_order++;
    if (!needs_writable && !packet_is_uncacheable(packet)) {
        mshr->post_downgrade = true;
        packet->has_sharers = true;
    }
    return will_respond;
}

static void snoop_write(struct cache *cache, struct write_entry *write, struct packet *packet)
{
    bool const responds = write->packet->command == CMD_WritebackDirty && wants_answer(packet);
    bool const had_writable = !write->packet->has_sharers;

    if (!packet_is_uncacheable(packet) && packet_is(packet, ATTR_READ) && !packet_is(packet, ATTR_INVALIDATE)) {
        packet->has_sharers = true;
        write->packet->has_sharers = true;
    }
    if (responds) {
        packet->cache_responding = true;
        if (had_writable)
            packet->responder_had_writable = true;
        supply(cache, packet, false);
    }
    if (packet_is(packet, ATTR_INVALIDATE))
        packet_give(cache->sim->packets, cache_free_write(cache, write));
}

uint64_t cache_snoop_block(struct cache *cache, struct packet *packet, uint32_t block, bool post_invalidate)
{
    struct tags *const tags = &cache->tags;
    uint64_t delay_ps = 0;
    bool responds;

    if (cache->above.is_snooping) {
        struct packet upward;

        packet_copy(&upward, packet, false);
        upward.express_snoop = true;
        upward.cache_responding = packet->cache_responding;    /* see wants_answer */
        upward.header_delay_ps = upward.payload_delay_ps = 0;
        cache->above.ops->recv_snoop(cache->above.self, &upward, cache->above.port);
        delay_ps = upward.header_delay_ps;
        packet->block_cached = packet->block_cached || upward.block_cached;
        packet->has_sharers = packet->has_sharers || upward.has_sharers;
        packet->cache_responding = packet->cache_responding || upward.cache_responding;
    }
    if (!tags_is_valid(tags, block))
        return delay_ps;
    responds = tags_has(tags, block, BLOCK_DIRTY) && wants_answer(packet);
    if (packet_is(packet, ATTR_CHECK_ABOVE)) {
        packet->block_cached = true;
        return delay_ps;
    }
    if (packet_is(packet, ATTR_READ) && !packet_is(packet, ATTR_INVALIDATE)) {
        packet->has_sharers = true;
        if (!packet_is_uncacheable(packet))
            tags_clear(tags, block, BLOCK_WRITABLE);
    }
    if (responds) {
        packet->cache_responding = true;
        if (tags_has(tags, block, BLOCK_WRITABLE))
            packet->responder_had_writable = true;
        supply(cache, packet, post_invalidate);
    }
    if (packet_is(packet, ATTR_INVALIDATE))
        cache_invalidate(cache, block);
    return delay_ps;
}

void cache_recv_snoop(void *self, struct packet *packet, unsigned port)
{
    struct cache *const cache = self;
    uint64_t const tag_ps = cache->tag_ps;
    struct mshr *const mshr = cache_find_mshr(cache, packet->address);
    struct write_entry *write;
    uint64_t delay_ps;

    (void)port;
    packet->snoop_delay_ps = (uint32_t)max_u64(packet->snoop_delay_ps, tag_ps);
    if (mshr && packet_is(packet, ATTR_CHECK_ABOVE)) {
        packet->block_cached = true;
        return;
    }
    if (mshr && snoop_mshr(cache, mshr, packet))
        return;
    write = cache_find_write(cache, packet->address);
    if (write) {
        if (packet_is(packet, ATTR_EVICTION)) {
            packet->block_cached = true;
            return;
        }
        snoop_write(cache, write, packet);
    }
    delay_ps = cache_snoop_block(cache, packet, tags_find(&cache->tags, packet->address), false);
    packet->snoop_delay_ps = (uint32_t)max_u64(packet->snoop_delay_ps, delay_ps + tag_ps);
}

/* A cache above answered a snoop that came through here. */
bool cache_recv_snoop_response(void *self, struct packet *packet, unsigned port)
{
    struct cache *const cache = self;
    uint64_t const when_ps = cache_edge_ps(cache) + cache->tag_ps + packet->header_delay_ps;

    if (cache_is_own_prefetch(cache, packet))
        return cache_recv_response(cache, packet, port);
    packet->header_delay_ps = packet->payload_delay_ps = 0;
    packet_queue_push(&cache->snoop_responses, packet, when_ps);
    return true;
}

void cache_recv_snoop_response_retry(void *self, unsigned port)
{
    struct cache *const cache = self;

    (void)port;
    packet_queue_retry(&cache->snoop_responses);
}
