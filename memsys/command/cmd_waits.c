/* Keeps the last CMD_WAITS_KEPT commands; a chain that leads further back ends as the order of the queues. A refresh
 * or a command of a defence on the chain gets all time before it, too: banks close for it, and nothing opens them.
 *
 * Not modelled: bounds that differ by the bank of a command to all banks; such a command bounds and is bound by all. */
#include "memsys/command/cmd_waits.h"

#include <string.h>

#include "base/arith.h"

enum { LONGEST_CHAIN = 12 };

/* ---- which constraint means which cause */
static bool has_prefix(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static enum cmd_wait cause_of(const struct cmd_spec *spec, unsigned before, unsigned level,
                              const struct cmd_constraint *row)
{
    const struct cmd_command_row *const from = &spec->command[before], *const to = &spec->command[row->following];

    if (has_prefix(from->name, "RFM") || has_prefix(from->name, "VRR"))
        return CMD_WAIT_MITIGATION;
    if (from->refreshing)
        return CMD_WAIT_REFRESH;
    if (from->accessing && to->accessing) {
        if (row->sibling || from->name[0] != to->name[0])
            return CMD_WAIT_TURNS;
        return strcmp(spec->standard->levels[level], "BankGroup") == 0 ? CMD_WAIT_BANK_GROUP : CMD_WAIT_ORDER;
    }
    if (level == 0 && row->latency <= spec->ticks[before])
        return CMD_WAIT_COMMAND_BUS;
    if (from->opening && to->opening)
        return level < spec->bank_level ? CMD_WAIT_ACTIVATIONS : CMD_WAIT_BANKS;
    if (from->opening || from->closing || from->accessing)
        return CMD_WAIT_BANKS;
    return CMD_WAIT_ORDER;
}

/* bound[...][common]: of the constraints that hold for commands with the same nodes down to `common`. */
static void add_bound(struct cmd_waits *waits, unsigned before, unsigned level, const struct cmd_constraint *row)
{
    unsigned const first = row->sibling ? level - 1 : level;
    unsigned const last = row->sibling ? level - 1 : waits->spec->bank_level;

    for (unsigned common = first; common <= last; common++) {
        struct cmd_waits_bound *const bound = &waits->bound[before][row->following][common];

        if (row->latency > bound->latency)
            *bound = (struct cmd_waits_bound){row->latency, (uint8_t)cause_of(waits->spec, before, level, row)};
    }
}

static void add_window(struct cmd_waits *waits, unsigned before, unsigned level, const struct cmd_constraint *row)
{
    uint8_t const history = waits->spec->history_of[level][before];

    if (before == history && waits->window_count < CMD_WAITS_WINDOWS)
        waits->windows[waits->window_count++] = (struct cmd_waits_window){
            row->latency, (uint8_t)level, row->following, history, row->window};
}

void cmd_waits_init(struct cmd_waits *waits, const struct cmd_spec *spec)
{
    double const rate = (double)max_u64((uint64_t)cmd_spec_time(spec, "rate"), 1);
    double const burst = 1e6 * spec->standard->prefetch / rate / (double)spec->tck_ps;
    int const pseudo = cmd_spec_level(spec, "PseudoChannel");
    int64_t write_start;

    memset(waits, 0, sizeof *waits);
    waits->spec = spec;
    waits->burst = (int64_t)(burst + 0.5);
    waits->read_start = spec->read_latency - waits->burst;
    waits->write_start = cmd_spec_timing(spec, "nCWL", &write_start) ? write_start : waits->read_start;
    waits->buses = pseudo == CMD_NONE ? 1 : (uint32_t)min_u64(spec->size[pseudo], CMD_WAITS_BUSES);
    waits->bus_level = waits->buses > 1 ? pseudo : CMD_NONE;
    for (unsigned level = 0; level <= spec->bank_level; level++) {
        for (unsigned before = 0; before < spec->command_count; before++) {
            const struct cmd_constraint_list *const list = &spec->constraints[level][before];

            for (unsigned i = 0; i < list->count; i++) {
                waits->longest = max_u64(waits->longest, (uint64_t)list->rows[i].latency);
                if (list->rows[i].window > 1)
                    add_window(waits, before, level, &list->rows[i]);
                else
                    add_bound(waits, before, level, &list->rows[i]);
            }
        }
    }
}

/* ---- chains of commands */
/* The deepest level down to which both have the same nodes. */
static unsigned common_level(const struct cmd_waits *waits, const struct cmd_waits_command *one,
                             const struct cmd_waits_command *other)
{
    unsigned level = 0;

    while (level < waits->spec->bank_level
           && (one->node[level + 1] == other->node[level + 1] || one->node[level + 1] < 0
               || other->node[level + 1] < 0))
        level++;
    return level;
}

/* What let a command be issued no sooner than `ready`. */
struct binding {
    const struct cmd_waits_command *before;  /* NULL: none is kept */
    uint64_t number, ready;                  /* number: of `before` */
    enum cmd_wait cause;
};

static void take_binding(struct binding *best, const struct cmd_waits_command *before, uint64_t number,
                         int32_t latency, enum cmd_wait cause)
{
    uint64_t const ready = before->tick + (uint64_t)latency;

    if (latency > 0 && (!best->before || ready > best->ready))
        *best = (struct binding){before, number, ready, cause};
}

static struct binding binding_of(const struct cmd_waits *waits, uint64_t number)
{
    const struct cmd_waits_command *const command = &waits->kept[number % CMD_WAITS_KEPT];
    uint64_t const oldest = waits->issued > CMD_WAITS_KEPT ? waits->issued - CMD_WAITS_KEPT : 0;
    uint8_t passed[CMD_WAITS_WINDOWS] = {0};
    struct binding best = {0};

    while (number-- > oldest) {
        const struct cmd_waits_command *const before = &waits->kept[number % CMD_WAITS_KEPT];
        unsigned const common = common_level(waits, before, command);
        struct cmd_waits_bound const bound = waits->bound[before->command][command->command][common];

        if (before->tick + waits->longest <= (best.before ? best.ready : 0))
            break;
        take_binding(&best, before, number, bound.latency, (enum cmd_wait)bound.cause);
        for (unsigned i = 0; i < waits->window_count; i++) {
            const struct cmd_waits_window *const window = &waits->windows[i];

            if (window->following == command->command && common >= window->level
                && waits->spec->history_of[window->level][before->command] == window->history
                && ++passed[i] == window->window)
                take_binding(&best, before, number, window->latency, CMD_WAIT_ACTIVATIONS);
        }
    }
    return best;
}

/* Did commands take half of the ticks of the bus of that command or more? */
static bool is_crowded(const struct cmd_waits *waits, uint64_t number, uint64_t from, uint64_t until)
{
    const struct cmd_spec *const spec = waits->spec;
    enum cmd_bus const bus = spec->command[waits->kept[number % CMD_WAITS_KEPT].command].bus;
    uint64_t const oldest = waits->issued > CMD_WAITS_KEPT ? waits->issued - CMD_WAITS_KEPT : 0;
    uint64_t taken = 0;

    while (number-- > oldest && waits->kept[number % CMD_WAITS_KEPT].tick >= from) {
        unsigned const command = waits->kept[number % CMD_WAITS_KEPT].command;

        taken += spec->command[command].bus == bus ? spec->ticks[command] : 0;
    }
    return 2 * taken >= until - from;
}

static void charge(struct cmd_waits *waits, enum cmd_wait cause, uint64_t ticks)
{
    waits->ticks[cause] += ticks * waits->weight;
}

/* Divides the ticks from `begin` to the access, the last command that is kept. */
static void divide(struct cmd_waits *waits, uint64_t begin)
{
    uint64_t number = waits->issued - 1, end = waits->kept[number % CMD_WAITS_KEPT].tick;
    enum cmd_wait closed_for = CMD_WAITS;    /* the refresh or defence that the chain has come to */

    for (int i = 0; i < LONGEST_CHAIN && end > begin; i++) {
        struct binding const binding = binding_of(waits, number);
        uint64_t const ready = binding.before ? min_u64(max_u64(binding.ready, begin), end) : begin;

        if (closed_for != CMD_WAITS)
            charge(waits, closed_for, end - ready);
        else if (end > ready)
            charge(waits, is_crowded(waits, number, ready, end) ? CMD_WAIT_COMMAND_BUS : CMD_WAIT_ORDER, end - ready);
        end = ready;
        if (!binding.before || ready <= begin)
            return;
        if (closed_for == CMD_WAITS && (binding.cause == CMD_WAIT_REFRESH || binding.cause == CMD_WAIT_MITIGATION))
            closed_for = binding.cause;
        end = max_u64(binding.before->tick, begin);
        charge(waits, closed_for != CMD_WAITS ? closed_for : binding.cause, ready - end);
        number = binding.number;
    }
    charge(waits, closed_for != CMD_WAITS ? closed_for : CMD_WAIT_ORDER, end - begin);
}

/* ---- commands */
static void keep(struct cmd_waits *waits, const struct cmd_issued *issued)
{
    struct cmd_waits_command *const command = &waits->kept[waits->issued++ % CMD_WAITS_KEPT];

    command->tick = issued->tick;
    command->command = issued->command;
    for (unsigned level = 0; level <= waits->spec->bank_level; level++)
        command->node[level] = (int16_t)issued->vector[level];
}

/* Ticks for which the data bus was idle before this access. */
static int64_t take_bus(struct cmd_waits *waits, const struct cmd_issued *issued)
{
    bool const is_write = issued->command == waits->spec->write_command || issued->kind == CMD_WRITE;
    int64_t const data = (int64_t)issued->tick + (is_write ? waits->write_start : waits->read_start);
    int64_t *const end = &waits->data_end[waits->bus_level == CMD_NONE ? 0
                                          : (uint32_t)issued->vector[waits->bus_level] % waits->buses];
    int64_t const idle = data - *end;

    *end = data + waits->burst;
    return idle;
}

void cmd_waits_issued(struct cmd_waits *waits, const struct cmd_issued *issued)
{
    int64_t idle;
    uint64_t begin;
    bool is_sampled;

    keep(waits, issued);
    if (!waits->spec->command[issued->command].accessing)
        return;
    idle = take_bus(waits, issued);
    if (issued->kind == CMD_INTERNAL) {
        waits->ticks[CMD_WAIT_MITIGATION] += (uint64_t)waits->burst;
        return;
    }
    if (idle <= 0)
        return;
    begin = max_u64(issued->arrive, issued->tick - min_u64((uint64_t)idle, issued->tick));
    is_sampled = ++waits->gaps % CMD_WAITS_SAMPLE == 0;
    waits->weight = issued->tick > begin + waits->longest / 4 ? 1 : CMD_WAITS_SAMPLE;
    if (issued->tick > begin && (is_sampled || waits->weight == 1))
        divide(waits, begin);
}

void cmd_waits_reset(struct cmd_waits *waits)
{
    memset(waits->ticks, 0, sizeof waits->ticks);
}

double cmd_waits_ticks(const struct cmd_waits *waits, enum cmd_wait cause)
{
    return (double)waits->ticks[cause] / waits->buses;
}
