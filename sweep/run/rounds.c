#include "sweep/run/rounds.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/results/sample.h"
#include "sweep/run/region_point.h"

#define FIRST_PART 0.25                  /* of the regions, in the first round */
#define LEAST_MORE 1.25                  /* times as many in the next one */
#define SAFETY 1.1                       /* times as many as the interval lets expect */
#define OBJECTIVE "time_ms"
#define MS_A_TICK 1e-9
enum { PATH_BYTES = 4096, WHY_BYTES = 200 };

struct round_point {
    bool is_kept;
    size_t wanted;                       /* regions */
    struct results_point answer;         /* kept; texts are its own */
    json_t *statistics;
    struct sample *sample;               /* the last one, also of a point that is finished; NULL: none */
    double value, half;                  /* of the objective */
};

struct rounds {
    const struct plan *plan;
    struct round_point *points;          /* of each run */
    bool *chosen;                        /* room for the regions of the largest set */
    char folder[PATH_BYTES];
};

static const struct workload *workload_of(const struct rounds *rounds, size_t run)
{
    const struct plan *const plan = rounds->plan;

    return &plan->workloads[plan->points[plan->runs[run]].workload];
}

/* ---- beginning and end */
static bool make_folder(struct rounds *rounds, const char *within)
{
    return snprintf(rounds->folder, PATH_BYTES, "%s/rubato-sweep-XXXXXX", within) < PATH_BYTES
           && mkdtemp(rounds->folder);
}

struct rounds *rounds_make(const struct plan *plan, const char *within)
{
    struct rounds *const rounds = calloc(1, sizeof *rounds);
    size_t most = 1;

    if (!rounds)
        return NULL;
    rounds->plan = plan;
    for (size_t i = 0; i < plan->spec->workload_count; i++)
        if (plan->workloads[i].regions && plan->workloads[i].regions->count > most)
            most = plan->workloads[i].regions->count;
    rounds->points = calloc(plan->run_count + 1, sizeof *rounds->points);
    rounds->chosen = calloc(most, sizeof *rounds->chosen);
    if (!rounds->points || !rounds->chosen || !make_folder(rounds, within)) {
        rounds->folder[0] = '\0';
        rounds_free(rounds);
        return NULL;
    }
    for (size_t run = 0; run < plan->run_count; run++)
        if (workload_of(rounds, run)->regions)
            rounds->points[run].wanted = (size_t)ceil(FIRST_PART * (double)workload_of(rounds, run)->regions->count);
    return rounds;
}

static void forget_answer(struct round_point *point)
{
    free((char *)point->answer.statistics);
    free((char *)point->answer.config);
    point->answer = (struct results_point){0};
    point->is_kept = false;
}

static void forget_sample(struct round_point *point)
{
    sample_free(point->sample);
    json_decref(point->statistics);
    point->sample = NULL;
    point->statistics = NULL;
}

static void remove_folder(const char *folder)
{
    DIR *const opened = opendir(folder);
    struct dirent *entry;
    char path[PATH_BYTES];

    while (opened && (entry = readdir(opened)))
        if (entry->d_name[0] != '.' && snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < PATH_BYTES)
            unlink(path);
    if (opened)
        closedir(opened);
    rmdir(folder);
}

void rounds_free(struct rounds *rounds)
{
    if (!rounds)
        return;
    for (size_t run = 0; rounds->points && run < rounds->plan->run_count; run++) {
        forget_answer(&rounds->points[run]);
        forget_sample(&rounds->points[run]);
    }
    if (rounds->folder[0])
        remove_folder(rounds->folder);
    free(rounds->points);
    free(rounds->chosen);
    free(rounds);
}

const char *rounds_folder(const struct rounds *rounds)
{
    return rounds->folder;
}

size_t rounds_wanted(const struct rounds *rounds, size_t run)
{
    return rounds->points[run].wanted;
}

/* ---- answers */
static bool is_certain(const struct rounds *rounds, const struct round_point *point)
{
    return point->half <= rounds->plan->spec->until_error * point->value;
}

bool rounds_take(struct rounds *rounds, size_t run, const struct results_point *answer)
{
    struct round_point *const point = &rounds->points[run];

    if (!workload_of(rounds, run)->regions || !answer->statistics)
        return true;
    forget_sample(point);
    point->statistics = json_loads(answer->statistics, 0, NULL);
    point->sample = sample_read(point->statistics);
    point->value = MS_A_TICK * json_number_value(json_object_get(point->statistics, "simTicks"));
    point->half = sample_half(point->sample, OBJECTIVE);
    if (!point->sample || isnan(point->half) || point->sample->count >= point->sample->of || is_certain(rounds, point))
        return true;
    point->answer = *answer;
    point->answer.statistics = strdup(answer->statistics);
    point->answer.config = answer->config ? strdup(answer->config) : NULL;
    point->is_kept = point->answer.statistics != NULL;
    return !point->is_kept;
}

/* ---- the end of a round */
/* The fastest of the points that are faster with confidence; run_count: none is. */
static size_t dominator_of(const struct rounds *rounds, size_t run, struct pairs_difference *by)
{
    const struct plan *const plan = rounds->plan;
    const struct round_point *const point = &rounds->points[run];
    size_t best = plan->run_count;

    for (size_t other = 0; other < plan->run_count; other++) {
        const struct round_point *const better = &rounds->points[other];
        struct pairs_difference difference;

        if (workload_of(rounds, other) != workload_of(rounds, run) || !better->sample || better->value >= point->value
            || (best < plan->run_count && better->value >= rounds->points[best].value))
            continue;
        difference = sample_difference(better->sample, point->sample, OBJECTIVE, better->value, point->value);
        if (!pairs_differ(difference))
            continue;
        best = other;
        *by = difference;
    }
    return best;
}

static struct fault finish_dominated(struct rounds *rounds, size_t run, size_t better, struct pairs_difference by,
                                     const struct rounds_actions *actions)
{
    struct round_point *const point = &rounds->points[run];
    struct results_point answer = point->answer;
    char why[WHY_BYTES], *marked;
    struct fault fault;

    snprintf(why, sizeof why, "point %zu is faster: " OBJECTIVE " is %.3g ± %.2g %% less",
             rounds->plan->runs[better] + 1, 100 * by.value / point->value, 100 * by.half / point->value);
    marked = sample_mark_dominated(answer.statistics, why);
    answer.statistics = marked;
    fault = marked ? actions->finish(actions->context, run, &answer)
                   : fault_make(FAULT_MEMORY, "out of memory for the figures");
    free(marked);
    return fault;
}

/* More regions than it has run. */
static void want_more(struct rounds *rounds, size_t run)
{
    struct round_point *const point = &rounds->points[run];
    const struct region_set *const set = workload_of(rounds, run)->regions;
    double const off = point->half / (rounds->plan->spec->until_error * point->value);
    double const times = fmax(LEAST_MORE, SAFETY * off * off), wanted = ceil(times * (double)point->wanted);

    point->wanted = wanted < (double)set->count ? (size_t)wanted : set->count;
    while (point->wanted < set->count
           && region_point_choose(set, point->wanted, rounds->chosen) <= point->sample->count)
        point->wanted++;
}

/* Decisions come first, so that none depends on one of the same round. */
struct fault rounds_end(struct rounds *rounds, const struct rounds_actions *actions, size_t *kept)
{
    size_t const count = rounds->plan->run_count;
    struct pairs_difference *const by = calloc(count + 1, sizeof *by);
    size_t *const better = calloc(count + 1, sizeof *better);
    struct fault fault = by && better ? fault_none() : fault_make(FAULT_MEMORY, "out of memory");

    *kept = 0;
    for (size_t run = 0; run < count && fault.kind == FAULT_NONE; run++)
        better[run] = rounds->points[run].is_kept ? dominator_of(rounds, run, &by[run]) : count;
    for (size_t run = 0; run < count && fault.kind == FAULT_NONE; run++) {
        if (!rounds->points[run].is_kept)
            continue;
        ++*kept;
        if (better[run] < count) {
            fault = finish_dominated(rounds, run, better[run], by[run], actions);
        } else {
            want_more(rounds, run);
            actions->again(actions->context, run);
        }
        forget_answer(&rounds->points[run]);
    }
    free(by);
    free(better);
    return fault;
}
