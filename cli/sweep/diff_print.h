/* What `rubato diff` prints: times, what explains their difference, metrics, configuration. */
#ifndef CLI_SWEEP_DIFF_PRINT_H
#define CLI_SWEEP_DIFF_PRINT_H

#include <stdio.h>

#include "cli/sweep/diff_side.h"

/* False: out of memory. has_all: metrics that are the same, too. */
bool diff_print(FILE *to, const struct diff_request *request, const struct diff_side sides[2], bool has_all);

#endif
