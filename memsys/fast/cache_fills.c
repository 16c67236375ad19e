/* A response that fills a line and ends its MSHR, in one piece: hook `fill` of struct cache_hooks.
 *
 * Shortcut: nearly every response is a read's, fills its line, answers all targets, which are loads, stores or
 * reads of caches above, and frees the MSHR. The plain cache asks for each target what else it could be, builds lists
 * of those that are served and those that stay, and queues answers of accesses as packets.
 * Why the result is the same: is_whole_fill says that no target is a snoop, a prefetch or a locked read, none was
 * deferred or stays, no snoop has come since, and the cache keeps the lines that it hands up; then cache_take_response
 * does just this, in this order: count, fill, serve each target in order, free the MSHR, queue the eviction. A store's
 * mark is set with the line's others, since a read from above does not mind it (it serves no packets then), and no
 * policy sees it. Anything else goes to cache_take_response with packets for all targets. Compared with plain by
 * tests/unit/memsys/fast/test_fast_memory.c. */
#include "memsys/fast/cache_fills.h"

#include "memsys/cache/evict.h"
#include "memsys/fast/answers.h"
#include "memsys/fast/cache_targets.h"
#include "memsys/fast/queue_index.h"
#include "memsys/fast/ways.h"

static bool is_whole_fill(const struct cache *cache, const struct mshr *mshr, const struct packet *response)
{
    /* Neighbours, which the compiler tests together. */
    bool const is_odd = mshr->post_invalidate || mshr->post_downgrade || mshr->was_whole_line || mshr->is_forward
                        || mshr->targets.has_locked_read || mshr->targets.has_others;

    return !is_odd && !mshr->deferred.first && mshr != cache->full_mshr && !packet_is_uncacheable(response);
}

/* When the targets are answered. */
struct answer_times {
    uint64_t offset_mask, first_address; /* the critical word */
    uint64_t first_ps, other_ps;
};

static inline uint64_t answer_ps(const struct answer_times *times, uint64_t address)
{
    return ((address ^ times->first_address) & times->offset_mask) == 0 ? times->first_ps : times->other_ps;
}

/* Targets of which none has a packet; marks of the block are the caller's business. */
static FORCE_INLINE void serve_accesses(struct cache *cache, const struct target *target,
                                        const struct answer_times *times)
{
    struct packet_queue *const answers = &cache->responses;
    uint64_t when_ps = times->first_ps;

    for (;;) {
        cache->hooks.counts[target->is_write]->miss_latency_ps += when_ps - target->received_ps;
        packet_queue_append(answers, when_ps, target->request.address, NULL, target->token);
        target = target->next;
        if (!target)
            return;
        when_ps = answer_ps(times, target->request.address);
    }
}

static FORCE_INLINE void serve_packet(struct cache *cache, struct packet *packet, uint32_t block)
{
    uint32_t const attributes = command_attributes(packet->command);

    if ((attributes & ATTR_FROM_CACHE) && cache->is_coherent)
        cache_satisfy_read(cache, packet, attributes, block, true, false);
    packet_make_response(packet);
    packet->header_delay_ps = packet->payload_delay_ps = 0;
}

/* Others. */
static FORCE_INLINE void serve_targets(struct cache *cache, const struct target *target,
                                       const struct answer_times *times, uint32_t block)
{
    for (; target; target = target->next) {
        struct packet *const packet = target->packet;
        uint64_t const address = target_address(target), when_ps = answer_ps(times, address);

        cache_count_target(cache, target)->miss_latency_ps += when_ps - target->received_ps;
        if (target_is_write(target))
            tags_set(&cache->tags, block, BLOCK_DIRTY);
        if (packet)
            serve_packet(cache, packet, block);
        if (unlikely(cache->hooks.respond != NULL))
            cache->hooks.respond(cache, packet);
        else
            packet_queue_append(&cache->responses, when_ps, address, packet, target->token);
    }
}

/* cache_allocate_block: *eviction, the packet by which the old line leaves, stays NULL if the way was empty. With LRU
 * and without a prefetcher, as here, ways_insert does everything that cache_invalidate would do. */
static FORCE_INLINE uint32_t reuse_block(struct cache *cache, const struct packet *packet, struct packet **eviction)
{
    struct tags *const tags = &cache->tags;
    uint32_t const victim = unlikely(cache->is_divided) ? cache_victim_of_side(cache, packet)
                                                        : ways_victim(tags, packet->address);

    if (tags->ways[victim].tag != 0) {
        uint64_t const address = ways_line(tags, victim) << tags->line_shift;

        if (queue_index_find_mshr(cache, address))
            return BLOCK_NONE;           /* an upgrade of the victim is pending */
        cache->stats.replacements++;
        *eviction = cache_eviction_of(cache, victim, address);
        if (tags->policy.ops != &replacement_ages)
            tags_invalidate(tags, victim);
    }
    ways_insert(tags, victim, packet);
    return victim;
}

/* Nothing else was evicted for a line that is here for the time of its targets. */
NOINLINE static void give_up_temporary(struct cache *cache, uint64_t when_ps)
{
    struct eviction_list evictions = {.count = 0};

    cache_evict(cache, cache->tags.temporary, &evictions);
    cache_queue_evictions(cache, &evictions, when_ps);
}

static FORCE_INLINE void take_whole_fill(struct cache *cache, struct mshr *mshr, struct packet *response)
{
    struct tags *const tags = &cache->tags;
    struct packet *eviction = NULL;
    struct target *const first = mshr->targets.first, *const last = mshr->targets.last;
    bool const has_packets = mshr->targets.has_packets;
    uint64_t const header_ps = response->header_delay_ps, payload_ps = response->payload_delay_ps;
    uint64_t const now_ps = cache_now_ps(cache), edge_ps = domain_edge_ps(cache->clock, now_ps);
    struct answer_times const times = {.offset_mask = cache->sim->line_bytes - 1,
                                       .first_address = target_address(first),
                                       .first_ps = edge_ps + cache->response_ps + header_ps,
                                       .other_ps = edge_ps + cache->response_ps + header_ps + payload_ps};
    uint32_t block = mshr->line_is_absent ? BLOCK_NONE : ways_find(tags, response->address);
    unsigned flags = BLOCK_READABLE;

    cache_count_target(cache, first)->mshr_miss_latency_ps += now_ps - first->received_ps;
    if (block == BLOCK_NONE && mshr->targets.allocate_on_fill)
        block = reuse_block(cache, response, &eviction);
    if (unlikely(block == BLOCK_NONE))
        block = tags_insert_temporary(tags, response->address);
    if (!response->has_sharers)
        flags |= response->cache_responding ? BLOCK_WRITABLE | BLOCK_DIRTY : BLOCK_WRITABLE;
    if (!has_packets && mshr->targets.needs_writable)    /* some target is a store */
        flags |= BLOCK_DIRTY;
    tags_complete(tags, block, flags, edge_ps + cache->data_ps + header_ps + payload_ps);
    if (has_packets)
        serve_targets(cache, first, &times, block);
    else
        serve_accesses(cache, first, &times);
    last->next = cache->targets.free;
    cache->targets.free = first;
    queue_index_free_mshr(cache, mshr);
    if (unlikely(block == tags->temporary) && tags_is_valid(tags, block))
        give_up_temporary(cache, edge_ps + cache->tag_ps + header_ps);
    else if (eviction && !cache_drops_eviction(cache, eviction))
        queue_index_enter_write(cache, eviction, eviction->address, false, edge_ps + cache->tag_ps + header_ps);
    packet_give(cache->sim->packets, response);
}

static FORCE_INLINE bool try_fill(struct cache *cache, struct packet *response)
{
    uint32_t const attributes = command_attributes(response->command);

    if (likely((attributes & (ATTR_READ | ATTR_WRITE | ATTR_INVALIDATE)) == ATTR_READ && response->sender_count > 0)) {
        struct mshr *const mshr = response->senders[response->sender_count - 1];

        if (likely(is_whole_fill(cache, mshr, response))) {
            take_whole_fill(cache, mshr, response);
            return true;
        }
    }
    return false;
}

bool cache_take_fill(struct cache *cache, struct packet *response)
{
    return try_fill(cache, response) || cache_fill_with_packets(cache, response);
}

/* cache_recv_response, with the usual hook in line. */
static FORCE_INLINE bool recv_response(void *self, struct packet *packet, unsigned port)
{
    struct cache *const cache = self;

    if (unlikely(!cache->hooks.takes_fills))
        return cache_recv_response(self, packet, port);
    sim_log(cache->sim, cache->name, "recv", packet->command, packet->address);
    if (unlikely(!try_fill(cache, packet))) {
        cache_fill_with_packets(cache, packet);
        cache_take_response(cache, packet);
    }
    return true;
}

void cache_take_from_queue(void *queue)
{
    packet_queue_pass(queue, recv_response);
}
