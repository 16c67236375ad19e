/* The file: a first line FIRST_LINE, then a line a fact: its name, a tab, its value or values. All facts but strata and
 * regions come once, and before them; a region names its stratum by its number in the file, from 0.
 *
 * A trace is known by its mark (trace_mark.h). */
#include "replay/regions/region_set.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/hash64.h"
#include "base/input_file.h"
#include "base/list.h"
#include "base/path.h"
#include "replay/regions/trace_mark.h"

#define FIRST_LINE "rubato-regions"
#define UNIT_KERNELS "kernels"
#define STATES_ENDING ".warm"
#define WEIGHTS_OFF 1e-6                 /* that weights may add up to more or less than 1 */
enum { FIELDS = 6 };

static const char *const method_names[] = {
#define REGION_METHOD_NAME(suffix, name, meaning) name,
    REGION_METHODS(REGION_METHOD_NAME)
#undef REGION_METHOD_NAME
};

const char *region_method_name(enum region_method method)
{
    return method_names[method];
}

bool region_method_find(const char *name, enum region_method *method)
{
    for (unsigned i = 0; i < REGION_METHOD_COUNT; i++)
        if (strcmp(name, method_names[i]) == 0) {
            *method = (enum region_method)i;
            return true;
        }
    return false;
}

/* ---- the trace */
struct fault region_set_begin(struct region_set *set, const char *trace)
{
    *set = (struct region_set){.trace = strdup(trace)};
    return set->trace ? trace_mark(trace, &set->trace_bytes, &set->trace_hash) : fault_memory(trace, NULL);
}

char *region_set_states_path(const char *set_path)
{
    char *const path = malloc(strlen(set_path) + sizeof STATES_ENDING);

    if (path)
        strcpy(stpcpy(path, set_path), STATES_ENDING);
    return path;
}

char *region_set_trace_path(const struct region_set *set, const char *set_path)
{
    size_t const folder = (size_t)(path_name(set_path) - set_path);
    char *path;

    if (set->trace[0] == '/' || folder == 0)
        return strdup(set->trace);
    path = malloc(folder + strlen(set->trace) + 1);
    if (path) {
        memcpy(path, set_path, folder);
        strcpy(path + folder, set->trace);
    }
    return path;
}

struct fault region_set_check_trace(const struct region_set *set, const char *set_path, const char *path)
{
    uint64_t bytes, hash;

    FORWARD((set->is_of_kernels ? trace_mark_kernels : trace_mark)(path, &bytes, &hash));
    if (bytes == set->trace_bytes && hash == set->trace_hash)
        return fault_none();
    return fault_at(set_path, FAULT_NO_OFFSET, "its regions are of another trace than %.300s is now (%" PRIu64
                    " bytes with hash %016" PRIx64 ", expected %" PRIu64 " with %016" PRIx64 "): was the program "
                    "rebuilt, or captured anew? Choose them anew with `rubato regions`", path, bytes, hash,
                    set->trace_bytes, set->trace_hash);
}

uint64_t region_set_hash(const struct region_set *set)
{
    const uint64_t whole[] = {set->trace_bytes, set->trace_hash, set->method, set->interval, set->instructions,
                              set->is_of_kernels};
    struct hash64_pieces pieces;
    uint64_t states[2];

    hash64_begin(&pieces);
    hash64_add(&pieces, whole, sizeof whole);
    for (size_t i = 0; i < set->stratum_count; i++)
        hash64_add(&pieces, &set->strata[i].intervals, sizeof set->strata[i].intervals);
    for (size_t i = 0; i < set->count; i++) {
        const struct region *const region = &set->regions[i];
        const uint64_t fields[] = {region->first, region->warmup, region->instructions, region->stratum};

        hash64_add(&pieces, fields, sizeof fields);
        hash64_add(&pieces, &region->weight, sizeof region->weight);
        if (region->trace)
            hash64_add(&pieces, &region->trace_hash, sizeof region->trace_hash);
    }
    if (set->states && trace_mark(set->states, &states[0], &states[1]).kind == FAULT_NONE)
        hash64_add(&pieces, states, sizeof states);
    return hash64_end(&pieces);
}

/* ---- reading */
struct set_reader {
    struct region_set *set;
    const char *path;
    uint64_t line;
    char *fields[FIELDS];
    unsigned count;
    bool has_mark, has_method;
};

static struct fault wrong_field(const struct set_reader *reader, const char *field, const char *value,
                                const char *expected)
{
    return fault_at_line(reader->path, reader->line, "%s %.60s; expected %s", field, value, expected);
}

static struct fault take_number(const struct set_reader *reader, unsigned i, const char *field, uint64_t *number)
{
    return count_parse(reader->fields[i], number) == NULL
        ? fault_none() : wrong_field(reader, field, reader->fields[i], "a whole number");
}

static struct fault take_weight(const struct set_reader *reader, unsigned i, double *weight)
{
    char *end;

    *weight = strtod(reader->fields[i], &end);
    return *end == '\0' && end > reader->fields[i] && *weight > 0 && *weight <= 1
        ? fault_none() : wrong_field(reader, "weight", reader->fields[i], "a number above 0, at most 1");
}

static struct fault take_trace(struct set_reader *reader)
{
    free(reader->set->trace);
    reader->set->trace = strdup(reader->fields[1]);
    return reader->set->trace ? fault_none() : fault_memory(reader->path, NULL);
}

static struct fault take_mark(struct set_reader *reader)
{
    char *end;

    reader->has_mark = true;
    FORWARD(take_number(reader, 1, "bytes", &reader->set->trace_bytes));
    reader->set->trace_hash = strtoull(reader->fields[2], &end, 16);
    return strlen(reader->fields[2]) == 16 && *end == '\0'
        ? fault_none() : wrong_field(reader, "hash", reader->fields[2], "16 hexadecimal digits");
}

static struct fault take_method(struct set_reader *reader)
{
    reader->has_method = true;
    return region_method_find(reader->fields[1], &reader->set->method)
        ? fault_none() : wrong_field(reader, "method", reader->fields[1], "simpoint, systematic, stratified or given");
}

static struct fault take_unit(struct set_reader *reader)
{
    reader->set->is_of_kernels = strcmp(reader->fields[1], UNIT_KERNELS) == 0;
    return reader->set->is_of_kernels ? fault_none() : wrong_field(reader, "unit", reader->fields[1], UNIT_KERNELS);
}

static struct fault take_interval(struct set_reader *reader)
{
    return take_number(reader, 1, "interval", &reader->set->interval);
}

static struct fault take_instructions(struct set_reader *reader)
{
    return take_number(reader, 1, "instructions", &reader->set->instructions);
}

static struct fault take_events(struct set_reader *reader)
{
    return take_number(reader, 1, "events", &reader->set->events);
}

static struct fault take_stratum(struct set_reader *reader)
{
    struct region_set *const set = reader->set;
    struct region_stratum stratum = {0};

    FORWARD(take_number(reader, 1, "intervals", &stratum.intervals));
    if (stratum.intervals == 0)
        return wrong_field(reader, "intervals", reader->fields[1], "1 at least");
    if (!list_fit(&set->strata, set->stratum_count + 1, &set->stratum_room, sizeof *set->strata))
        return fault_memory(reader->path, NULL);
    set->strata[set->stratum_count++] = stratum;
    return fault_none();
}

/* Places of kernels are launches, which are not counted here. */
static bool is_within(const struct region_set *set, const struct region *region)
{
    uint64_t const all = set->events ? set->events : set->instructions;
    uint64_t const long_as = region->warmup + region->instructions;

    return set->is_of_kernels || (region->first <= all && long_as <= all - region->first);
}

static struct fault take_region(struct set_reader *reader)
{
    struct region_set *const set = reader->set;
    struct region region = {0};
    uint64_t stratum;

    FORWARD(take_number(reader, 1, "first", &region.first));
    FORWARD(take_number(reader, 2, "warmup", &region.warmup));
    FORWARD(take_number(reader, 3, "instructions", &region.instructions));
    FORWARD(take_weight(reader, 4, &region.weight));
    FORWARD(take_number(reader, 5, "stratum", &stratum));
    if (region.instructions == 0 || region.instructions > set->instructions || region.warmup > set->instructions)
        return wrong_field(reader, "instructions", reader->fields[3], "1 at least, and no more than the program has");
    if (!is_within(set, &region))
        return wrong_field(reader, "first", reader->fields[1], "a place from which warm-up and region end with the "
                           "program; choose the regions anew with `rubato regions`");
    if (stratum >= set->stratum_count)
        return wrong_field(reader, "stratum", reader->fields[5], "the number of one of the strata before it, from 0");
    /* More would count as all of the stratum, and the estimate as certain. */
    if (set->strata[stratum].regions == set->strata[stratum].intervals)
        return wrong_field(reader, "stratum", reader->fields[5], "no more regions than the stratum has intervals");
    set->strata[stratum].regions++;
    region.stratum = (uint32_t)stratum;
    if (!list_fit(&set->regions, set->count + 1, &set->room, sizeof *set->regions))
        return fault_memory(reader->path, NULL);
    set->regions[set->count++] = region;
    return fault_none();
}

static const struct { const char *name; unsigned fields; struct fault (*take)(struct set_reader *reader); } facts[] = {
    {"trace", 2, take_trace}, {"mark", 3, take_mark}, {"method", 2, take_method}, {"unit", 2, take_unit},
    {"interval", 2, take_interval},
    {"instructions", 2, take_instructions}, {"events", 2, take_events}, {"stratum", 2, take_stratum},
    {"region", 6, take_region}
};

static struct fault take_line(struct set_reader *reader, char *line)
{
    char *rest = line;

    reader->count = 0;
    while (rest && reader->count < FIELDS)
        reader->fields[reader->count++] = strsep(&rest, "\t");
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (strcmp(reader->fields[0], facts[i].name) == 0) {
            if (reader->count != facts[i].fields || rest)
                return fault_at_line(reader->path, reader->line, "%s has %s fields; expected %u, with a tab between "
                                     "two", facts[i].name, rest || reader->count > facts[i].fields ? "more" : "fewer",
                                     facts[i].fields);
            return facts[i].take(reader);
        }
    return wrong_field(reader, "fact", reader->fields[0],
                       "trace, mark, method, unit, interval, instructions, events, stratum or region");
}

static struct fault check_whole(const struct set_reader *reader)
{
    const struct region_set *const set = reader->set;
    double sum = 0;

    if (!set->trace || !reader->has_mark || !reader->has_method || set->interval == 0 || set->instructions == 0
        || set->count == 0)
        return fault_at(reader->path, FAULT_NO_OFFSET, "%s is missing; expected a file that `rubato regions` wrote",
                        !set->trace ? "trace" : !reader->has_mark ? "mark" : !reader->has_method ? "method"
                        : set->interval == 0 ? "interval" : set->instructions == 0 ? "instructions" : "region");
    for (size_t i = 0; i < set->count; i++)
        sum += set->regions[i].weight;
    return fabs(sum - 1) <= WEIGHTS_OFF
        ? fault_none() : fault_at(reader->path, FAULT_NO_OFFSET, "weights add up to %.6f; expected 1: divide each by "
                                  "that, or choose the regions anew with `rubato regions`", sum);
}

/* A damaged file is recognised by the ending of its name. */
bool region_set_is_text(const char *path)
{
    char line[sizeof FIRST_LINE + 1] = "";
    FILE *const file = path_is_folder(path) || path_is_pipe(path) ? NULL : input_file_fopen(path);

    if (!file)
        return false;
    if (!fgets(line, sizeof line, file))
        line[0] = '\0';
    input_file_fclose(file);
    return strcmp(line, FIRST_LINE "\n") == 0 || text_ends_in(path, ".regions");
}

struct fault region_set_read_text(struct region_set *set, const char *path)
{
    struct set_reader reader = {.set = set, .path = path};
    FILE *const file = input_file_fopen(path);
    struct fault fault = fault_none();
    char *line = NULL;
    size_t room = 0;
    ssize_t length;

    if (!file)
        return fault_at(path, FAULT_NO_OFFSET, "cannot be read");
    while (fault.kind == FAULT_NONE && (length = getline(&line, &room, file)) >= 0) {
        if (length > 0 && line[length - 1] == '\n')
            line[--length] = '\0';
        reader.line++;
        if (strlen(line) != (size_t)length)
            fault = fault_at_line(path, reader.line, "a byte of 0; expected text");
        else if (reader.line == 1 && strcmp(line, FIRST_LINE) != 0)
            fault = fault_at_line(path, 1, "%.60s; expected " FIRST_LINE "; the file's beginning is missing: choose "
                                  "the regions anew with `rubato regions`", line);
        else if (reader.line > 1)
            fault = take_line(&reader, line);
    }
    free(line);
    input_file_fclose(file);
    set->states = region_set_states_path(path);
    if (!set->states && fault.kind == FAULT_NONE)
        fault = fault_memory(path, NULL);
    return fault.kind == FAULT_NONE ? check_whole(&reader) : fault;
}

/* ---- writing */
bool region_set_write(const struct region_set *set, FILE *file)
{
    fprintf(file, FIRST_LINE "\ntrace\t%s\nmark\t%" PRIu64 "\t%016" PRIx64 "\nmethod\t%s\n%sinterval\t%" PRIu64
            "\ninstructions\t%" PRIu64 "\n", set->trace, set->trace_bytes, set->trace_hash,
            region_method_name(set->method), set->is_of_kernels ? "unit\t" UNIT_KERNELS "\n" : "", set->interval,
            set->instructions);
    if (set->events > set->instructions)
        fprintf(file, "events\t%" PRIu64 "\n", set->events);
    for (size_t i = 0; i < set->stratum_count; i++)
        fprintf(file, "stratum\t%" PRIu64 "\n", set->strata[i].intervals);
    for (size_t i = 0; i < set->count; i++) {
        const struct region *const region = &set->regions[i];

        fprintf(file, "region\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.17g\t%" PRIu32 "\n", region->first,
                region->warmup, region->instructions, region->weight, region->stratum);
    }
    return !ferror(file);
}

void region_set_free(struct region_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free(set->regions[i].trace);
    free(set->trace);
    free(set->states);
    free(set->regions);
    free(set->strata);
    *set = (struct region_set){0};
}
