/* Two systems on the same regions: the difference of a metric, and how far it may be off.
 *
 * Regions that one system finds hard are mostly hard for the other, too, so the difference varies less from region to
 * region than either value, and few regions tell a small effect from none.
 *
 * Use: pairs_difference with what `struct estimate` says of a metric in each of two runs (`moves`). Runs may have taken
 * different regions of a set, at random out of the same strata: those that both have are the pairs, and the others add
 * to the precision of their run alone.
 * The variance is that of a difference of two means: of each stratum (1/n - 1/N) s^2 of either run, less twice their
 * covariance; with the same regions in both it is the jackknife of the difference. Student's t has a degree of freedom
 * for each pair above one a stratum. Sources: Ekman and Stenström, "Enhancing multiprocessor architecture simulation
 * speed using matched-pair comparison", ISPASS 2005; Cochran, "Sampling Techniques", 5 and 6.8. */
#ifndef REPLAY_REGIONS_PAIRS_H
#define REPLAY_REGIONS_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Regions that a run has taken, in rising order of their numbers. */
struct pairs_taken {
    size_t count;
    const uint32_t *numbers, *strata;    /* of each: in its set, and its stratum */
};

/* One run's metric. */
struct pairs_side {
    struct pairs_taken taken;
    const double *moves;                 /* by how much it changes without each region */
    double value;
};

struct pairs_difference {
    double value, half;                  /* b - a; half NAN: not known, as a stratum has fewer than two pairs */
};

/* intervals: of each stratum. confidence: above 0, below 1. */
struct pairs_difference pairs_difference(const struct pairs_side *a, const struct pairs_side *b,
                                         const uint64_t *intervals, size_t strata, double confidence);

/* Is b surely not a? False, too, if that is not known. */
static inline bool pairs_differ(struct pairs_difference difference)
{
    return difference.value > difference.half || -difference.value > difference.half;
}

#endif
