/* Latency histogram: counts in bins whose width grows with the value, for percentiles of any range.
 *
 * Exactness: values below 256 have a bin each; above, a bin is at most 1/128 of its lowest value wide, and a
 * percentile is the middle of its bin: off by at most 0.4 %. Count, sum, smallest and largest are exact.
 * Use: zero-initialise, then latency_histogram_add for each value. Units: the caller's. No allocation. */
#ifndef MEMSYS_SIM_LATENCY_HISTOGRAM_H
#define MEMSYS_SIM_LATENCY_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/arith.h"
#include "memsys/sim/sim_statistics.h"

#define LATENCY_BINS_PER_OCTAVE 128
#define LATENCY_BIN_BITS 7           /* log2 of it */
#define LATENCY_BINS ((64 - LATENCY_BIN_BITS + 1) * LATENCY_BINS_PER_OCTAVE)

struct latency_histogram {
    uint64_t count, sum, lowest, highest;
    uint64_t last;                   /* the value added last, whose bin ... */
    unsigned last_bin;               /* ... is this: many are equal to the one before */
    uint64_t bins[LATENCY_BINS];
};

/* Several as one, since percentiles do not add up. Borrowed. */
struct latency_histograms {
    const struct latency_histogram *const *list;
    size_t count;
};

void latency_histogram_reset(struct latency_histogram *histogram);

/* Value that at least `percent` of the values do not exceed (nearest rank); 0 without values. */
uint64_t latency_histogram_percentile(const struct latency_histogram *histogram, double percent);
double latency_histogram_mean(const struct latency_histogram *histogram);

uint64_t latency_histograms_samples(const struct latency_histograms *all);
uint64_t latency_histograms_percentile(const struct latency_histograms *all, double percent);
double latency_histograms_mean(const struct latency_histograms *all);

static inline unsigned latency_histogram_bin(uint64_t value)
{
    unsigned shift;

    if (value < 2 * LATENCY_BINS_PER_OCTAVE)
        return (unsigned)value;
    shift = log2_down(value) - LATENCY_BIN_BITS;
    return shift * LATENCY_BINS_PER_OCTAVE + (unsigned)(value >> shift);
}

static inline void latency_histogram_add(struct latency_histogram *histogram, uint64_t value)
{
    if (value != histogram->last) {
        if (histogram->count == 0 || value < histogram->lowest)
            histogram->lowest = value;
        if (value > histogram->highest)
            histogram->highest = value;
        histogram->last = value;
        histogram->last_bin = latency_histogram_bin(value);
    }
    histogram->count++;
    histogram->sum += value;
    histogram->bins[histogram->last_bin]++;
}

/* Coarse bins for latencies, small enough for a sample: eight an octave from 2^8 to 2^32 ps. The first bin also has all
 * that is below, the last all that is above. For exact percentiles see memsys/sim/latency_histogram.h. */

enum { LATENCY_BIN_FIRST_OCTAVE = 8, LATENCY_BIN_LAST_OCTAVE = 32, LATENCY_BINS_AN_OCTAVE = 8,
       LATENCY_BIN_COUNT = (LATENCY_BIN_LAST_OCTAVE - LATENCY_BIN_FIRST_OCTAVE) * LATENCY_BINS_AN_OCTAVE };

/* Lowest value of a bin: 0 of the first. */
static inline uint64_t latency_bin_floor(uint32_t bin)
{
    uint32_t const octave = LATENCY_BIN_FIRST_OCTAVE + bin / LATENCY_BINS_AN_OCTAVE;
    uint64_t const part = bin % LATENCY_BINS_AN_OCTAVE;

    return bin == 0 ? 0 : (LATENCY_BINS_AN_OCTAVE + part) << octave >> 3;
}

static inline uint32_t latency_bin(uint64_t latency_ps)
{
    uint32_t octave;

    if (latency_ps < UINT64_C(1) << LATENCY_BIN_FIRST_OCTAVE)
        return 0;
    octave = log2_down(latency_ps);
    if (octave >= LATENCY_BIN_LAST_OCTAVE)
        return LATENCY_BIN_COUNT - 1;
    return (octave - LATENCY_BIN_FIRST_OCTAVE) * LATENCY_BINS_AN_OCTAVE
           + (uint32_t)(latency_ps >> (octave - 3)) % LATENCY_BINS_AN_OCTAVE;
}

/* Latencies in the registry of statistics: "<name>::samples", "::mean", "::p50", "::p95", "::p99", in ticks. While
 * `samples` is 0, only it is printed. Rubato's own: the reference has no such statistic.
 *
 * Use and ownership: as stats_add; the histogram must outlive the registry, names and help are borrowed. */

void latency_stats_add(struct stats *stats, const char *name, const struct latency_histogram *latencies,
                       const char *help);
/* Of all of them together. */
void latency_stats_add_all(struct stats *stats, const char *name, const struct latency_histograms *all,
                           const char *help);

#endif
