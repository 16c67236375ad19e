/* How many regions an error asks for: SMARTS' rule, and of strata Neyman's shares.
 *
 * Use: regions_needed with the estimate of a pilot, a sample with two regions at least of each stratum that was run on
 * one system; the answer is the number of regions for each stratum, which choose.h takes.
 * The number is the smallest whose expected interval of time an instruction, with Student's t for its degrees of
 * freedom, is as narrow as is wanted. Strata get regions in proportion to size times standard deviation, two at least.
 * A standard deviation of two or three regions is itself uncertain, so each variance is weighted with the pooled one
 * of all strata as if that came from POOLED degrees of freedom; and a tenth more regions are taken than suffice on
 * average.
 * Sources: Wunderlich et al., "SMARTS", ISCA 2003, 3; Cochran, "Sampling Techniques", 5.5 and 5.9. */
#ifndef REPLAY_REGIONS_NEEDED_H
#define REPLAY_REGIONS_NEEDED_H

#include "replay/regions/estimate.h"

/* error: half of the interval over the mean, above 0; confidence: above 0, below 1; regions: of each stratum of the
 * pilot's set, no more than it has intervals. FAULT_INPUT: the pilot says nothing of its error. */
struct fault regions_needed(const struct estimate *pilot, double error, double confidence, uint64_t *regions);

#endif
