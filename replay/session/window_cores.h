/* Elastic traces on detailed cores: their micro-ops, rebuilt by replay/window/.
 *
 * Use: window_core_open for a core that has one; its `traces` get the supply; window_core_close after the system.
 * Ownership: borrows the pair. */
#ifndef REPLAY_SESSION_WINDOW_CORES_H
#define REPLAY_SESSION_WINDOW_CORES_H

#include "replay/session/trace_pair.h"
#include "replay/system/system.h"
#include "replay/window/window.h"

/* What the trace tells about its instructions is in its store, or the pair has it from another core, or the trace is
 * read once for it, and a cached store gets it. `input` is then open. NULL on failure. */
struct window *window_core_open(struct trace_pair *pair, struct trace_input *input,
                                const struct system_config *config, unsigned core, struct system_traces *traces,
                                struct fault *fault);

#endif
