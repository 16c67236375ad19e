/* The cost of points as they are read: it is in no stored point, so that a sweep's file may change its prices without a
 * run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "sweep/plan/price.h"
#include "sweep/results/results.h"

struct priced {
    struct condition *cost;              /* NULL: none */
    struct arena arena;
    bool (*visit)(void *self, const struct results_row *row);
    void *self;
    struct fault fault;
};

static bool priced_figures(const char *statistics, struct figures *figures)
{
    json_t *const read = json_loads(statistics, 0, NULL);
    const char *name;
    json_t *value;

    json_object_foreach(read, name, value)
        if (json_is_number(value))
            figures_add(figures, name, json_number_value(value));
    json_decref(read);
    return read && figures_finish(figures).kind == FAULT_NONE;
}

/* NAN: a point whose cost has no value. */
static double cost_of_row(const struct priced *priced, const struct results_row *row)
{
    struct figures figures = {0};
    double const price = row->config && priced_figures(row->statistics, &figures)
        ? price_of_point(priced->cost, row->config, row->hash, &figures) : (double)NAN;

    figures_free(&figures);
    return price;
}

static bool visit_priced(void *self, const struct results_row *row)
{
    struct priced *const priced = self;
    struct results_row with = *row;
    double const price = row->statistics && *row->statistics == '{' ? cost_of_row(priced, row) : (double)NAN;
    char *statistics = NULL;
    bool goes_on;

    if (isfinite(price)) {
        size_t const size = strlen(row->statistics) + 50;

        statistics = malloc(size);
        if (!statistics) {
            priced->fault = fault_make(FAULT_MEMORY, "out of memory for the cost of a point");
            return false;
        }
        snprintf(statistics, size, "{\"cost\": %.17g,%s", price, row->statistics + 1);
        with.statistics = statistics;
    }
    goes_on = priced->visit(priced->self, &with);
    free(statistics);
    return goes_on;
}

static void take_cost_text(void *self, const char *text)
{
    struct priced *const priced = self;

    if (text && *text)
        priced->fault = amount_parse(&priced->cost, &priced->arena, text, "cost");
}

static struct fault read_cost(const struct results *results, struct priced *priced)
{
    sqlite3_stmt *statement;

    if (sqlite3_prepare_v2(results_database(results), "SELECT value FROM about WHERE key = 'cost'", -1, &statement,
                           NULL) != SQLITE_OK)
        return fault_none();             /* what is wrong with the file, its reading says */
    if (sqlite3_step(statement) == SQLITE_ROW)
        take_cost_text(priced, (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return priced->fault;
}

struct fault results_read(struct results *results, bool (*visit)(void *self, const struct results_row *row),
                          void *self)
{
    struct priced priced = {.visit = visit, .self = self};
    struct fault fault = visit ? read_cost(results, &priced) : fault_none();

    if (fault.kind == FAULT_NONE)
        fault = priced.cost ? results_read_stored(results, visit_priced, &priced)
                            : results_read_stored(results, visit, self);
    if (fault.kind == FAULT_NONE)
        fault = priced.fault;
    arena_free(&priced.arena);
    return fault;
}
