/* Runner: all points of a plan that the results lack, over as many workers as wanted.
 *
 * The caller's process starts the workers, gives each the next point when it has answered, and is the only one that
 * writes results. A point that fails, or crashes its worker, is recorded with its reason, and the others continue; a
 * crashed worker is replaced. A point whose worker was killed has a second try. Running points are abandoned when the
 * caller asks to stop, or when the results cannot be written; finished ones are kept.
 *
 * Use: runner_run after results_begin. Results are the same for any number of workers and any order. */
#ifndef SWEEP_RUN_RUNNER_H
#define SWEEP_RUN_RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/fault.h"
#include "replay/session/session.h"
#include "sweep/plan/plan.h"
#include "sweep/results/results.h"

/* One point: a replay of one workload on one system, from nothing to its figures.
 *
 * Figures: one JSON object {"name": number, ...}. Of a system with cores it is the block that `rubato replay --stats
 * FILE.json` writes (replay/record/stats_json.h). Of a GPU alone: simTicks, simSeconds, system.gpu.COUNTER summed
 * over all kernels (memsys/gpu/counts.h), kernelN.cycles and kernelN.FIGURE of each (replay/gpu/gpu_run.h).
 *
 * With `alone` each program runs by itself, too (replay/session/mix.h): mixWeightedSpeedup and so on follow. With
 * `optimal` the lines follow that those caches fetched, and would have fetched at least.
 *
 * Use: run_point. Nothing stays open. Two calls with the same arguments write the same bytes. */

/* What a point has beyond its run. */
struct run_extras {
    bool runs_alone;                     /* each program by itself, too (replay/session/mix.h) */
    const char *optimal;                 /* kind of caches whose optimal policy is a bound (replay/profile/optimal.h);
                                          * NULL: none */
};

/* config: finished. checks_itself: the caller looks whether the traces changed meanwhile. The output is useless after
 * a fault. */
struct fault run_point(const struct system_config *config, struct workload *workload,
                       const struct session_limits *limits, struct engine_options engine,
                       const struct run_extras *extras, FILE *figures, bool checks_itself);

/* Schedule: which point comes next, so that the longest do not end last, and how long the rest will take.
 *
 * The processor time of a point is estimated as a product of factors: one for all, one for its workload, one for its
 * system, one for its level on each group of axes. They are fitted to the points that are done (those of earlier runs
 * too), anew whenever a quarter more are known. A factor that few points speak for is drawn towards 1. Before any is
 * known, a workload's records count. Times never decide a result, only the order in which points are run.
 *
 * Use: schedule_make; schedule_learn for known times, schedule_want for each run to do; then schedule_next and
 * schedule_learn in turn. Ownership: borrows the plan. Points are named by their place in plan->runs. */

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

struct runner_tally {
    size_t points;                       /* different ones, of this shard */
    size_t known, known_failed;          /* of them, there already; of these, failed */
    size_t done, failed;                 /* by this run; failed ones are not done */
    size_t dominated;                    /* of those that are done, stopped as another point is faster */
    double elapsed_s;
    double left_s;                       /* estimate of the remaining time, with all workers */
    size_t workers;
};

struct runner_request {
    const struct plan *plan;
    struct results *results;
    size_t workers;
    size_t shard, shard_count;           /* this shard, from 0, and their number; 0 of 1: all */
    bool retries;                        /* points that failed are run again */
    size_t crash_point;                  /* for tests: worker.h */
    const char *temporary;               /* folder; for sweeps until an error */
    /* Called several times a second. True: stop. */
    bool (*progress)(void *self, const struct runner_tally *tally);
    void *self;
};

enum { RUNNER_MAX_WORKERS = 1024 };

/* The remaining work, without doing it: the estimate of --dry-run. `results` may be NULL. */
struct fault runner_look(const struct runner_request *request, struct runner_tally *tally, bool *has_learnt);
struct fault runner_run(const struct runner_request *request, struct runner_tally *tally, bool *was_stopped);

#endif
