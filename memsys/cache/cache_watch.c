/* The step of serving a request (cache.c), between two looks at the counters: whether it hit is what they say. */
#include "memsys/cache/cache_watch.h"

#include "memsys/cache/cache_internal.h"

static bool watch_serve(struct cache *cache, struct packet *packet)
{
    struct cache_watch *const watch = cache->hooks.watch;
    struct request const request = packet->request;
    uint32_t const block = tags_find(&cache->tags, packet->address);
    struct cache_served served = {.request = &request, .address = packet->address};
    const struct cache_command_stats *counts;
    struct cache_command_stats before;

    cache_name_whole_line(cache, packet);
    served.command = packet->command;
    served.uses_prefetch = block != BLOCK_NONE && tags_has(&cache->tags, block, BLOCK_UNUSED)
                           && !packet_is(packet, ATTR_EVICTION) && !packet->cache_responding;
    counts = cache_count(cache, packet);
    before = *counts;
    cache_serve(cache, packet);
    served.is_hit = counts->hits != before.hits;
    served.is_miss = counts->misses != before.misses;
    served.is_fetch = block == BLOCK_NONE && counts->mshr_misses != before.mshr_misses
                      && !(command_attributes(served.command) & ATTR_EVICTION);
    watch->served(watch, cache, &served);
    return true;
}

void cache_watch_bind(struct cache *cache, struct cache_watch *watch)
{
    assert(!cache->hooks.serve);
    cache->hooks.watch = watch;
    cache->hooks.serve = watch_serve;
}
