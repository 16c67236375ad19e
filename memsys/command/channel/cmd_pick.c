/* Schedulers (6): the oldest request that can be issued first; equal age: the one that came first into its queue. A
 * pick holds until a command is issued or its queue loses a request: what a request needs, and when that is allowed,
 * changes only by commands. A request that arrives is compared with the pick. */
#include "memsys/command/channel/cmd_internal.h"

/* 4.7: would the command close a bank that an active request has opened? */
static bool closes_active(const struct cmd_channel *channel, const struct cmd_request *request)
{
    const struct cmd_device *const device = &channel->device;
    struct cmd_targets targets;

    if (!channel->spec->command[request->command].closing || channel->queues[CMD_QUEUE_ACTIVE].count == 0)
        return false;
    if (!channel->spec->command[request->command].target_all)
        return channel->active_in_bank[request->bank] > 0;
    targets = cmd_device_targets(device, request->command, request->vector);
    CMD_EACH_TARGET(bank, device, targets, request->vector)
        if (channel->active_in_bank[bank] > 0)
            return true;
    return false;
}

/* Sets what a request needs next; returns when that can be issued, from tick `from` on. */
int64_t cmd_prepare(struct cmd_channel *channel, struct cmd_request *request, enum cmd_queue_name queue,
                       enum cmd_slot slot, int64_t from)
{
    bool const is_guarded = queue <= CMD_QUEUE_PRIORITY;     /* 4.7: all but those that have their row, and PRAC's
                                                                own */
    const struct cmd_device *const device = &channel->device;
    bool const is_single = !channel->spec->command[request->final].target_all;
    int64_t tick;

    if (is_guarded && request->kind != CMD_INTERNAL && channel->blocked[request->bank])
        return CMD_NEVER;
    request->command = (uint16_t)(is_single ? cmd_device_bank_needs(device, request->final, request->bank, request->row)
                                           : cmd_device_prerequisite(device, request->final, request->vector));
    if (is_guarded && closes_active(channel, request))
        return CMD_NEVER;
    tick = is_single ? cmd_device_bank_ready(device, request->command, request->bank)
                     : cmd_device_ready(device, request->command, request->vector);
    tick = tick > from ? tick : from;
    return channel->controller->admit ? channel->controller->admit(channel, request, queue, slot, tick) : tick;
}

/* FR-FCFS-RowHit: a row stays open for older requests of the queue that hit it. */
static void note_hits(struct cmd_channel *channel, const struct cmd_queue *queue)
{
    for (const struct cmd_request *request = queue->first; request; request = request->next)
        channel->earliest_hit[request->bank] = CMD_NEVER;
    for (const struct cmd_request *request = queue->first; request; request = request->next) {
        const struct cmd_bank *const bank = &channel->device.banks[request->bank];
        int64_t *const earliest = &channel->earliest_hit[request->bank];

        if (channel->spec->command[request->final].accessing && bank->state == CMD_BANK_OPENED && bank->row
            == request->row)
            *earliest = request->arrive < *earliest ? request->arrive : *earliest;
    }
}

static bool waits_for_hits(const struct cmd_channel *channel, const struct cmd_request *request)
{
    const struct cmd_command_row *const command = &channel->spec->command[request->command];

    return command->closing && !command->target_all && request->command != request->final
        && channel->earliest_hit[request->bank] <= request->arrive;
}

struct cmd_pick cmd_pick_plain(struct cmd_channel *channel, enum cmd_queue_name name, enum cmd_slot slot)
{
    const struct cmd_queue *const queue = &channel->queues[name];
    bool const by_hits = channel->config->scheduler == CMD_SCHEDULER_ROW_HIT;
    struct cmd_pick best = {NULL, CMD_NEVER, name};

    if (by_hits)
        note_hits(channel, queue);
    for (struct cmd_request *request = queue->first; request; request = request->next) {
        int64_t const tick = cmd_prepare(channel, request, name, slot, channel->clk);

        if (tick == CMD_NEVER || (by_hits && waits_for_hits(channel, request)))
            continue;
        if (tick < best.tick || (tick == best.tick && request->arrive < best.request->arrive))
            best = (struct cmd_pick){request, tick, name};
    }
    return best;
}

static void issue_plain(struct cmd_channel *channel, const struct cmd_request *request)
{
    cmd_device_issue(&channel->device, request->command, request->vector, channel->clk);
    cmd_forget_picks(channel);
}

const struct cmd_engine cmd_plain_engine = {.best = cmd_pick_plain, .issue = issue_plain, .run = cmd_plain_run};

/* It came last, so it is the best only if it can be issued sooner than all others, or is older. */
void cmd_pick_arrived(struct cmd_channel *channel, enum cmd_queue_name queue, struct cmd_request *request)
{
    bool const is_compared = (queue == CMD_QUEUE_READ || queue == CMD_QUEUE_WRITE || queue == CMD_QUEUE_ACTIVE)
        && channel->config->scheduler == CMD_SCHEDULER_FRFCFS;

    for (unsigned slot = 0; slot < CMD_SLOTS; slot++) {
        struct cmd_pick *const kept = &channel->picks[queue][slot];
        int64_t tick;

        if (channel->picked_in[queue][slot] != channel->state)
            continue;
        if (!is_compared || kept->tick <= channel->clk) {
            channel->picked_in[queue][slot] = 0;
            continue;
        }
        tick = cmd_prepare(channel, request, queue, (enum cmd_slot)slot, channel->clk + 1);
        if (tick < kept->tick || (tick == kept->tick && tick < CMD_NEVER && request->arrive < kept->request->arrive))
            *kept = (struct cmd_pick){request, tick, queue};
    }
}

void cmd_forget_slot(struct cmd_channel *channel, enum cmd_slot slot)
{
    for (unsigned queue = 0; queue < CMD_QUEUES; queue++) {
        channel->picked_in[queue][slot] = 0;
        channel->picks[queue][slot].tick = -1;
    }
}

/* Odd behaviours 8 and 23 mended: an ACT to its open row, and a precharge of a closed bank, are not issued. */
static bool is_needless(const struct cmd_channel *channel, const struct cmd_request *request)
{
    const struct cmd_bank *const bank = &channel->device.banks[request->bank];

    if (request->final == channel->spec->activate && cmd_mends(channel->config, CMD_MEND_OPEN_TWICE))
        return bank->state == CMD_BANK_OPENED && bank->row == request->row;
    return request->final == channel->spec->precharge && cmd_mends(channel->config, CMD_MEND_IDLE_PRECHARGE)
        && bank->state == CMD_BANK_CLOSED;
}

static void drop_needless(struct cmd_channel *channel)
{
    struct cmd_request *head;

    while ((head = channel->queues[CMD_QUEUE_PRIORITY].first) && is_needless(channel, head)) {
        cmd_queue_remove(channel, CMD_QUEUE_PRIORITY, head);
        cmd_request_free(channel, head);
        channel->stats.num_maintenance_reqs_served++;
        channel->picked_in[CMD_QUEUE_PRIORITY][CMD_SLOT_ANY] = channel->picked_in[CMD_QUEUE_PRIORITY][CMD_SLOT_COLUMN] =
            channel->picked_in[CMD_QUEUE_PRIORITY][CMD_SLOT_ROW] = 0;
    }
}

struct cmd_pick cmd_priority_head(struct cmd_channel *channel, enum cmd_slot slot)
{
    const struct cmd_queue *const queue = &channel->queues[CMD_QUEUE_PRIORITY];
    struct cmd_pick *const kept = &channel->picks[CMD_QUEUE_PRIORITY][slot];

    if (queue->count > 0 && channel->config->mends)
        drop_needless(channel);
    if (queue->count == 0)
        return (struct cmd_pick){NULL, CMD_NEVER, CMD_QUEUE_PRIORITY};
    if (channel->picked_in[CMD_QUEUE_PRIORITY][slot] != channel->state || kept->tick < channel->clk) {
        kept->request = queue->first;
        kept->queue = CMD_QUEUE_PRIORITY;
        kept->tick = cmd_prepare(channel, kept->request, CMD_QUEUE_PRIORITY, slot, channel->clk);
        channel->picked_in[CMD_QUEUE_PRIORITY][slot] = channel->state;
    }
    return *kept;
}
