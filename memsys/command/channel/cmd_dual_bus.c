/* HBM: a column and a row command a tick (5.2); HBM3 and HBM4 in half ticks (5.3): column commands and most row
 * commands on rising edges, precharges on falling edges, too. Active requests are not looked at for row commands
 * (odd behaviour 3). */
#include "memsys/command/channel/cmd_internal.h"

static struct fault refuse_closed_after(struct cmd_channel *channel)
{
    if (channel->config->row_policy == CMD_ROW_POLICY_CLOSED_AFTER && !channel->config->accepts_stalls
        && !cmd_mends(channel->config, CMD_MEND_AUTO_PRECHARGE))
        return fault_make(FAULT_INPUT, "row_policy: closed-after cannot work on a controller with two buses in exact "
                                       "mode: an access that closes a row which another request waits for leaves that "
                                       "one without a row for ever; take sane mode, or mend auto-precharge");
    return fault_none();
}

static int64_t earlier(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static int64_t admit_bus(struct cmd_channel *channel, const struct cmd_request *request, enum cmd_queue_name queue,
                         enum cmd_slot slot, int64_t tick)
{
    uint32_t const bus = slot == CMD_SLOT_COLUMN ? channel->column_bus : channel->row_bus;

    (void)queue;
    return bus >> request->command & 1 ? tick : CMD_NEVER;
}

/* Column slot: active requests first. True: it issued a command; else *next is when it may. */
static bool serve_slot(struct cmd_channel *channel, enum cmd_slot slot, int64_t *next)
{
    struct cmd_pick best = {NULL, CMD_NEVER, CMD_QUEUE_ACTIVE}, behind;

    if (slot == CMD_SLOT_COLUMN)
        best = cmd_best(channel, CMD_QUEUE_ACTIVE, slot);
    if (best.tick > channel->clk) {
        behind = cmd_best_behind_active(channel, slot);
        best = behind.tick < best.tick ? behind : best;
    }
    *next = best.tick;
    if (best.tick > channel->clk)
        return false;
    cmd_serve(channel, best);
    return true;
}

static int64_t choose(struct cmd_channel *channel)
{
    int64_t column, row;
    bool is_issued = serve_slot(channel, CMD_SLOT_COLUMN, &column);

    is_issued = serve_slot(channel, CMD_SLOT_ROW, &row) || is_issued;
    return is_issued ? channel->clk + 1 : earlier(column, row);
}

const struct cmd_controller cmd_dual_bus = {.choose = choose, .admit = admit_bus, .init = refuse_closed_after,
                                            .is_dual_bus = true};

/* ---- half ticks */
static bool is_rising(int64_t tick)
{
    return tick & 1;
}

static bool is_all_bank(const struct cmd_channel *channel, unsigned command)
{
    return channel->spec->command[command].target_all;
}

/* Of a pseudo-channel. */
static int32_t bank_key(const struct cmd_channel *channel, const int32_t *vector)
{
    const struct cmd_spec *const spec = channel->spec;
    int32_t bank = 0;

    for (unsigned level = 2; level <= spec->bank_level; level++)
        bank = bank * (int32_t)spec->size[level] + vector[level];
    return bank;
}

/* A precharge on the falling edge behind a row command of the same bank, or of all banks of its pseudo-channel. */
static bool is_forbidden(const struct cmd_channel *channel, const struct cmd_request *request, int64_t tick)
{
    const struct cmd_half_tick_state *const pair = &channel->half;

    if (tick != pair->edge || pair->pseudo_channel != request->vector[1])
        return false;
    return pair->is_all || is_all_bank(channel, request->command) || bank_key(channel, request->vector) == pair->bank;
}

static int64_t admit_edge(struct cmd_channel *channel, const struct cmd_request *request, enum cmd_queue_name queue,
                         enum cmd_slot slot, int64_t tick)
{
    const struct cmd_spec *const spec = channel->spec;

    if (admit_bus(channel, request, queue, slot, tick) == CMD_NEVER)
        return CMD_NEVER;
    if (is_rising(tick))
        return tick;
    if (slot == CMD_SLOT_COLUMN || (request->command != spec->precharge && request->command != spec->precharge_all))
        return tick + 1;
    return is_forbidden(channel, request, tick) ? tick + 1 : tick;
}

static bool serve_row(struct cmd_channel *channel, int64_t *next)
{
    struct cmd_pick const best = cmd_best_behind_active(channel, CMD_SLOT_ROW);
    struct cmd_half_tick_state *const pair = &channel->half;
    uint16_t command;
    int32_t vector[CMD_LEVELS];

    *next = best.tick;
    if (best.tick > channel->clk)
        return false;
    command = best.request->command;
    for (unsigned level = 0; level <= channel->spec->bank_level; level++)
        vector[level] = best.request->vector[level];
    cmd_serve(channel, best);
    if (is_rising(channel->clk)) {
        pair->is_all = is_all_bank(channel, command);
        pair->pseudo_channel = vector[1];
        pair->bank = bank_key(channel, vector);
        pair->edge = channel->clk + (command == channel->spec->activate ? 3 : 1);
        cmd_forget_slot(channel, CMD_SLOT_ROW);
    }
    return true;
}

static int64_t choose_half_tick(struct cmd_channel *channel)
{
    int64_t column = CMD_NEVER, row;
    bool is_issued = is_rising(channel->clk) && serve_slot(channel, CMD_SLOT_COLUMN, &column);

    is_issued = serve_row(channel, &row) || is_issued;
    if (is_issued)
        return channel->clk + 1;
    if (!is_rising(channel->clk))
        column = earlier(cmd_best(channel, CMD_QUEUE_ACTIVE, CMD_SLOT_COLUMN).tick,
                         cmd_best_behind_active(channel, CMD_SLOT_COLUMN).tick);
    return earlier(column, row);
}

static struct fault init_half_tick(struct cmd_channel *channel)
{
    const struct cmd_spec *const spec = channel->spec;

    channel->half.edge = -1;
    if (cmd_spec_level(spec, "PseudoChannel") != 1)
        return fault_make(FAULT_INPUT, "controller: dual-bus-half-tick needs PseudoChannel as first level; %s has %s",
                          spec->standard->name, spec->standard->levels[1]);
    return refuse_closed_after(channel);
}

const struct cmd_controller cmd_half_tick = {.choose = choose_half_tick, .admit = admit_edge, .init = init_half_tick,
                                             .is_dual_bus = true};

/* ---- GDDR7 (5.4): the read clock */
static bool reads_wait(const struct cmd_channel *channel)
{
    const struct cmd_queue *const active = &channel->queues[CMD_QUEUE_ACTIVE];

    for (const struct cmd_request *request = active->first; request; request = request->next)
        if (request->kind == CMD_READ)
            return true;
    return channel->queues[CMD_QUEUE_READ].count > 0;
}

/* The command that the read clock needs, and when; CMD_NEVER: none until something changes. */
static int64_t clock_due(const struct cmd_channel *channel, uint8_t *command, int32_t *vector)
{
    const struct cmd_gddr7_state *const gddr7 = &channel->gddr7;
    enum cmd_rck_kind const mode = channel->config->rck;
    bool const is_waiting = mode != CMD_RCK_ALWAYS_ON && reads_wait(channel);
    bool const starts = mode == CMD_RCK_WITH_START && !gddr7->is_toggling && is_waiting;
    int64_t ready, idle;

    if (!starts && (mode == CMD_RCK_ALWAYS_ON || !gddr7->is_toggling || gddr7->last_read < 0 || is_waiting))
        return CMD_NEVER;
    *command = starts ? gddr7->start : gddr7->stop;
    cmd_device_vector(&channel->device, 0, 0, vector);
    ready = cmd_device_ready(&channel->device, *command, vector);
    idle = starts ? channel->clk : gddr7->last_read + channel->config->rck_idle;
    return ready > idle ? ready : idle;
}

static void issue_clock(struct cmd_channel *channel, uint8_t command, const int32_t *vector)
{
    struct cmd_request request = {.address = UINT64_MAX, .arrive = -1, .depart = -1, .source = -1, .kind = CMD_INTERNAL,
                                  .final = command, .command = command};

    for (unsigned level = 0; level < channel->spec->level_count; level++)
        request.vector[level] = vector[level];
    channel->gddr7.is_toggling = command == channel->gddr7.start;
    channel->stats.num_rckstrt_issued += command == channel->gddr7.start;
    channel->stats.num_rckstop_issued += command == channel->gddr7.stop;
    cmd_issue(channel, &request);
}

static int64_t admit_clock(struct cmd_channel *channel, const struct cmd_request *request, enum cmd_queue_name queue,
                         enum cmd_slot slot, int64_t tick)
{
    const struct cmd_gddr7_state *const gddr7 = &channel->gddr7;
    bool const is_read = request->command == gddr7->read || request->command == gddr7->read_auto;

    if (is_read && channel->config->rck == CMD_RCK_WITH_START && !gddr7->is_toggling)
        return CMD_NEVER;
    return admit_bus(channel, request, queue, slot, tick);
}

static uint64_t reads_issued(const struct cmd_channel *channel)
{
    return channel->stats.commands[channel->gddr7.read] + channel->stats.commands[channel->gddr7.read_auto];
}

static int64_t choose_gddr7(struct cmd_channel *channel)
{
    struct cmd_gddr7_state *const gddr7 = &channel->gddr7;
    uint64_t const reads = reads_issued(channel);
    int32_t vector[CMD_LEVELS];
    uint8_t command = 0;
    int64_t clock = clock_due(channel, &command, vector), column = CMD_NEVER, row;
    bool is_issued = clock <= channel->clk;

    if (is_issued)
        issue_clock(channel, command, vector);
    else
        is_issued = serve_slot(channel, CMD_SLOT_COLUMN, &column);
    is_issued = serve_slot(channel, CMD_SLOT_ROW, &row) || is_issued;
    if (reads_issued(channel) != reads) {
        gddr7->last_read = channel->clk;
        gddr7->is_toggling |= channel->config->rck == CMD_RCK_WITH_READ;
    }
    return is_issued ? channel->clk + 1 : earlier(earlier(column, row), clock);
}

static struct fault init_gddr7(struct cmd_channel *channel)
{
    const char *const names[] = {"RCKSTRT", "RCKSTOP", "RD", "RDA"};
    uint8_t *const commands[] = {&channel->gddr7.start, &channel->gddr7.stop, &channel->gddr7.read,
                                 &channel->gddr7.read_auto};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int const command = cmd_spec_command(channel->spec, names[i]);

        if (command == CMD_NONE)
            return fault_make(FAULT_INPUT, "controller: gddr7 needs the command %s; %s has none", names[i],
                              channel->spec->standard->name);
        *commands[i] = (uint8_t)command;
    }
    channel->gddr7.is_toggling = channel->config->rck == CMD_RCK_ALWAYS_ON;
    channel->gddr7.last_read = -1;
    return refuse_closed_after(channel);
}

const struct cmd_controller cmd_gddr7 = {.choose = choose_gddr7, .admit = admit_clock, .init = init_gddr7,
                                         .is_dual_bus = true};
