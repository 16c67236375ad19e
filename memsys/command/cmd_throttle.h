/* Limits of reads in flight, by their source: what BlockHammer asks of the caches above a memory (command-dram 5.7),
 * done in front of its queues. Reads of a source beyond its limit wait here in the order of their arrival, and
 * hold up no others; they keep the MSHRs that they have above.
 *
 * Use: cmd_throttle_init; cmd_throttle_limit when a share changes. For each read that arrives: cmd_throttle_holds? then
 * cmd_throttle_put, else cmd_throttle_begin; cmd_throttle_end when it is answered or was refused. While is_due is set,
 * cmd_throttle_next gives those that may go, oldest first. A source may have one read in flight at least, so that none
 * waits for ever; BlockHammer delays the rows. Ownership: cmd_throttle_free. Without init there are no limits. */
#ifndef MEMSYS_COMMAND_CMD_THROTTLE_H
#define MEMSYS_COMMAND_CMD_THROTTLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

struct cmd_throttled_read {
    uint64_t first, end;                 /* bytes */
    uint32_t source, read;               /* read: the owner's number of it */
};

struct cmd_throttle {
    struct cmd_throttle_source { uint32_t in_flight, most; } *sources;    /* NULL: no limits */
    struct cmd_throttled_read *waiting;
    size_t count, room;
    uint32_t queue;                      /* reads that a share of 1 stands for */
    bool is_due;                         /* one that waits may go */
};

struct fault cmd_throttle_init(struct cmd_throttle *throttle, uint32_t sources, uint32_t queue);
void cmd_throttle_free(struct cmd_throttle *throttle);

/* From now on the source may have that share of the queue; from 1 on: any number. */
void cmd_throttle_limit(struct cmd_throttle *throttle, uint32_t source, float share);

/* Must a read of the source wait? */
static inline bool cmd_throttle_holds(const struct cmd_throttle *throttle, uint32_t source)
{
    return throttle->sources && throttle->sources[source].in_flight >= throttle->sources[source].most;
}

static inline void cmd_throttle_begin(struct cmd_throttle *throttle, uint32_t source)
{
    if (throttle->sources)
        throttle->sources[source].in_flight++;
}

static inline void cmd_throttle_end(struct cmd_throttle *throttle, uint32_t source)
{
    if (throttle->sources) {
        throttle->sources[source].in_flight--;
        throttle->is_due = throttle->count > 0;
    }
}

/* False: out of memory. */
bool cmd_throttle_put(struct cmd_throttle *throttle, const struct cmd_throttled_read *read);
/* Takes the oldest read out whose source is below its limit, and begins it; false, and nothing is due, if there is
 * none. */
bool cmd_throttle_next(struct cmd_throttle *throttle, struct cmd_throttled_read *read);

#endif
