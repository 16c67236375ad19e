/* The comparison of two statistics files, the reference's and ours, as sweep/compare/stats_table.h reads them. The
 * model writes JSON.
 *
 * Rules: numbers are compared as they are printed, digit for digit, with the shares printed after bins. A name
 * that one side lacks counts as 0 there; "nan" and "inf" are no 0. Names of the table in stats_left_out are skipped.
 * Ownership: names given to the callback are valid while the tables are. */
#ifndef TESTS_SUPPORT_STATS_COMPARE_H
#define TESTS_SUPPORT_STATS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "sweep/compare/stats_table.h"

/* Statistics excluded from every comparison, and why; ends with a NULL pattern. `*` matches any characters. */
struct stats_left_out {
    const char *pattern, *why;
};
extern const struct stats_left_out stats_left_out[];

struct stats_difference {
    const char *name;
    const struct stats_line *reference, *ours;       /* one of them may be NULL */
};

struct stats_comparison {
    size_t compared, different;
    void (*report)(void *context, const struct stats_difference *difference);    /* NULL: only count */
    void *context;
};

/* Compares all names of both sides; a reference from JSON is compared by its own names and, of the others, by those
 * of the counters that the model writes when they are not 0. Sets compared and different. */
void stats_compare(const struct stats_table *reference, const struct stats_table *ours,
                   struct stats_comparison *comparison);

#endif
