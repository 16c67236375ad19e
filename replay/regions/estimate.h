/* What the regions of a program say of all of it: each metric, and how far it may be off.
 *
 * Use: estimate_begin with a set; estimate_add for each statistic of each region's run, in any order of regions;
 * estimate_make; estimate_visit; estimate_free, also after a fault.
 * Statistics that count are weighted sums, scaled to the instructions of the program; averages over time are weighted
 * by time; those that do neither (percentiles) are left out. Metrics are made of these sums, so a metric that is a
 * ratio is the ratio of two estimates, as it would be of the whole run.
 * The interval of confidence is that of a stratified sample: the variance is found by leaving out each region in turn
 * (jackknife), and Student's t has as many degrees of freedom as regions above one a stratum. A stratum of which one
 * region stands for several intervals says nothing of its spread: then no metric has an interval (SimPoint's never
 * do). Sources: Cochran, "Sampling Techniques", 5 and 6; Wolter, "Introduction to Variance Estimation", 4.5.
 * Regions without statistics were not taken: the sample is of the others, of each stratum some, at random.
 * Ownership: borrows the set; names are copied. */
#ifndef REPLAY_REGIONS_ESTIMATE_H
#define REPLAY_REGIONS_ESTIMATE_H

#include "replay/metrics/metrics.h"
#include "replay/regions/region_set.h"

struct estimated {
    char *name;                          /* of the metric, as metrics_visit has it */
    const struct metric *metric;
    double value, half;                  /* value - half to value + half; NAN: not known */
    const double *moves;                 /* by how much it changes without each region; NULL without intervals */
};

struct estimate {
    const struct region_set *set;
    char **names;                        /* of statistics */
    size_t count, room;
    double **values;                     /* of each region, by statistic; NAN: it has none */
    size_t *value_rooms;
    size_t next;                         /* statistic that is expected next */
    struct estimated *metrics;
    size_t metric_count, metric_room;
    double *moves;                       /* of each metric, by region; 0: region not taken */
    bool has_intervals;
};

struct fault estimate_begin(struct estimate *estimate, const struct region_set *set);
struct fault estimate_add(struct estimate *estimate, size_t region, const char *name, double value);
/* confidence: above 0, below 1. */
struct fault estimate_make(struct estimate *estimate, double confidence);
/* After estimate_make: the statistics of the whole program that the metrics are made of. */
struct fault estimate_visit(const struct estimate *estimate,
                            void (*visit)(void *context, const char *name, double value), void *context);
/* The statistics of the regions that were run, to go on with later: into a file, and out of it after estimate_begin. */
bool estimate_save(const struct estimate *estimate, FILE *file);
struct fault estimate_load(struct estimate *estimate, FILE *file);
void estimate_free(struct estimate *estimate);

/* Was that region run? */
bool estimate_has(const struct estimate *estimate, size_t region);
/* Is a statistic of that name an average over time, not a count? */
bool estimate_is_average(const char *name);
/* Ticks an instruction of a region that was run. */
double estimate_region_time(const struct estimate *estimate, size_t region);
/* The metric of that name; NULL: the runs have none such. */
const struct estimated *estimate_metric(const struct estimate *estimate, const char *name);

/* Student's t: the value that is exceeded in either direction with a probability of 1 - confidence. freedom: degrees,
 * at least 1. Within 1e-6 of the exact value. */
double estimate_t(double confidence, double freedom);

#endif
