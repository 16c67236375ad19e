/* Plan: the points of a sweep, in their order, each with the hash that says whether its result is known.
 *
 * Order: systems, then the groups of axes in the order of the file, the last one varying fastest, then the workloads.
 * With a sample, the drawn choices take the place of systems and groups, in the order of the draw. Points are
 * numbered from 1; points that a condition excludes have no number.
 *
 * A point's hash is that of all that decides its result: the effective configuration (config_to_compact_yaml), the
 * contents of DRAM standards, the traces' contents, the limits of the replay, and `version`, which says by which model.
 * Points of one hash are run once.
 *
 * A search has the designs that it chose, in their order, each with all workloads.
 *
 * Use: plan_make or plan_make_chosen after the workloads' hashes are known; plan_configure for a point's
 * configuration; plan_free.
 * Ownership: the plan owns its points and borrows spec and workloads. */
#ifndef SWEEP_PLAN_PLAN_H
#define SWEEP_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/fault.h"
#include "sweep/plan/spec.h"
#include "replay/source/workload.h"

enum { PLAN_MAX_POINTS = 1000000 };

struct plan_point {
    uint64_t hash;
    uint32_t system, workload;
    const uint32_t *levels;              /* of each group */
    size_t run;                          /* its place among the points that are run, shared by those of one hash */
    bool is_unsound;                     /* its system cannot be built; plan_configure says why */
};

struct plan {
    const struct spec *spec;
    struct workload *workloads;
    const char *version;                 /* of the program, with the digest of its model's sources */
    struct plan_point *points;
    size_t count;
    size_t *runs;                        /* the first point of each hash */
    size_t *by_hash;                     /* places in runs, in the order of their hashes */
    size_t run_count;
    size_t skipped;                      /* combinations that a condition skipped, in points */
    struct arena arena;
};

struct fault plan_make(struct plan **made, const struct spec *spec, struct workload *workloads,
                       const char *version);
/* Some choices only, each a system and the levels of all groups. Of the caller, until it returns. */
struct plan_choice {
    uint32_t system;
    const uint32_t *levels;
};

/* Combinations that a condition skips have no points; there may be none at all. */
struct fault plan_make_chosen(struct plan **made, const struct spec *spec, struct workload *workloads,
                              const char *version, const struct plan_choice *choices, size_t count);
void plan_free(struct plan *plan);

/* The finished configuration of a point; the fault of one that is not sound. */
struct fault plan_configure(const struct plan *plan, const struct plan_point *point, struct system_config *config);
/* The same fault without the configuration. */
struct fault plan_unsound(const struct plan *plan, const struct plan_point *point);
/* The place in runs of a hash. False: no point has it. */
bool plan_find(const struct plan *plan, uint64_t hash, size_t *run);
/* The value that a point has on an axis, as written. */
const char *plan_value(const struct plan *plan, const struct plan_point *point, size_t axis);

#endif
