/* DRAM commands of a run in a file, in the form that its name asks for (command_forms.h). As text: one line a command,
 * each channel's in the order of their ticks. docs/event-log.md has the format of gem5's controllers. Memories
 * command by
 * command are written as Ramulator writes them: a line of names, then clock (ticks of the device), command, one entry a
 * level (-1: all), kind (0 read, 1 write, -1 internal), source.
 *
 * Use: command_log_open, the sinks to the run, command_log_close after it; command_log_free in any case, which leaves
 * nothing of a log that was not closed. Commands of gem5's controllers are reported ahead of their ticks: each waits
 * until
 * its channel can no longer send an earlier one. What is wrong has been said where a function answers false.
 * Units: picoseconds. Ownership: the log must not move, and outlive the run; it borrows the path. */
#ifndef CLI_COMMON_COMMAND_LOG_H
#define CLI_COMMON_COMMAND_LOG_H

#include <stdio.h>

#include "cli/common/command_forms.h"
#include "memsys/command/cmd_ctrl.h"
#include "memsys/dram/dram_channel.h"

struct command_log_channel;
struct system_config;

struct command_log {
    const char *path;
    FILE *file;                          /* of the text; NULL: another form */
    struct command_forms forms;
    bool is_open;                        /* between open and free: the sinks are to be used */
    struct dram_command_sink sink;
    struct cmd_sink device_sink;         /* of memories command by command */
    const struct cmd_spec *device;       /* whose levels the last line of names has; NULL: none */
    bool has_head;
    struct command_log_channel *channels;
    size_t count, last;                  /* last: the channel of the previous command, often of the next one too */
    bool is_out_of_memory;
};

/* Refuses forms that the memories of the system cannot have. */
bool command_log_open(struct command_log *log, const char *path, const struct system_config *config);
/* Ends the log of a run that ended at end_ps; commands already decided for later ticks are written, too. stopped_by:
 * the
 * signal that ended the run, or NULL. */
bool command_log_close(struct command_log *log, uint64_t end_ps, const char *stopped_by);
void command_log_free(struct command_log *log);

#endif
