/* What is said of each kernel of a GPU: its figures against the peaks of the system, and what bounds it, by the rules
 * of verdicts (replay/metrics/verdict.h). Summary, statistics, results and report show these.
 *
 * Use: gpu_peaks_of the system, once; then gpu_kernel_bound of a kernel that is done, or gpu_kernels_put for all. */
#ifndef REPLAY_SESSION_GPU_KERNELS_H
#define REPLAY_SESSION_GPU_KERNELS_H

#include "base/json.h"
#include "replay/gpu/gpu_run.h"
#include "replay/metrics/verdict.h"

struct system_config;

struct gpu_peaks gpu_peaks_of(const struct system_config *config);

/* The cause of most of its schedulers' cycles. cause CAUSE_COUNT: no cycles were counted. */
struct fault gpu_kernel_bound(const struct system_config *config, const struct gpu_peaks *peaks,
                              const struct gpu_kernel_result *kernel, struct verdict_bound *bound);

/* Puts an array of objects, one a kernel that is done, as the next value of `json`: number, name, stream_id, grid,
 * block, launch_ps, start_ps, end_ps, cycles, blocks_per_sm, limit, bound, warp_insts, thread_insts, GPU_FIGURES. */
struct fault gpu_kernels_put(struct json *json, const struct system_config *config, const struct gpu_run *run);

#endif
