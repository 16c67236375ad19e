/* Times of power-down and self-refresh, and the constraints that follow from them.
 *
 * JEDEC's times: JESD79-3F (DDR3: tXP, tCKE, tXS, tXSDLL = tDLLK), JESD79-4 (DDR4: tXP = max(4 nCK, 6 ns), tPD = tCKE
 * = max(3 nCK, 5 ns), tXS = tRFC + 10 ns, tCKESR = tCKE + 1 nCK, tDLLK by rate), JESD79-5 (DDR5: tXP = tPD = max(8
 * nCK, 7.5 ns), tXS = tRFC1 + 10 ns, tCSL = 10 ns). These values are from secondary sources and were not checked
 * against the text of the standards. Devices of other standards take theirs from keys of the system, as in the data
 * sheet.
 *
 * Entry: power-down no sooner than the data of the last read has gone (JESD79-4: tRDPDEN = RL + 4 + 1) and the last
 * write is in its row (tWRPDEN = WL + 4 + tWR), 2 nCK after other commands (tACTPDEN, tPRPDEN, tREFPDEN: 1 or 2 nCK);
 * self-refresh when a REFab might be issued, of which it is a form. Exit: any command tXP or tXS after it; reads, which
 * need the DLL, tXSDLL after a self-refresh. */
#include "memsys/command/device/cmd_power_times.h"

#include <string.h>

enum { ENTRY_GAP_CK = 2 };

/* A minimum given as a number of CK and as a time in ps: the larger of both. */
struct time {
    int64_t ck, ps;
};

static const struct jedec {
    const char *standard;
    int64_t fastest;                     /* MT/s up to which the row holds */
    struct time down_exit, down_least, self_beyond_refresh, self_least;
    int64_t self_least_more_ck, lock_ck;
} jedec[] = {
    {"DDR3", 800, {3, 7500}, {3, 7500}, {0, 10000}, {3, 7500}, 1, 512},
    {"DDR3", 1066, {3, 7500}, {3, 5625}, {0, 10000}, {3, 5625}, 1, 512},
    {"DDR3", 1333, {3, 6000}, {3, 5625}, {0, 10000}, {3, 5625}, 1, 512},
    {"DDR3", INT64_MAX, {3, 6000}, {3, 5000}, {0, 10000}, {3, 5000}, 1, 512},
    {"DDR4", 1866, {4, 6000}, {3, 5000}, {0, 10000}, {3, 5000}, 1, 597},
    {"DDR4", 2400, {4, 6000}, {3, 5000}, {0, 10000}, {3, 5000}, 1, 768},
    {"DDR4", 2666, {4, 6000}, {3, 5000}, {0, 10000}, {3, 5000}, 1, 854},
    {"DDR4", 2933, {4, 6000}, {3, 5000}, {0, 10000}, {3, 5000}, 1, 940},
    {"DDR4", INT64_MAX, {4, 6000}, {3, 5000}, {0, 10000}, {3, 5000}, 1, 1024},
    {"DDR5", INT64_MAX, {8, 7500}, {8, 7500}, {0, 10000}, {0, 10000}, 0, 0}
};

/* JESD79-4 13.5: rounded up, but for a rest of 2.6 % of a clock, by which the rounded clock may be too short. */
static int64_t to_ck(const struct cmd_spec *spec, uint64_t ps)
{
    return (int64_t)((ps * 1000 / (uint64_t)spec->ck_ps + 974) / 1000);
}

static int64_t larger(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

static int64_t ck_of(const struct cmd_spec *spec, struct time time)
{
    return larger(time.ck, to_ck(spec, (uint64_t)time.ps));
}

static const struct jedec *row_of(const struct cmd_spec *spec)
{
    const char *const name = spec->standard->name;
    size_t const length = strcspn(name, "_");

    for (size_t i = 0; i < sizeof jedec / sizeof *jedec; i++)
        if (strlen(jedec[i].standard) == length && strncmp(jedec[i].standard, name, length) == 0
            && cmd_spec_time(spec, "rate") <= jedec[i].fastest)
            return &jedec[i];
    return NULL;
}

/* In ticks: what is given, what the standard's file says, what JEDEC says (in CK; negative: nothing). */
static bool take(const struct cmd_spec *spec, uint64_t given_ps, const char *name, int64_t jedec_ck, int64_t *ticks)
{
    if (given_ps > 0)
        *ticks = to_ck(spec, given_ps) * spec->standard->ticks_per_ck;
    else if (!cmd_spec_timing(spec, name, ticks))
        *ticks = jedec_ck * spec->standard->ticks_per_ck;
    return *ticks >= 0;
}

struct fault cmd_power_times_of(const struct cmd_spec *spec, const struct cmd_power_given *given, bool self_refresh,
                                struct cmd_power_times *times)
{
    const struct jedec *const row = row_of(spec);
    int64_t const refresh = larger(cmd_spec_time(spec, "nRFC"), cmd_spec_time(spec, "nRFCab"))
        / spec->standard->ticks_per_ck;
    const char *missing = NULL;

    *times = (struct cmd_power_times){0};
    if (!take(spec, given->down_exit_ps, "nXP", row ? ck_of(spec, row->down_exit) : -1, &times->down_exit))
        missing = "power_down_exit (tXP)";
    else if (!take(spec, given->down_least_ps, "nPD", row ? ck_of(spec, row->down_least) : -1, &times->down_least))
        missing = "power_down_least (tPD)";
    else if (!take(spec, given->self_exit_ps, "nXS", row ? refresh + ck_of(spec, row->self_beyond_refresh) : -1,
                   &times->self_exit) && self_refresh)
        missing = "self_refresh_exit (tXS)";
    else if (!take(spec, given->self_least_ps, "nCKESR",
                   row ? ck_of(spec, row->self_least) + row->self_least_more_ck : -1, &times->self_least)
             && self_refresh)
        missing = "self_refresh_least (tCKESR)";
    take(spec, given->self_lock_ps, "nXSDLL", row ? row->lock_ck : 0, &times->self_lock);
    times->self_exit = larger(times->self_exit, 0);
    times->self_least = larger(times->self_least, 0);
    times->self_lock = larger(times->self_lock, times->self_exit);
    if (missing)
        return fault_make(FAULT_INPUT, "command.%s is missing: neither the file of %s nor JEDEC's tables here have it; "
                          "give the datasheet's", missing, spec->standard->name);
    return fault_none();
}

/* ---- constraints */
struct addition {
    struct cmd_spec *spec;
    unsigned level, first;               /* first: PDE's number */
};

enum { PDE, PDX, SRE, SRX, ADDED };

static struct fault append(struct cmd_spec *spec, unsigned level, unsigned preceding, unsigned following,
                           int64_t latency)
{
    struct cmd_constraint_list *const list = &spec->constraints[level][preceding];
    struct cmd_constraint *const rows = arena_take(&spec->arena, (list->count + 1) * sizeof *rows);

    if (!rows)
        return fault_memory(spec->standard->file, "constraints");
    if (list->count > 0)
        memcpy(rows, list->rows, list->count * sizeof *rows);
    rows[list->count] = (struct cmd_constraint){(uint8_t)following, 1, false, (int32_t)latency};
    list->rows = rows;
    list->count++;
    list->window = list->window > 1 ? list->window : 1;
    return fault_none();
}

/* From the end of a command to the earliest power-down. */
static int64_t entry_gap(const struct cmd_spec *spec, unsigned command)
{
    const struct cmd_command_row *const row = &spec->command[command];
    int64_t const own = spec->ticks[command] - 1, ck = spec->standard->ticks_per_ck;
    int64_t const latency = larger(cmd_spec_time(spec, "nCWL"), cmd_spec_time(spec, "nWL"));
    int64_t const burst = larger(larger(cmd_spec_time(spec, "nBL"), cmd_spec_time(spec, "nBL_max")),
                                 larger(cmd_spec_time(spec, "nBL_min"), cmd_spec_time(spec, "nBL_max_L")));

    if (!row->accessing)
        return own + ENTRY_GAP_CK * ck;
    if (row->name[0] == 'R')
        return own + spec->read_latency + ck;
    return own + latency + burst + cmd_spec_time(spec, "nWR") + ck;
}

static struct fault add_entries(const struct addition *of, unsigned command)
{
    struct cmd_spec *const spec = of->spec;
    int const refresh = cmd_spec_command(spec, "REFab");

    FORWARD(append(spec, of->level, command, of->first + PDE, entry_gap(spec, command)));
    FORWARD(append(spec, of->level, command, of->first + SRE, entry_gap(spec, command)));
    for (unsigned level = 0; level <= spec->bank_level; level++) {
        const struct cmd_constraint_list list = spec->constraints[level][command];

        for (unsigned i = 0; i < list.count; i++)
            if (refresh != CMD_NONE && list.rows[i].following == refresh && !list.rows[i].sibling)
                FORWARD(append(spec, level, command, of->first + SRE, list.rows[i].latency));
    }
    return fault_none();
}

static struct fault add_constraints(const struct addition *of, const struct cmd_power_times *times)
{
    struct cmd_spec *const spec = of->spec;
    int const refresh = cmd_spec_command(spec, "REFab");

    for (unsigned command = 0; command < of->first; command++) {
        bool const is_read = spec->command[command].accessing && spec->command[command].name[0] == 'R';

        FORWARD(add_entries(of, command));
        FORWARD(append(spec, of->level, of->first + PDX, command, times->down_exit));
        FORWARD(append(spec, of->level, of->first + SRX, command, is_read ? times->self_lock : times->self_exit));
    }
    if (refresh != CMD_NONE)
        FORWARD(append(spec, of->level, (unsigned)refresh, of->first + SRE,
                       larger(cmd_spec_time(spec, "nRFC"), cmd_spec_time(spec, "nRFCab"))));
    for (unsigned entry = PDE; entry <= SRE; entry += SRE - PDE) {
        FORWARD(append(spec, of->level, of->first + PDX, of->first + entry, times->down_exit));
        FORWARD(append(spec, of->level, of->first + SRX, of->first + entry, times->self_exit));
    }
    FORWARD(append(spec, of->level, of->first + PDE, of->first + PDX, times->down_least));
    return append(spec, of->level, of->first + SRE, of->first + SRX, times->self_least);
}

struct fault cmd_spec_add_power(struct cmd_spec *spec, const struct cmd_power_times *times)
{
    static const char *const names[ADDED] = {"PDE", "PDX", "SRE", "SRX"};
    int const rank = cmd_spec_level(spec, "Rank");
    struct addition const of = {spec, rank == CMD_NONE ? 0 : (unsigned)rank, spec->command_count};

    if (spec->command_count + ADDED > CMD_COMMANDS)
        return fault_make(FAULT_INPUT, "command: power-down of %s is not modelled: it has %u commands, and at most %d "
                          "leave room for those of power-down", spec->standard->name, spec->command_count,
                          CMD_COMMANDS - ADDED);
    for (unsigned i = 0; i < ADDED; i++) {
        unsigned const command = spec->command_count++;

        spec->command[command] = (struct cmd_command_row){.name = names[i], .cycles_ck = 1, .bus = CMD_BUSES,
                                                          .target_all = true, .needs = CMD_NEEDS_NONE,
                                                          .effect = CMD_EFFECT_NONE};
        spec->ticks[command] = (uint8_t)spec->standard->ticks_per_ck;
        for (unsigned level = 0; level < CMD_LEVELS; level++)
            spec->history_of[level][command] = (uint8_t)command;
    }
    spec->power = *times;
    spec->power.level = of.level;
    spec->power.first_command = (uint8_t)of.first;
    return add_constraints(&of, times);
}
