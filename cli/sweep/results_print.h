/* Points as they are printed: a table for people, CSV, JSON, or Parquet.
 *
 * Errors: those of the file itself are ferror's. */
#ifndef CLI_SWEEP_RESULTS_PRINT_H
#define CLI_SWEEP_RESULTS_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/sweep/results_columns.h"

enum results_form { RESULTS_TABLE, RESULTS_CSV, RESULTS_JSON, RESULTS_PARQUET, RESULTS_FORM_COUNT };

/* By their names, or by the endings of files, in which "table" is "txt". False: there is none such. */
bool results_form_of(const char *name, enum results_form *form);
bool results_form_of_file(const char *path, enum results_form *form);

struct results_line {
    char **cells;                        /* as they are exported */
    enum cell_kind *kinds;
    double order;                        /* of --sort; NAN: last */
    const char *order_word;
    size_t place;
};

struct results_listing {
    const char *const *columns;
    size_t column_count;
    const char *const *axes;             /* a column of such a name is the axis, even if a metric has it too */
    size_t axis_count;
    const struct results_line *lines;
    size_t line_count;
};

/* False: out of memory. A column of Parquet is of whole numbers if all its cells are such and it is no metric that is
 * measured in a unit or divides; quantities of the system and metrics bring
 * their units. */
bool results_print(FILE *to, enum results_form form, const struct results_listing *listing);

#endif
