/* Fuzz target: any bytes as a system file, and as --set assignments. Neither may crash; what is accepted must be shown
 * as YAML that is accepted again and gives the same text. Input: YAML, after the first zero byte one assignment. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "replay/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_come_back(const struct system_config *config)
{
    struct system_config again;
    char *text, *text_again;

    if (config_to_yaml(config, &text).kind != FAULT_NONE)
        abort();
    config_defaults(&again);
    if (config_load_text(&again, config->name, text, strlen(text)).kind != FAULT_NONE)
        abort();
    if (config_finish(&again).kind != FAULT_NONE)
        abort();
    if (config_to_yaml(&again, &text_again).kind != FAULT_NONE || strcmp(text, text_again) != 0)
        abort();
    free(text);
    free(text_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t const length = zero ? (size_t)(zero - data) : size;
    struct system_config config;

    config_defaults(&config);
    if (length && config_load_text(&config, "fuzz", (const char *)data, length).kind != FAULT_NONE)
        return 0;
    if (zero) {
        char assignment[256] = "";

        memcpy(assignment, zero + 1, size - length - 1 < 255 ? size - length - 1 : 255);
        if (config_set(&config, assignment).kind != FAULT_NONE)
            return 0;
    }
    if (config_finish(&config).kind == FAULT_NONE)
        must_come_back(&config);
    return 0;
}
