/* Fast path `idle`: cycles in which a detailed core only waits are not executed. See idle.c.
 *
 * Use: idle_bind once, after detailed_cpu_new and before it starts. Ownership: the core frees the state of this fast
 * path.
 * Errors: FAULT_MEMORY. */
#ifndef REPLAY_FAST_IDLE_H
#define REPLAY_FAST_IDLE_H

#include "replay/detailed/detailed_cpu.h"

struct fault idle_bind(struct detailed_cpu *cpu);

#endif
