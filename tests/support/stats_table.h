/* Statistics files as tables, and their comparison: the same reader for the reference's stats.txt and for ours.
 *
 * Use: stats_table_read a file each (plain or gzip), stats_compare, stats_table_free. stats_table_read_json takes a
 * flat {name: number} file instead, as the model writes.
 * Rules: numbers are compared as they are printed, digit for digit, with the shares that stand behind bins. A name
 * that one side lacks counts as 0 there; "nan" and "inf" are no 0. Names of the table in stats_left_out are skipped.
 * Ownership: a table owns its texts; names given to the callback are valid while the tables are. */
#ifndef TESTS_SUPPORT_STATS_TABLE_H
#define TESTS_SUPPORT_STATS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct stats_line {
    const char *name, *value;
    const char *shares;              /* "47.85% 94.67%"; "" if there are none */
    size_t order;                    /* in the file */
};

struct stats_table {
    struct stats_line *lines;        /* by name */
    size_t count;
    char *text;
    bool is_from_json;               /* values may have more digits than stats.txt prints */
};

/* What is left out of every comparison, and why; ends with a NULL pattern. `*` stands for any characters. */
struct stats_left_out {
    const char *pattern, *why;
};
extern const struct stats_left_out stats_left_out[];

/* False: `problem` says why. If a file holds several blocks the last one counts. A file without a complete block, or
 * with a name twice in a block, is refused. */
bool stats_table_read(struct stats_table *table, const char *path, char *problem, size_t size);
bool stats_table_read_json(struct stats_table *table, const char *path, char *problem, size_t size);
void stats_table_free(struct stats_table *table);

/* NULL if there is none of that name. */
const struct stats_line *stats_table_find(const struct stats_table *table, const char *name);

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
