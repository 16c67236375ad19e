/* Of a cluster's weight only its share counts, so the intervals that it stands for are not needed; each region is a
 * stratum of its own, and how much its intervals differ is not known. */
#include "replay/regions/simpoints.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/input_file.h"
#include "base/list.h"
#include "replay/regions/choose.h"

#define WEIGHTS_OFF 1e-3

struct point { uint64_t interval, cluster; double weight; };     /* weight: below 0: not given yet */

struct points { struct point *list; size_t count, room; };

struct reader {
    const char *path;
    uint64_t line;
    struct points *points;
    const struct block_vectors *vectors;
};

static struct fault wrong_value(const struct reader *reader, const char *field, const char *value,
                                const char *expected)
{
    return fault_at_line(reader->path, reader->line, "%s %.60s; expected %s", field, value, expected);
}

static struct point *point_of(const struct points *points, uint64_t cluster)
{
    for (size_t i = 0; i < points->count; i++)
        if (points->list[i].cluster == cluster)
            return &points->list[i];
    return NULL;
}

static struct fault take_point(const struct reader *reader, const char *first, const char *second)
{
    struct points *const points = reader->points;
    struct point point = {.weight = -1};

    if (count_parse(first, &point.interval) || point.interval >= reader->vectors->count)
        return fault_at_line(reader->path, reader->line, "interval %.60s; expected a number from 0 to %zu, the last "
                             "one of the trace", first, reader->vectors->count - 1);
    if (count_parse(second, &point.cluster))
        return wrong_value(reader, "cluster", second, "a whole number");
    if (point_of(points, point.cluster))
        return wrong_value(reader, "cluster", second, "one that no line before has");
    if (!list_fit(&points->list, points->count + 1, &points->room, sizeof *points->list))
        return fault_memory(reader->path, NULL);
    points->list[points->count++] = point;
    return fault_none();
}

static struct fault take_weight(const struct reader *reader, const char *first, const char *second)
{
    struct point *point;
    uint64_t cluster;
    double weight;
    char *end;

    weight = strtod(first, &end);
    if (*end != '\0' || !(weight >= 0 && weight <= 1))
        return wrong_value(reader, "weight", first, "a number from 0 to 1");
    if (count_parse(second, &cluster))
        return wrong_value(reader, "cluster", second, "a whole number");
    point = point_of(reader->points, cluster);
    if (!point || point->weight >= 0)
        return wrong_value(reader, "cluster", second, point ? "one that no line before has" : "one of the other file");
    point->weight = weight;
    return fault_none();
}

typedef struct fault take_line(const struct reader *reader, const char *first, const char *second);

static struct fault read_lines(struct reader *reader, const char *path, take_line *take)
{
    FILE *const file = input_file_fopen(path);
    struct fault fault = fault_none();
    char *line = NULL, *rest;
    size_t room = 0;

    reader->path = path;
    reader->line = 0;
    if (!file)
        return fault_at(path, FAULT_NO_OFFSET, "cannot be read");
    while (fault.kind == FAULT_NONE && getline(&line, &room, file) >= 0) {
        const char *const first = strtok_r(line, " \t\r\n", &rest);
        const char *const second = first ? strtok_r(NULL, " \t\r\n", &rest) : NULL;

        reader->line++;
        if (!first)
            continue;
        fault = !second || strtok_r(NULL, " \t\r\n", &rest)
            ? fault_at_line(path, reader->line, "%s fields; expected two", second ? "more than two" : "fewer than two")
            : take(reader, first, second);
    }
    free(line);
    input_file_fclose(file);
    return fault;
}

static struct fault check_weights(const struct points *points, const struct simpoints_files *files, double *sum)
{
    *sum = 0;
    if (points->count == 0)
        return fault_at(files->points, FAULT_NO_OFFSET, "no interval; expected one at least");
    for (size_t i = 0; i < points->count; i++) {
        if (points->list[i].weight < 0)
            return fault_at(files->weights, FAULT_NO_OFFSET, "no weight of cluster %llu; expected one for each",
                            (unsigned long long)points->list[i].cluster);
        *sum += points->list[i].weight;
    }
    return fabs(*sum - 1) <= WEIGHTS_OFF
        ? fault_none() : fault_at(files->weights, FAULT_NO_OFFSET, "weights add up to %.6f; expected 1", *sum);
}

static struct fault add_points(struct region_set *set, const struct block_vectors *vectors, const struct points *points,
                               double sum, uint64_t warmup)
{
    for (size_t i = 0; i < points->count; i++) {
        struct point const *const point = &points->list[i];

        if (point->weight > 0)
            FORWARD(choose_add(set, vectors, (size_t)point->interval, point->weight / sum, warmup));
    }
    return fault_none();
}

struct fault simpoints_read(struct region_set *set, const struct block_vectors *vectors,
                            const struct simpoints_files *files, uint64_t interval, uint64_t warmup)
{
    struct points points = {0};
    struct reader reader = {.points = &points, .vectors = vectors};
    struct fault fault;
    double sum;

    set->method = REGIONS_GIVEN;
    set->interval = interval;
    set->instructions = vectors->instructions;
    set->events = vectors->events;
    fault = read_lines(&reader, files->points, take_point);
    if (fault.kind == FAULT_NONE && WORKS(fault, read_lines(&reader, files->weights, take_weight))
        && WORKS(fault, check_weights(&points, files, &sum)))
        fault = add_points(set, vectors, &points, sum, warmup);
    free(points.list);
    return fault;
}
