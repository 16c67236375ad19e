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

enum latency_figure { LATENCY_SAMPLES, LATENCY_MEAN, LATENCY_P50, LATENCY_P95, LATENCY_P99, LATENCY_FIGURES };

static const char *const names[LATENCY_FIGURES] = {"samples", "mean", "p50", "p95", "p99"};

static double figure_of(const struct latency_histograms *all, enum latency_figure figure)
{
    if (figure != LATENCY_SAMPLES && latency_histograms_samples(all) == 0)
        return NAN;
    switch (figure) {
    case LATENCY_MEAN: return latency_histograms_mean(all);
    case LATENCY_P50: return (double)latency_histograms_percentile(all, 50);
    case LATENCY_P95: return (double)latency_histograms_percentile(all, 95);
    case LATENCY_P99: return (double)latency_histograms_percentile(all, 99);
    case LATENCY_SAMPLES: case LATENCY_FIGURES: break;
    }
    return (double)latency_histograms_samples(all);
}

static double figure_of_one(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct latency_histogram *const latencies = context;

    (void)argument;
    (void)time;
    return figure_of(&(struct latency_histograms){&latencies, 1}, (enum latency_figure)column);
}

static double figure_of_all(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    (void)argument;
    (void)time;
    return figure_of(context, (enum latency_figure)column);
}

static void latency_stats_add_part(struct stats *stats, const char *name, const void *source, stat_formula *formula,
                                   const char *help)
{
    stats_add(stats, &(struct stat_entry){.name = name, .unit = "Tick", .source = source, .formula = formula,
                                          .columns = LATENCY_FIGURES, .column_names = names,
                                          .flags = STAT_OURS | STAT_NO_NAN, .help = help});
}

void latency_stats_add(struct stats *stats, const char *name, const struct latency_histogram *latencies,
                       const char *help)
{
    latency_stats_add_part(stats, name, latencies, figure_of_one, help);
}

void latency_stats_add_all(struct stats *stats, const char *name, const struct latency_histograms *all,
                           const char *help)
{
    latency_stats_add_part(stats, name, all, figure_of_all, help);
}
