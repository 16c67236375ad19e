/* Names for a core's counters and for a whole system (registration, see memsys/sim/stats.h). */
#ifndef REPLAY_ELASTIC_ELASTIC_CPU_STATS_H
#define REPLAY_ELASTIC_ELASTIC_CPU_STATS_H

#include "memsys/sim/stats.h"
#include "replay/elastic/elastic_cpu.h"

/* Adds "system.cpu" (by the core's name) and its reset hook. Call elastic_cpu_sync before figures are visited. The
 * core must outlive the registry. */
void elastic_cpu_add_stats(struct elastic_cpu *cpu, struct stats *stats);

#endif
