/* A trace of the regions alone, with their warm-ups.
 *
 * Use: cut_trace, when regions are chosen: writes `path`, an .rbt, and makes the set one of that trace. A little behind
 * each region is written, too, which a core fetches while it executes the region's last instructions.
 * Errors: those of the trace, and of the file. */
#ifndef CLI_REGIONS_CUT_TRACE_H
#define CLI_REGIONS_CUT_TRACE_H

#include "replay/regions/region_set.h"

/* *firsts: of each region, its place in the whole trace; to be freed, also after a fault. */
struct fault cut_trace(struct region_set *set, const char *trace, const char *format, const char *path,
                       uint64_t **firsts);

#endif
