/* Writer of Parquet: a table of typed columns that DuckDB, pandas, Polars and Spark read as it is.
 *
 * Use: begin with {.file = FILE}; parquet_begin with the columns; for each row parquet_put_* of the cells that it
 * has, in any order, then parquet_end_row (cells that were not put are null); parquet_close. Nothing is read back and
 * no place is sought, so the file may be a pipe. Units are in the file: a column's under the key `unit` in its
 * metadata, all of them as a JSON object, name to unit, under the file's key `units`; and under PANDAS_ATTRS, where
 * pandas takes DataFrame.attrs from.
 * Memory: rows are kept until they are 32 MiB, or 2^20; these are a row group.
 * Strings are UTF-8; a byte that is none becomes the character of its number.
 * Ownership: names and units are borrowed
 * until parquet_close, which frees the rest. Errors: without memory `failed` is set, and parquet_close answers false;
 * the file's own are those of ferror. */
#ifndef BASE_PARQUET_H
#define BASE_PARQUET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

enum parquet_type {
    PARQUET_INT64,
    PARQUET_UINT64,                      /* for addresses: the same bytes, marked as unsigned */
    PARQUET_DOUBLE,
    PARQUET_STRING
};

struct parquet_column {
    const char *name, *unit;             /* unit NULL or "": none */
    enum parquet_type type;
};

struct parquet_column_state;

struct parquet {
    FILE *file;
    const struct parquet_column *columns;
    struct parquet_column_state *states;
    size_t column_count;
    uint64_t rows, rows_of_group;        /* in all; since the last row group */
    uint64_t offset;                     /* bytes written */
    struct text groups;                  /* the metadata of each row group, for the end of the file */
    uint64_t group_count;
    struct text page, packed;            /* of one column */
    bool failed;
};

void parquet_begin(struct parquet *parquet, const struct parquet_column *columns, size_t column_count);
/* The column's type is that of the function; INT64 and UINT64 are both integers. At most once a row. */
void parquet_put_integer(struct parquet *parquet, size_t column, uint64_t value);
void parquet_put_real(struct parquet *parquet, size_t column, double value);
void parquet_put_string(struct parquet *parquet, size_t column, const char *string);
void parquet_end_row(struct parquet *parquet);
/* The rest of the rows and the end of the file. */
bool parquet_close(struct parquet *parquet);

#endif
