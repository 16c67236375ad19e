/* What resolved a mispredicted branch of which only its weight is left: the right path has its next result a fixed time
 * after the last source of the branch had its own, so the capture's times tell which of the micro-ops before it that
 * was (docs/window.md).
 *
 * Use: window_resolve_learn for each hidden micro-op that was mispredicted, the one given last; window_resolve_decide
 * at the end. */
#ifndef REPLAY_WINDOW_RESOLVE_H
#define REPLAY_WINDOW_RESOLVE_H

#include "replay/window/stream.h"

/* False: out of memory. */
bool window_resolve_learn(struct window_pc *pc, struct window_stream *stream, const struct window_op *op);
void window_resolve_decide(struct window_pc *pc);

#endif
