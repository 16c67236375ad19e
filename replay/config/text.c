/* See text.h. The capacity doubles, so adding is cheap on average. */
#include "replay/config/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

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
