/* All names that a metric can have are asked of each point; those that no point has are dropped at the end. */
#include "sweep/report/report_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "sweep/compare/stats_table.h"

static struct fault report_columns_out_of_memory(void)
{
    return fault_make(FAULT_MEMORY, "out of memory");
}

/* ---- which columns */

static bool report_columns_is_there(const struct report_columns *columns, const char *name)
{
    for (size_t i = 0; i < columns->count; i++)
        if (strcmp(columns->list[i].name, name) == 0)
            return true;
    return false;
}

static void add_column(void *self, const char *name, const struct metric *metric)
{
    struct report_columns *const columns = self;

    if (report_columns_is_there(columns, name))
        return;
    if (!list_fit(&columns->list, columns->count + 1, &columns->room, sizeof *columns->list)) {
        columns->out_of_memory = true;
        return;
    }
    columns->list[columns->count] = (struct report_column){arena_copy(&columns->arena, name, strlen(name)), metric};
    if (columns->list[columns->count].name)
        columns->count++;
    else
        columns->out_of_memory = true;
}

/* ---- points */

static const char *report_columns_keep(struct report_columns *columns, const char *text)
{
    const char *const copy = text[0] ? arena_copy(&columns->arena, text, strlen(text)) : "";

    columns->out_of_memory = columns->out_of_memory || !copy;
    return copy ? copy : "";
}

static void report_columns_judge(struct report_columns *columns, const struct figures *figures,
                                 struct report_finding *finding)
{
    struct verdict const verdict = verdict_of(figures, NULL);

    if (verdict.cores.count || verdict.gpu.count)
        finding->bound = verdict_key(verdict.cores.count ? verdict.cores.bounds[0].cause : verdict.gpu.bounds[0].cause);
    finding->cores = report_columns_keep(columns, verdict.cores.count ? verdict.cores.text : "");
    finding->gpu = report_columns_keep(columns, verdict.gpu.count ? verdict.gpu.text : "");
    for (size_t i = 0; i < verdict.doubt_count; i++)
        finding->doubts[finding->doubt_count++] = report_columns_keep(columns, verdict.doubts[i]);
}

static double report_columns_value_of(const struct stats_table *table, const struct figures *figures,
                                      const struct report_column *column)
{
    const struct stats_line *line;

    if (column->metric)
        return metrics_value(figures, column->name);
    line = stats_table_find(table, column->name);
    return line ? strtod(line->value, NULL) : (double)NAN;
}

static void take_statistics(struct report_columns *columns, struct stats_table *table, double *values,
                            struct report_finding *finding)
{
    struct figures figures = {0};

    for (size_t i = 0; i < table->count; i++)
        figures_add(&figures, table->lines[i].name, strtod(table->lines[i].value, NULL));
    if (figures_finish(&figures).kind == FAULT_NONE) {
        for (size_t i = 0; i < columns->count; i++)
            values[i] = report_columns_value_of(table, &figures, &columns->list[i]);
        report_columns_judge(columns, &figures, finding);
    } else {
        columns->out_of_memory = true;
    }
    figures_free(&figures);
}

bool report_columns_add(struct report_columns *columns, const char *statistics)
{
    size_t const point = columns->point_count;
    char *const text = statistics ? strdup(statistics) : NULL;
    struct stats_table table;
    double *values;

    if (!list_fit(&columns->values, (point + 1) * columns->count, &columns->values_room, sizeof *columns->values)
        || !list_fit(&columns->findings, point + 1, &columns->findings_room, sizeof *columns->findings)) {
        columns->out_of_memory = true;
        free(text);
        return false;
    }
    values = columns->values + point * columns->count;
    for (size_t i = 0; i < columns->count; i++)
        values[i] = NAN;
    columns->findings[point] = (struct report_finding){.bound = "", .cores = "", .gpu = ""};
    columns->point_count++;
    if (text && stats_table_parse(&table, "statistics", text, strlen(text)).kind == FAULT_NONE) {
        take_statistics(columns, &table, values, &columns->findings[point]);
        stats_table_free(&table);
    }
    return !columns->out_of_memory;
}

/* ---- columns that are left out */

static bool report_columns_is_known(const struct report_columns *columns, size_t column)
{
    for (size_t i = 0; i < columns->point_count; i++)
        if (isfinite(columns->values[i * columns->count + column]))
            return true;
    return false;
}

static bool report_columns_is_same(const struct report_columns *columns, size_t one, size_t other)
{
    for (size_t i = 0; i < columns->point_count; i++) {
        const double *const values = columns->values + i * columns->count;

        if (values[one] != values[other] && !(isnan(values[one]) && isnan(values[other])))
            return false;
    }
    return true;
}

/* "llc." is another name for a level, and says more only where systems end with different ones. */
static bool is_other_name(const struct report_columns *columns, size_t column)
{
    const char *const name = columns->list[column].name;

    if (strncmp(name, "llc.", 4) != 0)
        return false;
    for (size_t i = 0; i < column; i++) {
        const char *const point = strchr(columns->list[i].name, '.');

        if (point && strcmp(point, name + 3) == 0 && report_columns_is_same(columns, i, column))
            return true;
    }
    return false;
}

static bool drop_columns(struct report_columns *columns)
{
    size_t *const kept = calloc(columns->count + 1, sizeof *kept);
    size_t count = 0;

    if (!kept)
        return false;
    for (size_t i = 0; i < columns->count; i++)
        if (report_columns_is_known(columns, i) && (i < columns->asked || !is_other_name(columns, i)))
            kept[count++] = i;
    for (size_t point = 0; point < columns->point_count; point++)
        for (size_t i = 0; i < count; i++)
            columns->values[point * count + i] = columns->values[point * columns->count + kept[i]];
    for (size_t i = 0; i < count; i++)
        columns->list[i] = columns->list[kept[i]];
    columns->count = count;
    free(kept);
    return true;
}

/* ---- all of it */

struct fault report_columns_begin(struct report_columns **made, const char *const *more, size_t more_count)
{
    struct report_columns *const columns = calloc(1, sizeof *columns);

    *made = NULL;
    if (!columns)
        return report_columns_out_of_memory();
    for (size_t i = 0; i < more_count; i++)
        add_column(columns, more[i], metrics_find(more[i]));
    columns->asked = columns->count;
    metrics_names(add_column, columns);
    if (columns->out_of_memory) {
        report_columns_free(columns);
        return report_columns_out_of_memory();
    }
    *made = columns;
    return fault_none();
}

struct fault report_columns_finish(struct report_columns *columns, const char *const *more, size_t more_count)
{
    if (columns->out_of_memory || !drop_columns(columns))
        return report_columns_out_of_memory();
    for (size_t i = 0; i < more_count; i++)
        if (!report_columns_is_there(columns, more[i]))
            return fault_make(FAULT_INPUT, "no point has a value of %.200s; give --metric or --columns another name "
                              "(`rubato results --metrics` lists the metrics; statistics are named as a statistics "
                              "file has them), or run the sweep", more[i]);
    return fault_none();
}

static bool take_row(void *self, const struct results_row *row)
{
    return report_columns_add(self, row->statistics);
}

struct fault report_columns_read(struct report_columns **made, struct results *results, const char *const *more,
                                 size_t more_count)
{
    struct report_columns *columns;
    struct fault fault;

    FORWARD(report_columns_begin(made, more, more_count));
    columns = *made;
    *made = NULL;
    fault = results_read(results, take_row, columns);
    if (fault.kind == FAULT_NONE)
        fault = report_columns_finish(columns, more, more_count);
    if (fault.kind == FAULT_NONE)
        *made = columns;
    else
        report_columns_free(columns);
    return fault;
}

void report_columns_free(struct report_columns *columns)
{
    if (!columns)
        return;
    free(columns->list);
    free(columns->values);
    free(columns->findings);
    arena_free(&columns->arena);
    free(columns);
}

double report_columns_value(const struct report_columns *columns, size_t point, size_t column)
{
    return columns->values[point * columns->count + column];
}

bool report_column_is_size(const struct report_column *column)
{
    static const char *const units[] = {"ms", "ns", "us", "cycles", "mJ", "uJ", "nJ", "pJ"};

    if (!column->metric)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(column->metric->unit, units[i]) == 0)
            return true;
    return strcmp(column->metric->name, "ipc") == 0;
}
