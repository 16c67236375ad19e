/* Schedule: which point comes next, so that the longest do not end last, and how long the rest will take.
 *
 * The processor time of a point is estimated as a product of factors: one for all, one for its workload, one for its
 * system, one for its level on each group of axes. They are fitted to the points that are done (those of earlier runs
 * too), anew whenever a quarter more are known. A factor that few points speak for is drawn towards 1. Before any is
 * known, a workload's records count. Times never decide a result, only the order in which points are run.
 *
 * Use: schedule_make; schedule_learn for known times, schedule_want for each run to do; then schedule_next and
 * schedule_learn in turn. Ownership: borrows the plan. Points are named by their place in plan->runs. */
#ifndef SWEEP_RUN_SCHEDULE_H
#define SWEEP_RUN_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>

#include "sweep/plan/plan.h"

struct schedule;

/* NULL: out of memory. */
struct schedule *schedule_make(const struct plan *plan);
void schedule_free(struct schedule *schedule);

void schedule_learn(struct schedule *schedule, size_t run, double cpu_s);
void schedule_want(struct schedule *schedule, size_t run);
/* The longest of those that are wanted. False: none is left. */
bool schedule_next(struct schedule *schedule, size_t *run);

/* Processor time of all that are still wanted. */
double schedule_left_s(const struct schedule *schedule);
size_t schedule_left(const struct schedule *schedule);
/* False: no point's time is known, and estimates are a rule of thumb. */
bool schedule_has_learnt(const struct schedule *schedule);

#endif
