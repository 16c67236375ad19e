/* One figure a line of GPU_COUNTERS. */
#include "replay/gpu/run_stats.h"

#include "replay/gpu/machine.h"

static struct gpu_counts sum_of(const struct gpu_run *run)
{
    struct gpu_counts sum = {0};

    for (size_t i = 0; i < run->kernel_count; i++)
        gpu_counts_add(&sum, &run->kernels[i].counts);
    return sum;
}

static uint64_t counter(const struct gpu_counts *counts, uint64_t offset)
{
    return *(const uint64_t *)(const void *)((const char *)counts + offset);
}

/* argument: offset of the counter */
static double since_reset(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct gpu_run_stats *const figures = context;
    uint64_t sum = 0;

    (void)column;
    (void)time;
    for (size_t i = 0; i < figures->run->kernel_count; i++)
        sum += counter(&figures->run->kernels[i].counts, argument);
    return (double)(sum - counter(&figures->before, argument));
}

static void reset(void *owner, uint64_t now_ps)
{
    struct gpu_run_stats *const figures = owner;

    (void)now_ps;
    figures->before = sum_of(figures->run);
}

/* Warps that an SM can hold of a kernel, of its slots, on average over the kernels' cycles. */
static double occupancy(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct gpu_run_stats *const figures = context;
    double held = 0, slots = 0;

    (void)argument;
    (void)column;
    (void)time;
    for (size_t i = 0; i < figures->run->kernel_count; i++) {
        struct gpu_kernel_result const *const kernel = &figures->run->kernels[i];
        double const blocks = (double)kernel->counts.blocks;

        if (!kernel->is_done || blocks == 0)
            continue;
        held += (double)kernel->cycles * kernel->blocks_per_sm * (double)kernel->counts.warps / blocks;
        slots += (double)kernel->cycles * figures->run->machine->slot_count;
    }
    return held / slots;
}

/* Part of the kernels' cycles in which SMs could hold all blocks of a kernel, but the grid has no more. */
static double grid_limited(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct gpu_run_stats *const figures = context;
    double limited = 0, all = 0;

    (void)argument;
    (void)column;
    (void)time;
    for (size_t i = 0; i < figures->run->kernel_count; i++) {
        struct gpu_kernel_result const *const kernel = &figures->run->kernels[i];

        if (!kernel->is_done || kernel->counts.blocks == 0)
            continue;
        limited += kernel->limit == GPU_LIMIT_GRID ? (double)kernel->cycles : 0;
        all += (double)kernel->cycles;
    }
    return limited / all;
}

#define GPU_STATISTIC(field, text) {#field, text, offsetof(struct gpu_counts, field)},

void gpu_run_add_stats(struct gpu_run_stats *figures, const struct gpu_run *run, struct stats *stats)
{
    static const struct {
        const char *name, *help;
        size_t offset;
    } rows[] = {GPU_COUNTERS(GPU_STATISTIC)};

    *figures = (struct gpu_run_stats){.run = run};
    stats_group(stats, "system.gpu");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        stats_add(stats, &(struct stat_entry){
            .name = rows[i].name, .help = rows[i].help, .source = figures, .formula = since_reset,
            .argument = rows[i].offset
        });
    stats_add(stats, &(struct stat_entry){
        .name = "occupancy", .unit = "Ratio", .help = "warps that an SM can hold at once, of its slots",
        .source = figures, .formula = occupancy, .flags = STAT_OURS
    });
    stats_add(stats, &(struct stat_entry){
        .name = "gridLimited", .unit = "Ratio", .help = "part of the kernels' cycles in which all blocks of a grid fit "
                                                        "the SMs at once",
        .source = figures, .formula = grid_limited, .flags = STAT_OURS
    });
    stats_on_reset(stats, reset, figures);
}
