/* A --stats file: its format is that of its name's ending, with one block or several.
 *
 *     .txt, none, -   gem5's stats.txt; of a GPU alone tables in tabs
 *     .json           an object; with --interval an array of objects, one a block
 *     .jsonl          JSON lines: an object a line, one a block
 *     .csv            a line of names, then a line a block; of a GPU alone a line for each kernel and so on
 *     .tsv            of a GPU alone: tables in tabs
 * docs/stats.schema.json describes what is JSON.
 *
 * Use: stats_file_fits while arguments are read; stats_file_open before the run (a wrong path costs no time),
 * stats_file_block for each block, or stats_file_gpu once; stats_file_close after a run that went well,
 * stats_file_discard after one that did not. Written as cli/output.h says.
 * Ownership: the path is copied. Functions that return false have printed the reason: return CLI_BAD_INPUT. */
#ifndef CLI_REPLAY_STATS_FILE_H
#define CLI_REPLAY_STATS_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/replay/stats_csv.h"
#include "memsys/sim/stats.h"
#include "replay/config/config.h"
#include "replay/gpu/run.h"

enum stats_form { STATS_TEXT, STATS_TABS, STATS_JSON, STATS_JSON_LINES, STATS_CSV };

struct stats_file {
    FILE *file;
    char *path;
    enum stats_form form;
    struct json json;                    /* of STATS_JSON and STATS_JSON_LINES */
    struct stats_csv csv;                /* of STATS_CSV */
    bool is_array;
    bool lacks_memory;                   /* for what was to be written */
};

/* Is the ending one of the above? */
bool stats_file_fits(const char *path);
/* is_series: blocks come at intervals. */
bool stats_file_open(struct stats_file *output, const char *path, bool is_series, bool is_gpu_alone);
void stats_file_block(struct stats_file *output, const struct stats *stats, uint64_t now_ps);
/* Of a GPU alone, at its end. */
void stats_file_gpu(struct stats_file *output, const struct system_config *config, const struct gpu_run *run,
                    uint64_t end_ps);
bool stats_file_close(struct stats_file *output);
/* Closes; leaves no file. Safe after a failed open or close. */
void stats_file_discard(struct stats_file *output);

#endif
