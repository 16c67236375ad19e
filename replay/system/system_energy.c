#include "replay/system/system_energy.h"

#include <stdlib.h>
#include <string.h>

#include "memsys/sim/packet.h"
#include "replay/config/config_values.h"
#include "replay/cost/system_cost.h"
#include "replay/system/system.h"

/* Parts of "sramEnergy", which are disjoint. */
enum part { PART_CACHES, PART_BUFFERS, PART_TLBS, PART_CORES, PART_LEAKAGE, PART_COUNT };
static const char *const part_names[] = {"caches", "buffers", "tlbs", "cores", "leakage"};
static const char *const cache_parts[] = {"dynamic", "leakage"};

static const enum part part_of_kind[COST_KIND_COUNT] = {
    [COST_CACHE] = PART_CACHES, [COST_MSHRS] = PART_BUFFERS, [COST_WRITES] = PART_BUFFERS,
    [COST_PREFETCHER] = PART_BUFFERS, [COST_TLB_I] = PART_TLBS, [COST_TLB_D] = PART_TLBS, [COST_TLB_2] = PART_TLBS,
    [COST_WALKS] = PART_TLBS, [COST_QUEUE] = PART_CORES, [COST_LOADS] = PART_CORES, [COST_STORES] = PART_CORES,
    [COST_PREDICTOR] = PART_CORES
};

/* One cache as the context of its statistics. */
struct cache_energy {
    const struct system *system;
    unsigned cache;
};

struct system_energy {
    struct system_cost cost;
    struct cache_energy *caches;
};

/* ---- of caches */
struct cache_counts {
    double reads, writes, written_back, misses, mshr_misses;    /* written_back: lines that come from above */
};

static struct cache_counts counts_of(const struct cache *cache)
{
    struct cache_counts counts = {0};

    for (unsigned command = 0; command < CMD_COUNT; command++)
        for (unsigned i = 0; i < cache->requestor_count; i++) {
            struct cache_command_stats const *const stats = cache_command_stats(cache, command, i);
            double const accesses = (double)(stats->hits + stats->misses);
            unsigned const attributes = command_attributes(command);

            if (attributes & ATTR_EVICTION)
                counts.written_back += attributes & ATTR_DATA ? accesses : 0;
            else if (attributes & ATTR_WRITE)
                counts.writes += accesses;
            else
                counts.reads += accesses;
            counts.misses += (double)stats->misses;
            counts.mshr_misses += (double)stats->mshr_misses;
        }
    return counts;
}

static double pj_of_cache(const struct cost_component *component, const struct cache *cache)
{
    struct cache_counts const counts = counts_of(cache);
    struct sram_cost const *const cost = &component->cost;
    double const both = cost->read_pj + cost->write_pj, evicted = (double)cache->stats.writebacks;

    switch (component->kind) {
    case COST_CACHE:
        return (counts.reads + counts.writes + evicted) * cost->read_pj + counts.writes * cost->write_pj
             + (counts.written_back + counts.mshr_misses) * component->fill_pj;
    case COST_MSHRS: return counts.misses * cost->read_pj + counts.mshr_misses * both;
    case COST_WRITES: return evicted * both;
    case COST_PREFETCHER: return (counts.reads + counts.writes) * both;
    default: return 0;
    }
}

/* Does the component belong to caches of that kind: "l1d", "l1d.mshrs"? */
static bool is_of(const struct cost_component *component, const struct system_cache *cache)
{
    size_t const length = strlen(cache->kind);

    return component->kind <= COST_PREFETCHER && strncmp(component->name, cache->kind, length) == 0
        && (component->name[length] == '\0' || component->name[length] == '.');
}

/* ---- of cores */
static double pj_of_tlb(const struct cost_component *component, const struct mmu *mmu)
{
    struct mmu_side const *const side = &mmu->sides[component->kind == COST_TLB_D ? MMU_DATA : MMU_INST];
    double const read = component->cost.read_pj, write = component->cost.write_pj;

    switch (component->kind) {
    case COST_TLB_I:
    case COST_TLB_D: return (double)side->stats.accesses * read + (double)side->stats.misses * write;
    case COST_TLB_2: return (double)mmu->stats.l2_accesses * read + (double)mmu->stats.l2_misses * write;
    case COST_WALKS: return (double)mmu->stats.walks * (read + write);
    default: return 0;
    }
}

static double predictions_of(const struct system_core *core, double read_pj, double write_pj)
{
    struct branch_stats const *const branches = detailed_cpu_branch_stats(core->detailed);
    double pj = 0;

    for (size_t i = 0; i < BRANCH_CLASS_COUNT; i++)
        pj += (double)branches->lookups[i] * read_pj + (double)branches->committed[i] * write_pj;
    return pj;
}

static double pj_of_core(const struct cost_component *component, const struct system_core *core)
{
    double const both = component->cost.read_pj + component->cost.write_pj;

    if (component->kind >= COST_TLB_I && component->kind <= COST_WALKS)
        return core->mmu ? pj_of_tlb(component, core->mmu) : 0;
    if (component->kind == COST_QUEUE)
        return both * (double)(core->detailed ? detailed_cpu_stats(core->detailed)->uops : core->cpu.stats.micro_ops);
    if (component->kind == COST_PREDICTOR && core->detailed)
        return predictions_of(core, component->cost.read_pj, component->cost.write_pj);
    return 0;
}

/* ---- all */
/* Of all instances, without leakage. */
static double dynamic_pj(const struct system *system, const struct cost_component *component)
{
    double const both = component->cost.read_pj + component->cost.write_pj;
    double pj = 0;

    for (unsigned i = 0; i < system->core_count; i++)
        pj += pj_of_core(component, &system->cores[i]);
    for (unsigned i = 0; i < system->cache_count; i++) {
        struct system_cache const *const cache = &system->caches[i];

        if (is_of(component, cache))
            pj += pj_of_cache(component, &cache->cache);
        else if (component->kind == COST_LOADS && strcmp(cache->kind, "l1d") == 0)
            pj += counts_of(&cache->cache).reads * both;
        else if (component->kind == COST_STORES && strcmp(cache->kind, "l1d") == 0)
            pj += counts_of(&cache->cache).writes * both;
    }
    return pj;
}

/* mW times s is mJ. */
static double leakage_pj(double leakage_mw, const struct stats_time *time)
{
    return leakage_mw * stats_seconds(time) * 1e9;
}

static double part_pj(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct system *const system = context;
    struct system_cost const *const cost = &system->energy->cost;
    bool const is_total = column == STAT_TOTAL;
    double pj = is_total || column == PART_LEAKAGE ? leakage_pj(cost->leakage_mw, time) : 0;

    (void)argument;
    for (size_t i = 0; i < cost->count; i++)
        if (is_total || part_of_kind[cost->list[i].kind] == column)
            pj += dynamic_pj(system, &cost->list[i]);
    return pj;
}

/* Of one cache with its MSHRs, write buffers and prefetchers. */
static double cache_pj(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct cache_energy *const energy = context;
    struct system_cache const *const cache = &energy->system->caches[energy->cache];
    struct system_cost const *const cost = &energy->system->energy->cost;
    double dynamic = 0, leakage_mw = 0;

    (void)argument;
    for (size_t i = 0; i < cost->count; i++) {
        if (!is_of(&cost->list[i], cache))
            continue;
        dynamic += pj_of_cache(&cost->list[i], &cache->cache);
        leakage_mw += cost->list[i].cost.leakage_mw;
    }
    return (column == 1 ? 0 : dynamic) + (column == 0 ? 0 : leakage_pj(leakage_mw, time));
}

static double cache_area(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct cache_energy *const energy = context;
    struct system_cost const *const cost = &energy->system->energy->cost;
    double area = 0;

    (void)argument;
    (void)column;
    (void)time;
    for (size_t i = 0; i < cost->count; i++)
        area += is_of(&cost->list[i], &energy->system->caches[energy->cache]) ? cost->list[i].cost.area_mm2 : 0;
    return area;
}

static double whole_area(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct system_cost *const cost = context;

    (void)argument;
    (void)column;
    (void)time;
    return cost->area_mm2;
}

struct fault system_energy_add(struct system *system, struct stats *stats)
{
    enum technology const technology = config_technology(system->config);
    struct stat_entry const row = {
        .name = "sramEnergy", .unit = "pJ", .help = "of the SRAMs, by the cost model (docs/cost.md)", .source = system,
        .formula = part_pj, .columns = PART_COUNT, .column_names = part_names, .flags = STAT_OURS | STAT_WITH_TOTAL,
        .precision = 3
    };

    if (technology == TECHNOLOGY_NONE || system->core_count == 0)
        return fault_none();
    system->energy = calloc(1, sizeof *system->energy);
    if (system->energy)
        system->energy->caches = calloc(system->cache_count + 1, sizeof *system->energy->caches);
    if (!system->energy || !system->energy->caches)
        return fault_make(FAULT_MEMORY, "out of memory for the energy of %u caches", system->cache_count);
    system_cost_make(&system->energy->cost, system->config, technology);
    for (unsigned i = 0; i < system->cache_count; i++)
        system->energy->caches[i] = (struct cache_energy){system, i};
    stats_group(stats, "%s", "");
    stats_add(stats, &row);
    stats_add(stats, &(struct stat_entry){.name = "sramArea", .unit = "mm2", .help = "of the SRAMs, likewise",
                                          .source = &system->energy->cost, .formula = whole_area, .flags = STAT_OURS,
                                          .precision = 6});
    return fault_none();
}

void system_energy_add_cache(struct system *system, unsigned cache, struct stats *stats)
{
    struct stat_entry const rows[] = {
        {.name = "sramEnergy", .unit = "pJ", .help = "with its MSHRs, write buffers and prefetchers' tables",
         .source = system->energy ? &system->energy->caches[cache] : NULL, .formula = cache_pj, .columns = 2,
         .column_names = cache_parts, .flags = STAT_OURS | STAT_WITH_TOTAL, .precision = 3},
        {.name = "sramArea", .unit = "mm2", .help = "likewise",
         .source = system->energy ? &system->energy->caches[cache] : NULL, .formula = cache_area, .flags = STAT_OURS,
         .precision = 6}
    };

    if (!system->energy)
        return;
    stats_group(stats, "system.%s", system->caches[cache].name);
    STATS_ADD_TABLE(stats, rows);
}

void system_energy_free(struct system *system)
{
    if (system->energy)
        free(system->energy->caches);
    free(system->energy);
    system->energy = NULL;
}
