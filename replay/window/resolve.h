/* What resolved a mispredicted branch of which only its weight is left: the right path has its next result a fixed time
 * after the last source of the branch had its own, so the capture's times tell which of the micro-ops before it that
 * was (docs/window.md).
 *
 * Use: window_resolve_note for each micro-op, window_resolve_learn for a hidden one that was mispredicted, before its own note;
 * window_resolve_decide at the end. */
#ifndef REPLAY_WINDOW_RESOLVE_H
#define REPLAY_WINDOW_RESOLVE_H

#include "replay/window/stream.h"

/* The latest micro-ops; NULL: only its weight is left. */
struct window_recent {
    const struct window_record *records[RULE_RESOLVE_REACH];
    uint64_t count;
};

static inline void window_resolve_note(struct window_recent *recent, const struct window_record *record)
{
    recent->records[recent->count++ % RULE_RESOLVE_REACH] = record;
}

/* False: out of memory. */
bool window_resolve_learn(struct window_pc *pc, const struct window_op *op, const struct window_recent *recent,
                          uint64_t period);
void window_resolve_decide(struct window_pc *pc);

#endif
