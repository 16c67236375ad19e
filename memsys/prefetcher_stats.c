/* Names of a prefetcher's statistics (classic-memory 13.5). pfInCache stays 0: the reference counts there only with
 * cache_snoop, which is not modelled. */
#include "memsys/component_stats.h"

/* name, counter, help */
#define FIRST_COUNTERS(C)                                                                                             \
    C(demandMshrMisses, demand_mshr_misses, "demand misses that took an MSHR")                                        \
    C(pfIssued, issued, "candidates whose turn came")                                                                 \
    C(pfUnused, unused, "prefetched lines lost before anybody used them")                                             \
    C(pfUseful, useful, "prefetched lines used")                                                                      \
    C(pfUsefulButMiss, useful_but_miss, "prefetched lines used, but without the permission asked for")
#define DROP_COUNTERS(C)                                                                                              \
    C(pfHitInCache, hit_in_cache, "candidates dropped: in the cache when their turn came")                            \
    C(pfHitInMSHR, hit_in_mshr, "candidates dropped: asked for already when their turn came")                         \
    C(pfHitInWB, hit_in_write_queue, "candidates dropped: in the write queue when their turn came")
#define QUEUE_COUNTERS(C)                                                                                             \
    C(pfIdentified, identified, "candidates in the page of the access")                                               \
    C(pfBufferHit, already_queued, "candidates that were queued already, but for the youngest")
#define LAST_COUNTERS(C)                                                                                              \
    C(pfRemovedDemand, removed_by_demand, "candidates removed because their line was asked for")                      \
    C(pfRemovedFull, removed_full, "candidates removed from a full queue")                                            \
    C(pfSpanPage, other_page, "candidates in another page, not fetched")                                              \
    C(pfUsefulSpanPage, useful_other_page, "of these, those of an access that used a prefetched line")

struct named_counter {
    const char *name, *help;
    size_t offset;                       /* in struct prefetcher_stats */
};

#define NAMED(name, field, help) {#name, help, offsetof(struct prefetcher_stats, field)},
static const struct named_counter first_counters[] = { FIRST_COUNTERS(NAMED) };
static const struct named_counter drop_counters[] = { DROP_COUNTERS(NAMED) };
static const struct named_counter queue_counters[] = { QUEUE_COUNTERS(NAMED) };
static const struct named_counter last_counters[] = { LAST_COUNTERS(NAMED) };

static void add_counters(struct stats *stats, const struct prefetcher *prefetcher, const struct named_counter *counters,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        stats_add(stats, &(struct stat_entry){
            .name = counters[i].name, .unit = "Count", .help = counters[i].help, .kind = STAT_COUNTER,
            .source = (const char *)&prefetcher->stats + counters[i].offset, .precision = STAT_PRECISION_AUTO
        });
}

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

static void add_derived(struct stats *stats, const struct prefetcher *prefetcher, const char *name,
                        enum derived derived,
                        const char *help)
{
    stats_add(stats, &(struct stat_entry){
        .name = name, .unit = "Count", .help = help, .kind = STAT_FORMULA, .source = &prefetcher->stats,
        .formula = evaluate, .argument = derived, .precision = STAT_PRECISION_AUTO
    });
}

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

void prefetcher_add_stats(const struct prefetcher *prefetcher, struct stats *stats)
{
    stats_group(stats, "system.%s", prefetcher->name);
    add_counters(stats, prefetcher, first_counters, COUNT_OF(first_counters));
    add_derived(stats, prefetcher, "accuracy", ACCURACY, "lines used per candidate whose turn came");
    add_derived(stats, prefetcher, "coverage", COVERAGE, "lines used, of these and the demand misses left");
    add_counters(stats, prefetcher, drop_counters, COUNT_OF(drop_counters));
    add_derived(stats, prefetcher, "pfLate", LATE, "candidates dropped when their turn came");
    add_counters(stats, prefetcher, queue_counters, COUNT_OF(queue_counters));
    add_derived(stats, prefetcher, "pfInCache", IN_CACHE, "not modelled");
    add_counters(stats, prefetcher, last_counters, COUNT_OF(last_counters));
}
