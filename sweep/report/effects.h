/* The effects of a sweep's axes on a figure that is better when it is lower, such as time.
 *
 * Points of different workloads have figures of different size; so each counts by its ratio to the geometric mean of
 * its workload (`relative`), and means are geometric. 1 is the mean of the sweep.
 *
 * Use: fill a space's axes, levels and values; effects_relate; then effects_main, effects_pair, effects_designs,
 * effects_front. Ownership: arrays are the caller's. A value that is not a positive number is not known, and its
 * point counts nowhere. */
#ifndef SWEEP_REPORT_EFFECTS_H
#define SWEEP_REPORT_EFFECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EFFECTS_NO_AXIS SIZE_MAX
#define EFFECTS_ALL SIZE_MAX             /* workloads */

struct effects_axis {
    const char *key;
    const char **names;                  /* of its levels */
    size_t levels;
};

struct effects_space {
    struct effects_axis *axes;
    size_t axis_count;
    size_t workload_axis;                /* whose levels are the workloads; EFFECTS_NO_AXIS: there is one */
    uint32_t *levels;                    /* [point][axis] */
    double *values, *relative;           /* of each point */
    size_t point_count;
};

static inline uint32_t effects_level(const struct effects_space *space, size_t point, size_t axis)
{
    return space->levels[point * space->axis_count + axis];
}

/* Makes `relative` of values: NAN for a missing value. */
void effects_relate(struct effects_space *space);

struct effects_mean {
    double mean, low, high;              /* of the relative values; NAN without any */
    size_t count;
};

/* Of each level of an axis: means[levels], of one workload or of all. Returns by how much the axis matters: highest
 * mean / lowest mean - 1. */
double effects_main(const struct effects_space *space, size_t axis, size_t workload, struct effects_mean *means);

/* Mean of each pair of levels: means[rows' levels][columns' levels], NAN where no point is. Returns the largest
 * relative deviation of a cell from the prediction of both main effects: 0 if they just multiply. */
double effects_pair(const struct effects_space *space, size_t rows, size_t columns, double *means);

/* A design is the common system of points that differ in the workload only. */
struct effects_design {
    size_t first;                        /* one of its points */
    size_t known;                        /* of its points, those with a value */
    double relative;                     /* mean of its workloads */
    double cost;                         /* for effects_front; the caller's */
    bool is_complete;                    /* all workloads that any design has are known */
    bool is_on_front;
};

/* designs[point_count]; returns how many there are, in the order of their first points. of[point_count]: the design
 * of each point. */
size_t effects_designs(const struct effects_space *space, struct effects_design *designs, size_t *of);

/* Marks the complete designs than which no other is both cheaper (or as cheap) and faster (or as fast). */
void effects_front(struct effects_design *designs, size_t count);

/* How far the models of a sweep's cores are from each other: the error of each against the truest one that the sweep
 * has, detailed before window before elastic, over the points that differ in the model only.
 *
 * Use: model_errors. Errors are shares: value / value of the truest model - 1. */

enum { MODEL_ERRORS_MOST = 2 };

struct model_error {
    const char *model, *against;
    size_t points;                       /* with both values; the means are theirs */
    double mean, mean_magnitude, worst;
    size_t worst_point;
    double change_magnitude;             /* mean over the points of each workload but its first: error of the ratio to
                                          * that one; NAN: no workload has two points */
};

/* errors[MODEL_ERRORS_MOST]; *count: how many, 0 if the sweep has one model, or no two points to compare. False: out of
 * memory. */
bool model_errors(const struct effects_space *space, struct model_error *errors, size_t *count);

#endif
