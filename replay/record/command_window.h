/* The DRAM commands of a window of simulated time, for a recording: of all channels of a layout of samples.
 *
 * Commands that begin in the window are handed on as they are, with the place of their rank in the layout. Of power
 * states, those in which a rank sleeps are handed on when they end, cut at the ends of the window; so those of one rank
 * come in order, but after commands that began later.
 *
 * Use: command_window_open before the run; command_window_close at its end, which hands on what is still open. A run
 * that is watched so does what it does without.
 * Units: picoseconds. Ownership: the window must not move and, like the layout, must outlive the run. */
#ifndef REPLAY_RECORD_COMMAND_WINDOW_H
#define REPLAY_RECORD_COMMAND_WINDOW_H

#include "memsys/dram/command.h"
#include "memsys/telemetry/telemetry.h"
#include "replay/record/recording.h"

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
    size_t rank_count, last;             /* last: who had the command before, and often has the next */
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
