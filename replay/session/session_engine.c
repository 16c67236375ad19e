/* Which fast paths a system gets (session_engine.h). Those that need its whole shape are chosen before it is made. */
#include "replay/session/session_engine.h"

#include <stdio.h>

#include "memsys/command/fast/cmd_fast.h"
#include "memsys/fast/bind_memory.h"
#include "replay/config/config_values.h"
#include "replay/config/system_config.h"
#include "replay/fast/fast_core.h"
#include "replay/fast/idle.h"
#include "replay/fast/lookahead.h"
#include "replay/fast/memo.h"
#include "replay/warm/fast/run_walk.h"

/* Why a run that could use a fast path does not; NULL: it may. */
static const char *reason_of_run(const struct system_engine *engine)
{
    static const char log[] = "the event log shows each event, in the order of one queue";
    static const char looks[] = "the run is looked at, or stopped, before its end";

    return engine->is_logged ? log : engine->is_interrupted ? looks : NULL;
}

/* With a TLB a core's neighbours are not its L1s; and a walk of one core may begin in any tick. */
static const char *reason_of_tlb(const struct system *system)
{
    return config_has_tlb(system->config) ? "a TLB stands between core and caches" : NULL;
}

/* Fast paths of cores exist for the elastic model only; those below the L1s serve both models. */
static const char *reason_of_model(const struct system *system)
{
    return config_is_detailed(system->config) ? "the cores are detailed" : NULL;
}

/* A core can only run ahead of the others if the times of the bus's calls are bounded. */
static const char *reason_of_buses(const struct system_config *config)
{
    bool const is_bounded = noc_tells_response_bounds(config->cache_bus.kind)
                            && noc_tells_response_bounds(config->memory_bus.kind);

    return is_bounded ? NULL : "the interconnect does not bound its responses";
}

static const char *first_of(const char *obstacle, const char *reason)
{
    return obstacle ? obstacle : reason;
}

/* The model comes first: traces of other cores than elastic ones have no names that could be compared. */
static const char *reason_of_order(const struct system *system, const struct system_traces *traces,
                                   const char *(*obstacle)(const struct system_config *config,
                                                           const struct system_traces *traces))
{
    const char *const model = reason_of_model(system);

    return model ? model : first_of(obstacle(system->config, traces),
                                    first_of(first_of(reason_of_buses(system->config), reason_of_tlb(system)),
                                             reason_of_run(&system->engine)));
}

static struct fault session_engine_prepare(struct system *system, const struct system_traces *traces)
{
    struct engine_options const *const options = &system->engine.options;
    struct engine_reasons *const unused = &system->engine.unused;

    for (unsigned i = 0; i < system->config->memory_count; i++)
        engine_bind_commands(&system->command_devices[i].config, options);
    if (options->domains)
        unused->domains = reason_of_order(system, traces, domains_obstacle);
    if (options->lookahead)
        unused->lookahead = reason_of_order(system, traces, lookahead_obstacle);
    if (options->domains && !unused->domains) {
        if (options->lookahead)
            unused->lookahead = "domains are simulated one after the other";
        return domains_create(system);
    }
    return options->lookahead && !unused->lookahead ? lookahead_create(system) : fault_none();
}

/* ---- fast paths of cores */

/* The core's L1 that is fed by `feed`. */
static struct cache *find_l1(struct system *system, unsigned core, enum cache_feed feed)
{
    for (unsigned i = 0; i < system->cache_count; i++)
        if (system->caches[i].config->feed == feed && system->caches[i].instance == core)
            return &system->caches[i].cache;
    return NULL;
}

/* Why no core can be looked at as if it were alone; NULL: one can. */
static const char *reason_against_memo(const struct system *system)
{
    if (!system->engine.options.hits)
        return "it needs the fast path hits";
    if (!system_has_own_ticks(system) && (system->core_count > 1 || config_has_gpu(system->config)))
        return "others drive the memory system, too";
    return system->engine.is_logged ? reason_of_run(&system->engine) : NULL;
}

static const char *reason_of_l1(const struct cache *l1i, const struct cache *l1d)
{
    return accesses_are_possible(l1i) && accesses_are_possible(l1d)
        ? NULL : "an L1 has a prefetcher, or another replacement than lru";
}

static struct fault bind_core(struct system *system, unsigned core)
{
    struct engine_options const *const options = &system->engine.options;
    struct engine_reasons *const unused = &system->engine.unused;
    struct elastic_cpu *const cpu = &system->cores[core].cpu;
    struct cache *const l1i = find_l1(system, core, FEED_FETCH), *const l1d = find_l1(system, core, FEED_DATA);
    const char *const obstacle = first_of(first_of(reason_of_model(system), reason_of_tlb(system)),
                                          reason_of_l1(l1i, l1d));

    if (system->cores[core].detailed) {
        if (options->hits)
            unused->hits = obstacle;
        if (options->memo)
            unused->memo = obstacle;
        return options->idle ? idle_bind(system->cores[core].detailed) : fault_none();
    }
    if (options->idle)
        unused->idle = "the cores are elastic";
    if (options->hits) {
        unused->hits = obstacle;
        FORWARD(fast_core_bind(cpu));
        if (!config_has_tlb(system->config)) {
            accesses_bind_fetches(cpu, l1i);
            accesses_bind_data(cpu, l1d);
        }
    }
    if (!options->memo)
        return fault_none();
    unused->memo = obstacle ? obstacle : reason_against_memo(system);
    return unused->memo ? fault_none() : elastic_memo_bind(cpu);
}

/* ---- fast paths of caches, buses and memories */

static struct fault bind_memory(struct system *system)
{
    const struct engine_options *const options = &system->engine.options;

    for (unsigned i = 0; i < system->memory_count; i++)
        if (!system->memories[i].is_simple && !system->memories[i].is_command) {
            struct mem_ctrl *const controller = &system->memories[i].controller;

            responses_bind_fast(&controller->above, &controller->responses, options);
            FORWARD(dram_bind_fast(controller, options));
        }
    for (unsigned i = 0; i < system->memory_count; i++)
        if (system->memories[i].is_command)
            responses_bind_fast(&system->memories[i].command.above, &system->memories[i].command.responses, options);
    for (unsigned i = 0; i < system->bus_count; i++)
        FORWARD(noc_bind_fast(system->buses[i].noc, options));
    for (unsigned i = 0; i < system->cache_count; i++)
        cache_bind_fast(&system->caches[i].cache, options);
    return fault_none();
}

/* Caches are bound after the cores' tables are set, and before cores use the caches' fast paths. */
static struct fault bind(struct system *system)
{
    for (unsigned i = 0; i < system->core_count; i++)
        FORWARD(bind_core(system, i));
    FORWARD(bind_memory(system));
    system->engine.walk = engine_walk(&system->engine.options);
    if (system->gpu)
        FORWARD(engine_bind_gpu(system->gpu, &system->engine.options));
    for (unsigned i = 0; i < system->core_count && !config_has_tlb(system->config) && !system->cores[i].detailed; i++) {
        system->cores[i].cpu.icache.fast = cache_below_fast(system->cores[i].cpu.icache.self);
        system->cores[i].cpu.dcache.fast = cache_below_fast(system->cores[i].cpu.dcache.self);
    }
    return fault_none();
}

const struct warm_walk_way *engine_walk(const struct engine_options *options)
{
    return options->walk ? &run_walk : NULL;
}

void engine_bind_commands(struct cmd_config *config, const struct engine_options *options)
{
    if (options->dram)
        config->engine = &cmd_fast_engine;
}

struct fault engine_bind_controller(struct mem_ctrl *controller, const struct engine_options *options)
{
    return dram_bind_fast(controller, options);
}

struct fault engine_bind_gpu(struct gpu_run *gpu, const struct engine_options *options)
{
    struct mem_ctrl *controller;

    if (options->hints)
        gpu_memory_bind(gpu->memory, &gpu_hints);
    for (unsigned i = 0; (controller = gpu_memory_controller(gpu->memory, i)) != NULL; i++)
        FORWARD(dram_bind_fast(controller, options));
    return fault_none();
}

struct system_engine engine_of(struct engine_options options, bool is_logged, bool is_interrupted)
{
    return (struct system_engine){.options = options, .is_logged = is_logged, .is_interrupted = is_interrupted,
                                  .prepare = session_engine_prepare, .bind = bind};
}

struct engine_options engine_watched(struct engine_options options)
{
    return (struct engine_options){.dram = options.dram, .hints = options.hints, .idle = options.idle};
}

bool engine_note(const struct system_engine *engine, char text[ENGINE_NOTE_BYTES])
{
    const char *const reason = reason_of_run(engine);
    size_t used = 0;

#define NOTE_UNUSED(name, help)                                                                                       \
    if (reason && engine->unused.name == reason)                                                                      \
        used += (size_t)snprintf(text + used, ENGINE_NOTE_BYTES - used, "%s" #name, used ? ", " : "without ");
    ENGINE_FAST_PATHS(NOTE_UNUSED)
#undef NOTE_UNUSED
    if (used)
        snprintf(text + used, ENGINE_NOTE_BYTES - used, ": %s", reason);
    return used > 0;
}
