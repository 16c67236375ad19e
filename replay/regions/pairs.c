/* A region's share in a mean follows from what leaving it out does: of n regions, z = -(n - 1) times its move. */
#include "replay/regions/pairs.h"

#include <math.h>

#include "replay/regions/estimate.h"

/* Of one stratum. */
struct sums {
    size_t count[2], pairs;
    double mean[2], squares[2];          /* of each side's regions */
    double pair_mean[2], product;        /* of the pairs */
};

static size_t count_of(const struct pairs_side *side, uint32_t stratum)
{
    size_t count = 0;

    for (size_t i = 0; i < side->taken.count; i++)
        count += side->taken.strata[i] == stratum;
    return count;
}

static double share_of(const struct pairs_side *side, size_t i, size_t count)
{
    return -(double)(count - 1) * side->moves[i];
}

static void add_side(struct sums *sums, int k, const struct pairs_side *side, uint32_t stratum)
{
    double const count = (double)(sums->count[k] = count_of(side, stratum));

    for (size_t i = 0; i < side->taken.count; i++)
        if (side->taken.strata[i] == stratum)
            sums->mean[k] += share_of(side, i, sums->count[k]) / count;
    for (size_t i = 0; i < side->taken.count; i++)
        if (side->taken.strata[i] == stratum) {
            double const off = share_of(side, i, sums->count[k]) - sums->mean[k];

            sums->squares[k] += off * off;
        }
}

/* Calls `see` for each region that both have. */
static void visit_pairs(const struct pairs_side *a, const struct pairs_side *b, uint32_t stratum, struct sums *sums,
                        void (*see)(struct sums *sums, double in_a, double in_b))
{
    for (size_t i = 0, k = 0; i < a->taken.count && k < b->taken.count;) {
        if (a->taken.numbers[i] == b->taken.numbers[k]) {
            if (a->taken.strata[i] == stratum)
                see(sums, share_of(a, i, sums->count[0]), share_of(b, k, sums->count[1]));
            i++;
            k++;
        } else if (a->taken.numbers[i] < b->taken.numbers[k]) {
            i++;
        } else {
            k++;
        }
    }
}

static void add_to_means(struct sums *sums, double in_a, double in_b)
{
    sums->pairs++;
    sums->pair_mean[0] += in_a;
    sums->pair_mean[1] += in_b;
}

static void add_to_product(struct sums *sums, double in_a, double in_b)
{
    sums->product += (in_a - sums->pair_mean[0]) * (in_b - sums->pair_mean[1]);
}

/* The variance that a stratum adds. False: it has too few regions to tell. */
static bool add_stratum(const struct pairs_side *a, const struct pairs_side *b, uint32_t stratum, double of,
                        double *variance, double *freedom)
{
    struct sums sums = {0};
    double covariance, parts[2];

    add_side(&sums, 0, a, stratum);
    add_side(&sums, 1, b, stratum);
    if ((double)sums.count[0] >= of && (double)sums.count[1] >= of)
        return true;                     /* all of it was run: no error */
    visit_pairs(a, b, stratum, &sums, add_to_means);
    if (sums.pairs < 2)
        return false;
    sums.pair_mean[0] /= (double)sums.pairs;
    sums.pair_mean[1] /= (double)sums.pairs;
    visit_pairs(a, b, stratum, &sums, add_to_product);
    covariance = sums.product / (double)(sums.pairs - 1);
    for (int k = 0; k < 2; k++)
        parts[k] = sums.squares[k] / (double)(sums.count[k] - 1) * (1 / (double)sums.count[k] - 1 / of);
    *variance += parts[0] + parts[1]
                 - 2 * covariance * ((double)sums.pairs / ((double)sums.count[0] * (double)sums.count[1]) - 1 / of);
    *freedom += (double)(sums.pairs - 1);
    return true;
}

struct pairs_difference pairs_difference(const struct pairs_side *a, const struct pairs_side *b,
                                         const uint64_t *intervals, size_t strata, double confidence)
{
    struct pairs_difference difference = {b->value - a->value, 0};
    double variance = 0, freedom = 0;

    for (size_t i = 0; i < strata; i++)
        if (!add_stratum(a, b, (uint32_t)i, (double)intervals[i], &variance, &freedom)) {
            difference.half = (double)NAN;
            return difference;
        }
    if (variance > 0 && freedom > 0)
        difference.half = estimate_t(confidence, freedom) * sqrt(variance);
    return difference;
}
