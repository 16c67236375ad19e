/* Full factorials of sweeps, kept as tables, to search in without a simulation.
 *
 *     # what it is
 *     axis l2.size 7 numbers               # a line an axis: key, levels, numbers or words
 *     objectives time_ms energy.total_mj   # all better when lower
 *     1.25  3.5                            # then a line a design, the last axis varying fastest; "-": it failed
 *
 * Use: table_read, table_volume, table_search for a share of the hypervolume, table_free. Volumes are between the
 * front and 1.1 in each objective, where 0 and 1 are the ends of the whole factorial's front. */
#ifndef TESTS_SUPPORT_SEARCH_TABLE_H
#define TESTS_SUPPORT_SEARCH_TABLE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "sweep/search/hypervolume.h"
#include "sweep/search/search.h"

enum { TABLE_MAX_AXES = 16 };

struct table {
    struct search_axis axes[TABLE_MAX_AXES];
    size_t axis_count, objectives, count, room;
    double *values, *raw;                /* of each design, on the scale of the front, and as kept; NAN: it failed */
    double whole;                        /* hypervolume of all */
};

static inline size_t table_place(const struct table *table, const uint32_t *row)
{
    size_t place = 0;

    for (size_t i = 0; i < table->axis_count; i++)
        place = place * table->axes[i].levels + row[i];
    return place;
}

static inline double table_volume(const struct table *table, const double *rows, size_t count)
{
    double const reference[SEARCH_MAX_OBJECTIVES] = {1.1, 1.1, 1.1, 1.1};

    return hypervolume(rows, count, table->objectives, reference);
}

static inline bool table_add(struct table *table, char *line)
{
    char *rest = line;

    if (table->count == table->room) {
        double *const more = realloc(table->values, (2 * table->room + 64) * table->objectives * sizeof *more);

        if (!more)
            return false;
        table->values = more;
        table->room = 2 * table->room + 64;
    }
    for (size_t m = 0; m < table->objectives; m++) {
        char *const end = rest;

        table->values[table->count * table->objectives + m] = *line == '-' ? NAN : strtod(end, &rest);
    }
    table->count++;
    return true;
}

/* To the scale of the front's ends. */
static inline bool table_scale(struct table *table)
{
    size_t const objectives = table->objectives;
    bool *const is_front = calloc(table->count + 1, sizeof *is_front);
    bool *const failed = calloc(table->count + 1, sizeof *failed);

    if (!is_front || !failed)
        return false;
    table->raw = malloc((table->count * objectives + 1) * sizeof *table->raw);
    if (!table->raw)
        return false;
    memcpy(table->raw, table->values, table->count * objectives * sizeof *table->raw);
    for (size_t i = 0; i < table->count; i++)
        failed[i] = isnan(table->values[i * objectives]);
    front_mark(table->values, table->count, objectives, failed, is_front);
    for (size_t m = 0; m < objectives; m++) {
        double low = INFINITY, high = -INFINITY;

        for (size_t i = 0; i < table->count; i++)
            if (is_front[i]) {
                low = fmin(low, table->values[i * objectives + m]);
                high = fmax(high, table->values[i * objectives + m]);
            }
        for (size_t i = 0; i < table->count; i++)
            table->values[i * objectives + m] = (table->values[i * objectives + m] - low) / (high - low);
    }
    table->whole = table_volume(table, table->values, table->count);
    free(is_front);
    free(failed);
    return true;
}

static inline bool table_read(struct table *table, const char *path)
{
    gzFile const file = gzopen(path, "rb");
    char line[512];
    size_t designs = 1;

    *table = (struct table){.axis_count = 0};
    if (!file)
        return false;
    while (gzgets(file, line, sizeof line)) {
        unsigned levels;
        char kind[16];

        if (line[0] == '#')
            continue;
        if (sscanf(line, "axis %*s %u %15s", &levels, kind) == 2 && table->axis_count < TABLE_MAX_AXES) {
            table->axes[table->axis_count++] = (struct search_axis){levels, strcmp(kind, "numbers") == 0};
            designs *= levels;
        } else if (strncmp(line, "objectives", 10) == 0) {
            for (const char *at = line; (at = strchr(at, ' ')); at++)
                table->objectives++;
        } else if (!table_add(table, line)) {
            break;
        }
    }
    gzclose(file);
    return designs == table->count && table->objectives > 0 && table->objectives <= SEARCH_MAX_OBJECTIVES
        && table_scale(table);
}

static inline void table_free(struct table *table)
{
    free(table->values);
    free(table->raw);
}

/* The share of the hypervolume that a search, or `is_random` draws, reach with `budget` designs. -1: no memory. */
static inline double table_search(const struct table *table, uint64_t seed, size_t budget, size_t batch,
                                  bool is_random)
{
    struct search_problem const problem = {.axes = table->axes, .axis_count = table->axis_count,
                                           .objectives = table->objectives, .seed = seed};
    struct search *const search = search_make(&problem);
    struct search_draw draw = {seed ^ 0x5eed};
    bool *const is_drawn = calloc(table->count + 1, sizeof *is_drawn);
    double *const found = malloc((budget + 1) * table->objectives * sizeof *found);
    uint32_t *const rows = malloc((batch + 1) * table->axis_count * sizeof *rows);
    size_t told = 0, count = 1;
    double share;

    while (told < budget && count > 0) {
        if (is_random) {
            count = 1;
        } else if (!search_ask(search, batch < budget - told ? batch : budget - told, rows, &count)) {
            return -1;
        }
        for (size_t i = 0; i < count; i++) {
            const uint32_t *const row = rows + i * table->axis_count;
            size_t place = is_random ? search_draw_below(&draw, table->count) : table_place(table, row);
            struct search_answer answer = {.is_feasible = true};

            while (is_random && is_drawn[place])
                place = search_draw_below(&draw, table->count);
            is_drawn[place] = true;
            /* searches see positive numbers, as a sweep's are */
            for (size_t m = 0; m < table->objectives; m++) {
                found[told * table->objectives + m] = table->values[place * table->objectives + m];
                answer.objectives[m] = table->raw[place * table->objectives + m];
            }
            told++;
            if (!is_random && !search_tell(search, row, &answer))
                return -1;
        }
    }
    share = table_volume(table, found, told) / table->whole;
    search_free(search);
    free(is_drawn);
    free(found);
    free(rows);
    return share;
}

#endif
