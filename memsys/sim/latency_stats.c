#include "memsys/sim/latency_stats.h"

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

static void add(struct stats *stats, const char *name, const void *source, stat_formula *formula, const char *help)
{
    stats_add(stats, &(struct stat_entry){.name = name, .unit = "Tick", .source = source, .formula = formula,
                                          .columns = LATENCY_FIGURES, .column_names = names,
                                          .flags = STAT_OURS | STAT_NO_NAN, .help = help});
}

void latency_stats_add(struct stats *stats, const char *name, const struct latency_histogram *latencies,
                       const char *help)
{
    add(stats, name, latencies, figure_of_one, help);
}

void latency_stats_add_all(struct stats *stats, const char *name, const struct latency_histograms *all,
                           const char *help)
{
    add(stats, name, all, figure_of_all, help);
}
