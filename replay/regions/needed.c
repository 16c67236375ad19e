#include "replay/regions/needed.h"

#include <math.h>
#include <stdlib.h>

#include "base/arith.h"

#define SAFETY 1.1                       /* times as many regions as suffice on average */
enum { POOLED = 2, LEAST = 2, STEPS = 60 };

struct stratum {
    double weight, mean, squares;        /* share of the program; time an instruction; squares of its differences */
    double freedom, deviation;
    uint64_t intervals;
};

struct wish { double half, confidence; };

static void take_means(const struct estimate *pilot, struct stratum *strata)
{
    const struct region_set *const set = pilot->set;

    for (size_t i = 0; i < set->count; i++) {
        struct stratum *const stratum = &strata[set->regions[i].stratum];
        double const time = estimate_region_time(pilot, i), count = ++stratum->freedom, off = time - stratum->mean;

        stratum->weight += set->regions[i].weight;
        stratum->mean += off / count;
        stratum->squares += off * (time - stratum->mean);
    }
    for (size_t i = 0; i < set->stratum_count; i++) {
        strata[i].intervals = set->strata[i].intervals;
        strata[i].freedom -= strata[i].freedom > 0;
    }
}

static void take_deviations(struct stratum *strata, size_t count)
{
    double squares = 0, freedom = 0;

    for (size_t i = 0; i < count; i++) {
        squares += strata[i].squares;
        freedom += strata[i].freedom;
    }
    for (size_t i = 0; i < count; i++)
        strata[i].deviation = strata[i].intervals <= 1 || freedom <= 0 ? 0
            : sqrt((strata[i].squares + POOLED * squares / freedom) / (strata[i].freedom + POOLED));
}

/* Regions of each stratum if `wanted` were shared by size and deviation. Returns half of the interval expected. */
static double share(const struct stratum *strata, size_t count, double wanted, double confidence, uint64_t *regions)
{
    double sum = 0, variance = 0, freedom = 0;

    for (size_t i = 0; i < count; i++)
        sum += strata[i].weight * strata[i].deviation;
    for (size_t i = 0; i < count; i++) {
        const struct stratum *const stratum = &strata[i];
        double const part = sum > 0 ? ceil(wanted * stratum->weight * stratum->deviation / sum) : 0;
        double const of = (double)stratum->intervals, spread = stratum->weight * stratum->deviation;

        regions[i] = part >= of ? stratum->intervals : min_u64(max_u64((uint64_t)part, LEAST), stratum->intervals);
        variance += spread * spread / (double)regions[i] * (1 - (double)regions[i] / of);
        freedom += (double)(regions[i] - 1);
    }
    return variance > 0 ? estimate_t(confidence, fmax(freedom, 1)) * sqrt(variance) : 0;
}

static void search(const struct stratum *strata, size_t count, const struct wish *wish, uint64_t *regions)
{
    double low = 0, high = 1;

    for (unsigned i = 0; i < STEPS && share(strata, count, high, wish->confidence, regions) > wish->half; i++) {
        low = high;
        high *= 2;
    }
    for (unsigned i = 0; i < STEPS && high - low > 0.5; i++) {
        double const middle = (low + high) / 2;

        if (share(strata, count, middle, wish->confidence, regions) > wish->half)
            low = middle;
        else
            high = middle;
    }
    share(strata, count, SAFETY * high, wish->confidence, regions);
}

struct fault regions_needed(const struct estimate *pilot, double error, double confidence, uint64_t *regions)
{
    size_t const count = pilot->set->stratum_count;
    struct stratum *const strata = calloc(count + 1, sizeof *strata);
    struct wish wish = {.confidence = confidence};

    if (!strata)
        return fault_make(FAULT_MEMORY, "out of memory for the strata of regions");
    if (!pilot->has_intervals) {
        free(strata);
        return fault_make(FAULT_INPUT, "the pilot has one region of a phase, which says nothing of its error; give a "
                          "shorter --interval");
    }
    take_means(pilot, strata);
    take_deviations(strata, count);
    for (size_t i = 0; i < count; i++)
        wish.half += error * strata[i].weight * strata[i].mean;
    search(strata, count, &wish, regions);
    free(strata);
    return fault_none();
}
