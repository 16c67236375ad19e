/* Metrics: what people ask of a run, by names that are the same everywhere. The table is metrics_table.h.
 *
 * Names: `cpi` is that of all cores together, `cpu3.cpi` that of one, `mean.cpi` the mean of those that ran. Caches:
 * `l1d.mpki`, `cpu3.l2.hit_rate`, and `llc` for the last level that there is. Memories: `mem.gb_s`, `mem3.gb_s`, which
 * `mem_ctrls3.gb_s` stands for, too.
 * `speedup` is against whichever run's simTicks the figures have as METRICS_BASELINE.
 * No state, no allocation. Values are NAN where the run has no such thing. */
#ifndef REPLAY_METRICS_METRICS_H
#define REPLAY_METRICS_METRICS_H

#include <stdbool.h>

#include "replay/metrics/figures.h"

enum { METRIC_NAME = 64 };
#define METRICS_BASELINE "baselineTicks"

enum metric_better { METRIC_NEITHER, METRIC_LOWER, METRIC_HIGHER };
enum metric_scope { METRIC_RUN, METRIC_CORE, METRIC_CACHE, METRIC_MEMORY, METRIC_GPU };

struct metric {
    const char *name, *unit;             /* of a cache: behind its level; unit "": a plain number */
    enum metric_better better;
    enum metric_scope scope;
    const char *formula, *definition;
};

/* The statistics that metrics are made of: of a run with many cores the others are many. */
enum { METRICS_MOST_NEEDS = 256 };

struct metrics_needed {
    const char *name;                    /* behind its component, up to "::"; borrowed, without a final zero */
    size_t length;
};

struct metrics_needs {
    struct metrics_needed list[METRICS_MOST_NEEDS];
    size_t count;
};

/* `more`, which ends with NULL, are names of the same kind; NULL: none. */
void metrics_needs_make(struct metrics_needs *needs, const char *const *more);
bool metrics_need(const struct metrics_needs *needs, const char *statistic);
/* All of the table, in its order. */
const struct metric *metrics_table(size_t *count);
/* The first metric of a table that is made of itself, so that its formula would never come to an end; NULL: none is. A
 * metric whose whole formula is its name is the statistic of that name. */
const struct metric *metrics_circular(const struct metric *list, size_t count);
/* NULL: there is none of that name. */
const struct metric *metrics_find(const char *name);
double metrics_value(const struct figures *figures, const char *name);
/* Did that core execute anything? Means are over those that did. / How many did. */
bool metrics_core_ran(const struct figures *figures, int core);
int metrics_cores_ran(const struct figures *figures);

/* Names of the totals in the order of the table, caches with each of their levels. */
void metrics_names(void (*visit)(void *context, const char *name, const struct metric *metric), void *context);
/* The same of all that this run has: the totals, then, if there are several cores or channels and `each`, the mean and
 * each of them. */
void metrics_visit(const struct figures *figures, bool each,
                   void (*visit)(void *context, const char *name, const struct metric *metric, double value),
                   void *context);

#endif
