/* Address spaces of a system: its memories, and pages:, as memsys/vm/space.h wants them.
 *
 * Use: spaces_make before traces are opened whose addresses are virtual; spaces in it for their processes; it goes into
 * struct system_traces of the cores that replay them, and outlives the system. vm_memory_free. */
#ifndef REPLAY_SYSTEM_SPACES_H
#define REPLAY_SYSTEM_SPACES_H

#include "memsys/vm/space.h"
#include "replay/config/config.h"

/* config: finished. NULL: FAULT. */
struct vm_memory *spaces_make(const struct system_config *config, struct fault *fault);

#endif
