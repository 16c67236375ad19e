/* Regions that SimPoint has chosen: its two files, of interval numbers and of weights.
 *
 * Use: simpoints_read with the program's intervals, made of as many instructions as SimPoint's were; the set is one
 * that region_set_begin made.
 * Format: a line a region, two fields with blanks between: in `.simpoints` the number of an interval, from 0, and its
 * cluster; in `.weights` the weight of a cluster, and the cluster, in any order of lines.
 * Source: SimPoint 3.2, README, "-saveSimpoints", "-saveSimpointWeights".
 * Errors: FAULT_INPUT with file, line, field: intervals that the trace has not, clusters without a weight or twice,
 * weights that do not add up to 1 within 0.1 % (SimPoint rounds them; they are scaled to 1). */
#ifndef REPLAY_REGIONS_SIMPOINTS_H
#define REPLAY_REGIONS_SIMPOINTS_H

#include "replay/regions/block_vectors.h"
#include "replay/regions/region_set.h"

struct simpoints_files { const char *points, *weights; };

struct fault simpoints_read(struct region_set *set, const struct block_vectors *vectors,
                            const struct simpoints_files *files, uint64_t interval, uint64_t warmup);

#endif
