/* Modelled: choosing and sending the next request to the memory side (classic-memory 4.8, 4.13).
 *
 * One event, request_event, means "something may be ready to send". It is never scheduled while a refused request
 * waits for its retry; on the retry the choice is made anew. */
#include "memsys/cache/send.h"

static bool send_packet(struct cache *cache, struct packet *packet)
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
    return cache->is_read_only || cache->is_mostly_exclusive ? CMD_ReadCleanReq : CMD_ReadSharedReq;
}

/* A request of `command` for the line of an MSHR. */
static struct packet *line_request(struct cache *cache, struct mshr *mshr, enum command command)
{
    const struct packet *const first = mshr_first_packet(mshr);
    struct packet *const request = packet_take(cache->sim->packets, &first->request, command);

    request->address = mshr->line_address;
    request->size_bytes = cache->sim->line_bytes;
    request->has_sharers = cache->is_coherent && first->has_sharers && !mshr->targets.needs_writable;
    request->senders[0] = mshr;
    request->sender_count = 1;
    return request;
}

bool cache_send_mshr(struct cache *cache, struct mshr *mshr)
{
    struct packet_pool *const packets = cache->sim->packets;
    uint32_t const block = tags_find(&cache->tags, mshr->line_address);
    struct packet *const first = mshr_first_packet(mshr);
    struct packet *request;
    enum command command;

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
    }
    if (!send_packet(cache, request)) {
        packet_give(packets, request);
        return false;
    }
    cache_mark_in_service(cache, mshr, request->cache_responding && !request->has_sharers);    /* see sim/port.h */
    return true;
}

bool cache_send_write(struct cache *cache, struct write_entry *write)
{
    if (!send_packet(cache, write->packet))
        return false;
    cache_free_write(cache, write);
    return true;
}

void cache_send_next_request(void *owner)
{
    struct cache *const cache = owner;

    cache_send_next(cache, cache->queues->choose, cache->hooks.send_mshr ? cache->hooks.send_mshr : cache_send_mshr,
                    cache->hooks.send_write ? cache->hooks.send_write : cache_send_write);
}

void cache_recv_request_retry(void *self, unsigned port)
{
    struct cache *const cache = self;

    (void)port;
    assert(cache->waiting_for_request_retry);
    cache->waiting_for_request_retry = false;
    cache_send_next_request(cache);
}
