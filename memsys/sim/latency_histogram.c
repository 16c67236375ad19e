/* Percentiles of the log-linear histogram. A bin number is `shift * 128 + (value >> shift)`, where shift leaves eight
 * significant bits of the value. */
#include "memsys/sim/latency_histogram.h"

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

uint64_t latency_histograms_samples(const struct latency_histograms *all)
{
    uint64_t samples = 0;

    for (size_t i = 0; i < all->count; i++)
        samples += all->list[i]->count;
    return samples;
}

static uint64_t samples_in(const struct latency_histograms *all, unsigned bin)
{
    uint64_t samples = 0;

    for (size_t i = 0; i < all->count; i++)
        samples += all->list[i]->bins[bin];
    return samples;
}

uint64_t latency_histograms_percentile(const struct latency_histograms *all, double percent)
{
    uint64_t const samples = latency_histograms_samples(all);
    double const exact_rank = (double)samples * percent / 100.0;
    uint64_t rank = (uint64_t)exact_rank, lowest = UINT64_MAX, highest = 0, seen, value;
    unsigned bin;

    if (samples == 0)
        return 0;
    if ((double)rank < exact_rank || rank == 0)
        rank++;
    for (size_t i = 0; i < all->count; i++) {
        if (all->list[i]->count == 0)
            continue;
        lowest = all->list[i]->lowest < lowest ? all->list[i]->lowest : lowest;
        highest = all->list[i]->highest > highest ? all->list[i]->highest : highest;
    }
    bin = latency_histogram_bin(lowest);
    for (seen = samples_in(all, bin); seen < rank && bin < LATENCY_BINS - 1;)
        seen += samples_in(all, ++bin);
    value = bin_middle(bin);
    if (value < lowest)
        return lowest;
    return value > highest ? highest : value;
}

double latency_histograms_mean(const struct latency_histograms *all)
{
    uint64_t const samples = latency_histograms_samples(all);
    double sum = 0;

    for (size_t i = 0; i < all->count; i++)
        sum += (double)all->list[i]->sum;
    return samples ? sum / (double)samples : 0.0;
}

uint64_t latency_histogram_percentile(const struct latency_histogram *histogram, double percent)
{
    return latency_histograms_percentile(&(struct latency_histograms){&histogram, 1}, percent);
}

double latency_histogram_mean(const struct latency_histogram *histogram)
{
    return latency_histograms_mean(&(struct latency_histograms){&histogram, 1});
}
