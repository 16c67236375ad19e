/* Elastic records of a detailed core's micro-ops as they leave the ROB: which of them have one, their dependences, and
 * their delays (elastic-trace 3.5 to 3.8, elastic-truth 1).
 *
 * Use: elastic_window_new; elastic_window_add for each micro-op that leaves the ROB, in that order, which is that of
 * rising sequence numbers; elastic_window_end after the last one; elastic_window_free. Records go to `put`, `window`
 * at a time, once `window` younger ones follow them, since only then are all their dependents known.
 * Units: ticks are picoseconds. Memory: two windows, independent of the length of the run.
 * Ownership: nothing of a micro-op is kept. A record that `put` gets holds until it returns. */
#ifndef REPLAY_DETAILED_PROBE_ELASTIC_WINDOW_H
#define REPLAY_DETAILED_PROBE_ELASTIC_WINDOW_H

#include "proto/elastic/dep_trace.h"
#include "replay/detailed/detailed_cpu.h"

struct elastic_window_setup {
    uint64_t period_ps;                  /* of the core's clock */
    uint32_t window;                     /* depWindowSize; at least the ROB, or a record may find nothing before it */
    bool has_virtual;                    /* traceVirtAddr: records have v_addr, too */
    /* False: nothing more is wanted. */
    bool (*put)(void *self, const struct dep_record *record);
    void *self;
};

/* Counts of the records written, and of the other micro-ops by outcome. */
struct elastic_window_counts {
    uint64_t records[DEP_TYPES];
    uint64_t squashed_loads;             /* among the loads */
    uint64_t filtered;                   /* in weights, or lost at the end of a window */
    uint64_t register_deps, order_deps;
    uint64_t unordered;                  /* behind the first window, and nothing before them was complete */
    uint64_t overtaken;                  /* dependences that completed after their dependents: delays of 0 */
};

struct elastic_window;

/* The part of a micro-op's way that the probe saw. One that was renamed before the probe listened has no producers. */
enum elastic_sight { ELASTIC_FROM_RENAME, ELASTIC_FROM_EXECUTE };

/* NULL: out of memory. */
struct elastic_window *elastic_window_new(const struct elastic_window_setup *setup);
void elastic_window_free(struct elastic_window *window);
void elastic_window_add(struct elastic_window *window, const struct detailed_retired *retired,
                        enum elastic_sight sight);
/* Gives away all that is left. */
void elastic_window_end(struct elastic_window *window);
const struct elastic_window_counts *elastic_window_counted(const struct elastic_window *window);

#endif
