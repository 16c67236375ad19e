/* What a command does to ready times, put together once: without what no command can wait for, what another row bounds
 * more tightly, and what bounds commands that this configuration never issues.
 *
 * Commands that only the priority queue issues (refreshes, refresh management, precharges of all banks) are rare, and
 * what bounds them is put off: a command notes its tick at each node, and the bounds, which only grow with that tick,
 * are worked out when the priority queue has a request.
 *
 * A command to all banks of a node bounds everything below it alike, so the node itself is bounded. */
#include "memsys/command/fast/cmd_fast_program.h"

#include <string.h>

enum { MOST_ROWS = 64 };

struct draft {
    struct fast_step steps[CMD_LEVELS * CMD_COMMANDS];
    struct fast_window windows[MOST_ROWS];
    struct fast_sibling siblings[MOST_ROWS];
    struct fast_deferred deferred[CMD_COMMANDS * MOST_ROWS];
    unsigned step_count, window_count, sibling_count, deferred_count;
    bool is_for_all;                     /* the command has all banks of a node */
};

/* ---- running */
static void settle_node(const struct fast_deferred *of, uint32_t node)
{
    const int64_t *const banks = of->last + (size_t)node * of->banks;
    int64_t last = banks[0];

    for (uint32_t bank = 1; bank < of->banks; bank++)
        last = banks[bank] > last ? banks[bank] : last;
    if (last >= 0)
        fast_raise(&of->ready[node], last + of->latency);
}

void cmd_fast_settle(struct cmd_channel *channel)
{
    struct fast *const fast = fast_of(channel);

    if (fast->is_settled)
        return;
    fast->is_settled = true;
    for (unsigned i = 0; i < fast->deferred_count; i++) {
        const struct fast_deferred *const of = &fast->deferred[i];

        for (uint32_t node = 0; node < of->nodes; node++)
            settle_node(of, node);
    }
}

/* ---- making */
/* Commands that this configuration may issue. */
static uint32_t live_commands(const struct cmd_channel *channel)
{
    const struct cmd_config *const config = channel->config;
    const struct cmd_spec *const spec = channel->spec;
    uint32_t live = 0;

    for (unsigned command = 0; command < spec->command_count; command++) {
        const struct cmd_command_row *const row = &spec->command[command];
        bool const is_auto = row->accessing && row->closing;
        bool const is_refresh = row->refreshing && command != channel->refresh_command;

        if (is_auto ? config->row_policy != CMD_ROW_POLICY_OPEN : !is_refresh || config->mitigation_count > 0)
            live |= UINT32_C(1) << command;
    }
    return live;
}

static bool is_rare(const struct cmd_spec *spec, unsigned command)
{
    const struct cmd_command_row *const row = &spec->command[command];

    return row->target_all || row->needs == CMD_NEEDS_CLOSED_BANK || row->needs == CMD_NEEDS_CLOSED_ALL;
}

static bool defer(struct draft *draft, struct cmd_channel *channel, unsigned level, unsigned command,
                  const struct cmd_constraint *row)
{
    const struct cmd_device *const device = &channel->device;

    if (draft->deferred_count == CMD_COMMANDS * MOST_ROWS)
        return false;
    draft->deferred[draft->deferred_count++] = (struct fast_deferred){
        fast_of(channel)->programs[command].last, device->ready[row->following] + device->first[level], row->latency,
        device->count[level], device->banks_below[level]
    };
    return true;
}

static void add_step(struct draft *draft, const struct cmd_device *device, uint32_t place,
                     const struct cmd_constraint *row)
{
    int64_t *const ready = device->ready[row->following];
    int64_t const latency = row->latency;

    for (unsigned i = 0; i < draft->step_count; i++) {
        struct fast_step *const step = &draft->steps[i];

        if (step->place == place && step->ready == ready) {
            step->latency = latency > step->latency ? latency : step->latency;
            return;
        }
    }
    draft->steps[draft->step_count++] = (struct fast_step){ready, latency, place};
}

/* False: there are too many rows. */
static bool add_row(struct draft *draft, struct cmd_channel *channel, unsigned level, unsigned command,
                    const struct cmd_constraint *row)
{
    const struct cmd_device *const device = &channel->device;
    const struct cmd_spec *const spec = channel->spec;
    unsigned const of = spec->history_of[level][command];

    if (row->sibling) {
        if (spec->size[level] > 1)
            draft->siblings[draft->sibling_count++] = (struct fast_sibling){row->latency, (uint16_t)level,
                                                                            row->following};
        return draft->sibling_count < MOST_ROWS;
    }
    if (row->window > 1) {
        draft->windows[draft->window_count++] = (struct fast_window){
            device->ready[row->following], device->history[level][of] + row->window - 1, row->latency,
            device->place[level], device->first[level], device->window[level][of]
        };
        return draft->window_count < MOST_ROWS;
    }
    if (row->latency <= 0)
        return true;
    if (is_rare(spec, row->following) && !draft->is_for_all)
        return defer(draft, channel, level, command, row);
    add_step(draft, device, device->place[level], row);
    return true;
}

/* A constraint below the node of a command to all its banks; false: one that holds for single banks. */
static bool add_row_below(struct draft *draft, struct cmd_channel *channel, const struct cmd_constraint *row)
{
    const struct cmd_device *const device = &channel->device;

    if (row->window > 1)
        return false;
    if (!row->sibling && row->latency > 0)
        add_step(draft, device, device->place[fast_of(channel)->node_level], row);
    return true;
}

static void *keep(struct cmd_channel *channel, const void *items, size_t bytes)
{
    void *const kept = cmd_channel_take(channel, bytes);

    if (kept && bytes)
        memcpy(kept, items, bytes);
    return kept;
}

/* A constraint that reaches beyond the command's bank, or bank by bank in the case of siblings, but not to the whole
 * channel. */
static void note_held_up(const struct cmd_channel *channel, struct fast_program *program,
                         const struct cmd_constraint *row)
{
    const struct cmd_spec *const spec = channel->spec;

    for (unsigned queue = 0; queue < 2; queue++) {
        for (unsigned wish = 0; wish < FAST_WISHES; wish++)
            if (row->following == fast_of(channel)->queues[queue].candidates[wish].command)
                program->leaves[queue][wish] = ~FAST_NUMBERS;
    }
    program->holds_up_active |= row->following == spec->read_command || row->following == spec->write_command;
}

static struct fault compile(struct cmd_channel *channel, struct draft *draft, unsigned command, uint32_t live)
{
    const struct cmd_spec *const spec = channel->spec;
    const struct cmd_device *const device = &channel->device;
    struct fast_program *const program = &fast_of(channel)->programs[command];
    unsigned const deepest = spec->command[command].target_all ? fast_of(channel)->node_level : spec->bank_level;

    draft->step_count = draft->window_count = draft->sibling_count = 0;
    draft->is_for_all = spec->command[command].target_all;
    memset(program->leaves, UINT8_MAX, sizeof program->leaves);
    program->last = cmd_channel_take(channel, spec->bank_count * sizeof *program->last);
    if (!program->last)
        return fault_memory("memory", "the fast engine");
    for (uint32_t bank = 0; bank < spec->bank_count; bank++)
        program->last[bank] = -1;
    for (unsigned level = 0; level <= spec->bank_level; level++) {
        const struct cmd_constraint_list *const list = &spec->constraints[level][command];
        unsigned const of = spec->history_of[level][command];

        if (level > deepest && device->history[level][of])
            return fault_none();         /* the plain way */
        if (device->history[level][of])
            program->histories[program->history_count++] = (struct fast_history){
                device->history[level][of], device->place[level], device->first[level], device->window[level][of]};
        for (unsigned i = 0; i < list->count; i++) {
            if (device->place[level] > 0 && (level < spec->bank_level || list->rows[i].sibling))
                note_held_up(channel, program, &list->rows[i]);
            if (live >> list->rows[i].following & 1
                && !(level > deepest ? add_row_below(draft, channel, &list->rows[i])
                     : add_row(draft, channel, level, command, &list->rows[i])))
                return fault_none();     /* too many, or of too many kinds: the plain way */
        }
    }
    program->steps = keep(channel, draft->steps, draft->step_count * sizeof *draft->steps);
    program->windows = keep(channel, draft->windows, draft->window_count * sizeof *draft->windows);
    program->siblings = keep(channel, draft->siblings, draft->sibling_count * sizeof *draft->siblings);
    if (!program->steps || !program->windows || !program->siblings)
        return fault_memory("memory", "the fast engine");
    program->step_count = (uint16_t)draft->step_count;
    program->window_count = (uint16_t)draft->window_count;
    program->sibling_count = (uint16_t)draft->sibling_count;
    program->has_more = program->history_count > 0 || program->window_count > 0 || program->sibling_count > 0;
    program->is_set = true;
    return fault_none();
}

/* Where a command can be held up: what any command raises. */
static void find_routes(struct cmd_channel *channel)
{
    const struct cmd_spec *const spec = channel->spec;
    struct fast *const fast = fast_of(channel);
    uint32_t places[CMD_COMMANDS] = {0};

    for (unsigned level = 0; level <= spec->bank_level; level++) {
        for (unsigned command = 0; command < spec->command_count; command++) {
            const struct cmd_constraint_list *const list = &spec->constraints[level][command];

            for (unsigned i = 0; i < list->count; i++)
                places[list->rows[i].following] |= UINT32_C(1) << channel->device.place[level]
                    | UINT32_C(1) << channel->device.place[fast->node_level];
        }
    }
    for (unsigned command = 0; command < spec->command_count; command++) {
        struct fast_route *const route = &fast->routes[command];

        route->ready = channel->device.ready[command];
        for (unsigned place = 1; place < channel->device.path_length; place++) {
            if (places[command] >> place & 1)
                route->places[route->count++] = (uint16_t)place;
        }
        fast->is_deep |= route->count > 2;
        for (unsigned queue = 0; queue < 2; queue++)
            for (unsigned wish = 0; wish < FAST_WISHES; wish++)
                if (fast->queues[queue].candidates[wish].command == command)
                    fast->queues[queue].candidates[wish].route = *route;
    }
}

/* Pseudo-channels, ranks: nodes below the channel that bound many banks alike. */
static void find_parts(struct cmd_channel *channel)
{
    enum { MOST_PARTS = 4, LEAST_BANKS = 16 };
    const struct cmd_device *const device = &channel->device;

    for (unsigned level = 1; level <= channel->spec->bank_level; level++)
        if (device->place[level] == 1 && device->count[level] <= MOST_PARTS && device->count[level] > 1
            && device->banks_below[level] >= LEAST_BANKS)
            fast_of(channel)->parts = device->count[level];
}

struct fault cmd_fast_compile(struct cmd_channel *channel)
{
    struct fast *const fast = fast_of(channel);
    uint32_t const live = live_commands(channel);
    struct draft draft = {.deferred_count = 0};

    fast->node_level = cmd_refresh_level(channel);
    find_parts(channel);
    find_routes(channel);
    for (unsigned command = 0; command < channel->spec->command_count; command++)
        FORWARD(compile(channel, &draft, command, live));
    fast->deferred = keep(channel, draft.deferred, draft.deferred_count * sizeof *draft.deferred);
    fast->deferred_count = draft.deferred_count;
    return fast->deferred ? fault_none() : fault_memory("memory", "the fast engine");
}
