/* `replay --summary FILE`: the summary for programs, one JSON object: system, every metric of the run with those of
 * each core and channel, and the verdict. */
#ifndef CLI_REPLAY_SUMMARY_JSON_H
#define CLI_REPLAY_SUMMARY_JSON_H

#include <stdio.h>

#include "replay/metrics/verdict.h"

/* False: out of memory. Errors of the file show in ferror. */
bool summary_json_write(FILE *file, const char *system, const struct figures *figures, const struct verdict *verdict);

#endif
