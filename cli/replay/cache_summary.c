/* Tables of caches, of their prefetchers and of TLBs: a line each, or a line for all of one configuration. */
#include "cli/replay/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replay/config/system_config.h"
#include "replay/config/units.h"

enum { NAME_LEAST = 8 };

struct cache_rows {
    const struct system *system;
    const struct summary_kept *kept;     /* may be NULL */
    bool shows_all, are_prefetchers;
    void (*put)(struct table_writer *writer, const struct system_cache *first, const struct cache_figures *figures);
};

/* ---- figures */
static uint64_t measured_ps(const struct system *system)
{
    return system_now_ps(system) - system->stats.reset_ps;
}

/* Reads, writes and prefetches of cores and caches; evictions are no questions. */
static void add_accesses(struct cache_figures *figures, const struct cache *cache)
{
    for (unsigned command = 0; command < CMD_COUNT; command++)
        for (unsigned requestor = 0; requestor < cache->requestor_count; requestor++) {
            const struct cache_command_stats *const stats = cache_command_stats(cache, command, requestor);
            uint64_t const counts = !(command_attributes(command) & ATTR_EVICTION);

            figures->hits += counts * stats->hits;
            figures->misses += counts * stats->misses;
        }
}

static void add_prefetches(struct cache_figures *figures, const struct prefetcher *prefetcher)
{
    const struct prefetch_figures *const one = &prefetcher->figures;

    figures->prefetches.issued += one->issued;
    figures->prefetches.filled += one->filled;
    figures->prefetches.useful += one->useful;
    figures->prefetches.late += one->late;
    figures->prefetches.pollution += one->pollution;
    figures->demand_misses += prefetcher->stats.demand_mshr_misses;
}

static void cache_summary_add(struct cache_figures *figures, const struct system *system, const struct cache *cache)
{
    uint64_t const now_ps = system_now_ps(system);
    uint64_t blocked_cyc = 0;

    for (int cause = 0; cause < BLOCKED_CAUSE_COUNT; cause++)
        blocked_cyc += cache->stats.blocked_cycles[cause];
    add_accesses(figures, cache);
    figures->mshrs += occupancy_average(&cache->stats.mshrs, now_ps);
    figures->writes += occupancy_average(&cache->stats.write_buffers, now_ps);
    figures->highest_mshrs = max_u64(figures->highest_mshrs, cache->stats.mshrs.highest);
    figures->highest_writes = max_u64(figures->highest_writes, cache->stats.write_buffers.highest);
    figures->blocked_ps += (double)blocked_cyc * (double)cache->clock.period_ps;
    figures->measured_ps = measured_ps(system);
    if (cache->prefetcher)
        add_prefetches(figures, cache->prefetcher);
    figures->count++;
}

/* ---- rows of caches and of prefetchers */
static unsigned caches_alike(const struct system *system, unsigned first)
{
    unsigned count = 1;

    while (first + count < system->cache_count
           && system->caches[first + count].config == system->caches[first].config)
        count++;
    return count;
}

/* One of `alike` caches whose core, which has it alone, does nothing: means leave it out. */
static bool is_idle(const struct system *system, const struct system_cache *cache, unsigned alike)
{
    return alike == system->core_count && system->cores[cache->instance].is_idle;
}

static void put_group(const struct cache_rows *rows, struct table_writer *writer, unsigned first, unsigned count)
{
    const struct system_cache *const caches = &rows->system->caches[first];
    bool const is_kept = rows->kept && first < rows->kept->cache_count && rows->kept->caches[first].count > 0;
    struct cache_figures figures = {0};
    char name[sizeof caches->our_name + 16];

    for (unsigned k = 0; k < count && !is_kept; k++)
        if (count == 1 || !is_idle(rows->system, &caches[k], count))
            cache_summary_add(&figures, rows->system, &caches[k].cache);
    if (count > 1)
        snprintf(name, sizeof name, "%s x%u", caches->kind, count);
    else
        snprintf(name, sizeof name, "%s", caches->our_name);
    table_word(writer, name);
    rows->put(writer, caches, is_kept ? &rows->kept->caches[first] : &figures);
    table_end_row(writer);
}

static void put_groups(const void *context, struct table_writer *writer)
{
    const struct cache_rows *const rows = context;
    unsigned count;

    for (unsigned i = 0; i < rows->system->cache_count; i += count) {
        unsigned const alike = caches_alike(rows->system, i);

        count = alike > SUMMARY_MOST_ALONE && !rows->shows_all ? alike : 1;
        if (!rows->are_prefetchers || rows->system->caches[i].cache.prefetcher)
            put_group(rows, writer, i, count);
    }
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static struct table_column const cache_columns[] = {
    TEXT_COLUMN("cache", 0), TEXT_COLUMN("size", 9), TEXT_COLUMN("accesses", 12), TEXT_COLUMN("misses", 10),
    TEXT_COLUMN("hit rate", 9, .text_digits = 2, .suffix = " %"),
    TEXT_COLUMN("MSHRs mean/max/size", -20, .gap = "  "), TEXT_COLUMN("writes mean/max/size", -20),
    TEXT_COLUMN("blocked", 8, .text_digits = 1, .suffix = " %")
};

static void put_occupancy(struct table_writer *writer, double mean, uint64_t highest, unsigned limit)
{
    char text[64];

    snprintf(text, sizeof text, "%.2f / %" PRIu64 " / %u", mean, highest, limit);
    table_word(writer, text);
}

static void put_cache(struct table_writer *writer, const struct system_cache *first,
                      const struct cache_figures *figures)
{
    uint64_t const accesses = figures->hits + figures->misses;
    double const count = figures->count ? figures->count : 1;
    char size[UNITS_TEXT];

    units_format(UNIT_BYTES, first->config->params.size_bytes, 0, size, sizeof size);
    table_word(writer, size);
    table_count(writer, accesses);
    table_count(writer, figures->misses);
    table_real(writer, percent((double)figures->hits, (double)accesses));
    put_occupancy(writer, figures->mshrs / count, figures->highest_mshrs, first->cache.mshr_limit);
    put_occupancy(writer, figures->writes / count, figures->highest_writes, first->cache.write_buffer_limit);
    table_real(writer, percent(figures->blocked_ps / count, (double)figures->measured_ps));
}

#define SHARE_COLUMN(heading) TEXT_COLUMN(heading, 10, .text_digits = 2, .suffix = " %")

static struct table_column const prefetch_columns[] = {
    TEXT_COLUMN("prefetch", 0), TEXT_COLUMN("issued", 9), TEXT_COLUMN("filled", 9), TEXT_COLUMN("useful", 9),
    TEXT_COLUMN("late", 9), TEXT_COLUMN("useless", 9), SHARE_COLUMN("accuracy"), SHARE_COLUMN("coverage"),
    SHARE_COLUMN("lateness"), SHARE_COLUMN("pollution")
};

/* NAN, "-" in the table, of nothing. */
static double percent_if_any(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : (double)NAN;
}

static void put_prefetches(struct table_writer *writer, const struct system_cache *first,
                           const struct cache_figures *figures)
{
    const struct prefetch_figures *const sums = &figures->prefetches;

    (void)first;
    table_count(writer, sums->issued);
    table_count(writer, sums->filled);
    table_count(writer, sums->useful);
    table_count(writer, sums->late);
    table_count(writer, sums->filled - sums->useful);
    table_real(writer, percent_if_any(sums->useful, sums->filled));
    table_real(writer, percent_if_any(sums->useful, sums->useful + figures->demand_misses));
    table_real(writer, percent_if_any(sums->late, sums->useful));
    table_real(writer, percent_if_any(sums->pollution, figures->demand_misses));
}

/* Wide enough for all names, of which those of a core among several are long. */
static int name_width(const struct system *system)
{
    size_t width = NAME_LEAST;

    for (unsigned i = 0; i < system->cache_count; i++)
        if (strlen(system->caches[i].our_name) > width)
            width = strlen(system->caches[i].our_name);
    return (int)width;
}

static void print_rows(FILE *to, struct table table, struct cache_rows const *rows)
{
    struct table_column columns[sizeof prefetch_columns / sizeof *prefetch_columns];

    memcpy(columns, table.columns, table.count * sizeof *columns);
    columns[0].width = -name_width(rows->system);
    table.columns = columns;
    fputc('\n', to);
    table_print(to, TABLE_TEXT, &table);
}

static bool has_prefetchers(const struct system *system)
{
    for (unsigned i = 0; i < system->cache_count; i++)
        if (system->caches[i].cache.prefetcher)
            return true;
    return false;
}

void cache_summary_print(FILE *to, const struct system *system, bool shows_all, const struct summary_kept *kept)
{
    struct cache_rows rows = {system, kept, shows_all, false, put_cache};

    print_rows(to, TABLE_OF(cache_columns, put_groups, &rows), &rows);
    if (!has_prefetchers(system))
        return;
    rows.are_prefetchers = true;
    rows.put = put_prefetches;
    print_rows(to, TABLE_OF(prefetch_columns, put_groups, &rows), &rows);
}

/* ---- TLBs */
static struct table_column const tlb_columns[] = {
    TEXT_COLUMN("TLB", -12), TEXT_COLUMN("entries", 8), TEXT_COLUMN("accesses", 12), TEXT_COLUMN("misses", 10),
    TEXT_COLUMN("hit rate", 9, .text_digits = 2, .suffix = " %"), TEXT_COLUMN("cycles waited", 14, .gap = "  "),
    TEXT_COLUMN("cycles stalled", 14)
};

struct tlb_rows {
    const struct system *system;
    const struct summary_kept *kept;     /* may be NULL */
    bool shows_all;
};

struct tlb_sum {
    uint64_t entries, accesses, misses;
    bool is_l2;
};

static void mmu_add(struct mmu_figures *figures, const struct mmu *mmu)
{
    const struct mmu_stats *const stats = &mmu->stats;

    for (int number = 0; number < MMU_SIDES; number++) {
        struct mmu_side_stats *const to = &figures->sides[number];
        const struct mmu_side_stats *const one = &mmu->sides[number].stats;

        to->accesses += one->accesses;
        to->misses += one->misses;
        to->waited_ps += one->waited_ps;
        to->stalled_ps += one->stalled_ps;
    }
    figures->l2_accesses += stats->l2_accesses;
    figures->l2_misses += stats->l2_misses;
    figures->walks += stats->walks;
    figures->huge_walks += stats->huge_walks;
    figures->walk_reads += stats->walk_reads;
    figures->queued_ps += stats->queued_ps;
    figures->walk_sums = stats->walk_latency.sums;
    figures->has_l2 = mmu->has_l2;
    figures->period_ps = (double)mmu->clock.period_ps;
    figures->count++;
}

/* core NULL: of all cores. */
static void put_tlb(struct table_writer *writer, const struct mmu_figures *figures, const char *core, const char *kind,
                    struct tlb_sum tlb)
{
    char name[32];

    snprintf(name, sizeof name, "%s%s%s", core ? core : "", core ? "." : "", kind);
    if (!core)
        snprintf(name + strlen(name), sizeof name - strlen(name), tlb.is_l2 ? "s" : " x%u", figures->count);
    table_word(writer, name);
    table_count(writer, tlb.entries);
    table_count(writer, tlb.accesses);
    table_count(writer, tlb.misses);
    table_real(writer, percent((double)(tlb.accesses - tlb.misses), (double)tlb.accesses));
}

/* Cycles waited: of all requests together; stalled: in which one waited at least. */
static void put_mmu(struct table_writer *writer, const struct system *system, const struct mmu_figures *figures,
                    const char *core)
{
    static const char *const kinds[] = {[MMU_DATA] = "dtb", [MMU_INST] = "itb"};
    const struct tlb_params *const params = &system->config->tlb;
    const struct tlb_l1_params *const l1[MMU_SIDES] = {[MMU_DATA] = &params->l1d, [MMU_INST] = &params->l1i};

    for (int number = 0; number < MMU_SIDES; number++) {
        const struct mmu_side_stats *const side = &figures->sides[number];

        put_tlb(writer, figures, core, kinds[number],
                (struct tlb_sum){l1[number]->entries + l1[number]->huge_entries, side->accesses, side->misses, false});
        table_real(writer, (double)side->waited_ps / figures->period_ps);
        table_real(writer, (double)side->stalled_ps / figures->period_ps);
        table_end_row(writer);
    }
    if (!figures->has_l2)
        return;
    put_tlb(writer, figures, core, "l2tlb",
            (struct tlb_sum){params->l2.entries, figures->l2_accesses, figures->l2_misses, true});
    table_end_row(writer);
}

static void put_walks(struct table_writer *writer, const struct mmu_figures *figures)
{
    double const walks = (double)figures->walks, ended = (double)figures->walk_sums.samples;

    table_prose(writer, "  walks      %" PRIu64 " (%.1f %% of 2 MiB), %.2f reads each, %.1f ns each, %.1f ns queued "
                "each\n", figures->walks, percent((double)figures->huge_walks, walks),
                walks > 0 ? (double)figures->walk_reads / walks : 0,
                ended > 0 ? 1e-3 * (double)figures->walk_sums.sum / ended : 0,
                walks > 0 ? 1e-3 * (double)figures->queued_ps / walks : 0);
}

static void put_tlbs(const void *context, struct table_writer *writer)
{
    const struct tlb_rows *const rows = context;
    const struct system *const system = rows->system;
    bool const is_sum = system->core_count > SUMMARY_MOST_ALONE && !rows->shows_all;
    struct mmu_figures all = {0};

    for (unsigned i = 0; i < system->core_count; i++) {
        struct mmu_figures one = {0};

        mmu_add(is_sum ? &all : &one, system->cores[i].mmu);
        if (is_sum)
            continue;
        if (rows->kept && rows->kept->mmus[i].count > 0)
            one = rows->kept->mmus[i];
        else if (system->cores[i].is_idle)
            continue;
        put_mmu(writer, system, &one, system->cores[i].name);
        put_walks(writer, &one);
    }
    if (is_sum)
        put_mmu(writer, system, &all, NULL);
}

void tlb_summary_print(FILE *to, const struct system *system, bool shows_all, const struct summary_kept *kept)
{
    struct tlb_rows const rows = {system, kept, shows_all};
    struct table const table = TABLE_OF(tlb_columns, put_tlbs, &rows);

    fputc('\n', to);
    table_print(to, TABLE_TEXT, &table);
}

/* ---- first passes */
void cache_summary_keep(struct summary_kept *kept, const struct system *system, unsigned core)
{
    if (!kept->caches) {
        kept->caches = calloc(system->cache_count + 1, sizeof *kept->caches);
        kept->lacks_memory |= !kept->caches;
        kept->cache_count = kept->caches ? system->cache_count : 0;
    }
    for (unsigned i = 0; i < kept->cache_count; i++)
        if (system->caches[i].is_private && system->caches[i].instance == core)
            cache_summary_add(&kept->caches[i], system, &system->caches[i].cache);
    if (system->config->has_tlb)
        mmu_add(&kept->mmus[core], system->cores[core].mmu);
}
