/* Spearman's rank correlation, ties at their mean rank. */
#ifndef SWEEP_COMPARE_RANK_CORRELATION_H
#define SWEEP_COMPARE_RANK_CORRELATION_H

#include <stddef.h>

/* Pearson's correlation of the ranks. NAN if one side has all values equal, or there are fewer than two. */
double rank_spearman(const double *one, const double *two, size_t count);

#endif
