#include "cli/sweep/results_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parquet.h"
#include "cli/common/output_name.h"

/* ---- forms */
static const struct {
    const char *name, *ending, *what;
    enum table_form form;
} forms[RESULTS_FORM_COUNT] = {
    [RESULTS_TABLE] = {"table", "txt", "a table", TABLE_TEXT},
    [RESULTS_TSV] = {"tsv", "tsv", "TSV", TABLE_TSV},
    [RESULTS_CSV] = {"csv", "csv", "CSV", TABLE_CSV},
    [RESULTS_JSON] = {"json", "json", "JSON", TABLE_JSON},
    [RESULTS_PARQUET] = {"parquet", "parquet", "Parquet", TABLE_TEXT}};

enum table_form results_table_form(enum results_form form)
{
    return forms[form].form;
}

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

/* ---- tables */
/* People read six digits; programs get all. */
static void put_table_cell(struct table_writer *writer, const char *cell, enum cell_kind kind)
{
    char text[32];

    if (kind == CELL_MISSING) {
        table_word(writer, NULL);
    } else if (!cell_is_number(kind)) {
        table_word(writer, cell);
    } else if (writer->form == TABLE_TEXT && strpbrk(cell, ".e")) {
        snprintf(text, sizeof text, "%.6g", strtod(cell, NULL));
        table_digits(writer, text);
    } else {
        table_digits(writer, cell);
    }
}

static void put_rows(const void *context, struct table_writer *writer)
{
    const struct results_listing *const listing = context;

    for (const struct results_line *line = listing->lines; line < listing->lines + listing->line_count; line++) {
        for (size_t i = 0; i < listing->column_count; i++)
            put_table_cell(writer, line->cells[i], line->kinds[i]);
        table_end_row(writer);
    }
}

static bool print_table(FILE *to, enum table_form form, const struct results_listing *listing)
{
    struct table_column *const columns = calloc(listing->column_count + 1, sizeof *columns);
    struct table const table = {
        .columns = columns, .count = listing->column_count, .rows = put_rows, .context = listing, .gap = "  "
    };
    bool good;

    if (!columns)
        return false;
    for (size_t i = 0; i < listing->column_count; i++)
        columns[i] = (struct table_column){
            .name = listing->columns[i], .heading = listing->columns[i], .width = TABLE_FIT
        };
    good = table_print(to, form, &table);
    free(columns);
    return good;
}

bool results_print(FILE *to, enum results_form form, const struct results_listing *listing)
{
    return form == RESULTS_PARQUET ? print_parquet(to, listing) : print_table(to, results_table_form(form), listing);
}
