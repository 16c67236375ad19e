/* Figures: the statistics of one run by what they belong to, whoever wrote them: a run that has just ended, a
 * statistics file, a point of a sweep.
 *
 * "system.cpu3.l1d.overallMisses::total", or gem5's "system.l1d3.overallMisses::total", belongs to instance 3 of the
 * class "l1d" and is called "overallMisses::total" there; "simTicks" belongs to the class "". Two pseudo-channels of
 * one controller ("dram", "dram_2") count as one.
 *
 * Use: begin with {0}; figures_add for each, or figures_add_stats; figures_finish; then ask; figures_free.
 * Ownership: names are copied. Errors: figures_finish says what went wrong before. */
#ifndef REPLAY_METRICS_FIGURES_H
#define REPLAY_METRICS_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/fault.h"
#include "memsys/sim/stats.h"

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
/* All that is shown as of tick now. */
void figures_add_stats(struct figures *figures, const struct stats *stats, uint64_t now_ps);
struct fault figures_finish(struct figures *figures);
void figures_free(struct figures *figures);

/* How many instances of a class there are; those of a name are numbered from 0. */
int figures_instances(const struct figures *figures, const char *owner);
/* Sum over instances; NAN: none has it. *found: how many have it. */
double figures_sum(const struct figures *figures, const char *owner, const char *name, int instance, size_t *found);

#endif
