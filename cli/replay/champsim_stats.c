/* Figures are read from the counters of each command and requestor. A requestor is a core's if its name begins with the
 * core's ("cpu1.data"), or a prefetcher's whose cache is the core's own. */
#include "cli/replay/champsim_stats.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replay/detailed/branch/branch_unit.h"
#include "replay/detailed/detailed_statistics.h"
#include "replay/system/system_stats.h"

enum { TYPE_LOAD, TYPE_RFO, TYPE_PREFETCH, TYPE_WRITE, TYPE_TRANSLATION, TYPE_COUNT };
enum { KIND_COUNT = 6, NAME_TEXT = 64 };

static const char *const type_names[TYPE_COUNT] = {"LOAD", "RFO", "PREFETCH", "WRITE", "TRANSLATION"};
static const char *const kind_names[KIND_COUNT] = {
    "BRANCH_DIRECT_JUMP", "BRANCH_INDIRECT", "BRANCH_CONDITIONAL", "BRANCH_DIRECT_CALL", "BRANCH_INDIRECT_CALL",
    "BRANCH_RETURN"};
static const uint8_t kind_of_class[BRANCH_CLASS_COUNT] = {
    [BRANCH_RETURN] = 5, [BRANCH_CALL_DIRECT] = 3, [BRANCH_CALL_INDIRECT] = 4, [BRANCH_DIRECT_COND] = 2,
    [BRANCH_DIRECT_UNCOND] = 0, [BRANCH_INDIRECT_COND] = 2, [BRANCH_INDIRECT_UNCOND] = 1};

/* Of one core in one cache or TLB. */
struct champsim_cache_figures {
    uint64_t hits[TYPE_COUNT], misses[TYPE_COUNT], merges[TYPE_COUNT];
    uint64_t latency_ps, period_ps;
    uint64_t requested, issued, useful, useless;         /* prefetches, of the cache: the same for each core */
};

struct champsim_core {
    uint64_t instructions, cycles;
    uint64_t branches[KIND_COUNT], mispredicted[KIND_COUNT];
    struct champsim_cache_figures tlbs[3];               /* ITLB, DTLB, STLB */
    struct champsim_cache_figures caches[];              /* by place in system->caches */
};

bool champsim_stats_is_name(const char *path)
{
    static const char *const names[] = {"champsim.json", "champsim.txt"};
    size_t const length = strlen(path);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t const own = strlen(names[i]);

        if (length >= own && strcmp(path + length - own, names[i]) == 0
            && (length == own || path[length - own - 1] == '/' || path[length - own - 1] == '.'))
            return true;
    }
    return false;
}

/* ---- figures of one core */
static int type_of(unsigned command, bool is_walk)
{
    uint32_t const attributes = command_attributes(command);

    if (attributes & ATTR_CLEAN_EVICTION)
        return -1;                       /* ChampSim's caches drop clean lines without a word */
    if (is_walk)
        return TYPE_TRANSLATION;
    if (attributes & (ATTR_HARD_PREFETCH | ATTR_SOFT_PREFETCH))
        return TYPE_PREFETCH;
    if (attributes & ATTR_WRITE)
        return TYPE_WRITE;
    return attributes & ATTR_NEEDS_WRITABLE ? TYPE_RFO : TYPE_LOAD;
}

/* Of several cores' caches of one kind the numbers of instances are the cores'. */
static unsigned core_of(const struct system *system, const char *requestor)
{
    const char *const point = strchr(requestor, '.');
    size_t const length = point ? (size_t)(point - requestor) : strlen(requestor);

    for (unsigned i = 0; i < system->core_count; i++)
        if (strlen(system->cores[i].name) == length && strncmp(system->cores[i].name, requestor, length) == 0)
            return i;
    for (unsigned i = 0; i < system->cache_count; i++)
        if (system->caches[i].is_private && strlen(system->caches[i].name) == length
            && strncmp(system->caches[i].name, requestor, length) == 0)
            return system->caches[i].instance;
    return 0;
}

static void add_cache(struct champsim_cache_figures *figures, const struct system *system, const struct cache *cache,
                      unsigned core)
{
    figures->period_ps = cache->clock.period_ps;
    for (unsigned requestor = 0; requestor < cache->requestor_count; requestor++) {
        const char *const name = system->sim.requestor_names[requestor];
        bool const is_walk = name && strstr(name, ".walker") != NULL;

        if (!name || core_of(system, name) != core)
            continue;
        for (unsigned command = 0; command < CMD_COUNT; command++) {
            const struct cache_command_stats *const counted = cache_command_stats(cache, command, requestor);
            int const type = type_of(command, is_walk);

            if (type < 0)
                continue;
            figures->hits[type] += counted->hits;
            figures->misses[type] += counted->misses;
            figures->merges[type] += counted->mshr_hits;
            figures->latency_ps += counted->miss_latency_ps;
        }
    }
    if (!cache->prefetcher)
        return;
    figures->requested = cache->prefetcher->stats.identified;
    figures->issued = cache->prefetcher->figures.issued;
    figures->useful = cache->prefetcher->figures.useful;
    figures->useless = cache->prefetcher->stats.unused;
}

static void add_tlbs(struct champsim_core *core, const struct mmu *mmu, uint64_t period_ps)
{
    static const enum mmu_side_number sides[] = {MMU_INST, MMU_DATA};

    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        const struct mmu_side_stats *const counted = &mmu->sides[sides[i]].stats;

        core->tlbs[i] = (struct champsim_cache_figures){
            .hits = {counted->hits}, .misses = {counted->misses}, .merges = {counted->merged},
            .latency_ps = counted->waited_ps, .period_ps = period_ps};
    }
    core->tlbs[2] = (struct champsim_cache_figures){
        .hits = {mmu->stats.l2_hits}, .misses = {mmu->stats.l2_misses},
        .latency_ps = (uint64_t)mmu->stats.walk_latency.sums.sum, .period_ps = period_ps};
}

/* NULL: out of memory. */
static struct champsim_core *core_figures(const struct system *system, unsigned number)
{
    const struct system_core *const from = &system->cores[number];
    struct champsim_core *const core = calloc(1, sizeof *core + system->cache_count * sizeof *core->caches);

    if (!core)
        return NULL;
    if (from->detailed) {
        const struct detailed_stats *const counted = detailed_cpu_stats(from->detailed);
        const struct branch_stats *const branches = detailed_cpu_branch_stats(from->detailed);

        core->instructions = counted->instructions;
        core->cycles = counted->cycles;
        for (int class = 0; class < BRANCH_CLASS_COUNT; class++) {
            core->branches[kind_of_class[class]] += branches->committed[class];
            core->mispredicted[kind_of_class[class]] += branches->mispredicted[class];
        }
    }
    for (unsigned i = 0; i < system->cache_count; i++)
        if (!system->caches[i].is_private || system->caches[i].instance == number)
            add_cache(&core->caches[i], system, &system->caches[i].cache, number);
    if (from->mmu)
        add_tlbs(core, from->mmu, from->mmu->clock.period_ps);
    return core;
}

void champsim_stats_keep(struct champsim_stats *stats, const struct system *system, unsigned core)
{
    if (system->cores[core].detailed)
        detailed_cpu_sync(system->cores[core].detailed);
    free(stats->kept[core]);
    stats->kept[core] = core_figures(system, core);
    stats->lacks_memory |= !stats->kept[core];
}

void champsim_stats_free(struct champsim_stats *stats)
{
    for (size_t i = 0; i < sizeof stats->kept / sizeof *stats->kept; i++)
        free(stats->kept[i]);
    *stats = (struct champsim_stats){.lacks_memory = false};
}

/* ---- a table: all cores, of their passes or at the end */
struct champsim_table {
    const struct system *system;
    struct champsim_core *own[CONFIG_MAX_CORES];         /* made for the table */
    const struct champsim_core *cores[CONFIG_MAX_CORES];
};

static bool table_begin(struct champsim_table *table, const struct system *system, const struct champsim_stats *kept)
{
    *table = (struct champsim_table){.system = system};
    for (unsigned i = 0; i < system->core_count; i++) {
        if (!kept || !kept->kept[i])
            table->cores[i] = table->own[i] = core_figures(system, i);
        else
            table->cores[i] = kept->kept[i];
        if (!table->cores[i])
            return false;
    }
    return true;
}

static void champsim_table_end(struct champsim_table *table)
{
    for (unsigned i = 0; i < table->system->core_count; i++)
        free(table->own[i]);
}

/* cpu0_L1D, LLC: as ChampSim names its caches; other names in capitals. */
static void cache_name(const struct system *system, const struct system_cache *cache, char text[NAME_TEXT])
{
    static const struct { const char *kind, *name; } names[] = {
        {"l1i", "L1I"}, {"l1d", "L1D"}, {"l2", "L2C"}, {"l3", "LLC"}};
    const char *name = cache->kind;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].kind, cache->kind) == 0)
            name = names[i].name;
    if (cache->is_private || (system->core_count == 1 && strcmp(name, "LLC") != 0))
        snprintf(text, NAME_TEXT, "cpu%u_%s", cache->is_private ? cache->instance : 0, name);
    else
        snprintf(text, NAME_TEXT, "%s", name);
}

/* figures: of each core, or of `only` alone. */
struct champsim_row {
    char name[NAME_TEXT];
    const struct champsim_cache_figures *figures[CONFIG_MAX_CORES];
};

static void visit_rows(const struct champsim_table *table,
                       void (*visit)(void *context, const struct champsim_row *row), void *context)
{
    static const char *const tlbs[] = {"ITLB", "DTLB", "STLB"};
    const struct system *const system = table->system;
    struct champsim_row row;

    for (unsigned i = 0; i < system->cache_count; i++) {
        cache_name(system, &system->caches[i], row.name);
        for (unsigned core = 0; core < system->core_count; core++)
            row.figures[core] = &table->cores[core]->caches[i];
        visit(context, &row);
    }
    for (unsigned core = 0; core < system->core_count; core++) {
        static const struct champsim_cache_figures none;

        for (size_t i = 0; system->cores[core].mmu && i < sizeof tlbs / sizeof *tlbs; i++) {
            snprintf(row.name, sizeof row.name, "cpu%u_%s", core, tlbs[i]);
            for (unsigned other = 0; other < system->core_count; other++)
                row.figures[other] = other == core ? &table->cores[core]->tlbs[i] : &none;
            visit(context, &row);
        }
    }
}

static uint64_t all_misses(const struct champsim_cache_figures *figures)
{
    uint64_t sum = 0;

    for (int type = 0; type < TYPE_COUNT; type++)
        sum += figures->misses[type];
    return sum;
}

/* NaN: no misses. */
static double miss_latency_cyc(const struct champsim_cache_figures *figures)
{
    uint64_t const misses = all_misses(figures);

    return misses > 0 ? (double)figures->latency_ps / (double)misses / (double)figures->period_ps : NAN;
}

/* ---- JSON */
struct champsim_json { struct json *json; const struct champsim_table *table; };

static void put_counts(const struct champsim_json *to, const struct champsim_row *row, const char *key, int type,
                       size_t offset)
{
    json_key(to->json, key);
    json_begin_array(to->json, JSON_TIGHT);
    for (unsigned core = 0; core < to->table->system->core_count; core++) {
        uint64_t counts[TYPE_COUNT];

        memcpy(counts, (const char *)row->figures[core] + offset, sizeof counts);
        json_write_number(to->json, counts[type]);
    }
    json_end(to->json);
}

static void put_cache(void *context, const struct champsim_row *row)
{
    const struct champsim_json *const to = context;
    const struct champsim_cache_figures *first = row->figures[0];
    struct champsim_cache_figures all = {.period_ps = 1};

    for (unsigned core = 0; core < to->table->system->core_count; core++) {
        all.misses[0] += all_misses(row->figures[core]);
        all.latency_ps += row->figures[core]->latency_ps;
        if (row->figures[core]->period_ps > 0)
            first = row->figures[core];
    }
    all.period_ps = first->period_ps > 0 ? first->period_ps : 1;
    json_key(to->json, row->name);
    json_begin_object(to->json, JSON_TIGHT);
    for (int type = 0; type < TYPE_COUNT; type++) {
        json_key(to->json, type_names[type]);
        json_begin_object(to->json, JSON_TIGHT);
        put_counts(to, row, "hit", type, offsetof(struct champsim_cache_figures, hits));
        put_counts(to, row, "miss", type, offsetof(struct champsim_cache_figures, misses));
        put_counts(to, row, "mshr_merge", type, offsetof(struct champsim_cache_figures, merges));
        json_end(to->json);
    }
    json_put_number(to->json, "prefetch requested", first->requested);
    json_put_number(to->json, "prefetch issued", first->issued);
    json_put_number(to->json, "useful prefetch", first->useful);
    json_put_number(to->json, "useless prefetch", first->useless);
    json_key(to->json, "miss latency");
    json_write_real(to->json, miss_latency_cyc(&all), 9);
    json_end(to->json);
}

static void put_core(struct json *json, const struct champsim_core *core)
{
    json_begin_object(json, JSON_TIGHT);
    json_put_number(json, "instructions", core->instructions);
    json_put_number(json, "cycles", core->cycles);
    json_key(json, "Avg ROB occupancy at mispredict");
    json_write_real(json, NAN, 9);
    json_key(json, "mispredict");
    json_begin_object(json, JSON_TIGHT);
    for (int kind = 0; kind < KIND_COUNT; kind++)
        json_put_number(json, kind_names[kind], core->mispredicted[kind]);
    json_end(json);
    json_end(json);
}

static void put_channel(struct json *json, const struct dram_stats *counted)
{
    json_begin_object(json, JSON_TIGHT);
    json_put_number(json, "RQ ROW_BUFFER_HIT", counted->read_row_hits);
    json_put_number(json, "RQ ROW_BUFFER_MISS", counted->read_bursts - counted->read_row_hits);
    json_put_number(json, "WQ ROW_BUFFER_HIT", counted->write_row_hits);
    json_put_number(json, "WQ ROW_BUFFER_MISS", counted->write_bursts - counted->write_row_hits);
    json_key(json, "AVG DBUS CONGESTED CYCLE");
    json_write_real(json, NAN, 9);
    json_end(json);
}

/* gem5's controllers; memories of other types have no rows here. */
static void visit_channels(const struct system *system,
                           void (*visit)(void *context, unsigned number, const struct dram_stats *counted),
                           void *context)
{
    unsigned number = 0;

    for (unsigned i = 0; i < system->memory_count; i++) {
        const struct system_memory *const memory = &system->memories[i];

        for (uint32_t j = 0; !memory->is_simple && !memory->is_command && j < memory->controller.channel_count; j++)
            visit(context, number++, &memory->controller.channels[j].stats);
    }
}

static void put_channel_json(void *context, unsigned number, const struct dram_stats *counted)
{
    (void)number;
    put_channel(context, counted);
}

static void put_table(struct json *json, const char *key, const struct champsim_table *table)
{
    struct champsim_json to = {json, table};

    json_key(json, key);
    json_begin_object(json, JSON_LINES(3, 2));
    json_key(json, "cores");
    json_begin_array(json, JSON_TIGHT);
    for (unsigned i = 0; i < table->system->core_count; i++)
        put_core(json, table->cores[i]);
    json_end(json);
    json_key(json, "DRAM");
    json_begin_array(json, JSON_TIGHT);
    visit_channels(table->system, put_channel_json, json);
    json_end(json);
    visit_rows(table, put_cache, &to);
    json_end(json);
}

bool champsim_stats_json(const struct champsim_stats *stats, struct json *json, const struct system *system,
                         const char *const *traces, size_t trace_count)
{
    struct champsim_table roi, sim;
    bool const good = table_begin(&roi, system, stats) && !stats->lacks_memory;
    bool const is_whole = table_begin(&sim, system, NULL);

    if (good && is_whole) {
        json_begin_array(json, JSON_LINES(1, 0));
        json_begin_object(json, JSON_LINES(2, 1));
        json_key(json, "name");
        json_write_string(json, "Simulation");
        json_key(json, "traces");
        json_begin_array(json, JSON_TIGHT);
        for (size_t i = 0; i < trace_count; i++)
            json_write_bytes(json, traces[i]);
        json_end(json);
        put_table(json, "roi", &roi);
        put_table(json, "sim", &sim);
        json_end(json);
        json_end(json);
    }
    champsim_table_end(&roi);
    champsim_table_end(&sim);
    return good && is_whole;
}

/* ---- text */
struct champsim_text { FILE *to; const struct champsim_table *table; };

static void print_line(FILE *to, const char *name, const char *type, uint64_t hits, uint64_t misses, uint64_t merges)
{
    fprintf(to, "%s %-12s ACCESS: %10" PRIu64 " HIT: %10" PRIu64 " MISS: %10" PRIu64 " MSHR_MERGE: %10" PRIu64 "\n",
            name, type, hits + misses, hits, misses, merges);
}

static void print_cache(void *context, const struct champsim_row *row)
{
    const struct champsim_text *const to = context;

    for (unsigned core = 0; core < to->table->system->core_count; core++) {
        const struct champsim_cache_figures *const figures = row->figures[core];
        uint64_t hits = 0, merges = 0;

        if (figures->period_ps == 0)
            continue;                    /* another core's own cache */
        for (int type = 0; type < TYPE_COUNT; type++) {
            hits += figures->hits[type];
            merges += figures->merges[type];
        }
        fprintf(to->to, "\n");
        if (to->table->system->core_count > 1)
            fprintf(to->to, "CPU %u\n", core);
        print_line(to->to, row->name, "TOTAL", hits, all_misses(figures), merges);
        for (int type = 0; type < TYPE_COUNT; type++)
            print_line(to->to, row->name, type_names[type], figures->hits[type], figures->misses[type],
                       figures->merges[type]);
        fprintf(to->to, "%s PREFETCH REQUESTED: %10" PRIu64 " ISSUED: %10" PRIu64 " USEFUL: %10" PRIu64 " USELESS: %10"
                PRIu64 "\n", row->name, figures->requested, figures->issued, figures->useful, figures->useless);
        if (all_misses(figures) > 0)
            fprintf(to->to, "%s AVERAGE MISS LATENCY: %.4g cycles\n", row->name, miss_latency_cyc(figures));
        else
            fprintf(to->to, "%s AVERAGE MISS LATENCY: - cycles\n", row->name);
    }
}

static double champsim_ratio(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

static void print_core(FILE *to, unsigned number, const struct champsim_core *core)
{
    uint64_t branches = 0, wrong = 0;

    for (int kind = 0; kind < KIND_COUNT; kind++) {
        branches += core->branches[kind];
        wrong += core->mispredicted[kind];
    }
    fprintf(to, "\nCPU %u cumulative IPC: %.4g instructions: %" PRIu64 " cycles: %" PRIu64 "\n", number,
            champsim_ratio(core->instructions, core->cycles), core->instructions, core->cycles);
    fprintf(to, "CPU %u Branch Prediction Accuracy: %.4g%% MPKI: %.4g Average ROB Occupancy at Mispredict: -\n", number,
            100 * champsim_ratio(branches - wrong, branches), 1000 * champsim_ratio(wrong, core->instructions));
    fprintf(to, "Branch type MPKI\n");
    for (int kind = 0; kind < KIND_COUNT; kind++)
        fprintf(to, "%s: %.4g\n", kind_names[kind],
                1000 * champsim_ratio(core->mispredicted[kind], core->instructions));
}

static void print_channel(void *context, unsigned number, const struct dram_stats *counted)
{
    fprintf(context, "\nChannel %u RQ ROW_BUFFER_HIT: %10" PRIu64 "\n  ROW_BUFFER_MISS: %10" PRIu64 "\n", number,
            counted->read_row_hits, counted->read_bursts - counted->read_row_hits);
    fprintf(context, "Channel %u WQ ROW_BUFFER_HIT: %10" PRIu64 "\n  ROW_BUFFER_MISS: %10" PRIu64 "\n", number,
            counted->write_row_hits, counted->write_bursts - counted->write_row_hits);
}

static void print_table(FILE *to, const char *head, const struct champsim_table *table)
{
    struct champsim_text text = {to, table};

    fprintf(to, "\n%s\n", head);
    for (unsigned i = 0; i < table->system->core_count; i++)
        print_core(to, i, table->cores[i]);
    visit_rows(table, print_cache, &text);
}

bool champsim_stats_text(const struct champsim_stats *stats, FILE *to, const struct system *system,
                         const char *const *traces, size_t trace_count)
{
    struct champsim_table roi, sim;
    bool const good = table_begin(&roi, system, stats) && !stats->lacks_memory;
    bool const is_whole = table_begin(&sim, system, NULL);

    if (good && is_whole) {
        fprintf(to, "=== Simulation ===\n");
        for (size_t i = 0; i < trace_count; i++)
            fprintf(to, "CPU %zu runs %s\n", i, traces[i]);
        if (system->core_count > 1)
            print_table(to, "Total Simulation Statistics (not including warmup)", &sim);
        print_table(to, "Region of Interest Statistics", &roi);
        fprintf(to, "\nDRAM Statistics\n");
        visit_channels(system, print_channel, to);
    }
    champsim_table_end(&roi);
    champsim_table_end(&sim);
    return good && is_whole;
}
