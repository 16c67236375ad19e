/* Points that differ in the model only have one key: their levels on the other axes as a number of mixed digits. Of
 * spaces with more than 2^64 combinations keys may meet by chance, so levels are compared, too. */
#include "sweep/report/effects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/plan/spec.h"

enum { MODELS = MODEL_ERRORS_MOST + 1 };

struct keyed {
    uint64_t key;
    size_t point;
};

static size_t model_axis(const struct effects_space *space)
{
    for (size_t axis = 0; axis < space->axis_count; axis++)
        if (strcmp(space->axes[axis].key, MODELS_KEY) == 0)
            return axis;
    return EFFECTS_NO_AXIS;
}

static const char *const names[MODELS] = {"detailed", "window", "elastic"};     /* the truest first */

/* MODELS: none of them. */
static unsigned model_errors_rank_of(const char *model)
{
    unsigned rank = 0;

    while (rank < MODELS && strcmp(names[rank], model) != 0)
        rank++;
    return rank;
}

static uint64_t key_of(const struct effects_space *space, size_t point, size_t without)
{
    uint64_t key = 0;

    for (size_t axis = 0; axis < space->axis_count; axis++)
        if (axis != without)
            key = key * space->axes[axis].levels + effects_level(space, point, axis);
    return key;
}

static bool are_alike(const struct effects_space *space, size_t one, size_t other, size_t without)
{
    for (size_t axis = 0; axis < space->axis_count; axis++)
        if (axis != without && effects_level(space, one, axis) != effects_level(space, other, axis))
            return false;
    return true;
}

static int by_key(const void *a, const void *b)
{
    const struct keyed *const one = a, *const two = b;

    if (one->key != two->key)
        return one->key < two->key ? -1 : 1;
    return (one->point > two->point) - (one->point < two->point);
}

static const char *model_at(const struct effects_space *space, size_t point, size_t axis)
{
    return space->axes[axis].names[effects_level(space, point, axis)];
}

static bool model_errors_is_known(double value)
{
    return isfinite(value) && value > 0;
}

struct tally {
    const struct effects_space *space;
    struct model_error *errors;          /* by rank, from the one behind the truest on */
    double *first;                       /* [workload][model]: 1 + error of its first point; 0: none yet */
    double changes[MODELS];
    size_t changed[MODELS];
    unsigned truest;
};

/* A point of another model beside one of the truest. */
static void count_pair(struct tally *tally, unsigned rank, size_t point, size_t truth)
{
    const struct effects_space *const space = tally->space;
    double const error = space->values[point] / space->values[truth] - 1;
    size_t const workload = space->workload_axis == EFFECTS_NO_AXIS ? 0
                          : effects_level(space, point, space->workload_axis);
    double *const first = &tally->first[workload * MODELS + rank];
    struct model_error *const sum = &tally->errors[rank];

    sum->points++;
    sum->mean += error;
    sum->mean_magnitude += fabs(error);
    if (fabs(error) > fabs(sum->worst)) {
        sum->worst = error;
        sum->worst_point = point;
    }
    if (*first > 0) {
        tally->changes[rank] += fabs((1 + error) / *first - 1);
        tally->changed[rank]++;
    } else {
        *first = 1 + error;
    }
}

/* Points of one key. */
static void count_group(struct tally *tally, const struct keyed *group, size_t count, size_t axis)
{
    for (size_t i = 0; i < count; i++) {
        size_t const truth = group[i].point;

        if (model_errors_rank_of(model_at(tally->space, truth, axis)) != tally->truest
            || !model_errors_is_known(tally->space->values[truth])) continue;
        for (size_t k = 0; k < count; k++) {
            size_t const point = group[k].point;
            unsigned const rank = model_errors_rank_of(model_at(tally->space, point, axis));

            if (rank > tally->truest && rank < MODELS && model_errors_is_known(tally->space->values[point])
                && are_alike(tally->space, truth, point, axis))
                count_pair(tally, rank, point, truth);
        }
        return;
    }
}

static void count_all(struct tally *tally, struct keyed *keyed, size_t axis)
{
    const struct effects_space *const space = tally->space;

    for (size_t i = 0; i < space->point_count; i++)
        keyed[i] = (struct keyed){key_of(space, i, axis), i};
    qsort(keyed, space->point_count, sizeof *keyed, by_key);
    for (size_t begin = 0, end; begin < space->point_count; begin = end) {
        for (end = begin + 1; end < space->point_count && keyed[end].key == keyed[begin].key; end++)
            ;
        count_group(tally, keyed + begin, end - begin, axis);
    }
}

bool model_errors(const struct effects_space *space, struct model_error *errors, size_t *count)
{
    size_t const axis = model_axis(space);
    size_t const workloads = space->workload_axis == EFFECTS_NO_AXIS ? 1 : space->axes[space->workload_axis].levels;
    struct model_error sums[MODELS] = {{.points = 0}};
    struct tally tally = {.space = space, .errors = sums, .truest = MODELS};
    struct keyed *keyed;

    *count = 0;
    if (axis == EFFECTS_NO_AXIS)
        return true;
    for (size_t level = 0; level < space->axes[axis].levels; level++) {
        unsigned const rank = model_errors_rank_of(space->axes[axis].names[level]);

        tally.truest = rank < tally.truest ? rank : tally.truest;
    }
    keyed = malloc((space->point_count + 1) * sizeof *keyed);
    tally.first = calloc(workloads * MODELS, sizeof *tally.first);
    if (keyed && tally.first)
        count_all(&tally, keyed, axis);
    for (unsigned rank = 0; keyed && tally.first && rank < MODELS; rank++) {
        struct model_error *const sum = &sums[rank];

        if (sum->points == 0)
            continue;
        sum->model = names[rank];
        sum->against = names[tally.truest];
        sum->mean /= (double)sum->points;
        sum->mean_magnitude /= (double)sum->points;
        sum->change_magnitude = tally.changed[rank] ? tally.changes[rank] / (double)tally.changed[rank] : NAN;
        errors[(*count)++] = *sum;
    }
    free(keyed);
    free(tally.first);
    return keyed && tally.first;
}
