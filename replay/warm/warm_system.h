/* A system that begins warm: caches, TLBs and predictors of its first core learn before its first event, from a state,
 * or from a walk over all of the trace before a place. Page maps get their pages in the order of first touch.
 *
 * Use: after system_create, before system_run: warm_system, once. Statistics do not count what was learnt. Prefetchers
 * learn from lines alone, without the instructions that use them. The store sets of a detailed core stay cold.
 * Errors: FAULT_INPUT where lines have another size than those of the state, and where a cache is larger than what the
 * state keeps. */
#ifndef REPLAY_WARM_WARM_SYSTEM_H
#define REPLAY_WARM_WARM_SYSTEM_H

#include "memsys/vm/vm_space.h"
#include "replay/system/system.h"
#include "replay/warm/warm_state.h"

struct warm_plan {
    struct warm_predictor *predictor;    /* has learnt from all states up to `state`; NULL: it learns from that alone */
    const struct warm_state *state;      /* NULL: a walk ... */
    const char *path, *format;           /* ... over this trace ... (format: NULL: detected) */
    uint64_t place;                      /* ... up to there */
};

/* space: of the trace's program. */
struct fault warm_system(struct system *system, struct space *space, const struct warm_plan *plan);

#endif
