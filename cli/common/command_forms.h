/* DRAM commands in the forms of other tools, chosen by the ending of --commands FILE: a row of COMMAND_FORMS a form.
 * These
 * have a file a channel: FILE itself of one channel, NAME.ch0.ENDING and so on of several, as Ramulator names its own.
 *
 * Use: command_forms_open, command_forms_add for each channel before its first command, then command_forms_put (a
 * memory
 * command by command) or command_forms_put_power (gem5's controller, in DRAMPower's words), command_forms_close; or
 * command_forms_free alone, which leaves nothing. What is wrong with a file is said when it is met.
 * Units: clocks are ticks of the device (Ramulator) or CK (DRAMPower). Ownership: specs and names are borrowed.
 * Source: Ramulator 2.1, docs/spec/command-dram.md 9 (CmdTraceRecorder, BinTraceRecorder); DRAMPower 5,
 * src/cli/lib/DRAMPower/cli/run.cpp and command/CmdType.h; DRAMPower 4, README.md 4 and src/MemCommand.h. */
#ifndef CLI_COMMON_COMMAND_FORMS_H
#define CLI_COMMON_COMMAND_FORMS_H

#include <stdio.h>

#include "memsys/command/device/cmd_access.h"

/* form, ending, has commands of gem5's controllers, what */
#define COMMAND_FORMS(F)                                                                                              \
    F(TEXT, "", true, "a list of DRAM commands")                                                                      \
    F(BINARY, ".bin", false, "Ramulator's binary list of commands")                                                   \
    F(VIEWER, ".ram2bin", false, "the binary file of Ramulator's viewer")                                             \
    F(DRAMPOWER, ".drampower", true, "DRAMPower 5's list of commands")                                                \
    F(DRAMPOWER_4, ".drampower4", true, "DRAMPower 4's list of commands")

#define COMMAND_FORM_VALUE(form, ending, has_dram, what) COMMAND_FORM_##form,
enum command_form { COMMAND_FORMS(COMMAND_FORM_VALUE) COMMAND_FORM_COUNT };
#undef COMMAND_FORM_VALUE

enum command_form command_form_of(const char *path);
const char *command_form_what(enum command_form form);
/* Can it say what a gem5's controller does? */
bool command_form_has_dram(enum command_form form);

struct command_forms_channel;

struct command_forms {
    enum command_form form;
    const char *path;
    FILE *first;                             /* of one channel, or until it is known that there are more */
    struct command_forms_channel *channels;
    size_t count;
    bool is_open, is_broken;                 /* broken: the reason has been said */
    uint64_t left_out[CMD_COMMANDS];         /* commands that DRAMPower does not know */
    const struct cmd_spec *left_out_of;
};

/* A command in DRAMPower's words. */
struct command_power_line {
    uint64_t cycle;
    const char *name;                        /* NULL: DRAMPower has none */
    uint64_t rank, group, bank, row, column; /* bank: of the rank */
    uint64_t data_bytes;                     /* of a read or write */
};

/* False: said. */
bool command_forms_open(struct command_forms *forms, enum command_form form, const char *path);
/* number: of the channel, in names of files and in columns; spec: NULL of gem5's. */
void command_forms_add(struct command_forms *forms, uint32_t number, const struct cmd_spec *spec);
/* index: of the order of command_forms_add. */
void command_forms_put(struct command_forms *forms, size_t index, const struct cmd_issued *issued);
void command_forms_put_power(struct command_forms *forms, size_t index, const struct command_power_line *line);
/* end_cycles: CK of each channel when the run ended. False: said. */
bool command_forms_close(struct command_forms *forms, const uint64_t *end_cycles);
void command_forms_free(struct command_forms *forms);

#endif
