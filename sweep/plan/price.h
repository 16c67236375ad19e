/* The cost of a point, by `cost:` of the sweep's file: a sum over keys of its system and metrics of its run.
 *
 *     cost: 0.9 * area_mm2 + 12 * memory.channels
 *     cost: {sram_mm2: 0.9, channel: 12, core: 4, l2.size: 0.02 per KiB}
 *
 * The second is the sum of each name times its number. sram_mm2 is the metric area_mm2, channel the channels of all
 * memories, core the cores. A cache that is not there counts 0; a metric without a value makes the cost missing.
 * Use: price_of; figures NULL: every metric counts 1, to check names and divisions before anything has run.
 * Faults: name file and line. Ownership: all is borrowed. */
#ifndef SWEEP_PLAN_PRICE_H
#define SWEEP_PLAN_PRICE_H

#include "replay/metrics/metrics.h"
#include "sweep/plan/spec.h"

struct fault price_of(const struct condition *const *amounts, size_t count, const struct system_config *config,
                      const struct figures *figures, double *price);

/* The same of a finished system as text, and of one sum. NAN: it has no value. */
double price_of_point(const struct condition *amount, const char *system, const char *name,
                      const struct figures *figures);

/* A name's price as a term of that sum: "0.9", "0.02 per KiB". False: it is neither. */
bool price_term(const char *name, const char *price, char *text, size_t size);

#endif
