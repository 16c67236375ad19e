/* Prefetches that leave their page: translated by the MMU of the core whose cache wants them (struct
 * prefetch_translator, struct mmu_prefetches). */
#ifndef REPLAY_SYSTEM_SYSTEM_PREFETCH_H
#define REPLAY_SYSTEM_SYSTEM_PREFETCH_H

#include "replay/system/system.h"

/* From here on that MMU translates for the private cache's prefetchers, if there are an MMU and prefetchers that cross
 * pages. side: whose TLB is looked up; caches behind both L1s look at the data side. */
void system_translate_prefetches(struct system_cache *cache, struct mmu *mmu, enum mmu_side_number side);

#endif
