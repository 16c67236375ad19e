/* Names of a prefetcher's statistics (classic-memory 13.5), and of struct prefetch_figures beside them, which the
 * reference does not have. pfInCache stays 0: the reference counts there only with cache_snoop, which is not
 * modelled. */
#include <string.h>

#include "memsys/prefetch/prefetcher.h"
#include "memsys/sim/sim_statistics.h"

enum derived { ACCURACY, COVERAGE, LATE, IN_CACHE };

static double evaluate(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct prefetcher_stats *const of = context;

    (void)column;
    (void)time;
    switch ((enum derived)argument) {
    case ACCURACY: return (double)of->useful / (double)of->issued;
    case COVERAGE: return (double)of->useful / (double)(of->useful + of->demand_mshr_misses);
    case LATE: return (double)(of->hit_in_cache + of->hit_in_mshr + of->hit_in_write_queue);
    case IN_CACHE: break;
    }
    return 0;
}

static double useless(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct prefetch_figures *const of = context;

    (void)argument;
    (void)column;
    (void)time;
    return (double)(of->filled - of->useful);
}

#define COUNTER(stat, field, text) {.name = #stat, .source = &of->field, .help = text}
#define DERIVED(stat, figure, text) {.name = #stat, .source = of, .formula = evaluate, .argument = figure, .help = text}

void prefetcher_add_stats(const struct prefetcher *prefetcher, struct stats *stats)
{
    const struct prefetcher_stats *const of = &prefetcher->stats;
    struct stat_entry const rows[] = {
        COUNTER(demandMshrMisses, demand_mshr_misses, "demand misses that took an MSHR"),
        COUNTER(pfIssued, issued, "candidates whose turn came"),
        COUNTER(pfUnused, unused, "prefetched lines lost before anybody used them"),
        COUNTER(pfUseful, useful, "prefetched lines used"),
        COUNTER(pfUsefulButMiss, useful_but_miss, "prefetched lines used, but without the permission asked for"),
        DERIVED(accuracy, ACCURACY, "lines used per candidate whose turn came"),
        DERIVED(coverage, COVERAGE, "lines used, of these and the demand misses left"),
        COUNTER(pfHitInCache, hit_in_cache, "candidates dropped: in the cache when their turn came"),
        COUNTER(pfHitInMSHR, hit_in_mshr, "candidates dropped: asked for already when their turn came"),
        COUNTER(pfHitInWB, hit_in_write_queue, "candidates dropped: in the write queue when their turn came"),
        DERIVED(pfLate, LATE, "candidates dropped when their turn came"),
        COUNTER(pfIdentified, identified, "candidates in the page of the access"),
        COUNTER(pfBufferHit, already_queued, "candidates that were queued already, but for the youngest"),
        DERIVED(pfInCache, IN_CACHE, "not modelled"),
        COUNTER(pfRemovedDemand, removed_by_demand, "candidates removed because their line was asked for"),
        COUNTER(pfRemovedFull, removed_full, "candidates removed from a full queue"),
        COUNTER(pfSpanPage, other_page, "candidates in another page, not fetched"),
        COUNTER(pfUsefulSpanPage, useful_other_page, "of these, those of an access that used a prefetched line")
    };
    const struct prefetch_figures *const figures = &prefetcher->figures;
    struct stat_entry const own[] = {
        {.name = "issued", .source = &figures->issued, .flags = STAT_OURS, .help = "prefetches sent"},
        {.name = "filled", .source = &figures->filled, .flags = STAT_OURS, .help = "lines that they brought"},
        {.name = "useful", .source = &figures->useful, .flags = STAT_OURS,
         .help = "of these: used by a request, late ones included"},
        {.name = "late", .source = &figures->late, .flags = STAT_OURS,
         .help = "of these: asked for before they came"},
        {.name = "useless", .source = figures, .formula = useless, .flags = STAT_OURS,
         .help = "lines brought and not used: lost, or left at the end"},
        {.name = "displacedMisses", .source = &figures->pollution, .flags = STAT_OURS,
         .help = "demand misses to lines that a prefetched line had displaced"}
    };
    int const cache_length = (int)(strrchr(prefetcher->name, '.') - prefetcher->name);

    stats_group(stats, "system.%s", prefetcher->name);
    STATS_ADD_TABLE(stats, rows);
    stats_group(stats, "system.%.*s.prefetch", cache_length, prefetcher->name);
    STATS_ADD_TABLE(stats, own);
}
