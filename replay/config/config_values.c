/* Single values of a configuration. */
#include "replay/config/config_values.h"

#include "replay/config/system_config.h"

const char *config_name(const struct system_config *config) { return config->name; }

unsigned config_core_count(const struct system_config *config) { return config->core_count; }

uint64_t config_line_bytes(const struct system_config *config) { return config->line_bytes; }

uint64_t config_cpu_clock_ps(const struct system_config *config) { return config->cpu_clock_ps; }

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
