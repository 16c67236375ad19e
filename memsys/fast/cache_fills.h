/* Responses that fill a line and end its MSHR, in one piece: cache_fills.c says why that is the same. */
#ifndef MEMSYS_FAST_CACHE_FILLS_H
#define MEMSYS_FAST_CACHE_FILLS_H

#include "memsys/cache/cache_internal.h"

/* Hook `fill` of struct cache_hooks, for a cache without prefetcher that keeps the lines it hands up. */
bool cache_take_fill(struct cache *cache, struct packet *response);
/* For a queue of responses that leads to a cache: above_fast. */
void cache_take_from_queue(void *queue);

#endif
