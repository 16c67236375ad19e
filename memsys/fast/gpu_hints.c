#include "memsys/fast/gpu_hints.h"

#include "base/hints.h"
#include "memsys/gpu/sector_cache.h"
#include "memsys/gpu/slice.h"

static void request_is_next(const struct gpu_slices *slices, const struct gpu_slice *slice)
{
    const struct gpu_arrival *const next = &slice->arrivals[slice->first & slices->arrival_mask];

    PREFETCH(&slices->pool->slots[next->slot]);
    if (slices->has_tags)
        PREFETCH(sector_cache_line_at(slice->cache, next->key));
}

static void fill_is_next(const struct sector_cache *cache, uint64_t address, uint32_t mshr)
{
    PREFETCH(sector_cache_mshr_at(cache, mshr));
    PREFETCH(sector_cache_line_at(cache, address));
}

static void answer_is_sent(const struct gpu_slot *slot)
{
    PREFETCH(slot);
}

const struct gpu_hooks gpu_hints = {
    .request_is_next = request_is_next, .fill_is_next = fill_is_next, .answer_is_sent = answer_is_sent
};
