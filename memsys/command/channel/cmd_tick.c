/* One tick (4.4): finished reads, refresh, row policy, power states, the controller's choice. Clocks of defences need
 * no tick of their own: they look at the time when a command is issued. */
#include "memsys/command/channel/cmd_tick.h"

void cmd_fail_stalled(struct cmd_channel *channel)
{
    const struct cmd_queue *const priority = &channel->queues[CMD_QUEUE_PRIORITY];
    bool const is_still = channel->clk > channel->last_progress + channel->patience;

    cmd_fail(channel, fault_make(FAULT_STALL, "channel %u: tick %lld: no command %s, and %llu requests wait: %zu "
                                 "reads, %zu writes, %zu with their rows opened, %zu of refresh and defences (next: "
                                 "%s)",
                                 channel->number, (long long)channel->clk,
                                 is_still ? "for a refresh interval" : "for a request in 1000 refresh intervals",
                                 (unsigned long long)channel->in_flight, channel->queues[CMD_QUEUE_READ].count,
                                 channel->queues[CMD_QUEUE_WRITE].count, channel->queues[CMD_QUEUE_ACTIVE].count,
                                 priority->count,
                                 priority->count ? channel->spec->command[priority->first->final].name : "none"));
}

int64_t cmd_plain_run(struct cmd_channel *channel, int64_t next, int64_t limit)
{
    return cmd_run_ticks(channel, next, limit, channel->controller->choose);
}
