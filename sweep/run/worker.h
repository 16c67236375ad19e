/* A worker: a process that runs points one after the other and hands back their results.
 *
 * Processes, not threads: a point that crashes, or that the kernel ends for want of memory, takes its worker with it
 * and nothing else; an assertion of ours may stop it; and the memory of each point is its own. Traces are mapped
 * before the fork, so all workers read the same pages. The process that starts workers has no threads: one of them
 * could hold a lock, which the worker would wait for. A worker ends with its parent, however that ends, and does not
 * listen to SIGINT and SIGTERM, which its parent answers.
 *
 * Use: worker_start; worker_give a job; when `from` can be read, worker_take, until it has an answer or the worker
 * is gone; worker_stop. */
#ifndef SWEEP_RUN_WORKER_H
#define SWEEP_RUN_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/fault.h"
#include "sweep/plan/plan.h"
#include "sweep/results/results.h"

struct worker {
    pid_t pid;                           /* 0: none */
    int to, from, errors;                /* pipes, as the parent sees them */
    bool is_busy;
    size_t run;                          /* place in plan->runs of its current run */
    char *bytes;                         /* of the answer, as far as it is here */
    size_t used, room;
};

struct worker_job {
    size_t run;                          /* place in plan->runs */
    size_t regions;                      /* of a workload of regions, wanted at least; 0: all */
};

/* Resources that the forked process must close: the other workers' pipes, the lock of the results. */
struct worker_surroundings {
    const struct plan *plan;
    struct results *results;
    const struct worker *workers;
    size_t worker_count;
    size_t region_jobs;                  /* regions that a point runs at a time */
    const char *kept;                    /* folder for statistics of regions; NULL: none */
    size_t crash_point;                  /* for tests: the number of a point that aborts; 0: none */
};

struct fault worker_start(struct worker *worker, const struct worker_surroundings *surroundings);
/* False: it has ended meanwhile; stop it and start another one. */
bool worker_give(struct worker *worker, const struct worker_job *job);

/* WORKER_KILLED: ended by SIGKILL: sent by another process, or for lack of memory. */
enum worker_news { WORKER_MORE, WORKER_ANSWER, WORKER_GONE, WORKER_KILLED };

/* Texts of the answer point into the worker's memory, until the next worker_take or worker_stop; its hash and names
 * are the caller's. Of a worker that is gone, `why` says how it ended, with the last line that it wrote to stderr; it
 * is reaped. */
enum worker_news worker_take(struct worker *worker, struct results_point *answer, char *why, size_t why_size);
/* Ends it at once, in any state. */
void worker_stop(struct worker *worker);
/* The first half of worker_stop, so that several end at the same time. */
void worker_dismiss(const struct worker *worker);

#endif
