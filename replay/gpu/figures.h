/* What summary and statistics of a GPU run derive from its counters. */
#ifndef REPLAY_GPU_FIGURES_H
#define REPLAY_GPU_FIGURES_H

#include "replay/gpu/run.h"

/* F(name, help); rates are 0 where nothing was counted. */
#define GPU_FIGURES(F)                                                                                                \
    F(ipc, "warp instructions a cycle, of all SMs together")                                                          \
    F(thread_ipc, "thread instructions a cycle")                                                                      \
    F(l1_hit_rate, "of the sectors read from L1s; those on their way are no hits")                                    \
    F(l1_write_hit_rate, "of the sectors written to L1s")                                                             \
    F(l2_hit_rate, "of the sectors read from the L2, atomics included; those on their way are no hits")               \
    F(l2_write_hit_rate, "of the sectors written to the L2")                                                          \
    F(l2_gb_s, "read from and written to the L2, 10^9 bytes a second")                                                \
    F(dram_gb_s, "read from and written to DRAM, 10^9 bytes a second")                                                \
    F(memory_latency_ns, "mean of reads that left the SM")

#define GPU_FIGURE_FIELD(name, help) double name;
struct gpu_figures { GPU_FIGURES(GPU_FIGURE_FIELD) };
#undef GPU_FIGURE_FIELD

/* Of a kernel that is done. Bandwidths are those since it was ready for its first block. */
struct gpu_figures gpu_kernel_figures(const struct gpu_params *params, const struct gpu_kernel_result *kernel);
/* Bandwidths: over the times of its kernels. */
struct gpu_figures gpu_stream_figures(const struct gpu_params *params, const struct gpu_run *run,
                                      const struct gpu_stream_result *stream);

#endif
