#include "sweep/run/runner.h"

#include <poll.h>
#include <stdlib.h>

#include "base/host_facts.h"
#include "sweep/run/rounds.h"
#include "sweep/run/worker.h"

enum { WAIT_MS = 50, WHY_TEXT = 480 };

struct runner {
    const struct runner_request *request;
    struct schedule *schedule;
    struct runner_tally tally;
    struct worker *workers;
    struct pollfd *polled;
    size_t busy;
    struct rounds *rounds;               /* NULL: all regions of each point are run at once */
    size_t region_jobs;                  /* of each worker, so that all processors are used by few points, too */
    double start_s, done_cpu_s;          /* of the points that this run has finished */
    bool *is_known, *has_failed, *was_killed;    /* of each run */
};

/* ---- remaining points */
static void see_known(void *self, uint64_t hash, bool is_failed, double cpu_s)
{
    struct runner *const runner = self;
    size_t run;

    if (!plan_find(runner->request->plan, hash, &run))
        return;
    runner->is_known[run] = !(is_failed && runner->request->retries);
    runner->has_failed[run] = is_failed;
    if (!is_failed)
        schedule_learn(runner->schedule, run, cpu_s);
}

/* Shards take turns, so that each gets its share of every axis. */
static bool is_of_shard(const struct runner_request *request, size_t run)
{
    return request->shard_count <= 1 || run % request->shard_count == request->shard;
}

static struct fault runner_prepare(struct runner *runner)
{
    struct plan const *const plan = runner->request->plan;

    runner->schedule = schedule_make(plan);
    runner->is_known = calloc(plan->run_count + 1, sizeof *runner->is_known);
    runner->has_failed = calloc(plan->run_count + 1, sizeof *runner->has_failed);
    runner->was_killed = calloc(plan->run_count + 1, sizeof *runner->was_killed);
    if (!runner->schedule || !runner->is_known || !runner->has_failed || !runner->was_killed)
        return fault_make(FAULT_MEMORY, "out of memory");
    if (runner->request->results)
        FORWARD(results_known(runner->request->results, see_known, runner));
    for (size_t run = 0; run < plan->run_count; run++) {
        if (!is_of_shard(runner->request, run))
            continue;
        runner->tally.points++;
        runner->tally.known += runner->is_known[run];
        runner->tally.known_failed += runner->is_known[run] && runner->has_failed[run];
        if (!runner->is_known[run])
            schedule_want(runner->schedule, run);
    }
    return fault_none();
}

static void runner_end(struct runner *runner)
{
    for (size_t i = 0; runner->workers && i < runner->tally.workers; i++)
        worker_dismiss(&runner->workers[i]);
    for (size_t i = 0; runner->workers && i < runner->tally.workers; i++)
        worker_stop(&runner->workers[i]);
    free(runner->workers);
    free(runner->polled);
    free(runner->is_known);
    free(runner->has_failed);
    free(runner->was_killed);
    schedule_free(runner->schedule);
    rounds_free(runner->rounds);
}

/* ---- the run */
static struct fault record(void *context, size_t run, const struct results_point *answer)
{
    struct runner *const runner = context;
    struct plan const *const plan = runner->request->plan;
    struct plan_point const *const point = &plan->points[plan->runs[run]];
    struct workload const *const workload = &plan->workloads[point->workload];
    struct results_point full = *answer;

    full.hash = point->hash;
    full.traces_hash = workload->hash;
    full.system = plan->spec->system_names[point->system];
    full.traces = workload->name;
    full.version = plan->version;
    FORWARD(results_add(runner->request->results, &full));
    if (full.error)
        runner->tally.failed++;
    else
        runner->tally.done++;
    if (!full.error)
        schedule_learn(runner->schedule, run, full.cpu_s);
    runner->done_cpu_s += full.cpu_s;
    return fault_none();
}

/* Gives the worker a point, if there is one. False: it is gone, and the point is still wanted. */
static bool give_next(struct runner *runner, struct worker *worker)
{
    struct worker_job job = {0};

    if (!schedule_next(runner->schedule, &job.run))
        return true;
    if (runner->rounds)
        job.regions = rounds_wanted(runner->rounds, job.run);
    if (!worker_give(worker, &job)) {
        schedule_want(runner->schedule, job.run);
        return false;
    }
    runner->busy++;
    return true;
}

/* The same with a new worker in place of one that is gone. */
static struct fault feed(struct runner *runner, struct worker *worker)
{
    struct worker_surroundings const surroundings = {
        .plan = runner->request->plan, .results = runner->request->results, .workers = runner->workers,
        .worker_count = runner->tally.workers, .region_jobs = runner->region_jobs,
        .kept = runner->rounds ? rounds_folder(runner->rounds) : NULL,
        .crash_point = runner->request->crash_point
    };

    while (schedule_left(runner->schedule) > 0) {
        if (!worker->pid)
            FORWARD(worker_start(worker, &surroundings));
        if (give_next(runner, worker))
            break;
        worker_stop(worker);
    }
    return fault_none();
}

/* The worker gets its next point before its answer is written, so that it need not wait for the disk. One that is gone
 * meanwhile is replaced afterwards, as the answer lies in its memory. */
static struct fault hear(struct runner *runner, struct worker *worker)
{
    struct results_point answer = {.error = NULL};
    char why[WHY_TEXT];
    size_t const run = worker->run;
    enum worker_news const news = worker_take(worker, &answer, why, sizeof why);
    bool is_fed;

    if (news == WORKER_MORE)
        return fault_none();
    runner->busy--;
    if (news == WORKER_KILLED && !runner->was_killed[run]) {
        runner->was_killed[run] = true;
        schedule_want(runner->schedule, run);
        return feed(runner, worker);
    }
    if (news != WORKER_ANSWER)
        answer = (struct results_point){.error = why};
    is_fed = news == WORKER_ANSWER && give_next(runner, worker);
    if (!runner->rounds || rounds_take(runner->rounds, run, &answer))
        FORWARD(record(runner, run, &answer));
    return is_fed ? fault_none() : feed(runner, worker);
}

/* By the processor time that the run has got so far, which is less than the workers' if others compute, too. */
static double left_s(const struct runner *runner)
{
    struct runner_tally const *const tally = &runner->tally;
    double speed = (double)tally->workers;

    if (tally->done + tally->failed >= 2 * tally->workers && runner->done_cpu_s > 0 && tally->elapsed_s > 0)
        speed = runner->done_cpu_s / tally->elapsed_s;
    return schedule_left_s(runner->schedule) / speed;
}

static bool ask_progress(struct runner *runner)
{
    struct runner_tally *const tally = &runner->tally;

    tally->elapsed_s = host_clock_s() - runner->start_s;
    tally->left_s = left_s(runner);
    return runner->request->progress && runner->request->progress(runner->request->self, tally);
}

static struct fault wait_and_hear(struct runner *runner)
{
    nfds_t count = 0;

    for (size_t i = 0; i < runner->tally.workers; i++) {
        struct worker const *const worker = &runner->workers[i];

        runner->polled[i] = (struct pollfd){.fd = worker->pid && worker->is_busy ? worker->from : -1, .events = POLLIN};
        count++;
    }
    if (poll(runner->polled, count, WAIT_MS) <= 0)
        return results_keep(runner->request->results, true);
    for (size_t i = 0; i < runner->tally.workers; i++)
        if (runner->polled[i].revents)
            FORWARD(hear(runner, &runner->workers[i]));
    return fault_none();
}

static struct fault record_dominated(void *context, size_t run, const struct results_point *answer)
{
    struct runner *const runner = context;

    runner->tally.dominated++;
    return record(context, run, answer);
}

static void want_again(void *context, size_t run)
{
    struct runner *const runner = context;

    schedule_want(runner->schedule, run);
}

/* All points that are wanted now. */
static struct fault run_round(struct runner *runner, bool *was_stopped)
{
    for (size_t i = 0; i < runner->tally.workers && schedule_left(runner->schedule) > 0; i++)
        FORWARD(feed(runner, &runner->workers[i]));
    while (runner->busy > 0 && !*was_stopped) {
        FORWARD(wait_and_hear(runner));
        *was_stopped = ask_progress(runner);
    }
    return fault_none();
}

static struct fault run_all(struct runner *runner, bool *was_stopped)
{
    size_t const left = schedule_left(runner->schedule);
    size_t workers = runner->request->workers;

    workers = workers > RUNNER_MAX_WORKERS ? RUNNER_MAX_WORKERS : workers;
    workers = workers > left ? left : workers;
    runner->tally.workers = workers > 0 ? workers : 1;
    runner->region_jobs = runner->request->workers / runner->tally.workers;
    runner->region_jobs += runner->region_jobs == 0;
    runner->workers = calloc(runner->tally.workers, sizeof *runner->workers);
    runner->polled = calloc(runner->tally.workers, sizeof *runner->polled);
    if (!runner->workers || !runner->polled)
        return fault_make(FAULT_MEMORY, "out of memory");
    *was_stopped = ask_progress(runner);
    for (size_t more = 1; more > 0 && !*was_stopped;) {
        struct rounds_actions const actions = {record_dominated, want_again, runner};

        FORWARD(run_round(runner, was_stopped));
        more = 0;
        if (runner->rounds && !*was_stopped)
            FORWARD(rounds_end(runner->rounds, &actions, &more));
    }
    return fault_none();
}

struct fault runner_run(const struct runner_request *request, struct runner_tally *tally, bool *was_stopped)
{
    struct runner runner = {.request = request, .start_s = host_clock_s()};
    struct fault fault = runner_prepare(&runner);

    *was_stopped = false;
    if (fault.kind == FAULT_NONE && request->plan->spec->until_error > 0) {
        runner.rounds = rounds_make(request->plan, request->temporary);
        if (!runner.rounds)
            fault = fault_make(FAULT_INPUT, "%s: no folder can be made there for statistics of regions; name another "
                               "one in the environment's TMPDIR", request->temporary);
    }
    if (fault.kind == FAULT_NONE)
        fault = run_all(&runner, was_stopped);
    runner_end(&runner);
    runner.tally.elapsed_s = host_clock_s() - runner.start_s;
    *tally = runner.tally;
    return fault;
}

struct fault runner_look(const struct runner_request *request, struct runner_tally *tally, bool *has_learnt)
{
    struct runner runner = {.request = request};
    struct fault const fault = runner_prepare(&runner);

    *has_learnt = false;
    if (fault.kind == FAULT_NONE) {
        size_t const left = schedule_left(runner.schedule);

        *has_learnt = schedule_has_learnt(runner.schedule);
        runner.tally.workers = request->workers < left ? request->workers : left ? left : 1;
        runner.tally.left_s = schedule_left_s(runner.schedule) / (double)runner.tally.workers;
    }
    runner_end(&runner);
    *tally = runner.tally;
    return fault;
}
