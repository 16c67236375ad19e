#include "sweep/compare/rank_correlation.h"

#include <math.h>

/* Rank of a value among all, from 1; equal ones share the mean of their ranks. */
static double rank_of(const double *values, size_t count, size_t which)
{
    size_t below = 0, equal = 0;

    for (size_t i = 0; i < count; i++) {
        below += values[i] < values[which];
        equal += values[i] == values[which];
    }
    return (double)below + ((double)equal + 1) / 2;
}

double rank_spearman(const double *one, const double *two, size_t count)
{
    double const middle = ((double)count + 1) / 2;
    double both = 0, ones = 0, twos = 0;

    for (size_t i = 0; i < count; i++) {
        double const a = rank_of(one, count, i) - middle, b = rank_of(two, count, i) - middle;

        both += a * b;
        ones += a * a;
        twos += b * b;
    }
    return ones > 0 && twos > 0 ? both / sqrt(ones * twos) : NAN;
}
