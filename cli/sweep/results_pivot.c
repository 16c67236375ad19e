#include "cli/sweep/results_pivot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const mean_names[PIVOT_MEAN_COUNT] = {
    [PIVOT_ARITHMETIC] = "arithmetic", [PIVOT_GEOMETRIC] = "geometric", [PIVOT_HARMONIC] = "harmonic"
};

/* A mean is g^-1 of the mean of g: x, log x, 1 / x. */
struct pivot_sum { double sum; size_t count; bool lacks_some; };

struct pivot_state {
    struct arena *arena;
    const struct results_listing *points;
    enum pivot_mean mean;
    json_t *rows, *columns;              /* places by name, in this order */
    size_t row_count, column_count;
    struct pivot_sum *cells;             /* by row, then column */
};

bool pivot_mean_of(const char *name, enum pivot_mean *mean)
{
    for (size_t i = 0; i < PIVOT_MEAN_COUNT; i++) {
        if (strcmp(name, mean_names[i]) == 0) {
            *mean = (enum pivot_mean)i;
            return true;
        }
    }
    return false;
}

static struct fault pivot_no_memory(void)
{
    return fault_make(FAULT_MEMORY, "out of memory");
}

/* ---- names */
/* "stride, 1MiB": the values of the point's columns. */
static char *column_name(const struct pivot_state *state, const struct results_line *line)
{
    size_t const last = state->points->column_count - 1;
    size_t length = 0;
    char *name;

    for (size_t i = 1; i < last; i++)
        length += strlen(line->cells[i]) + 2;
    name = arena_take(state->arena, length + 1);
    if (!name)
        return NULL;
    *name = '\0';
    for (size_t i = 1; i < last; i++) {
        if (i > 1)
            strcat(name, ", ");
        strcat(name, line->cells[i]);
    }
    return name;
}

/* The place of a name, which is added if it is new. False: out of memory. */
static bool place_of(json_t *places, const char *name, size_t *place)
{
    json_t const *const known = json_object_get(places, name);

    *place = known ? (size_t)json_integer_value(known) : json_object_size(places);
    return known || json_object_set_new_nocheck(places, name, json_integer((json_int_t)*place)) == 0;
}

/* Places of all points: pairs of row and column. */
static struct fault find_places(struct pivot_state *state, size_t *places)
{
    for (size_t n = 0; n < state->points->line_count; n++) {
        const struct results_line *const line = &state->points->lines[n];
        char *const column = column_name(state, line);

        if (!column || !place_of(state->rows, line->cells[0], &places[2 * n])
            || !place_of(state->columns, column, &places[2 * n + 1]))
            return pivot_no_memory();
        if (json_object_size(state->columns) > PIVOT_MAX_COLUMNS)
            return fault_make(FAULT_INPUT, "--pivot: there are more than %d columns; swap the names, or leave points "
                              "out with --where", PIVOT_MAX_COLUMNS);
    }
    state->row_count = json_object_size(state->rows);
    state->column_count = json_object_size(state->columns);
    return fault_none();
}

/* ---- means */
static struct fault add_value(const struct pivot_state *state, struct pivot_sum *sum, const struct results_line *line)
{
    const struct results_listing *const points = state->points;
    size_t const last = points->column_count - 1;
    double value;

    if (line->kinds[last] == CELL_MISSING) {
        sum->lacks_some = true;
        return fault_none();
    }
    if (!cell_is_number(line->kinds[last]))
        return fault_make(FAULT_INPUT, "--value %.100s: is %.100s of %.100s; expected a column of numbers, such as a "
                          "metric",
                          points->columns[last], line->cells[last], line->cells[0]);
    value = strtod(line->cells[last], NULL);
    if (state->mean != PIVOT_ARITHMETIC && !(value > 0))
        return fault_make(FAULT_INPUT, "--mean %s: %.100s of %.100s is %.40s; such a mean is of numbers above 0; give "
                          "--mean arithmetic", mean_names[state->mean], points->columns[last], line->cells[0],
                          line->cells[last]);
    sum->sum += state->mean == PIVOT_GEOMETRIC ? log(value) : state->mean == PIVOT_HARMONIC ? 1 / value : value;
    sum->count++;
    return fault_none();
}

/* NAN: there is no value, or not all. */
static double mean_of(const struct pivot_state *state, const struct pivot_sum *sum)
{
    double const mean = sum->count && !sum->lacks_some ? sum->sum / (double)sum->count : (double)NAN;

    return state->mean == PIVOT_GEOMETRIC ? exp(mean) : state->mean == PIVOT_HARMONIC ? 1 / mean : mean;
}

/* A mean over rows gives each of them the same weight, however many points it has. */
static double mean_of_column(const struct pivot_state *state, size_t column)
{
    struct pivot_sum all = {.count = state->row_count};

    for (size_t row = 0; row < state->row_count; row++) {
        struct pivot_sum const *const cell = &state->cells[row * state->column_count + column];

        all.lacks_some |= cell->count == 0 || cell->lacks_some;
        all.sum += cell->count ? cell->sum / (double)cell->count : 0;
    }
    return mean_of(state, &all);
}

/* ---- the listing */
static bool put_value(const struct pivot_state *state, struct results_line *line, size_t column, double value)
{
    char text[CELL_TEXT] = "";

    line->kinds[column] = isfinite(value) ? CELL_NUMBER : CELL_MISSING;
    if (isfinite(value))
        columns_number_text(value, text);
    line->cells[column] = arena_copy(state->arena, text, strlen(text));
    return line->cells[column] != NULL;
}

static struct fault put_line(const struct pivot_state *state, struct results_line *line, size_t row, const char *name)
{
    *line = (struct results_line){.cells = arena_take(state->arena, (state->column_count + 1) * sizeof *line->cells),
                                  .kinds = arena_take(state->arena, (state->column_count + 1) * sizeof *line->kinds),
                                  .order = NAN, .order_word = "", .place = row};
    if (!line->cells || !line->kinds)
        return pivot_no_memory();
    line->kinds[0] = CELL_WORD;
    line->cells[0] = arena_copy(state->arena, name, strlen(name));
    if (!line->cells[0])
        return pivot_no_memory();
    for (size_t column = 0; column < state->column_count; column++) {
        double const value = row < state->row_count
                           ? mean_of(state, &state->cells[row * state->column_count + column])
                           : mean_of_column(state, column);

        if (!put_value(state, line, column + 1, value))
            return pivot_no_memory();
    }
    return fault_none();
}

static struct fault make_listing(const struct pivot_state *state, struct results_listing *pivot)
{
    static const char *const mean_rows[PIVOT_MEAN_COUNT] = {
        [PIVOT_ARITHMETIC] = "mean", [PIVOT_GEOMETRIC] = "geometric mean", [PIVOT_HARMONIC] = "harmonic mean"
    };
    const char **const columns = arena_take(state->arena, (state->column_count + 1) * sizeof *columns);
    struct results_line *const lines = arena_take(state->arena, (state->row_count + 1) * sizeof *lines);
    size_t column = 0, row = 0;
    const char *name;
    json_t *place;

    if (!columns || !lines)
        return pivot_no_memory();
    columns[0] = state->points->columns[0];
    json_object_foreach(state->columns, name, place) {
        columns[++column] = arena_copy(state->arena, name, strlen(name));
        if (!columns[column])
            return pivot_no_memory();
    }
    json_object_foreach(state->rows, name, place) {
        FORWARD(put_line(state, &lines[row], row, name));
        row++;
    }
    FORWARD(put_line(state, &lines[row], row, mean_rows[state->mean]));
    *pivot = (struct results_listing){.columns = columns, .column_count = state->column_count + 1, .lines = lines,
                                      .line_count = state->row_count ? state->row_count + 1 : 0};
    return fault_none();
}

static struct fault fill_cells(struct pivot_state *state, size_t *places)
{
    FORWARD(find_places(state, places));
    state->cells = arena_take(state->arena, (state->row_count * state->column_count + 1) * sizeof *state->cells);
    if (!state->cells)
        return pivot_no_memory();
    memset(state->cells, 0, state->row_count * state->column_count * sizeof *state->cells);
    for (size_t n = 0; n < state->points->line_count; n++)
        FORWARD(add_value(state, &state->cells[places[2 * n] * state->column_count + places[2 * n + 1]],
                          &state->points->lines[n]));
    return fault_none();
}

struct fault results_pivot(struct results_listing *pivot, struct arena *arena, const struct results_listing *points,
                           enum pivot_mean mean)
{
    struct pivot_state state = {.arena = arena, .points = points, .mean = mean, .rows = json_object(),
                                .columns = json_object()};
    size_t *const places = arena_take(arena, (2 * points->line_count + 1) * sizeof *places);
    struct fault fault = places && state.rows && state.columns ? fill_cells(&state, places) : pivot_no_memory();

    if (fault.kind == FAULT_NONE)
        fault = make_listing(&state, pivot);
    json_decref(state.rows);
    json_decref(state.columns);
    return fault;
}
