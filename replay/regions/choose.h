/* Which regions of a program stand for it.
 *
 * Use: choose_regions with the program's intervals; the set is one that region_set_begin made. Regions are whole
 * intervals. SimPoint: one a phase. Systematic: `regions` at even distances, the first half a distance from the
 * beginning. Stratified: `regions` over all phases, in proportion to the instructions of each, two at least where a
 * phase has two, at random within it.
 * Sources: SimPoint as in phases.h; Wunderlich et al., "SMARTS", ISCA 2003, 3, for systematic sampling; Cochran,
 * "Sampling Techniques", 5.
 * Deterministic. Errors: FAULT_INPUT where the trace has too few intervals. */
#ifndef REPLAY_REGIONS_CHOOSE_H
#define REPLAY_REGIONS_CHOOSE_H

#include "replay/regions/phases.h"
#include "replay/regions/region_set.h"

struct choice {
    enum region_method method;
    uint64_t interval;                   /* instructions; 0: all intervals are whole */
    uint64_t warmup;                     /* likewise; a region near the beginning has what there is before it */
    uint32_t most_phases;
    uint64_t regions;                    /* of systematic and stratified ones */
    const uint64_t *of_stratum;          /* in place of `regions`: of each stratum (needed.h); NULL: by size */
    uint64_t seed;
};

/* Adds the interval `at` as a region that is a stratum of its own. */
struct fault choose_add(struct region_set *set, const struct block_vectors *vectors, size_t at, double weight,
                        uint64_t warmup);
/* The same for intervals whose phases are known: simpoint or stratified; set: its method and instructions are there. */
struct fault choose_of_phases(struct region_set *set, const struct block_vectors *vectors,
                              const struct phases *phases, const struct choice *choice);
struct fault choose_regions(struct region_set *set, const struct block_vectors *vectors, const struct choice *choice);

#endif
