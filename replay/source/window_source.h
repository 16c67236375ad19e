/* Elastic traces on detailed cores: their micro-ops, rebuilt by replay/window/.
 *
 * Use: window_source_open for a core; its `traces` get the supply; window_close after the system.
 * Ownership: borrows the pair. */
#ifndef REPLAY_SOURCE_WINDOW_SOURCE_H
#define REPLAY_SOURCE_WINDOW_SOURCE_H

#include "replay/source/trace_pair.h"
#include "replay/system/system.h"
#include "replay/window/window.h"

/* The learnt data about the trace's instructions comes from its store, or from another core of the pair; otherwise the
 * trace is read once for it, and the data is added to a cached store. `input` is then open. NULL on failure. */
struct window *window_source_open(struct trace_pair *pair, struct trace_input *input,
                                  const struct system_config *config, unsigned core, struct system_traces *traces,
                                  struct fault *fault);

#endif
