/* Tables of output: one description of the columns, printed as text for people, as TSV, CSV or JSON.
 *
 * Use: describe the columns; in `rows` give each row's cells in their order, with table_word, table_count, table_real
 * or table_digits, then table_end_row; table_print. `rows` is called twice if a column is as wide as its widest cell.
 * A missing cell (a text that is NULL, a number that is not finite) is - in text and TSV, empty in CSV, null in JSON.
 * JSON is an array of objects, one for each row. CSV is safe for spreadsheets (cli/common/shown.h); on terminals, in
 * text and in TSV, texts are made harmless. A row of text may end before its last column.
 * Ownership: all is borrowed for the time of the call. Errors: false without memory; those of the file are ferror's. */
#ifndef CLI_COMMON_TABLE_H
#define CLI_COMMON_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"

enum table_form { TABLE_TEXT, TABLE_TSV, TABLE_CSV, TABLE_JSON };

/* Widths of text: the widest cell, right- or left-aligned. */
enum { TABLE_FIT = 1 << 12, TABLE_FIT_LEFT = -TABLE_FIT };

struct table_column {
    const char *name;                    /* of TSV, CSV and JSON; NULL: they leave the column out */
    const char *heading;                 /* of text; NULL: it leaves the column out */
    int width;                           /* of text, right-aligned; negative: left-aligned; 0: as wide as the cell,
                                          * without a gap if it is empty */
    /* Digits of real numbers in text, and in the other forms: behind the point; negative: significant ones. */
    int text_digits, data_digits;
    double scale;                        /* text shows the number times this; 0: 1 */
    const char *suffix;                  /* of numbers in text, such as " %"; may be NULL */
    const char *help;
    const char *gap;                     /* before it in text, in the first column, too; NULL: that of the table */
};

struct table_writer;

struct table {
    const struct table_column *columns;
    size_t count;
    void (*rows)(const void *context, struct table_writer *writer);
    const void *context;
    const char *gap;                     /* between columns of text; NULL: a space */
    bool has_no_head;                    /* TSV and text: no line of names */
};

#define TABLE_OF(list, function, context_of)                                                                          \
    ((struct table){.columns = list, .count = sizeof list / sizeof list[0], .rows = function, .context = context_of})
/* A column of a table that is printed as text only: heading, width, other members. */
#define TEXT_COLUMN(title, ...) {.heading = title, .width = __VA_ARGS__}

struct table_joined;

struct table_writer {
    struct table_joined *joined;         /* NULL: one table */
    const struct table *table;
    enum table_form form;
    FILE *to;
    struct json *json;
    int *widths;                         /* of text */
    size_t at, printed;                  /* columns of the row */
    bool is_measuring;
};

bool table_print(FILE *to, enum table_form form, const struct table *table);
/* CSV of several tables in one: the columns that any has, each once, and a row for each of theirs. The first column of
 * each says which table a row is of, and is called `first`. */
bool table_print_joined(FILE *to, const char *first, const struct table *tables, size_t count);
/* The rows as members of an array of JSON that is open. */
void table_put_json(struct json *json, const struct table *table);

/* ---- cells; in forms without their column they are skipped */
void table_word(struct table_writer *writer, const char *text);
void table_count(struct table_writer *writer, uint64_t number);
void table_signed(struct table_writer *writer, int64_t number);
void table_real(struct table_writer *writer, double number);
void table_digits(struct table_writer *writer, const char *digits);     /* a number as text */
void table_skip(struct table_writer *writer);    /* the row has no such cell: in JSON no member, elsewhere missing */
void table_end_row(struct table_writer *writer);
/* In text only: whole lines, between rows. */
void table_prose(struct table_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
