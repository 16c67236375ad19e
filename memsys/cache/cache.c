/* Modelled: classic-memory 4.1 to 4.6 and 4.16: the request side of a coherent cache. The other sides are in
 * queues.c (4.6 to 4.9), send.c (4.8), fill.c (4.10) and snoop.c (4.11).
 * Not modelled: data contents, cache maintenance, compression.
 *
 * Life of a request: refused while blocked or while a retry is owed; else looked up; a hit becomes its own response,
 * a miss joins or opens an MSHR, an eviction is sunk in a block or passed on through the write queue. */
#include "memsys/cache/cache_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/host_facts.h"
#include "memsys/cache/cache_params.h"
#include "memsys/prefetch/prefetch_params.h"

struct access {
    bool hit;
    uint32_t block;
    uint64_t latency_cyc;
};

uint64_t cache_fill_wait_cyc(struct cache *cache, uint32_t block, uint64_t arrival_ps, uint64_t latency_cyc)
{
    uint64_t const wait_cyc = domain_cycles(cache->clock, tags_ready_ps(&cache->tags, block) - arrival_ps);

    return wait_cyc > latency_cyc ? wait_cyc : 0;
}

static uint64_t access_latency_cyc(struct cache *cache, uint32_t block, const struct packet *packet)
{
    uint64_t latency_cyc = domain_cycles(cache->clock, packet->header_delay_ps);
    uint64_t const arrival_ps = cache_now_ps(cache) + packet->header_delay_ps;

    if (block == BLOCK_NONE)
        return latency_cyc + cache->tag_latency_cyc;
    latency_cyc += cache->hit_latency_cyc;
    if (tags_is_late(&cache->tags, block, arrival_ps))
        latency_cyc += cache_fill_wait_cyc(cache, block, arrival_ps, latency_cyc);
    return latency_cyc;
}

void cache_maintain_clusivity(struct cache *cache, bool from_cache, uint32_t block)
{
    if (from_cache && cache->is_mostly_exclusive && tags_is_valid(&cache->tags, block)
        && !tags_has(&cache->tags, block, BLOCK_DIRTY))
        cache_invalidate(cache, block);
}

void cache_satisfy_cache(struct cache *cache, struct packet *packet, uint32_t block, bool deferred,
                         bool pending_downgrade)
{
    uint32_t const attributes = command_attributes(packet->command);

    if (!cache->is_coherent)
        return;                          /* the line stays here as it is: no one else has to know */
    if (!(attributes & (ATTR_READ | ATTR_WRITE))) {
        if ((attributes & ATTR_UPGRADE) || cache->keeps_overwritten)
            cache_pass_dirty_up(cache, packet, block);
        else
            cache_invalidate(cache, block);    /* InvalidateReq: the line is overwritten above */
    }
    if ((attributes & (ATTR_READ | ATTR_FROM_CACHE)) == (ATTR_READ | ATTR_FROM_CACHE))
        cache_satisfy_read(cache, packet, attributes, block, deferred, pending_downgrade);
}

/* A write-back from above lands in a block, made for it if need be. */
static struct access access_writeback(struct cache *cache, struct packet *packet, uint32_t block,
                                      struct eviction_list *evictions, uint64_t latency_cyc)
{
    struct tags *const tags = &cache->tags;
    bool const is_new = block == BLOCK_NONE;

    if (packet->command == CMD_WritebackClean && cache_find_mshr(cache, packet->address))
        return (struct access){true, block, latency_cyc};
    if (block == BLOCK_NONE) {
        block = cache_allocate_block(cache, packet, evictions);
        if (block == BLOCK_NONE) {
            cache_count(cache, packet)->misses++;
            return (struct access){false, BLOCK_NONE, latency_cyc};
        }
        tags_set(tags, block, BLOCK_READABLE);
    }
    if (packet->command == CMD_WritebackDirty)
        tags_set(tags, block, BLOCK_DIRTY);
    if (!packet->has_sharers || !cache->is_coherent)
        tags_set(tags, block, BLOCK_WRITABLE);
    cache_count(cache, packet)->hits++;
    tags_set_ready_ps(tags, block, cache_edge_ps(cache) + cache->data_ps + packet->header_delay_ps
                                   + max_u64(cache->tag_ps, packet->payload_delay_ps));
    if (cache->module && is_new)
        cache_module_filled(cache, packet, NULL, block);
    return (struct access){true, block, latency_cyc};
}

static struct access access_block(struct cache *cache, struct packet *packet, struct eviction_list *evictions)
{
    struct tags *const tags = &cache->tags;
    uint32_t const block = tags_find(tags, packet->address);
    uint64_t const tag_only_cyc = domain_cycles(cache->clock, packet->header_delay_ps) + cache->tag_latency_cyc;

    if (block != BLOCK_NONE)
        tags_touch(tags, block, packet);
    else if (cache->module)
        cache_module_missed(cache, packet);
    if (packet_is(packet, ATTR_EVICTION)) {
        struct write_entry *const pending = cache_find_write(cache, packet->address);

        if (pending) {                   /* our own eviction of the line has not left yet */
            if (packet_is(packet, ATTR_CLEAN_EVICTION)) {
                pending->packet->block_cached = false;
                return (struct access){true, block, tag_only_cyc};
            }
            packet_give(cache->sim->packets, cache_free_write(cache, pending));    /* the newer data wins */
        }
        if (packet->command == CMD_CleanEvict)
            return (struct access){block != BLOCK_NONE, block, tag_only_cyc};
        return access_writeback(cache, packet, block, evictions, tag_only_cyc);
    }
    if (block != BLOCK_NONE && tags_has(tags, block, BLOCK_UNUSED))
        cache_prefetch_used(cache, block);
    if (block != BLOCK_NONE
        && tags_has(tags, block, packet_is(packet, ATTR_NEEDS_WRITABLE) ? BLOCK_WRITABLE : BLOCK_READABLE)) {
        uint64_t const latency_cyc = packet_is(packet, ATTR_READ) ? access_latency_cyc(cache, block, packet)
                                                                  : tag_only_cyc;

        cache_count(cache, packet)->hits++;
        cache_satisfy(cache, packet, block, false, false);
        cache_maintain_clusivity(cache, packet_is(packet, ATTR_FROM_CACHE), block);
        return (struct access){true, block, latency_cyc};
    }
    cache_count(cache, packet)->misses++;
    if (block == BLOCK_NONE && packet_is(packet, ATTR_LLSC) && packet_is(packet, ATTR_WRITE))
        return (struct access){true, BLOCK_NONE, tag_only_cyc};    /* a store conditional to an absent line fails */
    return (struct access){false, block, access_latency_cyc(cache, block, packet)};
}

static struct access access_line(struct cache *cache, struct packet *packet, struct eviction_list *evictions)
{
    if (packet_is_uncacheable(packet) && cache->is_coherent) {
        uint32_t const block = tags_find(&cache->tags, packet->address);

        if (block != BLOCK_NONE)
            cache_evict(cache, block, evictions);
        return (struct access){false, BLOCK_NONE, cache->tag_latency_cyc};
    }
    return access_block(cache, packet, evictions);
}

/* A cache above owns the line: only other copies below must go (classic-memory 4.11). */
static void handle_upper_owner(struct cache *cache, struct packet *packet)
{
    struct packet *const snoop = packet_take_copy(cache->sim->packets, packet, false);
    bool accepted;

    assert(packet_is(packet, ATTR_NEEDS_WRITABLE) && !packet->responder_had_writable);
    snoop->header_delay_ps = snoop->payload_delay_ps = 0;
    snoop->express_snoop = true;
    snoop->cache_responding = true;
    accepted = cache->below.ops->recv_request(cache->below.self, snoop, cache->below.port);
    assert(accepted);
    (void)accepted;
    packet_give(cache->sim->packets, packet);
}

/* The MSHR that a locked read left behind for this line; none if the trace's write has no such read. */
static struct mshr *locked_mshr(const struct cache *cache, uint64_t address)
{
    struct mshr *const mshr = cache_find_mshr(cache, address);

    return mshr && mshr->in_service && mshr_holds_lock(mshr) ? mshr : NULL;
}

/* classic-memory 4.16: a locked read leaves an MSHR behind that the locked write answers. */
static void handle_locked_hit(struct cache *cache, struct packet *packet, uint32_t block)
{
    struct packet_pool *const packets = cache->sim->packets;

    if (packet_is(packet, ATTR_READ)) {
        struct packet *const placeholder = packet_take(packets, &packet->request, (enum command)packet->command);

        cache_mark_in_service(cache, cache_allocate_mshr(cache, placeholder, cache_now_ps(cache)), false);
        tags_clear(&cache->tags, block, BLOCK_READABLE | BLOCK_WRITABLE);
    } else if (locked_mshr(cache, packet->address)) {
        struct packet *const unlock = packet_take(packets, &packet->request, CMD_LockedRMWWriteResp);

        unlock->address = packet->address;
        unlock->size_bytes = packet->size_bytes;
        unlock->senders[unlock->sender_count++] = locked_mshr(cache, packet->address);
        cache_recv_response(cache, unlock, 0);
    }
}

void cache_join_mshr(struct cache *cache, struct mshr *mshr, struct packet *packet, uint64_t when_ps)
{
    bool const must_defer = cache_must_defer(mshr, packet_is(packet, ATTR_NEEDS_WRITABLE));
    struct target_arrival const arrival = {.now_ps = cache_now_ps(cache), .ready_ps = when_ps,
                                           .order = cache->next_order++, .source = TARGET_FROM_ABOVE,
                                           .mark_upper_mshr = must_defer || !mshr->in_service,
                                           .allocate_on_fill = cache_allocates_on_fill(cache, packet)};

    sim_log(cache->sim, cache->name, "merge", packet->command, packet->address);
    if (must_defer && mshr->in_service && mshr->post_invalidate)
        packet_rewrite_upgrade(packet);
    target_list_add(must_defer ? &mshr->deferred : &mshr->targets, &cache->targets, packet, &arrival);
    if (mshr_target_count(mshr) >= cache->target_limit) {
        cache->full_mshr = mshr;
        cache_set_blocked(cache, BLOCKED_NO_TARGETS);
    }
}

/* A request that no line here can serve waits in an MSHR. */
static void queue_miss(struct cache *cache, struct packet *packet, uint32_t block, struct mshr *mshr,
                       uint64_t forward_ps)
{
    struct cache_command_stats *const stats = cache_count(cache, packet);

    if (mshr) {
        stats->mshr_hits++;
        cache_join_mshr(cache, mshr, packet, forward_ps);
        return;
    }
    stats->mshr_misses++;
    sim_log(cache->sim, cache->name, "miss", packet->command, packet->address);
    if (tags_is_valid(&cache->tags, block))
        tags_clear(&cache->tags, block, BLOCK_READABLE);    /* a store to a line without write permission */
    cache_allocate_mshr(cache, packet, forward_ps);
}

/* Answers the core at once; a separate packet continues to the memory side, unless the line is already on its way. */
static struct packet *split_software_prefetch(struct cache *cache, struct packet *packet, const struct mshr *mshr,
                                              uint64_t request_ps)
{
    struct packet *continued = NULL;

    if (!mshr) {
        struct request request = packet->request;

        request.has_pc = false;
        request.sequence = 0;
        continued = packet_take(cache->sim->packets, &request, (enum command)packet->command);
        continued->address = packet->address;
        continued->size_bytes = packet->size_bytes;
    }
    packet_make_response(packet);
    cache_respond(cache, packet, request_ps);
    return continued;
}

static void handle_miss(struct cache *cache, struct packet *packet, uint32_t block, uint64_t forward_ps,
                        uint64_t request_ps)
{
    bool const is_uncacheable = packet_is_uncacheable(packet);
    struct mshr *mshr;

    if (is_uncacheable && cache->is_coherent) {
        cache_count(cache, packet)->mshr_uncacheable++;
        sim_log(cache->sim, cache->name, "miss", packet->command, packet->address);
        if (packet_is(packet, ATTR_WRITE))
            cache_allocate_write(cache, packet, forward_ps);
        else
            cache_allocate_mshr(cache, packet, forward_ps);
        return;
    }
    mshr = cache->is_coherent ? cache_find_mshr(cache, packet->address) : cache_find_any_mshr(cache, packet->address);
    if (packet_is(packet, ATTR_SOFT_PREFETCH) && cache->is_coherent) {
        packet = split_software_prefetch(cache, packet, mshr, request_ps);
        if (!packet)
            return;
    }
    if (cache->has_write_allocator && packet_is(packet, ATTR_WRITE) && !is_uncacheable)
        write_allocator_update(&cache->write_allocator, packet);
    if (cache->forward_clean && packet->command == CMD_CleanEvict && !mshr)
        packet->command = CMD_WritebackClean;
    if (!mshr && cache->prefetcher && packet_is(packet, ATTR_DEMAND)) {
        cache->prefetcher->stats.demand_mshr_misses++;
        cache_prefetch_missed(cache, packet->address);
    }
    if (!packet_is(packet, ATTR_EVICTION)) {
        queue_miss(cache, packet, block, mshr, forward_ps);
    } else if (mshr && packet->command == CMD_CleanEvict) {
        packet_give(cache->sim->packets, packet);
    } else {
        if (!mshr) {
            cache_count(cache, packet)->mshr_misses++;
            sim_log(cache->sim, cache->name, "miss", packet->command, packet->address);
        }
        cache_allocate_write(cache, packet, forward_ps);    /* no answer is due; beside an MSHR the reference stops */
    }
}

static void finish_hit(struct cache *cache, struct packet *packet, uint32_t block, uint64_t request_ps)
{
    if (packet_is(packet, ATTR_LOCKED_RMW))
        handle_locked_hit(cache, packet, block);
    if (packet_is(packet, ATTR_NEEDS_RESPONSE)) {
        packet_make_response(packet);
        cache_respond(cache, packet, request_ps);
    } else {
        packet_give(cache->sim->packets, packet);
    }
}

void cache_serve(struct cache *cache, struct packet *packet)
{
    struct eviction_list evictions = {.count = 0};
    struct access access;
    uint64_t edge_ps, forward_ps, request_ps;
    bool observe;

    cache_name_whole_line(cache, packet);
    if (packet->cache_responding) {
        handle_upper_owner(cache, packet);
        return;
    }
    edge_ps = cache_edge_ps(cache);
    forward_ps = edge_ps + cache->tag_ps + packet->header_delay_ps;
    if (packet->command == CMD_LockedRMWWriteReq) {
        uint32_t const locked = tags_find(&cache->tags, packet->address);

        if (locked != BLOCK_NONE && locked_mshr(cache, packet->address))
            tags_set(&cache->tags, locked, BLOCK_READABLE | BLOCK_WRITABLE);
    }
    access = access_line(cache, packet, &evictions);
    request_ps = edge_ps + access.latency_cyc * cache->clock.period_ps;
    if (evictions.count)
        cache_queue_evictions(cache, &evictions, request_ps + cache->tag_ps);
    packet->header_delay_ps = packet->payload_delay_ps = 0;
    observe = cache->prefetcher && !packet_is(packet, ATTR_SOFT_PREFETCH | ATTR_CLEAN_EVICTION);
    if (access.hit) {
        if (observe)
            cache_observe(cache, packet, false);
        if (cache->prefetcher && access.block != BLOCK_NONE)
            tags_clear(&cache->tags, access.block, BLOCK_PREFETCHED);
        finish_hit(cache, packet, access.block, request_ps);
    } else {
        handle_miss(cache, packet, access.block, forward_ps, request_ps);
        if (observe)
            cache_observe(cache, packet, true);      /* the packet waits in an MSHR or in the write queue now */
    }
    if (cache->prefetcher)
        cache_schedule_prefetch(cache);
}

static bool cache_recv_request(void *self, struct packet *packet, unsigned port)
{
    struct cache *const cache = self;

    (void)port;
    if (!packet->express_snoop && cache_refuses(cache))
        return false;
    if (!cache->hooks.serve || !cache->hooks.serve(cache, packet))
        cache_serve(cache, packet);
    return true;
}

static void cache_recv_response_retry(void *self, unsigned port)
{
    struct cache *const cache = self;

    (void)port;
    packet_queue_retry(&cache->responses);
}

static bool send_snoop_response(void *owner, struct packet *packet)
{
    struct cache *const cache = owner;

    return cache->below.ops->recv_snoop_response(cache->below.self, packet, cache->below.port);
}

const struct below_ops cache_below_ops = {cache_recv_request, cache_recv_response_retry, cache_recv_snoop_response};
const struct above_ops cache_above_ops = {cache_recv_response, cache_recv_request_retry, cache_recv_snoop,
                                          cache_recv_snoop_response_retry, NULL};

struct below cache_below_port(struct cache *cache)
{
    return (struct below){.ops = &cache_below_ops, .self = cache};
}

struct above cache_above_port(struct cache *cache)
{
    return (struct above){.ops = &cache_above_ops, .self = cache, .is_snooping = true};
}

static struct fault allocate_queues(struct cache *cache)
{
    cache->write_capacity = cache->write_buffer_limit + cache->mshr_limit + 4;
    cache->mshr_entries = host_lines_zeroed(cache->mshr_limit, sizeof *cache->mshr_entries);
    cache->mshrs = malloc(cache->mshr_limit * sizeof *cache->mshrs);
    cache->mshr_ready = malloc(cache->mshr_limit * sizeof *cache->mshr_ready);
    cache->write_entries = calloc(cache->write_capacity, sizeof *cache->write_entries);
    cache->writes = malloc(cache->write_capacity * sizeof *cache->writes);
    if (!cache->mshr_entries || !cache->mshrs || !cache->mshr_ready || !cache->write_entries || !cache->writes)
        return fault_make(FAULT_MEMORY, "out of memory for the queues of %s", cache->name);
    for (uint32_t i = 0; i < cache->mshr_limit; i++) {
        cache->mshrs[i] = &cache->mshr_entries[i];
        target_list_init(&cache->mshrs[i]->deferred);
    }
    for (uint32_t i = 0; i < cache->write_capacity; i++)
        cache->writes[i] = &cache->write_entries[i];
    return fault_none();
}

struct fault cache_init(struct cache *cache, struct sim *sim, const char *name, const struct cache_params *params)
{
    *cache = (struct cache){
        .sim = sim, .name = name, .our_name = name, .clock = clock_domain(params->clock_ps),
        .tag_latency_cyc = params->tag_latency_cyc, .data_latency_cyc = params->data_latency_cyc,
        .response_latency_cyc = params->response_latency_cyc,
        .target_limit = (uint32_t)params->targets_per_mshr, .write_buffer_limit = (uint32_t)params->write_buffers,
        .mshr_limit = (uint32_t)params->mshrs, .demand_mshr_reserve = (uint32_t)params->demand_mshr_reserve,
        .is_coherent = true, .queues = &cache_plain_queues,
        .is_read_only = params->read_only != 0,
        .writeback_clean = params->writeback_clean != 0, .forward_clean = params->forward_clean != 0,
        .keeps_overwritten = params->keep_overwritten != 0,
        .is_mostly_exclusive = params->clusivity == CLUSIVITY_MOSTLY_EXCL,
        .has_write_allocator = params->write_allocator != 0};
    cache->hit_latency_cyc = params->sequential_access
                                 ? params->tag_latency_cyc + params->data_latency_cyc
                                 : max_u64(params->tag_latency_cyc, params->data_latency_cyc);
    cache->tag_ps = cache->tag_latency_cyc * params->clock_ps;
    cache->data_ps = cache->data_latency_cyc * params->clock_ps;
    cache->response_ps = cache->response_latency_cyc * params->clock_ps;
    cache->hit_ps = cache->hit_latency_cyc * params->clock_ps;
    cache->targets.line_bytes = sim->line_bytes;
    cache->targets.reads_overwritten = params->read_overwritten != 0;
    cache->targets.sim = sim;
    event_init(&cache->retry_event, cache_send_retry, cache, EVENT_DEFAULT);
    event_init(&cache->request_event, cache_send_next_request, cache, EVENT_DEFAULT);
    FORWARD(event_queue_reserve(&sim->events, 2));
    FORWARD(tags_init(&cache->tags, sim, params));
    if (cache->has_write_allocator)
        FORWARD(write_allocator_init(&cache->write_allocator, sim));
    FORWARD(allocate_queues(cache));
    if (params->replacement == REPLACEMENT_MODULE)
        FORWARD(cache_module_add_policy(cache, &params->module));
    FORWARD(packet_queue_init_responses(&cache->responses, sim, &cache->above, true));
    return packet_queue_init(&cache->snoop_responses, sim, send_snoop_response, cache, true);
}

struct fault cache_init_memory_side(struct cache *cache, struct sim *sim, const char *name,
                                    const struct cache_params *params)
{
    FORWARD(cache_init(cache, sim, name, params));
    cache->is_coherent = false;
    return fault_none();
}

void cache_divide_ways(struct cache *cache, const struct cache_division *division)
{
    assert(cache->tags.policy.ops->victim_among);
    assert(division->theirs.count > 0 && division->others.count > 0);
    cache->division = *division;
    cache->is_divided = true;
}

static void observe_nothing(struct prefetcher *prefetcher, const struct prefetch_event *event)
{
    (void)prefetcher;
    (void)event;
}

struct fault cache_add_prefetcher(struct cache *cache, const struct prefetcher_params *params)
{
    uint64_t const period_ps = cache->clock.period_ps;

    assert(!cache->prefetcher);
    if (params->type == PREFETCHER_MODULE) {
        FORWARD(prefetcher_create_of(&cache->prefetcher, cache->sim, cache->name, period_ps, params,
                                     &cache_module_prefetcher));
        FORWARD(cache_module_add_prefetcher(cache, cache->prefetcher, &params->module));
    } else {
        FORWARD(prefetcher_create(&cache->prefetcher, cache->sim, cache->name, period_ps, params));
    }
    if (!cache->prefetcher)
        return fault_none();
    FORWARD(cache_prefetch_figures_init(cache));
    return tags_keep_fillers(&cache->tags);
}

struct fault cache_add_further_prefetcher(struct cache *cache, const struct prefetcher_params *params)
{
    struct prefetcher *made;

    if (params->type != PREFETCHER_MODULE)
        return prefetcher_add(cache->prefetcher, cache->clock.period_ps, params);
    FORWARD(prefetcher_add_of(cache->prefetcher, cache->clock.period_ps, params, &cache_module_prefetcher, &made));
    return cache_module_add_prefetcher(cache, made, &params->module);
}

static bool take_from_above(void *self, const struct prefetch_candidate *candidate)
{
    struct cache *const cache = self;

    if (cache->prefetcher->count == cache->prefetcher->limit && cache->prefetcher->refuses)
        return false;
    cache_queue_prefetch(cache, candidate);
    return true;
}

struct fault cache_pass_prefetches(struct cache *cache, struct cache *below)
{
    static const struct prefetcher_ops idle = {.name = "from_above", .degree = 1, .observe = observe_nothing};
    struct prefetcher_params const params = {.latency_cyc = 0, .queue_size = 32};

    if (!below->prefetcher) {
        FORWARD(prefetcher_create_of(&below->prefetcher, below->sim, below->name, below->clock.period_ps, &params,
                                     &idle));
        FORWARD(cache_prefetch_figures_init(below));
        FORWARD(tags_keep_fillers(&below->tags));
    }
    cache->prefetcher->below = (struct prefetch_below){take_from_above, below};
    return fault_none();
}

struct fault cache_start(struct cache *cache)
{
    cache->requestor_count = cache->sim->root->requestor_count;
    cache->stats.commands = host_lines_zeroed((size_t)CMD_COUNT * cache->requestor_count,
                                              sizeof *cache->stats.commands);
    if (!cache->stats.commands)
        return fault_make(FAULT_MEMORY, "out of memory for the statistics of %s", cache->name);
    return cache_module_start(cache);
}

static void give_targets(struct cache *cache, struct target_list *list)
{
    while (list->first) {
        struct target *const target = target_list_pop(list);

        if (target->packet)
            packet_give(cache->sim->packets, target->packet);
        target_give(&cache->targets, target);
    }
}

void cache_free(struct cache *cache)
{
    cache_module_free(cache);
    for (uint32_t i = 0; i < cache->mshr_count; i++) {
        give_targets(cache, &cache->mshrs[i]->targets);
        give_targets(cache, &cache->mshrs[i]->deferred);
    }
    for (uint32_t i = 0; i < cache->write_count; i++)
        packet_give(cache->sim->packets, cache->writes[i]->packet);
    if (cache->responses.entries)
        packet_queue_free(&cache->responses);
    if (cache->snoop_responses.entries)
        packet_queue_free(&cache->snoop_responses);
    target_pool_free(&cache->targets);
    write_allocator_free(&cache->write_allocator);
    prefetcher_destroy(cache->prefetcher);
    tags_free(&cache->tags);
    host_lines_free(cache->mshr_entries);
    free(cache->mshrs);
    free(cache->mshr_ready);
    free(cache->write_entries);
    free(cache->writes);
    host_lines_free(cache->stats.commands);
    *cache = (struct cache){0};
}

void cache_reset_stats(struct cache *cache)
{
    struct cache_command_stats *const commands = cache->stats.commands;
    struct occupancy mshrs = cache->stats.mshrs, write_buffers = cache->stats.write_buffers;

    for (size_t i = 0; i < (size_t)CMD_COUNT * cache->requestor_count; i++)
        commands[i] = (struct cache_command_stats){0};
    occupancy_reset(&mshrs, cache_now_ps(cache));
    occupancy_reset(&write_buffers, cache_now_ps(cache));
    if (cache->prefetcher) {
        cache->prefetcher->stats = (struct prefetcher_stats){0};
        cache_prefetch_figures_reset(cache);
    }
    cache->stats = (struct cache_stats){.commands = commands, .mshrs = mshrs, .write_buffers = write_buffers};
}

static const char *blocked_cause_name(unsigned causes)
{
    if (causes & (1u << BLOCKED_NO_MSHRS))
        return "all MSHRs are taken";
    if (causes & (1u << BLOCKED_NO_WRITE_BUFFERS))
        return "all write buffers are taken";
    if (causes & (1u << BLOCKED_NO_TARGETS))
        return "an MSHR has no target left";
    return NULL;
}

bool cache_describe(const struct cache *cache, uint64_t address, char *text, size_t size)
{
    const struct mshr *const mshr = cache_find_mshr(cache, address);
    const struct write_entry *const write = cache_find_write(cache, address);
    const char *const blocked = blocked_cause_name(cache->blocked_causes);

    if (mshr)
        snprintf(text, size, "%s: MSHR %s, %u waiting", cache->our_name,
                 mshr->in_service ? "sent, no answer" : "not sent", mshr_target_count(mshr));
    else if (write)
        snprintf(text, size, "%s: in the write queue, not sent", cache->our_name);
    else if (blocked)
        snprintf(text, size, "%s: refuses requests, %s", cache->our_name, blocked);
    else
        return false;
    return true;
}
