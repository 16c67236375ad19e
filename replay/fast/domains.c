/* Domains (lookahead.h).
 *
 * All domains use the system's one event queue, in turns: its events and its tick are saved with the domain (struct
 * event_agenda). A domain's turn ends at the end of a window of time, so that a run can be stopped with all of them
 * at one tick, or when its core is done. Later events of its memories wait until the end of the run is known:
 * the tick in which the last core is done. All domains come to it, the one that has the event that ends the run as
 * the last. */
#include "replay/fast/lookahead.h"

#include <stdlib.h>

#include "memsys/dram/memory_params.h"
#include "memsys/fast/event_agenda.h"
#include "replay/config/config_values.h"

#define WINDOW_PS UINT64_C(100000000)    /* some milliseconds of the host's time a domain */

struct domains {
    unsigned count, current;         /* of cores */
    uint64_t window_end_ps;          /* turns end before it */
    struct event_agenda agendas[];   /* of domains that have no turn */
};

/* ---- which memory is whose */

static bool can_reach(const struct elastic_limits *limits, const struct memory_params *memory)
{
    return memory->base < limits->memory_end && memory->base + memory->size_bytes > limits->memory_base;
}

/* The core that alone can reach a memory; the first one if none can; the core count if several can. */
static unsigned domains_owner_of(const struct system_config *config, const struct memory_params *memory)
{
    struct elastic_limits const all = {.memory_end = UINT64_MAX};
    unsigned owner = 0, count = 0;

    for (unsigned i = 0; i < config_core_count(config); i++) {
        struct elastic_limits const limits = separate_cores_limits(config, i, &all);

        if (can_reach(&limits, memory)) {
            owner = i;
            count++;
        }
    }
    return count < 2 ? owner : config_core_count(config);
}

const char *domains_obstacle(const struct system_config *config, const struct system_traces *traces)
{
    const char *const obstacle = separate_cores_obstacle(config, traces);

    if (obstacle)
        return obstacle;
    for (unsigned i = 0; i < config_memory_count(config); i++)
        if (domains_owner_of(config, config_memory(config, i)) == config_core_count(config))
            return "cores share a memory";
    return NULL;
}

/* ---- life */

static void free_all(struct system *system)
{
    struct domains *const domains = system->hooked;

    for (unsigned i = 0; domains && i < domains->count; i++)
        event_agenda_free(&domains->agendas[i]);
    free(domains);
    system->hooked = NULL;
}

/* ---- the run */

/* The domain has its turn. */
static void go_to(struct system *system, unsigned domain)
{
    struct domains *const domains = system->hooked;

    event_queue_exchange(&system->sim.events, &domains->agendas[domains->current]);
    domains->current = domain;
    event_queue_exchange(&system->sim.events, &domains->agendas[domain]);
}

/* Cores first, then memories, as without domains. */
static struct fault domains_start(struct system *system)
{
    struct domains *const domains = system->hooked;

    for (unsigned i = 0; i < domains->count; i++)
        FORWARD(event_agenda_init(&domains->agendas[i], &system->sim.events));
    for (unsigned i = 0; i < domains->count; i++) {
        go_to(system, i);
        FORWARD(elastic_cpu_start(&system->cores[i].cpu));
        for (unsigned j = 0; j < system->memory_count; j++)
            if (domains_owner_of(system->config, system->memories[j].params) == i)
                system_start_memory(&system->memories[j]);
    }
    go_to(system, 0);
    return fault_none();
}

static bool domains_is_current(const struct system *system, unsigned core)
{
    const struct domains *const domains = system->hooked;

    return domains->current == core;
}

/* The next domain in circular order whose core is not done; the current one if no other is left. */
static unsigned next_domain(const struct system *system)
{
    const struct domains *const domains = system->hooked;
    unsigned next = domains->current;

    do
        next = (next + 1) % domains->count;
    while (next != domains->current && elastic_cpu_is_done(&system->cores[next].cpu));
    return next;
}

/* Continues the current domain's turn, or begins that of the next one. True: all turns are over. */
static bool domains_go_on(struct system *system, uint64_t *max_events)
{
    struct domains *const domains = system->hooked;
    struct event_queue *const events = &system->sim.events;
    uint64_t const before = event_queue_executed(events);
    unsigned const now = domains->current;

    event_queue_run(events, domains->window_end_ps - 1, *max_events);
    *max_events -= event_queue_executed(events) - before;
    if (events->stopped || system->exit_event.scheduled
        || (!elastic_cpu_is_done(&system->cores[now].cpu) && event_queue_next_ps(events) < domains->window_end_ps))
        return false;
    go_to(system, next_domain(system));
    return domains->current <= now;
}

/* All domains but the current one come to that tick, events in it included. */
static void catch_up(struct system *system, uint64_t until_ps)
{
    struct domains *const domains = system->hooked;
    unsigned const now = domains->current;

    for (unsigned i = 0; i < domains->count; i++)
        if (i != now) {
            go_to(system, i);
            event_queue_run(&system->sim.events, until_ps, UINT64_MAX);
        }
    go_to(system, now);
}

/* When the last core is done, its domain has the event that ends the run. */
static void domains_run(struct system *system, uint64_t max_events)
{
    struct domains *const domains = system->hooked;
    struct event_queue *const events = &system->sim.events;

    while (max_events > 0 && !events->stopped && !system->exit_event.scheduled)
        if (domains_go_on(system, &max_events))
            domains->window_end_ps += WINDOW_PS;
    if (!events->stopped && system->exit_event.scheduled) {
        catch_up(system, system->exit_event.when_ps);
        event_queue_run(events, system->exit_event.when_ps, UINT64_MAX);
    }
}

static void come_to_rest(struct system *system)
{
    struct domains *const domains = system->hooked;
    struct event_queue *const events = &system->sim.events;
    uint64_t max_events = UINT64_MAX;
    bool is_over = false;

    while (!is_over && !events->stopped && !system->exit_event.scheduled)
        is_over = domains_go_on(system, &max_events);
    if (!is_over) {
        domains_run(system, max_events);
        return;
    }
    catch_up(system, domains->window_end_ps - 1);
    events->now_ps = domains->window_end_ps - 1;
}

struct fault domains_create(struct system *system)
{
    static const struct system_hooks hooks = {
        .has_own_ticks = true,
        .limits = separate_cores_limits, .start = domains_start, .run = domains_run, .come_to_rest = come_to_rest,
        .is_current = domains_is_current, .free = free_all};
    unsigned const count = system->core_count;
    struct domains *const domains = calloc(1, sizeof *domains + count * sizeof *domains->agendas);

    system->hooks = &hooks;
    system->hooked = domains;
    if (!domains)
        return fault_make(FAULT_MEMORY, "out of memory for a system of %u cores", count);
    domains->count = count;
    domains->window_end_ps = WINDOW_PS;
    return fault_none();
}
