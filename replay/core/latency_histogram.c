/* Percentiles of the log-linear histogram. A bin number is `shift * 128 + (value >> shift)`, where shift leaves eight
 * significant bits of the value. */
#include "replay/core/latency_histogram.h"

void latency_histogram_reset(struct latency_histogram *histogram)
{
    *histogram = (struct latency_histogram){0};
}

static uint64_t bin_middle(unsigned bin)
{
    unsigned const shift = bin < 2 * LATENCY_BINS_PER_OCTAVE ? 0 : bin / LATENCY_BINS_PER_OCTAVE - 1;
    uint64_t const low = (uint64_t)(bin - shift * LATENCY_BINS_PER_OCTAVE) << shift;

    return low + ((UINT64_C(1) << shift) >> 1);
}

uint64_t latency_histogram_percentile(const struct latency_histogram *histogram, double percent)
{
    double const exact_rank = (double)histogram->count * percent / 100.0;
    uint64_t rank = (uint64_t)exact_rank;
    uint64_t seen = 0;
    unsigned bin = 0;
    uint64_t value;

    if (histogram->count == 0)
        return 0;
    if ((double)rank < exact_rank || rank == 0)
        rank++;
    while (bin < LATENCY_BINS - 1 && (seen += histogram->bins[bin]) < rank)
        bin++;
    value = bin_middle(bin);
    if (value < histogram->lowest)
        return histogram->lowest;
    return value > histogram->highest ? histogram->highest : value;
}

double latency_histogram_mean(const struct latency_histogram *histogram)
{
    return histogram->count ? (double)histogram->sum / (double)histogram->count : 0.0;
}
