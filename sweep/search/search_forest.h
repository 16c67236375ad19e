/* Surrogate: what the objective of a design probably is, learnt from the designs that were run.
 *
 * A design is a row of levels, one of each axis. The estimate is a sum of main effects, one number for each level of
 * each axis, and a random forest of what they leave over. Axes without an order (words) are split by sets of levels.
 * The trees, in SEARCH_SAMPLES groups, give as many estimates, whose spread says how sure it is.
 *
 * Use: forest_make, forest_learn with all known designs (anew after more are known), forest_estimate, forest_free.
 * Ownership: copies nothing but the trees; axes are borrowed. Errors: false, NULL: out of memory.
 * Source: Breiman, "Random forests", Machine Learning 2001; Hutter, Hoos, Leyton-Brown, "Sequential model-based
 * optimization for general algorithm configuration", LION 2011, on forests as surrogates. */
#ifndef SWEEP_SEARCH_SEARCH_FOREST_H
#define SWEEP_SEARCH_SEARCH_FOREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sweep/search/search_draw.h"

enum { SEARCH_SAMPLES = 12 };

struct search_axis {
    uint32_t levels;                     /* at least 1 */
    bool has_order;                      /* numbers; false: words */
};

struct forest;

struct forest *forest_make(const struct search_axis *axes, size_t axis_count);
void forest_free(struct forest *forest);

/* rows: count designs of axis_count levels. */
bool forest_learn(struct forest *forest, const uint32_t *rows, const double *values, size_t count,
                  struct search_draw *draw);
/* Returns the mean of the samples. */
double forest_estimate(const struct forest *forest, const uint32_t *row, double samples[SEARCH_SAMPLES]);

#endif
