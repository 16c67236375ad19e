/* The statistics of a GPU alone as names and numbers: the time, sums over its kernels, figures of each kernel that is
 * done, and the figures of its memory controllers that metrics and verdicts need. A sweep stores these for such a
 * point. */
#ifndef REPLAY_SESSION_GPU_ALONE_STATS_H
#define REPLAY_SESSION_GPU_ALONE_STATS_H

#include "replay/gpu/gpu_run.h"

struct system_config;

struct fault gpu_alone_stats_visit(const struct gpu_run *run, const struct system_config *config, uint64_t now_ps,
                                   void (*visit)(void *context, const char *name, double value), void *context);

#endif
