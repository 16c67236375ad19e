/* DDR and GDDR6: one command a tick (5.1). Requests whose row has been opened come first, then the priority queue,
 * then, if that is empty, reads or writes. */
#include "memsys/command/channel/cmd_internal.h"

static int64_t choose(struct cmd_channel *channel)
{
    struct cmd_pick const active = cmd_best(channel, CMD_QUEUE_ACTIVE, CMD_SLOT_ANY);
    struct cmd_pick behind;

    if (active.tick <= channel->clk) {
        cmd_serve(channel, active);
        return channel->clk + 1;
    }
    behind = cmd_best_behind_active(channel, CMD_SLOT_ANY);
    if (behind.tick <= channel->clk) {
        cmd_serve(channel, behind);
        return channel->clk + 1;
    }
    return active.tick < behind.tick ? active.tick : behind.tick;
}

const struct cmd_controller cmd_single_bus = {.choose = choose};
