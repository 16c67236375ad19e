/* A system that begins warm: caches, TLBs and predictors learn before its first event: of its first core from the
 * states of a trace, or of each core from a walk over its program before a place. Page maps get their pages in the
 * order of first touch.
 *
 * Use: after system_create, before system_run: warm_system, once. For many places of a trace: warm_system_begin, then
 * warm_system_give for each state in the order of places, or warm_system_walk_to for each place; in a copy of the
 * process that has come to its place, warm_system_end, then system_run; at the end of all warm_system_free, before the
 * system's end. Statistics do not count what was learnt. Prefetchers learn from the uses of a walk with their pcs, from
 * lines of states without them, and what they ask for comes at once. The store sets of a detailed core stay cold.
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

/* Programs of one thread, each on a detailed core, from the `from`th instruction of each up to the `place`th. They take
 * turns, as cores of the same speed would. Borrowed. */
struct warm_program {
    const char *path;
    struct space *space;
    unsigned core;
};

struct warm_programs {
    const struct warm_program *list;
    size_t count;
    const char *format;                  /* NULL: detected */
    uint64_t from, place;
    bool (*is_interrupted)(void *context);   /* asked some times a second; true: stop. May be NULL */
    void *context;
};

/* *is_interrupted: it was, and the system is warm in part. */
struct fault warm_system_programs(struct system *system, const struct warm_programs *programs, bool *is_interrupted);

struct warm_system;

/* Borrows both. trace: that will be walked over from its beginning, in a format (NULL: detected); NULL: states will be
 * given. NULL: FAULT. */
struct warm_system *warm_system_begin(struct system *system, struct space *space, const char *trace,
                                      const char *format, struct fault *fault);
struct fault warm_system_give(struct warm_system *warming, const struct warm_state *state);
/* Places ascend. */
struct fault warm_system_walk_to(struct warm_system *warming, uint64_t place);
struct fault warm_system_end(struct warm_system *warming);
void warm_system_free(struct warm_system *warming);

#endif
