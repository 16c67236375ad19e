/* Latencies in the registry of statistics: "<name>::samples", "::mean", "::p50", "::p95", "::p99", in ticks. All but
 * the samples are left out while there are none. Ours: the reference has no such statistic.
 *
 * Use and ownership: as stats_add; what is shown must outlive the registry, names and help are borrowed. */
#ifndef MEMSYS_SIM_LATENCY_STATS_H
#define MEMSYS_SIM_LATENCY_STATS_H

#include "memsys/sim/latency_histogram.h"
#include "memsys/sim/stats.h"

void latency_stats_add(struct stats *stats, const char *name, const struct latency_histogram *latencies,
                       const char *help);
/* Of all of them together. */
void latency_stats_add_all(struct stats *stats, const char *name, const struct latency_histograms *all,
                           const char *help);

#endif
