/* Prefetches that leave their page: translated by the MMU of the core whose cache wants them (struct
 * prefetch_translator, struct mmu_prefetches). */
#ifndef REPLAY_SYSTEM_SYSTEM_PREFETCH_H
#define REPLAY_SYSTEM_SYSTEM_PREFETCH_H

#include "replay/system/system.h"

/* If the cache's prefetchers cross pages: from here on that MMU translates for them, whose core alone the cache serves.
 * NULL, without TLBs: addresses are physical, and the next page is the next frame, if it is memory. Its mmu_side and
 * limits are set. */
void system_translate_prefetches(struct system_cache *cache, struct mmu *mmu);
/* While caches warm: pages are found without TLBs and time, as if all translations were there. Not at_once: as before.
 * Nothing for a cache whose prefetchers stay in their page. */
void system_prefetch_at_once(struct system_cache *cache, bool at_once);
/* Is the physical address one of a memory? */
bool system_prefetch_is_memory(const struct elastic_limits *limits, uint64_t address);

#endif
