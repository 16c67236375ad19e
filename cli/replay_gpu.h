/* `rubato replay` of GPU traces: the part of the command that runs a list of kernels on the GPU of a system. */
#ifndef CLI_REPLAY_GPU_H
#define CLI_REPLAY_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/replay_macsim.h"
#include "cli/sampling.h"
#include "replay/config.h"
#include "replay/gpu_pick.h"
#include "replay/gpu_run.h"

enum { REPLAY_GPU_MAX_STATS = 4 };

struct replay_gpu_request {
    const struct system_config *config;          /* finished */
    const char *list;                            /* a list of kernels, or a folder that holds one */
    const struct replay_macsim_options *macsim;
    const char *stats[REPLAY_GPU_MAX_STATS];     /* files to write */
    size_t stats_count;
    struct gpu_pick picked;
    uint64_t until_ps;
    const struct sampling_options *sampling;
    bool counts_pcs, is_quiet;
};

/* Opens the list and warns of what is odd. threads: MacSim's threads that run beside it, which the options are for as
 * well, so that the list need not be MacSim's; of the same set they have warned already. NULL: none. An exit code; on
 * failure nothing remains open. */
int replay_gpu_open(struct gpu_list *list, const char *path, const struct replay_macsim_options *macsim,
                    const struct macsim_set *threads);

/* Of the kernels, from 0 to 1: for the progress line. */
double replay_gpu_part_done(const struct gpu_run *run);

/* The exit code. */
int replay_gpu(const struct replay_gpu_request *request);

#endif
