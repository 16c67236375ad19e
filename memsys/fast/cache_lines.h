/* Reads and evictions of lines, from one cache over a crossbar to the next: hooks of struct cache_hooks.
 *
 * Shortcut: most misses become a read of their line, and most evictions find the way free and their line in the cache
 * below. Such a request goes out, over the crossbar (crossbar_direct.h) and into the cache below in one piece, which
 * asks nothing that is known: the plain cache asks each packet for its command, marks, locks, prefetches, delays.
 * Why the result is the same: the steps are those of the plain functions for such a packet, in the same order
 * (cache_send_mshr and cache_serve with each condition decided); all other packets are left to them before anything
 * has changed. On arrival that needs a coherent cache with LRU and without prefetcher (cache_bind_fast). That a line
 * is not there is known from the miss on, unless a write-back brings it (mshr: line_is_absent). Compared with plain by
 * tests/unit/memsys/fast/test_fast_memory.c and tests/unit/memsys/cache/test_coherence.c. */
#ifndef MEMSYS_FAST_CACHE_LINES_H
#define MEMSYS_FAST_CACHE_LINES_H

#include "memsys/cache/cache_internal.h"

bool cache_serve_line(struct cache *cache, struct packet *packet);
bool cache_send_mshr_direct(struct cache *cache, struct mshr *mshr);
bool cache_send_write_direct(struct cache *cache, struct write_entry *write);
/* cache_send_next_request, with these two in line. */
void cache_send_next_direct(void *owner);
/* For any cache: passes the hint on to the component below. */
void cache_note_line(const struct cache *cache, uint64_t line_address);

#endif
