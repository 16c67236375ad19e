#include "tests/support/command_rules.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

/* The most refreshes that may be overdue (DDR4: eight may be postponed). */
enum { MOST_LATE = 9 };

struct command_rules_past {
    uint64_t tick;
    unsigned command;
    int32_t vector[CMD_LEVELS];
};

struct command_rules_bank {
    enum { RULES_CLOSED, RULES_ACTIVATING, RULES_OPEN } state;
    int32_t row;
    uint64_t slept_from, refreshes;
};

struct command_rules_all {
    struct command_rules rules;
    const struct cmd_spec *spec;
    struct command_rules_options options;
    int64_t longest;                     /* distance of all constraints */
    struct command_rules_past *past;     /* the newest last; older ones than `longest` are dropped now and then */
    size_t count, room, first;
    struct command_rules_bank *banks;
    uint64_t last_tick;
    bool has_broken;                     /* this command */
};

struct command_rules *command_rules_new(const struct cmd_spec *spec, const struct command_rules_options *options)
{
    struct command_rules_all *const all = calloc(1, sizeof *all);

    if (!all)
        return NULL;
    all->spec = spec;
    all->options = *options;
    for (unsigned level = 0; level <= spec->bank_level; level++)
        for (unsigned p = 0; p < spec->command_count; p++)
            for (unsigned i = 0; i < spec->constraints[level][p].count; i++)
                if (spec->constraints[level][p].rows[i].latency > all->longest)
                    all->longest = spec->constraints[level][p].rows[i].latency;
    all->banks = calloc(spec->bank_count, sizeof *all->banks);
    if (all->banks)
        return &all->rules;
    free(all);
    return NULL;
}

void command_rules_free(struct command_rules *rules)
{
    struct command_rules_all *const all = (struct command_rules_all *)rules;

    if (all) {
        free(all->past);
        free(all->banks);
    }
    free(all);
}

/* ---- what is said */
static void print_vector(const struct cmd_spec *spec, const int32_t *vector, char *text, size_t size)
{
    size_t length = 0;

    for (unsigned level = 1; level < spec->level_count && length < size; level++)
        length += (size_t)snprintf(text + length, size - length, "%s%d", level > 1 ? "," : "", vector[level]);
}

static void __attribute__((format(printf, 3, 4)))
broken(struct command_rules_all *all, const struct command_rules_past *command, const char *format, ...)
{
    char where[100], rule[250];
    va_list arguments;

    if (!all->has_broken)
        all->rules.broken++;
    all->has_broken = true;
    if (*all->rules.first)
        return;
    va_start(arguments, format);
    vsnprintf(rule, sizeof rule, format, arguments);
    va_end(arguments);
    print_vector(all->spec, command->vector, where, sizeof where);
    snprintf(all->rules.first, sizeof all->rules.first, "%s at %" PRIu64 " (%s) %s",
             all->spec->command[command->command].name, command->tick, where, rule);
}

/* ---- distances */
static bool meets(int32_t one, int32_t other)
{
    return one < 0 || other < 0 || one == other;
}

/* Do both reach one node of the level, or, for siblings, different nodes of one parent? */
static bool reach(const struct command_rules_past *past, const struct command_rules_past *now, unsigned level,
                  bool of_siblings)
{
    for (unsigned i = 1; i < level; i++)
        if (!meets(past->vector[i], now->vector[i]))
            return false;
    if (level == 0)
        return !of_siblings;
    if (of_siblings)
        return past->vector[level] >= 0 && past->vector[level] != now->vector[level];
    return meets(past->vector[level], now->vector[level]);
}

static void broken_distance(struct command_rules_all *all, const struct command_rules_past *now,
                            const struct command_rules_past *past, unsigned level, const struct cmd_constraint *row)
{
    const struct cmd_spec *const spec = all->spec;
    char where[100];

    print_vector(spec, past->vector, where, sizeof where);
    broken(all, now, "comes %" PRIu64 " ticks after %s at %" PRIu64 " (%s); %s: %s to %s%s needs %d",
           now->tick - past->tick, spec->command[past->command].name, past->tick, where,
           spec->standard->levels[level], spec->command[past->command].name, spec->command[now->command].name,
           row->sibling ? " of siblings" : row->window > 1 ? " by its window" : "", row->latency);
}

/* The commands that count in one window: those that the mend of odd behaviour 32 puts together. */
static bool shares_window(const struct cmd_spec *spec, unsigned level, unsigned one, unsigned other)
{
    return spec->history_of[level][one] == spec->history_of[level][other];
}

/* Are as many issues as the window has within its time, at one node that the command reaches? */
static void check_window(struct command_rules_all *all, const struct command_rules_past *now, unsigned level,
                         unsigned p, const struct cmd_constraint *row)
{
    const struct cmd_spec *const spec = all->spec;
    int32_t node[CMD_LEVELS] = {0};
    struct command_rules_past at = *now;

    for (bool is_more = true; is_more;) {
        unsigned seen = 0;
        bool is_reached = true;

        for (unsigned i = 1; i <= level; i++) {
            is_reached = is_reached && meets(now->vector[i], node[i]);
            at.vector[i] = node[i];
        }
        for (size_t i = all->count; is_reached && seen < row->window && i > all->first; i--) {
            const struct command_rules_past *const past = &all->past[i - 1];

            if ((int64_t)(now->tick - past->tick) >= row->latency)
                break;
            if (shares_window(spec, level, past->command, p) && reach(past, &at, level, false)
                && ++seen == row->window)
                broken_distance(all, now, past, level, row);
        }
        is_more = false;
        for (unsigned i = level; i > 0 && !is_more; i--) {
            node[i] = (uint32_t)node[i] + 1 < spec->size[i] ? node[i] + 1 : 0;
            is_more = node[i] != 0;
        }
    }
}

static void check_pair(struct command_rules_all *all, const struct command_rules_past *past,
                       const struct command_rules_past *now)
{
    const struct cmd_spec *const spec = all->spec;

    for (unsigned level = 0; level <= spec->bank_level; level++) {
        const struct cmd_constraint_list *const list = &spec->constraints[level][past->command];

        for (unsigned i = 0; i < list->count; i++) {
            const struct cmd_constraint *const row = &list->rows[i];

            if (row->following == now->command && row->window == 1
                && (int64_t)(now->tick - past->tick) < row->latency && reach(past, now, level, row->sibling))
                broken_distance(all, now, past, level, row);
        }
    }
}

static void check_distances(struct command_rules_all *all, const struct command_rules_past *now)
{
    const struct cmd_spec *const spec = all->spec;
    bool const has_bus = spec->command[now->command].bus != CMD_BUSES;       /* not PDE, PDX, SRE, SRX */

    for (size_t i = all->count; i > all->first; i--) {
        const struct command_rules_past *const past = &all->past[i - 1];

        if ((int64_t)(now->tick - past->tick) >= all->longest && now->tick != past->tick)
            break;
        check_pair(all, past, now);
        if (has_bus && past->tick == now->tick && spec->command[past->command].bus == spec->command[now->command].bus)
            broken(all, now, "is the second command of its bus in one tick, after %s",
                   spec->command[past->command].name);
    }
    for (unsigned level = 0; level <= spec->bank_level; level++)
        for (unsigned p = 0; p < spec->command_count; p++)
            for (unsigned i = 0; i < spec->constraints[level][p].count; i++)
                if (spec->constraints[level][p].rows[i].following == now->command
                    && spec->constraints[level][p].rows[i].window > 1)
                    check_window(all, now, level, p, &spec->constraints[level][p].rows[i]);
}

/* ---- banks */
static void check_bank(struct command_rules_all *all, const struct command_rules_past *now,
                       const struct command_rules_bank *bank)
{
    const struct cmd_command_row *const row = &all->spec->command[now->command];
    bool const is_open = bank->state == RULES_OPEN;

    switch (row->needs) {
    case CMD_NEEDS_ROW:
    case CMD_NEEDS_SPLIT_ROW:
        if (row->accessing && !(is_open && bank->row == now->vector[all->spec->row_level]))
            broken(all, now, is_open ? "finds another row open" : "finds the bank closed");
        if (row->effect == CMD_EFFECT_OPEN && is_open && !all->options.opens_twice)
            broken(all, now, "opens a row in a bank with an open row");
        if (row->effect == CMD_EFFECT_OPEN && row->needs == CMD_NEEDS_SPLIT_ROW && bank->state != RULES_ACTIVATING)
            broken(all, now, "comes without its first half");
        break;
    case CMD_NEEDS_SPLIT_FIRST:
        if (bank->state != RULES_CLOSED)
            broken(all, now, "begins an activation in a bank that is not closed");
        break;
    case CMD_NEEDS_CLOSED_BANK:
    case CMD_NEEDS_CLOSED_ALL:
        if (bank->state != RULES_CLOSED)
            broken(all, now, "finds a bank that is not closed");
        break;
    case CMD_NEEDS_NONE:
    case CMD_NEEDS_PRECHARGE: break;
    }
}

static void change_bank(struct command_rules_all *all, const struct command_rules_past *now,
                        struct command_rules_bank *bank)
{
    const struct cmd_command_row *const row = &all->spec->command[now->command];

    switch (row->effect) {
    case CMD_EFFECT_OPEN:
        bank->state = RULES_OPEN;
        bank->row = now->vector[all->spec->row_level];
        break;
    case CMD_EFFECT_ACTIVATING: bank->state = RULES_ACTIVATING; break;
    case CMD_EFFECT_CLOSE: bank->state = RULES_CLOSED; break;
    case CMD_EFFECT_NONE: break;
    }
    bank->refreshes += strncmp(row->name, "REF", 3) == 0;
}

/* A rank that sleeps in self-refresh refreshes itself. */
static void count_self_refresh(const struct command_rules_all *all, const struct command_rules_past *now,
                               struct command_rules_bank *bank)
{
    const char *const name = all->spec->command[now->command].name;
    uint64_t const interval = all->options.refresh_ticks > 0 ? (uint64_t)all->options.refresh_ticks : UINT64_MAX;

    if (strcmp(name, "SRE") == 0)
        bank->slept_from = now->tick;
    else if (strcmp(name, "SRX") == 0)
        bank->refreshes += (now->tick - bank->slept_from + interval - 1) / interval;
}

static void check_refresh(struct command_rules_all *all, const struct command_rules_past *now,
                          const struct command_rules_bank *bank)
{
    uint64_t const due = all->options.refresh_ticks > 0 ? now->tick / (uint64_t)all->options.refresh_ticks : 0;

    if (due > bank->refreshes + MOST_LATE)
        broken(all, now, "comes when the bank has had %" PRIu64 " refreshes and %" PRIu64 " were due", bank->refreshes,
               due);
}

static void visit_banks(struct command_rules_all *all, const struct command_rules_past *now)
{
    const struct cmd_spec *const spec = all->spec;

    for (uint32_t number = 0; number < spec->bank_count; number++) {
        uint32_t rest = number;
        bool is_reached = true;

        for (unsigned level = spec->bank_level; level > 0; level--) {
            is_reached = is_reached && meets(now->vector[level], (int32_t)(rest % spec->size[level]));
            rest /= spec->size[level];
        }
        if (!is_reached)
            continue;
        check_bank(all, now, &all->banks[number]);
        count_self_refresh(all, now, &all->banks[number]);
        check_refresh(all, now, &all->banks[number]);
        change_bank(all, now, &all->banks[number]);
    }
}

static bool check_place(struct command_rules_all *all, const struct command_rules_past *now)
{
    const struct cmd_spec *const spec = all->spec;

    for (unsigned level = 1; level <= spec->bank_level; level++) {
        if (now->vector[level] >= -1 && now->vector[level] < (int64_t)spec->size[level])
            continue;
        broken(all, now, "has %s %d of %u", spec->standard->levels[level], now->vector[level], spec->size[level]);
        return false;
    }
    return true;
}

static void remember(struct command_rules_all *all, const struct command_rules_past *now)
{
    while (all->first < all->count && (int64_t)(now->tick - all->past[all->first].tick) >= all->longest
           && all->past[all->first].tick != now->tick)
        all->first++;
    if (all->first > 10000 && all->first > all->count / 2) {
        memmove(all->past, all->past + all->first, (all->count - all->first) * sizeof *all->past);
        all->count -= all->first;
        all->first = 0;
    }
    if (list_fit(&all->past, all->count + 1, &all->room, sizeof *all->past))
        all->past[all->count++] = *now;
    else
        broken(all, now, "cannot be remembered: out of memory");
}

bool command_rules_take(struct command_rules *rules, uint64_t tick, unsigned command, const int32_t *vector)
{
    struct command_rules_all *const all = (struct command_rules_all *)rules;
    struct command_rules_past now = {.tick = tick, .command = command};

    all->has_broken = false;
    memcpy(now.vector, vector, all->spec->level_count * sizeof *vector);
    if (tick < all->last_tick)
        broken(all, &now, "comes after a command at %" PRIu64, all->last_tick);
    else if (check_place(all, &now)) {
        check_distances(all, &now);
        if (!all->options.distances_only)
            visit_banks(all, &now);
        remember(all, &now);
        all->last_tick = tick;
    }
    return !all->has_broken;
}
