/* Internals of the crossbar, shared by crossbar.c and memsys/fast/ only. */
#ifndef MEMSYS_NOC_CROSSBAR_INTERNAL_H
#define MEMSYS_NOC_CROSSBAR_INTERNAL_H

#include "memsys/noc/crossbar.h"

extern const struct below_ops crossbar_coherent_below_ops, crossbar_noncoherent_below_ops;

/* The kinds of sources that wait in layers. One cache may wait for three kinds of layers at a time. */
enum crossbar_source_kind {
    SOURCE_REQUEST,                      /* of a CPU-side port */
    SOURCE_RESPONSE,                     /* of a memory-side port */
    SOURCE_SNOOP_RESPONSE,               /* of a CPU-side port, on its way down */
    SOURCE_SNOOP_RESPONSE_AS_RESPONSE    /* of a CPU-side port, to another one */
};

static inline struct layer_source crossbar_request_source(unsigned port)
{
    return (struct layer_source){SOURCE_REQUEST, (uint8_t)port};
}

static inline uint64_t crossbar_edge_ps(const struct crossbar *crossbar)
{
    return domain_edge_ps(crossbar->noc.clock, sim_now_ps(crossbar->noc.sim));
}

static inline bool crossbar_pass_on(const struct crossbar_memory_port *destination, struct packet *packet)
{
    struct below const *const below = &destination->below;

    return below->ops->recv_request(below->self, packet, below->port);
}

static inline void crossbar_count_packet(struct crossbar *crossbar, unsigned cpu_port, unsigned memory_port,
                                         unsigned command, uint64_t bytes)
{
    struct noc_traffic *const traffic = noc_traffic(&crossbar->noc, cpu_port, memory_port);

    crossbar->stats.trans_dist[command]++;
    traffic->packets++;
    traffic->bytes += bytes;
}

/* Use crossbar_destination: this is its rare half. */
unsigned crossbar_find_destination(struct crossbar *crossbar, unsigned cpu_port, uint64_t address);

/* Memory-side port that owns an address. */
static inline unsigned crossbar_destination(struct crossbar *crossbar, unsigned cpu_port, uint64_t address)
{
    return crossbar->span_count == 0 ? 0 : crossbar_find_destination(crossbar, cpu_port, address);
}

/* The path of a request towards a memory-side port. */
static inline struct layer *crossbar_request_layer(struct crossbar *crossbar, unsigned memory_port, bool has_data)
{
    struct crossbar_memory_port *const port = &crossbar->memory_ports[memory_port];

    return crossbar->has_command_path && !has_data ? &port->command_layer : &port->request_layer;
}

/* Of noc_crossbar, in crossbar_stats.c. */
void crossbar_add_stats(struct noc *noc, struct stats *stats);

/* classic-memory 5.5 */
bool crossbar_recv_response(void *self, struct packet *packet, unsigned port);
/* Is that the side of a crossbar that takes responses? */
bool crossbar_is_above(const struct above *above);

#endif
