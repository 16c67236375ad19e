/* A memory timestamp record that grows with a walk over a trace, and gives the state at places of it.
 *
 * Use: warm_record_new; its sink to a walk; warm_record_state at each place, ascending; warm_record_free. A record may
 * go on from a state of a file: warm_record_resume, and the walk begins there. What follows is the same in both cases.
 * Memory: some 10 MB, 64 bytes for each line used between two places and kept, 32 for each page. */
#ifndef REPLAY_WARM_WARM_RECORD_H
#define REPLAY_WARM_WARM_RECORD_H

#include "replay/warm/warm_state.h"

struct warm_record;

struct warm_record_limits {
    uint64_t lines;                      /* of `old`: those used last */
    uint64_t recent, branches;           /* of these lists; powers of two */
};

/* With a window that is no longer than what is kept before it. lines: at least 1. */
struct warm_record_limits warm_record_limits(uint64_t lines);

/* NULL: no memory. */
struct warm_record *warm_record_new(const struct warm_record_limits *limits);
void warm_record_free(struct warm_record *record);
struct warm_sink warm_record_sink(struct warm_record *record);
/* What happened since the state before, up to the walk's place. False: no memory. */
bool warm_record_state(struct warm_record *record, uint64_t place, struct warm_state *state);
/* A new record continues behind a state, which has all pages touched up to there. False: no memory. */
bool warm_record_resume(struct warm_record *record, const struct warm_state *state);

#endif
