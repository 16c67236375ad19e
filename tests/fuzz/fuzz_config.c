/* Fuzz target: any bytes as a system file, and as --set assignments. Neither may crash; accepted input must be shown
 * as YAML, with comments and without, that is accepted again and gives the same text; finishing twice
 * changes nothing; every key that is shown can be asked for. Input: YAML, then assignments, each behind a zero
 * byte. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/config/config.h"
#include "replay/config/sections.h"
#include "replay/config/system_config.h"
#include "replay/config/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(struct fault fault)
{
    if (fault.kind != FAULT_NONE)
        abort();
}

typedef struct fault to_text_fn(const struct system_config *config, char **text);

static void must_come_back(const struct system_config *config, to_text_fn *to_text)
{
    struct system_config again;
    char *text, *text_again;

    must(to_text(config, &text));
    config_defaults(&again);
    must(config_load_text(&again, config->name, text, strlen(text)));
    must(config_finish(&again));
    must(config_finish(&again));
    must(to_text(&again, &text_again));
    if (strcmp(text, text_again) != 0)
        abort();
    free(text);
    free(text_again);
}

/* `config show` and `config keys` of it. */
static void must_be_shown(const struct system_config *config)
{
    struct config_section sections[CONFIG_MAX_SECTIONS];
    char *tree;

    must_come_back(config, config_to_yaml);
    must_come_back(config, config_to_compact_yaml);
    must(config_tree_text(config, &tree));
    free(tree);
    for (unsigned s = 0, count = config_sections(config, sections); s < count; s++) {
        const struct config_section *const section = &sections[s];

        for (size_t i = 0; section->is_present && i < section->table->count; i++) {
            const struct param_info *const info = &section->table->rows[i];
            char key[2 * CONFIG_PATH_TEXT + 64], value[UNITS_TEXT], got[CONFIG_BEHIND_TEXT + UNITS_TEXT];

            config_value_text(config, section, info, value, sizeof value);
            snprintf(key, sizeof key, "%s%s%s", section->path, *section->path ? "." : "", info->key);
            must(config_get(config, key, "fuzz", got, sizeof got));
            if (strcmp(value, got) != 0)
                abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t const length = zero ? (size_t)(zero - data) : size;
    struct system_config config;

    config_defaults(&config);
    if (length && config_load_text(&config, "fuzz", (const char *)data, length).kind != FAULT_NONE)
        return 0;
    while (zero) {
        const uint8_t *const next = memchr(zero + 1, 0, size - (size_t)(zero + 1 - data));
        size_t const rest = (size_t)((next ? next : data + size) - (zero + 1));
        char assignment[256] = "";

        memcpy(assignment, zero + 1, rest < 255 ? rest : 255);
        if (config_set(&config, assignment).kind != FAULT_NONE)
            return 0;
        zero = next;
    }
    if (config_finish(&config).kind == FAULT_NONE)
        must_be_shown(&config);
    return 0;
}
