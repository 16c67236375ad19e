/* Targets without packets (cache_targets.h): their packets. */
#include "memsys/fast/cache_targets.h"

#include "memsys/fast/queue_index.h"

static void make_packet(struct cache *cache, struct target *target)
{
    if (target->packet)
        return;
    if (!target->is_described)
        cache_describe_target(cache, target);
    target->packet = packet_take(cache->sim->packets, &target->request, target->is_write ? CMD_WriteReq : CMD_ReadReq);
    target->ready_ps = domain_edge_ps(cache->clock, target->received_ps) + cache->tag_ps;
}

void cache_make_packets(struct cache *cache, struct mshr *mshr)
{
    mshr->line_is_absent = false;
    mshr->targets.has_packets = true;
    for (struct target *target = mshr->targets.first; target; target = target->next)
        make_packet(cache, target);
}

/* An eviction may bring the line of an MSHR; a locked write looks at the MSHR's first packet. */
bool cache_serve_with_packets(struct cache *cache, struct packet *request)
{
    if (packet_is(request, ATTR_EVICTION | ATTR_LOCKED_RMW)) {
        struct mshr *const mshr = queue_index_find_mshr(cache, request->address);

        if (mshr)
            cache_make_packets(cache, mshr);
    }
    return false;
}

bool cache_fill_with_packets(struct cache *cache, struct packet *response)
{
    if (!packet_is(response, ATTR_WRITE) && response->sender_count > 0)
        cache_make_packets(cache, response->senders[response->sender_count - 1]);
    return false;
}

bool cache_send_with_packets(struct cache *cache, struct mshr *mshr)
{
    cache_make_packets(cache, mshr);
    return cache_send_mshr(cache, mshr);
}
