/* Metrics: the usual figures of a run, under names that are the same everywhere. The table is metrics_table.h.
 *
 * Names: `cpi` is that of all cores together, `cpu3.cpi` that of one, `mean.cpi` the mean of those that ran. Caches:
 * `l1d.mpki`, `cpu3.l2.hit_rate`, and `llc` for the last level that there is. Memories: `mem.gb_s`, `mem3.gb_s`, also
 * called `mem_ctrls3.gb_s`.
 * `speedup` is relative to the simTicks that the figures hold as METRICS_BASELINE.
 * No state, no allocation. Values are NAN where the run has no such thing. */
#ifndef REPLAY_METRICS_METRICS_H
#define REPLAY_METRICS_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/fault.h"
#include "memsys/sim/sim_statistics.h"

/* Names of statistics of a core's own caches and buses among several cores: ours, "system.cpu13.l1d.replacements", and
 * gem5's, "system.l1d13.replacements". gem5's are in its text layout, and in files that were written before ours were.
 * Columns are called so, too: "system.l3.demandHits::cpu13.l2.prefetcher".
 *
 * Use: for each number from 0 until the answer is false; which of them are names is for the caller to see, as gem5's do
 * not say where a number begins ("l213"). */

enum { ALIAS_BYTES = 300 };

/* False: `name` has no alias of that number. */
bool alias_of(const char *name, unsigned number, char alias[ALIAS_BYTES]);

/* Figures: the statistics of one run, grouped by component, from any source: a run that has just ended, a
 * statistics file, a point of a sweep.
 *
 * "system.cpu3.l1d.overallMisses::total", or gem5's "system.l1d3.overallMisses::total", belongs to instance 3 of the
 * class "l1d" and is called "overallMisses::total" there; "simTicks" belongs to the class "". Two pseudo-channels of
 * one controller ("dram", "dram_2") count as one.
 *
 * Use: begin with {0}; figures_add for each; figures_finish; then ask; figures_free.
 * Ownership: names are copied. Errors: figures_finish reports earlier failures. */

/* class, beginning of the component's name behind "system."; cores and memories: all of them as one */
#define FIGURE_CLASSES(C)                                                                                             \
    C(cpu, "cpu")                                                                                                     \
    C(cores, "cores")                                                                                                 \
    C(l1i, "l1i")                                                                                                     \
    C(l1d, "l1d")                                                                                                     \
    C(l2, "l2")                                                                                                       \
    C(l3, "l3")                                                                                                       \
    C(memcache, "memcache")                                                                                           \
    C(membus, "membus")                                                                                               \
    C(mem, "mem_ctrls")                                                                                               \
    C(mem, "memory")                                                                                                  \
    C(memories, "memories")                                                                                           \
    C(gpu, "gpu")

enum { FIGURES_ALL = -1, FIGURE_OWNERS = 12};    /* all: instead of an instance; lines above */

struct figure {
    const char *owner, *name;            /* class, name within the component */
    int instance;
    double value;
};

struct figures {
    struct figure *list;                 /* by owner, name, instance */
    size_t count, room;
    struct arena arena;
    int instances[FIGURE_OWNERS];        /* of the class that a line above names, once finished */
    bool out_of_memory;
};

void figures_add(struct figures *figures, const char *name, double value);
struct fault figures_finish(struct figures *figures);
void figures_free(struct figures *figures);

/* How many instances of a class there are; those of a name are numbered from 0. */
int figures_instances(const struct figures *figures, const char *owner);
/* Sum over instances; NAN: none has it. *found: how many have it. */
double figures_sum(const struct figures *figures, const char *owner, const char *name, int instance, size_t *found);
/* The highest of the instances; NAN: none has it. */
double figures_highest(const struct figures *figures, const char *owner, const char *name);

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
/* NULL without a metric of that name. */
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
