#include "memsys/command/cmd_rowhammer.h"

#include "base/arith.h"
#include "memsys/command/cmd_energy.h"

static void add_energy(struct cmd_rowhammer *to, const struct cmd_ctrl *ctrl, uint64_t now_ps)
{
    struct energy_counts const counts = ctrl->energy.count(ctrl->energy.channel, now_ps);
    struct energy const energy = energy_of(&ctrl->energy_device, &counts);

    to->defences_pj += cmd_energy_of_defences(ctrl);
    to->all_pj += energy_total(&energy);
}

void cmd_rowhammer_add(struct cmd_rowhammer *to, const struct cmd_ctrl *ctrl, uint64_t now_ps)
{
    const struct cmd_hammer *const hammer = &ctrl->watch.hammer;
    struct cmd_watch_defences const defences = cmd_watch_defences(&ctrl->watch);

    if (hammer->threshold == 0)
        return;
    to->threshold = hammer->threshold;
    to->window_ps = hammer->window_ps;
    to->most = max_u64(to->most, hammer->most);
    to->most_unserved = max_u64(to->most_unserved, hammer->most_unserved);
    to->hot += hammer->hot;
    to->flips += hammer->flips;
    for (unsigned i = 0; i < CMD_HAMMER_BINS; i++)
        to->histogram[i] += hammer->histogram[i];
    to->refreshes += defences.refreshes;
    to->activates += defences.activates;
    to->waits_ps += cmd_waits_ticks(&ctrl->watch.waits, CMD_WAIT_MITIGATION) * (double)ctrl->clock.period_ps
                    / (double)ctrl->clock.ticks;
    if (ctrl->energy_device.is_known)
        add_energy(to, ctrl, now_ps);
    else
        to->has_unknown_energy = true;
}
