/* Statistics of several components as one, where theirs do not add up: percentiles of latencies, as "system.cores" and
 * "system.memories". Not in the reference. */
#ifndef REPLAY_SYSTEM_TOTAL_STATS_H
#define REPLAY_SYSTEM_TOTAL_STATS_H

#include "replay/system/system.h"

/* Of several elastic cores, and of several memory controllers; of one alone its own say the same. The lists are the
 * system's, total_stats_free frees them. FAULT_MEMORY. */
struct fault total_stats_add(struct system *system, struct stats *stats);
/* What a core has counted so far is its part of them from now on. False: out of memory. */
bool total_stats_keep(struct system *system, unsigned core);
void total_stats_free(struct system *system);

#endif
