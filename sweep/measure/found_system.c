#include "sweep/measure/found_system.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

/* ---- the list */
void found_free(struct found_system *system)
{
    free(system->list);
    *system = (struct found_system){0};
}

static struct finding *find_key(const struct found_system *system, const char *key)
{
    for (size_t i = 0; i < system->count; i++)
        if (strcmp(system->list[i].key, key) == 0)
            return &system->list[i];
    return NULL;
}

static void put(struct found_system *system, const struct finding *made)
{
    struct finding *finding = find_key(system, made->key);

    if (!finding) {
        if (!list_fit(&system->list, system->count + 1, &system->room, sizeof *system->list)) {
            system->is_out_of_memory = true;
            return;
        }
        finding = &system->list[system->count++];
    }
    *finding = *made;
}

static struct finding make_finding(const char *key, const char *value)
{
    struct finding made = {.is_doubtful = false};

    snprintf(made.key, sizeof made.key, "%s", key);
    snprintf(made.value, sizeof made.value, "%s", value ? value : "");
    return made;
}

void found_set(struct found_system *system, const char *key, const char *value, const char *format, ...)
{
    struct finding made = make_finding(key, value);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(made.note, sizeof made.note, format, arguments);
    va_end(arguments);
    put(system, &made);
}

void found_set_doubtful(struct found_system *system, const char *key, const char *value, const char *format, ...)
{
    struct finding made = make_finding(key, value);
    va_list arguments;

    made.is_doubtful = true;
    va_start(arguments, format);
    vsnprintf(made.note, sizeof made.note, format, arguments);
    va_end(arguments);
    put(system, &made);
}

bool finding_is_known(const struct finding *finding)
{
    return finding->value[0] != '\0' && !finding->is_doubtful;
}

const char *found_value(const struct found_system *system, const char *key)
{
    const struct finding *const finding = find_key(system, key);

    return finding && finding->value[0] ? finding->value : NULL;
}

void found_settings_free(char **settings, size_t count)
{
    for (size_t i = 0; settings && i < count; i++)
        free(settings[i]);
    free(settings);
}

char **found_settings(const struct found_system *system, size_t *count)
{
    char **const settings = calloc(system->count + 1, sizeof *settings);

    *count = 0;
    for (size_t i = 0; settings && i < system->count; i++) {
        const struct finding *const finding = &system->list[i];
        size_t const room = sizeof finding->key + sizeof finding->value;

        if (!finding->value[0])
            continue;
        settings[*count] = malloc(room);
        if (!settings[*count]) {
            found_settings_free(settings, *count);
            return NULL;
        }
        snprintf(settings[(*count)++], room, "%s=%s", finding->key, finding->value);
    }
    return settings;
}

/* ---- YAML */
/* How many parts of their sections two keys have in common. */
static size_t common_parts(const char *a, const char *b)
{
    size_t common = 0;

    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        common += a[i] == '.';
    return common;
}

static const char *part_of(const char *key, size_t part)
{
    for (; part > 0; part--)
        key = strchr(key, '.') + 1;
    return key;
}

static size_t count_parts(const char *key)
{
    size_t count = 0;

    for (; *key; key++)
        count += *key == '.';
    return count;
}

/* Keys of one section follow each other, those of its own sections behind them, in the order of their first keys. */
struct placed {
    const struct finding *finding;
    size_t section, inner, at;           /* numbers of the first key of both, its own */
};

static int by_place(const void *a, const void *b)
{
    const struct placed *const x = a, *const y = b;

    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    if (x->inner != y->inner)
        return x->inner < y->inner ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* The number of the first key that begins with as many bytes. */
static size_t first_with(const struct found_system *system, const char *key, size_t length)
{
    size_t i = 0;

    while (strncmp(system->list[i].key, key, length) != 0)
        i++;
    return i;
}

static struct placed place_of(const struct found_system *system, size_t i)
{
    const char *const key = system->list[i].key, *const point = strchr(key, '.'), *const last = strrchr(key, '.');
    struct placed placed = {.finding = &system->list[i], .at = i};

    /* Those without a section first. */
    placed.section = point ? 1 + first_with(system, key, (size_t)(point - key) + 1) : 0;
    placed.inner = point != last ? 1 + first_with(system, key, (size_t)(last - key) + 1) : 0;
    return placed;
}

/* Is any key known whose name begins with as many bytes? */
static bool section_is_known(const struct found_system *system, const char *key, size_t length)
{
    for (size_t i = 0; i < system->count; i++)
        if (finding_is_known(&system->list[i]) && strncmp(system->list[i].key, key, length) == 0)
            return true;
    return false;
}

/* Names of sections that the key before was not in; then the key, or a comment, also in place of a section without any
 * known key. */
static void write_key(const struct found_system *system, const struct finding *finding, const char *before, FILE *to)
{
    size_t const common = common_parts(finding->key, before);
    size_t parts = count_parts(finding->key), known = 0;
    char line[2 * FOUND_KEY + FOUND_VALUE];
    const char *name;
    int indent, length;

    if (parts > 0 && common == 0)
        fputc('\n', to);
    while (known < parts
           && section_is_known(system, finding->key, (size_t)(part_of(finding->key, known + 1) - finding->key)))
        known++;
    parts = known;
    name = part_of(finding->key, parts);
    indent = (int)(2 * parts);
    for (size_t part = common; part < parts; part++) {
        const char *const section = part_of(finding->key, part);

        fprintf(to, "%*s%.*s:\n", (int)(2 * part), "", (int)strcspn(section, "."), section);
    }
    if (finding_is_known(finding))
        length = snprintf(line, sizeof line, "%*s%s: %s", indent, "", name, finding->value);
    else
        length = snprintf(line, sizeof line, "%*s# %s: unknown", indent, "", name);
    fprintf(to, "%s%*s# %s\n", line, length < 32 ? 32 - length : 1, "", finding->note);
}

void found_write(const struct found_system *system, const char *head, FILE *to)
{
    struct placed *const order = calloc(system->count + 1, sizeof *order);
    const char *before = "";

    for (const char *line = head; *line;) {
        size_t const length = strcspn(line, "\n");

        fprintf(to, "#%s%.*s\n", length > 0 ? " " : "", (int)length, line);
        line += length + (line[length] == '\n');
    }
    for (size_t i = 0; order && i < system->count; i++)
        order[i] = place_of(system, i);
    if (order)
        qsort(order, system->count, sizeof *order, by_place);
    for (size_t i = 0; order && i < system->count; i++) {
        write_key(system, order[i].finding, before, to);
        before = order[i].finding->key;
    }
    free(order);
}
