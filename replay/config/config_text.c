/* See text.h. The capacity doubles, so adding is cheap on average. */
#include "replay/config/config_text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/list.h"
#include "replay/config/config_internal.h"
#include "replay/config/shipped_files.h"

/* Room for `length` more characters and the end. */
static bool reserve(struct config_text *text, size_t length)
{
    size_t const needed = text->length + length + 1;

    text->failed = text->failed || !list_fit(&text->data, needed, &text->capacity, 1);
    return !text->failed;
}

void config_text_add(struct config_text *text, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    text->failed |= length < 0;
    if (!reserve(text, (size_t)length))
        return;
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

void config_text_put(struct config_text *text, const char *from, size_t length)
{
    if (!reserve(text, length))
        return;
    memcpy(text->data + text->length, from, length);
    text->length += length;
}

void config_text_append(struct config_text *text, const char *const *pieces)
{
    for (; *pieces; pieces++)
        config_text_put(text, *pieces, strlen(*pieces));
}

void config_text_add_lines(struct config_text *text, const char *prefix, const char *lines)
{
    while (*lines) {
        size_t const length = strcspn(lines, "\n");

        config_text_add(text, "%s%.*s\n", prefix, (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
}

struct fault config_text_finish(struct config_text *text, char **data)
{
    reserve(text, 0);
    if (!text->failed)
        text->data[text->length] = '\0';
    *data = text->failed ? NULL : text->data;
    if (!text->failed)
        return fault_none();
    free(text->data);
    return fault_make(FAULT_MEMORY, "out of memory for a text");
}

/* One pass over libyaml's events, which end as soon as a limit is reached. */

/* The open nodes, from the document inwards. */
struct nest {
    unsigned depth, nodes;
    unsigned children[YAML_DEEPEST + 1];     /* keys and values count one each */
};

/* The error of the limit that is exceeded; NULL: none. */
static const char *yaml_limits_count(struct nest *nest, const yaml_event_t *event)
{
    bool const opens = event->type == YAML_MAPPING_START_EVENT || event->type == YAML_SEQUENCE_START_EVENT;

    if (event->type == YAML_MAPPING_END_EVENT || event->type == YAML_SEQUENCE_END_EVENT)
        nest->depth--;
    if (!opens && event->type != YAML_SCALAR_EVENT && event->type != YAML_ALIAS_EVENT)
        return NULL;
    if (++nest->nodes > YAML_MOST_NODES)
        return "more than 20000 keys and values; leave some out";
    if (++nest->children[nest->depth] > 2 * YAML_MOST_KEYS)
        return "more than 4000 keys, or 8000 items, in one place; leave some out";
    if (!opens)
        return NULL;
    if (nest->depth == YAML_DEEPEST)
        return "more than 32 levels, one in the other; expected a few";
    nest->children[++nest->depth] = 0;
    return NULL;
}

struct fault yaml_limits_check(const char *name, const char *text, size_t length)
{
    struct nest nest = {.depth = 0};
    const char *limit = NULL;
    bool goes_on = true;
    size_t line = 0;
    yaml_parser_t parser;
    yaml_event_t event;

    if (!yaml_parser_initialize(&parser))
        return fault_make(FAULT_MEMORY, "%s: out of memory while reading it", config_quote(name).text);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    while (goes_on && !limit && yaml_parser_parse(&parser, &event)) {
        limit = yaml_limits_count(&nest, &event);
        line = event.start_mark.line + 1;
        goes_on = event.type != YAML_STREAM_END_EVENT && event.type != YAML_NO_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return limit ? fault_make(FAULT_INPUT, "%s:%zu: %s", config_quote(name).text, line, limit) : fault_none();
}

#define FILE_ROW(name, bytes) {name, bytes, sizeof bytes},
static const struct shipped_file files[] = {SHIPPED_FILES(FILE_ROW)};

const struct shipped_file *shipped_at(size_t index)
{
    return index < sizeof files / sizeof *files ? &files[index] : NULL;
}

const char *shipped_device_at(size_t index)
{
#define DEVICE_NAME(name) name,
    static const char *const devices[] = {SHIPPED_DEVICES(DEVICE_NAME)};

    return index < sizeof devices / sizeof *devices ? devices[index] : NULL;
}

const struct shipped_file *shipped_find(const char *name)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(files[i].name, name) == 0)
            return &files[i];
    return NULL;
}

/* "detailed/../wide.yaml" as "wide.yaml"; false: it is too long, or leads out. */
static bool take_steps(const char *path, char *name, size_t size)
{
    size_t used = 0;

    while (*path) {
        size_t const length = strcspn(path, "/");

        if (length == 2 && strncmp(path, "..", 2) == 0) {
            if (used == 0)
                return false;
            for (used--; used > 0 && name[used - 1] != '/'; used--)
                ;
        } else if (length > 0 && !(length == 1 && *path == '.')) {
            if (used + length + 2 > size)
                return false;
            memcpy(name + used, path, length);
            used += length;
            name[used++] = '/';
        }
        path += length + (path[length] == '/');
    }
    name[used > 0 ? used - 1 : 0] = '\0';
    return used > 0;
}

const struct shipped_file *shipped_of_path(const char *path)
{
    char name[256];

    if (strncmp(path, SHIPPED_FOLDER, strlen(SHIPPED_FOLDER)) != 0)
        return NULL;
    return take_steps(path + strlen(SHIPPED_FOLDER), name, sizeof name) ? shipped_find(name) : NULL;
}
