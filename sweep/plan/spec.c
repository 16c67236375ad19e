/* A sweep's file from disk to a struct that is known to fit its systems: every setting and every value of an axis is
 * tried on them before anything runs. Whether a combination makes a sound system is asked point by point (plan.c). */
#include "sweep/plan/price.h"
#include "sweep/plan/spec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/hash64.h"
#include "base/input_file.h"
#include "memsys/sim/sim_random.h"
#include "replay/config/config_internal.h"
#include "replay/config/system_config.h"

enum { LARGEST_FILE = 1 << 20, ASSIGNMENT_TEXT = 1200 };

/* ---- configurations */

static struct fault assign(const struct spec *spec, const char *key, const char *value, size_t line,
                           struct system_config *config)
{
    char assignment[ASSIGNMENT_TEXT];
    struct spec_where const where = spec_place(spec, line);

    if (strcmp(value, SPEC_BASE) == 0)
        return fault_none();
    if (snprintf(assignment, sizeof assignment, "%s=%s", key, value) >= (int)sizeof assignment || strchr(key, '='))
        return fault_make(FAULT_INPUT, "%s: %s: is no key, or its value is too long; `rubato config keys` lists all",
                          where.text, config_quote(key).text);
    return config_set_from(config, assignment, where.text);
}

struct fault spec_configure(const struct spec *spec, size_t system, const uint32_t *levels, const char *first,
                            struct system_config *config)
{
    *config = spec->bases[system];
    if (first)
        FORWARD(config_set_from(config, first, spec->path));
    for (unsigned rank = 0; rank < CONFIG_RANKS; rank++) {
        for (size_t i = 0; i < spec->setting_count; i++) {
            struct spec_setting const *const setting = &spec->settings[i];

            if (config_setting_rank(setting->key, strlen(setting->key)) == rank)
                FORWARD(assign(spec, setting->key, setting->value, setting->line, config));
        }
        for (size_t g = 0; g < spec->group_count; g++) {
            for (size_t a = 0; a < spec->groups[g].axis_count; a++) {
                struct spec_axis const *const axis = &spec->axes[spec->groups[g].first_axis + a];
                const char *const value = axis->values[levels[g]];

                if (config_setting_rank(axis->key, strlen(axis->key)) == rank)
                    FORWARD(assign(spec, axis->key, value, axis->line, config));
            }
        }
    }
    return fault_none();
}

/* ---- checks */

/* Every level of every group, the other groups at their first levels, or else at their last: a key may need a core or a
 * cache that another axis brings. */
static struct fault check_levels(const struct spec *spec, size_t system, uint32_t *levels,
                                 struct system_config *config)
{
    for (size_t g = 0; g < spec->group_count; g++) {
        for (size_t level = 0; level < spec->groups[g].levels; level++) {
            struct fault first = fault_none();

            for (int is_last = 0; is_last <= 1; is_last++) {
                for (size_t other = 0; other < spec->group_count; other++)
                    levels[other] = is_last ? (uint32_t)(spec->groups[other].levels - 1) : 0;
                levels[g] = (uint32_t)level;

                struct fault const fault = spec_configure(spec, system, levels, NULL, config);

                if (fault.kind == FAULT_NONE)
                    break;
                if (is_last)
                    return first;
                first = fault;
            }
        }
    }
    return fault_none();
}

static struct fault check_systems(struct spec *spec)
{
    struct system_config *const config = config_new();
    uint32_t *const levels = calloc(spec->group_count + 1, sizeof *levels);
    struct fault fault = config && levels ? fault_none() : fault_make(FAULT_MEMORY, "out of memory");

    for (size_t i = 0; fault.kind == FAULT_NONE && i < spec->system_count; i++) {
        config_defaults(&spec->bases[i]);
        fault = config_load(&spec->bases[i], spec->systems[i]);
        if (fault.kind == FAULT_NONE)
            fault = spec->group_count ? check_levels(spec, i, levels, config)
                                      : spec_configure(spec, i, levels, NULL, config);
    }
    free(config);
    free(levels);
    return fault;
}

/* Names of the cost, and what it divides by, on each system. */
static struct fault check_costs(const struct spec *spec)
{
    struct system_config *const config = config_new();
    uint32_t *const levels = calloc(spec->group_count + 1, sizeof *levels);
    struct fault fault = config && levels ? fault_none() : fault_make(FAULT_MEMORY, "out of memory");
    double price;

    for (size_t i = 0; fault.kind == FAULT_NONE && i < spec->system_count; i++) {
        fault = spec_configure(spec, i, levels, NULL, config);
        if (fault.kind == FAULT_NONE)
            fault = price_of(spec->costs, spec->cost_count, config, NULL, &price);
    }
    free(config);
    free(levels);
    return fault;
}

/* Counts of an axis with a suffix ("1k") become plain ones, as results list and compare them. */
static struct fault write_plain(struct spec *spec, const char *key, const char **value, struct system_config *config)
{
    char text[CONFIG_BEHIND_TEXT], assignment[ASSIGNMENT_TEXT];
    uint64_t count, taken;

    if (!(*value)[strspn(*value, "0123456789")] || count_parse(*value, &count)
        || snprintf(assignment, sizeof assignment, "%s=%s", key, *value) >= (int)sizeof assignment)
        return fault_none();
    *config = spec->bases[0];
    if (config_set_from(config, assignment, spec->path).kind != FAULT_NONE
        || config_get(config, key, spec->path, text, sizeof text).kind != FAULT_NONE
        || text[strspn(text, "0123456789")] || count_parse(text, &taken) || taken != count)
        return fault_none();
    *value = arena_copy(&spec->arena, text, strlen(text));
    return *value ? fault_none() : fault_make(FAULT_MEMORY, "out of memory");
}

static struct fault write_plain_counts(struct spec *spec)
{
    struct system_config *const config = config_new();
    struct fault fault = config ? fault_none() : fault_make(FAULT_MEMORY, "out of memory");

    for (size_t a = 0; a < spec->axis_count; a++)
        for (size_t i = 0; i < spec->axes[a].count && fault.kind == FAULT_NONE; i++)
            fault = write_plain(spec, spec->axes[a].key, &spec->axes[a].values[i], config);
    free(config);
    return fault;
}

/* ---- the file */
static struct fault spec_read_all(struct spec *spec, const char *path, const char *text, size_t length)
{
    spec->path = arena_copy(&spec->arena, path, strlen(path));
    spec->text = arena_copy(&spec->arena, text, length);
    spec->text_bytes = length;
    if (!spec->path || !spec->text)
        return fault_make(FAULT_MEMORY, "out of memory");
    FORWARD(spec_parse(spec));
    spec->bases = malloc(spec->system_count * sizeof *spec->bases);
    if (!spec->bases)
        return fault_make(FAULT_MEMORY, "out of memory");
    FORWARD(check_systems(spec));
    FORWARD(check_costs(spec));
    return write_plain_counts(spec);
}

struct fault spec_read_text(struct spec **made, const char *path, const char *text, size_t length)
{
    struct spec *const spec = calloc(1, sizeof *spec);
    struct fault fault = spec ? spec_read_all(spec, path, text, length) : fault_make(FAULT_MEMORY, "out of memory");

    if (fault.kind == FAULT_NONE)
        *made = spec;
    else
        spec_free(spec);
    return fault;
}

struct fault spec_read(struct spec **made, const char *path)
{
    FILE *const file = input_file_fopen(path);
    char *text;
    size_t length;
    struct fault fault;
    bool failed;

    if (!file)
        return fault_make(FAULT_INPUT, "%s: %s; give a sweep file", config_quote(path).text, strerror(errno));
    text = malloc(LARGEST_FILE + 1);
    length = text ? fread(text, 1, LARGEST_FILE + 1, file) : 0;
    failed = ferror(file) != 0;
    input_file_fclose(file);
    if (!text)
        return fault_make(FAULT_MEMORY, "out of memory");
    if (failed || length > LARGEST_FILE)
        fault = fault_make(FAULT_INPUT, "%s: %s", config_quote(path).text,
                           failed ? "cannot be read" : "is larger than 1 MiB; expected a sweep file");
    else
        fault = spec_read_text(made, path, text, length);
    free(text);
    return fault;
}

void spec_free(struct spec *spec)
{
    if (!spec)
        return;
    free(spec->bases);
    arena_free(&spec->arena);
    free(spec);
}

/* Parts of one part: where in it the point lies. */
#define FINE UINT64_C(4096)

void latin_hypercube(uint64_t seed, const char *key, size_t points, size_t levels, uint32_t *picked)
{
    struct random_generator random;

    random_init(&random, seed ^ hash64(key, strlen(key)));
    for (size_t i = 0; i < points; i++)
        picked[i] = (uint32_t)i;
    for (size_t i = points; i > 1; i--) {
        size_t const other = random_uniform(&random, 0, (uint32_t)(i - 1));
        uint32_t const part = picked[i - 1];

        picked[i - 1] = picked[other];
        picked[other] = part;
    }
    for (size_t i = 0; i < points; i++) {
        uint64_t const place = picked[i] * FINE + random_uniform(&random, 0, (uint32_t)(FINE - 1));

        picked[i] = (uint32_t)(place * levels / (points * FINE));
    }
}
