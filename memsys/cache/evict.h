/* Which block a fill reuses, and the packet by which its line leaves (classic-memory 4.10, 4.12): the pieces of which
 * fill.c makes functions. */
#ifndef MEMSYS_CACHE_EVICT_H
#define MEMSYS_CACHE_EVICT_H

#include "memsys/cache/queues.h"

/* The packet by which the line of a block leaves, which is to be invalidated; NULL if nobody need know. */
static inline struct packet *cache_eviction_of(struct cache *cache, uint32_t block)
{
    uint64_t const address = tags_address(&cache->tags, block);
    unsigned const flags = tags_flags(&cache->tags, block);
    enum command const command = flags & BLOCK_DIRTY ? CMD_WritebackDirty
                                                     : cache->writeback_clean ? CMD_WritebackClean : CMD_CleanEvict;
    struct packet *packet;

    if (command == CMD_CleanEvict && !cache->is_coherent)
        return NULL;
    sim_log(cache->sim, cache->name, command == CMD_CleanEvict ? "evict" : "writeback", command, address);
    packet = packet_take_line(cache->sim->packets, address, cache->sim->line_bytes, REQUESTOR_WRITEBACKS, command);
    if (command != CMD_CleanEvict) {
        packet->has_sharers = !(flags & BLOCK_WRITABLE);
        cache->stats.writebacks++;
    }
    return packet;
}

/* tags_victim among the ways of the packet's side. */
uint32_t cache_victim_of_side(const struct cache *cache, const struct packet *packet);

/* A block for the packet's line, and the packet by which its old line leaves, which stays NULL if there is none.
 * BLOCK_NONE: none is free. invalidates: false if tags_insert does all that cache_invalidate would do, as with LRU and
 * without a prefetcher. */
static inline uint32_t cache_reuse_block(struct cache *cache, const struct packet *packet,
                                               struct packet **eviction, bool invalidates)
{
    uint32_t const victim = cache->is_divided ? cache_victim_of_side(cache, packet)
                                                      : tags_victim(&cache->tags, packet->address);

    if (tags_is_valid(&cache->tags, victim)) {
        if (cache_find_mshr(cache, tags_address(&cache->tags, victim)))
            return BLOCK_NONE;           /* an upgrade of the victim is pending */
        cache->stats.replacements++;
        *eviction = cache_eviction_of(cache, victim);
        if (invalidates)
            cache_invalidate(cache, victim);
    }
    tags_insert(&cache->tags, victim, packet);
    return victim;
}

/* Asks the caches above about a line that leaves; the packet is as it was but for block_cached. */
void cache_ask_about_eviction(struct cache *cache, struct packet *packet);

static inline void cache_queue_eviction(struct cache *cache, struct packet *packet, uint64_t when_ps)
{
    if (cache_asks_above(cache)) {
        cache_ask_about_eviction(cache, packet);
        if (packet->block_cached && packet_is(packet, ATTR_CLEAN_EVICTION)) {
            packet_give(cache->sim->packets, packet);
            return;
        }
    }
    cache_put_write(cache, packet, packet->address, false, when_ps);
}

#endif
