#include "replay/system/total_stats.h"

#include <stdlib.h>

#include "memsys/sim/latency_stats.h"

static struct fault make_lists(struct system *system)
{
    struct latency_totals *const totals = &system->totals;

    totals->load_list = calloc(system->core_count + 1, sizeof *totals->load_list);
    totals->read_list = calloc(2 * system->memory_count + 1, sizeof *totals->read_list);
    if (!totals->load_list || !totals->read_list)
        return fault_make(FAULT_MEMORY, "out of memory for the statistics of all cores");
    totals->loads.list = totals->load_list;
    totals->reads.list = totals->read_list;
    for (unsigned i = 0; i < system->core_count && !config_is_detailed(&system->config); i++)
        totals->load_list[totals->loads.count++] = &system->cores[i].cpu.stats.load_latency;
    for (unsigned i = 0; i < system->memory_count; i++) {
        struct mem_ctrl const *const controller = &system->memories[i].controller;

        for (unsigned k = 0; system->memories[i].type != MEMORY_SIMPLE && k < controller->channel_count; k++)
            totals->read_list[totals->reads.count++] = controller->latency_list[k];
    }
    return fault_none();
}

struct fault total_stats_add(struct system *system, struct stats *stats)
{
    struct latency_totals const *const totals = &system->totals;

    FORWARD(make_lists(system));
    if (totals->loads.count > 1) {
        stats_group(stats, "system.cores");
        latency_stats_add_all(stats, "loadLatency", &totals->loads, "of loads of all cores, from the cache taking one "
                              "to its response");
    }
    if (system->memory_count > 1 && totals->reads.count > 0) {
        stats_group(stats, "system.memories");
        latency_stats_add_all(stats, "readLatency", &totals->reads, "of read bursts of all controllers, from arrival "
                              "to data");
    }
    return fault_none();
}

bool total_stats_keep(struct system *system, unsigned core)
{
    struct latency_totals *const totals = &system->totals;

    if (core >= totals->loads.count)
        return true;
    totals->kept[core] = malloc(sizeof *totals->kept[core]);
    if (!totals->kept[core])
        return false;
    *totals->kept[core] = *totals->load_list[core];
    totals->load_list[core] = totals->kept[core];
    return true;
}

void total_stats_free(struct system *system)
{
    for (unsigned i = 0; i < CONFIG_MAX_CORES; i++)
        free(system->totals.kept[i]);
    free(system->totals.load_list);
    free(system->totals.read_list);
    system->totals = (struct latency_totals){0};
}
