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
#include <stdint.h>

#include "base/fault.h"
#include "sweep/plan/plan.h"
#include "sweep/results/results.h"
#include "sweep/run/schedule.h"

struct runner_tally {
    size_t points;                       /* different ones, of this shard */
    size_t known, known_failed;          /* of them, there already; of these, failed */
    size_t done, failed;                 /* by this run; failed ones are not done */
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
    /* Called several times a second. True: stop. */
    bool (*progress)(void *self, const struct runner_tally *tally);
    void *self;
};

enum { RUNNER_MAX_WORKERS = 1024 };

/* What there is to do, without doing it: the estimate of --dry-run. `results` may be NULL. */
struct fault runner_look(const struct runner_request *request, struct runner_tally *tally, bool *has_learnt);
struct fault runner_run(const struct runner_request *request, struct runner_tally *tally, bool *was_stopped);

#endif
