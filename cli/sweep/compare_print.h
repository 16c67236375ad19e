/* What `rubato compare` prints: tables for people, or a line a pair in tabs. */
#ifndef CLI_SWEEP_COMPARE_PRINT_H
#define CLI_SWEEP_COMPARE_PRINT_H

#include <stdio.h>

#include "sweep/compare/comparison.h"

/* After comparison_judge. */
void compare_print(FILE *to, const struct comparison *comparison);
void compare_print_tsv(FILE *to, const struct comparison *comparison);

/* The end of either kind of comparison: judges, prints faults and tables. The exit code. */
int compare_finish(struct comparison *comparison, bool is_tsv);

#endif
