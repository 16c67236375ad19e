/* Statistics files as tables: gem5's stats.txt, and what `replay --stats` writes, as text or as JSON.
 *
 * Use: stats_table_read, stats_table_find or the lines themselves, stats_table_free. Plain or gzip; text or JSON as
 * the first byte says. A file of several blocks counts by its last one. Values are kept as they are written.
 * Ownership: a table owns its texts.
 * Errors: a file that cannot be read, breaks off, holds no complete block, or a
 * name twice in a block: FAULT_INPUT. */
#ifndef SWEEP_COMPARE_STATS_TABLE_H
#define SWEEP_COMPARE_STATS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

struct stats_line {
    const char *name, *value;
    const char *shares;              /* "47.85% 94.67%", which follow bins; "" if absent */
    size_t order;                    /* in the file */
};

struct stats_table {
    struct stats_line *lines;        /* by name */
    size_t count;
    char *text;
    bool is_from_json;               /* values may have more digits than stats.txt prints */
};

struct fault stats_table_read(struct stats_table *table, const char *path);
/* The same of bytes in memory; faults call them `name`. The text is changed and becomes the table's; it was
 * made by malloc, and text[length] is 0. */
struct fault stats_table_parse(struct stats_table *table, const char *name, char *text, size_t length);
void stats_table_free(struct stats_table *table);

/* NULL if the name is unknown. */
const struct stats_line *stats_table_find(const struct stats_table *table, const char *name);

#endif
