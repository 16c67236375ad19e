/* Logarithms of times are sums of effects. They are fitted by backfitting: in turn, each factor's levels become the
 * mean of what the other factors leave over. */
#include "sweep/run/runner.h"

#include <math.h>
#include <stdlib.h>

/* Rule of thumb: seconds a record, and of a point at least. */
#define RECORD_S 3e-7
#define SHORTEST_S 1e-4

enum { ROUNDS = 4, FIRST_FIT = 4 };

/* One factor: workload, system or group of axes. */
struct factor {
    size_t levels;
    double *effects, *sums;
    unsigned *counts;
};

struct schedule {
    const struct plan *plan;
    struct factor *factors;              /* workload, system, each group */
    size_t factor_count;
    double *prior;                       /* of each workload: an estimate from its records */
    double base;
    float *logs;                         /* of each run's time; NAN: not known */
    size_t known, fitted;                /* runs whose time is known; as of the last fit */
    size_t *queue;                       /* wanted runs; from `left` - 1 down once sorted */
    size_t left;
    double left_s;
    bool is_sorted;
};

static size_t level_of(const struct plan_point *point, size_t factor)
{
    return factor == 0 ? point->workload : factor == 1 ? point->system : point->levels[factor - 2];
}

static const struct plan_point *point_of(const struct schedule *schedule, size_t run)
{
    return &schedule->plan->points[schedule->plan->runs[run]];
}

static bool make_factor(struct factor *factor, size_t levels)
{
    *factor = (struct factor){.levels = levels, .effects = calloc(levels, sizeof *factor->effects),
                              .sums = calloc(levels, sizeof *factor->sums),
                              .counts = calloc(levels, sizeof *factor->counts)};
    return factor->effects && factor->sums && factor->counts;
}

struct schedule *schedule_make(const struct plan *plan)
{
    struct schedule *const schedule = calloc(1, sizeof *schedule);
    bool is_made;

    if (!schedule)
        return NULL;
    schedule->plan = plan;
    schedule->factors = calloc(plan->spec->group_count + 2, sizeof *schedule->factors);
    schedule->logs = malloc((plan->run_count + 1) * sizeof *schedule->logs);
    schedule->queue = malloc((plan->run_count + 1) * sizeof *schedule->queue);
    schedule->prior = malloc((plan->spec->workload_count + 1) * sizeof *schedule->prior);
    is_made = schedule->factors && schedule->logs && schedule->queue && schedule->prior;
    for (size_t i = 0; is_made && i < plan->spec->group_count + 2; i++) {
        schedule->factor_count++;
        is_made = make_factor(&schedule->factors[i], i == 0 ? plan->spec->workload_count
                                                     : i == 1 ? plan->spec->system_count
                                                              : plan->spec->groups[i - 2].levels);
    }
    if (!is_made) {
        schedule_free(schedule);
        return NULL;
    }
    for (size_t i = 0; i < plan->run_count; i++)
        schedule->logs[i] = NAN;
    for (size_t i = 0; i < plan->spec->workload_count; i++)
        schedule->prior[i] = log(SHORTEST_S + RECORD_S * plan->workloads[i].work);
    return schedule;
}

void schedule_free(struct schedule *schedule)
{
    if (!schedule)
        return;
    for (size_t i = 0; i < schedule->factor_count; i++) {
        free(schedule->factors[i].effects);
        free(schedule->factors[i].sums);
        free(schedule->factors[i].counts);
    }
    free(schedule->factors);
    free(schedule->prior);
    free(schedule->logs);
    free(schedule->queue);
    free(schedule);
}

/* ---- the fit */
static double log_estimate(const struct schedule *schedule, const struct plan_point *point)
{
    double sum = schedule->base + schedule->prior[point->workload];

    for (size_t i = 0; i < schedule->factor_count; i++)
        sum += schedule->factors[i].effects[level_of(point, i)];
    return sum;
}

static void fit_factor(struct schedule *schedule, size_t number)
{
    struct factor *const factor = &schedule->factors[number];

    for (size_t i = 0; i < factor->levels; i++) {
        factor->sums[i] = 0;
        factor->counts[i] = 0;
    }
    for (size_t run = 0; run < schedule->plan->run_count; run++) {
        struct plan_point const *const point = point_of(schedule, run);
        size_t const level = level_of(point, number);

        if (isnan(schedule->logs[run]))
            continue;
        factor->sums[level] += schedule->logs[run] - log_estimate(schedule, point) + factor->effects[level];
        factor->counts[level]++;
    }
    for (size_t i = 0; i < factor->levels; i++)
        factor->effects[i] = factor->sums[i] / (factor->counts[i] + 1.0);
}

static void fit_base(struct schedule *schedule)
{
    double sum = 0;

    for (size_t run = 0; run < schedule->plan->run_count; run++)
        if (!isnan(schedule->logs[run]))
            sum += schedule->logs[run] - log_estimate(schedule, point_of(schedule, run));
    schedule->base += sum / (double)schedule->known;
}

static void fit(struct schedule *schedule)
{
    for (int round = 0; round < ROUNDS; round++) {
        fit_base(schedule);
        for (size_t i = 0; i < schedule->factor_count; i++)
            if (schedule->factors[i].levels > 1)
                fit_factor(schedule, i);
    }
    schedule->fitted = schedule->known;
    schedule->is_sorted = false;
}

static double estimate_s(const struct schedule *schedule, size_t run)
{
    return exp(log_estimate(schedule, point_of(schedule, run)));
}

void schedule_learn(struct schedule *schedule, size_t run, double cpu_s)
{
    schedule->known += isnan(schedule->logs[run]) ? 1 : 0;
    schedule->logs[run] = (float)log(cpu_s > SHORTEST_S ? cpu_s : SHORTEST_S);
}

/* ---- the queue */
void schedule_want(struct schedule *schedule, size_t run)
{
    schedule->queue[schedule->left++] = run;
    schedule->is_sorted = false;
}

struct ranked {
    double estimate_s;
    size_t run;
};

/* The longest last, as the queue is taken from its end; equals in the order of the plan. */
static int by_estimate(const void *one, const void *other)
{
    struct ranked const *const a = one, *const b = other;

    if (a->estimate_s != b->estimate_s)
        return a->estimate_s < b->estimate_s ? -1 : 1;
    return a->run > b->run ? -1 : 1;
}

/* Without memory the order stays as it was. */
static void sort(struct schedule *schedule)
{
    struct ranked *const ranked = malloc((schedule->left + 1) * sizeof *ranked);

    schedule->left_s = 0;
    for (size_t i = 0; i < schedule->left; i++)
        schedule->left_s += estimate_s(schedule, schedule->queue[i]);
    schedule->is_sorted = true;
    if (!ranked)
        return;
    for (size_t i = 0; i < schedule->left; i++)
        ranked[i] = (struct ranked){estimate_s(schedule, schedule->queue[i]), schedule->queue[i]};
    qsort(ranked, schedule->left, sizeof *ranked, by_estimate);
    for (size_t i = 0; i < schedule->left; i++)
        schedule->queue[i] = ranked[i].run;
    free(ranked);
}

static void refresh(struct schedule *schedule)
{
    bool const is_worth_it = schedule->known != schedule->fitted && 4 * schedule->known >= 5 * schedule->fitted;

    if (schedule->known >= FIRST_FIT && is_worth_it)
        fit(schedule);
    if (!schedule->is_sorted)
        sort(schedule);
}

bool schedule_next(struct schedule *schedule, size_t *run)
{
    if (schedule->left == 0)
        return false;
    refresh(schedule);
    *run = schedule->queue[--schedule->left];
    schedule->left_s -= estimate_s(schedule, *run);
    return true;
}

double schedule_left_s(const struct schedule *schedule)
{
    double sum = 0;

    if (schedule->is_sorted)
        return schedule->left_s > 0 ? schedule->left_s : 0;
    for (size_t i = 0; i < schedule->left; i++)
        sum += estimate_s(schedule, schedule->queue[i]);
    return sum;
}

size_t schedule_left(const struct schedule *schedule)
{
    return schedule->left;
}

bool schedule_has_learnt(const struct schedule *schedule)
{
    return schedule->known > 0;
}
