/* Modelled: what classic-memory 6 to 10 say of memories. Not modelled: the crossbar above them, its latency and its
 * arbitration; a memory-side cache. */
#include "replay/traffic/memory.h"

#include <stdlib.h>

#include "base/text.h"
#include "replay/config/unloaded.h"
#include "replay/session/engine.h"

static unsigned ports_of(const struct memory_params *params)
{
    return params->type == MEMORY_SIMPLE ? 1 : (unsigned)params->channels;
}

static struct fault make_port(struct traffic_memory *memory, unsigned number, const struct memory_params *params,
                              unsigned channel)
{
    struct traffic_port *const port = &memory->ports[number];
    const char *const name = memory->names[number];

    if (params->type == MEMORY_SIMPLE) {
        port->simple = calloc(1, sizeof *port->simple);
        if (!port->simple)
            return fault_make(FAULT_MEMORY, "out of memory for a memory");
        FORWARD(simple_memory_init(port->simple, &memory->sim, name, params));
        port->below = simple_memory_port(port->simple);
        port->above = &port->simple->above;
        return fault_none();
    }
    port->controller = calloc(1, sizeof *port->controller);
    if (!port->controller)
        return fault_make(FAULT_MEMORY, "out of memory for a memory controller");
    FORWARD(mem_ctrl_init(port->controller, &memory->sim, name, params, channel, params->type == MEMORY_HBM_PSEUDO));
    FORWARD(engine_bind_controller(port->controller, &(struct engine_options){.dram = true}));
    port->below = mem_ctrl_port(port->controller);
    port->above = &port->controller->above;
    return fault_none();
}

static struct fault make_range(struct traffic_memory *memory, const struct memory_params *params)
{
    struct traffic_range *const range = &memory->ranges[memory->range_count++];
    struct memory_params single = *params;

    single.channels = ports_of(params);
    *range = (struct traffic_range){.first_byte = memory->size_bytes, .first_port = memory->port_count};
    FORWARD(address_range_init(&range->range, &single, 0));
    memory->size_bytes += params->size_bytes;
    memory->peak_bytes_per_s += peak_memory_bandwidth(params);
    for (unsigned channel = 0; channel < ports_of(params); channel++)
        FORWARD(make_port(memory, memory->port_count++, params, channel));
    return fault_none();
}

/* As in a whole system: those of one kind are numbered through. */
static void name_ports(struct traffic_memory *memory, const struct system_config *config, bool are_simple)
{
    unsigned count = 0, number = 0, port = 0;

    for (unsigned i = 0; i < config->memory_count; i++)
        if ((config->memories[i].type == MEMORY_SIMPLE) == are_simple)
            count += ports_of(&config->memories[i]);
    for (unsigned i = 0; i < config->memory_count; i++)
        for (unsigned channel = 0; channel < ports_of(&config->memories[i]); channel++, port++)
            if ((config->memories[i].type == MEMORY_SIMPLE) == are_simple)
                text_member_name(memory->names[port], sizeof memory->names[port],
                                 are_simple ? "memory" : "mem_ctrls", number++, count);
}

static struct fault build(struct traffic_memory *memory, const struct system_config *config)
{
    unsigned count = 0;

    sim_init(&memory->sim, (uint32_t)config->line_bytes);
    for (unsigned i = 0; i < config->memory_count; i++)
        count += ports_of(&config->memories[i]);
    memory->ports = calloc(count, sizeof *memory->ports);
    memory->names = calloc(count, sizeof *memory->names);
    if (!memory->ports || !memory->names)
        return fault_make(FAULT_MEMORY, "out of memory for %u memory channels", count);
    name_ports(memory, config, false);
    name_ports(memory, config, true);
    for (unsigned i = 0; i < config->memory_count; i++)
        FORWARD(make_range(memory, &config->memories[i]));
    return fault_none();
}

struct traffic_memory *traffic_memory_create(const struct system_config *config, struct fault *fault)
{
    struct traffic_memory *const memory = calloc(1, sizeof *memory);

    if (!memory) {
        *fault = fault_make(FAULT_MEMORY, "out of memory for a memory system");
        return NULL;
    }
    *fault = build(memory, config);
    if (fault->kind != FAULT_NONE) {
        traffic_memory_destroy(memory);
        return NULL;
    }
    return memory;
}

void traffic_memory_destroy(struct traffic_memory *memory)
{
    if (!memory)
        return;
    for (unsigned i = 0; i < memory->port_count; i++) {
        if (memory->ports[i].simple)
            simple_memory_free(memory->ports[i].simple);
        if (memory->ports[i].controller)
            mem_ctrl_free(memory->ports[i].controller);
        free(memory->ports[i].simple);
        free(memory->ports[i].controller);
    }
    free(memory->ports);
    free(memory->names);
    sim_free(&memory->sim);
    free(memory);
}

void traffic_memory_startup(struct traffic_memory *memory)
{
    for (unsigned i = 0; i < memory->port_count; i++)
        if (memory->ports[i].controller)
            mem_ctrl_startup(memory->ports[i].controller);
}

unsigned traffic_memory_depth(const struct traffic_memory *memory)
{
    unsigned depth = 0;

    for (unsigned i = 0; i < memory->port_count; i++) {
        const struct traffic_port *const port = &memory->ports[i];

        if (port->simple) {
            uint64_t const line_ps = max_u64(port->simple->ps_per_byte * memory->sim.line_bytes, 1);

            depth += 2 * (unsigned)min_u64(port->simple->latency_ps / line_ps + 1, 1024);
        } else {
            for (uint32_t c = 0; c < port->controller->channel_count; c++)
                depth += port->controller->channels[c].reads.capacity;
        }
    }
    return depth;
}
