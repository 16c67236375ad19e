/* Tables in tabs. Lines may end early: missing cells are "". */
#define _POSIX_C_SOURCE 200809L
#include "tests/reference/gpu_timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_whole(const char *path, char **text)
{
    FILE *const file = fopen(path, "rb");
    size_t length = 0, room = 1 << 16;

    *text = file ? malloc(room + 1) : NULL;
    while (*text) {
        length += fread(*text + length, 1, room - length, file);
        if (length < room)
            break;
        char *const longer = realloc(*text, 2 * room + 1);
        if (!longer)
            free(*text);
        *text = longer;
        room *= 2;
    }
    if (*text)
        (*text)[length] = '\0';
    if (file)
        fclose(file);
    return *text != NULL;
}

static size_t count_of(const char *text, char wanted)
{
    size_t count = 0;

    for (; *text; text++)
        count += *text == wanted;
    return count;
}

/* Cuts a line into cells; ignores excess cells. */
static void cut(char *line, char **cells, size_t columns)
{
    for (size_t i = 0; i < columns; i++) {
        char *const tab = strchr(line, '\t');

        cells[i] = line;
        if (tab)
            *tab = '\0';
        line = tab ? tab + 1 : line + strlen(line);
    }
}

bool tsv_open(struct tsv *table, const char *folder, const char *name)
{
    char path[TIMING_PATH];
    char *line, *rest = NULL;

    *table = (struct tsv){0};
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path || !read_whole(path, &table->text))
        return false;
    size_t const lines = count_of(table->text, '\n') + 1;
    for (const char *c = table->text; *c && *c != '\n'; c++)
        table->columns += *c == '\t';
    table->columns++;
    table->cells = calloc(lines * table->columns, sizeof *table->cells);
    for (line = strtok_r(table->text, "\n", &rest); line && table->cells; line = strtok_r(NULL, "\n", &rest)) {
        line[strcspn(line, "\r")] = '\0';
        cut(line, &table->cells[table->rows++ * table->columns], table->columns);
    }
    if (table->rows > 0) {
        table->rows--;
        return true;
    }
    tsv_close(table);
    return false;
}

void tsv_close(struct tsv *table)
{
    free(table->text);
    free(table->cells);
    *table = (struct tsv){0};
}

const char *tsv_text(const struct tsv *table, size_t row, const char *column)
{
    for (size_t i = 0; i < table->columns; i++) {
        if (strcmp(table->cells[i], column) == 0)
            return table->cells[(row + 1) * table->columns + i];
    }
    return "";
}

double tsv_number(const struct tsv *table, size_t row, const char *column)
{
    return strtod(tsv_text(table, row, column), NULL);
}
