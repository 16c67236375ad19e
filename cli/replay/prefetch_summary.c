#include "cli/replay/prefetch_summary.h"

#include <inttypes.h>
#include <string.h>

#include "cli/replay/summary.h"

/* Of one cache, or all of one kind. */
struct prefetch_line {
    struct prefetch_figures figures;
    uint64_t demand_misses;
};

static void add_cache(struct prefetch_line *line, const struct cache *cache)
{
    const struct prefetch_figures *const figures = &cache->prefetcher->figures;

    line->figures.issued += figures->issued;
    line->figures.filled += figures->filled;
    line->figures.useful += figures->useful;
    line->figures.late += figures->late;
    line->figures.pollution += figures->pollution;
    line->demand_misses += cache->prefetcher->stats.demand_mshr_misses;
}

static void print_share(FILE *to, uint64_t part, uint64_t whole)
{
    if (whole)
        fprintf(to, " %8.2f %%", 100 * (double)part / (double)whole);
    else
        fprintf(to, " %10s", "-");
}

static void print_line(FILE *to, int width, const char *name, const struct prefetch_line *line)
{
    const struct prefetch_figures *const figures = &line->figures;

    fprintf(to, "%-*s %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64, width, name, figures->issued,
            figures->filled, figures->useful, figures->late, figures->filled - figures->useful);
    print_share(to, figures->useful, figures->filled);
    print_share(to, figures->useful, figures->useful + line->demand_misses);
    print_share(to, figures->late, figures->useful);
    print_share(to, figures->pollution, line->demand_misses);
    fprintf(to, "\n");
}

static void print_head(FILE *to, int width)
{
    fprintf(to, "\n%-*s %9s %9s %9s %9s %9s %10s %10s %10s %10s\n", width, "prefetch", "issued", "filled", "useful",
            "late", "useless", "accuracy", "coverage", "lateness", "pollution");
}

void prefetch_summary_print_one(FILE *to, const struct system *system, int width, unsigned number)
{
    struct prefetch_line line = {0};

    if (!system->caches[number].cache.prefetcher)
        return;
    add_cache(&line, &system->caches[number].cache);
    print_line(to, width, system->caches[number].our_name, &line);
}

void prefetch_summary_print(FILE *to, const struct system *system, int width, bool shows_all, char *const *kept)
{
    bool has_head = false;

    for (unsigned i = 0; i < system->cache_count;) {
        const struct system_cache *const first = &system->caches[i];
        unsigned const alike = summary_caches_alike(system, i);
        unsigned const count = alike > SUMMARY_MOST_ALONE && !shows_all ? alike : 1;
        struct prefetch_line line = {0};
        char name[sizeof first->our_name + 16];

        if (!first->cache.prefetcher) {
            i += count;
            continue;
        }
        for (unsigned k = 0; k < count; k++)
            add_cache(&line, &system->caches[i + k].cache);
        if (count > 1)
            snprintf(name, sizeof name, "%s x%u", first->config->name, count);
        else
            snprintf(name, sizeof name, "%s", first->our_name);
        if (!has_head)
            print_head(to, width);
        has_head = true;
        if (kept && kept[i])
            fputs(kept[i], to);
        else
            print_line(to, width, name, &line);
        i += count;
    }
}
