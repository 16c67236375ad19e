/* Lookahead: separate cores (lookahead.c) execute their events ahead of each other and of the shared components.
 *
 * Shortens: the order of events. A part is a core with its private caches, and has an event queue of its own. It
 * executes some dozens of its events in a row, so that their data stay in the host's caches: up to the next
 * request for the bus, or the first tick in which the bus may call.
 *
 * Why the result is the same: a part affects others only when it calls the memory bus, and others affect it only when
 * the bus calls it. A part never executes an event that may ask the bus before all earlier events of all queues have
 * been executed; and never one that comes after the bus's next call, of which bus and memories tell a lower bound
 * (struct above: response_bound). Where two events of one tick meet, their order is that of one queue
 * (memsys/fast/event_order.h). So each component sees the same calls in the same order at the same ticks. Should a
 * core ask for an address of another one, or the bus snoop a part, the run is broken off and has to be repeated
 * without.
 *
 * Test: tests/unit/replay/fast/test_lookahead.c, test_engine.c. Used only by session_engine.c. Units: picoseconds. */
#ifndef REPLAY_FAST_LOOKAHEAD_H
#define REPLAY_FAST_LOOKAHEAD_H

#include "replay/system/system.h"

/* Why such a system cannot use it, or would not gain; NULL: it can. */
const char *lookahead_obstacle(const struct system_config *config, const struct system_traces *traces);

/* For a system of whose components none is made, but whose config and sim are set: sets its hooks. FAULT_MEMORY; its
 * hooks are to be freed in any case. */
struct fault lookahead_create(struct system *system);

/* Domains: separate cores that have memories of their own, too, are simulated one after the other.
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
 * Test: tests/unit/replay/fast/test_lookahead.c, test_engine.c. Used only by session_engine.c. Units: picoseconds. */

/* Why such a system has no domains; NULL: it has. */
const char *domains_obstacle(const struct system_config *config, const struct system_traces *traces);

/* For a system of whose components none is made, but whose config is set: sets its hooks. FAULT_MEMORY; its hooks are
 * to be freed in any case. */
struct fault domains_create(struct system *system);

/* Separate cores: cores whose caches and addresses are theirs alone. They meet on the memory bus and behind it only,
 * and none has a line that another one asks for; so their order matters only there (lookahead.h), or nowhere
 * (domains.c).
 *
 * Use: separate_cores_obstacle before a system is made; separate_cores_limits when its cores are: a core's request
 * beyond them is a fault, and the run worthless. Ownership: plain values. */

enum { SEPARATE_CORES_MAX_CACHES = 4 };      /* of one core */

/* Why cores of such a system are not separate; NULL: they are. Each core replays one trace; all caches are private, do
 * nothing by chance and ask for no line that the core has not asked for; the run ends when all cores are done. */
const char *separate_cores_obstacle(const struct system_config *config, const struct system_traces *traces);
/* Addresses that the core may have, of those that memory has. */
struct elastic_limits separate_cores_limits(const struct system_config *config, unsigned core,
                                            const struct elastic_limits *memory);

#endif
