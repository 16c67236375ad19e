/* Follows requests of cores through the memory system, by what the event log says (docs/event-log.md), and keeps some
 * of each stretch of time: the slowest, and others drawn among all.
 *
 * Use: request_follow_open before the run; what request_follow_sink answers is the log of the system, which hands each
 * line on to the log that was there; request_follow_flush at the end of each stretch, which hands on what was kept, by
 * the time of the answers; request_follow_free.
 * The run is the same as with a log: same ticks, same statistics. Who does not follow pays nothing. What is drawn is
 * the same for the same run.
 * Followed are loads and stores of cores; not fetches, prefetches, page walks, and what a GPU does. Two requests of one
 * core to one address at the same time are told apart by their order.
 * Units: picoseconds. Ownership: the layout is borrowed; the struct must not move while the sink is in use. */
#ifndef REPLAY_RECORD_REQUEST_FOLLOW_H
#define REPLAY_RECORD_REQUEST_FOLLOW_H

#include "base/fault.h"
#include "memsys/sim/sim.h"
#include "memsys/telemetry/requests.h"

/* Of each stretch of time. */
enum { REQUEST_FOLLOW_SLOWEST = 8, REQUEST_FOLLOW_DRAWN = 8 };

struct request_follow_state;

struct request_follow {
    struct request_follow_state *state;  /* NULL: nothing is followed */
};

/* `log`: where lines go on; line NULL: nowhere. FAULT_MEMORY. */
struct fault request_follow_open(struct request_follow *follow, const struct telemetry *layout, uint32_t line_bytes,
                                 struct log_sink log);
struct log_sink request_follow_sink(const struct request_follow *follow);
void request_follow_flush(struct request_follow *follow,
                          void (*put)(void *context, const struct telemetry_request *request), void *context);
void request_follow_free(struct request_follow *follow);

#endif
