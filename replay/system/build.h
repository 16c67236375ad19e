/* Building a system: components from a configuration, joined. For system.c only. */
#ifndef REPLAY_SYSTEM_BUILD_H
#define REPLAY_SYSTEM_BUILD_H

#include "replay/system/system.h"

/* Fills an all-zero system whose config and engine are set; after a fault system_destroy takes it down. gpu: as in
 * system_create; gpu_done is told, with the system, when it has finished. */
struct fault system_build(struct system *system, const struct system_traces *traces, const struct system_gpu *gpu,
                          void (*gpu_done)(void *system));

#endif
