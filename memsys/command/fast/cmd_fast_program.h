/* What a command with one bank does to ready times: its steps, one after the other. cmd_fast_program.c makes them. */
#ifndef MEMSYS_COMMAND_FAST_CMD_FAST_PROGRAM_H
#define MEMSYS_COMMAND_FAST_CMD_FAST_PROGRAM_H

#include "memsys/command/fast/cmd_fast_internal.h"

static inline void fast_raise(int64_t *ready, int64_t tick)
{
    *ready = tick > *ready ? tick : *ready;
}

static inline void fast_raise_siblings(struct cmd_device *device, const struct fast_sibling *step, uint32_t bank,
                                       int64_t tick)
{
    uint32_t const size = device->spec->size[step->level], node = bank / device->banks_below[step->level];
    uint32_t const first = device->first[step->level] + node / size * size;

    for (uint32_t i = 0; i < size; i++)
        if (i != node % size)
            fast_raise(&device->ready[step->following][first + i], tick + step->latency);
}

static FORCE_INLINE void fast_note(const struct fast_history *of, const uint32_t *path, int64_t tick)
{
    uint32_t const window = of->window;
    int64_t *const history = of->entries + (size_t)(path[of->place] - of->first) * window;

    for (uint32_t entry = window - 1; entry > 0; entry--)
        history[entry] = history[entry - 1];
    history[0] = tick;
}

static FORCE_INLINE void fast_run_program(struct cmd_channel *channel, const struct fast_program *program,
                                          uint32_t bank)
{
    struct cmd_device *const device = &channel->device;
    const uint32_t *const path = device->path[bank];
    const struct fast_step *const end = program->steps + program->step_count;
    int64_t const tick = channel->clk;

    for (const struct fast_step *step = program->steps; step < end; step++)
        fast_raise(&step->ready[path[step->place]], tick + step->latency);
    program->last[bank] = tick;
    if (!program->has_more)
        return;
    for (unsigned i = 0; i < program->history_count; i++)
        fast_note(&program->histories[i], path, tick);
    for (unsigned i = 0; i < program->window_count; i++) {
        const struct fast_window *const step = &program->windows[i];
        int64_t const since = step->history[(size_t)(path[step->place] - step->first) * step->entries];

        if (since >= 0)
            fast_raise(&step->ready[path[step->place]], since + step->latency);
    }
    for (unsigned i = 0; i < program->sibling_count; i++)
        fast_raise_siblings(device, &program->siblings[i], bank, tick);
}

#endif
