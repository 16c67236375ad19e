/* A --stats file: its format is that of its name's ending, with one block or several.
 *
 *     .txt, none, -   gem5's stats.txt; of a GPU alone tables in tabs
 *     .json           an object; with --interval an array of objects, one a block
 *     .jsonl          JSON lines: an object a line, one a block
 *     .csv            a line of names, then a line a block; of a GPU alone a line for each kernel and so on
 *     .tsv            of a GPU alone: tables in tabs
 *     champsim.json, champsim.txt, or such an ending: ChampSim's forms, once, at the end (champsim_stats.h)
 * docs/stats.schema.json describes the JSON forms.
 *
 * Use: stats_file_fits while arguments are read; stats_file_open before the run (a wrong path costs no time),
 * stats_file_block for each block, or stats_file_gpu once; stats_file_close after a run that went well,
 * stats_file_discard after one that did not. Written as cli/common/output.h says.
 * Ownership: the path is copied. Functions that return false have printed the reason: return CLI_BAD_INPUT. */
#ifndef CLI_REPLAY_STATS_FILE_H
#define CLI_REPLAY_STATS_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/json.h"
#include "memsys/sim/sim_statistics.h"
#include "replay/gpu/gpu_run.h"

/* Statistics as comma-separated values: a line of names, then a line for each block.
 *
 * The columns are the names that any block has in JSON (replay/record/stats_json.h), in their order, so all lines have
 * the same ones; which they are is known at the end, and until then blocks wait in a file without name in /tmp. Values
 * that a block omits because they are 0 are written as 0. NaN (0/0) is an empty field, and so is a bin that only the
 * histogram of another block has, because histograms widen their bins to hold their samples.
 *
 * Use: begin with {0}; stats_csv_add each block; stats_csv_end writes; stats_csv_free. */

struct stats_csv_column;

struct stats_csv {
    FILE *blocks;                        /* of each `count` values, then `count` columns */
    struct arena arena;
    size_t count, next;                  /* figures of a block; the one that comes next */
    double *values;
    struct stats_csv_column **first;     /* of each figure, the names that it had; more than one only of bins */
    struct stats_csv_column **columns;   /* the one that it has */
    bool lacks_memory, has_failed;
};

void stats_csv_add(struct stats_csv *csv, const struct stats *stats, uint64_t now_ps);
/* Why it cannot be written, as the end of a sentence; NULL: it was, or an error shows in ferror. */
const char *stats_csv_end(struct stats_csv *csv, FILE *to);
void stats_csv_free(struct stats_csv *csv);

struct system_config;

enum stats_form {
    STATS_TEXT, STATS_TABS, STATS_JSON, STATS_JSON_LINES, STATS_CSV, STATS_CHAMPSIM_JSON, STATS_CHAMPSIM_TEXT
};

struct stats_file {
    FILE *file;
    char *path;
    enum stats_form form;
    struct json json;                    /* of STATS_JSON and STATS_JSON_LINES */
    struct stats_csv csv;                /* of STATS_CSV */
    bool is_array;
    bool lacks_memory;                   /* for the data to be written */
};

/* Is the ending one of the above? */
bool stats_file_fits(const char *path);
/* is_series: blocks come at intervals. */
bool stats_file_open(struct stats_file *output, const char *path, bool is_series, bool is_gpu_alone);
void stats_file_block(struct stats_file *output, const struct stats *stats, uint64_t now_ps);
/* Those of ChampSim's forms, at the end of a system's run; nothing of others. */
struct champsim_stats;
struct system;
void stats_file_champsim(struct stats_file *output, const struct champsim_stats *stats, const struct system *system,
                         const char *const *traces, size_t trace_count);
/* Of a GPU alone, at its end. */
void stats_file_gpu(struct stats_file *output, const struct system_config *config, const struct gpu_run *run,
                    uint64_t end_ps);
bool stats_file_close(struct stats_file *output);
/* Closes; leaves no file. Safe after a failed open or close. */
void stats_file_discard(struct stats_file *output);

/* Statistics as text, in the layout of the reference's stats.txt: name, value, share and cumulated share of bins,
 * comment. */

/* Writes one block, with its Begin and End lines, as of tick now. Errors of the file show in ferror. */
void stats_text_write(FILE *file, const struct stats *stats, uint64_t now_ps);

/* Statistics of a GPU run: kernels, streams, and static instructions if the run counted them.
 *
 * Text: tab-separated, three tables one after the other. The first word of a line names its table (kernel, stream, pc);
 * a line that begins with # holds the columns of those that follow. A run that the user ended before its end has its
 * tick as well: interrupted_ps, in a table `run`.
 * CSV: the same in one table, whose first column has the subject of a line; columns that others have are empty.
 * JSON: one object with the same names, and sums of the run under the names that a system's statistics have
 * (docs/stats.schema.json). */

struct system_config;

/* False: out of memory. */
bool gpu_stats_text(FILE *to, const struct system_config *config, const struct gpu_run *run);
bool gpu_stats_csv(FILE *to, const struct system_config *config, const struct gpu_run *run);
/* As the next value of `json`; has_lines: kernels and streams on lines of their own. */
bool gpu_stats_json(struct json *json, bool has_lines, const struct system_config *config, const struct gpu_run *run,
                    uint64_t end_ps);

#endif
