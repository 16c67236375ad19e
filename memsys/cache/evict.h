/* Which block a fill reuses, and the packet by which its line leaves (classic-memory 4.10, 4.12): the pieces of which
 * fill.c makes functions. */
#ifndef MEMSYS_CACHE_EVICT_H
#define MEMSYS_CACHE_EVICT_H

#include "memsys/cache/cache_internal.h"

/* The packet by which the line of a block leaves; NULL if the memory side need not know. The caller invalidates it. */
static inline struct packet *cache_eviction_of(struct cache *cache, uint32_t block, uint64_t address)
{
    unsigned const flags = tags_flags(&cache->tags, block);
    enum command const command = flags & BLOCK_DIRTY ? CMD_WritebackDirty
                                                     : cache->writeback_clean ? CMD_WritebackClean : CMD_CleanEvict;
    struct packet *packet;

    if (command == CMD_CleanEvict && !cache->is_coherent)
        return NULL;
    sim_log(cache->sim, cache->name, command == CMD_CleanEvict ? "evict" : "writeback", command, address);
    packet = packet_take_line(cache->sim->packets, address, cache->sim->line_bytes, REQUESTOR_WRITEBACKS, command);
    packet->has_sharers = !(flags & BLOCK_WRITABLE);     /* of a notice too: forward_clean makes a write-back of it */
    cache->stats.writebacks += command != CMD_CleanEvict;
    return packet;
}

/* tags_victim among the ways of the packet's side. */
uint32_t cache_victim_of_side(struct cache *cache, const struct packet *packet);

/* Asks the caches above about a line that leaves; sets only block_cached of the packet. */
void cache_ask_about_eviction(struct cache *cache, struct packet *packet);

/* Does a cache above hold the line, so that the packet is not needed? Then it is given back. */
static inline bool cache_drops_eviction(struct cache *cache, struct packet *packet)
{
    if (!cache_asks_above(cache))
        return false;
    cache_ask_about_eviction(cache, packet);
    if (!packet->block_cached || !packet_is(packet, ATTR_CLEAN_EVICTION))
        return false;
    packet_give(cache->sim->packets, packet);
    return true;
}

#endif
