/* Modelled: responses from the memory side, fills, evictions (classic-memory 4.10, 4.12).
 *
 * A response serves the targets of its MSHR in order. What remains (deferred targets, or those behind a locked read)
 * becomes a new miss of the same MSHR; otherwise the MSHR is freed, which may unblock the cache. Victims leave
 * through the write queue, after the caches above have been asked in zero time whether they hold the line. */
#include "memsys/cache/evict.h"

uint32_t cache_victim_of_side(struct cache *cache, const struct packet *packet)
{
    const struct cache_division *const division = &cache->division;
    const struct cache_ways *const ways
        = packet->request.requestor == division->requestor ? &division->theirs : &division->others;

    return tags_victim_among(&cache->tags, packet->address, ways->first, ways->count);
}

void cache_ask_about_eviction(struct cache *cache, struct packet *packet)
{
    bool const has_sharers = packet->has_sharers;

    assert(packet->sender_count == 0 && packet->route_count == 0);
    packet->has_sharers = false;
    packet->express_snoop = true;
    cache->above.ops->recv_snoop(cache->above.self, packet, cache->above.port);
    packet->has_sharers = has_sharers;
    packet->express_snoop = packet->cache_responding = packet->responder_had_writable = false;
    packet->header_delay_ps = packet->payload_delay_ps = packet->snoop_delay_ps = 0;
}

static void add_eviction(struct eviction_list *evictions, struct packet *packet)
{
    assert(evictions->count < sizeof evictions->packets / sizeof *evictions->packets);
    if (packet)
        evictions->packets[evictions->count++] = packet;
}

void cache_evict(struct cache *cache, uint32_t block, struct eviction_list *evictions)
{
    add_eviction(evictions, cache_eviction_of(cache, block, tags_address(&cache->tags, block)));
    cache_invalidate(cache, block);
}

/* The same; a policy that is a module may let the line pass by. */
static uint32_t allocate_by_module(struct cache *cache, const struct packet *packet, struct eviction_list *evictions)
{
    uint32_t victim;

    cache_module_fills(cache, packet);
    victim = tags_victim(&cache->tags, packet->address);
    if (tags_is_valid(&cache->tags, victim) && cache_find_mshr(cache, tags_address(&cache->tags, victim)))
        victim = BLOCK_NONE;             /* an upgrade of the victim is pending */
    if (victim != BLOCK_NONE) {
        if (tags_is_valid(&cache->tags, victim)) {
            cache->stats.replacements++;
            cache_evict(cache, victim, evictions);
        }
        tags_insert(&cache->tags, victim, packet);
    }
    cache_module_fills(cache, NULL);
    return victim;
}

uint32_t cache_allocate_block(struct cache *cache, const struct packet *packet, struct eviction_list *evictions)
{
    uint32_t victim;

    if (cache->module)
        return allocate_by_module(cache, packet, evictions);
    victim = cache->is_divided ? cache_victim_of_side(cache, packet) : tags_victim(&cache->tags, packet->address);
    if (tags_is_valid(&cache->tags, victim)) {
        if (cache_find_mshr(cache, tags_address(&cache->tags, victim)))
            return BLOCK_NONE;           /* an upgrade of the victim is pending */
        cache->stats.replacements++;
        cache_evict(cache, victim, evictions);
    }
    tags_insert(&cache->tags, victim, packet);
    return victim;
}

void cache_queue_evictions(struct cache *cache, const struct eviction_list *evictions, uint64_t when_ps)
{
    for (unsigned i = 0; i < evictions->count; i++)
        if (!cache_drops_eviction(cache, evictions->packets[i]))
            cache_allocate_write(cache, evictions->packets[i], when_ps);
}

static uint32_t fill(struct cache *cache, const struct packet *packet, uint32_t block, bool allocate,
                     struct eviction_list *evictions)
{
    struct tags *const tags = &cache->tags;

    if (block == BLOCK_NONE) {
        if (allocate)
            block = cache_allocate_block(cache, packet, evictions);
        if (block == BLOCK_NONE)
            block = tags_insert_temporary(tags, packet->address);
    }
    tags_set(tags, block, BLOCK_READABLE);
    if (!packet->has_sharers)
        tags_set(tags, block, packet->cache_responding ? BLOCK_WRITABLE | BLOCK_DIRTY : BLOCK_WRITABLE);
    tags_set_ready_ps(tags, block, cache_edge_ps(cache) + cache->data_ps + packet->header_delay_ps
                                   + packet->payload_delay_ps);
    return block;
}

/* One response, while it serves the targets of its MSHR. */
struct service {
    struct cache *cache;
    struct mshr *mshr;
    const struct packet *response;
    uint32_t block;
    uint64_t base_ps;                    /* when a target is answered, without delays of the response */
    uint64_t first_offset;               /* of the packet that opened the MSHR: the critical word */
    bool invalidates;                    /* the response takes the line away again */
    bool any_from_cache, any_from_above, any_prefetch;
};

/* The locked read is answered. If it got the line, its placeholder keeps the MSHR and the line locked until the
 * locked write
 * (classic-memory 4.16). */
static void lock_line(struct service *service, bool has_line)
{
    struct cache *const cache = service->cache;

    if (has_line) {
        tags_clear(&cache->tags, service->block, BLOCK_READABLE | BLOCK_WRITABLE);
    } else {
        struct target *const placeholder = target_list_pop(&service->mshr->targets);

        packet_give(cache->sim->packets, placeholder->packet);
        target_give(&cache->targets, placeholder);
    }
}

/* Puts the placeholder of a locked read before the targets that stay. */
static void add_placeholder(struct cache *cache, struct mshr *mshr, const struct target *locked_read)
{
    struct target_list const rest = mshr->targets;
    struct target_arrival const arrival = {.now_ps = locked_read->received_ps, .ready_ps = locked_read->ready_ps,
                                           .order = locked_read->order, .source = TARGET_FROM_ABOVE,
                                           .allocate_on_fill = locked_read->allocate_on_fill};

    mshr->targets = (struct target_list){0};
    target_list_add(&mshr->targets, &cache->targets,
                    packet_take(cache->sim->packets, &locked_read->packet->request, CMD_LockedRMWReadReq), &arrival);
    mshr->targets.last->next = rest.first;
    if (rest.last)
        mshr->targets.last = rest.last;
    mshr->targets.count += rest.count;
    mshr->targets.has_upper_marks |= rest.has_upper_marks;
}

static void serve_from_above(struct service *service, const struct target *target)
{
    struct cache *const cache = service->cache;
    struct mshr *const mshr = service->mshr;
    const struct packet *const response = service->response;
    struct packet *const packet = target->packet;
    uint64_t when_ps = service->base_ps;

    if (packet_is(packet, ATTR_FROM_CACHE))
        service->any_from_cache = true;
    if (packet_is(packet, ATTR_SOFT_PREFETCH) && cache->is_coherent) {    /* the core was answered long ago */
        if (packet_is(packet, ATTR_NEEDS_WRITABLE) && service->block != BLOCK_NONE)
            tags_set(&cache->tags, service->block, BLOCK_DIRTY);
        packet_give(cache->sim->packets, packet);
        return;
    }
    if (tags_is_valid(&cache->tags, service->block) && (!mshr->is_forward || !packet_is(response, ATTR_DATA))) {
        cache_satisfy(cache, packet, service->block, true, mshr->post_downgrade);
        when_ps += response->header_delay_ps;
        if ((packet->address & (cache->sim->line_bytes - 1)) != service->first_offset)
            when_ps += response->payload_delay_ps;
        cache_count(cache, packet)->miss_latency_ps += when_ps - target->received_ps;
        if (packet->command == CMD_LockedRMWReadReq)
            lock_line(service, true);
    } else if (response->command != CMD_LockedRMWWriteResp) {
        if (service->invalidates && tags_is_valid(&cache->tags, service->block))
            cache_invalidate(cache, service->block);
        when_ps += response->header_delay_ps + response->payload_delay_ps;
        packet->has_sharers = packet->has_sharers || response->has_sharers;
        packet->cache_responding = packet->cache_responding || response->cache_responding;
        if (packet->command == CMD_LockedRMWReadReq)
            lock_line(service, false);
    }
    packet_make_response(packet);
    if (packet->command == CMD_ReadResp && (service->invalidates || mshr->post_invalidate))
        packet->command = CMD_ReadRespWithInvalidate;
    packet->header_delay_ps = packet->payload_delay_ps = 0;
    cache_respond(cache, packet, when_ps);
}

static void serve(struct service *service, const struct target *target)
{
    struct packet_pool *const packets = service->cache->sim->packets;

    switch (target->source) {
    case TARGET_FROM_PREFETCHER:
        service->any_prefetch = true;
        packet_give(packets, target->packet);
        break;
    case TARGET_FROM_SNOOP:
        cache_snoop_block(service->cache, target->packet, service->block, service->mshr->post_invalidate);
        packet_give(packets, target->packet);
        break;
    case TARGET_FROM_ABOVE:
        service->any_from_above = true;
        serve_from_above(service, target);
        break;
    }
}

/* Splits the targets into those that this response serves and those that stay in the MSHR. */
static struct target_list split_targets(struct mshr *mshr, const struct packet *response)
{
    struct target_list *const targets = &mshr->targets;
    struct target_list served = {0}, kept = {0};
    bool is_first = true, stop = false;

    while (targets->first) {
        struct target *const target = target_list_pop(targets);
        bool const only_snoops = response->command == CMD_ReadRespWithInvalidate;
        struct target_list *const list =
            stop || (only_snoops && !is_first && target->source != TARGET_FROM_SNOOP) ? &kept : &served;

        target_list_append(list, target);
        is_first = false;
        if (!only_snoops && list == &served && target->packet->command == CMD_LockedRMWReadReq)
            stop = true;
    }
    *targets = kept;
    return served;
}

/* As a rule all targets are served. */
static struct target_list take_served(struct mshr *mshr, const struct packet *response)
{
    struct target_list const all = mshr->targets;

    if (all.has_locked_read || response->command == CMD_ReadRespWithInvalidate)
        return split_targets(mshr, response);
    mshr->targets = (struct target_list){0};
    return all;
}

static void serve_targets(struct cache *cache, struct mshr *mshr, const struct packet *response, uint32_t block)
{
    struct service service = {.cache = cache, .mshr = mshr, .response = response, .block = block,
                              .base_ps = cache_edge_ps(cache) + cache->response_ps,
                              .first_offset = mshr_first_packet(mshr)->address & (cache->sim->line_bytes - 1),
                              .invalidates = packet_is(response, ATTR_INVALIDATE) && !mshr->was_whole_line};
    struct target_list served;

    if (response->command == CMD_LockedRMWWriteResp) {
        struct target *const placeholder = target_list_pop(&mshr->targets);

        packet_give(cache->sim->packets, placeholder->packet);
        target_give(&cache->targets, placeholder);
    }
    served = take_served(mshr, response);
    if (served.last && response->command != CMD_ReadRespWithInvalidate
        && served.last->packet->command == CMD_LockedRMWReadReq)
        add_placeholder(cache, mshr, served.last);
    target_list_rebuild_flags(&mshr->targets, &cache->targets);
    while (served.first) {
        struct target *const target = target_list_pop(&served);

        serve(&service, target);
        target_give(&cache->targets, target);
    }
    if (service.any_prefetch && !service.any_from_above && block != BLOCK_NONE)
        tags_set(&cache->tags, block, BLOCK_PREFETCHED);
    if (mshr_holds_lock(mshr) || !cache->is_coherent)
        return;
    cache_maintain_clusivity(cache, service.any_from_cache, block);
    if (tags_is_valid(&cache->tags, block)) {
        if (service.invalidates || mshr->post_invalidate)
            cache_invalidate(cache, block);
        else if (mshr->post_downgrade)
            tags_clear(&cache->tags, block, BLOCK_WRITABLE);
    }
}

static void count_response(struct cache *cache, const struct mshr *mshr, const struct packet *packet)
{
    const struct target *const first = mshr->targets.first;
    uint64_t const latency_ps = cache_now_ps(cache) - first->received_ps;

    if (packet_is_uncacheable(packet))
        cache_count(cache, first->packet)->mshr_uncacheable_latency_ps += latency_ps;
    else
        cache_count(cache, first->packet)->mshr_miss_latency_ps += latency_ps;
}

/* After the targets of an MSHR were served: its deferred targets become a new miss, or the MSHR is freed. */
static void retire_mshr(struct cache *cache, struct mshr *mshr, const struct packet *packet, uint32_t block)
{
    if (mshr_holds_lock(mshr))
        return;                          /* stays until the locked write */
    if (mshr_promote_deferred(mshr, &cache->targets, cache_now_ps(cache))) {
        if (block != BLOCK_NONE)
            tags_clear(&cache->tags, block, BLOCK_READABLE);
        mshr->in_service = false;
        cache_insert_ready_mshr(cache, mshr);
        cache_schedule_request(cache, cache_edge_ps(cache) + packet->payload_delay_ps);
    } else {
        cache_free_mshr(cache, mshr);
        if (cache_may_prefetch(cache))
            cache_schedule_prefetch(cache);
    }
}

void cache_take_response(struct cache *cache, struct packet *packet)
{
    struct eviction_list evictions = {.count = 0};
    struct mshr *mshr;
    uint32_t block;

    if (packet_is(packet, ATTR_WRITE) && packet->command != CMD_LockedRMWWriteResp) {    /* of an uncacheable write */
        uint64_t const when_ps = cache_edge_ps(cache) + cache->response_ps + packet->header_delay_ps
                                 + packet->payload_delay_ps;

        packet->header_delay_ps = packet->payload_delay_ps = 0;
        cache_respond(cache, packet, when_ps);
        return;
    }
    mshr = packet->senders[--packet->sender_count];
    if (mshr == cache->full_mshr) {
        cache_clear_blocked(cache, BLOCKED_NO_TARGETS);
        cache->full_mshr = NULL;
    }
    count_response(cache, mshr, packet);
    block = tags_find(&cache->tags, packet->address);
    if (!mshr->is_forward
        && (packet_is(packet, ATTR_READ) || packet->command == CMD_UpgradeResp || mshr->was_whole_line)) {
        bool const allocate = cache->has_write_allocator && mshr->was_whole_line
                                  ? cache->write_allocator.mode != WRITE_NO_ALLOCATE
                                  : mshr->targets.allocate_on_fill;

        if (cache->prefetcher)
            cache_prefetch_arrives(cache, mshr);
        block = fill(cache, packet, block, allocate, &evictions);
        if (cache->prefetcher) {
            cache_prefetch_arrived(cache, mshr, block);
            cache_line_filled(cache, mshr);
        }
        if (cache->module)
            cache_module_filled(cache, packet, mshr, block);
    }
    if (!mshr_holds_lock(mshr) && tags_is_valid(&cache->tags, block) && tags_has(&cache->tags, block, BLOCK_WRITABLE))
        mshr_promote_writable(mshr);
    serve_targets(cache, mshr, packet, block);
    retire_mshr(cache, mshr, packet, block);
    if (block == cache->tags.temporary && tags_is_valid(&cache->tags, block) && !mshr_holds_lock(mshr))
        cache_evict(cache, block, &evictions);
    if (evictions.count)
        cache_queue_evictions(cache, &evictions,
                              cache_edge_ps(cache) + cache->tag_ps + packet->header_delay_ps);
    packet_give(cache->sim->packets, packet);
}

bool cache_recv_response(void *self, struct packet *packet, unsigned port)
{
    struct cache *const cache = self;

    (void)port;
    sim_log(cache->sim, cache->name, "recv", packet->command, packet->address);
    if (!cache->hooks.fill || !cache->hooks.fill(cache, packet))
        cache_take_response(cache, packet);
    return true;
}
