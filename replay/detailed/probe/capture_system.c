#include "replay/detailed/probe/capture_system.h"

#include <stdlib.h>
#include <string.h>

#include "replay/config/config.h"
#include "replay/config/system_config.h"

static void take_cores(struct system_config *capture, const struct system_config *system)
{
    capture->line_bytes = system->line_bytes;
    capture->cpu_clock_ps = system->cpu_clock_ps;
    capture->exit_first_core = system->exit_first_core;
    capture->core = system->core;
    capture->cpu_model = CPU_MODEL_DETAILED;
    capture->detailed = system->detailed;
    capture->branch = system->branch;
    capture->share = system->share;
    capture->offset_step_bytes = system->offset_step_bytes;
    capture->core_count = system->core_count;
    memcpy(capture->cores, system->cores, sizeof capture->cores);
}

/* Physical addresses are the same, so pages must have the same room. */
static void take_places(struct system_config *capture, const struct system_config *system)
{
    capture->pages = system->pages;
    memcpy(capture->pages_map, system->pages_map, sizeof capture->pages_map);
    capture->memory_count = system->memory_count;
    for (unsigned i = 0; i < system->memory_count; i++) {
        capture->memories[i] = capture->memories[0];
        capture->memories[i].base = system->memories[i].base;
        capture->memories[i].size_bytes = system->memories[i].size_bytes;
    }
}

struct fault capture_system_make(struct system_config *capture, const struct system_config *system,
                                 const char *const *settings, size_t count)
{
    if (system->core_count == 0)
        return fault_make(FAULT_INPUT, "system %s has no cores; elastic traces are captured on a core, so give a "
                          "system that has one", system->name);
    config_defaults(capture);
    FORWARD(config_load(capture, "near-ideal"));
    take_cores(capture, system);
    take_places(capture, system);
    FORWARD(config_set_all(capture, settings, count, "--set"));
    return config_finish(capture);
}

struct fault capture_system_read(struct system_config *capture, const char *system, const char *const *settings,
                                 size_t count)
{
    struct system_config *const config = config_new();
    struct fault fault = config ? config_read(config, system, NULL, 0) : fault_make(FAULT_MEMORY, "out of memory");

    if (fault.kind == FAULT_NONE)
        fault = capture_system_make(capture, config, settings, count);
    free(config);
    return fault;
}
