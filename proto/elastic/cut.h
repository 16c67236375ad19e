/* Cuts a range of records out of a pair of traces: the data records, and the fetches of the same time.
 *
 * The records carry no ticks; proto/elastic/capture_clock.h finds their times again.
 *
 * The cut begins at tick 0, which is the earliest execution in the range. Fetches from then to the latest execution
 * come along, shifted; so does the one before them, at tick 0, as its block is being executed. To the end of the file:
 * all fetches that follow. A cut that begins at record 0 keeps all ticks.
 *
 * Dependences on records before the cut are dropped, since they count as complete. A record that lost one keeps its
 * time: its comp_delay now counts from the last dependence that is left, or from the beginning of the cut if none is,
 * as the first records of a capture do (2.13). */
#ifndef PROTO_ELASTIC_CUT_H
#define PROTO_ELASTIC_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"

struct cut_request {
    const char *dep_in, *fetch_in, *dep_out, *fetch_out;
    uint64_t first, behind;          /* records [first, behind), counted from 0; UINT64_MAX: to the end */
    bool salvage;                    /* files that break off end there */
};

struct cut_result {
    uint64_t records, fetches;       /* written */
    uint64_t changed;                /* records that lost a dependence */
    uint64_t start_ticks, end_ticks; /* of the range, in the capture's time */
    uint64_t tick_freq;
    uint32_t window_size;
    bool dep_truncated, fetch_truncated;
};

/* On failure no output file remains. */
struct fault cut_traces(const struct cut_request *request, struct cut_result *result);

#endif
