/* Statistics of a detailed core and its branch prediction unit under the reference's names; those that it has not are
 * ours, as are the slots of the top-down account.
 *
 * Use: detailed_stats_add for each core, after stats_init; detailed_stats_add_totals once, for what the reference
 * prints of all cores together. Ownership: the core must outlive the statistics; name is copied. */
#ifndef REPLAY_SYSTEM_DETAILED_STATS_H
#define REPLAY_SYSTEM_DETAILED_STATS_H

#include "memsys/sim/stats.h"
#include "replay/detailed/detailed_cpu.h"
#include "replay/system/system.h"

void detailed_stats_add(struct detailed_cpu *cpu, const char *name, struct stats *stats);
void detailed_stats_add_totals(const struct system *system, struct stats *stats);

/* Names of enum detailed_slot, enum detailed_op; NULL at their ends. */
extern const char *const detailed_slot_names[], *const detailed_op_names[];

#endif
