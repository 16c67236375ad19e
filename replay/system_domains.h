/* Domains of a system: a core, its private caches, and the memories that it alone can reach.
 *
 * Cores that share neither caches nor memories meet on the memory bus only, where each of them has layers and queues of
 * its own. So what one does never depends on another, and one domain after the other is simulated, each as far as its
 * core is done; then all of them up to the end of the run. Nothing simulated differs, and the host stays with one core.
 *
 * Use: system_domains_are_possible; system_domains_create before components are made; system_domains_start when all
 * are; then system_domains_run instead of event_queue_run. Private to the system. Units: picoseconds. */
#ifndef REPLAY_SYSTEM_DOMAINS_H
#define REPLAY_SYSTEM_DOMAINS_H

#include "replay/system.h"

/* Has each core memories of its own? For systems of which system_parts_are_possible. */
bool system_domains_are_possible(const struct system_config *config);

/* For an all-zero system whose config is set. system_domains_free is due in any case. FAULT_MEMORY. */
struct fault system_domains_create(struct system *system);
void system_domains_free(struct system *system);

/* Instead of starting cores and memories. FAULT_MEMORY, or what elastic_cpu_start answers. */
struct fault system_domains_start(struct system *system);
/* As event_queue_run to the end. */
void system_domains_run(struct system *system, uint64_t max_events);
/* Is that core the one that is being simulated? */
bool system_domains_are_at(const struct system *system, unsigned core);

#endif
