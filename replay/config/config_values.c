/* Single values of a configuration, and one as text, by its key. */
#include "replay/config/config_values.h"

#include <stdio.h>
#include <string.h>

#include "replay/config/config_internal.h"
#include "replay/config/system_config.h"
#include "replay/config/units.h"

const char *config_name(const struct system_config *config) { return config->name; }

unsigned config_core_count(const struct system_config *config) { return config->core_count; }

uint64_t config_line_bytes(const struct system_config *config) { return config->line_bytes; }

uint64_t config_cpu_clock_ps(const struct system_config *config) { return config->cpu_clock_ps; }

enum technology config_technology(const struct system_config *config) { return (enum technology)config->technology; }

bool config_exits_with_first_core(const struct system_config *config) { return config->exit_first_core != 0; }

const struct core_params *config_core_params(const struct system_config *config, unsigned core)
{
    return &config->cores[core].params;
}

uint64_t config_core_offset_bytes(const struct system_config *config, unsigned core)
{
    return config->cores[core].offset_bytes;
}

bool config_core_shares(const struct system_config *config, unsigned core) { return config->cores[core].share; }

const struct detailed_params *config_detailed(const struct system_config *config) { return &config->detailed; }

const struct branch_params *config_branch(const struct system_config *config) { return &config->branch; }

const struct pages_params *config_pages(const struct system_config *config) { return &config->pages; }

const char *config_pages_map(const struct system_config *config) { return config->pages_map; }

const struct gpu_params *config_gpu(const struct system_config *config) { return &config->gpu; }

uint64_t config_gpu_clock_ps(const struct system_config *config) { return config->gpu.core_clock_ps; }

uint64_t config_standards_digest(const struct system_config *config)
{
    uint64_t digest = 0;

    for (unsigned i = 0; i < config->memory_count; i++)
        if (config->memories[i].type == MEMORY_COMMAND)
            digest = 31 * digest + config->memories[i].command_device.figures.standard_digest;
    return digest;
}

unsigned config_memory_count(const struct system_config *config) { return config->memory_count; }

const struct memory_params *config_memory(const struct system_config *config, unsigned index)
{
    return &config->memories[index];
}

struct config_range config_memory_range(const struct system_config *config, unsigned index)
{
    const struct memory_params *const memory = &config->memories[index];

    return (struct config_range){memory->base, memory->base + memory->size_bytes};
}

bool config_has_gpu(const struct system_config *config) { return config->gpu.sms != 0; }

bool config_walks_are_nested(const struct system_config *config)
{
    return config->has_tlb && config->tlb.walker.nested;
}

bool config_cache_sizes_of(const struct system_config *config, const char *name, struct config_cache_sizes *sizes)
{
    unsigned i = 0;

    while (i < config->cache_count && strcmp(config->caches[i].name, name) != 0)
        i++;
    if (i == config->cache_count)
        return false;

    const struct cache_params *const params = &config->caches[i].params;

    *sizes = (struct config_cache_sizes){
        .sets = params->size_bytes / config->line_bytes / params->assoc, .ways = params->assoc, .mshrs = params->mshrs,
        .write_buffers = params->write_buffers, .prefetch_queue = config->caches[i].prefetchers[0].queue_size,
        .hit_cycles = params->sequential_access ? params->tag_latency_cyc + params->data_latency_cyc
                                                : max_u64(params->tag_latency_cyc, params->data_latency_cyc)};
    return true;
}

bool config_has_tlb(const struct system_config *config) { return config->has_tlb; }

bool config_is_detailed(const struct system_config *config)
{
    return config->cpu_model == CPU_MODEL_DETAILED || config->cpu_model == CPU_MODEL_WINDOW;
}

bool config_is_window(const struct system_config *config) { return config->cpu_model == CPU_MODEL_WINDOW; }

bool config_captures_itself(const struct system_config *config) { return config->capture_core == CAPTURE_SYSTEM; }

bool config_has_commands(const struct system_config *config, unsigned memory)
{
    return config->memories[memory].type == MEMORY_COMMAND;
}

bool config_gpu_owns_memory(const struct system_config *config)
{
    return config_has_gpu(config) && config->core_count == 0 && config->gpu.memory_place != GPU_MEMORY_SHARED;
}

/* ---- by key */
static void extra_text(const struct system_config *config, const struct config_section *section, const char *key,
                       char *text, size_t size)
{
    struct core_config const *const core = section->kind == CONFIG_CORE ? &config->cores[section->index] : NULL;

    text[0] = '\0';
    if (section->kind == CONFIG_PAGES)
        snprintf(text, size, "%s", *config->pages_map ? config->pages_map : "none");
    else if (strcmp(key, "cores") == 0)
        snprintf(text, size, "%u", config->core_count);
    else if (strcmp(key, "device") == 0)
        snprintf(text, size, "%s", config->memories[section->index].device);
    else if (strcmp(key, "standard") == 0)
        snprintf(text, size, "%s", config->memories[section->index].command_device.standard);
    else if (strcmp(key, "organization") == 0)
        snprintf(text, size, "%s", config_preset_text(config->memories[section->index].command_device.organization));
    else if (strcmp(key, "timing") == 0)
        snprintf(text, size, "%s", config_preset_text(config->memories[section->index].command_device.timing));
    else if (strcmp(key, "mitigation") == 0)
        config_mitigations_text(&config->memories[section->index], text);
    else if (strcmp(key, "share") == 0)
        snprintf(text, size, "%s", (core ? core->share : config->share) ? "yes" : "no");
    else if (strcmp(key, "offset_step") == 0)
        units_format(UNIT_BYTES, config->offset_step_bytes, 0, text, size);
    else if (strcmp(key, "offset") == 0)
        units_format(UNIT_BYTES, core->offset_bytes, 0, text, size);
    else if (strcmp(key, "private") == 0)
        snprintf(text, size, "%s", config_cache_const(config, section->index)->is_private ? "yes" : "no");
    else if (strcmp(key, "behind") == 0)
        snprintf(text, size, "%s", config_cache_const(config, section->index)->behind_text);
}

/* Of a section itself. False: it has no value of its own. */
static bool section_text(const struct system_config *config, const struct config_section *section, char *text,
                         size_t size)
{
    bool const has_value = section->kind == CONFIG_CACHE || section->kind == CONFIG_PREFETCHER ||
                           section->kind == CONFIG_GPU || section->kind == CONFIG_TLB;

    if (section->kind == CONFIG_PREFETCHER && section->is_present)
        config_value_text(config, section, config_param_find(section, "type"), text, size);
    else if (has_value)
        snprintf(text, size, "%s", section->is_present && (section->kind != CONFIG_GPU || config_has_gpu(config))
                                       ? "there" : "none");
    return has_value;
}

struct fault config_get(const struct system_config *config, const char *key, const char *where, char *text,
                        size_t size)
{
    struct config_section section, inner;
    char copy[CONFIG_KEY_TEXT], *name;
    if (strlen(key) >= sizeof copy)
        return fault_make(FAULT_INPUT, "%s: %s: is not a key; `rubato config keys` lists all", where,
                          config_quote(key).text);
    strcpy(copy, key);
    FORWARD(config_key_find(config, copy, where, &section, &name));
    if (config_subsection(config, &section, name, &inner)) {
        if (section_text(config, &inner, text, size))
            return fault_none();
        return fault_make(FAULT_INPUT, "%s: %s: is a section; name one of its keys, such as %s.%s", where, inner.path,
                          inner.path, config_example_key(&inner));
    }

    struct param_info const *const info = config_param_find(&section, name);
    struct config_extra const *const extra = config_extra_find(&section, name);

    if (section.kind == CONFIG_OVERRIDES) {
        const struct command_override *const override = config_override_find(&config->memories[section.index], name);

        snprintf(text, size, "auto");
        if (override)
            units_format(UNIT_COUNT, override->value, 0, text, size);
        return fault_none();
    }
    if (section.kind == CONFIG_CURRENTS && strcmp(name, "datasheet") == 0) {
        snprintf(text, size, "%s", config->memories[section.index].datasheet);
        return fault_none();
    }
    if (!info && !extra)
        return config_module_value(config, &section, name, text, size)
            ? fault_none() : config_unknown_key(config, &section, name, where);
    if ((section.kind == CONFIG_CACHE || section.kind == CONFIG_PREFETCHER || config_is_of_tlb(&section))
        && !section.is_present)
        snprintf(text, size, "none");
    else if (info)
        config_value_text(config, &section, info, text, size);
    else
        extra_text(config, &section, name, text, size);
    return fault_none();
}

struct noc_params config_bus_above(const struct system_config *config, const struct cache_config *cache)
{
    struct noc_params bus = config->cache_bus;

    if (cache->params.bus_clock_ps != CLOCK_INHERITED)
        bus.clock_ps = cache->params.bus_clock_ps;
    return bus;
}
