#include "cli/sweep/results_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/config/config.h"
#include "replay/metrics/verdict.h"
#include "sweep/plan/quantity.h"

#define MS_A_PS 1e-9
#define PS_A_SECOND 1e12

void columns_open(struct columns *columns, const struct results_row *row, const char *const *axes, size_t axis_count)
{
    *columns = (struct columns){.row = row, .axes = axes, .axis_count = axis_count, .baseline_ps = NAN};
    /* The statistics are valid JSON (results_read checks that), so only lack of memory makes this fail. */
    if (row->statistics) {
        columns->statistics = json_loads(row->statistics, 0, NULL);
        columns->lacks_memory = !columns->statistics;
    }
}

void columns_close(struct columns *columns)
{
    json_decref(columns->statistics);
    figures_free(&columns->figures);
    free(columns->config);
}

void columns_number_text(double number, char text[CELL_TEXT])
{
    if (number == rint(number) && fabs(number) < 0x1p63) {
        snprintf(text, CELL_TEXT, "%" PRId64, (int64_t)number);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        char exact[32];

        snprintf(exact, sizeof exact, "%.*g", digits, number);
        if (strtod(exact, NULL) == number || digits == 17) {
            snprintf(text, CELL_TEXT, "%s", exact);
            return;
        }
    }
}

/* ---- columns that every point has */
static enum cell_kind results_columns_put_word(const char *word, char text[CELL_TEXT])
{
    snprintf(text, CELL_TEXT, "%s", word ? word : "");
    return word ? CELL_WORD : CELL_MISSING;
}

static enum cell_kind results_columns_put_number(double value, char text[CELL_TEXT], double *number)
{
    *number = value;
    columns_number_text(value, text);
    return CELL_NUMBER;
}

/* A value of an axis or of the system; a clock is given as its period, as in the effective system. */
static enum cell_kind put_setting(const struct columns *columns, const char *word, char text[CELL_TEXT],
                                  double *number)
{
    if (columns->is_typed && word) {
        struct quantity const quantity = quantity_of(word);

        if (quantity.kind == QUANTITY_HERTZ && quantity.number > 0) {
            results_columns_put_number(rint(PS_A_SECOND / quantity.number), text, number);
            return CELL_PS;
        }
        if (quantity.kind != QUANTITY_WORD) {
            results_columns_put_number(quantity.number, text, number);
            return quantity.kind == QUANTITY_BYTES ? CELL_BYTES : quantity.kind == QUANTITY_PS ? CELL_PS
                   : quantity.kind == QUANTITY_RATE ? CELL_RATE : CELL_NUMBER;
        }
    }
    return results_columns_put_word(word, text);
}

static bool find_usual(const struct columns *columns, const char *name, enum cell_kind *kind, char text[CELL_TEXT],
                       double *number)
{
    struct results_row const *const row = columns->row;
    json_t const *const ticks = json_object_get(columns->statistics, "simTicks");

    text[0] = '\0';
    if (strcmp(name, "point") == 0)
        *kind = results_columns_put_number((double)row->number, text, number);
    else if (strcmp(name, "hash") == 0)
        *kind = results_columns_put_word(row->hash, text);
    else if (strcmp(name, "system") == 0)
        *kind = results_columns_put_word(row->system, text);
    else if (strcmp(name, "traces") == 0)
        *kind = results_columns_put_word(row->traces, text);
    else if (strcmp(name, "state") == 0)
        *kind = results_columns_put_word(row->state, text);
    else if (strcmp(name, "error") == 0)
        *kind = results_columns_put_word(row->error, text);
    else if (strcmp(name, "time_ms") == 0)
        *kind = ticks ? results_columns_put_number(json_number_value(ticks) * MS_A_PS, text, number) : CELL_MISSING;
    else if (strcmp(name, "wall_s") == 0)
        *kind = results_columns_put_number(row->wall_s, text, number);
    else if (strcmp(name, "cpu_s") == 0)
        *kind = results_columns_put_number(row->cpu_s, text, number);
    else
        return false;
    return true;
}

/* ---- figures of a kernel */
static char const kernel_prefix[] = "kernel.";

static struct fault find_of_kernel(const struct columns *columns, const char *name, const char *where,
                                   enum cell_kind *kind, char text[CELL_TEXT], double *number)
{
    json_t const *const value = json_object_get(columns->kernel, name + sizeof kernel_prefix - 1);

    text[0] = '\0';
    if (!value)
        return fault_make(FAULT_INPUT, "%s: %.100s: a kernel has no such figure; `rubato results FILE --kernels --json "
                          "--limit 1` shows all", where, name);
    *kind = json_is_string(value) ? results_columns_put_word(json_string_value(value), text)
          : json_is_number(value) ? results_columns_put_number(json_number_value(value), text, number) : CELL_MISSING;
    return fault_none();
}

/* ---- metrics */
struct fault columns_figures(struct columns *columns, const struct figures **figures)
{
    const char *name;
    json_t *value;

    if (columns->lacks_memory)
        return fault_make(FAULT_MEMORY, "out of memory");
    if (!columns->has_figures) {
        columns->has_figures = true;
        json_object_foreach(columns->statistics, name, value)
            if (json_is_number(value))
                figures_add(&columns->figures, name, json_number_value(value));
        if (columns->baseline_ps > 0)
            figures_add(&columns->figures, METRICS_BASELINE, columns->baseline_ps);
        FORWARD(figures_finish(&columns->figures));
    }
    *figures = &columns->figures;
    return fault_none();
}

static struct fault find_metric(struct columns *columns, const char *name, enum cell_kind *kind, char text[CELL_TEXT],
                                double *number)
{
    const struct figures *figures;
    double value;

    FORWARD(columns_figures(columns, &figures));
    value = metrics_value(figures, name);
    text[0] = '\0';
    *kind = isfinite(value) ? results_columns_put_number(value, text, number) : CELL_MISSING;
    return fault_none();
}

static struct fault find_bound(struct columns *columns, enum cell_kind *kind, char text[CELL_TEXT])
{
    const struct figures *figures;
    struct verdict verdict;

    FORWARD(columns_figures(columns, &figures));
    verdict = verdict_of(figures, NULL);
    *kind = results_columns_put_word(verdict.cores.count ? verdict_key(verdict.cores.bounds[0].cause)
                                     : verdict.gpu.count ? verdict_key(verdict.gpu.bounds[0].cause) : NULL, text);
    return fault_none();
}

/* ---- keys of the effective system */
static bool load_config(struct columns *columns)
{
    struct results_row const *const row = columns->row;

    if (!columns->config) {
        columns->config = config_new();
        if (!columns->config)
            return false;
        config_defaults(columns->config);
        columns->has_config = row->config
            && config_load_text(columns->config, row->hash, row->config, strlen(row->config)).kind == FAULT_NONE
            && config_finish(columns->config).kind == FAULT_NONE;
        if (!columns->has_config)
            config_defaults(columns->config);
    }
    return true;
}

static struct fault find_key(struct columns *columns, const char *name, const char *where, enum cell_kind *kind,
                             char text[CELL_TEXT], double *number)
{
    char word[CELL_TEXT];

    if (!load_config(columns))
        return fault_make(FAULT_MEMORY, "out of memory");

    struct fault const fault = config_get(columns->config, name, where, word, CELL_TEXT);

    if (fault.kind != FAULT_NONE)
        return fault.kind == FAULT_INPUT ? results_unknown_column(columns, name, where, &fault) : fault;
    *kind = put_setting(columns, columns->has_config ? word : NULL, text, number);
    return fault_none();
}

const char *columns_statistic(const json_t *names, const char *name, char alias[ALIAS_BYTES])
{
    if (json_object_get(names, name))
        return name;
    for (unsigned number = 0; alias_of(name, number, alias); number++)
        if (json_object_get(names, alias))
            return alias;
    return NULL;
}

/* A level of an axis. A level that leaves the system's number unchanged is shown as that number, so that a column has
 * one type. */
static struct fault find_level(struct columns *columns, const char *name, const char *level, const char *where,
                               enum cell_kind *kind, char text[CELL_TEXT], double *number)
{
    if (columns->is_typed && level && strcmp(level, "base") == 0) {
        struct fault const fault = find_key(columns, name, where, kind, text, number);

        if (fault.kind == FAULT_MEMORY || (fault.kind == FAULT_NONE && cell_is_number(*kind)))
            return fault;
    }
    *kind = put_setting(columns, level, text, number);
    return fault_none();
}

struct fault columns_find(struct columns *columns, const char *name, const char *where, enum cell_kind *kind,
                          char text[CELL_TEXT], double *number)
{
    char alias[ALIAS_BYTES];
    const char *statistic;
    json_t const *figure;

    if (columns->lacks_memory)
        return fault_make(FAULT_MEMORY, "out of memory");
    if (find_usual(columns, name, kind, text, number))
        return fault_none();
    if (columns->kernel && strncmp(name, kernel_prefix, sizeof kernel_prefix - 1) == 0)
        return find_of_kernel(columns, name, where, kind, text, number);
    for (size_t i = 0; i < columns->axis_count; i++)
        if (strcmp(columns->axes[i], name) == 0)
            return find_level(columns, name, columns->row->values[i], where, kind, text, number);
    statistic = columns_statistic(columns->statistics, name, alias);
    figure = statistic ? json_object_get(columns->statistics, statistic) : NULL;
    if (figure) {
        *kind = json_is_number(figure) ? results_columns_put_number(json_number_value(figure), text, number)
                                        : CELL_MISSING;
        if (*kind == CELL_MISSING)
            text[0] = '\0';
        return fault_none();
    }
    if (strcmp(name, "speedup") == 0 && isnan(columns->baseline_ps))
        return fault_make(FAULT_INPUT, "%s: speedup is against a point that has to be named; give --baseline POINT, or "
                          "a condition", where);
    if (metrics_find(name))
        return find_metric(columns, name, kind, text, number);
    if (strcmp(name, "bound") == 0)
        return find_bound(columns, kind, text);
    return find_key(columns, name, where, kind, text, number);
}
