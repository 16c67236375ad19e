/* Modelled: each command at the cost that data sheets let one work out. A refresh of one bank, REFpb or RFMpb, is a
 * bank's share of one of all banks that lasts as long as the standard says (nRFC, nRFM); a VRR activates as many
 * rows as fit into nVRR, as its rows are not modelled (command-dram 9). PREpb, CAS and clocks have no cost of their
 * own. */
#include "memsys/command/cmd_energy.h"

#include <string.h>

#include "memsys/command/cmd_ctrl.h"

/* ps of the first of these timings that the standard has. */
static double ps_of(const struct cmd_ctrl *ctrl, const char *const *names)
{
    for (; *names; names++) {
        int64_t const ticks = cmd_spec_time(ctrl->spec, *names);

        if (ticks > 0)
            return (double)ticks * (double)ctrl->clock.period_ps / (double)ctrl->clock.ticks;
    }
    return 0;
}

static void cmd_energy_shares(struct cmd_ctrl *ctrl)
{
    static const char *const rfm[] = {"nRFMab", "nRFM", "nRFC", "nRFCab", NULL};
    const char *const *const ref = rfm + 2;
    const struct cmd_spec *const spec = ctrl->spec;
    struct cmd_ctrl_shares *const shares = &ctrl->energy_shares;
    double const banks = ctrl->watch.states.banks_per_rank;
    uint64_t const served = (uint64_t)cmd_spec_time(spec, "nVRR");

    for (unsigned i = 0; i < spec->command_count; i++) {
        const struct cmd_command_row *const command = &spec->command[i];

        shares->activates[i] = command->effect == CMD_EFFECT_OPEN;
        if ((int)i == ctrl->watch.vrr)
            shares->activates[i] = max_u64(served / max_u64((uint64_t)cmd_spec_time(spec, "nRC"), 1), 1);
        else if (command->refreshing)
            shares->refresh_ps[i] = ps_of(ctrl, command->name[2] == 'M' ? rfm : ref)
                                    / (command->target_all ? 1 : banks);
    }
}

static struct energy_counts count(const void *channel, uint64_t now_ps)
{
    const struct cmd_ctrl *const ctrl = channel;
    struct cmd_stats const stats = cmd_memory_stats(ctrl->memory, 0);

    return cmd_ctrl_energy_counts(ctrl, stats.commands, now_ps);
}

struct energy_counts cmd_ctrl_energy_counts(const struct cmd_ctrl *ctrl, const uint64_t commands[CMD_COMMANDS],
                                            uint64_t now_ps)
{
    const struct cmd_spec *const spec = ctrl->spec;
    struct energy_counts counts = {0};

    for (unsigned i = 0; i < spec->command_count; i++) {
        bool const is_read = spec->command[i].name[0] == 'R';

        counts.activates += commands[i] * ctrl->energy_shares.activates[i];
        counts.refresh_ps += (double)commands[i] * ctrl->energy_shares.refresh_ps[i];
        if (spec->command[i].accessing)
            *(is_read ? &counts.reads : &counts.writes) += commands[i];
    }
    cmd_states_add(&ctrl->watch.states, now_ps, counts.state_ps);
    return counts;
}

double cmd_energy_of_defences(const struct cmd_ctrl *ctrl)
{
    uint64_t commands[CMD_COMMANDS];
    struct energy_counts counts;
    struct energy energy;

    for (unsigned i = 0; i < ctrl->spec->command_count; i++) {
        bool const is_refresh = strncmp(ctrl->spec->command[i].name, "REF", 3) == 0;

        commands[i] = is_refresh ? 0 : ctrl->watch.internal[i];
    }
    counts = cmd_ctrl_energy_counts(ctrl, commands, 0);
    memset(counts.state_ps, 0, sizeof counts.state_ps);
    energy = energy_of(&ctrl->energy_device, &counts);
    return energy_total(&energy);
}

struct fault cmd_energy_init(struct cmd_ctrl *ctrl, const struct energy_device *device)
{
    ctrl->energy_device = *device;
    ctrl->energy = (struct energy_meter){&ctrl->energy_device, ctrl, count, 8 * ctrl->access_bytes};
    if (!device->is_known)
        return fault_none();
    FORWARD(cmd_watch_states(&ctrl->watch));
    cmd_energy_shares(ctrl);
    return fault_none();
}
