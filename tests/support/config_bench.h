/* Systems for tests of replay/config/config.h, from YAML in the test or from configs/.
 *
 * Use: load returns the fault for inspection; loaded, finished and shipped assert success. Texts are read as a file
 * t.yaml. */
#ifndef TESTS_SUPPORT_CONFIG_BENCH_H
#define TESTS_SUPPORT_CONFIG_BENCH_H

#include "replay/config/config.h"
#include "replay/config/sections.h"
#include "replay/config/system_config.h"
#include "tests/support/unit.h"

/* A fault of the user's, in one line, with this text. */
static inline void assert_refused(struct fault fault, const char *text)
{
    if (fault.kind != FAULT_INPUT)
        fail_msg("accepted, expected: %s", text);
    assert_string_equal(fault_text(fault), text);
    assert_null(strchr(fault_text(fault), '\n'));
}

static inline struct fault load(struct system_config *config, const char *yaml)
{
    config_defaults(config);
    return config_load_text(config, "t.yaml", yaml, strlen(yaml));
}

static inline struct fault load_and_finish(struct system_config *config, const char *yaml)
{
    FORWARD(load(config, yaml));
    return config_finish(config);
}

static inline struct system_config loaded(const char *yaml)
{
    struct system_config config;

    assert_fine(load(&config, yaml));
    return config;
}

static inline struct system_config finished(const char *yaml)
{
    struct system_config config;

    assert_fine(load_and_finish(&config, yaml));
    return config;
}

static inline struct system_config shipped(const char *name)
{
    struct system_config config;

    config_defaults(&config);
    assert_fine(config_load(&config, name));
    assert_fine(config_finish(&config));
    return config;
}

/* The printed form of a system is read back as the same system. */
static inline void assert_comes_back(const struct system_config *config)
{
    struct system_config again;
    char *text;

    assert_fine(config_to_yaml(config, &text));
    config_defaults(&again);
    assert_fine(config_load_text(&again, config->name, text, strlen(text)));
    assert_fine(config_finish(&again));
    free(text);
    assert_memory_equal(config, &again, sizeof again);
}

#endif
