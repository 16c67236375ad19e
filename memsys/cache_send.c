/* Modelled: choosing and sending the next request to the memory side (classic-memory 4.8, 4.13).
 *
 * One event, request_event, stands for "something may be ready to send". It is never scheduled while a refused request
 * waits for its retry; on the retry the choice is made anew. */
#include "memsys/cache_queues.h"

#define PLAIN_MISSES (UINT64_C(1) << CMD_ReadReq | UINT64_C(1) << CMD_WriteReq | UINT64_C(1) << CMD_ReadExReq         \
                      | UINT64_C(1) << CMD_ReadCleanReq | UINT64_C(1) << CMD_ReadSharedReq)
_Static_assert(CMD_COUNT <= 64, "sets of commands are words");

/* A write is ready, and no miss is, or the write queue is full: it goes, unless an older miss of its line waits. */
static void choose_write(const struct cache *cache, struct mshr **mshr, struct write_entry **write)
{
    *mshr = NULL;
    if (!cache->mshr_lines.counts[cache_line_place(cache, (*write)->line_address)])
        return;
    for (uint32_t i = 0; i < cache->mshr_ready_count; i++) {
        struct mshr *const conflict = cache->mshr_ready[i];

        if (conflict->line_address != (*write)->line_address)
            continue;
        if (conflict->order < (*write)->order) {
            *mshr = conflict;
            *write = NULL;
        }
        return;
    }
}

/* A miss is ready: it goes, unless a write of its line waits. */
static void choose_miss(const struct cache *cache, struct mshr **mshr, struct write_entry **write)
{
    uint64_t const line_address = (*mshr)->line_address;

    *write = NULL;
    if (!cache->write_lines.counts[cache_line_place(cache, line_address)])
        return;
    for (uint32_t i = 0; *mshr && i < cache->write_count; i++)
        if (cache->writes[i]->line_address == line_address) {
            *write = cache->writes[i];
            *mshr = NULL;
        }
}

/* Sets one of the two, or neither if nothing is ready. */
static void choose_entry(const struct cache *cache, struct mshr **mshr, struct write_entry **write)
{
    uint64_t const now_ps = cache_now_ps(cache);

    *mshr = cache->mshr_ready_count && cache->mshr_ready[0]->ready_ps <= now_ps ? cache->mshr_ready[0] : NULL;
    *write = cache->write_count && cache->writes[0]->ready_ps <= now_ps ? cache->writes[0] : NULL;
    if (*write && (cache->write_count >= cache->write_buffer_limit || !*mshr))
        choose_write(cache, mshr, write);
    else if (*mshr)
        choose_miss(cache, mshr, write);
}

static bool send_any(struct cache *cache, struct packet *packet)
{
    unsigned const command = packet->command;    /* the receiver may change and free the packet */
    uint64_t const address = packet->address;

    if (!cache->below.ops->recv_request(cache->below.self, packet, cache->below.port))
        return false;
    sim_log(cache->sim, cache->name, "send", command, address);
    return true;
}

/* The command that a miss becomes (the table of classic-memory 4.8); CMD_COUNT: it is forwarded unchanged. */
static enum command miss_command(const struct cache *cache, const struct packet *packet,
                                 const struct target_list *targets, uint32_t block)
{
    if (!cache->is_coherent)
        return CMD_ReadReq;
    if (packet_is_uncacheable(packet) || (block == BLOCK_NONE && packet_is(packet, ATTR_UPGRADE))
        || packet->command == CMD_InvalidateReq)
        return CMD_COUNT;
    if (targets->is_whole_line)
        return CMD_InvalidateReq;
    if (block != BLOCK_NONE)
        return packet_is(packet, ATTR_LLSC) ? CMD_SCUpgradeReq : CMD_UpgradeReq;
    if (packet->command == CMD_SCUpgradeFailReq || packet->command == CMD_StoreCondFailReq)
        return CMD_SCUpgradeFailReq;
    if (targets->needs_writable)
        return CMD_ReadExReq;
    return (enum command)cache->read_command;
}

/* A miss becomes a read of its line as a rule. */
static bool is_plain_miss(const struct cache *cache, const struct mshr *mshr)
{
    const struct packet *const first = mshr_first_packet(mshr);

    return cache->plain_bus && !mshr->targets.is_whole_line
           && (!first || ((PLAIN_MISSES >> first->command & 1) && !packet_is_uncacheable(first)));
}

/* A request of `command` for the line of an MSHR. */
static struct packet *line_request(struct cache *cache, struct mshr *mshr, enum command command)
{
    const struct target *const first = mshr->targets.first;
    struct packet *const request = packet_take(cache->sim->packets, target_request(first), command);

    request->address = mshr->line_address;
    request->size_bytes = cache->sim->line_bytes;
    request->has_sharers = first->packet && first->packet->has_sharers && !mshr->targets.needs_writable;
    request->senders[0] = mshr;
    request->sender_count = 1;
    return request;
}

/* As a rule from an L1 to the L2, or from there to the memory. */
static IN_LINE bool pass_read(const struct below *below, struct packet *packet)
{
    if (below->plain_cache)
        return cache_recv_line_read(below->plain_cache, packet);
    return below->ops->recv_request(below->self, packet, below->port);
}

static IN_LINE bool pass_eviction(const struct below *below, struct packet *packet)
{
    if (below->plain_cache) {
        if (cache_refuses(below->plain_cache))
            return false;
        if (cache_serve_line_eviction(below->plain_cache, packet))
            return true;
    }
    return below->ops->recv_request(below->self, packet, below->port);
}

static IN_LINE bool send_plain_miss(struct cache *cache, struct mshr *mshr, const struct crossbar_crossing *crossing)
{
    enum command const command = mshr->targets.needs_writable ? CMD_ReadExReq : (enum command)cache->read_command;
    struct packet *const request = line_request(cache, mshr, command);

    mshr->is_forward = false;
    if (RARELY(!crossbar_plain_read(cache->plain_bus, crossing, request, pass_read))) {
        packet_give(cache->sim->packets, request);
        return false;
    }
    sim_log(cache->sim, cache->name, "send", command, mshr->line_address);
    mshr_mark_in_service(mshr, request->cache_responding && !request->has_sharers);    /* see memsys/port.h */
    cache_take_ready_mshr(cache, mshr);
    return true;
}

OUT_OF_LINE static bool send_any_mshr(struct cache *cache, struct mshr *mshr)
{
    struct packet_pool *const packets = cache->sim->packets;
    uint32_t const block = tags_find(&cache->tags, mshr->line_address);
    struct packet *request, *first;
    enum command command;

    target_list_make_packets(&mshr->targets, &cache->targets, packets);
    first = mshr_first_packet(mshr);
    if (first->command == CMD_HardPFReq && cache_asks_above(cache) && cache_ask_above(cache, mshr))
        return true;
    if (cache->has_write_allocator && packet_is(first, ATTR_WRITE)
        && write_allocator_delays(&cache->write_allocator, mshr->line_address,
                                  mshr->targets.is_whole_line)) {
        uint64_t const size_bytes = max_u64(first->size_bytes, 1);

        mshr->ready_ps = cache_now_ps(cache) + cache->sim->line_bytes / size_bytes * cache->clock.period_ps;
        return true;                     /* put off; keeps its place in the list */
    }
    command = miss_command(cache, first, &mshr->targets, block);
    mshr->is_forward = command == CMD_COUNT;
    if (command == CMD_UpgradeReq)       /* also a prefetch whose line a write-back has brought: the reference stops */
        mshr->targets.needs_writable = true;
    if (mshr->is_forward) {
        request = packet_take_copy(packets, first, true);
        assert(request->sender_count < PACKET_DEPTH);
        request->senders[request->sender_count++] = mshr;
    } else {
        request = line_request(cache, mshr, command);
        request->has_sharers &= cache->is_coherent;
    }
    if (!send_any(cache, request)) {
        packet_give(packets, request);
        return false;
    }
    cache_mark_in_service(cache, mshr, request->cache_responding && !request->has_sharers);    /* see memsys/port.h */
    return true;
}

static uint64_t line_number(const struct cache *cache, uint64_t line_address)
{
    return line_address >> cache->tags.line_shift;
}

/* False only if refused. */
static bool send_mshr(struct cache *cache, struct mshr *mshr)
{
    struct crossbar_crossing crossing;

    if (RARELY(!is_plain_miss(cache, mshr)))
        return send_any_mshr(cache, mshr);
    if (!crossbar_plain_is_free(cache->plain_bus, cache->below.port, mshr->line_address, &crossing))
        return false;
    if (RARELY((!mshr->line_is_absent && tags_find(&cache->tags, mshr->line_address) != BLOCK_NONE)
               || !crossbar_plain_begin(cache->plain_bus, line_number(cache, mshr->line_address), cache->below.port,
                                        &crossing)))
        return send_any_mshr(cache, mshr);
    return send_plain_miss(cache, mshr, &crossing);
}

/* Writes are evictions of lines of which no copy stays above, as a rule. */
static bool is_plain_write(const struct cache *cache, const struct write_entry *write)
{
    const struct packet *const packet = write->packet;

    return cache->plain_bus && !write->is_uncacheable && packet_is(packet, ATTR_EVICTION) && !packet->block_cached;
}

static IN_LINE bool send_plain_write(struct cache *cache, struct write_entry *write,
                                     const struct crossbar_crossing *crossing)
{
    unsigned const command = write->packet->command;

    if (RARELY(!crossbar_plain_eviction(cache->plain_bus, crossing, write->packet, pass_eviction)))
        return false;
    sim_log(cache->sim, cache->name, "send", command, write->line_address);
    return true;
}

/* Sends the packet of a write, but leaves the entry. */
static bool pass_write(struct cache *cache, struct write_entry *write)
{
    struct crossbar_crossing crossing;

    if (RARELY(!is_plain_write(cache, write)))
        return send_any(cache, write->packet);
    if (!crossbar_plain_is_free(cache->plain_bus, cache->below.port, write->line_address, &crossing))
        return false;
    if (RARELY(!crossbar_plain_begin(cache->plain_bus, line_number(cache, write->line_address), cache->below.port,
                                      &crossing)
               || *crossing.word == 0))
        return send_any(cache, write->packet);
    return send_plain_write(cache, write, &crossing);
}

static bool send_write(struct cache *cache, struct write_entry *write)
{
    if (!pass_write(cache, write))
        return false;
    cache_take_write(cache, write);
    return true;
}

void cache_send_next_request(void *owner)
{
    struct cache *const cache = owner;
    uint64_t when_ps = TICK_NEVER;
    struct write_entry *write;
    struct mshr *mshr;

    choose_entry(cache, &mshr, &write);
    if (!mshr && !write && cache_may_prefetch(cache))
        mshr = cache_take_prefetch(cache);
    if (mshr || write) {
        if (RARELY(packet_queue_count(&cache->snoop_responses) > 0)
            && packet_queue_holds_line(&cache->snoop_responses, mshr ? mshr->line_address : write->line_address)) {
            cache_schedule_request(cache, packet_queue_next_ps(&cache->snoop_responses));
            return;
        }
        cache->waiting_for_request_retry = !(mshr ? send_mshr(cache, mshr) : send_write(cache, write));
    }
    if (cache->waiting_for_request_retry)
        return;
    if (cache->mshr_ready_count)
        when_ps = cache->mshr_ready[0]->ready_ps;
    if (cache->write_count)
        when_ps = min_u64(when_ps, cache->writes[0]->ready_ps);
    if (cache_may_prefetch(cache))
        when_ps = min_u64(when_ps, prefetcher_next_ps(cache->prefetcher));
    if (when_ps != TICK_NEVER)
        cache_schedule_send(cache, when_ps);
}

void cache_recv_request_retry(void *self, unsigned port)
{
    struct cache *const cache = self;

    (void)port;
    assert(cache->waiting_for_request_retry);
    cache->waiting_for_request_retry = false;
    cache_send_next_request(cache);
}
