/* A statistic is found by the end of its name; the text before it names the component, whose last part is its kind.
 * The spellings are tables. */
#include "sweep/compare/stats_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct spelling {
    const char *now, *before;        /* of today's gem5 and rubato; of gem5 before release 21.0, or the same again */
};

static const struct spelling final_tick = {"finalTick", "final_tick"};
static const struct spelling host_seconds = {"hostSeconds", "host_seconds"};
static const struct spelling instructions = {"simInsts", "sim_insts"};
static const struct spelling micro_ops = {".numOps", ".num_ops"};
static const struct spelling cache_accesses = {".overallAccesses::total", ".overall_accesses::total"};
static const struct spelling cache_misses = {".overallMshrMisses::total", ".overall_mshr_misses::total"};
static const struct spelling cache_latency = {
    ".overallMshrMissLatency::total", ".overall_mshr_miss_latency::total"
};
static const struct spelling bytes_read = {".bytesRead::total", ".bytes_read::total"};
static const struct spelling bytes_written = {".bytesWritten::total", ".bytes_written::total"};
static const struct spelling mispredictions = {".commit.branchMispredicts", ".commit.branch_mispredicts"};
static const struct spelling rescheduled_loads = {".rescheduledLoads", ".rescheduled_loads"};
static const struct spelling serialising = {".rename.serializing", ".rename.serializingInsts"};
static const struct spelling non_speculative = {
    ".commit.commitNonSpecStalls", ".commit.commitNonSpecStalls"};

/* Beginnings of a cache's own name, in small letters; the first that fits counts. */
static const struct { const char *beginning; enum run_level level; } cache_names[] = {
    {"l1i", RUN_L1I}, {"icache", RUN_L1I}, {"l1d", RUN_L1D}, {"dcache", RUN_L1D}, {"l2", RUN_L2}, {"l3", RUN_L3},
    {"llc", RUN_L3}
};

static double run_figures_number_of(const struct stats_line *line)
{
    double const value = line ? strtod(line->value, NULL) : 0;

    return value > 0 ? value : 0;            /* "nan" of an unused counter, too */
}

static double top_level(const struct stats_table *table, const struct spelling *spelling)
{
    const struct stats_line *const line = stats_table_find(table, spelling->now);

    return run_figures_number_of(line ? line : stats_table_find(table, spelling->before));
}

static uint64_t ticks_of(const struct stats_table *table)
{
    /* a GPU alone begins at tick 0 and says how many there were */
    const char *const names[] = {final_tick.now, final_tick.before, "simTicks"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct stats_line *const line = stats_table_find(table, names[i]);

        if (line)
            return strtoull(line->value, NULL, 10);
    }
    return 0;
}

/* Length of the component's path in front of the statistic; 0: it is another. */
static size_t path_before(const char *name, const struct spelling *spelling)
{
    const char *const ends[] = {spelling->now, spelling->before};
    size_t const length = strlen(name);

    for (size_t i = 0; i < 2; i++) {
        size_t const end = strlen(ends[i]);

        if (length > end && strcmp(name + length - end, ends[i]) == 0)
            return length - end;
    }
    return 0;
}

/* False: no cache that counts. */
static bool find_level(const char *path, size_t length, enum run_level *level)
{
    size_t begin = length;

    while (begin > 0 && path[begin - 1] != '.')
        begin--;
    for (size_t i = 0; i < sizeof cache_names / sizeof cache_names[0]; i++) {
        size_t const wanted = strlen(cache_names[i].beginning);

        if (length - begin >= wanted && strncasecmp(path + begin, cache_names[i].beginning, wanted) == 0) {
            *level = cache_names[i].level;
            return true;
        }
    }
    return false;
}

static void run_figures_add_cache(struct run_figures *figures, const struct stats_line *line)
{
    const struct { const struct spelling *spelling; size_t offset; } sums[] = {
        {&cache_accesses, offsetof(struct run_cache, accesses)},
        {&cache_misses, offsetof(struct run_cache, misses)},
        {&cache_latency, offsetof(struct run_cache, miss_latency_ps)}
    };

    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        size_t const length = path_before(line->name, sums[i].spelling);
        enum run_level level;

        if (length && find_level(line->name, length, &level))
            *(double *)((char *)&figures->caches[level] + sums[i].offset) += run_figures_number_of(line);
    }
}

static void run_figures_add_memory(struct run_figures *figures, const struct stats_line *line)
{
    if (path_before(line->name, &bytes_read) || path_before(line->name, &bytes_written))
        figures->dram_bytes += run_figures_number_of(line);
}

static void add_core(struct run_figures *figures, const struct stats_line *line)
{
    if (path_before(line->name, &mispredictions))
        figures->mispredictions += run_figures_number_of(line);
    if (path_before(line->name, &rescheduled_loads))
        figures->rescheduled_loads += run_figures_number_of(line);
    if (path_before(line->name, &serialising))
        figures->serialising += run_figures_number_of(line);
    if (path_before(line->name, &non_speculative))
        figures->non_speculative += run_figures_number_of(line);
}

struct fault run_figures_of(const struct stats_table *table, const char *path, struct run_figures *figures)
{
    double ops = 0;

    *figures = (struct run_figures){
        .ticks = ticks_of(table), .host_s = top_level(table, &host_seconds),
        .instructions = top_level(table, &instructions)
    };
    if (figures->ticks == 0)
        return fault_make(FAULT_INPUT, "%s: finalTick is missing or 0; expected the statistics of a run that ended",
                          path);
    for (size_t i = 0; i < table->count; i++) {
        const struct stats_line *const line = &table->lines[i];

        run_figures_add_cache(figures, line);
        run_figures_add_memory(figures, line);
        add_core(figures, line);
        if (path_before(line->name, &micro_ops))
            ops += run_figures_number_of(line);
    }
    if (figures->instructions == 0)
        figures->instructions = ops;
    return fault_none();
}

static double run_figures_ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

double run_miss_latency_ns(const struct run_figures *figures, enum run_level level)
{
    return 1e-3 * run_figures_ratio(figures->caches[level].miss_latency_ps, figures->caches[level].misses);
}

double run_misses_in_flight(const struct run_figures *figures, enum run_level level)
{
    return run_figures_ratio(figures->caches[level].miss_latency_ps, (double)figures->ticks);
}

double run_dram_gb_per_s(const struct run_figures *figures)
{
    return 1e3 * run_figures_ratio(figures->dram_bytes, (double)figures->ticks);
}
