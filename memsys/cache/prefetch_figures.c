/* Modelled: nothing; counts the outcomes of a cache's prefetches (struct prefetch_figures) that the reference's
 * counters miss: lines of mostly exclusive caches, late prefetches, lines from before a reset.
 *
 * A prefetch counts from the moment its request is sent. Its line is marked BLOCK_UNUSED, and BLOCK_COUNTED if it
 * counts, until a request finds it; it is useful then. If a request waits for the line when it comes, the prefetch is
 * useful and late, and there is no mark. A prefetch that filled its line without becoming useful is useless: evicted,
 * or still unused.
 * A reset clears BLOCK_COUNTED and the marks of MSHRs, so prefetches from before count nowhere.
 *
 * Pollution: a line that a prefetched one displaced is remembered, unless it was itself a prefetched line without a
 * use: without the prefetcher it would not have been there. A demand miss to it counts; it is forgotten when it misses
 * or is prefetched. Each set remembers as many lines as it has ways, at most MOST_DISPLACED. */
#include "memsys/cache/cache_internal.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DISPLACED = 32 };

struct fault cache_prefetch_figures_init(struct cache *cache)
{
    struct prefetcher *const prefetcher = cache->prefetcher;
    size_t const sets = (size_t)cache->tags.set_count;

    prefetcher->displaced_ways = cache->tags.assoc < MOST_DISPLACED ? cache->tags.assoc : MOST_DISPLACED;
    prefetcher->displaced = calloc(sets * prefetcher->displaced_ways, sizeof *prefetcher->displaced);
    return prefetcher->displaced ? fault_none()
                                 : fault_make(FAULT_MEMORY, "out of memory for the prefetcher of %s", cache->name);
}

void cache_prefetch_figures_reset(struct cache *cache)
{
    struct prefetcher *const prefetcher = cache->prefetcher;
    size_t const sets = (size_t)cache->tags.set_count;

    if (prefetcher->figures.filled)
        tags_clear_all(&cache->tags, BLOCK_COUNTED);
    for (uint32_t i = 0; i < cache->mshr_count; i++)
        cache->mshrs[i]->counts_prefetch = false;
    if (prefetcher->displaced_count)
        memset(prefetcher->displaced, 0, sets * prefetcher->displaced_ways * sizeof *prefetcher->displaced);
    prefetcher->displaced_count = 0;
    prefetcher->figures = (struct prefetch_figures){0};
}

/* ---- lines that prefetched ones displaced */
static uint64_t *displaced_of_set(const struct cache *cache, uint64_t address)
{
    size_t const set = tags_set_of(&cache->tags, address >> cache->tags.line_shift);

    return cache->prefetcher->displaced + set * cache->prefetcher->displaced_ways;
}

/* Inserts the line at the front of its set's list; the oldest is dropped. */
static void prefetch_figures_remember(struct cache *cache, uint64_t line_address)
{
    struct prefetcher *const prefetcher = cache->prefetcher;
    uint64_t *const lines = displaced_of_set(cache, line_address);
    uint32_t const last = prefetcher->displaced_ways - 1;

    prefetcher->displaced_count += lines[last] == 0;
    memmove(lines + 1, lines, last * sizeof *lines);
    lines[0] = line_address | 1;
}

/* Returns whether the line was remembered. */
static bool prefetch_figures_forget(struct cache *cache, uint64_t line_address)
{
    struct prefetcher *const prefetcher = cache->prefetcher;
    uint32_t const ways = prefetcher->displaced_ways;
    uint64_t *lines;

    if (prefetcher->displaced_count == 0)
        return false;
    lines = displaced_of_set(cache, line_address);
    for (uint32_t i = 0; i < ways && lines[i]; i++) {
        if (lines[i] != (line_address | 1))
            continue;
        memmove(lines + i, lines + i + 1, (ways - i - 1) * sizeof *lines);
        lines[ways - 1] = 0;
        prefetcher->displaced_count--;
        return true;
    }
    return false;
}

/* ---- the life of a prefetch */

/* Does a request wait for the line of this MSHR? Those that are deferred do, too. */
static bool prefetch_figures_is_wanted(const struct mshr *mshr)
{
    bool is_wanted = mshr->deferred.first != NULL;

    for (const struct target *target = mshr->targets.first; target; target = target->next)
        is_wanted = is_wanted || target->source == TARGET_FROM_ABOVE;
    return is_wanted;
}

static bool is_prefetch(const struct mshr *mshr)
{
    return mshr->targets.first && mshr->targets.first->source == TARGET_FROM_PREFETCHER;
}

void cache_prefetch_sent(struct cache *cache, struct mshr *mshr)
{
    mshr->counts_prefetch = is_prefetch(mshr);
    cache->prefetcher->figures.issued += mshr->counts_prefetch;
}

void cache_prefetch_arrives(struct cache *cache, const struct mshr *mshr)
{
    cache->prefetcher->is_filling = mshr->counts_prefetch && !prefetch_figures_is_wanted(mshr);
    if (is_prefetch(mshr))
        prefetch_figures_forget(cache, mshr->line_address);
}

void cache_prefetch_arrived(struct cache *cache, struct mshr *mshr, uint32_t block)
{
    struct prefetch_figures *const figures = &cache->prefetcher->figures;
    bool const is_late = prefetch_figures_is_wanted(mshr);

    cache->prefetcher->is_filling = false;
    tags_clear(&cache->tags, block, BLOCK_UNUSED | BLOCK_COUNTED);
    if (!is_prefetch(mshr))
        return;
    if (!is_late)
        tags_set(&cache->tags, block, mshr->counts_prefetch ? BLOCK_UNUSED | BLOCK_COUNTED : BLOCK_UNUSED);
    if (mshr->counts_prefetch) {
        figures->filled++;
        figures->useful += is_late;
        figures->late += is_late;
    }
    mshr->counts_prefetch = false;
}

void cache_prefetch_lost(struct cache *cache, uint32_t block)
{
    if (cache->prefetcher->is_filling && !tags_has(&cache->tags, block, BLOCK_UNUSED))
        prefetch_figures_remember(cache, tags_address(&cache->tags, block));
}

void cache_prefetch_used(struct cache *cache, uint32_t block)
{
    cache->prefetcher->figures.useful += tags_has(&cache->tags, block, BLOCK_COUNTED);
    tags_clear(&cache->tags, block, BLOCK_UNUSED | BLOCK_COUNTED);
}

void cache_prefetch_missed(struct cache *cache, uint64_t address)
{
    cache->prefetcher->figures.pollution += prefetch_figures_forget(cache, sim_line_address(cache->sim, address));
}
