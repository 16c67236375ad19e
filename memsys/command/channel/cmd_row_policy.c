/* Row policies (7): open rows stay open; closed-after counts accesses, makes the one that reaches the limit close
 * its row, and asks for a precharge where no further access comes. */
#include "memsys/command/channel/cmd_internal.h"

static bool is_due(const struct cmd_channel *channel, const struct cmd_row_state *row)
{
    return row->accesses >= channel->config->accesses && !row->is_asked;
}

struct fault cmd_row_policy_init(struct cmd_channel *channel)
{
    static const char *const pairs[][2] = {{"RD", "RDA"}, {"WR", "WRA"}, {"RD_S", "RDA_S"}, {"WR_S", "WRA_S"}};

    for (unsigned i = 0; i < CMD_COMMANDS; i++)
        channel->auto_of[i] = CMD_NONE;
    if (channel->config->row_policy == CMD_ROW_POLICY_OPEN)
        return fault_none();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        int const access = cmd_spec_command(channel->spec, pairs[i][0]),
            closing = cmd_spec_command(channel->spec, pairs[i][1]);

        if (access != CMD_NONE && closing != CMD_NONE)
            channel->auto_of[access] = (int16_t)closing;
    }
    return fault_none();
}

void cmd_row_policy_tick(struct cmd_channel *channel)
{
    const struct cmd_spec *const spec = channel->spec;

    channel->next_policy = CMD_NEVER;
    for (uint32_t bank = 0; bank < spec->bank_count && channel->rows_due; bank++) {
        struct cmd_row_state *const row = &channel->rows[bank];
        int32_t vector[CMD_LEVELS];
        int64_t ready;

        if (!is_due(channel, row))
            continue;
        if (cmd_mends(channel->config, CMD_MEND_IDLE_PRECHARGE) && channel->device.banks[bank].state == CMD_BANK_CLOSED)
            continue;
        ready = cmd_device_bank_ready(&channel->device, spec->precharge, bank);
        cmd_device_vector(&channel->device, spec->bank_level, bank, vector);
        if (ready <= channel->clk && cmd_priority_send(channel, spec->precharge, vector)) {
            row->is_asked = true;
            channel->rows_due--;
            continue;
        }
        ready = ready > channel->clk ? ready : channel->clk + 1;
        channel->next_policy = ready < channel->next_policy ? ready : channel->next_policy;
    }
}

void cmd_row_policy_upgrade(struct cmd_channel *channel, struct cmd_request *request)
{
    int const closing = channel->auto_of[request->command];

    if (closing == CMD_NONE || channel->rows[request->bank].accesses < channel->config->accesses)
        return;
    if (cmd_mends(channel->config, CMD_MEND_AUTO_PRECHARGE) && channel->active_in_bank[request->bank] > 0)
        return;
    if (cmd_device_bank_ready(&channel->device, (unsigned)closing, request->bank) <= channel->clk)
        request->command = request->final = (uint16_t)closing;
}

void cmd_row_policy_issued(struct cmd_channel *channel, const struct cmd_request *request)
{
    const struct cmd_command_row *const command = &channel->spec->command[request->command];
    struct cmd_targets targets;

    if (channel->config->row_policy == CMD_ROW_POLICY_OPEN)
        return;
    if (command->closing) {
        targets = cmd_device_targets(&channel->device, request->command, request->vector);
        CMD_EACH_TARGET(bank, &channel->device, targets, request->vector) {
            channel->rows_due -= is_due(channel, &channel->rows[bank]);
            channel->rows[bank] = (struct cmd_row_state){0};
        }
    } else if (command->accessing) {
        struct cmd_row_state *const row = &channel->rows[request->bank];
        bool const was_due = is_due(channel, row);

        row->accesses++;
        channel->rows_due += is_due(channel, row) && !was_due;
    }
    channel->next_policy = channel->rows_due ? 0 : CMD_NEVER;
}
