/* A candidate's way: prefetcher -> translate_candidate -> the MMU, which may look for the page for a while ->
 * take_translated -> the queue of the same prefetcher. */
#include "replay/system/system_prefetch.h"

static uint64_t virtual_of(void *self, uint64_t physical)
{
    const struct system_cache *const cache = self;
    uint64_t const address = cache->mmu ? mmu_virtual_of(cache->mmu, physical) : physical;

    return address == VM_NOWHERE ? PREFETCH_NOWHERE : address;
}

bool system_prefetch_is_memory(const struct elastic_limits *limits, uint64_t address)
{
    bool is_hole = address < limits->memory_base || address >= limits->memory_end;

    for (unsigned i = 0; i < limits->hole_count; i++)
        is_hole = is_hole || (address >= limits->holes[i].base && address < limits->holes[i].end);
    return !is_hole;
}

/* Levels that a prefetch goes down, as flags of its request while it is translated. */
static uint32_t flags_of_levels(uint8_t levels_below)
{
    return (levels_below & 1 ? REQUEST_PREFETCH_BELOW : 0u) | (levels_below & 2 ? REQUEST_PREFETCH_BELOW_2 : 0u);
}

static uint8_t levels_of_flags(uint32_t flags)
{
    return (uint8_t)((flags & REQUEST_PREFETCH_BELOW ? 1 : 0) + (flags & REQUEST_PREFETCH_BELOW_2 ? 2 : 0));
}

static bool translate_candidate(void *self, const struct prefetch_candidate *candidate, uint64_t from)
{
    struct system_cache *const cache = self;
    struct request const request = {.address = candidate->line_address, .size_bytes = cache->cache.sim->line_bytes,
                                    .pc = candidate->pc, .has_pc = candidate->has_pc,
                                    .requestor = cache->cache.prefetcher->requestor,
                                    .metadata = candidate->metadata,
                                    .flags = flags_of_levels(candidate->levels_below)};

    if (!cache->mmu) {
        if (system_prefetch_is_memory(cache->limits, candidate->line_address & ~ADDRESS_SECURE))
            prefetcher_queue(cache->cache.prefetcher, candidate);
        return true;
    }
    return mmu_translate_prefetch(cache->mmu, cache->mmu_side, &request, from);
}

static void take_translated(void *self, const struct request *request)
{
    struct system_cache *const cache = self;
    struct prefetcher const *const prefetcher = cache->cache.prefetcher;
    struct prefetch_candidate const candidate = {
        .line_address = sim_line_address(cache->cache.sim, request->address), .pc = request->pc,
        .has_pc = request->has_pc, .metadata = request->metadata,
        .levels_below = levels_of_flags(request->flags),
        .ready_ps = sim_now_ps(cache->cache.sim) + prefetcher->latency_ps};

    cache_queue_prefetch(&cache->cache, &candidate);
}

void system_translate_prefetches(struct system_cache *cache, struct mmu *mmu)
{
    struct prefetcher *const prefetcher = cache->cache.prefetcher;

    if (!prefetcher || !prefetcher_crosses_pages(prefetcher))
        return;
    cache->mmu = mmu;
    prefetcher->translator = (struct prefetch_translator){virtual_of, translate_candidate, cache};
    if (mmu)
        mmu_add_prefetches(mmu, (struct mmu_prefetches){take_translated, cache, prefetcher->requestor});
}

static bool place_candidate(void *self, const struct prefetch_candidate *candidate, uint64_t from)
{
    struct system_cache *const cache = self;
    struct prefetch_candidate placed = *candidate;

    if (!cache->mmu)
        return translate_candidate(self, candidate, from);
    placed.line_address = mmu_place_of(cache->mmu, candidate->line_address, from);
    if (placed.line_address == VM_NOWHERE)
        return false;
    prefetcher_queue(cache->cache.prefetcher, &placed);
    return true;
}

void system_prefetch_at_once(struct system_cache *cache, bool at_once)
{
    struct prefetcher *const prefetcher = cache->cache.prefetcher;

    if (prefetcher && prefetcher->translator.translate)
        prefetcher->translator.translate = at_once ? place_candidate : translate_candidate;
}
