/* One replay from beginning to end, for commands that want its statistics and no more.
 *
 * Use: fill the request, replay_once, look at stats and host_s, stats_table_free. One folder of traces, or store, for
 * all cores. Stores are kept and found as in `rubato replay`.
 * Errors: FAULT_INPUT, FAULT_STALL, FAULT_MEMORY; then there is nothing to free. */
#ifndef CLI_REPLAY_ONCE_H
#define CLI_REPLAY_ONCE_H

#include <stdbool.h>

#include "memsys/fault.h"
#include "sweep/stats_table.h"

struct replay_once {
    const char *system, *traces;
    const char *cache;               /* folder of stores; NULL: the usual one */
    bool has_no_cache;
    /* the answer */
    struct stats_table stats;
    double host_s;                   /* of the replay, without packing the traces */
};

struct fault replay_once(struct replay_once *once);

/* Is there a folder with traces, or a store? */
bool replay_once_has_traces(const char *path);

#endif
