/* Statistics of a GPU run: kernels, streams, and static instructions if the run counted them.
 *
 * Text: tab-separated, three tables one after the other. The first word of a line names its table (kernel, stream, pc);
 * a line that begins with # holds the columns of those that follow. JSON: one object with the same names. A run that
 * the user ended before its end has its tick as well: interrupted_ps, in a table `run`. */
#ifndef CLI_REPLAY_GPU_STATS_H
#define CLI_REPLAY_GPU_STATS_H

#include <stdio.h>

#include "replay/config/config.h"
#include "replay/gpu/run.h"

/* False: out of memory. */
bool gpu_stats_text(FILE *to, const struct system_config *config, const struct gpu_run *run);
bool gpu_stats_json(FILE *to, const struct system_config *config, const struct gpu_run *run);

#endif
