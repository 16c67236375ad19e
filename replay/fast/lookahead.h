/* Lookahead: separate cores (separate_cores.h) execute their events ahead of each other and of the shared components.
 *
 * Shortens: the order of events. A part is a core with its private caches, and has an event queue of its own. It
 * executes some dozens of its events in a row, so that their data stay in the host's caches: up to the next
 * request for the bus, or the first tick in which the bus may call.
 *
 * Why the result is the same: what a part does concerns others only where it asks the memory bus, and others concern it
 * only where the bus calls it. A part never executes an event that may ask the bus before all events that come earlier,
 * in whichever queue, have been executed; and never one that comes after the bus's next call, of which bus and memories
 * tell a lower bound (struct above: response_bound). Where two events of one tick meet, their order is that of one
 * queue (memsys/fast/event_order.h). So each component sees the same calls in the same order at the same ticks. Should
 * a core ask for an address of another one, or the bus snoop a part, the run is broken off and has to be repeated
 * without.
 *
 * Test: tests/unit/replay/fast/test_lookahead.c, test_engine.c. Private to what binds it. Units: picoseconds. */
#ifndef REPLAY_FAST_LOOKAHEAD_H
#define REPLAY_FAST_LOOKAHEAD_H

#include "replay/system/system.h"

/* Why such a system cannot use it, or would not gain; NULL: it can. */
const char *lookahead_obstacle(const struct system_config *config, const struct system_traces *traces);

/* For a system of whose components none is made, but whose config and sim are set: sets its hooks. FAULT_MEMORY; its
 * hooks are to be freed in any case. */
struct fault lookahead_create(struct system *system);

#endif
