/* Pivots of results: a row for each value of one column of the points, a column for each combination of values of
 * others.
 *
 * Use: `points` have the columns of rows, of columns (one or more), and of the value, in this order; results_pivot
 * makes another listing, which results_print takes. Rows and columns stand in the order of the points. The last row has
 * the mean of each column, and a cell of several points has theirs; a column with a missing cell has no mean, since
 * means of different workloads cannot be compared. Ownership: everything lives in the arena.
 * Errors: FAULT_INPUT: a value is a word, or has no such mean; more than PIVOT_MAX_COLUMNS. FAULT_MEMORY. */
#ifndef CLI_SWEEP_RESULTS_PIVOT_H
#define CLI_SWEEP_RESULTS_PIVOT_H

#include "cli/sweep/results_print.h"

enum { PIVOT_MAX_COLUMNS = 4096 };

enum pivot_mean { PIVOT_ARITHMETIC, PIVOT_GEOMETRIC, PIVOT_HARMONIC, PIVOT_MEAN_COUNT };

/* False: no mean has this name. */
bool pivot_mean_of(const char *name, enum pivot_mean *mean);

struct fault results_pivot(struct results_listing *pivot, struct arena *arena, const struct results_listing *points,
                           enum pivot_mean mean);

#endif
