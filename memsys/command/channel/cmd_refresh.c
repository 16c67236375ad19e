/* Refresh managers (8), a row of functions each: internal requests at their dates. Refreshes of all banks may be
 * postponed; none is pulled in.
 *
 * Postponed: a refresh that falls due while requests wait for its rank is owed; it is sent once none waits, the next
 * one after it was issued. More than `postponed` are never owed: one more is sent at once, so that two refreshes of a
 * rank are at most postponed + 1 intervals apart (JESD79-4 4.26: 9 tREFI; JESD79-5 4.13: 5 tREFI).
 * Not modelled: refreshes pulled in ahead of their dates. */
#include "memsys/command/channel/cmd_internal.h"

#include <string.h>

/* A pseudo-channel and stack: which of its banks have been refreshed in this round. */
struct refresh_set {
    uint32_t done;
    int64_t allowed;
    bool *is_done;
};

/* A node whose refreshes may be postponed. */
struct refresh_node {
    uint32_t waiting;                    /* requests for its banks, in any queue, but for its refresh */
    uint32_t owed;
    bool is_sent;                        /* one is in the priority queue */
};

struct cmd_refresh_policy {
    const char *command, *interval, *time;
    struct fault (*init)(struct cmd_channel *channel);
    void (*tick)(struct cmd_channel *channel);
};

struct cmd_refresh_state {
    const struct cmd_refresh_policy *policy;
    struct refresh_node *postponing;     /* a node; NULL: none may be postponed */
    int64_t interval;
    unsigned level;                      /* all-bank: of the nodes */
    uint32_t nodes, next;                /* next: the node, or bank, that is next */
    int64_t *due;                        /* all-bank: a node */
    struct refresh_set *sets;            /* paired banks: [pseudo-channel * stacks + stack] */
    uint32_t pseudo_channels, stacks, banks;     /* banks: of a stack */
    uint32_t stack, bank;                /* position */
    uint32_t todo;                       /* pseudo-channels whose bank has not been sent yet: the last ones */
    uint32_t todo_stack, todo_bank;
};

static struct fault refuse(const struct cmd_channel *channel, const char *text)
{
    return fault_make(FAULT_INPUT, "refresh: %s %s", channel->spec->standard->name, text);
}

static void send(struct cmd_channel *channel, const int32_t *vector)
{
    if (!cmd_priority_send(channel, channel->refresh_command, vector))
        cmd_fail(channel,
                 fault_make(FAULT_STALL, "channel %u: tick %lld: a refresh finds all %u entries of the priority queue "
                                         "taken; give priority_queue more, or refresh less", channel->number,
                                     (long long)channel->clk, channel->config->priority_queue));
}

/* ---- all banks of a node at a time */
static void all_bank_tick(struct cmd_channel *channel)
{
    struct cmd_refresh_state *const refresh = channel->refresh;

    channel->next_refresh = CMD_NEVER;
    for (uint32_t node = 0; node < refresh->nodes; node++) {
        int32_t vector[CMD_LEVELS];

        if (channel->clk >= refresh->due[node]) {
            refresh->due[node] += refresh->interval;
            cmd_device_vector(&channel->device, refresh->level, node, vector);
            if (!cmd_power_refreshes_itself(channel, vector))
                send(channel, vector);
        }
        channel->next_refresh = refresh->due[node] < channel->next_refresh ? refresh->due[node] : channel->next_refresh;
    }
}

static void postponing_tick(struct cmd_channel *channel)
{
    struct cmd_refresh_state *const refresh = channel->refresh;
    uint32_t const most = channel->config->postponed;

    channel->next_refresh = CMD_NEVER;
    for (uint32_t i = 0; i < refresh->nodes; i++) {
        struct refresh_node *const node = &refresh->postponing[i];
        int32_t vector[CMD_LEVELS];

        cmd_device_vector(&channel->device, refresh->level, i, vector);
        if (channel->clk >= refresh->due[i]) {
            refresh->due[i] += refresh->interval;
            node->owed += !cmd_power_refreshes_itself(channel, vector);
            channel->stats.refreshes_postponed += node->waiting > 0 && node->owed <= most;
            channel->stats.refreshes_forced += node->waiting > 0 && node->owed > most;
        }
        if (node->owed > 0 && !node->is_sent && (node->waiting == 0 || node->owed > most)) {
            node->owed--;
            node->is_sent = true;
            send(channel, vector);
        }
        channel->next_refresh = refresh->due[i] < channel->next_refresh ? refresh->due[i] : channel->next_refresh;
    }
}

void cmd_refresh_waiting(struct cmd_channel *channel, const struct cmd_request *request, int change)
{
    struct cmd_refresh_state *const refresh = channel->refresh;
    bool const is_refresh = request->kind == CMD_INTERNAL && request->final == channel->refresh_command;
    struct cmd_nodes nodes;

    if (!refresh || !refresh->postponing)
        return;
    nodes = cmd_device_nodes(&channel->device, refresh->level, request->vector);
    for (uint32_t i = nodes.first; i < nodes.end; i++) {
        struct refresh_node *const node = &refresh->postponing[i];

        node->waiting += is_refresh ? 0 : (uint32_t)change;
        node->is_sent = node->is_sent && !(is_refresh && change < 0);
        if (node->waiting == 0 && node->owed > 0 && change < 0)
            channel->next_refresh = channel->clk + 1;
    }
}

static struct fault postponing_init(struct cmd_channel *channel)
{
    struct cmd_refresh_state *const refresh = channel->refresh;
    const char *const name = channel->spec->standard->name;
    uint32_t const most = strncmp(name, "DDR5", 4) == 0 ? 4 : 8, given = channel->config->postponed;

    if (given > most)
        return fault_make(FAULT_INPUT, "command.postponed_refreshes is %u; %s may postpone at most %u", given, name,
                          most);
    refresh->postponing = cmd_channel_take(channel, refresh->nodes * sizeof *refresh->postponing);
    channel->counts_waiting |= refresh->postponing != NULL;
    return refresh->postponing ? fault_none() : fault_memory("memory", "refresh");
}

static void all_bank_or_postponing_tick(struct cmd_channel *channel)
{
    if (channel->refresh->postponing)
        postponing_tick(channel);
    else
        all_bank_tick(channel);
}

static struct fault all_bank_init(struct cmd_channel *channel)
{
    const struct cmd_standard *const standard = channel->spec->standard;
    const char *scope = standard->all_bank_refresh;
    struct cmd_refresh_state *const refresh = channel->refresh;
    int64_t const stagger = channel->config->stagger;

    if (!scope && cmd_mends(channel->config, CMD_MEND_VARIANT_REFRESH))
        scope = standard->parent_refresh;
    if (!scope || cmd_spec_level(channel->spec, scope) == CMD_NONE)
        return refuse(channel, "has no all-bank refresh in the published model; mode sane has one");
    refresh->level = (unsigned)cmd_spec_level(channel->spec, scope);
    refresh->nodes = channel->device.count[refresh->level];
    if (stagger < 0 || stagger > refresh->interval / refresh->nodes)
        return refuse(channel, "cannot refresh that staggered: stagger times ranks must not exceed nREFI");
    refresh->due = cmd_channel_take(channel, refresh->nodes * sizeof *refresh->due);
    if (!refresh->due)
        return fault_memory("memory", "refresh");
    for (uint32_t node = 0; node < refresh->nodes; node++)
        refresh->due[node] = stagger > 0 ? (node + 1) * stagger : refresh->interval;
    channel->next_refresh = refresh->due[0];
    return channel->config->postponed > 0 ? postponing_init(channel) : fault_none();
}

/* ---- one bank after the other */
static void per_bank_tick(struct cmd_channel *channel)
{
    struct cmd_refresh_state *const refresh = channel->refresh;
    int32_t vector[CMD_LEVELS];

    channel->next_refresh += refresh->interval;
    cmd_device_vector(&channel->device, channel->spec->bank_level, refresh->next, vector);
    send(channel, vector);
    refresh->next = (refresh->next + 1) % channel->spec->bank_count;
}

static struct fault per_bank_init(struct cmd_channel *channel)
{
    channel->next_refresh = channel->refresh->interval;
    return fault_none();
}

/* ---- pairs: the same bank of each pseudo-channel */
/* Sends the next one of a pair; true: there was one to send. */
static bool serve_pair(struct cmd_channel *channel)
{
    struct cmd_refresh_state *const refresh = channel->refresh;
    uint32_t const pseudo_channel = refresh->pseudo_channels - refresh->todo;
    uint32_t const place = pseudo_channel * refresh->stacks + refresh->todo_stack;
    struct refresh_set *const set = &refresh->sets[place];
    int32_t vector[CMD_LEVELS];

    if (refresh->todo == 0)
        return false;
    cmd_device_vector(&channel->device, channel->spec->bank_level, place * refresh->banks + refresh->todo_bank, vector);
    if (!cmd_priority_send(channel, channel->refresh_command, vector))
        return true;
    refresh->todo--;
    set->done += !set->is_done[refresh->todo_bank];
    set->is_done[refresh->todo_bank] = true;
    if (set->done == refresh->banks) {
        memset(set->is_done, 0, refresh->banks * sizeof *set->is_done);
        set->done = 0;
        set->allowed = channel->clk + cmd_spec_time(channel->spec, "nRFCpb");
    }
    return true;
}

static void pairs_tick(struct cmd_channel *channel)
{
    struct cmd_refresh_state *const refresh = channel->refresh;
    int64_t const clk = channel->clk;
    int64_t allowed = 0;

    channel->next_refresh = clk + 1;
    if (serve_pair(channel)) {
        channel->next_refresh = refresh->todo || refresh->due[0] <= clk ? clk + 1 : refresh->due[0];
        return;
    }
    for (uint32_t i = 0; i < refresh->pseudo_channels; i++)
        if (refresh->sets[i * refresh->stacks + refresh->stack].allowed > allowed)
            allowed = refresh->sets[i * refresh->stacks + refresh->stack].allowed;
    if (clk < refresh->due[0]) {
        channel->next_refresh = refresh->due[0];
        return;
    }
    if (clk < allowed) {                 /* asked again each tick until then: the later dates move along, unless
                                            that is mended */
        if (!cmd_mends(channel->config, CMD_MEND_REFRESH_GRID))
            refresh->due[0] = allowed;
        channel->next_refresh = allowed;
        return;
    }
    refresh->todo = refresh->pseudo_channels;
    refresh->todo_stack = refresh->stack;
    refresh->todo_bank = refresh->bank;
    if (++refresh->bank == refresh->banks) {
        refresh->bank = 0;
        refresh->stack = (refresh->stack + 1) % refresh->stacks;
    }
    serve_pair(channel);
    refresh->due[0] += refresh->interval;
    channel->next_refresh = refresh->todo || refresh->due[0] <= clk ? clk + 1 : refresh->due[0];
}

static struct fault pairs_init(struct cmd_channel *channel)
{
    const struct cmd_spec *const spec = channel->spec;
    struct cmd_refresh_state *const refresh = channel->refresh;
    int const pseudo_channel = cmd_spec_level(spec, "PseudoChannel"), stack = cmd_spec_level(spec, "Sid");
    size_t sets;

    if (pseudo_channel == CMD_NONE)
        return refuse(channel, "has no pseudo-channels, whose banks could be refreshed in pairs");
    refresh->pseudo_channels = spec->size[pseudo_channel];
    refresh->stacks = stack == CMD_NONE ? 1 : spec->size[stack];
    refresh->banks = spec->bank_count / refresh->pseudo_channels / refresh->stacks;
    sets = (size_t)refresh->pseudo_channels * refresh->stacks;
    refresh->sets = cmd_channel_take(channel, sets * sizeof *refresh->sets);
    refresh->due = cmd_channel_take(channel, sizeof *refresh->due);
    if (!refresh->sets || !refresh->due)
        return fault_memory("memory", "refresh");
    for (size_t i = 0; i < sets; i++) {
        refresh->sets[i].is_done = cmd_channel_take(channel, refresh->banks * sizeof (bool));
        if (!refresh->sets[i].is_done)
            return fault_memory("memory", "refresh");
    }
    refresh->due[0] = channel->next_refresh = refresh->interval;
    return fault_none();
}

/* ---- all of them */
static const struct cmd_refresh_policy policies[] = {
    [CMD_REFRESH_ALL_BANK] = {"REFab", "nREFI", "nRFC", all_bank_init, all_bank_or_postponing_tick},
    [CMD_REFRESH_PER_BANK] = {"REFpb", "nREFIpb", "nRFCpb", per_bank_init, per_bank_tick},
    [CMD_REFRESH_PAIRED_BANKS] = {"REFpb", "nREFIpb", "nRFCpb", pairs_init, pairs_tick}
};

struct fault cmd_refresh_init(struct cmd_channel *channel)
{
    enum cmd_refresh_kind const kind = channel->config->refresh;
    const struct cmd_refresh_policy *const policy = &policies[kind];
    const struct cmd_spec *const spec = channel->spec;
    int command;
    int64_t interval;

    if (channel->config->postponed > 0 && kind != CMD_REFRESH_ALL_BANK)
        return fault_make(FAULT_INPUT, "command.postponed_refreshes is %u; refreshes of all banks can be postponed, so "
                          "give refresh: all-bank, or 0", channel->config->postponed);
    if (kind == CMD_REFRESH_NONE)
        return fault_none();
    command = cmd_spec_command(spec, policy->command);
    interval = cmd_spec_time(spec, policy->interval);
    if (command == CMD_NONE || interval == 0)
        return refuse(channel, kind == CMD_REFRESH_ALL_BANK ? "has no REFab, or no nREFI"
                                                            : "has no REFpb, or no nREFIpb");
    interval = (int64_t)((double)interval / channel->config->refresh_rate);
    if (interval <= cmd_spec_time(spec, policy->time) && kind == CMD_REFRESH_ALL_BANK)
        return refuse(channel, "would refresh without end: nREFI must exceed nRFC");
    if (interval < 1)
        return refuse(channel, "would refresh without end: nREFIpb must be at least 1");
    if (kind == CMD_REFRESH_PAIRED_BANKS && !spec->standard->paired_bank_refresh)
        return refuse(channel, "has no refresh of bank pairs; HBM2, HBM3 and HBM4 have");
    channel->refresh_command = (uint8_t)command;
    channel->refresh = cmd_channel_take(channel, sizeof *channel->refresh);
    if (!channel->refresh)
        return fault_memory("memory", "refresh");
    channel->refresh->policy = policy;
    channel->refresh->interval = interval;
    return policy->init(channel);
}

unsigned cmd_refresh_level(const struct cmd_channel *channel)
{
    return channel->refresh && channel->config->refresh == CMD_REFRESH_ALL_BANK ? channel->refresh->level : 0;
}

void cmd_refresh_tick(struct cmd_channel *channel)
{
    channel->refresh->policy->tick(channel);
}
