/* system_stats: see each part. */
#ifndef REPLAY_SYSTEM_SYSTEM_STATS_H
#define REPLAY_SYSTEM_SYSTEM_STATS_H

#include "memsys/sim/sim_statistics.h"
#include "replay/detailed/detailed_cpu.h"
#include "replay/system/system.h"

/* Statistics of a detailed core and its branch prediction unit under the reference's names; statistics without a
 * counterpart there are rubato's own, as are the slots of the top-down analysis.
 *
 * Use: detailed_stats_add for each core, after stats_init; detailed_stats_add_totals once, for the reference's totals
 * over all cores. Ownership: the core must outlive the statistics; name is copied. */

void detailed_stats_add(struct detailed_cpu *cpu, const char *name, struct stats *stats);
void detailed_stats_add_totals(const struct system *system, struct stats *stats);

/* Names of enum detailed_slot, enum detailed_op; NULL at their ends. */
extern const char *const detailed_slot_names[], *const detailed_op_names[];

/* Statistics of several components as one, where theirs do not add up: percentiles of latencies, as "system.cores" and
 * "system.memories". Not in the reference. */

/* Of several elastic cores, and of several memory controllers; of one alone its own say the same. The lists are the
 * system's, total_stats_free frees them. FAULT_MEMORY. */
struct fault total_stats_add(struct system *system, struct stats *stats);
/* Freezes the core's contribution at its present counts. False: out of memory. */
bool total_stats_keep(struct system *system, unsigned core);
void total_stats_free(struct system *system);

#endif
