/* The statistics of a GPU alone as names and numbers: the time, sums over its kernels, figures of each kernel that is
 * done, and of its memory controllers what metrics and verdicts are made of. What a sweep keeps of such a point. */
#ifndef REPLAY_SESSION_GPU_ALONE_STATS_H
#define REPLAY_SESSION_GPU_ALONE_STATS_H

#include "replay/config/config.h"
#include "replay/gpu/run.h"

struct fault gpu_alone_stats_visit(const struct gpu_run *run, const struct system_config *config, uint64_t now_ps,
                                   void (*visit)(void *context, const char *name, double value), void *context);

#endif
