/* Rules of a DRAM device, against a list of commands: the independent check of memories command by command.
 *
 * Written from the tables of the standard (docs/spec/command-dram.md 3.3, 3.4, 3.7, 3.8): it remembers the
 * commands of the longest distance and compares each new one with each of them. It shares nothing with the controller
 * but these tables: no ready times, queues or events.
 *
 * Use: command_rules_new for a channel; command_rules_take for each of its commands in order; command_rules_free. The
 * text of the first broken rule stays; a command may break several. Units: ticks of the device. Ownership: the spec is
 * borrowed. */
#ifndef TESTS_SUPPORT_COMMAND_RULES_H
#define TESTS_SUPPORT_COMMAND_RULES_H

#include "memsys/command/device/cmd_access.h"
#include "memsys/command/device/cmd_spec.h"

enum { COMMAND_RULES_TEXT = 400 };

struct command_rules_options {
    bool distances_only;                 /* rows and banks are not looked at */
    bool opens_twice;                    /* an ACT to an open row is the reference's (odd behaviour 8) */
    int64_t refresh_ticks;               /* mean distance of the refreshes of a bank; 0: not looked at */
};

struct command_rules {
    uint64_t broken;                     /* commands that break a rule */
    char first[COMMAND_RULES_TEXT];      /* of the first of them: rule, both commands with their ticks and levels */
};

struct command_rules *command_rules_new(const struct cmd_spec *spec, const struct command_rules_options *options);
void command_rules_free(struct command_rules *rules);
/* False: the command breaks a rule. */
bool command_rules_take(struct command_rules *rules, uint64_t tick, unsigned command, const int32_t *vector);

#endif
