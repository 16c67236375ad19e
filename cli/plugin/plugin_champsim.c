/* A class of the interface of 2024 inherits champsim::modules::KIND; hooks of 2021 are members of CACHE and O3_CPU. */
#include "cli/plugin/plugin_champsim.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_SOURCE = 1 << 22 };

static const char modules[] = "champsim::modules::";

static const struct { const char *owner, *name; unsigned has; } hooks[] = {
    {"CACHE::", "prefetcher_initialize", CHAMPSIM_PREFETCHER},
    {"CACHE::", "prefetcher_cache_operate", CHAMPSIM_PREFETCHER},
    {"CACHE::", "prefetcher_cache_fill", CHAMPSIM_PREFETCHER},
    {"CACHE::", "prefetcher_cycle_operate", CHAMPSIM_PREFETCHER | CHAMPSIM_CYCLE},
    {"CACHE::", "prefetcher_branch_operate", CHAMPSIM_PREFETCHER | CHAMPSIM_BRANCH_OPERATE},
    {"CACHE::", "prefetcher_final_stats", CHAMPSIM_PREFETCHER},
    {"CACHE::", "initialize_replacement", CHAMPSIM_REPLACEMENT},
    {"CACHE::", "find_victim", CHAMPSIM_REPLACEMENT},
    {"CACHE::", "update_replacement_state", CHAMPSIM_REPLACEMENT},
    {"CACHE::", "replacement_final_stats", CHAMPSIM_REPLACEMENT},
    {"O3_CPU::", "initialize_branch_predictor", CHAMPSIM_DIRECTION},
    {"O3_CPU::", "predict_branch", CHAMPSIM_DIRECTION},
    {"O3_CPU::", "last_branch_result", CHAMPSIM_DIRECTION},
    {"O3_CPU::", "initialize_btb", CHAMPSIM_BTB},
    {"O3_CPU::", "btb_prediction", CHAMPSIM_BTB},
    {"O3_CPU::", "update_btb", CHAMPSIM_BTB}
};

/* Comments become blanks; texts stay. */
static void blank_comments(char *text)
{
    char *end;

    for (char *c = text; *c; c++) {
        if (*c == '"') {
            for (c++; *c && *c != '"' && *c != '\n'; c++)
                c += *c == '\\' && c[1];
            if (!*c)
                return;
        } else if (c[0] == '/' && (c[1] == '/' || c[1] == '*')) {
            end = c[1] == '/' ? strchr(c, '\n') : strstr(c + 2, "*/");
            end = end ? end + (c[1] == '/' ? 0 : 2) : c + strlen(c);
            memset(c, ' ', (size_t)(end - c));
            c = end - 1;
        }
    }
}

static char *read_source(const char *path)
{
    FILE *const file = fopen(path, "r");
    char *const text = file ? malloc(LARGEST_SOURCE + 1) : NULL;

    if (text) {
        text[fread(text, 1, LARGEST_SOURCE, file)] = '\0';
        blank_comments(text);
    }
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
static bool take_class(const char *text, const char *at, struct champsim_source *found)
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
    if (length == 0 || length >= sizeof found->class)
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t const own = strlen(kinds[i][0]);

        if (strncmp(kind, kinds[i][0], own) != 0 || is_letter(kind[own]))
            continue;
        snprintf(found->class, sizeof found->class, "%.*s", (int)length, word);
        snprintf(found->kind, sizeof found->kind, "%s", kinds[i][1]);
        return true;
    }
    return false;
}

/* Members of CACHE or O3_CPU. */
static void take_members(struct champsim_source *found, const char *text, const char *owner, const char *path)
{
    for (const char *at = strstr(text, owner); at; at = strstr(at + 1, owner)) {
        const char *const name = at + strlen(owner);
        size_t length = 0;
        unsigned has = 0;

        while (is_letter(name[length]))
            length++;
        if (name[length] != '(' || length == 0 || (at > text && (is_letter(at[-1]) || at[-1] == '&')))
            continue;
        for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++)
            if (strcmp(hooks[i].owner, owner) == 0 && strlen(hooks[i].name) == length
                && strncmp(hooks[i].name, name, length) == 0)
                has = hooks[i].has;
        found->has |= has;
        if (has || *found->other)
            continue;
        snprintf(found->other, sizeof found->other, "%s%.*s", owner, (int)length, name);
        snprintf(found->other_file, sizeof found->other_file, "%s", path);
    }
}

static bool has_word(const char *text, const char *word)
{
    size_t const length = strlen(word);

    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if (!is_letter(at[length]) && (at == text || !is_letter(at[-1])))
            return true;
    return false;
}

void champsim_look(struct champsim_source *found, const char *path)
{
    char *const text = read_source(path);

    if (!text)
        return;
    for (const char *at = strstr(text, modules); at && !*found->class; at = strstr(at + 1, modules))
        if (take_class(text, at, found))
            snprintf(found->file, sizeof found->file, "%s", path);
    take_members(found, text, "CACHE::", path);
    take_members(found, text, "O3_CPU::", path);
    found->has |= has_word(text, "block") ? CHAMPSIM_BLOCK : 0u;
    found->has |= has_word(text, "NUM_CPUS") ? CHAMPSIM_NUM_CPUS : 0u;
    free(text);
}

const char *champsim_has_name(unsigned bit)
{
    static const char *const names[] = {"PREFETCHER", "REPLACEMENT", "DIRECTION", "BTB", "CYCLE", "BRANCH_OPERATE",
                                        "BLOCK", "NUM_CPUS"};
    size_t i = 0;

    while (i < sizeof names / sizeof names[0] && bit != 1u << i)
        i++;
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}
