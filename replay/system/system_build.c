/* Modelled: the systems that the reference's replay scripts build (classic-memory 15), and any tree of caches between
 * cores and memory (classic-memory 16.5), in the reference's names.
 *
 * Order of construction is order of behaviour: CPU-side ports of a crossbar are numbered in the order of `behind`, all
 * instances of the first cache named there before those of the second; it decides snoops and arbitration. */
#include "replay/system/system_core.h"
#include "replay/system/system_energy.h"
#include "replay/system/system_modules.h"
#include "replay/system/system_prefetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "replay/config/config_values.h"
#include "replay/config/system_config.h"
#include "replay/config/unloaded.h"
#include "replay/system/system_stats.h"

#define MOST_GPU_CHANNELS 256

static unsigned instance_count(const struct system *system, const struct cache_config *config)
{
    return config->is_private ? system->core_count : 1;
}

/* Index of the first instance of a configured cache. */
static unsigned first_instance(const struct system *system, unsigned config_index)
{
    unsigned first = 0;

    for (unsigned i = 0; i < config_index; i++)
        first += instance_count(system, &system->config->caches[i]);
    return first;
}

/* ---- cores and caches */

/* Base of the next memory at `end` or later; UINT64_MAX without one. */
static uint64_t next_base(const struct system_config *config, uint64_t end)
{
    uint64_t base = UINT64_MAX;

    for (unsigned i = 0; i < config->memory_count; i++)
        if (config->memories[i].base >= end)
            base = min_u64(base, config->memories[i].base);
    return base;
}

/* From the first byte of the first memory to the last of the last, and the holes between. */
static struct elastic_limits memory_limits(const struct system_config *config)
{
    struct elastic_limits limits = {.memory_base = UINT64_MAX};

    for (unsigned i = 0; i < config->memory_count; i++) {
        limits.memory_base = min_u64(limits.memory_base, config->memories[i].base);
        limits.memory_end = max_u64(limits.memory_end, config->memories[i].base + config->memories[i].size_bytes);
    }
    for (unsigned i = 0; i < config->memory_count; i++) {
        uint64_t const end = config->memories[i].base + config->memories[i].size_bytes;

        if (end == limits.memory_end || next_base(config, end) == end)
            continue;
        limits.holes[limits.hole_count].base = end;
        limits.holes[limits.hole_count++].end = next_base(config, end);
    }
    return limits;
}

/* Of a core and its private caches. */
static struct sim *sim_of(struct system *system, unsigned core)
{
    return system->hooks && system->hooks->core_sim ? system->hooks->core_sim(system, core) : &system->sim;
}

/* The space of a core whose addresses are physical: with others that share them, the first one's. */
static struct fault find_space(struct system *system, unsigned core, struct space **space)
{
    struct system_config const *const config = system->config;
    struct fault fault = fault_none();

    if (!system->vm)
        system->vm = spaces_make(config, &fault);
    if (core > 0 && config->cores[core].share)
        *space = system->cores[0].mmu->own;
    if (system->vm && !*space)
        *space = vm_memory_add_space(system->vm, system->cores[core].name, true, &fault);
    return fault;
}

/* virtual-memory 4 */
static struct fault add_mmu(struct system *system, struct system_core *core, unsigned number,
                            const struct vm_memory *memory)
{
    struct mmu_setup setup = {.sim = sim_of(system, number), .core = core->name,
                              .period_ps = system->config->cpu_clock_ps, .params = &system->config->tlb,
                              .memory = memory};

    if (!memory) {
        FORWARD(find_space(system, number, &setup.own));
        setup.memory = system->vm;
    }
    core->mmu = calloc(1, sizeof *core->mmu);
    if (!core->mmu)
        return fault_make(FAULT_MEMORY, "out of memory for the TLBs of %s", core->name);
    snprintf(core->walker_port, sizeof core->walker_port, "system.%s.mmu.walker.port", core->name);
    return mmu_init(core->mmu, &setup);
}

static struct fault add_cores(struct system *system, const struct system_traces *traces)
{
    struct system_config const *const config = system->config;

    for (unsigned i = 0; i < system->core_count; i++) {
        struct system_core *const core = &system->cores[i];
        struct elastic_cpu_setup setup = {
            .sim = sim_of(system, i), .name = core->name, .period_ps = config->cpu_clock_ps,
            .params = &config->cores[i].params, .line_bytes = (uint32_t)config->line_bytes,
            .tick_scale = traces[i].tick_scale, .address_offset = config->cores[i].offset_bytes,
            .records = traces[i].records, .fetches = traces[i].fetches, .limits = memory_limits(config)};

        if (system->hooks && system->hooks->limits)
            setup.limits = system->hooks->limits(config, i, &setup.limits);
        core->is_idle = traces[i].is_idle;
        core->takes_threads = !core->is_idle && traces[i].takes_threads;
        if (core->takes_threads && !traces[i].has_elastic_threads)   /* their ticks are picoseconds */
            setup.tick_scale = 1;
        if ((core->takes_threads && !traces[i].has_elastic_threads) || traces[i].memory)   /* pages have been placed */
            setup.address_offset = 0;
        if (core->is_idle || core->takes_threads)
            setup.records.window_records = 1;
        text_member_name(core->name, sizeof core->name, "cpu", i, system->core_count);
        core->system = system;
        FORWARD(core_make(core, &setup, config, &traces[i]));
        if (config->has_tlb)
            FORWARD(add_mmu(system, core, i, traces[i].memory));
    }
    return fault_none();
}

/* Private components of one of several cores have the core's name as a prefix, so that they sort together. */
static void name_of_core(char *text, size_t size, const struct system *system, const struct cache_config *config,
                         unsigned instance, const char *kind, const char *name)
{
    if (config->is_private && system->core_count > 1)
        snprintf(text, size, "%s.%.30s", system->cores[instance].name, kind);
    else
        snprintf(text, size, "%s", name);
}

static struct fault system_build_add_cache(struct system *system, const struct cache_config *config, unsigned instance,
                                           unsigned count, bool is_coherent)
{
    struct system_cache *const made = &system->caches[system->cache_count++];
    struct sim *const sim = config->is_private ? sim_of(system, instance) : &system->sim;

    made->config = config;
    made->kind = config->name;
    made->is_private = config->is_private;
    made->instance = instance;
    text_member_name(made->name, sizeof made->name, config->name, instance, count);
    name_of_core(made->our_name, sizeof made->our_name, system, config, instance, config->name, made->name);
    snprintf(made->port_names[0], sizeof made->port_names[0], "system.%s.mem_side_port", made->name);
    snprintf(made->port_names[1], sizeof made->port_names[1], "system.%s.cpu_side_port", made->name);
    FORWARD(is_coherent ? cache_init(&made->cache, sim, made->name, &config->params)
                          : cache_init_memory_side(&made->cache, sim, made->name, &config->params));
    made->cache.our_name = made->our_name;
    for (unsigned slot = 0; slot < PREFETCHERS_OF_CACHE; slot++)
        if (config->prefetchers[slot].type != PREFETCHER_NONE)
            FORWARD(slot == 0 ? cache_add_prefetcher(&made->cache, &config->prefetchers[slot])
                              : cache_add_further_prefetcher(&made->cache, &config->prefetchers[slot]));
    return fault_none();
}

static struct fault add_noc(struct system *system, struct sim *sim, const char *name,
                                 const struct noc_params *params, const struct noc_role *role,
                                 unsigned cpu_ports, unsigned memory_ports)
{
    struct system_bus *const made = &system->buses[system->bus_count++];

    snprintf(made->name, sizeof made->name, "%s", name);
    snprintf(made->our_name, sizeof made->our_name, "%s", name);
    FORWARD(noc_new(&made->noc, sim, made->name, params, role, cpu_ports, memory_ports));
    made->noc->our_name = made->our_name;
    return fault_none();
}

static void put_below(struct system_cache *cache, struct noc *noc, struct above above)
{
    unsigned const port = noc_connect_above(noc, above, cache->port_names[0]);

    cache->cache.below = noc_below(noc, port);
    cache->has_below = true;
}

static void put_above(struct system_cache *cache, struct noc *noc)
{
    unsigned const port =
        noc_connect_below(noc, cache_below_port(&cache->cache), cache->port_names[1], NULL);

    cache->cache.above = noc_above(noc, port);
}

static void feed_from_core(struct system_cache *cache, struct system_core *core)
{
    bool const is_fetch = cache->config->feed == FEED_FETCH;
    struct below below = cache_below_port(&cache->cache);

    cache->cache.above = core_port(core, is_fetch);
    if (core->mmu) {
        enum mmu_side_number const side = is_fetch ? MMU_INST : MMU_DATA;

        mmu_connect(core->mmu, side, cache->cache.above, below);
        cache->cache.above = mmu_above(core->mmu, side);
        below = mmu_below(core->mmu, side);
    }
    core_connect(core, is_fetch, &below);
}

/* ---- page walkers beside the L1Ds of their cores */

static bool has_walker_port(const struct system *system, const struct system_cache *l1d)
{
    return system->config->has_tlb && system->config->tlb.walker.at == WALKER_AT_L2 && l1d->config->feed == FEED_DATA;
}

/* On the crossbar that the core's L1D is on, behind all caches: their ports keep their numbers. */
static void put_walker(struct system *system, const struct system_cache *l1d, struct noc *noc)
{
    struct system_core *const core = &system->cores[l1d->instance];

    if (has_walker_port(system, l1d))
        mmu_connect_walker(core->mmu, noc_below(noc, noc_connect_above(
            noc, mmu_walker_above(core->mmu), core->walker_port)));
}

/* Instances of the caches that this one is behind, in port order. */
static unsigned caches_above(const struct system *system, const struct system_cache *cache, unsigned *above)
{
    struct cache_config const *const config = cache->config;
    unsigned count = 0;

    for (unsigned i = 0; i < config->behind_count; i++) {
        struct behind_ref const *const ref = &config->behind[i];
        struct cache_config const *const named = &system->config->caches[ref->cache];
        unsigned const first = first_instance(system, ref->cache);

        if (ref->instance >= 0)
            above[count++] = first + (unsigned)ref->instance;
        else if (config->is_private)
            above[count++] = first + cache->instance;
        else
            for (unsigned j = 0; j < instance_count(system, named); j++)
                above[count++] = first + j;
    }
    return count;
}

static struct fault add_bus_above(struct system *system, struct system_cache *cache)
{
    static const struct noc_role role = {.coherent = true, .snoop_filter = true, .lookup_latency_cyc = 0};
    unsigned above[CONFIG_MAX_CACHES * CONFIG_MAX_CORES];
    unsigned const count = caches_above(system, cache, above);
    struct noc *noc;
    unsigned walkers = 0;
    char stem[CONFIG_NAME_BYTES + 8], name[40];
    struct noc_params const params = config_bus_above(system->config, cache->config);

    for (unsigned i = 0; i < count; i++)
        walkers += has_walker_port(system, &system->caches[above[i]]);
    snprintf(stem, sizeof stem, "to%sbus", cache->config->name);
    text_member_name(name, sizeof name, stem, cache->instance, instance_count(system, cache->config));
    FORWARD(add_noc(system, cache->cache.sim, name, &params, &role,
                           count + walkers, 1));
    name_of_core(system->buses[system->bus_count - 1].our_name,
                 sizeof system->buses->our_name, system, cache->config, cache->instance, stem, name);
    noc = system->buses[system->bus_count - 1].noc;
    for (unsigned i = 0; i < count; i++)
        put_below(&system->caches[above[i]], noc, cache_above_port(&system->caches[above[i]].cache));
    for (unsigned i = 0; i < count; i++)
        put_walker(system, &system->caches[above[i]], noc);
    put_above(cache, noc);
    return fault_none();
}

static struct fault add_caches(struct system *system)
{
    struct system_config const *const config = system->config;

    for (unsigned i = 0; i < config->cache_count; i++) {
        unsigned const count = instance_count(system, &config->caches[i]);

        for (unsigned instance = 0; instance < count; instance++) {
            struct system_cache *cache;

            FORWARD(system_build_add_cache(system, &config->caches[i], instance, count, true));
            cache = &system->caches[system->cache_count - 1];
            if (config->caches[i].feed == FEED_CACHES)
                FORWARD(add_bus_above(system, cache));
            else
                feed_from_core(cache, &system->cores[instance]);
        }
    }
    return fault_none();
}

/* ---- memory bus, memory-side cache */

/* CPU-side port 0 of the memory bus is the reference's system port, which never sends anything. */
static bool refuse_response(void *self, struct packet *packet, unsigned port)
{
    (void)self;
    (void)port;
    (void)packet;
    assert(packet == NULL);              /* it asked for nothing */
    return true;
}

static void ignore_retry(void *self, unsigned port)
{
    (void)self;
    (void)port;
}

static void ignore_snoop(void *self, struct packet *packet, unsigned port)
{
    (void)self;
    (void)packet;
    (void)port;
}

/* The side above the memory bus for that cache. */
static struct above above_bus(struct system *system, struct system_cache *cache)
{
    return system->hooks && system->hooks->above_bus ? system->hooks->above_bus(system, cache)
                                                     : cache_above_port(&cache->cache);
}

static struct fault add_memory_bus(struct system *system, unsigned gpu_ports)
{
    static const struct above_ops system_port_ops = {refuse_response, ignore_retry, ignore_snoop, ignore_retry, NULL};
    static const struct noc_role role = {.coherent = true, .point_of_coherency = true, .snoop_filter = true,
                                              .lookup_latency_cyc = 1};
    struct noc *membus;
    unsigned count = 0, l1ds = 0;

    for (unsigned i = 0; i < system->cache_count; i++) {
        count += !system->caches[i].has_below;
        l1ds += !system->caches[i].has_below && has_walker_port(system, &system->caches[i]);
    }
    count += l1ds;
    count += gpu_ports;
    system->membus = system->bus_count;
    FORWARD(add_noc(system, &system->sim, "membus", &system->config->memory_bus, &role, count + 1,
                           system->config->has_memory_cache ? 1 : system->memory_count));
    membus = system->buses[system->membus].noc;
    noc_connect_above(membus, (struct above){.ops = &system_port_ops}, "system.system_port");
    for (unsigned i = 0; i < system->cache_count; i++)
        if (!system->caches[i].has_below)
            put_below(&system->caches[i], membus, above_bus(system, &system->caches[i]));
    for (unsigned i = 0; l1ds > 0 && i < system->cache_count; i++)
        if (system->caches[i].cache.below.self == membus)
            put_walker(system, &system->caches[i], membus);
    return fault_none();
}

/* Its channels are requesters of the memory bus, after all caches: ports of cores keep their numbers. */
static struct fault add_gpu(struct system *system, const struct system_gpu *gpu, void (*done)(void *system))
{
    static const struct below not_yet[MOST_GPU_CHANNELS];
    struct system_config const *const config = system->config;
    struct noc *const membus = system->buses[system->membus].noc;
    struct gpu_run_options options = gpu->options;

    options.done = done;
    options.context = system;
    FORWARD(gpu_run_create(&system->gpu, &system->sim, &config->gpu, &config->memories[0], not_yet, &gpu->source,
                             &options));
    system->gpu_running = true;
    system->gpu_port = membus->cpu_port_count;
    for (unsigned i = 0; i < config->gpu.l2.channels; i++) {
        unsigned const port = noc_connect_above(membus, gpu_memory_above(system->gpu->memory, i), "system.gpu");

        gpu_memory_connect(system->gpu->memory, i, noc_below(membus, port));
    }
    return fault_none();
}

/* The GPU's ways are counted from the last, the cores' from the first; both may be all. */
static void divide_memory_cache(const struct system *system, struct cache *cache)
{
    const struct gpu_params *const gpu = &system->config->gpu;
    uint32_t const ways = (uint32_t)system->config->memory_cache.params.assoc;
    uint32_t const theirs = gpu->llc_ways ? (uint32_t)gpu->llc_ways : ways;
    uint32_t const others = gpu->cpu_llc_ways ? (uint32_t)gpu->cpu_llc_ways : ways;

    if (theirs < ways || others < ways)
        cache_divide_ways(cache, &(struct cache_division){
            .requestor = gpu_memory_above(system->gpu->memory, 0).requestor,
            .theirs = {ways - theirs, theirs}, .others = {0, others}});
}

/* classic-memory 4.14, 5.7 */
static struct fault add_memory_cache(struct system *system)
{
    static const struct noc_role role = {.coherent = false};
    struct system_cache *cache;

    FORWARD(system_build_add_cache(system, &system->config->memory_cache, 0, 1, false));
    cache = &system->caches[system->cache_count - 1];
    if (system->gpu)
        divide_memory_cache(system, &cache->cache);
    put_above(cache, system->buses[system->membus].noc);
    FORWARD(add_noc(system, &system->sim, "memcache_bus", &system->config->memory_bus, &role, 1,
                           system->memory_count));
    put_below(cache, system->buses[system->bus_count - 1].noc, cache_above_port(&cache->cache));
    return fault_none();
}

/* ---- memories, below the crossbar made last */

static unsigned channel_count(const struct memory_params *params)
{
    return params->type == MEMORY_SIMPLE ? 1 : (unsigned)params->channels;
}

/* Memories of the same kind of name are numbered through. */
static unsigned count_named_alike(const struct system_config *config, bool simple)
{
    unsigned count = 0;

    for (unsigned i = 0; i < config->memory_count; i++)
        if ((config->memories[i].type == MEMORY_SIMPLE) == simple)
            count += channel_count(&config->memories[i]);
    return count;
}

static struct fault system_build_add_memory(struct system *system, const struct memory_params *params, unsigned channel,
                                            unsigned number)
{
    struct noc *const bus = system->buses[system->bus_count - 1].noc;
    struct system_memory *const memory = &system->memories[system->memory_count++];
    bool const is_simple = params->type == MEMORY_SIMPLE, is_command = params->type == MEMORY_COMMAND;
    bool const is_only_one = system->config->memory_count == 1 && channel_count(params) == 1;
    struct address_range const *range;
    struct above *above;
    struct below below;
    unsigned port;

    memory->is_simple = is_simple;
    memory->is_command = is_command;
    memory->params = params;
    text_member_name(memory->name, sizeof memory->name, is_simple ? "memory" : "mem_ctrls", number,
                     count_named_alike(system->config, is_simple));
    snprintf(memory->port_name, sizeof memory->port_name, "system.%s.port", memory->name);
    if (is_simple) {
        FORWARD(simple_memory_init(&memory->simple, &system->sim, memory->name, params));
        below = simple_memory_port(&memory->simple);
        above = &memory->simple.above;
        range = &memory->simple.range;
    } else if (is_command) {
        FORWARD(cmd_ctrl_init(&memory->command, &system->sim, memory->name, params,
                              &system->command_devices[params - system->config->memories].config, channel,
                              (unsigned)(memory - system->memories)));
        below = cmd_ctrl_port(&memory->command);
        above = &memory->command.above;
        range = &memory->command.range;
    } else {
        FORWARD(mem_ctrl_init(&memory->controller, &system->sim, memory->name, params, channel,
                                params->type == MEMORY_HBM_PSEUDO));
        below = mem_ctrl_port(&memory->controller);
        above = &memory->controller.above;
        range = &memory->controller.range;
    }
    if (params->link == MEMORY_LINK_CXL) {
        struct cxl_link_params const link = memory_link(params);

        FORWARD(cxl_link_init(&memory->link, &system->sim, memory->name, &link));
        memory->has_link = true;
        memory->link.below = below;
        *above = cxl_link_above(&memory->link);
        below = cxl_link_port(&memory->link);
        above = &memory->link.above;
    }
    port = noc_connect_below(bus, below, memory->port_name, is_only_one ? NULL : range);
    *above = noc_above(bus, port);
    return fault_none();
}

static struct fault system_build_add_memories(struct system *system)
{
    struct system_config const *const config = system->config;
    unsigned numbers[2] = {0, 0};

    system->memory_count = 0;
    for (unsigned i = 0; i < config->memory_count; i++)
        for (unsigned channel = 0; channel < channel_count(&config->memories[i]); channel++)
            FORWARD(system_build_add_memory(system, &config->memories[i], channel,
                                              numbers[config->memories[i].type == MEMORY_SIMPLE]++));
    return fault_none();
}

/* ---- statistics */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "l1d3.prefetcher", "system.l1d3.mem_side_port" */
bool system_our_part(const struct system *system, const char *name, char *text, size_t size)
{
    static const char root[] = "system.";
    size_t const before = strncmp(name, root, sizeof root - 1) == 0 ? sizeof root - 1 : 0;
    size_t const length = strcspn(name + before, ".");

    for (unsigned i = 0; i < system->cache_count && name[before + length] == '.'; i++) {
        struct system_cache const *const cache = &system->caches[i];

        if (strncmp(cache->name, name + before, length) != 0 || cache->name[length] != '\0')
            continue;
        snprintf(text, size, "%.*s%s%s", (int)before, name, cache->our_name, name + before + length);
        return strcmp(cache->our_name, cache->name) != 0;
    }
    return false;
}

static bool call_part(const void *system, const char *name, char *text, size_t size)
{
    return system_our_part(system, name, text, size);
}

static void call(struct system *system, const char *name, const char *our_name)
{
    char component[64], called[64];

    snprintf(component, sizeof component, "system.%s", name);
    snprintf(called, sizeof called, "system.%s", our_name);
    stats_call(&system->stats, component, called);
}

static void add_stats_of(struct system *system, const char *name)
{
    for (unsigned i = 0; i < system->core_count; i++)
        if (name == system->cores[i].name)
            core_add_stats(&system->cores[i], &system->stats);
    for (unsigned i = 0; i < system->cache_count; i++)
        if (name == system->caches[i].name) {
            call(system, name, system->caches[i].our_name);
            cache_add_stats(&system->caches[i].cache, &system->stats);
            system_energy_add_cache(system, i, &system->stats);
        }
    for (unsigned i = 0; i < system->bus_count; i++)
        if (name == system->buses[i].name) {
            call(system, name, system->buses[i].our_name);
            system->buses[i].noc->ops->add_stats(system->buses[i].noc, &system->stats);
        }
    stats_call(&system->stats, "", "");
    for (unsigned i = 0; i < system->memory_count; i++) {
        if (name != system->memories[i].name)
            continue;
        if (system->memories[i].is_simple)
            simple_memory_add_stats(&system->memories[i].simple, &system->stats);
        else if (system->memories[i].is_command)
            cmd_ctrl_add_stats(&system->memories[i].command, &system->stats);
        else
            mem_ctrl_add_stats(&system->memories[i].controller, &system->stats);
        if (system->memories[i].has_link)
            cxl_link_add_stats(&system->memories[i].link, &system->stats);
    }
}

/* Constants that the reference prints for the objects around the components. */
static void add_constants(const struct system_config *config, struct stats *stats)
{
    stats_group(stats, "system");
    stats_add_constant(stats, "clk_domain.clock", (double)config->system_clock_ps, "Tick", "system clock period");
    stats_add_constant(stats, "cpu_clk_domain.clock", (double)config->cpu_clock_ps, "Tick", "core clock period");
    stats_add_constant(stats, "cpu_clk_domain.voltage_domain.voltage", 1, "Volt", "not modelled");
    stats_add_constant(stats, "voltage_domain.voltage", 1, "Volt", "not modelled");
    stats_add_constant(stats, "workload.inst.arm", 0, "Count", "nothing is executed in a replay");
    stats_add_constant(stats, "workload.inst.quiesce", 0, "Count", "nothing is executed in a replay");
}

/* In the reference's order: components by name. */
struct fault system_add_stats(struct system *system)
{
    size_t const capacity = system->core_count + system->cache_count + system->bus_count + system->memory_count;
    const char **const names = malloc(capacity * sizeof *names);
    struct fault fault;
    size_t count = 0;

    if (!names)
        return fault_make(FAULT_MEMORY, "out of memory for the statistics of %zu components", capacity);
    stats_init(&system->stats);
    stats_call_parts(&system->stats, call_part, system);
    sim_add_stats(&system->sim, &system->stats);
    if (system->core_count > 0 && config_is_detailed(system->config))
        detailed_stats_add_totals(system, &system->stats);
    fault = system_energy_add(system, &system->stats);
    add_constants(system->config, &system->stats);
    for (unsigned i = 0; i < system->core_count; i++)
        names[count++] = system->cores[i].name;
    for (unsigned i = 0; i < system->cache_count; i++)
        names[count++] = system->caches[i].name;
    for (unsigned i = 0; i < system->bus_count; i++)
        names[count++] = system->buses[i].name;
    for (unsigned i = 0; i < system->memory_count; i++)
        names[count++] = system->memories[i].name;
    qsort(names, count, sizeof *names, by_name);
    for (size_t i = 0; i < count; i++)
        add_stats_of(system, names[i]);
    free(names);
    FORWARD(fault);
    FORWARD(total_stats_add(system, &system->stats));
    if (system->gpu)
        gpu_run_add_stats(&system->gpu_stats, system->gpu, &system->stats);
    return stats_freeze(&system->stats);
}

static struct fault system_build_allocate(struct system *system)
{
    struct system_config const *const config = system->config;
    unsigned const caches = first_instance(system, config->cache_count) + config->has_memory_cache;
    unsigned memories = 0;

    for (unsigned i = 0; i < config->memory_count; i++)
        memories += channel_count(&config->memories[i]);
    system->cores = calloc(system->core_count + 1, sizeof *system->cores);       /* + 1: the count may be 0 */
    system->caches = calloc(caches + 1, sizeof *system->caches);
    system->buses = calloc(caches + 2, sizeof *system->buses);
    system->memories = calloc(memories, sizeof *system->memories);
    if (!system->cores || !system->caches || !system->buses || !system->memories)
        return fault_make(FAULT_MEMORY, "out of memory for a system of %u caches and %u memory channels", caches,
                          memories);
    system->memory_count = memories;
    return fault_none();
}

/* Before the engine is prepared, which may choose another for them. */
static struct fault make_devices(struct system *system)
{
    struct system_config const *const config = system->config;

    for (unsigned i = 0; i < config->memory_count; i++)
        if (config->memories[i].type == MEMORY_COMMAND)
            FORWARD(command_device_make(&system->command_devices[i], &config->memories[i], "memory"));
    return fault_none();
}

/* Two for each core, one for its page walker, one for all evictions, one for each prefetcher. */
static struct fault check_requestors(const struct system *system)
{
    struct system_config const *const config = system->config;
    unsigned count = 1 + (config->has_tlb ? 3 : 2) * system->core_count;

    for (unsigned i = 0; i < config->cache_count; i++)
        if (config->caches[i].prefetchers[0].type != PREFETCHER_NONE)
            count += instance_count(system, &config->caches[i]);
    count += config->has_memory_cache && config->memory_cache.prefetchers[0].type != PREFETCHER_NONE;
    if (count <= MAX_REQUESTORS)
        return fault_none();
    return fault_make(FAULT_INPUT, "system %s: %u cores and prefetchers together; %d are possible, so leave out the "
                      "prefetcher of a private cache", config->name, count, MAX_REQUESTORS);
}

struct fault system_build(struct system *system, const struct system_traces *traces, const struct system_gpu *gpu,
                          void (*gpu_done)(void *system))
{
    sim_init(&system->sim, (uint32_t)system->config->line_bytes);
    system->limits = memory_limits(system->config);
    system->core_count = system->config->core_count;
    FORWARD(check_requestors(system));
    FORWARD(system_build_allocate(system));
    FORWARD(make_devices(system));
    if (system->engine.prepare)
        FORWARD(system->engine.prepare(system, traces));
    FORWARD(add_cores(system, traces));
    FORWARD(add_caches(system));
    FORWARD(add_memory_bus(system, gpu ? (unsigned)system->config->gpu.l2.channels : 0));
    if (gpu)
        FORWARD(add_gpu(system, gpu, gpu_done));
    if (system->config->has_memory_cache)
        FORWARD(add_memory_cache(system));
    FORWARD(system_build_add_memories(system));
    FORWARD(system_modules_join(system));
    for (unsigned i = 0; i < system->cache_count; i++) {
        struct system_cache *const cache = &system->caches[i];

        cache->limits = &system->limits;
        cache->mmu_side = cache->config->feed == FEED_FETCH ? MMU_INST : MMU_DATA;
        system_translate_prefetches(cache, system->config->has_tlb ? system->cores[cache->instance].mmu : NULL);
        FORWARD(cache_start(&cache->cache));
    }
    if (system->engine.bind)
        FORWARD(system->engine.bind(system));
    if (system->hooks && system->hooks->joined)
        system->hooks->joined(system);
    return fault_none();
}
