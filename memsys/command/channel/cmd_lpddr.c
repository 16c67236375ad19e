/* LPDDR5 and LPDDR6 (5.5): a row is opened by ACT1 and, before a deadline, ACT2; the write clock must be
 * synchronised by a CAS before the first access after it has stopped, and the access follows it at once. */
#include "memsys/command/channel/cmd_internal.h"

#include <string.h>

#include "base/arith.h"

static bool has_deadline(const struct cmd_channel *channel, uint32_t bank)
{
    return channel->lpddr.deadline[bank] != CMD_NEVER;
}

/* While a row is half open: no other ACT1, and nothing that closes or refreshes its bank. */
static int64_t admit(struct cmd_channel *channel, const struct cmd_request *request, enum cmd_queue_name queue,
                     enum cmd_slot slot, int64_t tick)
{
    const struct cmd_command_row *const command = &channel->spec->command[request->command];
    struct cmd_targets targets;

    (void)slot;
    if (queue == CMD_QUEUE_ACTIVATING)
        return tick;
    if (channel->lpddr.deadlines == 0)
        return queue != CMD_QUEUE_ACTIVE && request->command == channel->spec->activate_second ? CMD_NEVER : tick;
    if (channel->lpddr.cas_of[request->command] != CMD_NONE || channel->lpddr.is_cas[request->command])
        return tick;
    if (request->command == channel->spec->activate || !(command->closing || command->refreshing))
        return CMD_NEVER;
    targets = cmd_device_targets(&channel->device, request->command, request->vector);
    CMD_EACH_TARGET(bank, &channel->device, targets, request->vector)
        if (has_deadline(channel, bank))
            return CMD_NEVER;
    return tick;
}

/* Of the half-open rows whose ACT2 may be issued by tick `clk`, the one with the least deadline, then age; pick.tick
 * is CMD_NEVER if no row qualifies, and *next when there may be. only_due: those whose deadline has come. */
static struct cmd_pick second_half(struct cmd_channel *channel, bool only_due, int64_t *next)
{
    const struct cmd_queue *const queue = &channel->queues[CMD_QUEUE_ACTIVATING];
    struct cmd_pick best = {NULL, CMD_NEVER, CMD_QUEUE_ACTIVATING};
    int64_t best_deadline = CMD_NEVER;

    *next = CMD_NEVER;
    for (struct cmd_request *request = queue->first; request; request = request->next) {
        int64_t const deadline = channel->lpddr.deadline[request->bank];
        int64_t ready = cmd_device_bank_ready(&channel->device, channel->spec->activate_second, request->bank);

        request->command = channel->spec->activate_second;
        ready = only_due && deadline > ready ? deadline : ready;
        *next = ready < *next ? ready : *next;
        if (ready > channel->clk)
            continue;
        if (!best.request || deadline < best_deadline
            || (deadline == best_deadline && request->arrive < best.request->arrive)) {
            best.request = request;
            best.tick = channel->clk;
            best_deadline = deadline;
        }
    }
    return best;
}

static void issue_second_half(struct cmd_channel *channel, struct cmd_pick pick, uint64_t *counter)
{
    uint32_t const bank = pick.request->bank;

    cmd_count_row(channel, pick.request);
    cmd_issue(channel, pick.request);
    cmd_promote(channel, pick);
    channel->lpddr.deadline[bank] = CMD_NEVER;
    channel->lpddr.deadlines--;
    ++*counter;
}

static void extend(struct cmd_channel *channel, unsigned command)
{
    int64_t const end = channel->clk + channel->lpddr.burst[command];

    if (!channel->config->wck_always_on && end > channel->lpddr.expiry)
        channel->lpddr.expiry = end;
}

static int64_t continue_after_cas(struct cmd_channel *channel)
{
    struct cmd_pick const pick = channel->lpddr.after_cas;
    int64_t const ready = cmd_device_bank_ready(&channel->device, pick.request->command, pick.request->bank);

    if (ready > channel->clk)
        return ready;
    channel->lpddr.after_cas.request = NULL;
    if (cmd_mends(channel->config, CMD_MEND_IDLE_PRECHARGE))
        cmd_row_policy_upgrade(channel, pick.request);
    extend(channel, pick.request->command);
    channel->stats.cas_issued++;
    cmd_count_row(channel, pick.request);
    cmd_issue(channel, pick.request);
    if (pick.request->command == pick.request->final)
        cmd_retire(channel, pick);
    return channel->clk + 1;
}

static bool is_deadline_near(const struct cmd_channel *channel)
{
    const struct cmd_queue *const queue = &channel->queues[CMD_QUEUE_ACTIVATING];

    for (const struct cmd_request *request = queue->first; request; request = request->next)
        if (channel->lpddr.deadline[request->bank] <= channel->clk + channel->lpddr.guard)
            return true;
    return false;
}

/* An access for which the write clock does not run: a CAS goes first. */
static void synchronise(struct cmd_channel *channel, struct cmd_pick pick)
{
    uint16_t const access = pick.request->command;
    unsigned const cas = (unsigned)channel->lpddr.cas_of[access];
    struct cmd_pick deferred;
    int64_t next;

    if (is_deadline_near(channel)) {
        deferred = second_half(channel, false, &next);
        if (deferred.request)
            issue_second_half(channel, deferred, &channel->stats.act2_deferred);
        else
            cmd_fail(channel,
                     fault_make(FAULT_STALL, "channel %u: tick %lld: a CAS would pass the deadline of an ACT2 that is "
                                             "not ready; nAAD must be a multiple of the commands' cycles",
                                             channel->number,
                                         (long long)channel->clk));
        return;
    }
    if (cmd_device_bank_ready(&channel->device, cas, pick.request->bank) > channel->clk)
        return;
    pick.request->command = (uint16_t)cas;
    cmd_issue(channel, pick.request);
    pick.request->command = access;
    channel->lpddr.after_cas = pick;
}

static void begin_activation(struct cmd_channel *channel, struct cmd_pick pick)
{
    if (pick.queue == CMD_QUEUE_WRITE && !cmd_mends(channel->config, CMD_MEND_FORWARD_ACTIVE))
        cmd_waiting_remove(channel, pick.request->address);
    cmd_queue_remove(channel, pick.queue, pick.request);
    cmd_queue_append(channel, CMD_QUEUE_ACTIVATING, pick.request);
    channel->lpddr.deadline[pick.request->bank] = channel->clk + channel->lpddr.activate_gap;
    channel->lpddr.deadlines++;
}

static void serve(struct cmd_channel *channel, struct cmd_pick pick)
{
    struct cmd_request *const request = pick.request;

    cmd_row_policy_upgrade(channel, request);
    if (channel->lpddr.cas_of[request->command] != CMD_NONE) {
        extend(channel, request->command);
        channel->stats.cas_skipped++;
    }
    cmd_count_row(channel, request);
    cmd_issue(channel, request);
    if (request->command == channel->spec->activate && request->final != request->command)
        begin_activation(channel, pick);
    else
        cmd_advance(channel, pick);
}

static int64_t choose(struct cmd_channel *channel)
{
    int64_t const clk = channel->clk;
    int64_t urgent_next, deferred_next;
    struct cmd_pick const urgent = second_half(channel, true, &urgent_next);
    struct cmd_pick best, behind, deferred;

    if (channel->lpddr.after_cas.request)
        return continue_after_cas(channel);
    if (urgent.request) {
        issue_second_half(channel, urgent, &channel->stats.act2_deadline_forced);
        return clk + 1;
    }
    best = cmd_best(channel, CMD_QUEUE_ACTIVE, CMD_SLOT_ANY);
    if (best.tick > clk) {
        behind = cmd_best_behind_active(channel, CMD_SLOT_ANY);
        best = behind.tick < best.tick ? behind : best;
    }
    deferred = second_half(channel, false, &deferred_next);
    if (best.tick > clk) {
        if (!deferred.request) {
            int64_t const next = urgent_next < deferred_next ? urgent_next : deferred_next;

            return best.tick < next ? best.tick : next;
        }
        issue_second_half(channel, deferred, &channel->stats.act2_deferred);
        return clk + 1;
    }
    if (channel->lpddr.cas_of[best.request->command] != CMD_NONE && !channel->config->wck_always_on
        && clk >= channel->lpddr.expiry)
        synchronise(channel, best);
    else
        serve(channel, best);
    return clk + 1;
}

/* How long an access keeps the write clock running. */
static void init_access(struct cmd_channel *channel, unsigned command, bool is_six)
{
    const struct cmd_spec *const spec = channel->spec;
    const char *const name = spec->command[command].name;
    bool const is_read = *name == 'R';
    size_t const length = strlen(name);
    bool const is_long = length > 2 && strcmp(name + length - 2, "_L") == 0;
    const char *const latency = is_six ? (is_read ? "nRL" : "nWL") : is_read ? "nCL" : "nCWL";

    channel->lpddr.cas_of[command] = (int16_t)cmd_spec_command(spec, is_six ? "CAS" : is_read ? "CAS_RD" : "CAS_WR");
    channel->lpddr.burst[command] = cmd_spec_time(spec, latency) + cmd_spec_time(spec, is_long ? "nBL_min_L"
                                                                                 : "nBL_min")
        + cmd_spec_time(spec, "nWCKPST");
}

static struct fault init(struct cmd_channel *channel)
{
    const struct cmd_spec *const spec = channel->spec;
    struct cmd_lpddr_state *const lpddr = &channel->lpddr;
    bool const is_six = cmd_spec_command(spec, "CAS") != CMD_NONE;

    if (cmd_spec_command(spec, "ACT2") == CMD_NONE || (!is_six && cmd_spec_command(spec, "CAS_RD") == CMD_NONE))
        return fault_make(FAULT_INPUT, "controller: lpddr5 and lpddr6 need ACT1, ACT2 and CAS; %s has none",
                          spec->standard->name);
    lpddr->guard = is_six && cmd_spec_time(spec, "nCAS") > 2 ? cmd_spec_time(spec, "nCAS") : is_six ? 2 : 1;
    lpddr->activate_gap = cmd_spec_time(spec, "nAAD");
    lpddr->after_cas.request = NULL;
    if (lpddr->activate_gap < 1 || lpddr->activate_gap % spec->ticks[spec->activate] != 0)
        return fault_make(FAULT_INPUT, "controller: nAAD is %lld; it must be a multiple of the %u cycles of a command",
                          (long long)lpddr->activate_gap, spec->ticks[spec->activate]);
    lpddr->deadline = cmd_channel_take(channel, spec->bank_count * sizeof *lpddr->deadline);
    if (!lpddr->deadline)
        return fault_memory("memory", "a channel");
    for (uint32_t bank = 0; bank < spec->bank_count; bank++)
        lpddr->deadline[bank] = CMD_NEVER;
    for (unsigned i = 0; i < CMD_COMMANDS; i++)
        lpddr->cas_of[i] = CMD_NONE;
    for (unsigned i = 0; i < spec->command_count; i++) {
        lpddr->is_cas[i] = strncmp(spec->command[i].name, "CAS", 3) == 0;
        if (spec->command[i].accessing)
            init_access(channel, i, is_six);
    }
    return fault_none();
}

const struct cmd_controller cmd_lpddr = {.choose = choose, .admit = admit, .init = init};
