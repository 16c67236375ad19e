/* Lines between caches (cache_lines.h): reads and evictions of a line, on their way out and on arrival. */
#include "memsys/fast/cache_lines.h"

#include "memsys/cache/send.h"
#include "memsys/fast/cache_targets.h"
#include "memsys/fast/crossbar_direct.h"
#include "memsys/fast/queue_index.h"
#include "memsys/fast/ways.h"

#define LINE_MISSES (UINT64_C(1) << CMD_ReadReq | UINT64_C(1) << CMD_WriteReq | UINT64_C(1) << CMD_ReadExReq          \
                     | UINT64_C(1) << CMD_ReadCleanReq | UINT64_C(1) << CMD_ReadSharedReq)
_Static_assert(CMD_COUNT <= 64, "sets of commands are words");

/* ---- arrival: cache_serve for a line that another cache reads or evicts */

/* The line read opens an MSHR. */
static FORCE_INLINE void open_line_read(struct cache *cache, struct packet *packet, uint32_t attributes,
                                   uint64_t forward_ps, bool is_absent)
{
    uint64_t const order = cache->next_order++;
    struct mshr *const mshr = cache_begin_mshr(cache, packet->address, forward_ps, order, false);
    struct target_arrival const arrival = {.now_ps = cache_now_ps(cache), .ready_ps = forward_ps, .order = order,
                                           .source = TARGET_FROM_ABOVE,
                                           .allocate_on_fill = cache_allocates_on_fill(cache, packet)};
    struct target *const target = target_take(&cache->targets, &arrival);
    struct target_list *const targets = &mshr->targets;
    struct mshr *const sender = target_sender(packet);

    sim_log(cache->sim, cache->name, "miss", packet->command, packet->address);
    mshr->line_is_absent = is_absent;
    target->packet = packet;
    target->marks_upper_mshr = sender != NULL;
    if (likely(sender != NULL))
        sender->downstream_pending = true;
    target->next = NULL;
    targets->first = targets->last = target;
    targets->count = 1;
    targets->needs_writable = (attributes & ATTR_NEEDS_WRITABLE) != 0;
    targets->allocate_on_fill = arrival.allocate_on_fill;
    targets->has_upper_marks = target->marks_upper_mshr;
    targets->can_merge = false;
    targets->has_packets = true;
    queue_index_enter_mshr(cache, mshr, forward_ps, false);
}

NOINLINE static void serve_read(struct cache *cache, struct packet *packet)
{
    struct tags *const tags = &cache->tags;
    uint32_t const attributes = command_attributes(packet->command);
    uint64_t const now_ps = cache_now_ps(cache), edge_ps = domain_edge_ps(cache->clock, now_ps);
    uint64_t const header_ps = packet->header_delay_ps;
    unsigned const permission = attributes & ATTR_NEEDS_WRITABLE ? BLOCK_WRITABLE : BLOCK_READABLE;
    struct cache_command_stats *counts;
    struct mshr *mshr;
    uint32_t block;

    counts = cache_count(cache, packet);
    block = ways_find(tags, packet->address);
    if (block != BLOCK_NONE)
        ways_touch(tags, block, packet);
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
        return;
    }
    counts->misses++;
    mshr = queue_index_find_mshr(cache, packet->address);
    if (unlikely(mshr != NULL)) {
        counts->mshr_hits++;
        cache_join_mshr(cache, mshr, packet, edge_ps + cache->tag_ps + header_ps);
        return;
    }
    counts->mshr_misses++;
    if (tags_is_valid(tags, block))
        tags_clear(tags, block, BLOCK_READABLE);
    open_line_read(cache, packet, attributes, edge_ps + cache->tag_ps + header_ps, block == BLOCK_NONE);
}

/* Serves an eviction of a line that this cache holds; false: nothing was changed, the plain cache decides. */
NOINLINE static bool serve_eviction(struct cache *cache, struct packet *packet)
{
    struct tags *const tags = &cache->tags;
    uint32_t block;

    if (packet->command == CMD_WritebackClean || queue_index_find_write(cache, packet->address))
        return false;
    block = ways_find(tags, packet->address);
    if (block == BLOCK_NONE)
        return false;
    ways_touch(tags, block, packet);
    if (packet->command == CMD_WritebackDirty) {
        cache_count(cache, packet)->hits++;
        tags_set(tags, block, packet->has_sharers ? BLOCK_DIRTY : BLOCK_DIRTY | BLOCK_WRITABLE);
        tags_set_ready_ps(tags, block, cache_edge_ps(cache) + cache->data_ps + packet->header_delay_ps
                                           + max_u64(cache->tag_ps, packet->payload_delay_ps));
    }
    packet_give(cache->sim->packets, packet);
    return true;
}

bool cache_serve_line(struct cache *cache, struct packet *packet)
{
    uint32_t const attributes = command_attributes(packet->command);

    if (unlikely(packet->express_snoop || packet->cache_responding || packet_is_uncacheable(packet)))
        return cache_serve_with_packets(cache, packet);
    if ((attributes & (ATTR_READ | ATTR_FROM_CACHE)) == (ATTR_READ | ATTR_FROM_CACHE)) {
        serve_read(cache, packet);
        return true;
    }
    return ((attributes & ATTR_EVICTION) && serve_eviction(cache, packet)) || cache_serve_with_packets(cache, packet);
}

/* ---- departure */

static FORCE_INLINE bool pass_read(const struct below *below, struct packet *packet)
{
    if (!below->fast || !below->fast->takes_lines)
        return below->ops->recv_request(below->self, packet, below->port);
    if (cache_refuses(below->self))
        return false;
    serve_read(below->self, packet);
    return true;
}

static FORCE_INLINE bool pass_eviction(const struct below *below, struct packet *packet)
{
    if (below->fast && below->fast->takes_lines) {
        if (cache_refuses(below->self))
            return false;
        if (serve_eviction(below->self, packet))
            return true;
    }
    return below->ops->recv_request(below->self, packet, below->port);
}

/* The request of an MSHR for its line. */
static FORCE_INLINE struct packet *line_request(struct cache *cache, struct mshr *mshr)
{
    const struct target *const first = mshr->targets.first;
    bool const is_exclusive = mshr->targets.needs_writable;
    struct packet *const request = packet_take(cache->sim->packets, target_request(first),
                                               is_exclusive ? CMD_ReadExReq : (enum command)cache->hooks.read_command);

    request->address = mshr->line_address;
    request->size_bytes = cache->sim->line_bytes;
    request->has_sharers = first->packet && first->packet->has_sharers && !is_exclusive;
    request->senders[0] = mshr;
    request->sender_count = 1;
    return request;
}

static FORCE_INLINE bool send_read(struct cache *cache, struct mshr *mshr, const struct crossbar_crossing *crossing)
{
    struct packet *const request = line_request(cache, mshr);
    unsigned const command = request->command;

    mshr->is_forward = false;
    if (unlikely(!crossbar_direct_read(cache->hooks.bus, crossing, request, pass_read))) {
        packet_give(cache->sim->packets, request);
        return false;
    }
    sim_log(cache->sim, cache->name, "send", command, mshr->line_address);
    mshr_mark_in_service(mshr, request->cache_responding && !request->has_sharers);    /* see memsys/sim/port.h */
    cache_take_ready_mshr(cache, mshr);
    return true;
}

/* Does a miss become a read of its line? */
static bool is_line_miss(const struct mshr *mshr)
{
    const struct packet *const first = mshr_first_packet(mshr);

    return !mshr->targets.is_whole_line
           && (!first || ((LINE_MISSES >> first->command & 1) && !packet_is_uncacheable(first)));
}

static inline bool send_mshr(struct cache *cache, struct mshr *mshr)
{
    struct crossbar *const bus = cache->hooks.bus;
    uint64_t const line_address = mshr->line_address;
    struct crossbar_crossing crossing;

    if (unlikely(!is_line_miss(mshr)))
        return cache_send_with_packets(cache, mshr);
    if (!crossbar_direct_is_free(bus, cache->below.port, line_address, false, &crossing))
        return false;
    if (unlikely((!mshr->line_is_absent && ways_find(&cache->tags, line_address) != BLOCK_NONE)
               || !crossbar_direct_begin(bus, line_address >> cache->tags.line_shift, cache->below.port, &crossing)))
        return cache_send_with_packets(cache, mshr);
    return send_read(cache, mshr, &crossing);
}

/* Writes are evictions of lines of which no copy stays above, as a rule. */
static bool is_line_eviction(const struct write_entry *write)
{
    return !write->is_uncacheable && packet_is(write->packet, ATTR_EVICTION) && !write->packet->block_cached;
}

static inline bool send_write(struct cache *cache, struct write_entry *write)
{
    struct crossbar *const bus = cache->hooks.bus;
    uint64_t const line_address = write->line_address;
    unsigned const command = write->packet->command;
    struct crossbar_crossing crossing;

    if (unlikely(!is_line_eviction(write)))
        return cache_send_write(cache, write);
    if (!crossbar_direct_is_free(bus, cache->below.port, line_address, command != CMD_CleanEvict, &crossing))
        return false;
    if (unlikely(!crossbar_direct_begin(bus, line_address >> cache->tags.line_shift, cache->below.port, &crossing)
               || *crossing.word == 0))
        return cache_send_write(cache, write);
    if (unlikely(!crossbar_direct_eviction(bus, &crossing, write->packet, pass_eviction)))
        return false;
    sim_log(cache->sim, cache->name, "send", command, line_address);
    queue_index_free_write(cache, write);
    return true;
}

bool cache_send_mshr_direct(struct cache *cache, struct mshr *mshr)
{
    return send_mshr(cache, mshr);
}

bool cache_send_write_direct(struct cache *cache, struct write_entry *write)
{
    return send_write(cache, write);
}

void cache_send_next_direct(void *owner)
{
    cache_send_next(owner, queue_index_choose, send_mshr, send_write);
}

/* ---- hints to the host */

void cache_note_line(const struct cache *cache, uint64_t line_address)
{
    const struct crossbar *const bus = cache->hooks.bus;
    const struct cache *next;

    if (unlikely(!bus)) {
        below_prefetch_hint(&cache->below, line_address);
        return;
    }
    next = crossbar_direct_hint(bus, line_address, cache->tags.line_shift);
    if (next)
        ways_prefetch_hint(&next->tags, line_address);
    if (next && next->hooks.bus)
        snoop_words_prefetch_hint(snoop_words_of(&next->hooks.bus->filter), line_address >> cache->tags.line_shift);
}
