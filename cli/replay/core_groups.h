/* Many cores in the summary: totals, a table of each group of cores that are built alike with least, mean and most, and
 * by name those that are far from their group's mean. */
#ifndef CLI_REPLAY_CORE_GROUPS_H
#define CLI_REPLAY_CORE_GROUPS_H

#include <stdio.h>

#include "replay/metrics/metrics.h"
#include "replay/system/system.h"

void core_groups_print(FILE *to, const struct system *system, const struct figures *figures);

#endif
