/* A candidate's way: prefetcher -> translate_candidate -> the MMU, which may look for the page for a while ->
 * take_translated -> the queue of the same prefetcher. */
#include "replay/system/system_prefetch.h"

static uint64_t virtual_of(void *self, uint64_t physical)
{
    const struct system_cache *const cache = self;
    uint64_t const address = mmu_virtual_of(cache->mmu, physical);

    return address == VM_NOWHERE ? PREFETCH_NOWHERE : address;
}

static bool translate_candidate(void *self, const struct prefetch_candidate *candidate, uint64_t from)
{
    struct system_cache *const cache = self;
    struct request const request = {.address = candidate->line_address, .size_bytes = cache->cache.sim->line_bytes,
                                    .pc = candidate->pc, .has_pc = candidate->has_pc,
                                    .requestor = cache->cache.prefetcher->requestor};

    return mmu_translate_prefetch(cache->mmu, cache->mmu_side, &request, from);
}

static void take_translated(void *self, const struct request *request)
{
    struct system_cache *const cache = self;
    struct prefetcher const *const prefetcher = cache->cache.prefetcher;
    struct prefetch_candidate const candidate = {
        .line_address = sim_line_address(cache->cache.sim, request->address), .pc = request->pc,
        .has_pc = request->has_pc, .ready_ps = sim_now_ps(cache->cache.sim) + prefetcher->latency_ps};

    cache_queue_prefetch(&cache->cache, &candidate);
}

void system_translate_prefetches(struct system_cache *cache, struct mmu *mmu,
                                 enum mmu_side_number side)
{
    struct prefetcher *const prefetcher = cache->cache.prefetcher;

    if (!mmu || !prefetcher || !prefetcher_crosses_pages(prefetcher))
        return;
    cache->mmu = mmu;
    cache->mmu_side = side;
    prefetcher->translator = (struct prefetch_translator){virtual_of, translate_candidate, cache};
    mmu_add_prefetches(mmu, (struct mmu_prefetches){take_translated, cache, prefetcher->requestor});
}
