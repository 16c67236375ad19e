/* DRAM commands of a run as text: one line a command, each channel's in the order of their ticks. docs/event-log.md has
 * the format.
 *
 * Use: command_log_begin, `sink` to the run, command_log_end after it; command_log_free in any case. The file stays the
 * caller's, as do errors of writing: they show when it is closed.
 * Commands are told ahead of their ticks: each waits until its channel can send none before it any more.
 * Units: picoseconds. Ownership: the log must not move, and outlive the run. */
#ifndef CLI_COMMAND_LOG_H
#define CLI_COMMAND_LOG_H

#include <stdio.h>

#include "base/fault.h"
#include "memsys/dram/channel.h"

struct command_log_channel;

struct command_log {
    FILE *file;
    struct dram_command_sink sink;
    struct command_log_channel *channels;
    size_t count, last;                  /* last: who had the command before, and often has the next */
    bool is_out_of_memory;
};

void command_log_begin(struct command_log *log, FILE *file);
/* The run is over at end_ps; what was decided for later is written, too. FAULT_MEMORY: lines are missing. */
struct fault command_log_end(struct command_log *log, uint64_t end_ps);
void command_log_free(struct command_log *log);

#endif
