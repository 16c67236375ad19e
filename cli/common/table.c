#define _POSIX_C_SOURCE 200809L
#include "cli/common/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/shown.h"

enum { NUMBER_TEXT = 400 };

struct table_joined {
    const char **names;
    char **cells;                        /* of the row */
    size_t *places, *next;               /* among them, of each table's columns; of the table that is printed */
    size_t count;
    bool lacks_memory;
};

static const char *gap_before(const struct table_writer *writer, const struct table_column *column)
{
    return column->gap ? column->gap : writer->printed == 0 ? "" : writer->table->gap ? writer->table->gap : " ";
}

static void put_text(struct table_writer *writer, const struct table_column *column, const char *text)
{
    int width = column->width;

    text = text ? cli_shown(text) : "-";
    if (abs(width) == TABLE_FIT) {
        int *const fitted = &writer->widths[writer->at - 1];

        *fitted = writer->is_measuring && (int)strlen(text) > *fitted ? (int)strlen(text) : *fitted;
        width = width < 0 ? -*fitted : *fitted;
    }
    if (writer->is_measuring || (width == 0 && !*text))
        return;
    fprintf(writer->to, "%s%*s", gap_before(writer, column), width, text);
    writer->printed++;
}

static void put_separated(struct table_writer *writer, const char *text)
{
    if (writer->printed++ > 0)
        fputc(writer->form == TABLE_TSV ? '\t' : ',', writer->to);
    if (writer->form == TABLE_TSV)
        fputs(text ? cli_shown(text) : "-", writer->to);
    else if (text)
        csv_put_cell(writer->to, isatty(fileno(writer->to)) == 1 ? cli_shown(text) : text);
}

/* The column of the next cell; NULL: the form has no such column. */
static const struct table_column *next_column(struct table_writer *writer)
{
    const struct table_column *const column = &writer->table->columns[writer->at++];

    return writer->form == TABLE_TEXT ? (column->heading ? column : NULL) : column->name ? column : NULL;
}

static void put_cell(struct table_writer *writer, const struct table_column *column, const char *text, bool is_number)
{
    if (writer->joined) {
        char **const cell = &writer->joined->cells[writer->joined->next[writer->at - 1]];

        free(*cell);
        *cell = text ? strdup(text) : NULL;
        writer->joined->lacks_memory |= text && !*cell;
    } else if (writer->form == TABLE_TEXT) {
        put_text(writer, column, text);
    } else if (writer->form != TABLE_JSON) {
        put_separated(writer, text);
    } else {
        if (writer->printed++ == 0)
            json_begin_object(writer->json, JSON_SPACED);
        json_key(writer->json, column->name);
        if (text && is_number)
            json_write_digits(writer->json, text);
        else
            json_write_string(writer->json, text);
    }
}

/* ---- cells */
void table_word(struct table_writer *writer, const char *text)
{
    const struct table_column *const column = next_column(writer);

    if (column)
        put_cell(writer, column, text, false);
}

void table_skip(struct table_writer *writer)
{
    if (writer->form == TABLE_JSON)
        writer->at++;
    else
        table_word(writer, NULL);
}

void table_digits(struct table_writer *writer, const char *digits)
{
    const struct table_column *const column = next_column(writer);

    if (column)
        put_cell(writer, column, digits, true);
}

void table_count(struct table_writer *writer, uint64_t number)
{
    char text[NUMBER_TEXT];

    snprintf(text, sizeof text, "%" PRIu64, number);
    table_digits(writer, text);
}

void table_signed(struct table_writer *writer, int64_t number)
{
    char text[NUMBER_TEXT];

    snprintf(text, sizeof text, "%" PRId64, number);
    table_digits(writer, text);
}

void table_real(struct table_writer *writer, double number)
{
    const struct table_column *const column = next_column(writer);
    bool const is_text = writer->form == TABLE_TEXT;
    char text[NUMBER_TEXT];

    if (!column)
        return;
    int const digits = is_text ? column->text_digits : column->data_digits;
    double const scaled = is_text && column->scale != 0 ? number * column->scale : number;

    snprintf(text, sizeof text, digits < 0 ? "%.*g%s" : "%.*f%s", abs(digits), scaled,
             is_text && column->suffix ? column->suffix : "");
    put_cell(writer, column, isfinite(number) ? text : NULL, true);
}

static void end_joined_row(struct table_writer *writer)
{
    struct table_joined *const joined = writer->joined;

    writer->joined = NULL;
    for (size_t i = 0; i < joined->count; i++) {
        put_separated(writer, joined->cells[i]);
        free(joined->cells[i]);
        joined->cells[i] = NULL;
    }
    table_end_row(writer);
    writer->joined = joined;
}

void table_end_row(struct table_writer *writer)
{
    if (writer->joined) {
        end_joined_row(writer);
        return;
    }
    if (writer->form == TABLE_JSON)
        json_end(writer->json);
    else if (!writer->is_measuring)
        fputc('\n', writer->to);
    writer->at = writer->printed = 0;
}

void table_prose(struct table_writer *writer, const char *format, ...)
{
    va_list arguments;

    if (writer->form != TABLE_TEXT || writer->is_measuring)
        return;
    va_start(arguments, format);
    vfprintf(writer->to, format, arguments);
    va_end(arguments);
}

/* ---- tables */
static void put_head(struct table_writer *writer)
{
    for (size_t i = 0; i < writer->table->count; i++)
        table_word(writer, writer->form == TABLE_TEXT ? writer->table->columns[i].heading
                                                      : writer->table->columns[i].name);
    table_end_row(writer);
}

static void put_all(struct table_writer *writer)
{
    if (!writer->table->has_no_head || writer->form == TABLE_CSV)
        put_head(writer);
    writer->table->rows(writer->table->context, writer);
}

static bool has_fitted(const struct table *table)
{
    for (size_t i = 0; i < table->count; i++)
        if (abs(table->columns[i].width) == TABLE_FIT)
            return true;
    return false;
}

void table_put_json(struct json *json, const struct table *table)
{
    struct table_writer writer = {.table = table, .form = TABLE_JSON, .json = json};

    table->rows(table->context, &writer);
}

bool table_print(FILE *to, enum table_form form, const struct table *table)
{
    struct table_writer writer = {.table = table, .form = form, .to = to};

    if (form == TABLE_JSON) {
        struct json json = {.file = to};

        json_begin_array(&json, JSON_LINES(0, 0));
        table_put_json(&json, table);
        json_end(&json);
        return json_close(&json);
    }
    if (form == TABLE_TEXT && has_fitted(table)) {
        writer.widths = calloc(table->count + 1, sizeof *writer.widths);
        if (!writer.widths)
            return false;
        writer.is_measuring = true;
        put_all(&writer);
        writer.is_measuring = false;
    }
    put_all(&writer);
    free(writer.widths);
    return true;
}

/* ---- several tables */
static size_t place_of(struct table_joined *joined, const char *name)
{
    size_t place = 0;

    while (place < joined->count && strcmp(joined->names[place], name) != 0)
        place++;
    if (place == joined->count)
        joined->names[joined->count++] = name;
    return place;
}

static void print_joined(FILE *to, struct table_joined *joined, const char *first, const struct table *tables,
                         size_t count)
{
    struct table_writer writer = {.joined = joined, .form = TABLE_CSV, .to = to};

    joined->next = joined->places;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < tables[i].count; k++)
            *joined->next++ = place_of(joined, k == 0 ? first : tables[i].columns[k].name);
    for (size_t i = 0; i < joined->count; i++)
        joined->lacks_memory |= !(joined->cells[i] = strdup(joined->names[i]));
    end_joined_row(&writer);
    joined->next = joined->places;
    for (size_t i = 0; i < count; i++) {
        writer.table = &tables[i];
        tables[i].rows(tables[i].context, &writer);
        joined->next += tables[i].count;
    }
}

bool table_print_joined(FILE *to, const char *first, const struct table *tables, size_t count)
{
    struct table_joined joined = {0};
    size_t most = 1;

    for (size_t i = 0; i < count; i++)
        most += tables[i].count;
    joined.names = calloc(most, sizeof *joined.names);
    joined.cells = calloc(most, sizeof *joined.cells);
    joined.places = calloc(most, sizeof *joined.places);
    joined.lacks_memory = !joined.names || !joined.cells || !joined.places;
    if (!joined.lacks_memory)
        print_joined(to, &joined, first, tables, count);
    free(joined.names);
    free(joined.cells);
    free(joined.places);
    return !joined.lacks_memory;
}
