/* A DRAM standard as its file says it: levels, commands, constraints, presets, all in the standard's own words. The
 * files are those of configs/dram/command/ and the user's own; replay/config/command_standard.h reads them.
 *
 * Ownership: all texts and arrays lie in the arena; cmd_standard_free frees them. Latencies and derived timings are
 * expressions (cmd_expression.h) over timings, keys of the organization and `prefetch`; cmd_spec.h evaluates them.
 * Source: docs/spec/command-dram.md 2 and 3. */
#ifndef MEMSYS_COMMAND_DEVICE_CMD_STANDARD_H
#define MEMSYS_COMMAND_DEVICE_CMD_STANDARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { CMD_LEVELS = 8, CMD_COMMANDS = 16, CMD_TIMINGS = 64 };

enum cmd_bus { CMD_BUS_SHARED, CMD_BUS_ROW, CMD_BUS_COLUMN, CMD_BUSES };

/* What a bank must be before a command (3.7). */
enum cmd_needs {
    CMD_NEEDS_NONE, CMD_NEEDS_ROW, CMD_NEEDS_SPLIT_ROW, CMD_NEEDS_SPLIT_FIRST, CMD_NEEDS_PRECHARGE,
        CMD_NEEDS_CLOSED_BANK,
    CMD_NEEDS_CLOSED_ALL
};

/* What becomes of it. */
enum cmd_effect { CMD_EFFECT_NONE, CMD_EFFECT_OPEN, CMD_EFFECT_ACTIVATING, CMD_EFFECT_CLOSE };

struct cmd_command_row {
    const char *name;
    double cycles_ck;                    /* of the command bus */
    enum cmd_bus bus;
    bool opening, closing, accessing, refreshing, target_all;
    enum cmd_needs needs;
    enum cmd_effect effect;
};

struct cmd_constraint_row {
    const char *level, *preceding, *following;   /* commands with blanks between */
    const char *latency;
    unsigned window;
    bool sibling;
};

struct cmd_derived_row {
    const char *name, *condition, *value;        /* value "refuse": the pair of presets has none */
    bool is_default;                             /* only where a preset has no value */
};

struct cmd_pair {
    const char *name;
    int64_t value;
};

struct cmd_preset {
    const char *name;
    struct cmd_pair *pairs;
    size_t count;
};

struct energy_params;

/* Currents of chips of an organization at a data rate. */
struct cmd_currents {
    const char *organization, *datasheet;
    int64_t rate;                        /* MT/s */
    struct energy_params *params;
};

struct cmd_standard {
    struct arena arena;
    const char *file, *name;
    uint64_t digest;                                     /* of the files that it was read from */
    unsigned prefetch, payload_bytes, ticks_per_ck;      /* payload_bytes 0: by the channel's width */
    const char *read_latency, *read_command, *write_command, *controller;
    const char *all_bank_refresh;                        /* level; NULL: refused by the reference */
    const char *parent_refresh;                          /* level of the standard that this one extends; NULL: none */
    bool per_bank_refresh, paired_bank_refresh;
    const char *levels[CMD_LEVELS];                      /* Channel first, Row and Column last */
    unsigned level_count;
    struct cmd_command_row commands[CMD_COMMANDS];
    unsigned command_count;
    const char *timing_names[CMD_TIMINGS];
    unsigned timing_count;
    struct cmd_constraint_row *constraints;
    struct cmd_derived_row *derived;
    struct cmd_preset *organizations, *timings;
    struct cmd_currents *currents;
    size_t constraint_count, derived_count, organization_count, preset_count, currents_count;
};

static inline void cmd_standard_free(struct cmd_standard *standard)
{
    arena_free(&standard->arena);
}

#endif
