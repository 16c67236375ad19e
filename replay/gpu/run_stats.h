/* Names for the sums of a GPU's counters over its kernels, in the statistics of a system (memsys/sim/stats.h). */
#ifndef REPLAY_GPU_RUN_STATS_H
#define REPLAY_GPU_RUN_STATS_H

#include "memsys/sim/stats.h"
#include "replay/gpu/run.h"

struct gpu_run_stats {
    const struct gpu_run *run;
    struct gpu_counts before;                /* the sums at the last reset */
};

/* Adds "system.gpu" and its reset hook; both arguments must outlive the registry. */
void gpu_run_add_stats(struct gpu_run_stats *figures, const struct gpu_run *run, struct stats *stats);

#endif
