/* Modelled: memories as in classic-memory 6 to 10. Not modelled: the crossbar above them, its latency and its
 * arbitration; a memory-side cache. */
#include "replay/traffic/traffic_memory.h"

#include <stdlib.h>

#include "base/text.h"
#include "memsys/dram/geometry.h"
#include "replay/config/system_config.h"
#include "replay/config/unloaded.h"
#include "replay/session/session_engine.h"

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
    if (params->type == MEMORY_COMMAND) {
        port->command = calloc(1, sizeof *port->command);
        if (!port->command)
            return fault_make(FAULT_MEMORY, "out of memory for a memory controller");
        FORWARD(cmd_ctrl_init(port->command, &memory->sim, name, params,
                              &memory->devices[memory->range_count - 1].config, channel, number));
        port->below = cmd_ctrl_port(port->command);
        port->above = &port->command->above;
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

static struct fault put_link_before(struct traffic_memory *memory, unsigned number, const struct memory_params *params)
{
    struct traffic_port *const port = &memory->ports[number];
    struct cxl_link_params const link = memory_link(params);

    if (params->link == MEMORY_LINK_NONE)
        return fault_none();
    port->link = calloc(1, sizeof *port->link);
    if (!port->link)
        return fault_make(FAULT_MEMORY, "out of memory for a link");
    FORWARD(cxl_link_init(port->link, &memory->sim, memory->names[number], &link));
    port->link->below = port->below;
    *port->above = cxl_link_above(port->link);
    port->below = cxl_link_port(port->link);
    port->above = &port->link->above;
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
    if (params->type == MEMORY_COMMAND) {
        struct command_device *const device = &memory->devices[memory->range_count - 1];

        FORWARD(command_device_make(device, params, "memory"));
        engine_bind_commands(&device->config, &(struct engine_options){.dram = true});
    }
    for (unsigned channel = 0; channel < ports_of(params); channel++) {
        FORWARD(make_port(memory, memory->port_count++, params, channel));
        FORWARD(put_link_before(memory, memory->port_count - 1, params));
    }
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

static struct fault traffic_memory_build(struct traffic_memory *memory, const struct system_config *config)
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
    *fault = traffic_memory_build(memory, config);
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
        if (memory->ports[i].link)
            cxl_link_free(memory->ports[i].link);
        free(memory->ports[i].link);
        if (memory->ports[i].simple)
            simple_memory_free(memory->ports[i].simple);
        if (memory->ports[i].controller)
            mem_ctrl_free(memory->ports[i].controller);
        if (memory->ports[i].command)
            cmd_ctrl_free(memory->ports[i].command);
        free(memory->ports[i].command);
        free(memory->ports[i].simple);
        free(memory->ports[i].controller);
    }
    free(memory->ports);
    free(memory->names);
    for (unsigned i = 0; i < memory->range_count; i++)
        command_device_free(&memory->devices[i]);
    sim_free(&memory->sim);
    free(memory);
}

void traffic_memory_startup(struct traffic_memory *memory)
{
    for (unsigned i = 0; i < memory->port_count; i++)
        if (memory->ports[i].controller)
            mem_ctrl_startup(memory->ports[i].controller);
        else if (memory->ports[i].command)
            cmd_ctrl_startup(memory->ports[i].command);
}

void traffic_memory_drain(struct traffic_memory *memory)
{
    for (unsigned i = 0; i < memory->port_count; i++)
        if (memory->ports[i].controller)
            mem_ctrl_drain(memory->ports[i].controller);
}

uint64_t traffic_memory_waiting(const struct traffic_memory *memory)
{
    uint64_t waiting = 0;

    for (unsigned i = 0; i < memory->port_count; i++) {
        const struct mem_ctrl *const controller = memory->ports[i].controller;
        const struct cmd_ctrl *const command = memory->ports[i].command;

        if (command)
            waiting += cmd_memory_in_flight(command->memory) + (command->rest.next < command->rest.end);
        for (uint32_t c = 0; controller && c < controller->channel_count; c++)
            waiting += controller->channels[c].reads.count + controller->channels[c].writes.count;
    }
    return waiting;
}

unsigned traffic_memory_depth(const struct traffic_memory *memory)
{
    unsigned depth = 0;

    for (unsigned i = 0; i < memory->port_count; i++) {
        const struct traffic_port *const port = &memory->ports[i];

        if (port->simple) {
            uint64_t const line_ps = max_u64(port->simple->ps_per_byte * memory->sim.line_bytes, 1);

            depth += 2 * (unsigned)min_u64(port->simple->latency_ps / line_ps + 1, 1024);
        } else if (port->command) {
            depth += port->command->read_queue;
        } else {
            for (uint32_t c = 0; c < port->controller->channel_count; c++)
                depth += port->controller->channels[c].reads.capacity;
        }
    }
    return depth;
}
