/* Statistics of a GPU run: kernels, streams, and static instructions if the run counted them.
 *
 * Text: tab-separated, three tables one after the other. The first word of a line names its table (kernel, stream, pc);
 * a line that begins with # holds the columns of those that follow. A run that the user ended before its end has its
 * tick as well: interrupted_ps, in a table `run`.
 * CSV: the same in one table, whose first column says what a line is about; columns that others have are empty.
 * JSON: one object with the same names, and sums of the run under the names that a system's statistics have
 * (docs/stats.schema.json). */
#ifndef CLI_REPLAY_GPU_STATS_H
#define CLI_REPLAY_GPU_STATS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"
#include "replay/config/config.h"
#include "replay/gpu/run.h"

/* False: out of memory. */
bool gpu_stats_text(FILE *to, const struct system_config *config, const struct gpu_run *run);
bool gpu_stats_csv(FILE *to, const struct system_config *config, const struct gpu_run *run);
/* As the next value of `json`; has_lines: kernels and streams on lines of their own. */
bool gpu_stats_json(struct json *json, bool has_lines, const struct system_config *config, const struct gpu_run *run,
                    uint64_t end_ps);

#endif
