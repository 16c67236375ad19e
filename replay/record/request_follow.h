/* Follows requests of cores through the memory system, by the lines of the event log (docs/event-log.md), and keeps
 * some of each stretch of time: the slowest, and others drawn among all.
 *
 * Use: request_follow_open before the run; request_follow_sink as the log of the system, which hands each line on to
 * the previous log; request_follow_flush at the end of each stretch, which hands on the kept requests, by the time of
 * their answers; request_follow_free.
 * The run is the same as with a log: same ticks, same statistics. A run without it pays nothing. The draw is the same
 * for the same run.
 * Followed are loads and stores of cores; not fetches, prefetches, page walks, and requests of a GPU. Two requests of
 * one core to one address at the same time are distinguished by their order.
 * Units: picoseconds. Ownership: the layout is borrowed; the struct must not move while the sink is in use. */
#ifndef REPLAY_RECORD_REQUEST_FOLLOW_H
#define REPLAY_RECORD_REQUEST_FOLLOW_H

#include "base/fault.h"
#include "memsys/dram/command.h"
#include "memsys/sim/sim.h"
#include "memsys/telemetry/telemetry.h"
#include "memsys/telemetry/telemetry_requests.h"
#include "replay/record/recording.h"

/* Of each stretch of time. */
enum { REQUEST_FOLLOW_SLOWEST = 8, REQUEST_FOLLOW_DRAWN = 8 };

struct request_follow_state;

struct request_follow {
    struct request_follow_state *state;  /* NULL: nothing is followed */
};

/* `log`: the next receiver of the lines; log.line NULL: none. FAULT_MEMORY. */
struct fault request_follow_open(struct request_follow *follow, const struct telemetry *layout, uint32_t line_bytes,
                                 struct log_sink log);
struct log_sink request_follow_sink(const struct request_follow *follow);
void request_follow_flush(struct request_follow *follow,
                          void (*put)(void *context, const struct telemetry_request *request), void *context);
void request_follow_free(struct request_follow *follow);

/* The DRAM commands of a window of simulated time, for a recording: of all channels of a layout of samples.
 *
 * Commands that begin in the window are handed on as they are, with the place of their rank in the layout. Of power
 * states, those in which a rank sleeps are handed on when they end, cut at the ends of the window; so those of one rank
 * come in order, but after commands that began later.
 *
 * Use: command_window_open before the run; command_window_close at its end, which hands on the commands still open.
 * Observation does not change the run.
 * Units: picoseconds. Ownership: the window must not move and, like the layout, must outlive the run. */

struct command_window_rank {
    const struct dram_rank *rank;
    uint32_t component;
    uint32_t power;                      /* enum dram_power_state ... */
    uint64_t since_ps;                   /* ... since then */
};

struct command_window {
    uint64_t from_ps, to_ps;             /* to_ps: the first tick behind it */
    struct dram_command_sink sink;
    struct command_window_rank *ranks;
    size_t rank_count, last;             /* last: the rank of the previous command, often of the next one too */
    void (*put)(void *context, const struct recorded_command *command);
    void *context;
};

/* `layout`: of telemetry_system_make or telemetry_gpu_make. FAULT_MEMORY; command_window_free is due in any case. */
struct fault command_window_open(struct command_window *window, const struct telemetry *layout, uint64_t from_ps,
                                 uint64_t to_ps, void (*put)(void *context, const struct recorded_command *command),
                                 void *context);
/* The run is over at now_ps. */
void command_window_close(struct command_window *window, uint64_t now_ps);
void command_window_free(struct command_window *window);

#endif
