/* Lines are read first; then one pass over the trace finds where regions begin and end, and a second one where their
 * warm-ups begin, as these are counted back from there. */
#include "replay/regions/pinpoints.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/count.h"
#include "base/input_file.h"
#include "base/list.h"
#include "replay/regions/trace_places.h"

#define WEIGHTS_OFF 1e-3
enum { SHORT_FIELDS = 6, SHORT_MORE = 7, LONG_FIELDS = 16 };

/* Columns of either form. */
enum { THREAD = 1, START_ICOUNT = 3, END_ICOUNT, ICOUNT_WEIGHT };
enum { START_PC = 3, START_COUNT = 6, END_PC, END_COUNT = 10, PC_WEIGHT = 13, TYPE = 15 };

struct pinpoint { uint64_t line; double weight; };

struct pinpoints_reader {
    const char *path;
    uint64_t line;
    char *fields[LONG_FIELDS + 1];
    unsigned count;
    struct pinpoint *points;
    size_t point_count, point_room;
    struct trace_place *places;                /* two a region: begin and end */
    size_t place_room;
};

/* ---- lines */
static struct fault pinpoints_wrong(const struct pinpoints_reader *reader, const char *field, const char *value,
                                    const char *expected)
{
    return fault_at_line(reader->path, reader->line, "%s %.60s; expected %s", field, value, expected);
}

static struct fault take_icount(const struct pinpoints_reader *reader, unsigned field, const char *name,
                                struct trace_place *place)
{
    *place = (struct trace_place){0};
    return count_parse(reader->fields[field], &place->instructions) == NULL
        ? fault_none() : pinpoints_wrong(reader, name, reader->fields[field], "a number of instructions");
}

static struct fault take_pc(const struct pinpoints_reader *reader, unsigned pc_field, unsigned count_field,
                            struct trace_place *place)
{
    const char *const pc = reader->fields[pc_field];
    char *end;

    *place = (struct trace_place){.pc = strtoull(pc, &end, 16)};
    if (end == pc || *end != '\0')
        return pinpoints_wrong(reader, "pc", pc, "a hexadecimal address");
    return count_parse(reader->fields[count_field], &place->times) == NULL
        ? fault_none() : pinpoints_wrong(reader, "count", reader->fields[count_field], "a number of executions");
}

static struct fault pinpoints_take_weight(const struct pinpoints_reader *reader, unsigned field, double *weight)
{
    char *end;

    *weight = strtod(reader->fields[field], &end);
    return *end == '\0' && end > reader->fields[field] && *weight >= 0 && *weight <= 1
        ? fault_none() : pinpoints_wrong(reader, "weight", reader->fields[field], "a number from 0 to 1");
}

static struct fault take_region_line(struct pinpoints_reader *reader)
{
    bool const is_by_pc = reader->count == LONG_FIELDS;
    const char *const thread = reader->fields[THREAD];
    struct pinpoint point = {.line = reader->line};
    struct trace_place begin, end;

    if (strcmp(thread, "0") != 0 && strcmp(thread, "global") != 0)
        return pinpoints_wrong(reader, "thread", thread, "0 or global: regions are of traces of one thread");
    if (is_by_pc) {
        FORWARD(take_pc(reader, START_PC, START_COUNT, &begin));
        FORWARD(take_pc(reader, END_PC, END_COUNT, &end));
    } else {
        FORWARD(take_icount(reader, START_ICOUNT, "begin", &begin));
        FORWARD(take_icount(reader, END_ICOUNT, "end", &end));
    }
    FORWARD(pinpoints_take_weight(reader, is_by_pc ? PC_WEIGHT : ICOUNT_WEIGHT, &point.weight));
    if (point.weight == 0)
        return fault_none();
    if (!list_fit(&reader->points, reader->point_count + 1, &reader->point_room, sizeof *reader->points)
        || !list_fit(&reader->places, 2 * reader->point_count + 2, &reader->place_room, sizeof *reader->places))
        return fault_memory(reader->path, NULL);
    reader->places[2 * reader->point_count] = begin;
    reader->places[2 * reader->point_count + 1] = end;
    reader->points[reader->point_count++] = point;
    return fault_none();
}

static char *without_blanks(char *field)
{
    field += strspn(field, " \t");
    for (size_t length = strlen(field); length > 0 && strchr(" \t\r\n", field[length - 1]); length--)
        field[length - 1] = '\0';
    return field;
}

static struct fault pinpoints_take_line(struct pinpoints_reader *reader, char *line)
{
    char *rest = without_blanks(line);

    if (*rest == '\0' || *rest == '#' || strncmp(rest, "comment", strlen("comment")) == 0)
        return fault_none();
    for (reader->count = 0; rest && reader->count <= LONG_FIELDS; reader->count++)
        reader->fields[reader->count] = without_blanks(strsep(&rest, ","));
    if (reader->count == LONG_FIELDS && strcmp(reader->fields[TYPE], "simulation") != 0)
        return fault_none();
    if (reader->count != SHORT_FIELDS && reader->count != SHORT_MORE && reader->count != LONG_FIELDS)
        return fault_at_line(reader->path, reader->line, "%u fields%s; expected 6, 7 or 16, with commas between: a CSV "
                             "of regions, by instructions or by pcs", reader->count, rest ? " or more" : "");
    return take_region_line(reader);
}

static struct fault pinpoints_read_lines(struct pinpoints_reader *reader)
{
    FILE *const file = input_file_fopen(reader->path);
    struct fault fault = fault_none();
    char *line = NULL;
    size_t room = 0;

    if (!file)
        return fault_at(reader->path, FAULT_NO_OFFSET, "cannot be read");
    while (fault.kind == FAULT_NONE && getline(&line, &room, file) >= 0) {
        reader->line++;
        fault = pinpoints_take_line(reader, line);
    }
    free(line);
    input_file_fclose(file);
    if (fault.kind == FAULT_NONE && reader->point_count == 0)
        return fault_at(reader->path, FAULT_NO_OFFSET, "no region; expected one at least");
    return fault;
}

/* ---- regions */
static struct fault not_reached(const struct pinpoints_reader *reader, size_t i, const struct trace_places *places)
{
    const struct trace_place *const place = &reader->places[i];
    const char *const what = i % 2 == 0 ? "begins" : "ends";

    if (place->times == 0)
        return fault_at_line(reader->path, reader->points[i / 2].line, "%s at instruction %" PRIu64 "; the trace has %"
                             PRIu64, what, place->instructions, places->instructions);
    return fault_at_line(reader->path, reader->points[i / 2].line, "%s at execution %" PRIu64 " of 0x%" PRIx64
                         ", which the trace does not reach; expected regions of the same program and input, loaded at "
                         "the same address", what, place->times, place->pc);
}

/* Checks the regions; `warmups` are where their warm-ups begin, by instructions. */
static struct fault check_regions(const struct pinpoints_reader *reader, const struct trace_places *places,
                                  uint64_t warmup, struct trace_place *warmups)
{
    double sum = 0;

    for (size_t i = 0; i < reader->point_count; i++) {
        const struct trace_place *const begin = &reader->places[2 * i], *const end = begin + 1;

        if (!begin->is_found || !end->is_found)
            return not_reached(reader, 2 * i + begin->is_found, places);
        if (end->instructions <= begin->instructions)
            return fault_at_line(reader->path, reader->points[i].line, "ends at instruction %" PRIu64 ", and begins "
                                 "at %" PRIu64 "; expected an end behind the beginning", end->instructions,
                                 begin->instructions);
        warmups[i] = (struct trace_place){.instructions = begin->instructions - min_u64(warmup, begin->instructions)};
        sum += reader->points[i].weight;
    }
    return fabs(sum - 1) <= WEIGHTS_OFF
        ? fault_none() : fault_at(reader->path, FAULT_NO_OFFSET, "weights add up to %.6f; expected 1", sum);
}

static struct fault add_regions(struct region_set *set, const struct pinpoints_reader *reader,
                                const struct trace_places *warmups)
{
    uint64_t longest = 0;
    double sum = 0;

    for (size_t i = 0; i < reader->point_count; i++)
        sum += reader->points[i].weight;
    for (size_t i = 0; i < reader->point_count; i++) {
        const struct trace_place *const begin = &reader->places[2 * i], *const from = &warmups->list[i];
        uint64_t const instructions = begin[1].instructions - begin->instructions;

        if (!list_fit(&set->strata, set->stratum_count + 1, &set->stratum_room, sizeof *set->strata)
            || !list_fit(&set->regions, set->count + 1, &set->room, sizeof *set->regions))
            return fault_memory(reader->path, NULL);
        set->strata[set->stratum_count++] =
            (struct region_stratum){.intervals = 1 + (warmups->instructions - 1) / instructions};
        set->regions[set->count++] = (struct region){
            .first = from->event, .warmup = begin->instructions - from->instructions, .instructions = instructions,
            .weight = reader->points[i].weight / sum, .stratum = (uint32_t)i};
        longest = max_u64(longest, instructions);
    }
    set->method = REGIONS_GIVEN;
    set->interval = longest;
    set->instructions = warmups->instructions;
    set->events = warmups->events;
    return fault_none();
}

struct fault pinpoints_read(struct region_set *set, const struct insn_trace *trace, const char *path, uint64_t warmup,
                            bool (*progress)(void *context, uint64_t instructions), void *context)
{
    struct pinpoints_reader reader = {.path = path};
    struct fault fault = pinpoints_read_lines(&reader);
    struct trace_places places = {.list = reader.places, .count = 2 * reader.point_count};
    struct trace_places warmups = {.list = calloc(reader.point_count + 1, sizeof *warmups.list),
                                   .count = reader.point_count};

    for (size_t i = 0; i < places.count; i++)
        if (places.list[i].pc != 0 && places.list[i].times == 0)
            places.list[i].pc = 0;       /* the beginning, which has been reached */
    if (!warmups.list)
        fault = fault_memory(path, NULL);
    if (fault.kind == FAULT_NONE && WORKS(fault, trace_places_find(&places, trace, progress, context))
        && WORKS(fault, check_regions(&reader, &places, warmup, warmups.list))
        && WORKS(fault, trace_places_find(&warmups, trace, progress, context)))
        fault = add_regions(set, &reader, &warmups);
    free(warmups.list);
    free(reader.points);
    free(reader.places);
    return fault;
}
