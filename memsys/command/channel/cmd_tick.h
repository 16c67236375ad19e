/* A tick, step by step (4.4), for an engine with its own choice; inline, so that the choice becomes a part of it. */
#ifndef MEMSYS_COMMAND_CHANNEL_CMD_TICK_H
#define MEMSYS_COMMAND_CHANNEL_CMD_TICK_H

#include "base/hints.h"
#include "memsys/command/channel/cmd_internal.h"

/* Ends the run: nothing has moved for too long. */
void cmd_fail_stalled(struct cmd_channel *channel);

/* Refreshes and defences can keep a channel busy for ever, so reads and writes have a limit of their own. */
static FORCE_INLINE bool cmd_has_stalled(const struct cmd_channel *channel)
{
    enum { BUSY_INTERVALS = 1000 };

    return channel->last_served != channel->clk && channel->in_flight
        && (channel->clk > channel->last_progress + channel->patience
            || channel->clk > channel->last_served + BUSY_INTERVALS * channel->patience);
}

/* Only the head is looked at (odd behaviour 5). */
static FORCE_INLINE void cmd_finish_reads(struct cmd_channel *channel)
{
    while (channel->pending && channel->pending->depart <= channel->clk) {
        struct cmd_request *const request = channel->pending;

        channel->pending = request->next;
        if (!channel->pending)
            channel->pending_end = &channel->pending;
        channel->stats.read_latency += (uint64_t)(request->depart - request->arrive);
        cmd_complete(channel, request);
    }
}

static FORCE_INLINE int64_t cmd_earlier(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

/* The next tick that must be run. */
static FORCE_INLINE int64_t cmd_tick_after(const struct cmd_channel *channel)
{
    int64_t next = channel->next_choice;

    next = channel->pending ? cmd_earlier(channel->pending->depart, next) : next;
    next = cmd_earlier(next, channel->next_refresh);
    next = cmd_earlier(next, cmd_earlier(channel->next_policy, channel->next_power));
    if (channel->in_flight)
        next = cmd_earlier(channel->last_progress + channel->patience + 1, next);
    return next > channel->clk ? next : channel->clk + 1;
}

static FORCE_INLINE void cmd_run_tick(struct cmd_channel *channel, int64_t (*choose)(struct cmd_channel *channel))
{
    channel->is_in_tick = true;
    cmd_finish_reads(channel);
    if (channel->next_refresh <= channel->clk)
        cmd_refresh_tick(channel);
    if (channel->next_policy <= channel->clk)
        cmd_row_policy_tick(channel);
    if (channel->next_power <= channel->clk)
        cmd_power_tick(channel);
    if (channel->next_choice <= channel->clk) {
        channel->is_in_tick = false;
        channel->next_choice = choose(channel);
    }
    channel->is_in_tick = false;
    if (unlikely(cmd_has_stalled(channel)))
        cmd_fail_stalled(channel);
}

/* Runs tick `next` and those behind it, up to `limit`, until one completes a request, makes room or fails. Returns the
 * next tick that must be run. */
static FORCE_INLINE int64_t cmd_run_ticks(struct cmd_channel *channel, int64_t next, int64_t limit,
                                          int64_t (*choose)(struct cmd_channel *channel))
{
    do {
        *channel->now = channel->clk = next;
        cmd_run_tick(channel, choose);
        next = cmd_tick_after(channel);
    } while (next <= limit && !channel->has_completed && !channel->has_room && channel->fault.kind == FAULT_NONE);
    return next;
}

#endif
