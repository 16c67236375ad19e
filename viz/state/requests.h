/* The requests of a run that were followed (memsys/telemetry/requests.h), as far as a view keeps them.
 *
 * Memory is bounded: when it is full, of each two neighbours the slower one stays, so that peaks keep theirs.
 * Use: zeroed; requests_put for each, by the time of the answer; requests_find; requests_free. Ownership: copies. */
#ifndef VIZ_STATE_REQUESTS_H
#define VIZ_STATE_REQUESTS_H

#include "memsys/telemetry/requests.h"

enum { REQUESTS_MOST = 1 << 15 };

struct request_list {
    struct telemetry_request *items;
    size_t count, room;
};

void requests_put(struct request_list *list, const struct telemetry_request *request);
/* Those answered after from_ps and until to_ps, of one core or, with TELEMETRY_NONE, of all: the slowest first, at most
 * `most`. The answer is how many. They stay until the next requests_put. */
size_t requests_find(const struct request_list *list, uint64_t from_ps, uint64_t to_ps, uint32_t core,
                     const struct telemetry_request **found, size_t most);
void requests_free(struct request_list *list);

#endif
