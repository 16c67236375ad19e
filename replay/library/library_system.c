/* Systems of the public library, its version and its errors. */
#include "replay/library/handle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "replay/config/config.h"
#include "replay/config/device.h"
#include "replay/config/system_config.h"

#define MOST_TEXT ((size_t)1 << 20)

static const enum rubato_error_kind kinds[] = {
    [FAULT_NONE] = RUBATO_OK, [FAULT_INPUT] = RUBATO_BAD_INPUT, [FAULT_STALL] = RUBATO_STALLED,
    [FAULT_MEMORY] = RUBATO_NO_MEMORY
};

const char *rubato_version(void)
{
    return RUBATO_VERSION;
}

bool library_say(rubato_error *error, struct fault fault)
{
    bool const is_none = fault.kind == FAULT_NONE;

    _Static_assert(sizeof ((rubato_error *)0)->message >= FAULT_TEXT, "a fault fits");
    if (error) {
        error->kind = kinds[fault.kind];
        snprintf(error->message, sizeof error->message, "%s", fault_text(fault));
    }
    return is_none;
}

bool library_lacks(rubato_error *error, const char *function, const char *argument)
{
    return library_say(error, fault_make(FAULT_INPUT, "%s: %s is NULL or empty; give one", function, argument));
}

void library_visit_leaf(void *context, const struct stat_leaf *leaf)
{
    struct library_visitor const *const visitor = context;
    rubato_statistic const statistic = {
        .name = leaf->name, .unit = leaf->stat->unit ? leaf->stat->unit : "Count",
        .help = leaf->stat->help ? leaf->stat->help : "", .value = leaf->value
    };

    visitor->visit(visitor->context, &statistic);
}

/* ---- systems */
static struct rubato_system *library_system_make(rubato_error *error)
{
    struct rubato_system *const system = calloc(1, sizeof *system);

    if (system)
        system->read = config_new();
    if (!system || !system->read) {
        free(system);
        library_say(error, fault_make(FAULT_MEMORY, "out of memory for a system"));
        return NULL;
    }
    config_defaults(system->read);
    return system;
}

/* The system, or NULL if it has a fault. */
static struct rubato_system *library_system_made(struct rubato_system *system, struct fault fault, rubato_error *error)
{
    if (!library_say(error, fault)) {
        rubato_system_close(system);
        return NULL;
    }
    return system;
}

rubato_system *rubato_system_open(const char *name, rubato_error *error)
{
    struct rubato_system *system;

    if (!name || !*name)
        return library_lacks(error, __func__, "name"), NULL;
    system = library_system_make(error);
    return system ? library_system_made(system, config_load(system->read, name), error) : NULL;
}

rubato_system *rubato_system_parse(const char *name, const char *text, size_t bytes, rubato_error *error)
{
    struct rubato_system *system;

    if (!name || !text || bytes == 0)
        return library_lacks(error, __func__, !name ? "name" : "text"), NULL;
    if (bytes > MOST_TEXT)
        return library_say(error, fault_make(FAULT_INPUT, "%.200s: has %zu bytes; expected YAML of at most 1 MiB", name,
                                             bytes)), NULL;
    system = library_system_make(error);
    return system ? library_system_made(system, config_load_text(system->read, name, text, bytes), error) : NULL;
}

rubato_system *rubato_system_of_device(const char *device, rubato_error *error)
{
    struct rubato_system *system;
    char assignment[128];

    if (!device || !*device)
        return library_lacks(error, __func__, "device"), NULL;
    system = library_system_make(error);
    if (!system)
        return NULL;
    snprintf(assignment, sizeof assignment, "memory.device=%s", device);
    snprintf(system->read->name, sizeof system->read->name, "%s", device);
    return library_system_made(system, config_set_from(system->read, assignment, "device"), error);
}

const char *rubato_device_name(size_t index)
{
    return config_device_name(index);
}

static struct fault keep_setting(struct rubato_system *system, const char *assignment)
{
    char *const copy = strdup(assignment);

    if (!copy || (system->count == system->room
                  && !list_grow(&system->settings, system->count + 1, &system->room, sizeof *system->settings))) {
        free(copy);
        return fault_make(FAULT_MEMORY, "out of memory for the settings of a system");
    }
    system->settings[system->count++] = copy;
    return fault_none();
}

bool rubato_system_set(rubato_system *system, const char *assignment, rubato_error *error)
{
    struct system_config *config;
    struct fault fault;

    if (!system || !assignment)
        return library_lacks(error, __func__, system ? "assignment" : "system");
    config = config_new();
    fault = config ? keep_setting(system, assignment)
                   : fault_make(FAULT_MEMORY, "out of memory for the settings of a system");
    if (fault.kind == FAULT_NONE) {
        *config = *system->read;
        fault = config_set_all(config, (const char *const *)system->settings, system->count, NULL);
        if (fault.kind != FAULT_NONE)
            free(system->settings[--system->count]);
    }
    free(config);
    return library_say(error, fault);
}

struct fault library_config(const struct rubato_system *system, const char *first, struct system_config *config)
{
    *config = *system->read;
    if (first)
        FORWARD(config_set(config, first));
    FORWARD(config_set_all(config, (const char *const *)system->settings, system->count, "--set"));
    return config_finish(config);
}

bool rubato_system_get(const rubato_system *system, const char *key, char *text, size_t bytes, rubato_error *error)
{
    char value[CONFIG_BEHIND_TEXT];
    struct system_config *config;
    struct fault fault;

    if (!system || !key || !text || bytes == 0)
        return library_lacks(error, __func__, !system ? "system" : !key ? "key" : "text");
    config = config_new();
    fault = config ? library_config(system, NULL, config) : fault_make(FAULT_MEMORY, "out of memory");
    if (fault.kind == FAULT_NONE)
        fault = config_get(config, key, key, value, sizeof value);
    free(config);
    if (fault.kind == FAULT_NONE)
        snprintf(text, bytes, "%s", value);
    return library_say(error, fault);
}

void rubato_system_close(rubato_system *system)
{
    if (!system)
        return;
    for (size_t i = 0; i < system->count; i++)
        free(system->settings[i]);
    free(system->settings);
    free(system->read);
    free(system);
}
