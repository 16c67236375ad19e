/* Histogram: samples counted in bins, whose width doubles when a sample lies beyond the last.
 *
 * Use: init once, sample often, reset where a new measurement begins. Samples are whole numbers >= 0. The figures
 * derived from them (mean, deviation) are made when statistics are written (stats.c).
 * Ownership: init allocates the bins, free returns them. */
#ifndef MEMSYS_SIM_HISTOGRAM_H
#define MEMSYS_SIM_HISTOGRAM_H

#include <math.h>
#include <stdint.h>

#include "base/fault.h"

/* Exact below 2^64. */
struct sample_sums {
    uint64_t samples, sum, squares;
};

struct histogram {
    struct sample_sums sums;
    double log_sum;                  /* of natural logarithms, for the geometric mean; -inf once a 0 was sampled */
    uint64_t logged;                 /* the value sampled last, and its logarithm: the same ones come again and again */
    double logged_log;
    uint64_t *bins;
    uint32_t bin_count;
    uint64_t bin_width;              /* 2 to the power of bin_shift */
    unsigned bin_shift;
};

/* bin_count >= 1. Bins begin one unit wide. */
struct fault histogram_init(struct histogram *histogram, uint32_t bin_count);
void histogram_free(struct histogram *histogram);
void histogram_reset(struct histogram *histogram);
/* Doubles the width until `value` has a bin. */
void histogram_grow(struct histogram *histogram, uint64_t value);

static inline void histogram_sample(struct histogram *histogram, uint64_t value)
{
    if (value >> histogram->bin_shift >= histogram->bin_count)
        histogram_grow(histogram, value);
    histogram->sums.samples++;
    histogram->sums.sum += value;
    histogram->sums.squares += value * value;
    if (value != histogram->logged) {
        histogram->logged = value;
        histogram->logged_log = log((double)value);
    }
    histogram->log_sum += histogram->logged_log;
    histogram->bins[value >> histogram->bin_shift]++;
}

#endif
