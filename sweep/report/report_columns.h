/* Columns: the columns of a report for each point, from its statistics: each metric of the table
 * (replay/metrics/metrics_table.h) that some point has, further statistics requested by name, and its verdict. A line
 * more in that table is a column, an axis of the charts and a row of comparisons more.
 *
 * Use: report_columns_read, look, report_columns_free; or report_columns_begin, report_columns_add for each point,
 * report_columns_finish instead of the first. Points are those of the file, in its order.
 * Ownership: all is the columns'. Values are NAN where a point has no such thing. */
#ifndef SWEEP_REPORT_REPORT_COLUMNS_H
#define SWEEP_REPORT_REPORT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "replay/metrics/metrics.h"
#include "replay/metrics/verdict.h"
#include "sweep/results/results.h"

struct report_column {
    const char *name;
    const struct metric *metric;         /* NULL: a statistic of that name */
};

/* Texts are "" where there is nothing to say. */
struct report_finding {
    const char *bound;                   /* its bound: verdict_key */
    const char *cores, *gpu;             /* verdict's texts */
    const char *doubts[VERDICT_DOUBTS];
    size_t doubt_count;
};

struct report_columns {
    struct report_column *list;
    size_t count;
    double *values;                      /* [points][count] */
    struct report_finding *findings;     /* [points] */
    size_t point_count;
    size_t asked;                        /* the first of the list */
    size_t room, values_room, findings_room;
    bool out_of_memory;
    struct arena arena;
};

/* more: names of metrics, such as "cpu3.cpi", or of statistics; FAULT_INPUT: no point has one of them. */
struct fault report_columns_read(struct report_columns **made, struct results *results, const char *const *more,
                                 size_t more_count);
struct fault report_columns_begin(struct report_columns **made, const char *const *more, size_t more_count);
/* statistics: as a result file has them; NULL: none. False: out of memory. */
bool report_columns_add(struct report_columns *columns, const char *statistics);
/* Drops columns that no point has. */
struct fault report_columns_finish(struct report_columns *columns, const char *const *more, size_t more_count);
void report_columns_free(struct report_columns *columns);

double report_columns_value(const struct report_columns *columns, size_t point, size_t column);

/* Times, cycles and rates of instructions: quantities without a natural zero: their ratios matter, and their means
 * are geometric. Shares, counts and bandwidths may be 0. */
bool report_column_is_size(const struct report_column *column);

#endif
