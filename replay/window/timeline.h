/* When the records of a trace executed in its capture (elastic-truth 3.1): begin with their parents' ends, plus their
 * delay. Loads end as the capture's L1D would have it, which is modelled by tags alone.
 *
 * Use: timeline_hits for each access, in file order. */
#ifndef REPLAY_WINDOW_TIMELINE_H
#define REPLAY_WINDOW_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/window/rules.h"


enum { TIMELINE_LINE_BYTES = 64 };

/* Was the line there? It is now. `sets`: line number + 1, the one used last first. */
static inline bool timeline_hits(uint64_t (*sets)[2], uint64_t count, uint64_t address)
{
    uint64_t const line = address / TIMELINE_LINE_BYTES + 1;
    uint64_t *const ways = sets[line % count];
    bool const is_first = ways[0] == line, is_second = ways[1] == line;

    if (!is_first) {
        ways[1] = ways[0];
        ways[0] = line;
    }
    return is_first || is_second;
}

#endif
