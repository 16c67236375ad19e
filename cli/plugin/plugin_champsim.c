/* A class of the interface of 2024 inherits champsim::modules::KIND; hooks of the earlier ones are members of CACHE or
 * O3_CPU. Comments are not told apart: their text seldom has either. */
#include "cli/plugin/plugin_champsim.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_SOURCE = 1 << 22 };

static const char modules[] = "champsim::modules::";

static char *read_source(const char *path)
{
    FILE *const file = fopen(path, "r");
    char *const text = file ? malloc(LARGEST_SOURCE + 1) : NULL;

    if (text)
        text[fread(text, 1, LARGEST_SOURCE, file)] = '\0';
    if (file)
        fclose(file);
    return text;
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The word that ends before `end`, past spaces; where it begins. */
static const char *word_before(const char *text, const char *end, size_t *length)
{
    const char *begin;

    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    begin = end;
    while (begin > text && is_letter(begin[-1]))
        begin--;
    *length = (size_t)(end - begin);
    return begin;
}

/* NAME of "NAME : public champsim::modules::KIND"; at: where champsim:: begins. */
static bool take_class(const char *text, const char *at, struct champsim_class *found)
{
    static const char *const kinds[][2] = {{"prefetcher", "PREFETCHER"}, {"replacement", "REPLACEMENT"},
                                           {"branch_predictor", "BRANCH_PREDICTOR"}, {"btb", "BTB"}};
    const char *const kind = at + strlen(modules);
    size_t length;
    const char *word = word_before(text, at, &length);

    if (length == 6 && strncmp(word, "public", 6) == 0)
        word = word_before(text, word, &length);
    while (word > text && length == 0 && isspace((unsigned char)word[-1]))
        word--;
    if (length != 0 || word == text || word[-1] != ':')
        return false;
    word = word_before(text, word - 1, &length);
    if (length == 0 || length >= sizeof found->name)
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t const own = strlen(kinds[i][0]);

        if (strncmp(kind, kinds[i][0], own) != 0 || is_letter(kind[own]))
            continue;
        snprintf(found->name, sizeof found->name, "%.*s", (int)length, word);
        snprintf(found->kind, sizeof found->kind, "%s", kinds[i][1]);
        return true;
    }
    return false;
}

/* A member of CACHE or O3_CPU. */
static bool take_member(const char *text, const char *owner, struct champsim_class *found)
{
    const char *const at = strstr(text, owner);
    size_t length = at ? strlen(owner) : 0;

    while (at && is_letter(at[length]))
        length++;
    if (!at || at[length] != '(')
        return false;
    snprintf(found->other, sizeof found->other, "%.*s", (int)length, at);
    return true;
}

bool champsim_class_find(const char *path, struct champsim_class *found)
{
    char *const text = read_source(path);
    const char *const point = strrchr(path, '.');
    bool is_found = false;

    if (!text)
        return false;
    memset(found, 0, sizeof *found);
    for (const char *at = strstr(text, modules); at && !is_found; at = strstr(at + 1, modules))
        is_found = take_class(text, at, found);
    is_found = is_found || take_member(text, "CACHE::", found) || take_member(text, "O3_CPU::", found);
    snprintf(found->file, sizeof found->file, "%s", path);
    found->is_source = point && point[1] == 'c';
    free(text);
    return is_found;
}
