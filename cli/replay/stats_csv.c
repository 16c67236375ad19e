/* RFC 4180, with lines that end in a newline alone. */
#include "cli/replay/stats_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/shown.h"

/* All its digits; nothing if it is not finite. */
static void stats_csv_put_number(FILE *file, double value)
{
    if (!isfinite(value))
        return;
    fprintf(file, value == rint(value) && fabs(value) < 0x1p63 ? "%.0f" : "%.17g", value);
}

/* ---- blocks */
struct stats_csv_column {
    const char *name;
    bool is_shown;
    struct stats_csv_column *next;       /* of the same figure */
};

static void stats_csv_begin(struct stats_csv *csv, const struct stats *stats)
{
    csv->count = stats_record_size(stats);
    csv->blocks = tmpfile();
    csv->values = calloc(csv->count + 1, sizeof *csv->values);
    csv->first = calloc(csv->count + 1, sizeof *csv->first);
    csv->columns = calloc(csv->count + 1, sizeof *csv->columns);
    csv->has_failed = !csv->blocks;
    csv->lacks_memory = !csv->values || !csv->first || !csv->columns;
}

/* The figure's column of that name; NULL: out of memory. */
static struct stats_csv_column *column_of(struct stats_csv *csv, size_t figure, const char *name)
{
    struct stats_csv_column **at = &csv->first[figure];

    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    if (*at)
        return *at;

    struct stats_csv_column *const made = arena_take(&csv->arena, sizeof *made);

    if (!made || !(made->name = arena_copy(&csv->arena, name, strlen(name))))
        return NULL;
    *at = made;
    return made;
}

static void take_value(void *context, const struct stat_leaf *leaf)
{
    struct stats_csv *const csv = context;
    struct stats_csv_column *column = csv->columns[csv->next];

    if (!column || strcmp(column->name, leaf->name) != 0)
        column = column_of(csv, csv->next, leaf->name);
    csv->lacks_memory |= !column;
    csv->columns[csv->next] = column;
    csv->values[csv->next++] = leaf->value;
}

/* Those that are shown come in the order of all. */
static void take_shown(void *context, const struct stat_leaf *leaf)
{
    struct stats_csv *const csv = context;

    while (csv->next < csv->count && strcmp(csv->columns[csv->next]->name, leaf->name) != 0)
        csv->next++;
    if (csv->next < csv->count)
        csv->columns[csv->next++]->is_shown = true;
}

void stats_csv_add(struct stats_csv *csv, const struct stats *stats, uint64_t now_ps)
{
    if (!csv->values && !csv->lacks_memory)
        stats_csv_begin(csv, stats);
    if (csv->lacks_memory || csv->has_failed)
        return;
    csv->next = 0;
    stats_visit(stats, now_ps, STATS_ALL, take_value, csv);
    if (csv->lacks_memory)
        return;
    csv->next = 0;
    stats_visit(stats, now_ps, STATS_SHOWN_AND_OURS, take_shown, csv);
    csv->has_failed = fwrite(csv->values, sizeof *csv->values, csv->count, csv->blocks) != csv->count
                      || fwrite(csv->columns, sizeof *csv->columns, csv->count, csv->blocks) != csv->count;
}

/* ---- the file */
static void stats_csv_write_line(const struct stats_csv *csv, FILE *to, bool is_names)
{
    const char *separator = "";

    for (size_t i = 0; i < csv->count; i++)
        for (const struct stats_csv_column *column = csv->first[i]; column; column = column->next) {
            if (!column->is_shown)
                continue;
            fputs(separator, to);
            separator = ",";
            if (is_names)
                csv_put_cell(to, column->name);
            else if (csv->columns[i] == column)
                stats_csv_put_number(to, csv->values[i]);
        }
    fputc('\n', to);
}

const char *stats_csv_end(struct stats_csv *csv, FILE *to)
{
    if (csv->lacks_memory)
        return "out of memory";
    if (csv->has_failed || (csv->blocks && fseek(csv->blocks, 0, SEEK_SET) != 0))
        return "the blocks of a CSV file wait in /tmp, where there is no room";
    if (!csv->values)
        return NULL;
    stats_csv_write_line(csv, to, true);
    while (fread(csv->values, sizeof *csv->values, csv->count, csv->blocks) == csv->count
           && fread(csv->columns, sizeof *csv->columns, csv->count, csv->blocks) == csv->count)
        stats_csv_write_line(csv, to, false);
    return ferror(csv->blocks) ? "the blocks that wait in /tmp cannot be read again" : NULL;
}

void stats_csv_free(struct stats_csv *csv)
{
    if (csv->blocks)
        fclose(csv->blocks);
    arena_free(&csv->arena);
    free(csv->values);
    free(csv->first);
    free(csv->columns);
    *csv = (struct stats_csv){0};
}
