/* Statistics as comma-separated values: a line of names, then a line for each block.
 *
 * The columns are the names that any block has in JSON (replay/record/stats_json.h), in their order, so all lines have
 * the same ones; which they are is known at the end, and until then blocks wait in a file without name in /tmp. What
 * is left out of a block because it is 0 is 0; a value that is not a number (0/0) is an empty field, and so is a bin
 * that a histogram of another block has, as its bins grow with what it holds.
 *
 * Use: begin with {0}; stats_csv_add each block; stats_csv_end writes; stats_csv_free. */
#ifndef CLI_REPLAY_STATS_CSV_H
#define CLI_REPLAY_STATS_CSV_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "memsys/sim/stats.h"

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

#endif
