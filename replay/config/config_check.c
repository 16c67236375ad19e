/* config_finish: resolves open values, then checks every limit and the geometry.
 *
 * Order: missing device values, cores, limits of the tables, clocks, line, the GPU (in check_gpu.c), the tree of
 * caches, caches, memories (in check_memory.c), addresses of the cores. A later check may rely on the earlier
 * ones (no division by 0, no overflow). Parts that a system does not have are not checked. Each fault names the keys
 * and a value that would do. */
#include <string.h>

#include "memsys/policy/replacement.h"
#include "replay/config/config_internal.h"
#include "replay/config/system_config.h"
#include "replay/config/units.h"

struct config_shown config_bytes(uint64_t value)
{
    struct config_shown shown;

    units_format(UNIT_BYTES, value, 0, shown.text, sizeof shown.text);
    return shown;
}

struct config_shown config_ps(uint64_t value)
{
    struct config_shown shown;

    units_format(UNIT_TIME, value, 0, shown.text, sizeof shown.text);
    return shown;
}

struct fault config_faulty(const struct system_config *config, struct fault fault)
{
    return fault_within(fault, "system %s: ", config_quote(config->name).text);
}

/* ---- limits */
static struct fault check_limit(const struct system_config *config, const struct config_section *section,
                                const struct param_info *info)
{
    uint64_t const value = config_value(config, section, info);
    double const ratio = config_ratio(config, section, info);
    bool const is_within = info->unit == UNIT_RATIO
        ? ratio >= CONFIG_RATIO_LOWEST && ratio <= CONFIG_RATIO_HIGHEST
        : config_is_open(section, info, value) || (value >= info->lowest && value <= info->highest);
    char key[CONFIG_KEY_TEXT];

    if (is_within)
        return fault_none();
    config_key_text(section, info->key, key, sizeof key);
    if (info->unit == UNIT_RATIO)
        return CONFIG_FAULTY(config, "%s is out of range; give %g to %.0f", key, CONFIG_RATIO_LOWEST,
                             CONFIG_RATIO_HIGHEST);
    return CONFIG_FAULTY(config, "%s is %llu, which is out of range; give %llu to %llu", key, llu(value),
                         llu(info->lowest), llu(info->highest));
}

static struct fault check_count(const struct system_config *config, const char *key, unsigned count, unsigned lowest,
                                unsigned highest)
{
    if (count >= lowest && count <= highest)
        return fault_none();
    return CONFIG_FAULTY(config, "%s: %u of them; give %u to %u", key, count, lowest, highest);
}

static struct fault check_counts(const struct system_config *config)
{
    FORWARD(check_count(config, "cores", config->core_count, config_has_gpu(config) ? 0 : 1, CONFIG_MAX_CORES));
    FORWARD(check_count(config, "caches", config->cache_count, CONFIG_FIRST_BEHIND, CONFIG_MAX_CACHES));
    return check_count(config, "memories", config->memory_count, 1, CONFIG_MAX_MEMORIES);
}

static struct fault check_limits(const struct system_config *config)
{
    struct config_section list[CONFIG_MAX_SECTIONS];
    unsigned const count = config_sections(config, list);

    for (unsigned s = 0; s < count; s++)
        for (size_t i = 0; list[s].is_present && i < list[s].table->count; i++)
            FORWARD(check_limit(config, &list[s], &list[s].table->rows[i]));
    return fault_none();
}

/* ---- caches */
/* The set of an L1 is found before the address is translated, so that its number is in bits of the address; other
 * caches have any number of sets (docs/systems.md). */
static struct fault check_cache(const struct system_config *config, const char *name, const struct cache_params *cache,
                                bool is_l1)
{
    uint64_t const way_set = config->line_bytes * cache->assoc;
    uint64_t const sets = cache->size_bytes / way_set;

    struct fault const policy = replacement_check(name, cache->replacement, cache->assoc);

    if (policy.kind != FAULT_NONE)
        return config_faulty(config, policy);
    uint64_t const above = is_l1 ? way_set * config_power_of_two_from(sets + (sets * way_set < cache->size_bytes))
                                 : (sets + 1) * way_set;
    uint64_t const below = is_l1 ? above / 2 : sets * way_set;

    if (sets > 0 && sets * way_set == cache->size_bytes && (!is_l1 || is_power_of_two(sets)))
        return fault_none();
    if (sets == 0)
        return CONFIG_FAULTY(config, "%s.size: %s does not hold one set of %llu ways with lines of %s; give %s, or "
                             "fewer ways", name, config_bytes(cache->size_bytes).text, llu(cache->assoc),
                             config_bytes(config->line_bytes).text, config_bytes(way_set).text);
    return CONFIG_FAULTY(config, "%s.size: %s in %llu ways with lines of %s makes no %s of sets; give %s or %s, or "
                         "change %s.assoc", name, config_bytes(cache->size_bytes).text, llu(cache->assoc),
                         config_bytes(config->line_bytes).text, is_l1 ? "power of two" : "whole number",
                         config_bytes(below).text, config_bytes(above).text, name);
}

static struct fault check_has_no_bus(const struct system_config *config, const char *name,
                                     const struct cache_params *cache)
{
    if (cache->bus_clock_ps == CLOCK_INHERITED)
        return fault_none();
    return CONFIG_FAULTY(config, "%s.bus_clock: there is no crossbar of caches above this one; leave the key out",
                         name);
}

static struct fault check_caches(const struct system_config *config)
{
    for (unsigned i = 0; i < config->cache_count; i++) {
        FORWARD(check_cache(config, config->caches[i].name, &config->caches[i].params, i < CONFIG_FIRST_BEHIND));
        if (i < CONFIG_FIRST_BEHIND)
            FORWARD(check_has_no_bus(config, config->caches[i].name, &config->caches[i].params));
    }
    FORWARD(check_has_no_bus(config, "memory_cache", &config->memory_cache.params));
    if (config->has_memory_cache)
        FORWARD(check_cache(config, "memory_cache", &config->memory_cache.params, false));
    return fault_none();
}

/* ---- addresses of the cores */
static uint64_t end_of_memory(const struct system_config *config)
{
    uint64_t end = 0;

    for (unsigned i = 0; i < config->memory_count; i++)
        end = max_u64(end, config->memories[i].base + config->memories[i].size_bytes);
    return end;
}

/* An offset that would do for a core if all were spread evenly over the memory. */
static uint64_t even_offset(const struct system_config *config, unsigned core)
{
    return end_of_memory(config) / config_power_of_two_from(config->core_count) / config->line_bytes *
           config->line_bytes * core;
}

static struct fault check_place(const struct system_config *config, unsigned core)
{
    const struct core_config *made = &config->cores[core];

    if (made->offset_bytes % config->line_bytes != 0)
        return CONFIG_FAULTY(config, "cores.%u.offset: %s is no multiple of %s, a line; give %s", core,
                             config_bytes(made->offset_bytes).text, config_bytes(config->line_bytes).text,
                             config_bytes(max_u64(made->offset_bytes / config->line_bytes, 1) *
                                          config->line_bytes).text);
    if (made->offset_bytes >= end_of_memory(config))
        return CONFIG_FAULTY(config, "cores.%u.offset: %s is past the end of the memory, %s; give for example %s, or "
                             "more memory", core, config_bytes(made->offset_bytes).text,
                             config_bytes(end_of_memory(config)).text, config_bytes(even_offset(config, core)).text);
    if (core > 0 && !made->has_offset && !made->share)
        return CONFIG_FAULTY(config, "cores.%u: addresses of different traces overlap; give offset: %s to move this "
                             "core's aside, or share: yes to keep the overlap (cpu.offset_step or cpu.share say so "
                             "for all cores)", core, config_bytes(even_offset(config, core)).text);
    for (unsigned i = 0; i < core && !made->share; i++) {
        if (config->cores[i].offset_bytes == made->offset_bytes)
            return CONFIG_FAULTY(config, "cores.%u.offset: %s, as core %u has; give another, such as %s, or share: "
                                 "yes too if they are to overlap", core, config_bytes(made->offset_bytes).text, i,
                                 config_bytes(even_offset(config, core)).text);
    }
    return fault_none();
}

static struct fault check_places(const struct system_config *config)
{
    for (unsigned i = 0; i < config->core_count; i++)
        FORWARD(check_place(config, i));
    return fault_none();
}

/* ---- open values */
static void inherit_clock(uint64_t *clock_ps, uint64_t from_ps)
{
    if (*clock_ps == CLOCK_INHERITED)
        *clock_ps = from_ps;
}

static void resolve_clocks(struct system_config *config)
{
    for (unsigned i = 0; i < config->cache_count; i++)
        inherit_clock(&config->caches[i].params.clock_ps, config->cpu_clock_ps);
    inherit_clock(&config->memory_cache.params.clock_ps, config->cpu_clock_ps);
    inherit_clock(&config->cache_bus.clock_ps, config->cpu_clock_ps);
    inherit_clock(&config->memory_bus.clock_ps, config->system_clock_ps);
}

/* A core's parameters that were not given are all zero bits, and are those of cpu: then. */
static void resolve_params(const struct system_config *config, struct core_config *core)
{
    const struct param_table *table = config_core_section(0).table;
    static const uint64_t unset;

    for (size_t i = 0; i < table->count; i++) {
        size_t const offset = table->rows[i].offset;

        if (memcmp((char *)&core->params + offset, &unset, sizeof unset) == 0)
            memcpy((char *)&core->params + offset, (const char *)&config->core + offset, sizeof unset);
    }
}

static void resolve_cores(struct system_config *config)
{
    for (unsigned i = 0; i < config->core_count; i++) {
        struct core_config *core = &config->cores[i];

        resolve_params(config, core);
        if (i == 0 || core->has_offset || core->share)
            continue;
        if (config->offset_step_bytes) {
            core->has_offset = true;
            core->offset_bytes = i * config->offset_step_bytes;
        } else {
            core->share = config->share;
        }
    }
}

/* Gaps between prefetchers close, and without a prefetcher its other values have no effect: sets them to the defaults,
 * so that equal systems are equal. */
static void forget_prefetchers(struct system_config *config)
{
    for (unsigned i = 0; i < config->cache_count + 1; i++) {
        struct cache_config *cache = i == config->cache_count ? &config->memory_cache : &config->caches[i];

        unsigned used = 0;

        for (unsigned slot = 0; slot < PREFETCHERS_OF_CACHE; slot++)
            if (cache->prefetchers[slot].type != PREFETCHER_NONE)
                cache->prefetchers[used++] = cache->prefetchers[slot];
        while (used < PREFETCHERS_OF_CACHE)
            config_prefetcher_defaults(&cache->prefetchers[used++]);
    }
}

/* With TLBs: only of a cache of one core it is known whose addresses it sees. */
static struct fault check_prefetchers(const struct system_config *config)
{
    for (unsigned i = 0; i < config->cache_count + config->has_memory_cache; i++) {
        const struct cache_config *const cache = i == config->cache_count ? &config->memory_cache : &config->caches[i];
        bool const is_of_one_core = (cache->is_private || config->core_count == 1) && i < config->cache_count;
        bool const may_cross = !config->has_tlb || is_of_one_core;

        for (unsigned slot = 0; slot < PREFETCHERS_OF_CACHE; slot++)
            if (cache->prefetchers[slot].cross_pages && !may_cross)
                return CONFIG_FAULTY(config, "%s.%s.cross_pages: a cache of several cores cannot tell whose pages it "
                                     "sees; leave it out here, or give %s.private", cache->name,
                                     config_prefetcher_key(slot), cache->name);
    }
    return fault_none();
}

struct fault config_read(struct system_config *config, const char *system, const char *const *settings, size_t count)
{
    config_defaults(config);
    FORWARD(config_load(config, system));
    FORWARD(config_set_all(config, settings, count, "--set"));
    return config_finish(config);
}

struct fault config_finish(struct system_config *config)
{
    FORWARD(check_counts(config));
    for (unsigned i = 0; i < config->memory_count; i++)
        FORWARD(config_check_missing(config, i));
    resolve_cores(config);
    FORWARD(check_limits(config));
    resolve_clocks(config);
    forget_prefetchers(config);
    if (!is_power_of_two(config->line_bytes))
        return CONFIG_FAULTY(config, "line: %s is not a power of two; give 64B", config_bytes(config->line_bytes).text);
    FORWARD(config_finish_gpu(config));
    if (config->core_count == 0)
        config_virtual_defaults(config);
    if (config_gpu_owns_memory(config))
        return config_finish_memories(config);
    FORWARD(config_finish_tree(config));
    FORWARD(config_finish_modules(config));
    FORWARD(check_caches(config));
    FORWARD(check_prefetchers(config));
    FORWARD(config_check_virtual(config));
    FORWARD(config_check_detailed(config));
    FORWARD(config_finish_memories(config));
    return check_places(config);
}
