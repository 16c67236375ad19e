#include "replay/gpu/figures.h"

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static struct gpu_figures figures_of(const struct gpu_params *params, const struct gpu_counts *counts, uint64_t cycles,
                                     uint64_t time_ps)
{
    double const sector = (double)params->l2.cache.sector_bytes, nanoseconds = 1e-3 * (double)time_ps;

    return (struct gpu_figures){
        .ipc = ratio((double)counts->warp_insts, (double)cycles),
        .thread_ipc = ratio((double)counts->thread_insts, (double)cycles),
        .l1_hit_rate = ratio((double)counts->l1_read_hits, (double)counts->l1_reads),
        .l1_write_hit_rate = ratio((double)counts->l1_write_hits, (double)counts->l1_writes),
        .l2_hit_rate = ratio((double)counts->l2_read_hits, (double)counts->l2_reads),
        .l2_write_hit_rate = ratio((double)counts->l2_write_hits, (double)counts->l2_writes),
        .l2_gb_s = ratio(sector * (double)(counts->l2_reads + counts->l2_writes + counts->l2_atomics), nanoseconds),
        .dram_gb_s = ratio(sector * (double)(counts->dram_reads + counts->dram_writes), nanoseconds),
        .memory_latency_ns = ratio(1e-3 * (double)counts->latency_ps, (double)counts->latency_requests)
    };
}

struct gpu_figures gpu_kernel_figures(const struct gpu_params *params, const struct gpu_kernel_result *kernel)
{
    return figures_of(params, &kernel->counts, kernel->cycles, kernel->end_ps - kernel->start_ps);
}

struct gpu_figures gpu_stream_figures(const struct gpu_params *params, const struct gpu_run *run,
                                      const struct gpu_stream_result *stream)
{
    uint64_t time_ps = 0;

    for (size_t i = 0; i < run->kernel_count; i++)
        if (run->kernels[i].is_done && run->kernels[i].stream == stream->stream)
            time_ps += run->kernels[i].end_ps - run->kernels[i].start_ps;
    return figures_of(params, &stream->counts, stream->cycles, time_ps);
}
