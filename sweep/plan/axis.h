/* Values of an axis that are given as a range: {from: 4, to: 16, step: 4}, {from: 32KiB, to: 1MiB, times: 2}.
 *
 * Use: axis_range; the values come as texts that the configuration takes. Ownership: they live in the arena. */
#ifndef SWEEP_PLAN_AXIS_H
#define SWEEP_PLAN_AXIS_H

#include <stddef.h>

#include "base/arena.h"
#include "base/fault.h"

enum { AXIS_MAX_VALUES = 10000 };

struct axis_range {
    const char *from, *to;               /* both included, if the steps meet `to` */
    const char *step, *times;            /* one of them, or none: steps of 1, which plain numbers only have */
};

/* `where`: "file:line: axes: l2.size" */
struct fault axis_values(const struct axis_range *range, struct arena *arena, const char *where, const char ***values,
                         size_t *count);

#endif
