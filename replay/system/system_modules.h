/* What joins modules of caches (memsys/cache/cache_module.h) and of branch units to a system: who sends requests, what
 * its cores have retired, how busy its memories are.
 *
 * Use: system_modules_join once all components are made, before caches start; system_modules_end when the run is over.
 * A system without modules is left as it is. Ownership: system_modules_free. */
#ifndef REPLAY_SYSTEM_SYSTEM_MODULES_H
#define REPLAY_SYSTEM_SYSTEM_MODULES_H

#include "replay/system/system.h"

struct fault system_modules_join(struct system *system);
/* A warm-up follows, which system_reset_stats ends. */
void system_modules_warm_up(struct system *system);
void system_modules_are_warm(struct system *system);
void system_modules_end(struct system *system);
void system_modules_free(struct system *system);

#endif
