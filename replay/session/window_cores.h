/* Elastic traces on detailed cores: their micro-ops, rebuilt by replay/window/.
 *
 * Use: window_core_open for a core that has one; its `traces` get the supply; window_core_close after the system.
 * Ownership: borrows the pair. */
#ifndef REPLAY_SESSION_WINDOW_CORES_H
#define REPLAY_SESSION_WINDOW_CORES_H

#include "replay/session/trace_pair.h"
#include "replay/system/system.h"
#include "replay/window/window.h"

/* Reads the trace once, for what it tells about its instructions; `input` is then open to be read again. NULL on
 * failure. */
struct window *window_core_open(const struct trace_pair *pair, struct trace_input *input, uint64_t address_offset,
                                struct system_traces *traces, struct fault *fault);

#endif
