/* A node's ready time of a command is the largest of all bounds that earlier commands have set there; a command may
 * be issued when the ready times of all nodes on the way to its banks have come. A bank with several open rows does
 * not occur: a row is opened in closed banks, or again. */
#include "memsys/command/channel/cmd_device.h"

#include <stdlib.h>
#include <string.h>

enum { NEVER_ISSUED = -1 };

static struct fault no_memory(struct cmd_device *device)
{
    cmd_device_free(device);
    return fault_memory("memory", "the banks of a channel");
}

static bool init_history(struct cmd_device *device, unsigned level, unsigned command, unsigned window)
{
    size_t const entries = (size_t)device->count[level] * window;

    device->window[level][command] = (uint8_t)window;
    if (window < 2)
        return true;
    device->history[level][command] = malloc(entries * sizeof (int64_t));
    for (size_t i = 0; device->history[level][command] && i < entries; i++)
        device->history[level][command][i] = NEVER_ISSUED;
    return device->history[level][command];
}

/* Trees of all-bank commands are walked as far as constraints need it. */
static void init_depths(struct cmd_device *device)
{
    const struct cmd_spec *const spec = device->spec;

    for (unsigned level = 0; level <= spec->bank_level; level++) {
        for (unsigned command = 0; command < spec->command_count; command++) {
            const struct cmd_constraint_list *const list = &spec->constraints[level][command];

            if (list->count > 0 || spec->history_of[level][command] != command)
                device->deepest[command] = (uint8_t)level;
            for (unsigned i = 0; i < list->count; i++)
                device->bounded[list->rows[i].following] = (uint8_t)level;
        }
    }
}

struct fault cmd_device_init(struct cmd_device *device, const struct cmd_spec *spec, uint32_t channel)
{
    uint32_t nodes = 0;

    memset(device, 0, sizeof *device);
    device->spec = spec;
    device->channel = channel;
    for (unsigned level = 0; level <= spec->bank_level; level++) {
        bool const is_only_child = level > 0 && spec->size[level] == 1;      /* shares its parent's ready times */

        device->count[level] = level == 0 ? 1 : device->count[level - 1] * spec->size[level];
        device->first[level] = is_only_child ? device->first[level - 1] : nodes;
        nodes += is_only_child ? 0 : device->count[level];
        device->place[level] = is_only_child ? device->path_length - 1 : device->path_length++;
    }
    for (unsigned level = 0; level <= spec->bank_level; level++)
        device->banks_below[level] = spec->bank_count / device->count[level];
    init_depths(device);
    device->ready[0] = calloc((size_t)nodes * spec->command_count, sizeof *device->ready[0]);
    for (unsigned command = 1; device->ready[0] && command < spec->command_count; command++)
        device->ready[command] = device->ready[0] + (size_t)nodes * command;
    device->path = calloc(spec->bank_count, sizeof *device->path);
    device->banks = calloc(spec->bank_count, sizeof *device->banks);
    if (!device->ready[0] || !device->banks || !device->path)
        return no_memory(device);
    for (uint32_t bank = 0; bank < spec->bank_count; bank++)
        for (unsigned level = 0; level <= spec->bank_level; level++)
            device->path[bank][device->place[level]] = device->first[level] + bank / device->banks_below[level];
    for (unsigned level = 0; level <= spec->bank_level; level++) {
        for (unsigned command = 0; command < spec->command_count; command++) {
            device->has_sibling[level][command] = spec->constraints[level][command].has_sibling;
            if (spec->history_of[level][command] == command
                && !init_history(device, level, command, spec->constraints[level][command].window))
                return no_memory(device);
        }
    }
    return fault_none();
}

void cmd_device_free(struct cmd_device *device)
{
    for (unsigned level = 0; level < CMD_LEVELS; level++)
        for (unsigned command = 0; command < CMD_COMMANDS; command++)
            free(device->history[level][command]);
    free(device->ready[0]);
    free(device->path);
    free(device->banks);
    memset(device, 0, sizeof *device);
}

/* ---- vectors and banks */
uint32_t cmd_device_bank(const struct cmd_spec *spec, const int32_t *vector)
{
    uint32_t bank = 0;

    for (unsigned level = 1; level <= spec->bank_level; level++)
        bank = bank * spec->size[level] + (uint32_t)vector[level];
    return bank;
}

bool cmd_device_matches(const struct cmd_device *device, uint32_t bank, const int32_t *vector)
{
    for (unsigned level = device->spec->bank_level; level > 0; level--) {
        uint32_t const size = device->spec->size[level];

        if (vector[level] != -1 && (uint32_t)vector[level] != bank % size)
            return false;
        bank /= size;
    }
    return true;
}

struct cmd_targets cmd_device_targets(const struct cmd_device *device, unsigned command, const int32_t *vector)
{
    const struct cmd_spec *const spec = device->spec;
    uint32_t node = 0;
    unsigned level = 1;

    if (!spec->command[command].target_all) {
        node = cmd_device_bank(spec, vector);
        return (struct cmd_targets){node, node + 1, true};
    }
    for (; level <= spec->bank_level && vector[level] != -1; level++)
        node = node * spec->size[level] + (uint32_t)vector[level];
    for (unsigned below = level; below <= spec->bank_level; below++)
        if (vector[below] != -1)
            return (struct cmd_targets){0, spec->bank_count, false};
    return (struct cmd_targets){node * device->banks_below[level - 1], (node + 1) * device->banks_below[level - 1],
                                true};
}

void cmd_device_vector(const struct cmd_device *device, unsigned level, uint32_t node, int32_t *vector)
{
    for (unsigned i = 0; i < CMD_LEVELS; i++)
        vector[i] = -1;
    for (; level > 0; level--) {
        vector[level] = (int32_t)(node % device->spec->size[level]);
        node /= device->spec->size[level];
    }
    vector[0] = (int32_t)device->channel;
}

struct cmd_nodes cmd_device_nodes(const struct cmd_device *device, unsigned level, const int32_t *vector)
{
    uint32_t node = 0;

    for (unsigned above = 1; above <= level; above++) {
        uint32_t const below = device->count[level] / device->count[above - 1];

        if (vector[above] == -1)
            return (struct cmd_nodes){node * below, (node + 1) * below};
        node = node * device->spec->size[above] + (uint32_t)vector[above];
    }
    return (struct cmd_nodes){node, node + 1};
}

/* ---- states */
unsigned cmd_device_bank_needs(const struct cmd_device *device, unsigned command, uint32_t bank, int32_t row)
{
    const struct cmd_spec *const spec = device->spec;
    struct cmd_bank const now = device->banks[bank];

    switch (spec->command[command].needs) {
    case CMD_NEEDS_NONE:
        return command;
    case CMD_NEEDS_PRECHARGE:
    case CMD_NEEDS_CLOSED_BANK:
        return now.state == CMD_BANK_CLOSED ? command : spec->precharge;
    case CMD_NEEDS_CLOSED_ALL:
        return now.state == CMD_BANK_CLOSED ? command : spec->precharge_all;
    case CMD_NEEDS_ROW:
    case CMD_NEEDS_SPLIT_ROW:
    case CMD_NEEDS_SPLIT_FIRST:
        break;
    }
    if (now.state == CMD_BANK_OPENED)
        return now.row == row ? command : spec->precharge;
    if (spec->command[command].needs == CMD_NEEDS_ROW || now.state == CMD_BANK_CLOSED)
        return spec->activate;
    return spec->command[command].needs == CMD_NEEDS_SPLIT_FIRST ? command : spec->activate_second;
}

unsigned cmd_device_prerequisite(const struct cmd_device *device, unsigned command, const int32_t *vector)
{
    bool const is_for_closed = device->spec->command[command].needs >= CMD_NEEDS_PRECHARGE;
    struct cmd_targets const targets = cmd_device_targets(device, command, vector);

    if (is_for_closed && device->not_closed == 0)
        return command;
    CMD_EACH_TARGET(bank, device, targets, vector) {
        unsigned const needed = cmd_device_bank_needs(device, command, bank, vector[device->spec->row_level]);

        if (needed != command)
            return needed;
    }
    return command;
}

/* ---- ready times */
static int64_t ready_below(const struct cmd_device *device, unsigned level, uint32_t node, unsigned command,
                           const int32_t *vector)
{
    int64_t ready = device->ready[command][device->first[level] + node];
    uint32_t const children = level < device->bounded[command] ? device->spec->size[level + 1] : 0;

    for (uint32_t child = 0; child < children; child++) {
        int64_t below;

        if (vector[level + 1] != -1 && (uint32_t)vector[level + 1] != child)
            continue;
        below = ready_below(device, level + 1, node * children + child, command, vector);
        ready = below > ready ? below : ready;
    }
    return ready;
}

/* The nodes of a level with one of these banks lie side by side. */
int64_t cmd_device_ready(const struct cmd_device *device, unsigned command, const int32_t *vector)
{
    struct cmd_targets const targets = cmd_device_targets(device, command, vector);
    int64_t ready = 0;

    if (!targets.is_range)
        return ready_below(device, 0, 0, command, vector);
    for (unsigned level = 0; level <= device->bounded[command]; level++) {
        const int64_t *const of = device->ready[command] + device->first[level];
        uint32_t const below = device->banks_below[level];

        for (uint32_t node = targets.first / below; node <= (targets.end - 1) / below; node++)
            ready = of[node] > ready ? of[node] : ready;
    }
    return ready;
}

static void raise(int64_t *ready, int64_t tick)
{
    *ready = tick > *ready ? tick : *ready;
}

static bool names_all(const struct cmd_spec *spec, unsigned level, const int32_t *vector)
{
    while (level <= spec->bank_level && vector[level] == -1)
        level++;
    return level > spec->bank_level;
}

static void note(struct cmd_device *device, unsigned level, unsigned of, uint32_t node, int64_t tick)
{
    unsigned const window = device->window[level][of];
    int64_t *const history = device->history[level][of] + (size_t)node * window;

    memmove(history + 1, history, (window - 1) * sizeof *history);
    history[0] = tick;
}

/* What visit does to all nodes below one, constraint by constraint. */
static void visit_all_below(struct cmd_device *device, unsigned level, uint32_t node, unsigned command, int64_t tick)
{
    const struct cmd_spec *const spec = device->spec;
    uint32_t first = node, end = node + 1;

    while (++level <= device->deepest[command]) {
        const struct cmd_constraint_list *const list = &spec->constraints[level][command];
        unsigned const of = spec->history_of[level][command], window = device->window[level][of];
        const int64_t *const history = window > 1 ? device->history[level][of] : NULL;

        first *= spec->size[level];
        end *= spec->size[level];
        for (uint32_t i = first; history && i < end; i++)
            note(device, level, of, i, tick);
        for (unsigned i = 0; i < list->count; i++) {
            const struct cmd_constraint *const row = &list->rows[i];
            int64_t *const ready = device->ready[row->following] + device->first[level];

            for (uint32_t place = first; !row->sibling && place < end; place++) {
                int64_t const since = row->window > 1 && history ? history[place * window + row->window - 1] : tick;

                if (since != NEVER_ISSUED)
                    raise(&ready[place], since + row->latency);
            }
        }
    }
}

/* 3.5: `number` is the node's own in its parent. */
static void visit(struct cmd_device *device, unsigned level, uint32_t node, uint32_t number, unsigned command,
                  const int32_t *vector, int64_t tick)
{
    const struct cmd_spec *const spec = device->spec;
    const struct cmd_constraint_list *const list = &spec->constraints[level][command];
    size_t const place = device->first[level] + node;
    bool const is_sibling = vector[level] != -1 && (uint32_t)vector[level] != number;
    unsigned const of = spec->history_of[level][command], window = device->window[level][of];
    int64_t *const history = window > 1 && !is_sibling ? device->history[level][of] + (size_t)node * window : NULL;
    uint32_t children;

    if (history)
        note(device, level, of, node, tick);
    for (unsigned i = 0; i < list->count; i++) {
        const struct cmd_constraint *const row = &list->rows[i];
        int64_t const since = row->window > 1 && !row->sibling && history ? history[row->window - 1] : tick;

        if (row->sibling == is_sibling && since != NEVER_ISSUED)
            raise(&device->ready[row->following][place], since + row->latency);
    }
    if (is_sibling || level == device->deepest[command])
        return;
    if (names_all(spec, level + 1, vector)) {
        visit_all_below(device, level, node, command, tick);
        return;
    }
    children = spec->size[level + 1];
    for (uint32_t child = 0; child < children; child++)
        if (vector[level + 1] == -1 || (uint32_t)vector[level + 1] == child || device->has_sibling[level + 1][command])
            visit(device, level + 1, node * children + child, child, command, vector, tick);
}

static void change_banks(struct cmd_device *device, unsigned command, const int32_t *vector)
{
    enum cmd_effect const effect = device->spec->command[command].effect;
    struct cmd_targets const targets = cmd_device_targets(device, command, vector);

    CMD_EACH_TARGET(bank, device, targets, vector) {
        struct cmd_bank next = device->banks[bank];

        next.state = effect == CMD_EFFECT_OPEN ? CMD_BANK_OPENED
            : effect == CMD_EFFECT_CLOSE ? CMD_BANK_CLOSED : CMD_BANK_ACTIVATING;
        next.row = effect == CMD_EFFECT_OPEN ? vector[device->spec->row_level] : next.row;
        cmd_device_set_bank(device, bank, next);
    }
}

void cmd_device_issue(struct cmd_device *device, unsigned command, const int32_t *vector, int64_t tick)
{
    visit(device, 0, 0, device->channel, command, vector, tick);
    if (device->spec->command[command].effect != CMD_EFFECT_NONE)
        change_banks(device, command, vector);
}
