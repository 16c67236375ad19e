/* Plain sums of logarithms. Designs are found by sorting points by their levels without the workload's. */
#include "sweep/report/effects.h"

#include <math.h>
#include <stdlib.h>

static bool effects_is_known(double value)
{
    return isfinite(value) && value > 0;
}

void effects_relate(struct effects_space *space)
{
    size_t const axis = space->workload_axis;
    size_t const workloads = axis == EFFECTS_NO_AXIS ? 1 : space->axes[axis].levels;

    for (size_t workload = 0; workload < workloads; workload++) {
        double sum = 0;
        size_t count = 0;

        for (size_t i = 0; i < space->point_count; i++)
            if (effects_is_known(space->values[i]) && (axis == EFFECTS_NO_AXIS || effects_level(space, i,
                                                                                                axis) == workload)) {
                sum += log(space->values[i]);
                count++;
            }
        for (size_t i = 0; i < space->point_count; i++)
            if (axis == EFFECTS_NO_AXIS || effects_level(space, i, axis) == workload)
                space->relative[i] = effects_is_known(space->values[i]) ? space->values[i] / exp(sum / (double)count)
                    : NAN;
    }
}

double effects_main(const struct effects_space *space, size_t axis, size_t workload, struct effects_mean *means)
{
    bool const has_all = workload == EFFECTS_ALL || space->workload_axis == EFFECTS_NO_AXIS;
    double least = INFINITY, most = 0;

    for (size_t level = 0; level < space->axes[axis].levels; level++) {
        struct effects_mean mean = {.low = INFINITY};
        double sum = 0;

        for (size_t i = 0; i < space->point_count; i++) {
            double const relative = space->relative[i];

            if (effects_level(space, i, axis) != level || isnan(relative)
                || !(has_all || effects_level(space, i, space->workload_axis) == workload))
                continue;
            sum += log(relative);
            mean.low = fmin(mean.low, relative);
            mean.high = fmax(mean.high, relative);
            mean.count++;
        }
        mean.mean = mean.count ? exp(sum / (double)mean.count) : NAN;
        if (mean.count) {
            least = fmin(least, mean.mean);
            most = fmax(most, mean.mean);
        } else {
            mean.low = mean.high = NAN;
        }
        means[level] = mean;
    }
    return most > 0 ? most / least - 1 : 0;
}

/* Mean of the logarithms of those of `count` cells that are known; they lie `step` apart. */
static double mean_log(const double *cells, size_t count, size_t step)
{
    double sum = 0;
    size_t known = 0;

    for (size_t i = 0; i < count; i++)
        if (!isnan(cells[i * step])) {
            sum += log(cells[i * step]);
            known++;
        }
    return known ? sum / (double)known : NAN;
}

double effects_pair(const struct effects_space *space, size_t rows, size_t columns, double *means)
{
    size_t const height = space->axes[rows].levels, width = space->axes[columns].levels;
    double farthest = 0, all;

    for (size_t cell = 0; cell < height * width; cell++) {
        double sum = 0;
        size_t count = 0;

        for (size_t i = 0; i < space->point_count; i++)
            if (effects_level(space, i, rows) == cell / width && effects_level(space, i, columns) == cell % width
                && !isnan(space->relative[i])) {
                sum += log(space->relative[i]);
                count++;
            }
        means[cell] = count ? exp(sum / (double)count) : NAN;
    }
    all = mean_log(means, height * width, 1);
    for (size_t cell = 0; cell < height * width; cell++)
        if (!isnan(means[cell])) {
            double const row = mean_log(means + cell / width * width, width, 1);
            double const column = mean_log(means + cell % width, height, width);

            farthest = fmax(farthest, fabs(log(means[cell]) - (row + column - all)));
        }
    return exp(farthest) - 1;
}

/* ---- designs */

struct sortable {
    const struct effects_space *space;
    size_t point;
};

/* By all levels but the workload's. */
static int compare_designs(const struct sortable *one, const struct sortable *two)
{
    const struct effects_space *const space = one->space;

    for (size_t axis = 0; axis < space->axis_count; axis++) {
        uint32_t const a = effects_level(space, one->point, axis), b = effects_level(space, two->point, axis);

        if (axis != space->workload_axis && a != b)
            return a < b ? -1 : 1;
    }
    return 0;
}

static int by_design(const void *a, const void *b)
{
    const struct sortable *const one = a, *const two = b;
    int const order = compare_designs(one, two);

    return order ? order : (one->point > two->point) - (one->point < two->point);
}

/* Numbers of the designs in the order of their first points. False: out of memory. */
static bool number_designs(const struct effects_space *space, struct effects_design *designs, size_t *of, size_t *count)
{
    struct sortable *const sorted = calloc(space->point_count + 1, sizeof *sorted);

    *count = 0;
    if (!sorted)
        return false;
    for (size_t i = 0; i < space->point_count; i++)
        sorted[i] = (struct sortable){space, i};
    qsort(sorted, space->point_count, sizeof *sorted, by_design);
    /* first: the smallest point of each design, as the sort leaves it in front */
    for (size_t i = 0, first = 0; i < space->point_count; i++) {
        if (i && compare_designs(&sorted[i - 1], &sorted[i]) != 0)
            first = i;
        of[sorted[i].point] = sorted[first].point;
    }
    for (size_t i = 0; i < space->point_count; i++)
        if (of[i] == i)
            designs[(*count)++] = (struct effects_design){.first = i};
    free(sorted);
    return true;
}

static size_t design_of_first(const struct effects_design *designs, size_t count, size_t first)
{
    size_t low = 0, high = count;

    while (high - low > 1) {
        size_t const middle = low + (high - low) / 2;

        if (designs[middle].first <= first)
            low = middle;
        else
            high = middle;
    }
    return low;
}

size_t effects_designs(const struct effects_space *space, struct effects_design *designs, size_t *of)
{
    size_t count, most = 0;

    if (!number_designs(space, designs, of, &count))
        return 0;
    for (size_t i = 0; i < space->point_count; i++) {
        of[i] = design_of_first(designs, count, of[i]);
        if (!isnan(space->relative[i])) {
            designs[of[i]].relative += log(space->relative[i]);
            designs[of[i]].known++;
        }
    }
    for (size_t i = 0; i < count; i++) {
        designs[i].relative = designs[i].known ? exp(designs[i].relative / (double)designs[i].known) : NAN;
        most = designs[i].known > most ? designs[i].known : most;
    }
    for (size_t i = 0; i < count; i++)
        designs[i].is_complete = most > 0 && designs[i].known == most;
    return count;
}

void effects_front(struct effects_design *designs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct effects_design *const one = &designs[i];

        one->is_on_front = one->is_complete;
        for (size_t j = 0; j < count && one->is_on_front; j++) {
            const struct effects_design *const other = &designs[j];

            if (other->is_complete && other->cost <= one->cost && other->relative <= one->relative
                && (other->cost < one->cost || other->relative < one->relative))
                one->is_on_front = false;
        }
    }
}
