/* How far the models of a sweep's cores are from each other: the error of each against the truest one that the sweep
 * has, detailed before window before elastic, over the points that differ in the model only.
 *
 * Use: model_errors. Errors are shares: value / value of the truest model - 1. */
#ifndef SWEEP_REPORT_MODEL_ERRORS_H
#define SWEEP_REPORT_MODEL_ERRORS_H

#include "sweep/report/effects.h"

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
