/* A --stats file: format by its name, one block or several.
 *
 * Use: stats_file_open before the run (a wrong path costs no time), stats_file_block for each block, stats_file_close
 * after a run that went well, stats_file_discard after one that did not. Written as cli/output.h says.
 * Ownership: the path is copied. Functions that return false have printed the reason: return CLI_BAD_INPUT. */
#ifndef CLI_REPLAY_STATS_FILE_H
#define CLI_REPLAY_STATS_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "memsys/sim/stats.h"

struct stats_file {
    FILE *file;
    char *path;
    bool is_json;                    /* PATH ends in .json; any other is text */
    bool lacks_memory;               /* for what was to be written */
};

bool stats_file_open(struct stats_file *output, const char *path);
void stats_file_block(struct stats_file *output, const struct stats *stats, uint64_t now_ps);
bool stats_file_close(struct stats_file *output);
/* Closes; leaves no file. Safe after a failed open or close. */
void stats_file_discard(struct stats_file *output);

#endif
