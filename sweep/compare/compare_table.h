/* The table of a comparison: which runs belong together, one line a pair.
 *
 * Form: a header line of column names, then a line a pair, in tabs. `program` and `system` must be there; `-` or an
 * empty cell means an unknown value. The other columns:
 *     detailed_ticks, replay_ticks        final ticks (picoseconds)
 *     detailed_host_s, replay_host_s      time that the simulations took, in seconds
 *     detailed_file, replay_file          statistics files, or RESULTS.db:POINT of a sweep, relative to the table's
 *                                         folder; without these columns PROGRAM.SYSTEM.detailed and .replay with
 *                                         .txt.gz, .txt or .json behind
 * Columns of other names are left alone. The order is free; a pair of program and system occurs once.
 *
 * Use: comparison_table_read with the table, or the folder that holds it as table.tsv, or comparison_table_make for
 * runs that are made now; comparison_table_free.
 * Ownership: texts are the table's. Errors: FAULT_INPUT with file, line and column. */
#ifndef SWEEP_COMPARE_COMPARE_TABLE_H
#define SWEEP_COMPARE_COMPARE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

enum comparison_side { SIDE_DETAILED, SIDE_REPLAY, COMPARISON_SIDES };

struct comparison_run {
    uint64_t ticks;                  /* 0: not known */
    double host_s;                   /* 0: not known */
    const char *file;                /* as written in the table; NULL: the usual name */
};

struct comparison_row {
    const char *program, *system;
    struct comparison_run runs[COMPARISON_SIDES];
    unsigned line;
};

struct comparison_table {
    char *path, *folder;             /* folder: with the last slash; "" for the working folder */
    struct comparison_row *rows;
    size_t count;
    char *text;
};

struct fault comparison_table_read(struct comparison_table *table, const char *path);
/* Each program on each system, nothing known of their runs; names are borrowed. */
struct fault comparison_table_make(struct comparison_table *table, const char *const *programs, size_t program_count,
                                   const char *const *systems, size_t system_count);
void comparison_table_free(struct comparison_table *table);

/* Path of a run's statistics file, which the caller frees. NULL: `fault` says that the file is missing, or
 * FAULT_MEMORY. */
char *comparison_file(const struct comparison_table *table, const struct comparison_row *row,
                      enum comparison_side side, struct fault *fault);

extern const char *const comparison_side_names[COMPARISON_SIDES];

#endif
