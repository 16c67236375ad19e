#include "replay/session/gpu_alone_stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "memsys/gpu/gpu_channel.h"
#include "memsys/gpu/gpu_params.h"
#include "memsys/sim/latency_histogram.h"
#include "replay/config/config_values.h"
#include "replay/config/unloaded.h"
#include "replay/gpu/gpu_run.h"
#include "replay/metrics/verdict.h"
#include "replay/session/gpu_kernels.h"

struct visitor {
    void (*visit)(void *context, const char *name, double value);
    void *context;
};

static void visit_leaf(void *context, const struct stat_leaf *leaf)
{
    struct visitor const *const visitor = context;

    visitor->visit(visitor->context, leaf->name, leaf->value);
}

static void visit_kernel(const struct visitor *visitor, const struct gpu_params *params, const struct gpu_peaks *peaks,
                         const struct gpu_kernel_result *kernel)
{
    struct gpu_figures const values = gpu_kernel_figures(params, peaks, kernel);
    char name[96];

    snprintf(name, sizeof name, "kernel%" PRIu64 ".cycles", kernel->number);
    visitor->visit(visitor->context, name, (double)kernel->cycles);
#define VISIT_FIGURE(figure, help)                                                                                    \
    snprintf(name, sizeof name, "kernel%" PRIu64 "." #figure, kernel->number);                                        \
    visitor->visit(visitor->context, name, values.figure);
    GPU_FIGURES(VISIT_FIGURE)
#undef VISIT_FIGURE
}

/* ---- its memory controllers: named as those of a system, so that the same metrics are made of them */
struct memories {
    const struct latency_histogram **list;
    struct latency_histograms reads;
};

/* Channels, or pseudo-channels. */
static size_t list_length(const struct gpu_channels *channels)
{
    size_t count = 0;

    for (uint32_t i = 0; i < channels->count; i++)
        if (channels->channels[i].own)
            count += channels->channels[i].own->command_count + 2;
    return count;
}

static struct fault gpu_alone_stats_add_memories(struct memories *memories, const struct gpu_run *run,
                                                 struct stats *stats)
{
    const struct gpu_channels *const channels = gpu_memory_channels(run->memory);

    memories->list = calloc(list_length(channels) + 1, sizeof *memories->list);
    if (!memories->list)
        return fault_make(FAULT_MEMORY, "out of memory for the statistics of a GPU");
    memories->reads.list = memories->list;
    for (uint32_t i = 0; i < channels->count; i++) {
        struct gpu_controller *const own = channels->channels[i].own;

        if (!own)
            continue;
        for (uint32_t c = 0; c < own->command_count; c++) {
            cmd_ctrl_add_stats(&own->commands[c].ctrl, stats);
            memories->list[memories->reads.count++] = &own->commands[c].ctrl.stats.read_latencies;
        }
        if (own->commands)
            continue;
        mem_ctrl_add_stats(&own->ctrl, stats);
        for (uint32_t c = 0; c < own->ctrl.channel_count; c++)
            memories->list[memories->reads.count++] = own->ctrl.latency_list[c];
    }
    if (memories->reads.count > 1) {
        stats_group(stats, "system.memories");
        latency_stats_add_all(stats, "readLatency", &memories->reads, "of read bursts of all controllers, from arrival "
                              "to data");
    }
    return fault_none();
}

static bool is_needed(const void *needs, const char *name)
{
    return metrics_need(needs, name);
}

/* Of DRAM commands all that they count, of gem5's controllers what metrics and verdict need. */
static struct fault visit_memories(const struct gpu_run *run, uint64_t now_ps, struct visitor *visitor)
{
    const struct gpu_channels *const channels = gpu_memory_channels(run->memory);
    bool const has_commands = channels->count > 0 && channels->channels[0].own && channels->channels[0].own->commands;

    struct memories memories = {0};
    struct metrics_needs needs;
    struct stats stats;
    struct fault fault;

    stats_init(&stats);
    fault = gpu_alone_stats_add_memories(&memories, run, &stats);
    if (fault.kind == FAULT_NONE)
        fault = stats_freeze(&stats);
    verdict_needs(&needs);
    if (fault.kind == FAULT_NONE && has_commands)
        stats_visit(&stats, now_ps, STATS_SHOWN_AND_OURS, visit_leaf, visitor);
    else if (fault.kind == FAULT_NONE)
        stats_visit_wanted(&stats, now_ps, is_needed, &needs, visit_leaf, visitor);
    stats_free(&stats);
    free(memories.list);
    return fault;
}

struct fault gpu_alone_stats_visit(const struct gpu_run *run, const struct system_config *config, uint64_t now_ps,
                                   void (*visit)(void *context, const char *name, double value), void *context)
{
    struct visitor visitor = {visit, context};
    struct gpu_peaks const peaks = gpu_peaks_of(config);
    struct gpu_run_stats gpu;
    struct stats stats;
    struct fault fault;

    stats_init(&stats);
    gpu_run_add_stats(&gpu, run, &stats);
    stats_add_constant(&stats, "sectorBytes", (double)config_gpu(config)->l2.cache.sector_bytes, "Byte",
                       "of the L2 and DRAM");
    stats_add_constant(&stats, "dramPeakBW", 1e-6 * peak_memory_bandwidth(config_memory(config, 0)), "MB/s",
                       "what its DRAM can do at most");
    fault = stats_freeze(&stats);
    if (fault.kind == FAULT_NONE) {
        visit(context, "simSeconds", (double)now_ps / STATS_TICKS_PER_SECOND);
        visit(context, "simTicks", (double)now_ps);
        stats_visit(&stats, now_ps, STATS_SHOWN_AND_OURS, visit_leaf, &visitor);
        for (size_t i = 0; i < run->kernel_count; i++)
            if (run->kernels[i].is_done)
                visit_kernel(&visitor, config_gpu(config), &peaks, &run->kernels[i]);
        fault = visit_memories(run, now_ps, &visitor);
    }
    stats_free(&stats);
    return fault;
}
