/* What becomes of a run that needs more memory than there is.
 *
 * What grows while events execute (pools, queues, tables) is called from deep within calls that take no simulated time
 * and cannot fail. So a growth that fails leaves all of them at once, for the layer that executes events.
 *
 * Use: that layer calls the model by sim_execute alone, and returns its fault; from then on the simulation may only be
 * freed. Who grows calls sim_out_of_memory, and has not touched what it has, so that it can be freed. What it calls on
 * its way keeps nothing in frames that has to be freed. Without a sim_execute around it, as in tests of one component,
 * it aborts. */
#ifndef MEMSYS_SIM_OUT_OF_MEMORY_H
#define MEMSYS_SIM_OUT_OF_MEMORY_H

#include "base/fault.h"

struct sim;

/* sim: of the simulation or of a part of it; NULL aborts. */
_Noreturn void sim_out_of_memory(const struct sim *sim);

/* Calls `execute`. Fails if that runs out of memory: FAULT_MEMORY with the tick. sim: the root. */
struct fault sim_execute(struct sim *sim, void (*execute)(void *context), void *context);

#endif
