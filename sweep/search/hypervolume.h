/* Fronts: which designs no other one beats in all objectives, and the volume that they dominate.
 *
 * A design is a row of `objectives` numbers, each better when it is lower. One dominates another if it is nowhere worse
 * and somewhere better. The hypervolume of a set is the volume between it and a reference point: what some design of
 * the set dominates; designs that are not better than the reference in every objective add nothing.
 *
 * Use: front_mark, hypervolume; hypervolume_gain for two objectives, of a front as front_sort leaves it. No state.
 * Source: While, Bradstreet, Barone, "A fast way of calculating exact hypervolumes", IEEE TEC 2012. */
#ifndef SWEEP_SEARCH_HYPERVOLUME_H
#define SWEEP_SEARCH_HYPERVOLUME_H

#include <stdbool.h>
#include <stddef.h>

enum { FRONT_MAX_OBJECTIVES = 6 };

bool front_dominates(const double *one, const double *other, size_t objectives);
/* Marks the rows that no other one dominates; of equal rows the first. Rows with skipped[i] take no part (NULL: all
 * do). Returns how many there are. */
size_t front_mark(const double *rows, size_t count, size_t objectives, const bool *skipped, bool *is_front);
/* NAN: out of memory. */
double hypervolume(const double *rows, size_t count, size_t objectives, const double *reference);

/* Rows of two objectives: leaves the front, the lowest first objective first, and returns their number. */
size_t front_sort(double *rows, size_t count);
/* What `row` adds to the hypervolume of such a front. */
double hypervolume_gain(const double *front, size_t count, const double *reference, const double *row);
/* The same of any rows, and any number of objectives. NAN: out of memory. */
double hypervolume_added(const double *rows, size_t count, size_t objectives, const double *reference,
                         const double *row);

#endif
