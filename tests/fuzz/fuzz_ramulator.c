/* Fuzz target: any bytes as a configuration of Ramulator 2. They may be refused, with a reason, but not crash; a
 * system that they give must be shown as YAML that gives the same text again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/config/config.h"
#include "replay/config/ramulator.h"
#include "replay/config/system_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(struct fault fault)
{
    if (fault.kind == FAULT_NONE)
        return;
    fprintf(stderr, "%s\n", fault_text(fault));
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
    const char *const text = (const char *)data;
    struct system_config config;
    struct fault fault;
    char *notes = NULL;
    size_t count;

    if (!ramulator_is(text, size))
        return 0;
    fault = ramulator_import(&config, "fuzz", text, size, &notes, &count);
    if (fault.kind == FAULT_NONE)
        must_come_back(&config);
    else if (*fault_text(fault) == '\0')
        abort();
    free(notes);
    return 0;
}
