/* The indentation of a line determines the parent keys of its own key. */
#include "cli/config/config_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

enum { LEVELS = 16, KEY_BYTES = 256 };

static void config_lines_add_line(struct config_lines *lines, const char *key, const char *value)
{
    struct config_line const made = {arena_copy(&lines->arena, key, strlen(key)),
                                 arena_copy(&lines->arena, value, strlen(value))};

    if (!made.key || !made.value
        || !list_fit(&lines->list, lines->count + 1, &lines->room, sizeof *lines->list)) {
        lines->is_out_of_memory = true;
        return;
    }
    lines->list[lines->count++] = made;
}

/* The keys above the line's, joined by points, and its own behind them. */
static void name_key(char keys[LEVELS][KEY_BYTES], unsigned level, char key[KEY_BYTES])
{
    size_t used = 0;

    key[0] = '\0';
    for (unsigned i = 0; i <= level && used < KEY_BYTES; i++)
        used += (size_t)snprintf(key + used, KEY_BYTES - used, "%s%s", i && *keys[i - 1] ? "." : "", keys[i]);
}

bool config_lines_read(struct config_lines *lines, const char *text)
{
    char keys[LEVELS][KEY_BYTES] = {""}, key[KEY_BYTES];
    unsigned items[LEVELS] = {0};

    while (*text) {
        size_t const length = strcspn(text, "\n");
        char *const line = arena_copy(&lines->arena, text, length);

        text += length + (text[length] == '\n');
        if (!line) {
            lines->is_out_of_memory = true;
            return false;
        }

        unsigned const level = (unsigned)strspn(line, " ") / 2 < LEVELS ? (unsigned)strspn(line, " ") / 2 : LEVELS - 1;
        char *at = line + strspn(line, " ");
        char *const colon = strstr(at, ":");

        if (*at == '-')                          /* an item of a list: its number is part of the key */
            snprintf(keys[level], KEY_BYTES, "%u", items[level]++);
        else if (colon)
            snprintf(keys[level], KEY_BYTES, "%.*s", (int)(colon - at), at);
        for (unsigned i = level + 1; i < LEVELS; i++)
            items[i] = 0;
        name_key(keys, level, key);
        if (*at == '-')
            config_lines_add_line(lines, key, at + 1 + (at[1] == ' '));
        else if (colon && colon[1] == ' ')
            config_lines_add_line(lines, key, colon + 2);
    }
    return !lines->is_out_of_memory;
}

const char *config_lines_find(const struct config_lines *lines, const char *key)
{
    for (size_t i = 0; i < lines->count; i++)
        if (strcmp(lines->list[i].key, key) == 0)
            return lines->list[i].value;
    return NULL;
}

void config_lines_free(struct config_lines *lines)
{
    free(lines->list);
    arena_free(&lines->arena);
    *lines = (struct config_lines){0};
}
