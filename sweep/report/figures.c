/* Lines of a table are sorted by name, so those that begin alike stand together: a search, then few comparisons. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/report/figures.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/compare/stats_table.h"

#define FIGURE_LINE(name, unit, above, below, factor, higher, ratio, help)                                            \
    {name, unit, above, below, factor, higher, ratio, help},

const struct figure *report_figure_at(size_t index)
{
    static const struct figure list[FIGURES] = {REPORT_FIGURES(FIGURE_LINE)};

    return &list[index];
}

/* What follows the pattern in the name; NULL: it does not begin so. */
static const char *rest_of(const char *name, const char *pattern)
{
    for (; *pattern; pattern++)
        if (*pattern == '#')
            while (isdigit((unsigned char)*name))
                name++;
        else if (*name++ != *pattern)
            return NULL;
    return name;
}

static size_t first_line(const struct stats_table *table, const char *begin, size_t length)
{
    size_t low = 0, high = table->count;

    while (low < high) {
        size_t const middle = low + (high - low) / 2;

        if (strncmp(table->lines[middle].name, begin, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* NAN: there is none. */
static double sum_of(const struct stats_table *table, const char *pattern)
{
    size_t const length = strcspn(pattern, "#");
    double sum = NAN;

    for (size_t i = first_line(table, pattern, length);
         i < table->count && strncmp(table->lines[i].name, pattern, length) == 0; i++) {
        const char *const rest = rest_of(table->lines[i].name, pattern);

        if (rest && !*rest)
            sum = (isnan(sum) ? 0 : sum) + strtod(table->lines[i].value, NULL);
    }
    return sum;
}

/* Counters that stayed 0 have no line; so a count of a component that has others is 0 where it is missing. */
static bool is_of_same(const char *above, const char *below)
{
    const char *const first = strchr(above, '.'), *const end = first ? strchr(first + 1, '.') : NULL;

    return end && strncmp(above, below, (size_t)(end - above) + 1) == 0;
}

static double value_of(const struct stats_table *table, const struct figure *figure)
{
    double const below = figure->below[0] ? sum_of(table, figure->below) : 1;
    double above = sum_of(table, figure->above);

    if (isnan(above) && is_of_same(figure->above, figure->below))
        above = 0;
    return below > 0 ? figure->factor * above / below : NAN;
}

static bool parse(struct stats_table *table, const char *statistics)
{
    char *const text = statistics ? strdup(statistics) : NULL;

    return text && stats_table_parse(table, "statistics", text, strlen(text)).kind == FAULT_NONE;
}


static int by_order(const void *a, const void *b)
{
    const struct stats_line *const one = a, *const two = b;

    return (one->order > two->order) - (one->order < two->order);
}

/* The table's order is lost. */
static void tell_stack(struct stats_table *table, void (*visit)(void *self, const char *name, double cycles),
                       void *self)
{
    static const char *const parts[2][2] = {
        {"system.cpu#.cpiStack::", "system.cpu#.numOps"}, {"system.gpu.stall_", "system.gpu.warp_insts"}
    };
    double below[2];

    for (size_t kind = 0; kind < 2; kind++)
        below[kind] = sum_of(table, parts[kind][1]);
    qsort(table->lines, table->count, sizeof *table->lines, by_order);
    for (size_t i = 0; i < table->count; i++)
        for (size_t kind = 0; kind < 2; kind++) {
            const char *const rest = rest_of(table->lines[i].name, parts[kind][0]);

            if (rest && strcmp(rest, "total") != 0 && below[kind] > 0)
                visit(self, rest, strtod(table->lines[i].value, NULL) / below[kind]);
        }
}

void report_figures_of(const char *statistics, double of[FIGURES],
                       void (*visit)(void *self, const char *name, double cycles), void *self)
{
    struct stats_table table;
    bool const is_there = parse(&table, statistics);

    for (size_t i = 0; i < FIGURES; i++)
        of[i] = is_there ? value_of(&table, report_figure_at(i)) : NAN;
    if (is_there) {
        tell_stack(&table, visit, self);
        stats_table_free(&table);
    }
}
