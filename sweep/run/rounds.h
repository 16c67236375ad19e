/* Rounds: a sweep that adds regions to points until the interval of their time is narrow enough (until_error).
 *
 * In the first round each point runs a quarter of its regions, of each stratum two at least. Points that are as
 * certain as is wanted, or have run all regions, are finished. Once a round has ended, a point that is not finished is
 * dominated if another one of its workload is faster with the sweep's confidence, compared in pairs of regions: it is
 * finished, too, and its result says so. The others run as many regions as their intervals let expect, a quarter more
 * at least.
 * What a round decides depends on all points of it, so it does not depend on how many workers there are.
 *
 * Use: rounds_make; rounds_wanted of a point before it runs; rounds_take its answer; rounds_end once no point runs;
 * rounds_free. Ownership: borrows the plan; answers are copied. */
#ifndef SWEEP_RUN_ROUNDS_H
#define SWEEP_RUN_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>

#include "sweep/plan/plan.h"
#include "sweep/results/results.h"

struct rounds;

/* NULL: out of memory, or no folder for the statistics of regions can be made `within` that one. */
struct rounds *rounds_make(const struct plan *plan, const char *within);
/* Removes the folder with all that is in it. */
void rounds_free(struct rounds *rounds);

/* Folder for statistics of regions. */
const char *rounds_folder(const struct rounds *rounds);
/* Regions that a point is to run at least; 0: all. */
size_t rounds_wanted(const struct rounds *rounds, size_t run);

/* False: it is kept until the round ends. */
bool rounds_take(struct rounds *rounds, size_t run, const struct results_point *answer);

struct rounds_actions {
    struct fault (*finish)(void *context, size_t run, const struct results_point *answer);
    void (*again)(void *context, size_t run);    /* with more regions */
    void *context;
};

/* One of the actions for each point that was kept; *kept: how many there were. */
struct fault rounds_end(struct rounds *rounds, const struct rounds_actions *actions, size_t *kept);

#endif
