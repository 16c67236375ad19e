/* Names of a cache's statistics (classic-memory 4.15). Everything is a formula over the counters of one command and one
 * requestor: a figure of a command, of the demand commands together, or of those and prefetches ("overall").
 *
 * Not registered: counters that stay 0 in this model (hit latency, compression) and everything below tags. */
#include "memsys/cache/cache.h"
#include "memsys/cache/cache_module.h"
#include "memsys/sim/sim_statistics.h"

#include <string.h>

/* The counter that a figure sums. */
enum field {
    HITS, MISSES, ACCESSES, MISS_LATENCY, MSHR_HITS, MSHR_MISSES, MSHR_LATENCY, UNCACHEABLE, UNCACHEABLE_LATENCY, ONE
};

/* Whose counters: one command (its number), or a group. */
enum command_set { SET_DEMAND = CMD_COUNT, SET_OVERALL };

struct figure {
    const char *name, *unit, *help;
    enum command_set set;                /* of the cache's own figures */
    enum field counted, per;             /* per ONE: a count, otherwise a ratio */
};

/* name of the command's figure, unit, counted, divided by, help */
#define COMMAND_FIGURES(F)                                                                                            \
    F(hits, "Count", HITS, ONE, "accesses that hit")                                                                  \
    F(misses, "Count", MISSES, ONE, "accesses that missed")                                                           \
    F(missLatency, "Tick", MISS_LATENCY, ONE, "waiting time of all requests that missed")                             \
    F(accesses, "Count", ACCESSES, ONE, "hits and misses")                                                            \
    F(missRate, "Ratio", MISSES, ACCESSES, "misses per access")                                                       \
    F(avgMissLatency, "(Tick/Count)", MISS_LATENCY, MISSES, "waiting time per miss")                                  \
    F(mshrHits, "Count", MSHR_HITS, ONE, "misses on lines already asked for")                                         \
    F(mshrMisses, "Count", MSHR_MISSES, ONE, "misses that took an MSHR")                                              \
    F(mshrUncacheable, "Count", UNCACHEABLE, ONE, "uncacheable accesses")                                             \
    F(mshrMissLatency, "Tick", MSHR_LATENCY, ONE, "life time of MSHRs, first request to answer")                      \
    F(mshrUncacheableLatency, "Tick", UNCACHEABLE_LATENCY, ONE, "time to the answer of uncacheable accesses")         \
    F(mshrMissRate, "Ratio", MSHR_MISSES, ACCESSES, "MSHRs taken per access")                                         \
    F(avgMshrMissLatency, "(Tick/Count)", MSHR_LATENCY, MSHR_MISSES, "life time of an MSHR")                          \
    F(avgMshrUncacheableLatency, "(Tick/Count)", UNCACHEABLE_LATENCY, UNCACHEABLE, "time per uncacheable access")

#define COMMAND_FIGURE(name, unit, counted, per, help) {#name, unit, help, SET_DEMAND, counted, per},
static const struct figure command_figures[] = { COMMAND_FIGURES(COMMAND_FIGURE) };
#define COMMAND_FIGURE_COUNT (sizeof command_figures / sizeof command_figures[0])

/* demandX is the sum of ReadReq, WriteReq and their like, overallX adds prefetches. */
#define BOTH(F, name, unit, counted, per, help)                                                                       \
    F(demand##name, unit, SET_DEMAND, counted, per, help)                                                             \
    F(overall##name, unit, SET_OVERALL, counted, per, help)
#define FIRST_FIGURES(F)                                                                                              \
    BOTH(F, Hits, "Count", HITS, ONE, "accesses that hit")                                                            \
    BOTH(F, Misses, "Count", MISSES, ONE, "accesses that missed")                                                     \
    BOTH(F, MissLatency, "Tick", MISS_LATENCY, ONE, "waiting time of all requests that missed")                       \
    BOTH(F, Accesses, "Count", ACCESSES, ONE, "hits and misses")                                                      \
    BOTH(F, MissRate, "Ratio", MISSES, ACCESSES, "misses per access")                                                 \
    BOTH(F, AvgMissLatency, "(Tick/Count)", MISS_LATENCY, MISSES, "waiting time per miss")
#define LAST_FIGURES(F)                                                                                               \
    BOTH(F, MshrHits, "Count", MSHR_HITS, ONE, "misses on lines already asked for")                                   \
    BOTH(F, MshrMisses, "Count", MSHR_MISSES, ONE, "misses that took an MSHR")                                        \
    F(overallMshrUncacheable, "Count", SET_OVERALL, UNCACHEABLE, ONE, "uncacheable accesses")                         \
    BOTH(F, MshrMissLatency, "Tick", MSHR_LATENCY, ONE, "life time of MSHRs, first request to answer")                \
    F(overallMshrUncacheableLatency, "Tick", SET_OVERALL, UNCACHEABLE_LATENCY, ONE,                                   \
      "time to the answer of uncacheable accesses")                                                                   \
    BOTH(F, MshrMissRate, "Ratio", MSHR_MISSES, ACCESSES, "MSHRs taken per access")                                   \
    BOTH(F, AvgMshrMissLatency, "(Tick/Count)", MSHR_LATENCY, MSHR_MISSES, "life time of an MSHR")                    \
    F(overallAvgMshrUncacheableLatency, "(Tick/Count)", SET_OVERALL, UNCACHEABLE_LATENCY, UNCACHEABLE,                \
      "time per uncacheable access")

#define CACHE_FIGURE(name, unit, set, counted, per, help) {#name, unit, help, set, counted, per},
static const struct figure first_figures[] = { FIRST_FIGURES(CACHE_FIGURE) };
static const struct figure last_figures[] = { LAST_FIGURES(CACHE_FIGURE) };

static const char *const blocked_names[BLOCKED_CAUSE_COUNT] = {
    [BLOCKED_NO_MSHRS] = "no_mshrs", [BLOCKED_NO_WRITE_BUFFERS] = "", [BLOCKED_NO_TARGETS] = "no_targets"
};
static const char *const cause_names[BLOCKED_CAUSE_COUNT] = {
    [BLOCKED_NO_MSHRS] = "no_mshrs", [BLOCKED_NO_WRITE_BUFFERS] = "no_write_buffers",
    [BLOCKED_NO_TARGETS] = "no_targets"
};
static const char *const writeback_names[] = {"writebacks", "total"};

static uint64_t counter(const struct cache_command_stats *stats, enum field field)
{
    switch (field) {
    case HITS: return stats->hits;
    case MISSES: return stats->misses;
    case ACCESSES: return stats->hits + stats->misses;
    case MISS_LATENCY: return stats->miss_latency_ps;
    case MSHR_HITS: return stats->mshr_hits;
    case MSHR_MISSES: return stats->mshr_misses;
    case MSHR_LATENCY: return stats->mshr_miss_latency_ps;
    case UNCACHEABLE: return stats->mshr_uncacheable;
    case UNCACHEABLE_LATENCY: return stats->mshr_uncacheable_latency_ps;
    case ONE: break;
    }
    return 1;
}

static bool is_in_set(unsigned command, uint64_t set)
{
    if (set < CMD_COUNT)
        return command == set;
    if (command_attributes(command) & ATTR_DEMAND)
        return true;
    return set == SET_OVERALL && (command == CMD_SoftPFReq || command == CMD_SoftPFExReq || command == CMD_HardPFReq);
}

static double sum(const struct cache *cache, uint64_t set, enum field field, uint32_t requestor)
{
    unsigned const first = requestor == STAT_TOTAL ? 0 : requestor;
    unsigned const end = requestor == STAT_TOTAL ? cache->requestor_count : requestor + 1;
    uint64_t total = 0;

    if (field == ONE)
        return 1;
    for (unsigned command = 0; command < CMD_COUNT; command++) {
        if (!is_in_set(command, set))
            continue;
        for (unsigned i = first; i < end; i++)
            total += counter(cache_command_stats(cache, command, i), field);
    }
    return (double)total;
}

/* An argument encodes the counters to sum. */
static uint64_t stats_pack(uint64_t set, enum field counted, enum field per)
{
    return set << 16 | (uint64_t)counted << 8 | (uint64_t)per;
}

static double evaluate(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct cache *const cache = context;

    (void)time;
    return sum(cache, argument >> 16, (enum field)(argument >> 8 & 0xff), column) /
           sum(cache, argument >> 16, (enum field)(argument & 0xff), column);
}

static void stats_add_figure(const struct cache *cache, struct stats *stats, const struct figure *figure, uint64_t set)
{
    stats_add(stats, &(struct stat_entry){
        .name = figure->name, .unit = figure->unit, .help = figure->help, .source = cache, .formula = evaluate,
        .argument = stats_pack(set, figure->counted, figure->per), .columns = cache->requestor_count,
        .column_names = cache->sim->root->requestor_names, .flags = STAT_NO_ZERO | STAT_NO_NAN | STAT_WITH_TOTAL
    });
}

static void add_figures(const struct cache *cache, struct stats *stats, const struct figure *figures, size_t count)
{
    for (size_t i = 0; i < count; i++)
        stats_add_figure(cache, stats, &figures[i], figures[i].set);
}

static double average_blocked(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct cache_stats *const cache = context;

    (void)argument;
    (void)time;
    return (double)cache->blocked_cycles[column] / (double)cache->blocked_causes[column];
}

static double writebacks(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct cache_stats *const cache = context;

    (void)argument;
    (void)column;
    (void)time;
    return (double)cache->writebacks;
}

/* The middle part of the table of statistics. */
static void add_blocking(const struct cache_stats *counted, struct stats *stats)
{
    struct stat_entry const rows[] = {
        {.name = "blockedCycles", .unit = "Cycle", .help = "cycles in which requests were refused, by cause",
         .source = counted->blocked_cycles, .columns = BLOCKED_CAUSE_COUNT, .column_names = blocked_names},
        {.name = "blockedCauses", .help = "times that refusing began, by cause", .source = counted->blocked_causes,
         .columns = BLOCKED_CAUSE_COUNT, .column_names = blocked_names},
        {.name = "avgBlocked", .unit = "(Cycle/Count)", .help = "cycles that refusing lasted, by cause",
         .source = counted, .formula = average_blocked, .columns = BLOCKED_CAUSE_COUNT, .column_names = blocked_names},
        {.name = "writebacks", .help = "lines written back", .source = counted, .formula = writebacks, .columns = 2,
         .column_names = writeback_names, .flags = STAT_NO_ZERO | STAT_NO_NAN}
    };

    STATS_ADD_TABLE(stats, rows);
}

static double blocked_share(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct cache *const cache = context;
    uint64_t cycles = 0;

    (void)argument;
    (void)column;
    for (int cause = 0; cause < BLOCKED_CAUSE_COUNT; cause++)
        cycles += cache->stats.blocked_cycles[cause];
    return (double)cycles * (double)cache->clock.period_ps / (double)(time->now_ps - time->reset_ps);
}

/* By the last cause to go, as blockedCycles, which has no column for write buffers. */
static double blocked_by(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct cache *const cache = context;

    (void)argument;
    return (double)cache->stats.blocked_cycles[column] * (double)cache->clock.period_ps
           / (double)(time->now_ps - time->reset_ps);
}

/* The last part of the table of statistics. */
static void add_occupancies(const struct cache *cache, struct stats *stats)
{
    const struct cache_stats *const counted = &cache->stats;
    struct stat_entry const rows[] = {
        {.name = "replacements", .help = "valid lines that made room for others", .source = &counted->replacements},
        {.name = "avgMshrsInUse", .help = "time average of MSHRs in use", .source = &counted->mshrs,
         .kind = STAT_LEVEL, .flags = STAT_OURS},
        {.name = "avgWriteBuffersInUse", .help = "time average of write buffers in use",
         .source = &counted->write_buffers, .kind = STAT_LEVEL, .flags = STAT_OURS},
        {.name = "blockedShare", .unit = "Ratio", .help = "share of the time in which requests were refused",
         .source = cache, .formula = blocked_share, .flags = STAT_OURS, .precision = 6},
        {.name = "blockedBy", .unit = "Ratio", .help = "share of the time in which requests were refused, by cause",
         .source = cache, .formula = blocked_by, .columns = BLOCKED_CAUSE_COUNT, .column_names = cause_names,
         .flags = STAT_OURS, .precision = 6}
    };

    STATS_ADD_TABLE(stats, rows);
}

/* Numbers of the commands that a cache counts, by name. */
static size_t sort_commands(unsigned commands[CMD_COUNT])
{
    size_t count = 0;

    for (unsigned command = 0; command < CMD_COUNT; command++) {
        size_t i = count;

        if (!(command_attributes(command) & (ATTR_NEEDS_RESPONSE | ATTR_EVICTION)))
            continue;
        for (; i > 0 && strcmp(command_table[commands[i - 1]].name, command_table[command].name) > 0; i--)
            commands[i] = commands[i - 1];
        commands[i] = command;
        count++;
    }
    return count;
}

static void stats_reset_part(void *owner, uint64_t now_ps)
{
    (void)now_ps;
    cache_reset_stats(owner);
}

void cache_add_stats(struct cache *cache, struct stats *stats)
{
    unsigned commands[CMD_COUNT];
    size_t const command_count = sort_commands(commands);

    stats_group(stats, "system.%s", cache->name);
    add_figures(cache, stats, first_figures, sizeof first_figures / sizeof first_figures[0]);
    add_blocking(&cache->stats, stats);
    add_figures(cache, stats, last_figures, sizeof last_figures / sizeof last_figures[0]);
    add_occupancies(cache, stats);
    for (size_t i = 0; i < command_count; i++) {
        stats_group(stats, "system.%s.%s", cache->name, command_table[commands[i]].name);
        for (size_t j = 0; j < COMMAND_FIGURE_COUNT; j++)
            stats_add_figure(cache, stats, &command_figures[j], commands[i]);
    }
    if (cache->prefetcher)
        prefetcher_add_stats(cache->prefetcher, stats);
    cache_module_add_stats(cache, stats);
    stats_on_reset(stats, stats_reset_part, cache);
}
