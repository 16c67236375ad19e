/* The system on which elastic traces are captured: the cores of any system, above near-ideal memory
 * (configs/near-ideal.yaml; elastic-trace 3.1).
 *
 * The core's waits become delays of the trace, so the memory of the capture should cause as few as possible.
 * Taken from the system: its cores with clock and offsets, the line, where pages lie, the ranges of its memories. Its
 * caches, TLBs, buses, DRAM and GPU are not. Errors: FAULT_INPUT; a system without cores is one. */
#ifndef REPLAY_DETAILED_PROBE_CAPTURE_SYSTEM_H
#define REPLAY_DETAILED_PROBE_CAPTURE_SYSTEM_H

#include <stddef.h>

#include "base/fault.h"

struct system_config;


/* From a finished system to a finished one; `settings`, as config_set takes them, come last. */
struct fault capture_system_make(struct system_config *capture, const struct system_config *system,
                                 const char *const *settings, size_t count);
/* The same from the name or file of the system. */
struct fault capture_system_read(struct system_config *capture, const char *system, const char *const *settings,
                                 size_t count);

#endif
