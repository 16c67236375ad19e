/* Tables learnt about the instructions of a trace, as bytes, to be kept in its store (proto/store/learnt.h).
 *
 * Use: window_learnt_put after window_learn; window_learnt_take into an empty table, in place of learning: micro-ops
 * are the same. window_learnt_rules tells the bytes of these rules from those of others.
 *
 * Bytes: number of pcs; of each, in rising order, the difference of its pc from that of the one before, FLAGS and
 * FIELDS (learnt.c) in their order, the differences of its targets from its pc, the number in this order of the pc that
 * resolves it, how many sources, and their numbers; items marked absent by flags or fields are omitted. All are varints
 * as protobuf's, differences as zigzag. */
#ifndef REPLAY_WINDOW_LEARNT_H
#define REPLAY_WINDOW_LEARNT_H

#include "base/fault.h"
#include "base/text.h"
#include "replay/window/pcs.h"

/* To be changed with the bytes or the learning, unless only constants of rules.h change. */
enum { WINDOW_LEARNT_VERSION = 1 };

uint64_t window_learnt_rules(void);
/* text->failed: out of memory. */
void window_learnt_put(const struct window_pcs *pcs, struct text *text);
/* `name`: of the store, for faults. */
struct fault window_learnt_take(struct window_pcs *pcs, const uint8_t *bytes, size_t count, const char *name);

#endif
