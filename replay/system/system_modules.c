/* Requestors are told apart by their names: "cpu3.data", "cpu3.mmu.walker", "l1d3.prefetcher". The bandwidth in use is
 * that of the memory bus, measured over the time since it was last asked for, of at least 1024 cycles of the cores. */
#include "replay/system/system_modules.h"

#include <stdlib.h>
#include <string.h>

#include "memsys/cache/cache_module.h"
#include "replay/config/config_values.h"
#include "replay/config/unloaded.h"
#include "replay/detailed/detailed_cpu.h"
#include "replay/system/system_core.h"
#include "replay/system/system_prefetch.h"

enum { BANDWIDTH_CYCLES = 1024 };

struct system_modules {
    struct module_world world;
    double peak_bytes_per_s;
    uint64_t asked_ps, asked_bytes;
    uint32_t bandwidth;
};

/* ---- what modules may ask */

static uint64_t system_modules_retired(void *self, unsigned core)
{
    const struct system *const system = self;

    return core_work(&system->cores[core]);
}

static uint64_t bus_bytes(const struct noc *membus)
{
    uint64_t bytes = 0;

    for (unsigned port = 0; port < membus->cpu_port_count; port++)
        for (unsigned below = 0; below < membus->memory_port_count; below++)
            bytes += noc_traffic(membus, port, below)->bytes;
    return bytes;
}

static uint32_t system_modules_bandwidth(void *self)
{
    const struct system *const system = self;
    struct system_modules *const modules = system->modules;
    uint64_t const now_ps = system_now_ps(system);
    uint64_t bytes;

    if (now_ps - modules->asked_ps < BANDWIDTH_CYCLES * config_cpu_clock_ps(system->config))
        return modules->bandwidth;
    bytes = bus_bytes(system->buses[system->membus].noc);
    if (bytes < modules->asked_bytes)        /* statistics began anew */
        modules->asked_bytes = 0;
    modules->bandwidth = (uint32_t)(1e15 * (double)(bytes - modules->asked_bytes)
                                    / ((double)(now_ps - modules->asked_ps) * modules->peak_bytes_per_s));
    modules->asked_ps = now_ps;
    modules->asked_bytes = bytes;
    return modules->bandwidth;
}

static bool system_modules_is_memory(void *self, uint64_t address)
{
    const struct system *const system = self;

    return system_prefetch_is_memory(&system->limits, address);
}

static uint64_t system_modules_virtual(void *self, uint64_t physical)
{
    uint64_t const address = mmu_virtual_of(self, physical);

    return address == VM_NOWHERE ? PREFETCH_NOWHERE : address;
}

/* ---- requestors */

static bool ends_in(const char *name, const char *ending)
{
    size_t const length = strlen(name), own = strlen(ending);

    return length >= own && strcmp(name + length - own, ending) == 0;
}

static bool begins_with_part(const char *name, const char *part)
{
    size_t const length = strlen(part);

    return strncmp(name, part, length) == 0 && name[length] == '.';
}

static uint16_t core_of_requestor(const struct system *system, const char *name)
{
    for (unsigned i = 0; i < system->core_count; i++)
        if (begins_with_part(name, system->cores[i].name))
            return (uint16_t)i;
    for (unsigned i = 0; i < system->cache_count; i++)
        if (system->caches[i].is_private && begins_with_part(name, system->caches[i].name))
            return (uint16_t)system->caches[i].instance;
    return UINT16_MAX;
}

static void find_requestors(struct system *system)
{
    struct module_world *const world = &system->modules->world;

    for (unsigned i = 0; i < MAX_REQUESTORS; i++) {
        const char *const name = i < system->sim.requestor_count ? system->sim.requestor_names[i] : "";

        world->requestor_cores[i] = core_of_requestor(system, name);
        world->requestor_kinds[i] = ends_in(name, ".prefetcher") ? MODULE_REQUESTOR_PREFETCHER
            : ends_in(name, ".walker") ? MODULE_REQUESTOR_WALKER : MODULE_REQUESTOR_CORE;
    }
}

/* ---- joining */

static bool has_modules(const struct system *system)
{
    bool has = false;

    for (unsigned i = 0; i < system->cache_count; i++)
        has = has || system->caches[i].cache.module;
    return has;
}

/* The cache that takes this one's misses, over the crossbar between them; NULL: the memory bus. */
static struct system_cache *cache_below(struct system *system, const struct system_cache *cache)
{
    for (unsigned i = 0; i < system->cache_count; i++)
        if (system->caches[i].cache.above.self == cache->cache.below.self)
            return &system->caches[i];
    return NULL;
}

/* Lets prefetches of one cache go down to each cache below it. */
static struct fault pass_prefetches_of(struct system *system, struct system_cache *cache)
{
    for (struct system_cache *below = cache_below(system, cache); below; below = cache_below(system, cache)) {
        FORWARD(cache_pass_prefetches(&cache->cache, &below->cache));
        cache = below;
    }
    return fault_none();
}

static struct fault pass_prefetches(struct system *system)
{
    for (unsigned i = 0; i < system->cache_count; i++)
        if (cache_module_fills_below(&system->caches[i].cache))
            FORWARD(pass_prefetches_of(system, &system->caches[i]));
    return fault_none();
}

static void watch_branch(void *self, const struct rubato_branch *branch)
{
    cache_module_branch(self, branch);
}

static void join_cache(struct system *system, struct system_cache *cache)
{
    bool const is_own = cache->is_private || system->core_count == 1;
    struct system_core *const core = is_own ? &system->cores[cache->instance] : NULL;
    struct module_joint const joint = {
        .world = &system->modules->world, .kind = cache->kind, .core = is_own ? cache->instance : RUBATO_NO_CORE,
        .virtual_of = core && core->mmu ? system_modules_virtual : NULL, .self = core ? core->mmu : NULL};

    cache_module_join(&cache->cache, &joint);
    if (core && core->detailed && cache->cache.module && strcmp(cache->kind, "l1i") == 0)
        detailed_cpu_watch_branches(core->detailed, watch_branch, &cache->cache);
}

struct fault system_modules_join(struct system *system)
{
    struct module_world *world;

    if (!has_modules(system))
        return fault_none();
    system->modules = calloc(1, sizeof *system->modules);
    if (!system->modules)
        return fault_make(FAULT_MEMORY, "out of memory for the modules of a system");
    FORWARD(pass_prefetches(system));
    world = &system->modules->world;
    world->self = system;
    world->retired = system_modules_retired;
    world->memory_bandwidth = system_modules_bandwidth;
    world->is_memory = system_modules_is_memory;
    world->core_count = system->core_count;
    world->is_warm = true;
    find_requestors(system);
    for (unsigned i = 0; i < config_memory_count(system->config); i++)
        system->modules->peak_bytes_per_s += peak_memory_bandwidth(config_memory(system->config, i));
    for (unsigned i = 0; i < system->cache_count; i++)
        join_cache(system, &system->caches[i]);
    return fault_none();
}

void system_modules_warm_up(struct system *system)
{
    if (system->modules)
        system->modules->world.is_warm = false;
}

void system_modules_are_warm(struct system *system)
{
    if (system->modules)
        system->modules->world.is_warm = true;
}

void system_modules_end(struct system *system)
{
    for (unsigned i = 0; i < system->cache_count; i++)
        cache_module_end(&system->caches[i].cache);
    for (unsigned i = 0; i < system->core_count; i++)
        if (system->cores[i].detailed)
            detailed_cpu_end_modules(system->cores[i].detailed);
}

void system_modules_free(struct system *system)
{
    free(system->modules);
    system->modules = NULL;
}
