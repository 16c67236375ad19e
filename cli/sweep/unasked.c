#include "cli/sweep/unasked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash64.h"
#include "base/text.h"
#include "cli/common/shown.h"
#include "cli/config/config_lines.h"
#include "replay/config/device.h"

/* Of the controller, besides what devices bring (config_is_dram_policy). */
static const char *const others[] = {"xor_low_bit", "mem_sched_policy"};

static const char *unasked_keep(struct unasked *unasked, const char *text, size_t length)
{
    const char *const copy = arena_copy(&unasked->arena, text, length);

    unasked->is_out_of_memory = unasked->is_out_of_memory || !copy;
    return copy;
}

void unasked_ask(struct unasked *unasked, const char *key)
{
    const char *const kept = unasked_keep(unasked, key, strcspn(key, "="));

    if (kept && unasked->asked_count < UNASKED_KEYS)
        unasked->asked[unasked->asked_count++] = kept;
}

static bool is_of_controller(const char *key)
{
    const char *const point = strrchr(key, '.');

    if (strncmp(key, "memory.", 7) != 0 && strncmp(key, "memories.", 9) != 0)
        return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(point + 1, others[i]) == 0)
            return true;
    return config_is_dram_policy(point + 1);
}

/* Setting `memory.policy` also counts as asking for the keys that it controls. */
static bool is_asked(const struct unasked *unasked, const char *key)
{
    for (size_t i = 0; i < unasked->asked_count; i++) {
        const char *const asked = unasked->asked[i];
        size_t const length = strlen(asked);
        bool const is_policy = length > 7 && strcmp(asked + length - 7, ".policy") == 0;

        if (strcmp(asked, key) == 0 || (is_policy && config_is_dram_policy(strrchr(key, '.') + 1)))
            return true;
    }
    return false;
}

static struct unasked_key *unasked_find(struct unasked *unasked, const char *key)
{
    for (size_t i = 0; i < unasked->key_count; i++)
        if (strcmp(unasked->keys[i].key, key) == 0)
            return &unasked->keys[i];
    if (unasked->key_count == UNASKED_KEYS)
        return NULL;

    const char *const kept = unasked_keep(unasked, key, strlen(key));

    if (!kept)
        return NULL;
    unasked->keys[unasked->key_count] = (struct unasked_key){.key = kept, .is_asked = is_asked(unasked, key)};
    return &unasked->keys[unasked->key_count++];
}

static void add_value(struct unasked *unasked, struct unasked_key *key, const char *value)
{
    for (size_t i = 0; i < key->count; i++)
        if (strcmp(key->values[i], value) == 0)
            return;
    if (key->count == UNASKED_VALUES)
        key->has_more = true;
    else if ((key->values[key->count] = unasked_keep(unasked, value, strlen(value))) != NULL)
        key->count++;
}

/* The memories are at the end of the text. */
static const char *memories_of(const char *yaml)
{
    const char *const one = strstr(yaml, "\nmemory:\n"), *const several = strstr(yaml, "\nmemories:\n");

    return one ? one + 1 : several ? several + 1 : NULL;
}

static bool is_new(struct unasked *unasked, const char *text)
{
    uint64_t const hash = hash64(text, strlen(text));

    for (size_t i = 0; i < unasked->seen_count; i++)
        if (unasked->seen[i] == hash)
            return false;
    if (unasked->seen_count < UNASKED_SEEN)
        unasked->seen[unasked->seen_count++] = hash;
    return true;
}

void unasked_add(struct unasked *unasked, const char *yaml)
{
    const char *const memories = yaml ? memories_of(yaml) : NULL;
    struct config_lines lines = {0};

    if (!memories || !is_new(unasked, memories))
        return;
    unasked->is_out_of_memory |= !config_lines_read(&lines, memories);
    for (size_t i = 0; i < lines.count; i++) {
        struct unasked_key *const key = is_of_controller(lines.list[i].key) ? unasked_find(unasked, lines.list[i].key)
            : NULL;

        if (key)
            add_value(unasked, key, lines.list[i].value);
    }
    config_lines_free(&lines);
}

void unasked_text(const struct unasked *unasked, char text[UNASKED_TEXT])
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < unasked->key_count; i++) {
        struct unasked_key const *const key = &unasked->keys[i];

        if (key->is_asked || key->count < 2)
            continue;
        for (size_t v = 0; v < key->count && used < UNASKED_TEXT; v++)
            used += (size_t)snprintf(text + used, UNASKED_TEXT - used, "%s%s%s%s", v > 0 ? ", " : used > 0 ? "; " : "",
                                     v > 0 ? "" : cli_shown(key->key), v > 0 ? "" : ": ", cli_shown(key->values[v]));
        if (key->has_more && used < UNASKED_TEXT)
            used += (size_t)snprintf(text + used, UNASKED_TEXT - used, ", ...");
    }
    if (used > 0 && used < UNASKED_TEXT)
        snprintf(text + used, UNASKED_TEXT - used, ": differ, though no axis and no setting names it; set them alike");
}

void unasked_free(struct unasked *unasked)
{
    arena_free(&unasked->arena);
    *unasked = (struct unasked){0};
}

/* UTC, to the second. */
static void take_date(char *date, size_t size)
{
    time_t const now = time(NULL);
    struct tm parts;

    if (!gmtime_r(&now, &parts) || strftime(date, size, "%Y-%m-%d %H:%M:%S UTC", &parts) == 0)
        date[0] = '\0';
}

static char *command_of(int argc, char *const *argv)
{
    char *text = NULL, room[CLI_QUOTED_MAX];
    size_t length;
    FILE *const stream = open_memstream(&text, &length);

    if (!stream)
        return NULL;
    fputs("rubato", stream);
    for (int i = 0; i < argc; i++)
        fprintf(stream, " %s", cli_quote(argv[i], room));
    return text_stream_close(stream, &text) ? text : NULL;
}

void origin_make(struct origin *origin, int argc, char *const *argv)
{
    *origin = (struct origin){.command = command_of(argc, argv)};
    take_date(origin->date, sizeof origin->date);
    if (gethostname(origin->host, sizeof origin->host - 1) != 0)
        origin->host[0] = '\0';
    origin->run = (struct provenance_run){origin->date, origin->command ? origin->command : "", origin->host};
}

void origin_free(struct origin *origin)
{
    free(origin->command);
}
