/* A sample: what the statistics of a point or a run say of the regions that they are an estimate from
 * (replay/regions/), so that two of them can be compared region by region without running them again.
 *
 * In a statistics object, behind the statistics: NAME.ci, the half width of each metric's interval; regions.count and
 * regions.of, regions that were run and that the file has; regions.confidence in percent; regions.dominated, 1 where a
 * sweep ran no further regions because of a better point, else 0; and one member "regions" that is an object:
 *     set         hash of the set (region_set_hash)
 *     intervals   of each stratum
 *     numbers     of the regions that were run, in rising order, from 0
 *     strata      of each of these
 *     moves       of each metric: by how much it changes without each of these; four digits
 *     dominated   the better point and by how much, in words; only where there is one
 *
 * Use: sample_write into an object that is open; sample_read, sample_difference, sample_free.
 * Ownership: a sample borrows the JSON that it was read from. Errors: a damaged "regions" counts as none. */
#ifndef SWEEP_RESULTS_SAMPLE_H
#define SWEEP_RESULTS_SAMPLE_H

#include <jansson.h>
#include <stdio.h>

#include "replay/regions/estimate.h"
#include "replay/regions/pairs.h"

#define SAMPLE_INTERVAL ".ci"            /* behind a metric's name */

struct sample {
    const json_t *statistics, *moves;
    const char *set, *dominated;         /* dominated NULL: it is not */
    uint32_t *numbers, *strata;          /* of regions that were run */
    uint64_t *intervals;                 /* of strata */
    size_t count, of, stratum_count;
    double confidence;                   /* in percent */
};

/* Each member begins with a comma; the object's end is to follow as "\n}\n". */
void sample_write(FILE *object, const struct estimate *estimate, double confidence_percent);

/* The same statistics of a point that a better one stopped, as a text of its own. NULL: out of memory. */
char *sample_mark_dominated(const char *statistics, const char *dominated);

/* statistics: as an object. NULL: they are not of a sample, or there is no memory. */
struct sample *sample_read(const json_t *statistics);
void sample_free(struct sample *sample);

/* Half the width of a metric's interval. Of what is no sample (NULL), 0; NAN: it has none. */
double sample_half(const struct sample *sample, const char *metric);

/* Of a metric with these values, b - a. Samples of one set are paired; others, or one that is no sample (NULL), are
 * independent. Both NULL: exact. */
struct pairs_difference sample_difference(const struct sample *a, const struct sample *b, const char *metric,
                                          double value_a, double value_b);

#endif
