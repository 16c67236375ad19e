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

/* Are pages placed otherwise than by first touch in pages of 4 KiB, or must it be known where their tables are? Else
 * whoever reads MacSim's traces needs no spaces. */
bool spaces_are_needed(const struct system_config *config);

/* What a file says of a space's pages (proto/insn/v2p.h); "": nothing. Before its pages are touched. For one space of a
 * memory: those of a second process would lie at the same places, which is a FAULT. */
struct fault spaces_map(struct space *space, const char *file);

#endif
