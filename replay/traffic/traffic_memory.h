/* The memories of a system by themselves: controllers and simple memories of a configuration, no core, cache or
 * crossbar above them.
 *
 * Use: traffic_memory_create, put an `above` into each port (traffic_memory_connect), traffic_memory_startup once, send
 * requests to ports[traffic_memory_port_of(..)], execute events of `sim`; traffic_memory_destroy at the end.
 * Units: ticks are picoseconds, sizes bytes. Ownership: everything belongs to the struct, which must not move; the
 * configuration is only read while it is made. */
#ifndef REPLAY_TRAFFIC_TRAFFIC_MEMORY_H
#define REPLAY_TRAFFIC_TRAFFIC_MEMORY_H

#include "memsys/command/cmd_ctrl.h"
#include "memsys/dram/mem_ctrl.h"
#include "memsys/dram/simple_memory.h"
#include "memsys/link/cxl_link.h"
#include "replay/config/command_device.h"
#include "replay/config/config_limits.h"

struct system_config;

/* One item of the configuration's memories: its first port and the range that its ports share. */
struct traffic_range {
    struct address_range range;          /* of its first channel */
    uint64_t first_byte;                 /* where it begins when all memories are laid end to end */
    unsigned first_port;
};

struct traffic_port {
    struct below below;
    struct above *above;                 /* of the memory */
    struct mem_ctrl *controller;         /* one of the three is there */
    struct cmd_ctrl *command;
    struct simple_memory *simple;
    struct cxl_link *link;               /* in front of it; NULL: none */
};

struct traffic_memory {
    struct sim sim;
    struct traffic_range ranges[CONFIG_MAX_MEMORIES];
    unsigned range_count, port_count;
    struct traffic_port *ports;          /* channels in order, memory by memory */
    char (*names)[24];
    struct command_device devices[CONFIG_MAX_MEMORIES];    /* of the memories that have one */
    uint64_t size_bytes;                 /* of all memories together */
    double peak_bytes_per_s;
};

/* config: after config_finish. NULL on failure, with the fault. */
struct traffic_memory *traffic_memory_create(const struct system_config *config, struct fault *fault);
void traffic_memory_destroy(struct traffic_memory *memory);

/* Schedules the first refreshes. */
void traffic_memory_startup(struct traffic_memory *memory);

/* Writes that controllers keep below their low thresholds go to the DRAM from now on. Accesses that have been accepted
 * and not issued, or of commands, not completed. */
void traffic_memory_drain(struct traffic_memory *memory);
uint64_t traffic_memory_waiting(const struct traffic_memory *memory);

/* Requests that keep every queue of the memories busy: a DRAM channel's read queue; for a simple memory twice the
 * requests in flight at full bandwidth. */
unsigned traffic_memory_depth(const struct traffic_memory *memory);

/* Address of byte `offset` of all memories laid end to end; offset < size_bytes. */
static inline uint64_t traffic_memory_address(const struct traffic_memory *memory, uint64_t offset)
{
    unsigned i = memory->range_count - 1;

    while (offset < memory->ranges[i].first_byte)
        i--;
    return memory->ranges[i].range.first + (offset - memory->ranges[i].first_byte);
}

/* Number of the port that owns an address; port_count: none. */
static inline unsigned traffic_memory_port_of(const struct traffic_memory *memory, uint64_t address)
{
    for (unsigned i = 0; i < memory->range_count; i++) {
        const struct address_range *const range = &memory->ranges[i].range;

        if (address - range->first < range->end - range->first)
            return memory->ranges[i].first_port + address_range_channel(range, address);
    }
    return memory->port_count;
}

#endif
