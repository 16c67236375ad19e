/* A DRAM device of a standard: one organization and one set of timings, in ticks of the controller's clock.
 *
 * Use: cmd_spec_make, cmd_spec_free. Ticks are CK, or half of them (HBM3, HBM4). A constraint says: at a node of its
 * level, `following` may be issued no sooner than `latency` ticks after the `window`-th last issue of the preceding
 * command. Ownership: the spec has all it needs of the standard but the names, which stay the standard's. Source:
 * docs/spec/command-dram.md 2.1, 2.3, 3.1 to 3.4. */
#ifndef MEMSYS_COMMAND_DEVICE_CMD_SPEC_H
#define MEMSYS_COMMAND_DEVICE_CMD_SPEC_H

#include "base/fault.h"
#include "memsys/command/device/cmd_standard.h"

/* Overrides: sizes of levels, channel_width, and timings in CK, in the standard's words. */
struct cmd_overrides {
    const struct cmd_pair *pairs;
    size_t count;
};

struct cmd_constraint {
    uint8_t following, window;
    bool sibling;
    int32_t latency;
};

struct cmd_constraint_list {
    const struct cmd_constraint *rows;
    unsigned count;
    bool has_sibling;
    uint8_t window;                      /* the largest */
};

/* Power-down and self-refresh, in ticks (cmd_power_times.h). */
struct cmd_power_times {
    int64_t down_exit, down_least, self_exit, self_least, self_lock;     /* tXP, tPD, tXS, tCKESR, tXSDLL */
    unsigned level;                      /* of the nodes that have them: ranks, or the channel */
    uint8_t first_command;               /* number of PDE; 0: the spec has no such commands */
};

/* Numbers from power.first_command on. */
enum cmd_power_command {
    CMD_POWER_DOWN_ENTRY, CMD_POWER_DOWN_EXIT, CMD_SELF_REFRESH_ENTRY, CMD_SELF_REFRESH_EXIT, CMD_POWER_COMMANDS
};

struct cmd_spec {
    const struct cmd_standard *standard;
    const char *organization, *timing;
    unsigned level_count, bank_level, row_level, column_level, command_count;
    uint32_t size[CMD_LEVELS];           /* nodes a parent; Channel: 1 */
    uint32_t bank_count;                 /* of a channel */
    int64_t density, dq, channel_width;
    uint32_t tx_bytes;
    int32_t read_latency;
    int64_t timings[CMD_TIMINGS];        /* in the order of standard->timing_names */
    int64_t tck_ps, ck_ps;               /* of a tick, rounded down; of CK */
    uint8_t read_command, write_command;
    uint8_t activate, activate_second, precharge, precharge_all;     /* ACT or ACT1, ACT2, PREpb, PREab */
    uint8_t ticks[CMD_COMMANDS];         /* of the command bus */
    struct cmd_command_row command[CMD_COMMANDS];
    struct cmd_constraint_list constraints[CMD_LEVELS][CMD_COMMANDS];
    uint8_t history_of[CMD_LEVELS][CMD_COMMANDS];    /* command in whose windows a command counts */
    struct cmd_power_times power;
    struct arena arena;
};

enum { CMD_NONE = -1 };

/* mend_missing: adds the pairs that standards leave without a constraint (odd behaviour 9); mend_windows: one window
 * for all commands that activate (32). The standard must outlive the spec. Errors: FAULT_INPUT, with the standard's
 * file. */
struct fault cmd_spec_make(struct cmd_spec *spec, const struct cmd_standard *standard, const char *organization,
                           const char *timing, struct cmd_overrides overrides, bool mend_missing, bool mend_windows);
void cmd_spec_free(struct cmd_spec *spec);

/* Number of a command, level or timing; CMD_NONE if the standard does not have it. */
int cmd_spec_command(const struct cmd_spec *spec, const char *name);
int cmd_spec_level(const struct cmd_spec *spec, const char *name);
/* Value in ticks; false: the standard has no such timing. */
bool cmd_spec_timing(const struct cmd_spec *spec, const char *name, int64_t *value);
/* The same for timings that are known to be there: 0 otherwise. */
int64_t cmd_spec_time(const struct cmd_spec *spec, const char *name);
/* ns to ticks as the reference does it: the quotient of single-precision numbers, cut. */
uint64_t cmd_spec_period(const struct cmd_spec *spec, int64_t ns);

#endif
