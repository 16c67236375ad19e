/* Which cores are separate (separate_cores.h). */
#include "replay/fast/separate_cores.h"

/* Does it never matter to others when it does something? */
static bool is_private(const struct cache_config *cache)
{
    return cache->is_private && cache->prefetcher.type == PREFETCHER_NONE
        && !replacement_uses_chance(cache->params.replacement);
}

/* No two cores' addresses begin at the same. */
static bool have_own_offsets(const struct system_config *config)
{
    for (unsigned i = 0; i < config->core_count; i++)
        for (unsigned j = 0; j < i; j++)
            if (config->cores[i].offset_bytes == config->cores[j].offset_bytes)
                return false;
    return true;
}

static const char *obstacle_in_caches(const struct system_config *config)
{
    if (config->cache_count > SEPARATE_CORES_MAX_CACHES)
        return "the cores have too many caches";
    if (config->has_memory_cache)
        return "the cores share a memory-side cache";
    for (unsigned i = 0; i < config->cache_count; i++)
        if (!is_private(&config->caches[i]))
            return "a cache is shared, has a prefetcher, or replaces lines by chance";
    return NULL;
}

const char *separate_cores_obstacle(const struct system_config *config, const struct system_traces *traces)
{
    if (config->core_count < 2)
        return "there is one core";
    if (config_has_gpu(config))
        return "there is a GPU";
    if (config->exit_first_core)
        return "the run ends with the first core";
    if (!have_own_offsets(config))
        return "the cores share addresses";
    for (unsigned i = 0; i < config->core_count; i++)
        if (traces[i].is_idle || traces[i].takes_threads)
            return "cores are idle, or take threads";
        else if (traces[i].memory)
            return "pages of all cores lie all over memory";
    return obstacle_in_caches(config);
}

/* What begins at the core's offset and ends where the next core's begins. */
struct elastic_limits separate_cores_limits(const struct system_config *config, unsigned core,
                                            const struct elastic_limits *memory)
{
    uint64_t const base = config->cores[core].offset_bytes;
    struct elastic_limits limits = {.memory_base = max_u64(memory->memory_base, base),
                                    .memory_end = memory->memory_end};

    for (unsigned i = 0; i < config->core_count; i++)
        if (config->cores[i].offset_bytes > base)
            limits.memory_end = min_u64(limits.memory_end, config->cores[i].offset_bytes);
    for (unsigned i = 0; i < memory->hole_count; i++)
        if (memory->holes[i].end > limits.memory_base && memory->holes[i].base < limits.memory_end)
            limits.holes[limits.hole_count++] = memory->holes[i];
    return limits;
}
