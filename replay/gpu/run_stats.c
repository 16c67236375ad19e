/* One figure a line of GPU_COUNTERS. */

#include "memsys/gpu/gpu_params.h"
#include "replay/gpu/gpu_machine.h"
#include "replay/gpu/gpu_run.h"

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

static void run_stats_reset(void *owner, uint64_t now_ps)
{
    struct gpu_run_stats *const figures = owner;

    (void)now_ps;
    figures->before = sum_of(figures->run);
}

/* Slots of 32 lanes that an SM can fill with a kernel's warps. */
static double slots_held(const struct gpu_kernel_result *kernel)
{
    double const warps = kernel->counts.blocks > 0 ? (double)kernel->counts.warps / (double)kernel->counts.blocks : 0;

    return kernel->blocks_per_sm * warps * kernel->warp_size / 32;
}

/* Warps that an SM can hold of a kernel, of its slots, on average over the kernels' cycles; of all streams, or one. */
static double occupancy_of(const struct gpu_run *run, const struct gpu_stream_result *stream, double slots)
{
    double held = 0, cycles = 0;

    for (size_t i = 0; i < run->kernel_count; i++) {
        struct gpu_kernel_result const *const kernel = &run->kernels[i];

        if (!kernel->is_done || kernel->counts.blocks == 0 || (stream && stream->stream != kernel->stream))
            continue;
        held += (double)kernel->cycles * slots_held(kernel);
        cycles += (double)kernel->cycles * slots;
    }
    return held / cycles;
}

static double occupancy(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct gpu_run_stats *const figures = context;

    (void)argument;
    (void)column;
    (void)time;
    return occupancy_of(figures->run, NULL, figures->run->machine->slot_count);
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
    stats_on_reset(stats, run_stats_reset, figures);
}

static double gpu_figures_ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* Without an L1, or past it, those that reach the L2. */
static double sectors_of(const struct gpu_counts *counts)
{
    uint64_t const in_l1 = counts->l1_reads + counts->l1_writes;

    return (double)(in_l1 > 0 ? in_l1 + counts->l2_atomics : counts->l2_reads + counts->l2_writes);
}

static struct gpu_figures figures_of(const struct gpu_params *params, const struct gpu_peaks *peaks,
                                     const struct gpu_counts *counts, uint64_t cycles, uint64_t time_ps)
{
    double const sector = (double)params->l2.cache.sector_bytes, nanoseconds = 1e-3 * (double)time_ps;
    double const l2_bytes = sector * (double)(counts->l2_reads + counts->l2_writes + counts->l2_atomics);
    double const dram_bytes = sector * (double)(counts->dram_reads + counts->dram_writes);
    double const l2_gb_s = gpu_figures_ratio(l2_bytes, nanoseconds);
    double const dram_gb_s = gpu_figures_ratio(dram_bytes, nanoseconds);

    return (struct gpu_figures){
        .ipc = gpu_figures_ratio((double)counts->warp_insts, (double)cycles),
        .thread_ipc = gpu_figures_ratio((double)counts->thread_insts, (double)cycles),
        .l1_hit_rate = gpu_figures_ratio((double)counts->l1_read_hits, (double)counts->l1_reads),
        .l1_write_hit_rate = gpu_figures_ratio((double)counts->l1_write_hits, (double)counts->l1_writes),
        .l2_hit_rate = gpu_figures_ratio((double)counts->l2_read_hits, (double)counts->l2_reads),
        .l2_write_hit_rate = gpu_figures_ratio((double)counts->l2_write_hits, (double)counts->l2_writes),
        .l2_gb_s = l2_gb_s, .dram_gb_s = dram_gb_s, .l2_bytes = l2_bytes, .dram_bytes = dram_bytes,
        .l2_of_peak = gpu_figures_ratio(1e9 * l2_gb_s, peaks->l2_bytes_per_s),
        .dram_of_peak = gpu_figures_ratio(1e9 * dram_gb_s, peaks->dram_bytes_per_s),
        .sectors_per_request = gpu_figures_ratio(sectors_of(counts), (double)counts->global_accesses),
        .memory_latency_ns = gpu_figures_ratio(1e-3 * (double)counts->latency_ps, (double)counts->latency_requests)
    };
}

struct gpu_figures gpu_kernel_figures(const struct gpu_params *params, const struct gpu_peaks *peaks,
                                      const struct gpu_kernel_result *kernel)
{
    struct gpu_figures figures = figures_of(params, peaks, &kernel->counts, kernel->cycles,
                                            kernel->end_ps - kernel->start_ps);

    figures.occupancy = gpu_figures_ratio(slots_held(kernel), (double)peaks->warp_slots);
    return figures;
}

struct gpu_figures gpu_stream_figures(const struct gpu_params *params, const struct gpu_peaks *peaks,
                                      const struct gpu_run *run, const struct gpu_stream_result *stream)
{
    struct gpu_figures figures;
    uint64_t time_ps = 0;

    for (size_t i = 0; i < run->kernel_count; i++)
        if (run->kernels[i].is_done && run->kernels[i].stream == stream->stream)
            time_ps += run->kernels[i].end_ps - run->kernels[i].start_ps;
    figures = figures_of(params, peaks, &stream->counts, stream->cycles, time_ps);
    figures.occupancy = stream->cycles ? occupancy_of(run, stream, (double)peaks->warp_slots) : 0;
    return figures;
}
