/* DDR5 with per-row activation counting (5.6): a row that reaches the threshold raises an alert; the controller
 * finishes what fits before the alert's window ends, then precharges and sends refresh management to every rank,
 * then lets some activations pass before the next alert. */
#include "memsys/command/channel/cmd_internal.h"

#include <stdlib.h>

#include "memsys/command/channel/cmd_hash_map.h"

enum state { NORMAL, BEFORE_RECOVERY, RECOVERY, DELAY };

struct cmd_prac_state {
    enum state state;
    int64_t start;                       /* of the recovery; CMD_NEVER: none */
    int64_t act_cycles, lead;            /* from alert to recovery; from the injection of its commands to its start */
    int64_t minimum[CMD_COMMANDS];       /* what a command takes until its bank may be refreshed */
    int64_t remaining_refreshes, remaining_acts;
    bool needed, is_injected;
    uint32_t banks;
    uint64_t critical_rows;
    struct cmd_hash_map *counts;         /* a bank: 2 * activations, plus 1 for critical rows */
    int refresh_management;              /* RFMab */
    unsigned rank;                       /* level */
};

static int64_t admit(struct cmd_channel *channel, const struct cmd_request *request, enum cmd_queue_name queue,
                     enum cmd_slot slot, int64_t tick)
{
    const struct cmd_prac_state *const prac = channel->prac;

    (void)slot;
    if (queue == CMD_QUEUE_PRAC)
        return request->command == prac->refresh_management && prac->state == BEFORE_RECOVERY ? CMD_NEVER : tick;
    return prac->start == CMD_NEVER || tick + prac->minimum[request->command] < prac->start ? tick : CMD_NEVER;
}

static void inject(struct cmd_channel *channel)
{
    struct cmd_prac_state *const prac = channel->prac;
    int32_t const below = cmd_mends(channel->config, CMD_MEND_PRAC_RECOVERY) ? -1 : 0;
    int64_t const commands = 1 + channel->config->prac.recovery_refreshes;

    for (int64_t i = 0; i < commands; i++) {
        for (uint32_t rank = 0; rank < channel->spec->size[prac->rank]; rank++) {
            int32_t vector[CMD_LEVELS];

            for (unsigned level = 0; level < CMD_LEVELS; level++)
                vector[level] = below;
            vector[0] = (int32_t)channel->number;
            vector[prac->rank] = (int32_t)rank;
            cmd_enqueue_internal(channel, CMD_QUEUE_PRAC,
                                 i == 0 ? channel->spec->precharge_all : (unsigned)prac->refresh_management, vector);
        }
    }
    prac->is_injected = true;
}

/* The victims of the row with the most activations are refreshed. */
static void clear_hottest(struct cmd_channel *channel, uint32_t bank)
{
    struct cmd_prac_state *const prac = channel->prac;
    struct cmd_hash_entry *hottest = NULL;

    CMD_EACH_ENTRY(entry, &prac->counts[bank])
        if (!hottest || entry->value >> 1 > hottest->value >> 1)
            hottest = entry;
    if (!hottest)
        return;
    prac->critical_rows -= hottest->value & 1;
    hottest->value = 0;
    if (channel->hooks->served)
        channel->hooks->served(channel->hooks->owner, (uint64_t)channel->clk, bank, hottest->key);
}

static void count_activation(struct cmd_channel *channel, uint32_t bank, int32_t row)
{
    struct cmd_prac_state *const prac = channel->prac;
    int64_t *const count = cmd_hash_map_put(&prac->counts[bank], row);

    if (!count) {
        cmd_fail(channel, fault_memory("memory", "activation counts"));
        return;
    }
    *count += 2;
    if (*count >> 1 < channel->config->prac.threshold)
        return;
    prac->critical_rows += !(*count & 1);
    *count |= 1;
    prac->needed = true;
}

/* What a command does to the counts of its banks. */
static void count(struct cmd_channel *channel, unsigned command, const int32_t *vector, int32_t row)
{
    struct cmd_prac_state *const prac = channel->prac;

    if (command == channel->spec->activate) {
        count_activation(channel, cmd_device_bank(channel->spec, vector), row);
    } else if ((int)command == prac->refresh_management) {
        struct cmd_targets const targets = cmd_device_targets(&channel->device, command, vector);

        CMD_EACH_TARGET(bank, &channel->device, targets, vector)
            clear_hottest(channel, bank);
    }
}

/* One step a tick. */
static void step(struct cmd_channel *channel, int issued)
{
    struct cmd_prac_state *const prac = channel->prac;
    const struct cmd_config *const config = channel->config;

    if (prac->state == NORMAL && prac->needed) {
        prac->state = BEFORE_RECOVERY;
        prac->start = channel->clk + prac->act_cycles;
        channel->stats.prac_num_recovery++;
    } else if (prac->state == BEFORE_RECOVERY && channel->clk == prac->start) {
        prac->state = RECOVERY;
        prac->start = CMD_NEVER;
        prac->remaining_refreshes = config->prac.recovery_refreshes * channel->spec->size[prac->rank];
    } else if (prac->state == RECOVERY && issued == prac->refresh_management) {
        if (--prac->remaining_refreshes <= 0) {
            prac->state = DELAY;
            prac->remaining_acts = config->prac.delay_activations;
        }
    } else if (prac->state == DELAY && issued == channel->spec->activate) {
        if (--prac->remaining_acts <= 0) {
            prac->needed = prac->critical_rows > 0;
            prac->state = NORMAL;
            prac->is_injected = false;
        }
    } else {
        return;
    }
    cmd_forget_picks(channel);
}

static int serve(struct cmd_channel *channel, struct cmd_pick pick)
{
    int command;

    cmd_row_policy_upgrade(channel, pick.request);
    command = pick.request->command;
    cmd_count_row(channel, pick.request);
    cmd_issue(channel, pick.request);
    count(channel, (unsigned)command, pick.request->vector, pick.request->row);
    cmd_advance(channel, pick);
    return command;
}

static int64_t choose(struct cmd_channel *channel)
{
    struct cmd_prac_state *const prac = channel->prac;
    int64_t const clk = channel->clk;
    struct cmd_pick best, behind;
    int issued = CMD_NONE;
    enum state const before = prac->state;

    if (prac->start != CMD_NEVER && !prac->is_injected && clk + prac->lead >= prac->start)
        inject(channel);
    best = cmd_best(channel, CMD_QUEUE_ACTIVE, CMD_SLOT_ANY);
    if (best.tick > clk) {
        behind = channel->queues[CMD_QUEUE_PRAC].count > 0 ? cmd_best(channel, CMD_QUEUE_PRAC, CMD_SLOT_ANY)
                                                           : cmd_best_behind_active(channel, CMD_SLOT_ANY);
        best = behind.tick < best.tick ? behind : best;
    }
    if (best.tick <= clk)
        issued = serve(channel, best);
    step(channel, issued);
    if (issued != CMD_NONE || prac->state != before)
        return clk + 1;
    if (prac->start != CMD_NEVER) {
        int64_t const event = prac->is_injected ? prac->start : prac->start - prac->lead;

        return event < best.tick ? (event > clk ? event : clk + 1) : best.tick;
    }
    return best.tick;
}

static void init_minimum(struct cmd_channel *channel)
{
    const struct cmd_spec *const spec = channel->spec;
    int64_t const write = cmd_spec_time(spec, "nCWL") + cmd_spec_time(spec, "nBL") + cmd_spec_time(spec, "nWR");
    int64_t const precharge = cmd_spec_time(spec, "nRP");
    const struct { const char *command; int64_t ticks; } times[] = {
        {"ACT", cmd_spec_time(spec, "nRAS") + write + precharge}, {"RD", cmd_spec_time(spec, "nRTP") + precharge},
        {"WR", write + precharge}, {"RFMab", cmd_spec_time(spec, "nRFM")}, {"RFMpb", cmd_spec_time(spec, "nRFMpb")},
        {"REFab", cmd_spec_time(spec, "nRFC")}
    };

    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (cmd_spec_command(spec, times[i].command) != CMD_NONE)
            channel->prac->minimum[cmd_spec_command(spec, times[i].command)] = times[i].ticks;
}

static struct fault init(struct cmd_channel *channel)
{
    const struct cmd_spec *const spec = channel->spec;
    const struct cmd_config *const config = channel->config;
    struct cmd_prac_state *const prac = cmd_channel_take(channel, sizeof *prac);
    int const rank = cmd_spec_level(spec, "Rank"), group = cmd_spec_level(spec, "BankGroup");

    if (!prac)
        return fault_memory("memory", "activation counts");
    if (rank == CMD_NONE || group == CMD_NONE || cmd_spec_command(spec, "RFMab") == CMD_NONE)
        return fault_make(FAULT_INPUT, "controller: single-bus-prac needs ranks, bank groups and RFMab; %s is no such "
                                       "standard, DDR5_RFM is", spec->standard->name);
    if (config->prac.threshold < 1 || config->prac.recovery_refreshes < 1 || config->prac.alert_ns < 0
        || config->prac.delay_activations < 0 || config->prac.recovery_refreshes > 1024)
        return fault_make(FAULT_INPUT, "prac: threshold must be at least 1, recovery_refreshes 1 to 1024, "
                                       "alert_window_ns and delay_activations at least 0");
    channel->prac = prac;
    prac->rank = (unsigned)rank;
    prac->refresh_management = cmd_spec_command(spec, "RFMab");
    prac->start = CMD_NEVER;
    prac->lead = cmd_spec_time(spec, "nRP") + 5;
    prac->act_cycles = (int64_t)((float)config->prac.alert_ns / ((float)spec->tck_ps / 1000.0f));
    prac->counts = calloc(spec->bank_count, sizeof *prac->counts);
    prac->banks = spec->bank_count;
    if (!prac->counts)
        return fault_memory("memory", "activation counts");
    init_minimum(channel);
    return fault_none();
}

void cmd_prac_free(struct cmd_channel *channel)
{
    for (uint32_t bank = 0; channel->prac && channel->prac->counts && bank < channel->prac->banks; bank++)
        cmd_hash_map_free(&channel->prac->counts[bank]);
    if (channel->prac)
        free(channel->prac->counts);
}

const struct cmd_controller cmd_prac = {.choose = choose, .admit = admit, .init = init};
