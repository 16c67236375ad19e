/* Plain requests through a coherent crossbar: reads of a line and evictions, from a cache to a component below, for
 * which no other port need be asked. Most requests are; they are passed on here in one piece, without a call but to the
 * component below. What happens is what crossbar.c does to any request.
 *
 * Use: crossbar_plain once, at the end of set-up; then crossbar_plain_is_free and crossbar_plain_begin for a request
 * that may be plain, and with their answer crossbar_plain_read or crossbar_plain_eviction. Ownership: as in
 * memsys/port.h. */
#ifndef MEMSYS_CROSSBAR_PLAIN_H
#define MEMSYS_CROSSBAR_PLAIN_H

#include "memsys/crossbar.h"

/* What waits in layers. One cache may wait for three kinds of layers at a time. */
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
    return domain_edge_ps(crossbar->clock, sim_now_ps(crossbar->sim));
}

static inline bool crossbar_pass_on(const struct crossbar_memory_port *destination, struct packet *packet)
{
    struct below const *const below = &destination->below;

    return below->ops->recv_request(below->self, packet, below->port);
}

static inline void crossbar_count_packet(struct crossbar *crossbar, unsigned cpu_port, unsigned memory_port,
                                         unsigned command, uint64_t bytes)
{
    struct crossbar_traffic *const traffic
        = &crossbar->stats.traffic[cpu_port * crossbar->max_memory_ports + memory_port];

    crossbar->stats.trans_dist[command]++;
    traffic->packets++;
    traffic->bytes += bytes;
}

/* The crossbar that `below` leads to, if requests from there can be plain; else NULL. All ports must be connected. */
struct crossbar *crossbar_plain(const struct below *below);

/* Use crossbar_destination: this is its rare half. */
unsigned crossbar_find_destination(struct crossbar *crossbar, unsigned cpu_port, uint64_t address);

/* Memory-side port that owns an address. */
static inline unsigned crossbar_destination(struct crossbar *crossbar, unsigned cpu_port, uint64_t address)
{
    return USUALLY(crossbar->span_count == 0) ? 0 : crossbar_find_destination(crossbar, cpu_port, address);
}

struct crossbar_crossing {
    unsigned memory_port;
    uint64_t line;
    uint64_t *word;                      /* of the snoop filter; 0: the line has no entry */
    unsigned port;
    bool has_room;                       /* the word's group has a free one */
};

/* Is the way free for a request of that port? If not, the port waits for its retry. */
static inline bool crossbar_plain_is_free(struct crossbar *crossbar, unsigned port, uint64_t address,
                                          struct crossbar_crossing *crossing)
{
    unsigned const memory_port = crossbar_destination(crossbar, port, address);
    struct layer *const layer = &crossbar->memory_ports[memory_port].request_layer;

    crossing->memory_port = memory_port;
    if (layer_is_free(layer))
        return true;
    layer_wait(layer, crossbar_request_source(port));
    return false;
}

/* For a cacheable request for the line of that number without marks, of a snooping cache, after crossbar_plain_is_free
 * has said yes: false if recv_request has to decide what to do. Nothing is done yet. */
static inline bool crossbar_plain_begin(const struct crossbar *crossbar, uint64_t line, unsigned port,
                                        struct crossbar_crossing *crossing)
{
    crossing->port = port;
    crossing->line = line;
    crossing->word = snoop_filter_find_own(&crossbar->filter, crossing->line, port, &crossing->has_room);
    return crossing->word != NULL;
}

/* The component below refused the packet. */
static inline void crossbar_plain_refused(struct crossbar *crossbar, const struct crossbar_crossing *crossing,
                                          uint64_t old_entry, uint64_t edge_ps)
{
    snoop_filter_undo_own(&crossbar->filter, crossing->line, crossing->port, old_entry);
    layer_failed(&crossbar->memory_ports[crossing->memory_port].request_layer,
                 crossbar_request_source(crossing->port), edge_ps + crossbar->clock.period_ps);
}

/* below_expect; answers the cache below, which has not been told, if it is a plain one. */
static inline const struct cache *crossbar_plain_expect(const struct crossbar *crossbar, uint64_t address,
                                                        unsigned line_shift)
{
    const struct below *const below = &crossbar->memory_ports[0].below;

    snoop_filter_expect(&crossbar->filter, address >> line_shift);
    if (RARELY(crossbar->span_count > 0))
        return NULL;
    if (!below->plain_cache)
        below_expect(below, address);
    return below->plain_cache;
}

/* A read whose packet has no way back from a crossbar yet; false if it was refused. pass_on: recv_request of the
 * component below, here and in crossbar_plain_eviction. */
static IN_LINE bool crossbar_plain_read(struct crossbar *crossbar, const struct crossbar_crossing *crossing,
                                        struct packet *packet,
                                        bool (*pass_on)(const struct below *below, struct packet *packet))
{
    struct crossbar_memory_port *const destination = &crossbar->memory_ports[crossing->memory_port];
    unsigned const port = crossing->port, command = packet->command;
    uint64_t const edge_ps = crossbar_edge_ps(crossbar);
    uint64_t const old = snoop_filter_request_own(&crossbar->filter, crossing->word, crossing->line, port,
                                                  &packet->filter_place);

    layer_take(&destination->request_layer);
    packet->header_delay_ps = (uint32_t)(edge_ps - sim_now_ps(crossbar->sim) + crossbar->request_ps
                                         + crossbar->lookup_ps);
    packet->route[0] = (struct route_step){(uint16_t)port, false};
    packet->route_count = 1;
    crossbar->stats.snoop_fanout[0]++;
    if (RARELY(!pass_on(&destination->below, packet))) {
        crossbar_plain_refused(crossbar, crossing, old, edge_ps);
        return false;
    }
    layer_succeeded(&destination->request_layer, edge_ps + crossbar->header_ps);
    crossbar_count_packet(crossbar, port, crossing->memory_port, command, 0);
    return true;
}

/* An eviction of a line that has an entry, and of which no copy stays above. One that carries data is of a whole line;
 * without data it ends at the point of coherency. */
static IN_LINE bool crossbar_plain_eviction(struct crossbar *crossbar, const struct crossbar_crossing *crossing,
                                            struct packet *packet,
                                            bool (*pass_on)(const struct below *below, struct packet *packet))
{
    struct crossbar_memory_port *const destination = &crossbar->memory_ports[crossing->memory_port];
    unsigned const port = crossing->port, command = packet->command;
    bool const has_data = command != CMD_CleanEvict, ends = !has_data && crossbar->role.point_of_coherency;
    uint64_t const bytes = has_data ? packet->size_bytes : 0;
    uint64_t const edge_ps = crossbar_edge_ps(crossbar);
    uint64_t const old = snoop_filter_evict_own(&crossbar->filter, crossing->word, crossing->has_room, port);
    uint64_t const payload_ps = max_u64(packet->payload_delay_ps, has_data ? crossbar->line_payload_ps : 0);
    uint32_t const old_header_delay_ps = packet->header_delay_ps;

    layer_take(&destination->request_layer);
    packet->header_delay_ps += (uint32_t)(edge_ps - sim_now_ps(crossbar->sim) + crossbar->request_ps
                                          + crossbar->lookup_ps);
    packet->payload_delay_ps = (uint32_t)payload_ps;
    if (ends) {
        packet_give(crossbar->sim->packets, packet);
    } else if (RARELY(!pass_on(&destination->below, packet))) {
        packet->header_delay_ps = old_header_delay_ps;
        crossbar_plain_refused(crossbar, crossing, old, edge_ps);
        return false;
    }
    layer_succeeded(&destination->request_layer, edge_ps + crossbar->header_ps + payload_ps);
    crossbar_count_packet(crossbar, port, crossing->memory_port, command, bytes);
    return true;
}

#endif
