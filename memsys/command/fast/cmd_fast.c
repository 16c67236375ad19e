/* The row of functions of the fast engine, and where it can serve. */
#include "memsys/command/fast/cmd_fast.h"

#include "memsys/command/fast/cmd_fast_choose.h"

static bool can_serve(const struct cmd_channel *channel)
{
    const struct cmd_config *const config = channel->config;
    const struct cmd_spec *const spec = channel->spec;

    if (config->scheduler != CMD_SCHEDULER_FRFCFS || config->controller == CMD_CONTROLLER_LPDDR5
        || config->controller == CMD_CONTROLLER_LPDDR6 || config->controller == CMD_CONTROLLER_PRAC
        || config->controller == CMD_CONTROLLER_BLOCKHAMMER || config->controller == CMD_CONTROLLER_GDDR7)
        return false;
    if (config->power.down_idle > 0 || config->power.self_idle > 0)
        return false;
    if (config->read_queue > FAST_LONGEST_QUEUE || config->write_queue > FAST_LONGEST_QUEUE)
        return false;
    /* Odd behaviour 3 leaves counts of active banks behind, so that a bank's candidates depend on others. */
    if (config->row_policy == CMD_ROW_POLICY_CLOSED_AFTER && !cmd_mends(config, CMD_MEND_AUTO_PRECHARGE))
        return false;
    if (channel->device.path_length > FAST_PLACES + 1)
        return false;
    for (unsigned command = 0; command < spec->command_count; command++)
        if (spec->constraints[spec->bank_level][command].has_sibling)
            return false;
    return true;
}

static struct fault init(struct cmd_channel *channel)
{
    struct fast *fast;

    if (!can_serve(channel)) {
        channel->engine = &cmd_plain_engine;
        return fault_none();
    }
    fast = cmd_channel_take(channel, sizeof *fast);
    if (!fast)
        return fault_memory("memory", "the fast engine");
    channel->engine_state = fast;
    fast->is_half_tick = channel->config->controller == CMD_CONTROLLER_HALF_TICK;
    fast->is_dual = channel->controller->is_dual_bus;
    /* A defence may fill the priority queue between the two slots of a tick. */
    fast->is_choice_plain = fast->is_dual && channel->config->mitigation_count > 0;
    fast->first_slot = fast->is_dual ? CMD_SLOT_COLUMN : CMD_SLOT_ANY;
    fast->last_slot = fast->is_dual ? CMD_SLOT_ROW : CMD_SLOT_ANY;
    FORWARD(cmd_fast_init_lists(channel));
    FORWARD(cmd_fast_compile(channel));
    fast->is_simple = fast_is_simple(channel);
    return fault_none();
}

/* For the plain controller. */
static struct cmd_pick best(struct cmd_channel *channel, enum cmd_queue_name name, enum cmd_slot slot)
{
    struct fast_plan plan;

    if (name == CMD_QUEUE_ACTIVE && slot != CMD_SLOT_ROW)
        return fast_scan_active(channel, slot, channel->clk);
    if (name > CMD_QUEUE_WRITE || channel->queues[CMD_QUEUE_PRIORITY].count > 0)
        return cmd_pick_plain(channel, name, slot);
    plan = fast_pick_queue(channel, name, slot);
    return (struct cmd_pick){plan.request, plan.tick, name};
}

static void issue_to_bank(struct cmd_channel *channel, const struct cmd_request *request,
                          const struct fast_program *program)
{
    enum cmd_effect const effect = channel->spec->command[request->command].effect;

    fast_run_program(channel, program, request->bank);
    fast_of(channel)->is_settled = false;
    if (channel->queues[CMD_QUEUE_PRIORITY].count > 0)
        cmd_fast_settle(channel);    /* the other slot of this tick may ask */
    fast_keep(channel, request);
    if (effect == CMD_EFFECT_NONE)
        return;
    cmd_device_set_bank(&channel->device, request->bank, effect == CMD_EFFECT_OPEN
                        ? (struct cmd_bank){request->row, CMD_BANK_OPENED} : (struct cmd_bank){0});
    cmd_fast_sort_bank(channel, request->bank);
}

/* A refresh of a whole rank or pseudo-channel, and the precharge before it. */
static void issue_to_node(struct cmd_channel *channel, const struct cmd_request *request,
                          const struct fast_program *program, struct cmd_targets banks)
{
    enum cmd_effect const effect = channel->spec->command[request->command].effect;

    fast_run_program(channel, program, banks.first);
    fast_forget(channel);
    for (uint32_t bank = banks.first; bank < banks.end && effect == CMD_EFFECT_CLOSE; bank++) {
        cmd_device_set_bank(&channel->device, bank, (struct cmd_bank){0});
        cmd_fast_sort_bank(channel, bank);
    }
}

static void issue(struct cmd_channel *channel, const struct cmd_request *request)
{
    struct cmd_device *const device = &channel->device;
    const struct fast_program *const program = &fast_of(channel)->programs[request->command];
    struct cmd_targets const targets = cmd_device_targets(device, request->command, request->vector);

    cmd_forget_picks(channel);
    if (program->is_set && !channel->spec->command[request->command].target_all) {
        issue_to_bank(channel, request, program);
        return;
    }
    if (program->is_set && targets.is_range
        && targets.end - targets.first == device->banks_below[fast_of(channel)->node_level]) {
        issue_to_node(channel, request, program, targets);
        return;
    }
    cmd_device_issue(device, request->command, request->vector, channel->clk);
    fast_forget(channel);
    if (channel->spec->command[request->command].effect == CMD_EFFECT_NONE)
        return;
    CMD_EACH_TARGET(bank, device, targets, request->vector)
        cmd_fast_sort_bank(channel, bank);
}

static bool appended(struct cmd_channel *channel, enum cmd_queue_name name, struct cmd_request *request)
{
    bool is_oldest;

    cmd_forget_picks(channel);
    if (name == CMD_QUEUE_ACTIVE) {
        cmd_fast_guard_bank(channel, request->bank);
        fast_activated(channel, request);
    }
    if (name > CMD_QUEUE_WRITE) {
        fast_of(channel)->is_planned = false;
        return true;
    }
    is_oldest = fast_link(channel, name, request);
    return fast_arrived(channel, name, request, is_oldest);
}

static void removed(struct cmd_channel *channel, enum cmd_queue_name name, struct cmd_request *request)
{
    if (name == CMD_QUEUE_ACTIVE) {
        cmd_fast_guard_bank(channel, request->bank);
        fast_of(channel)->best_active.request = NULL;
    } else if (name <= CMD_QUEUE_WRITE) {
        cmd_fast_unlink(channel, name, request);
    }
}

const struct cmd_engine cmd_fast_engine = {.init = init, .best = best, .issue = issue, .run = fast_run,
                                           .appended = appended, .removed = removed};
