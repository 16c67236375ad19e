/* Is a row of points undamaged? Its checksum, and an SQL function that compares it.
 *
 * Use: whole_add_function once for each connection; then WHOLE in a statement, with "" or "TABLE." for the columns. */
#ifndef SWEEP_RESULTS_WHOLE_H
#define SWEEP_RESULTS_WHOLE_H

#include <sqlite3.h>

#include "sweep/results/results.h"

enum { WHOLE_TEXTS = 9 };                /* columns of points before the checksum */

#define WHOLE(table)                                                                                                  \
    "whole(" table "hash, " table "system, " table "traces, " table "traces_hash, " table "version, " table "config, " \
    table "state, " table "error, " table "statistics, " table "checksum)"
#define NOT_WHOLE "what the file has of it is not what was written"

/* NULL counts as empty. */
void whole_checksum(const char *const texts[WHOLE_TEXTS], char checksum[RESULTS_HASH_TEXT]);
/* SQLite's code. */
int whole_add_function(sqlite3 *database);

#endif
