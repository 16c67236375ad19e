/* Text: "name value [share [share]] # comment" lines between the Begin and End lines of a block. JSON: an object of
 * names and numbers a block, as replay/record/stats_json.h writes; null is not a number. */
#include "sweep/compare/stats_table.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "proto/io/io_stream.h"

enum { MOST_BYTES = 1 << 28, FIRST_BYTES = 1 << 17 };

static struct fault stats_table_out_of_memory(const char *name)
{
    return fault_make(FAULT_MEMORY, "%s: out of memory", name);
}

/* All bytes of a stream and a 0 behind them. */
static struct fault read_stream(struct stream *stream, const char *path, char **text, size_t *length)
{
    size_t capacity = FIRST_BYTES;
    struct fault error;
    enum stream_status status;

    *length = 0;
    *text = malloc(capacity);
    while (*text && (status = stream_need(stream, 1, &error)) == STREAM_OK) {
        size_t const got = (size_t)(stream->end - stream->next);

        if (got > MOST_BYTES - *length)
            return fault_make(FAULT_INPUT, "%s: more than %d MiB; expected statistics", path, MOST_BYTES >> 20);
        if (!list_fit(text, *length + got + 1, &capacity, 1))
            return stats_table_out_of_memory(path);
        memcpy(*text + *length, stream->next, got);
        *length += got;
        stream->next = stream->end;
    }
    if (!*text)
        return stats_table_out_of_memory(path);
    (*text)[*length] = '\0';
    return status == STREAM_FAILED ? error : fault_none();
}

static int by_name(const void *a, const void *b)
{
    const struct stats_line *const one = a, *const two = b;

    return strcmp(one->name, two->name);
}

static struct fault sort(struct stats_table *table, const char *file)
{
    if (table->count)
        qsort(table->lines, table->count, sizeof *table->lines, by_name);
    for (size_t i = 1; i < table->count; i++)
        if (strcmp(table->lines[i - 1].name, table->lines[i].name) == 0)
            return fault_make(FAULT_INPUT, "%s: %s occurs twice; expected each statistic once in a block", file,
                              table->lines[i].name);
    return fault_none();
}

static bool stats_table_add_line(struct stats_table *table, size_t *capacity, struct stats_line line)
{
    if (!list_fit(&table->lines, table->count + 1, capacity, sizeof *table->lines))
        return false;
    line.order = table->count;
    table->lines[table->count++] = line;
    return true;
}

/* ---- text */

/* Cuts a line into name, value and shares; false if it holds no statistic. */
static bool cut_line(char *text, struct stats_line *line)
{
    char *const comment = strstr(text, " # ");
    char *rest = NULL, *end;

    if (comment)
        *comment = '\0';
    line->name = strtok_r(text, " \t\r", &rest);
    line->value = strtok_r(NULL, " \t\r", &rest);
    if (!line->name || !line->value)
        return false;
    rest += strspn(rest, " \t");
    for (end = rest + strlen(rest); end > rest && strchr(" \t\r", end[-1]); end--)
        end[-1] = '\0';
    line->shares = rest;
    return true;
}

static struct fault stats_table_take_text(struct stats_table *table, const char *name)
{
    bool inside = false, complete = false;
    size_t capacity = 0;
    char *rest = NULL;

    for (char *text = strtok_r(table->text, "\n", &rest); text; text = strtok_r(NULL, "\n", &rest)) {
        struct stats_line line;

        if (strncmp(text, "---------- Begin", 16) == 0) {
            inside = true;
            complete = false;
            table->count = 0;
        } else if (strncmp(text, "---------- End", 14) == 0) {
            complete = inside;
            inside = false;
        } else if (inside && cut_line(text, &line) && !stats_table_add_line(table, &capacity, line)) {
            return stats_table_out_of_memory(name);
        }
    }
    if (!complete)
        return fault_make(FAULT_INPUT, "%s: holds no complete block of statistics; expected the lines \"---------- "
                          "Begin ...\" and \"---------- End ...\" of gem5's stats.txt", name);
    return sort(table, name);
}

/* ---- JSON */

/* The tables in a GPU's statistics besides numbers (docs/stats.schema.json), and what is said of a sample
 * (sweep/results/sample.h). */
static bool is_table(const char *name, const json_t *value)
{
    return json_is_array(value) || (json_is_string(value) && strcmp(name, "system") == 0)
           || (json_is_object(value) && strcmp(name, "regions") == 0);
}

/* Names and numbers of the object as texts, behind each other. */
static struct fault take_members(struct stats_table *table, const char *file, json_t *object)
{
    enum { NUMBER_BYTES = 32 };
    size_t bytes = 1, capacity = 0;
    const char *name;
    json_t *value;
    char *next;

    json_object_foreach(object, name, value)
        bytes += strlen(name) + 1 + NUMBER_BYTES;
    next = table->text = malloc(bytes);
    if (!next)
        return stats_table_out_of_memory(file);
    json_object_foreach(object, name, value) {
        struct stats_line line = {.name = next, .shares = ""};

        if (is_table(name, value))
            continue;
        if (!json_is_number(value) && !json_is_null(value))
            return fault_make(FAULT_INPUT, "%s: %s is not a number; expected an object of names and numbers, as replay "
                              "--stats FILE.json writes", file, name);
        next = stpcpy(next, name) + 1;
        line.value = next;
        if (json_is_integer(value))
            next += snprintf(next, NUMBER_BYTES, "%" PRId64, (int64_t)json_integer_value(value)) + 1;
        else if (json_is_null(value))
            next = stpcpy(next, "nan") + 1;
        else
            next += snprintf(next, NUMBER_BYTES, "%.17g", json_real_value(value)) + 1;
        if (!stats_table_add_line(table, &capacity, line))
            return stats_table_out_of_memory(file);
    }
    return sort(table, file);
}

/* One object, several (JSON lines), or an array of them: the last one counts. */
static struct fault take_json(struct stats_table *table, const char *name, const char *text, size_t length)
{
    json_error_t error;
    json_t *value = NULL, *object;
    struct fault fault;

    for (size_t at = 0; at + strspn(text + at, " \t\r\n") < length; at += (size_t)error.position) {
        json_decref(value);
        value = json_loadb(text + at, length - at, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &error);
        if (!value)
            return fault_make(FAULT_INPUT, "%s: byte %zu: %s; expected an object of names and numbers, as replay "
                              "--stats FILE.json writes", name, at + (size_t)error.position, error.text);
    }
    object = json_is_array(value) ? json_array_get(value, json_array_size(value) - 1) : value;
    fault = json_is_object(object)
        ? take_members(table, name, object)
        : fault_make(FAULT_INPUT, "%s: holds no block of statistics; expected objects of names and numbers, as replay "
                     "--stats FILE.json writes", name);
    json_decref(value);
    return fault;
}

/* ---- both */

struct fault stats_table_parse(struct stats_table *table, const char *name, char *text, size_t length)
{
    char const first = text[strspn(text, " \t\r\n")];

    struct fault fault;

    *table = (struct stats_table){.is_from_json = first == '{' || first == '['};
    if (table->is_from_json) {
        fault = take_json(table, name, text, length);
        free(text);
    } else {
        table->text = text;
        fault = stats_table_take_text(table, name);
    }
    if (fault.kind != FAULT_NONE)
        stats_table_free(table);
    return fault;
}

struct fault stats_table_read(struct stats_table *table, const char *path)
{
    struct stream_source const source = {.path = path};
    struct fault error;
    struct stream stream;
    struct fault fault;
    char *text;
    size_t length;

    *table = (struct stats_table){0};
    if (FAILS(error, stream_open(&stream, &source)))
        return error;
    fault = read_stream(&stream, path, &text, &length);
    stream_close(&stream);
    if (fault.kind == FAULT_NONE)
        return stats_table_parse(table, path, text, length);
    free(text);
    return fault;
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
