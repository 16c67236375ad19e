/* Settings: what an axis does where everything else stays the same.
 *
 * Points that differ in one axis only are a setting of all others, the workload included, and are compared with each
 * other alone. So an effect is no artefact of a sweep that lacks points, and it has a range: from setting to setting.
 *
 * Use: settings_effect of an axis; settings_effect_free. The figure is better when it is lower. False: out of memory.
 * Where a point has a sampling error, half_of gives the half width of the interval of the logarithm of the ratio of two
 * points; NULL: all are exact. */
#ifndef SWEEP_REPORT_AXIS_SETTINGS_H
#define SWEEP_REPORT_AXIS_SETTINGS_H

#include "sweep/report/effects.h"

typedef double settings_half_of(const void *self, size_t one, size_t other);

struct settings_effect {
    size_t axis;
    size_t best, worst;                  /* levels, by their means over all settings */
    double *means;                       /* of each level, over that of the best one; NAN: not known */
    double mean;                         /* of worst level / best level - 1: geometric mean of the settings */
    double low, high;                    /* of the same: nine of ten settings are between; all, of fewer than 20 */
    size_t settings;                     /* those that have both levels; 0: the axis never changes alone */
    double half;                         /* sampling error of the logarithm of 1 + mean */
    double most;                         /* largest value / smallest value - 1 within one setting ... */
    size_t most_low, most_high;          /* ... and these two points */
};

bool settings_effect(const struct effects_space *space, size_t axis, settings_half_of *half_of, const void *self,
                     struct settings_effect *effect);
void settings_effect_free(struct settings_effect *effect);

#endif
