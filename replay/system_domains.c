/* Domains (system_domains.h).
 *
 * All domains use the system's one event queue, in turns: what stands in it, and the tick it has come to, are put aside
 * with the domain (struct event_agenda). A domain's turn ends when its core is done. What its memories do after that is
 * left until the end of the run is known: the tick in which the last core is done. All domains come to it, the last one
 * to the event that ends the run.
 *
 * Of what domains share, nothing tells one of them of another: the bus's snoop filter is a table of lines, and no line
 * belongs to two of them; packets come from one pool; counters add up. Addresses that a core must not have are faults
 * (system_parts_limits), whereupon the run begins anew without domains. */
#include "replay/system_domains.h"

#include <stdlib.h>

#include "replay/system_parts.h"

struct system_domains {
    unsigned count, current;         /* of cores */
    bool is_ending;                  /* all cores are done */
    struct event_agenda agendas[];   /* of domains that have no turn */
};

/* ---- which memory is whose */

static bool can_reach(const struct elastic_limits *limits, const struct memory_params *memory)
{
    return memory->base < limits->memory_end && memory->base + memory->size_bytes > limits->memory_base;
}

/* The core that alone can reach a memory; the first one if none can; the core count if several can. */
static unsigned owner_of(const struct system_config *config, const struct memory_params *memory)
{
    struct elastic_limits const all = {.memory_end = UINT64_MAX};
    unsigned owner = 0, count = 0;

    for (unsigned i = 0; i < config->core_count; i++) {
        struct elastic_limits const limits = system_parts_limits(config, i, &all);

        if (can_reach(&limits, memory)) {
            owner = i;
            count++;
        }
    }
    return count < 2 ? owner : config->core_count;
}

bool system_domains_are_possible(const struct system_config *config)
{
    for (unsigned i = 0; i < config->memory_count; i++)
        if (owner_of(config, &config->memories[i]) == config->core_count)
            return false;
    return true;
}

/* ---- life */

struct fault system_domains_create(struct system *system)
{
    unsigned const count = system->core_count;

    system->domains = calloc(1, sizeof *system->domains + count * sizeof *system->domains->agendas);
    if (!system->domains)
        return fault_make(FAULT_MEMORY, "out of memory for a system of %u cores", count);
    system->domains->count = count;
    return fault_none();
}

void system_domains_free(struct system *system)
{
    for (unsigned i = 0; system->domains && i < system->domains->count; i++)
        event_agenda_free(&system->domains->agendas[i]);
    free(system->domains);
    system->domains = NULL;
}

/* ---- the run */

/* The domain has its turn. */
static void go_to(struct system *system, unsigned domain)
{
    struct system_domains *const domains = system->domains;

    event_queue_exchange(&system->sim.events, &domains->agendas[domains->current]);
    domains->current = domain;
    event_queue_exchange(&system->sim.events, &domains->agendas[domain]);
}

/* Cores first, then memories, as without domains. */
struct fault system_domains_start(struct system *system)
{
    struct system_domains *const domains = system->domains;

    for (unsigned i = 0; i < domains->count; i++)
        FAULT_TRY(event_agenda_init(&domains->agendas[i], &system->sim.events));
    for (unsigned i = 0; i < domains->count; i++) {
        go_to(system, i);
        FAULT_TRY(elastic_cpu_start(&system->cores[i].cpu));
        for (unsigned j = 0; j < system->memory_count; j++)
            if (system->memories[j].type != MEMORY_SIMPLE && owner_of(&system->config, system->memories[j].params) == i)
                mem_ctrl_startup(&system->memories[j].controller);
    }
    go_to(system, 0);
    return fault_none();
}

bool system_domains_are_at(const struct system *system, unsigned core)
{
    return !system->domains || system->domains->current == core;
}

/* The turn of the next domain; false if the present one's is not over. */
static bool take_turns(struct system *system)
{
    struct system_domains *const domains = system->domains;
    bool const is_last = domains->current + 1 == domains->count;

    if (!domains->is_ending && !elastic_cpu_is_done(&system->cores[domains->current].cpu))
        return false;
    domains->is_ending |= is_last;
    go_to(system, is_last ? 0 : domains->current + 1);
    return true;
}

void system_domains_run(struct system *system, uint64_t max_events)
{
    struct event_queue *const events = &system->sim.events;

    do {
        uint64_t const before = event_queue_executed(events);

        event_queue_run(events, system->domains->is_ending ? system->exit_event.when_ps : TICK_NEVER - 1, max_events);
        max_events -= event_queue_executed(events) - before;
    } while (max_events > 0 && !events->stopped && take_turns(system));
}
