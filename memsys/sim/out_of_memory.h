/* The end of a run that exhausts the host's memory.
 *
 * Pools, queues and tables grow while events execute, deep within calls that take no simulated time and cannot fail.
 * So a failed growth leaves all of these calls at once, by longjmp, to the layer that executes events.
 *
 * Use: that layer calls the model by sim_execute alone, and returns its fault; from then on the simulation may only be
 * freed. A component whose growth fails calls sim_out_of_memory with its old allocation untouched, so that it can be
 * freed. The calls that are left own no memory through their stack frames. Without a sim_execute around it, as in
 * tests of one component, it aborts. */
#ifndef MEMSYS_SIM_OUT_OF_MEMORY_H
#define MEMSYS_SIM_OUT_OF_MEMORY_H

#include "base/fault.h"

struct sim;

/* sim: of the simulation or of a part of it; NULL aborts. */
_Noreturn void sim_out_of_memory(const struct sim *sim);
/* The same for a component that cannot continue, with its fault. */
_Noreturn void sim_abandon(const struct sim *sim, struct fault fault);

/* Calls `execute`. Fails if that runs out of memory, FAULT_MEMORY with the tick, or with the fault of
 * sim_abandon. sim: the root. */
struct fault sim_execute(struct sim *sim, void (*execute)(void *context), void *context);

#endif
