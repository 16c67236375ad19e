/* Fuzz target: any bytes as options of Accel-Sim. They may not crash; a system that they give must be shown as
 * YAML that gives the same text again, with notes on the options it leaves out; and they may change a system that is
 * there. Input: one text, then others, each behind a zero byte. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "replay/config/config.h"
#include "replay/config/import.h"
#include "replay/config/system_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(struct fault fault)
{
    if (fault.kind != FAULT_NONE)
        abort();
}

static void must_come_back(const struct system_config *config)
{
    struct system_config again;
    char *text, *text_again;

    must(config_to_yaml(config, &text));
    config_defaults(&again);
    must(config_load_text(&again, config->name, text, strlen(text)));
    must(config_finish(&again));
    must(config_to_yaml(&again, &text_again));
    if (strcmp(text, text_again) != 0)
        abort();
    free(text);
    free(text_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config_import import;
    struct system_config config;
    struct fault fault = fault_none();
    size_t from = 0;

    config_import_begin(&import);
    do {
        const uint8_t *const zero = size > from ? memchr(data + from, 0, size - from) : NULL;
        size_t const to = zero ? (size_t)(zero - data) : size;

        fault = config_import_read(&import, "fuzz", (const char *)data + from, to - from);
        from = to + 1;
    } while (fault.kind == FAULT_NONE && from < size);

    if (fault.kind == FAULT_NONE && config_import_system(&import, "fuzz", &config).kind == FAULT_NONE) {
        char *notes;
        size_t count;

        must_come_back(&config);
        must(config_import_notes(&import, &notes, &count));
        free(notes);
        if (config_import_change(&import, &config).kind == FAULT_NONE && config_finish(&config).kind == FAULT_NONE)
            must_come_back(&config);
    }
    config_import_end(&import);
    return 0;
}
