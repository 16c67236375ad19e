/* Power-down and self-refresh of ranks (of the channel where a standard has no ranks).
 *
 * A rank for which nothing waits in any queue enters power-down `down_idle` ticks after the last request has left, with
 * its rows open or closed; after `self_idle` ticks without a read or write its rows are closed (PREab), and it enters
 * self-refresh, from power-down by way of an exit. What arrives for it ends that: PDX or SRX, then the first command
 * tXP or tXS later (cmd_power_times.h). A refresh that falls due wakes a rank from power-down; in self-refresh it
 * refreshes itself, and none falls due. After a self-refresh a rank has had a refresh before it enters the next one
 * (JESD79-4 4.27).
 *
 * Invariant: nothing waits for a rank that sleeps and whose exit has not been issued or planned, so no scheduler asks.
 * An exit is planned when a request arrives; its constraints reach the device then, before the request is looked at.
 * PDE, PDX, SRE and SRX change the clock enable of a rank and take no time of the command bus (DDR5, where PDE and SRE
 * are commands on it: not modelled). Source: JESD79-4 4.27, 4.28. */
#include "memsys/command/channel/cmd_internal.h"

#include <string.h>

enum rank_state { AWAKE, DOWN, ITSELF };

struct cmd_power_rank {
    enum rank_state state;
    uint32_t waiting;                    /* requests, in any queue */
    int64_t idle_since, unused_since;    /* the last request, the last one but refreshes and its own precharge, left */
    int64_t exit_at;                     /* tick of the exit that is planned; CMD_NEVER: none */
    bool owes_refresh;                   /* since its self-refresh */
};

struct cmd_power_state {
    uint32_t count;
    struct cmd_power_rank *ranks;
};

static unsigned command_of(const struct cmd_channel *channel, enum cmd_power_command command)
{
    return channel->spec->power.first_command + (unsigned)command;
}

static int64_t earlier(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static int64_t ready_at(const struct cmd_channel *channel, uint32_t node, enum cmd_power_command command)
{
    int32_t vector[CMD_LEVELS];

    cmd_device_vector(&channel->device, channel->spec->power.level, node, vector);
    return cmd_device_ready(&channel->device, command_of(channel, command), vector);
}

/* What the command holds up, from `tick` on. */
static void apply(struct cmd_channel *channel, uint32_t node, enum cmd_power_command command, int64_t tick)
{
    int32_t vector[CMD_LEVELS];

    cmd_device_vector(&channel->device, channel->spec->power.level, node, vector);
    cmd_device_issue(&channel->device, command_of(channel, command), vector, tick);
}

/* Counts and reports it in the present tick. */
static void report(struct cmd_channel *channel, uint32_t node, enum cmd_power_command command)
{
    int32_t vector[CMD_LEVELS];
    struct cmd_issued const issued = {
        .tick = (uint64_t)channel->clk, .channel = channel->number, .command = (uint8_t)command_of(channel, command),
        .kind = CMD_INTERNAL, .source = -1, .vector = vector, .arrive = UINT64_MAX
    };

    cmd_device_vector(&channel->device, channel->spec->power.level, node, vector);
    channel->stats.commands[issued.command]++;
    if (channel->hooks->issued)
        channel->hooks->issued(channel->hooks->owner, &issued);
}

static void enter(struct cmd_channel *channel, uint32_t node, enum rank_state state)
{
    enum cmd_power_command const command = state == DOWN ? CMD_POWER_DOWN_ENTRY : CMD_SELF_REFRESH_ENTRY;

    apply(channel, node, command, channel->clk);
    report(channel, node, command);
    channel->power->ranks[node].state = state;
}

static enum cmd_power_command exit_of(const struct cmd_power_rank *rank)
{
    return rank->state == DOWN ? CMD_POWER_DOWN_EXIT : CMD_SELF_REFRESH_EXIT;
}

static void plan_exit(struct cmd_channel *channel, uint32_t node)
{
    struct cmd_power_rank *const rank = &channel->power->ranks[node];
    int64_t const ready = ready_at(channel, node, exit_of(rank));

    rank->exit_at = ready > channel->clk ? ready : channel->clk + 1;
    apply(channel, node, exit_of(rank), rank->exit_at);
    channel->next_power = earlier(channel->next_power, rank->exit_at);
}

static void finish_exit(struct cmd_channel *channel, uint32_t node)
{
    struct cmd_power_rank *const rank = &channel->power->ranks[node];

    report(channel, node, exit_of(rank));
    rank->owes_refresh |= rank->state == ITSELF && channel->config->refresh == CMD_REFRESH_ALL_BANK;
    rank->state = AWAKE;
    rank->exit_at = CMD_NEVER;
}

static bool is_closed(const struct cmd_channel *channel, uint32_t node)
{
    uint32_t const banks = channel->device.banks_below[channel->spec->power.level];

    for (uint32_t bank = node * banks; bank < (node + 1) * banks; bank++)
        if (channel->device.banks[bank].state != CMD_BANK_CLOSED)
            return false;
    return true;
}

/* On the way to self-refresh; returns the tick of the next step. */
static int64_t prepare_self_refresh(struct cmd_channel *channel, uint32_t node)
{
    struct cmd_power_rank *const rank = &channel->power->ranks[node];
    int32_t vector[CMD_LEVELS];
    int64_t ready;

    if (rank->state == DOWN) {
        plan_exit(channel, node);
        return rank->exit_at;
    }
    if (!is_closed(channel, node)) {
        cmd_device_vector(&channel->device, channel->spec->power.level, node, vector);
        return cmd_priority_send(channel, channel->spec->precharge_all, vector) ? CMD_NEVER : channel->clk + 1;
    }
    ready = ready_at(channel, node, CMD_SELF_REFRESH_ENTRY);
    if (ready > channel->clk)
        return ready;
    enter(channel, node, ITSELF);
    return CMD_NEVER;
}

/* Tick at which an idle rank is due for self-refresh. */
static int64_t self_due(const struct cmd_channel *channel, const struct cmd_power_rank *rank)
{
    int64_t const idle = channel->config->power.self_idle;

    return idle == 0 || rank->owes_refresh ? CMD_NEVER : rank->unused_since + idle;
}

static int64_t down_due(const struct cmd_channel *channel, const struct cmd_power_rank *rank)
{
    int64_t const idle = channel->config->power.down_idle;

    return idle == 0 || rank->state != AWAKE ? CMD_NEVER : rank->idle_since + idle;
}

/* What a rank does in this tick; returns its next one. */
static int64_t step(struct cmd_channel *channel, uint32_t node)
{
    struct cmd_power_rank *const rank = &channel->power->ranks[node];
    int64_t ready;

    if (rank->exit_at <= channel->clk)
        finish_exit(channel, node);
    if (rank->exit_at != CMD_NEVER)
        return rank->exit_at;
    if (rank->state == ITSELF || rank->waiting > 0)
        return CMD_NEVER;
    if (self_due(channel, rank) <= channel->clk)
        return prepare_self_refresh(channel, node);
    if (down_due(channel, rank) <= channel->clk) {
        ready = ready_at(channel, node, CMD_POWER_DOWN_ENTRY);
        if (ready > channel->clk)
            return earlier(ready, self_due(channel, rank));
        enter(channel, node, DOWN);
    }
    return earlier(down_due(channel, rank), self_due(channel, rank));
}

void cmd_power_tick(struct cmd_channel *channel)
{
    int64_t next = CMD_NEVER;

    channel->next_power = CMD_NEVER;
    for (uint32_t node = 0; node < channel->power->count; node++)
        next = earlier(next, step(channel, node));
    channel->next_power = earlier(channel->next_power, next);
}

/* ---- requests */
static void arrived(struct cmd_channel *channel, uint32_t node)
{
    struct cmd_power_rank *const rank = &channel->power->ranks[node];

    rank->waiting++;
    if (rank->state != AWAKE && rank->exit_at == CMD_NEVER)
        plan_exit(channel, node);
}

static void left(struct cmd_channel *channel, uint32_t node, const struct cmd_request *request)
{
    struct cmd_power_rank *const rank = &channel->power->ranks[node];
    bool const is_refresh = request->kind == CMD_INTERNAL && channel->spec->command[request->final].refreshing;
    bool const is_own = request->kind == CMD_INTERNAL && request->final == channel->spec->precharge_all;
    int64_t next;

    rank->owes_refresh &= !is_refresh;
    if (!is_refresh && !is_own)
        rank->unused_since = channel->clk;
    if (--rank->waiting > 0)
        return;
    rank->idle_since = channel->clk;
    next = earlier(down_due(channel, rank), self_due(channel, rank));
    channel->next_power = earlier(channel->next_power, next > channel->clk ? next : channel->clk + 1);
}

void cmd_power_waiting(struct cmd_channel *channel, const struct cmd_request *request, int change)
{
    struct cmd_nodes const nodes = cmd_device_nodes(&channel->device, channel->spec->power.level, request->vector);

    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        if (change > 0)
            arrived(channel, node);
        else
            left(channel, node, request);
    }
}

bool cmd_power_refreshes_itself(const struct cmd_channel *channel, const int32_t *vector)
{
    struct cmd_nodes nodes;

    if (!channel->power)
        return false;
    nodes = cmd_device_nodes(&channel->device, channel->spec->power.level, vector);
    for (uint32_t node = nodes.first; node < nodes.end; node++)
        if (channel->power->ranks[node].state != ITSELF)
            return false;
    return true;
}

/* ---- set-up */
struct fault cmd_power_init(struct cmd_channel *channel)
{
    const struct cmd_config *const config = channel->config;
    uint32_t count;

    if (config->power.down_idle == 0 && config->power.self_idle == 0)
        return fault_none();
    if (config->power.down_idle < 0 || config->power.self_idle < 0)
        return fault_make(FAULT_INPUT, "power: down_idle and self_idle must be at least 0");
    if (channel->spec->power.first_command == 0)
        return fault_make(FAULT_INPUT, "power: %s has no commands of power-down; cmd_spec_add_power adds them",
                          channel->spec->standard->name);
    if (config->power.self_idle > 0 && config->refresh != CMD_REFRESH_NONE && config->refresh != CMD_REFRESH_ALL_BANK)
        return fault_make(FAULT_INPUT, "command.self_refresh_idle is %lld; self-refresh goes with refresh: all-bank or "
                          "none", (long long)config->power.self_idle);
    count = channel->device.count[channel->spec->power.level];
    channel->power = cmd_channel_take(channel, sizeof *channel->power);
    if (!channel->power)
        return fault_memory("memory", "a channel");
    channel->power->count = count;
    channel->power->ranks = cmd_channel_take(channel, count * sizeof *channel->power->ranks);
    if (!channel->power->ranks)
        return fault_memory("memory", "a channel");
    for (uint32_t node = 0; node < count; node++)
        channel->power->ranks[node].exit_at = CMD_NEVER;
    channel->counts_waiting = true;
    channel->next_power = 1;
    return fault_none();
}
