/* Reads "name value [share [share]] # comment" lines between the Begin and End lines of stats.txt. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/stats_table.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

const struct stats_left_out stats_left_out[] = {
    {"hostSeconds", "time on the machine that simulated"},
    {"hostTickRate", "speed of the machine that simulated"},
    {"hostMemory", "memory of the machine that simulated"},
    {"system.*.tags.*", "occupancy and age of lines by requestor and task, which decide nothing"},
    {"system.*.power_state.*", "residency of components in power states, one state for the whole run"},
    {"system.mem_ctrls*.dram*.rank*.*Energy", "energy model of another project (DRAMPower)"},
    {"system.mem_ctrls*.dram*.rank*.averagePower", "energy model of another project (DRAMPower)"},
    {"system.mem_ctrls*.avgPriority_*", "quality-of-service priorities, of which there is one"},
    {"system.mem_ctrls*.priorityMinLatency", "latency by quality-of-service priority, of which there is one"},
    {"system.mem_ctrls*.priorityMaxLatency", "latency by quality-of-service priority, of which there is one"},
    {NULL, NULL}
};

/* Counters that the model writes as soon as they are not 0: it lacking one of ours says 0. */
static const char *const model_counters[] = {
    "system.*.hits::*", "system.*.misses::*", "system.*.accesses::*", "system.*.missLatency::*", "system.*.mshrHits::*",
    "system.*.mshrMisses::*", "system.*.mshrMissLatency::*", "system.*.mshrUncacheable::*",
    "system.*.mshrUncacheableLatency::*", "system.*.blockedCauses::*", "system.*.blockedCycles::*",
    "system.*.writebacks::*", "system.*.replacements", "system.*.transDist::*", "system.*.pktCount_*::system.*",
    "system.*.pktSize_*::system.*",
    "system.*.snoops", "system.*.snoopTraffic", "system.*.occupancy", "system.*.snoop_filter.*",
    "system.*.rdQLenPdf::*", "system.*.wrQLenPdf::*", "system.*.servicedByWrQ", "system.*.mergedWrBursts",
    "system.*.numRdRetry", "system.*.numWrRetry", "system.*.bytesReadWrQ", "system.*.requestor*Bytes::*",
    "system.*.requestor*Accesses::*", "system.*.requestor*TotalLat::*", "system.*.numStay*State",
    "system.*.num*TurnArounds", "system.*.pwrStateTime::*"
};

static bool is_left_out(const char *name)
{
    for (const struct stats_left_out *entry = stats_left_out; entry->pattern; entry++) {
        if (fnmatch(entry->pattern, name, 0) == 0)
            return true;
    }
    return false;
}

static bool is_model_counter(const char *name)
{
    for (size_t i = 0; i < sizeof model_counters / sizeof model_counters[0]; i++) {
        if (fnmatch(model_counters[i], name, 0) == 0)
            return true;
    }
    return false;
}

static bool fail(struct stats_table *table, char *problem, size_t size, const char *path, const char *what)
{
    snprintf(problem, size, "%s: %s", path, what);
    stats_table_free(table);
    return false;
}

static char *read_text(const char *path)
{
    gzFile const file = gzopen(path, "rb");
    size_t used = 0, capacity = 1 << 16;
    char *text = malloc(capacity);
    int got = -1;

    while (file && text && (got = gzread(file, text + used, (unsigned)(capacity - used - 1))) > 0) {
        used += (size_t)got;
        if (capacity - used < 2) {
            char *const grown = realloc(text, capacity *= 2);

            if (grown == NULL)
                break;
            text = grown;
        }
    }
    if (file && gzclose(file) != Z_OK)
        got = -1;
    if (got != 0 || text == NULL) {
        free(text);
        return NULL;
    }
    text[used] = '\0';
    return text;
}

static int by_name(const void *a, const void *b)
{
    const struct stats_line *const one = a, *const two = b;

    return strcmp(one->name, two->name);
}

static const char *sort_and_find_twice(struct stats_table *table)
{
    qsort(table->lines, table->count, sizeof *table->lines, by_name);
    for (size_t i = 1; i < table->count; i++) {
        if (strcmp(table->lines[i - 1].name, table->lines[i].name) == 0)
            return table->lines[i].name;
    }
    return NULL;
}

static bool add_line(struct stats_table *table, size_t *capacity, struct stats_line line)
{
    if (table->count == *capacity) {
        size_t const wanted = *capacity ? *capacity * 2 : 1024;
        struct stats_line *const grown = realloc(table->lines, wanted * sizeof *grown);

        if (grown == NULL)
            return false;
        table->lines = grown;
        *capacity = wanted;
    }
    line.order = table->count;
    table->lines[table->count++] = line;
    return true;
}

/* Cuts a line into name, value and shares; false if it holds no statistic. */
static bool cut_line(char *text, struct stats_line *line)
{
    char *const comment = strstr(text, " # ");
    char *rest = NULL, *end;

    if (comment)
        *comment = '\0';
    line->name = strtok_r(text, " \t", &rest);
    line->value = strtok_r(NULL, " \t", &rest);
    if (line->name == NULL || line->value == NULL)
        return false;
    rest += strspn(rest, " \t");
    for (end = rest + strlen(rest); end > rest && (end[-1] == ' ' || end[-1] == '\t'); end--)
        end[-1] = '\0';
    line->shares = rest;
    return true;
}

bool stats_table_read(struct stats_table *table, const char *path, char *problem, size_t size)
{
    bool inside = false, complete = false;
    size_t capacity = 0;
    char *rest = NULL;

    *table = (struct stats_table){.text = read_text(path)};
    if (table->text == NULL)
        return fail(table, problem, size, path, "cannot be read");
    for (char *text = strtok_r(table->text, "\n", &rest); text; text = strtok_r(NULL, "\n", &rest)) {
        struct stats_line line;

        if (strncmp(text, "---------- Begin", 16) == 0) {
            inside = true;
            complete = false;
            table->count = 0;
        } else if (strncmp(text, "---------- End", 14) == 0) {
            complete = inside;
            inside = false;
        } else if (inside && cut_line(text, &line) && !add_line(table, &capacity, line)) {
            return fail(table, problem, size, path, "out of memory");
        }
    }
    if (!complete)
        return fail(table, problem, size, path, "holds no complete block of statistics");

    const char *const twice = sort_and_find_twice(table);

    if (twice) {
        snprintf(problem, size, "%s: %s stands there twice", path, twice);
        stats_table_free(table);
        return false;
    }
    return true;
}

/* Names and numbers of the object as texts, behind each other. */
static bool take_members(struct stats_table *table, json_t *object)
{
    enum { NUMBER_BYTES = 32 };
    size_t bytes = 1, capacity = 0;
    const char *name;
    json_t *value;
    char *next;

    json_object_foreach(object, name, value)
        bytes += strlen(name) + 1 + NUMBER_BYTES;
    next = table->text = malloc(bytes);
    if (next == NULL)
        return false;
    json_object_foreach(object, name, value) {
        struct stats_line line = {.name = next, .shares = ""};

        if (!json_is_number(value))
            return false;
        next = stpcpy(next, name) + 1;
        line.value = next;
        if (json_is_integer(value))
            next += snprintf(next, NUMBER_BYTES, "%" PRId64, (int64_t)json_integer_value(value)) + 1;
        else
            next += snprintf(next, NUMBER_BYTES, "%.17g", json_real_value(value)) + 1;
        if (!add_line(table, &capacity, line))
            return false;
    }
    return true;
}

bool stats_table_read_json(struct stats_table *table, const char *path, char *problem, size_t size)
{
    json_error_t error;
    json_t *const object = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    bool taken;

    *table = (struct stats_table){.is_from_json = true};
    if (object == NULL) {
        snprintf(problem, size, "%s:%d: %s", path, error.line, error.text);
        return false;
    }
    taken = json_is_object(object) && take_members(table, object);
    json_decref(object);
    if (!taken)
        return fail(table, problem, size, path, "expected an object of names and numbers");
    sort_and_find_twice(table);
    return true;
}

void stats_table_free(struct stats_table *table)
{
    free(table->lines);
    free(table->text);
    *table = (struct stats_table){0};
}

const struct stats_line *stats_table_find(const struct stats_table *table, const char *name)
{
    struct stats_line const key = {.name = name};

    return table->count ? bsearch(&key, table->lines, table->count, sizeof key, by_name) : NULL;
}

static bool is_zero(const struct stats_line *line)
{
    char *end;

    return strtod(line->value, &end) == 0 && *end == '\0' && end != line->value;
}

/* A number with all its digits against one as stats.txt prints it. */
static bool prints_as(const char *all_digits, const char *printed)
{
    const char *const point = strchr(printed, '.');
    char text[400];

    if (strpbrk(all_digits, ".e") == NULL)
        return strcmp(all_digits, printed) == 0;
    snprintf(text, sizeof text, "%.*f", point ? (int)strlen(point + 1) : 0, strtod(all_digits, NULL));
    return strcmp(text, printed) == 0 && (point || strtod(all_digits, NULL) == strtod(printed, NULL));
}

static bool are_equal(const struct stats_line *reference, const struct stats_line *ours, bool is_from_json)
{
    if (reference == NULL || ours == NULL)
        return is_zero(reference ? reference : ours);
    if (is_from_json)
        return prints_as(reference->value, ours->value);
    return strcmp(reference->value, ours->value) == 0 && strcmp(reference->shares, ours->shares) == 0;
}

static void compare_pair(struct stats_comparison *comparison, const struct stats_line *reference,
                         const struct stats_line *ours, bool is_from_json)
{
    struct stats_difference const difference = {reference ? reference->name : ours->name, reference, ours};

    if (is_left_out(difference.name) || (is_from_json && reference == NULL && !is_model_counter(difference.name)))
        return;
    comparison->compared++;
    if (are_equal(reference, ours, is_from_json))
        return;
    comparison->different++;
    if (comparison->report)
        comparison->report(comparison->context, &difference);
}

void stats_compare(const struct stats_table *reference, const struct stats_table *ours,
                   struct stats_comparison *comparison)
{
    size_t i = 0, j = 0;

    comparison->compared = comparison->different = 0;
    while (i < reference->count || j < ours->count) {
        const struct stats_line *const left = i < reference->count ? &reference->lines[i] : NULL;
        const struct stats_line *const right = j < ours->count ? &ours->lines[j] : NULL;
        int const order = left == NULL ? 1 : right == NULL ? -1 : strcmp(left->name, right->name);

        compare_pair(comparison, order <= 0 ? left : NULL, order >= 0 ? right : NULL, reference->is_from_json);
        i += order <= 0;
        j += order >= 0;
    }
}
