/* What the kernels of a run did, for people: cycles, hit rates, bandwidth. */
#ifndef CLI_REPLAY_GPU_SUMMARY_H
#define CLI_REPLAY_GPU_SUMMARY_H

#include <stdio.h>

#include "replay/gpu/run.h"

/* Of kernels that are done. */
void gpu_summary_print(FILE *to, const struct gpu_params *params, const struct gpu_run *run);

#endif
