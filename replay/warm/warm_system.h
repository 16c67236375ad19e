/* A system that begins warm: caches, TLBs and predictors of its first core learn before its first event, from the
 * states of a trace, or from a walk over all of it before a place. Page maps get their pages in the order of first
 * touch.
 *
 * Use: after system_create, before system_run: warm_system, once. For many places of a trace: warm_system_begin, then
 * warm_system_give for each state in the order of places; in a copy of the process that has come to its place,
 * warm_system_end, then system_run; at the end of all warm_system_free, before the system's end. Statistics do not
 * count what was learnt. Prefetchers learn from lines alone, without the instructions that use them. The store sets of
 * a detailed core stay cold.
 * Errors: FAULT_INPUT where lines have another size than those of the states, and where a cache is larger than what
 * they keep. */
#ifndef REPLAY_WARM_WARM_SYSTEM_H
#define REPLAY_WARM_WARM_SYSTEM_H

#include "memsys/vm/vm_space.h"
#include "replay/system/system.h"
#include "replay/warm/warm_file.h"

struct warm_plan {
    const char *states;                  /* file that has a state of `place`; NULL: a walk ... */
    struct warm_file_key key;
    const char *path, *format;           /* ... over this trace (format: NULL: detected) */
    uint64_t place;
};

/* space: of the trace's program. */
struct fault warm_system(struct system *system, struct space *space, const struct warm_plan *plan);

struct warm_system;

/* Borrows both. NULL: FAULT. */
struct warm_system *warm_system_begin(struct system *system, struct space *space, struct fault *fault);
struct fault warm_system_give(struct warm_system *warming, const struct warm_state *state);
struct fault warm_system_end(struct warm_system *warming);
void warm_system_free(struct warm_system *warming);

#endif
