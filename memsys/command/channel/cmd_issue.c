/* What issuing a command does (4.8 to 4.10): to the device, to statistics, to those that watch, to the request. */
#include "memsys/command/channel/cmd_internal.h"

/* By the state before the command. */
void cmd_count_row(struct cmd_channel *channel, struct cmd_request *request)
{
    struct cmd_stats *const stats = &channel->stats;
    const struct cmd_bank *const bank = &channel->device.banks[request->bank];
    bool const is_read = request->kind == CMD_READ;
    struct cmd_core_stats *const core = is_read && request->source >= 0 ? &channel->cores[request->source] : NULL;

    if (request->is_counted)
        return;
    request->is_counted = true;
    if (request->kind == CMD_INTERNAL)
        return;
    if (bank->state != CMD_BANK_OPENED) {
        stats->row_misses++;
        *(is_read ? &stats->read_row_misses : &stats->write_row_misses) += 1;
        if (core)
            core->read_row_misses++;
    } else if (bank->row == request->row) {
        stats->row_hits++;
        *(is_read ? &stats->read_row_hits : &stats->write_row_hits) += 1;
        if (core)
            core->read_row_hits++;
    } else {
        stats->row_conflicts++;
        *(is_read ? &stats->read_row_conflicts : &stats->write_row_conflicts) += 1;
        if (core)
            core->read_row_conflicts++;
    }
}

void cmd_report(struct cmd_channel *channel, const struct cmd_request *request)
{
    struct cmd_issued const issued = {
        .tick = (uint64_t)channel->clk, .channel = channel->number, .command = (uint8_t)request->command,
        .kind = (enum cmd_kind)request->kind, .source = request->source, .vector = request->vector,
        .arrive = request->arrive < 0 ? UINT64_MAX : (uint64_t)request->arrive, .token = request->token
    };

    channel->hooks->issued(channel->hooks->owner, &issued);
}

void cmd_issue(struct cmd_channel *channel, struct cmd_request *request)
{
    channel->engine->issue(channel, request);
    channel->last_progress = channel->clk;
    channel->last_served = request->kind == CMD_INTERNAL ? channel->last_served : channel->clk;
    channel->stats.commands[request->command]++;
    if (channel->hooks->issued)
        cmd_report(channel, request);
    cmd_row_policy_issued(channel, request);
    for (unsigned i = 0; i < channel->config->mitigation_count; i++)
        channel->mitigation[i]->issued(channel->mitigation_state[i], channel, request);
}

void cmd_complete(struct cmd_channel *channel, struct cmd_request *request)
{
    const struct cmd_hooks *const hooks = channel->hooks;

    channel->in_flight--;
    channel->has_completed = true;
    if (hooks->completed)
        hooks->completed(hooks->owner, request->token, (enum cmd_kind)request->kind, (uint64_t)request->arrive,
                         (uint64_t)request->depart);
    cmd_request_free(channel, request);
}

void cmd_stop_waiting(struct cmd_channel *channel, struct cmd_pick pick, bool is_served)
{
    bool const until_served = cmd_mends(channel->config, CMD_MEND_FORWARD_ACTIVE);

    if (until_served ? is_served && pick.request->kind == CMD_WRITE : pick.queue == CMD_QUEUE_WRITE)
        cmd_waiting_remove(channel, pick.request->address);
}

void cmd_retire(struct cmd_channel *channel, struct cmd_pick pick)
{
    struct cmd_request *const request = pick.request;

    if (pick.queue == CMD_QUEUE_ACTIVE)
        channel->active_in_bank[request->bank]--;
    cmd_stop_waiting(channel, pick, true);
    cmd_queue_remove(channel, pick.queue, request);
    if (request->kind == CMD_READ) {
        request->depart = channel->clk + channel->spec->read_latency;
        request->next = NULL;
        *channel->pending_end = request;
        channel->pending_end = &request->next;
        channel->stats.num_read_reqs_served++;
    } else if (request->kind == CMD_WRITE) {
        request->depart = channel->clk;
        channel->stats.num_write_reqs_served++;
        cmd_complete(channel, request);
    } else {
        channel->stats.num_maintenance_reqs_served++;
        cmd_request_free(channel, request);
    }
}

void cmd_promote(struct cmd_channel *channel, struct cmd_pick pick)
{
    if (cmd_is_full(channel, CMD_QUEUE_ACTIVE))
        return;
    if (pick.queue != CMD_QUEUE_ACTIVE || !cmd_mends(channel->config, CMD_MEND_AUTO_PRECHARGE))
        channel->active_in_bank[pick.request->bank]++;
    cmd_stop_waiting(channel, pick, false);
    cmd_queue_remove(channel, pick.queue, pick.request);
    cmd_queue_append(channel, CMD_QUEUE_ACTIVE, pick.request);
}

void cmd_advance(struct cmd_channel *channel, struct cmd_pick pick)
{
    if (pick.request->command == pick.request->final)
        cmd_retire(channel, pick);
    else if (channel->spec->command[pick.request->command].opening)
        cmd_promote(channel, pick);
}

void cmd_serve(struct cmd_channel *channel, struct cmd_pick pick)
{
    cmd_row_policy_upgrade(channel, pick.request);
    cmd_count_row(channel, pick.request);
    cmd_issue(channel, pick.request);
    cmd_advance(channel, pick);
}
