#define _POSIX_C_SOURCE 200809L
#include "cli/sweep/results_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/parquet.h"
#include "cli/csv.h"
#include "cli/output_name.h"
#include "cli/shown.h"

/* ---- forms */
static const struct {
    const char *name, *ending, *what;
} forms[RESULTS_FORM_COUNT] = {
    [RESULTS_TABLE] = {"table", "txt", "a table"},
    [RESULTS_CSV] = {"csv", "csv", "CSV"},
    [RESULTS_JSON] = {"json", "json", "JSON"},
    [RESULTS_PARQUET] = {"parquet", "parquet", "Parquet"}};

bool results_form_of(const char *name, enum results_form *form)
{
    for (size_t i = 0; i < RESULTS_FORM_COUNT; i++) {
        if (strcmp(name, forms[i].name) == 0) {
            *form = (enum results_form)i;
            return true;
        }
    }
    return false;
}

bool results_form_of_file(const char *path, enum results_form *form)
{
    for (size_t i = 0; i < RESULTS_FORM_COUNT; i++) {
        if (output_ends_in(path, forms[i].ending)) {
            *form = (enum results_form)i;
            return true;
        }
    }
    return false;
}

bool results_form_fits(enum results_form form, const char *path)
{
    return cli_output_fits(path, forms[form].what, forms[form].ending);
}

/* ---- CSV */
/* As it is, but on a terminal. */
static void print_csv_cell(FILE *to, const char *text)
{
    if (isatty(fileno(to)) == 1)
        text = cli_shown(text);
    csv_put_cell(to, text);
}

static void print_csv(FILE *to, const struct results_listing *listing)
{
    for (size_t i = 0; i < listing->column_count; i++) {
        fputs(i ? "," : "", to);
        print_csv_cell(to, listing->columns[i]);
    }
    putc('\n', to);
    for (size_t n = 0; n < listing->line_count; n++) {
        for (size_t i = 0; i < listing->column_count; i++) {
            fputs(i ? "," : "", to);
            print_csv_cell(to, listing->lines[n].cells[i]);
        }
        putc('\n', to);
    }
}

/* ---- JSON */
static bool print_json(FILE *to, const struct results_listing *listing)
{
    struct json json = {.file = to};

    json_begin_array(&json, JSON_LINES(0, 0));
    for (size_t n = 0; n < listing->line_count; n++) {
        struct results_line const *const line = &listing->lines[n];

        json_begin_object(&json, JSON_SPACED);
        for (size_t i = 0; i < listing->column_count; i++) {
            json_key(&json, listing->columns[i]);
            if (cell_is_number(line->kinds[i]))
                json_write_digits(&json, line->cells[i]);
            else
                json_write_string(&json, line->kinds[i] == CELL_WORD ? line->cells[i] : NULL);
        }
        json_end(&json);
    }
    json_end(&json);
    return json_close(&json);
}

/* ---- Parquet */
static const struct metric *metric_of(const struct results_listing *listing, const char *name)
{
    for (size_t i = 0; i < listing->axis_count; i++)
        if (strcmp(listing->axes[i], name) == 0)
            return NULL;
    return metrics_find(name);
}

/* Means and shares are no counts, even where all of them happen to be whole. */
static bool is_real(const char *name, const struct metric *metric)
{
    static const char *const others[] = {"wall_s", "cpu_s", "speedup"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i]) == 0)
            return true;
    return metric && (strchr(metric->formula, '/') || (*metric->unit && strcmp(metric->unit, "cycles") != 0));
}

static bool is_whole(const char *text, int64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoll(text, &end, 10);
    return errno == 0 && *end == '\0';
}

/* A column with a word in it is one of words. */
static struct parquet_column column_of(const struct results_listing *listing, size_t column)
{
    const char *const name = listing->columns[column];
    struct metric const *const metric = metric_of(listing, name);
    struct parquet_column described = {.name = name, .type = PARQUET_INT64};
    const char *unit = "";
    bool has_cells = false;
    int64_t unused;

    described.unit = metric ? metric->unit : strcmp(name, "wall_s") == 0 || strcmp(name, "cpu_s") == 0 ? "s" : "";
    if (is_real(name, metric))
        described.type = PARQUET_DOUBLE;
    for (size_t n = 0; n < listing->line_count; n++) {
        enum cell_kind const kind = listing->lines[n].kinds[column];

        unit = *unit ? unit : cell_unit(kind);
        has_cells |= kind != CELL_MISSING;
        if (kind == CELL_WORD)
            described.type = PARQUET_STRING;
        else if (cell_is_number(kind) && described.type == PARQUET_INT64
                 && !is_whole(listing->lines[n].cells[column], &unused))
            described.type = PARQUET_DOUBLE;
    }
    if (!has_cells && !metric)
        described.type = PARQUET_STRING;
    if (*unit && described.type != PARQUET_STRING)
        described.unit = unit;
    return described;
}

static void put_cell(struct parquet *parquet, size_t column, const char *cell)
{
    int64_t number;

    switch (parquet->columns[column].type) {
    case PARQUET_STRING: parquet_put_string(parquet, column, cell); break;
    case PARQUET_DOUBLE: parquet_put_real(parquet, column, strtod(cell, NULL)); break;
    default:
        if (is_whole(cell, &number))
            parquet_put_integer(parquet, column, (uint64_t)number);
    }
}

static bool print_parquet(FILE *to, const struct results_listing *listing)
{
    struct parquet_column *const columns = calloc(listing->column_count + 1, sizeof *columns);
    struct parquet parquet = {.file = to};
    bool good;

    if (!columns)
        return false;
    for (size_t i = 0; i < listing->column_count; i++)
        columns[i] = column_of(listing, i);
    parquet_begin(&parquet, columns, listing->column_count);
    for (size_t n = 0; n < listing->line_count; n++) {
        for (size_t i = 0; i < listing->column_count; i++)
            if (listing->lines[n].kinds[i] != CELL_MISSING)
                put_cell(&parquet, i, listing->lines[n].cells[i]);
        parquet_end_row(&parquet);
    }
    good = parquet_close(&parquet);
    free(columns);
    return good;
}

/* ---- the table */
/* As people read it: six digits. */
static const char *short_cell(const struct results_line *line, size_t column, char text[CELL_TEXT])
{
    if (!cell_is_number(line->kinds[column]) || !strpbrk(line->cells[column], ".e"))
        return line->kinds[column] == CELL_MISSING ? "-" : cli_shown(line->cells[column]);
    snprintf(text, CELL_TEXT, "%.6g", strtod(line->cells[column], NULL));
    return text;
}

static void print_table(FILE *to, const struct results_listing *listing)
{
    char text[CELL_TEXT];
    int *const widths = calloc(listing->column_count + 1, sizeof *widths);

    for (size_t i = 0; widths && i < listing->column_count; i++) {
        widths[i] = (int)strlen(cli_shown(listing->columns[i]));
        for (size_t n = 0; n < listing->line_count; n++) {
            int const width = (int)strlen(short_cell(&listing->lines[n], i, text));

            widths[i] = width > widths[i] ? width : widths[i];
        }
    }
    for (size_t i = 0; i < listing->column_count; i++)
        fprintf(to, "%s%*s", i ? "  " : "", widths ? widths[i] : 0, cli_shown(listing->columns[i]));
    putc('\n', to);
    for (size_t n = 0; n < listing->line_count; n++) {
        for (size_t i = 0; i < listing->column_count; i++)
            fprintf(to, "%s%*s", i ? "  " : "", widths ? widths[i] : 0,
                    short_cell(&listing->lines[n], i, text));
        putc('\n', to);
    }
    free(widths);
}

bool results_print(FILE *to, enum results_form form, const struct results_listing *listing)
{
    switch (form) {
    case RESULTS_CSV: print_csv(to, listing); return true;
    case RESULTS_JSON: return print_json(to, listing);
    case RESULTS_PARQUET: return print_parquet(to, listing);
    default: print_table(to, listing); return true;
    }
}
