/* Domains: separate cores (separate_cores.h) that have memories of their own, too, are simulated one after the other.
 *
 * Shortens: the order of events, and the host's work to switch between cores. A domain is a core, its private caches,
 * and the memories that it alone can reach. Each is simulated as far as its core is done; then all of them up to the
 * end of the run.
 *
 * Why the result is the same: domains meet on the memory bus only, where each of them has layers and queues of its own;
 * so no event of one is scheduled, delayed or refused by one of another. No shared component passes information from
 * one domain to another: the bus's snoop filter is a table of lines, and no line belongs to two of them; packets come
 * from one pool; counters add up. Should a core ask for an address of another one, which is a fault
 * (separate_cores_limits), the run has to be repeated without.
 *
 * Test: tests/unit/replay/fast/test_lookahead.c, test_engine.c. Private to what binds it. Units: picoseconds. */
#ifndef REPLAY_FAST_DOMAINS_H
#define REPLAY_FAST_DOMAINS_H

#include "replay/system/system.h"

/* Why such a system has no domains; NULL: it has. */
const char *domains_obstacle(const struct system_config *config, const struct system_traces *traces);

/* For a system of whose components none is made, but whose config is set: sets its hooks. FAULT_MEMORY; its hooks are
 * to be freed in any case. */
struct fault domains_create(struct system *system);

#endif
