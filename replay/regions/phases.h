/* Phases of a program: its intervals in groups with near vectors.
 *
 * Use: phases_find; phases_free. Each interval has one phase; phases are numbered by their first intervals. Method:
 * k-means from several seeds for each number of phases that is tried, and of these the smallest number whose Bayesian
 * information criterion reaches 90 % of the way from the worst to the best. Of more than 20,000 intervals this is done
 * with a sample of 20,000, and each interval then goes to the phase with the nearest mean.
 * Source: Hamerly et al., "SimPoint 3.0", JILP 7, 2005, 2 and 3: 5 seeds, 100 rounds, the 90 %, the search by
 * halves, and the sample of many intervals; Pelleg and Moore, "X-means", ICML 2000, 3.2, for the criterion.
 * Deterministic: the same vectors give the same phases on any host. */
#ifndef REPLAY_REGIONS_PHASES_H
#define REPLAY_REGIONS_PHASES_H

#include "replay/regions/block_vectors.h"

enum { PHASES_MOST = 1000 };

struct phases {
    uint32_t *of;                        /* each interval's */
    uint32_t count;
    size_t *centre;                      /* of each phase, the interval nearest to its mean */
    uint64_t *instructions, *intervals;  /* of each phase */
};

/* most: phases at most, 1 to PHASES_MOST; there are no more than intervals. */
struct fault phases_find(struct phases *phases, const struct block_vectors *vectors, uint32_t most);
void phases_free(struct phases *phases);

#endif
