/* Reads of a line and evictions over a coherent crossbar: requests from a cache to a component below, for which no
 * other port need be asked.
 *
 * Shortcut: the crossbar asks each request for its data, marks, the ports that may have its line, and whether it ends
 * or is answered there. For most it is known beforehand: a read of a line without marks, or an eviction, whose line no
 * other port has. They are passed on here in one piece, without a call but to the component below.
 * Why the result is the same: crossbar_direct_begin looks up the line's entry in the snoop filter, and refuses unless
 * no other port has the line; then the crossbar's recv_request does these steps in this order: take the layer, note
 * the request in the filter, add delays, push the route, pass on, and occupy the layer or undo. Compared with plain by
 * tests/unit/memsys/fast/test_fast_memory.c.
 *
 * Use: crossbar_direct once, at the end of set-up; then crossbar_direct_is_free and crossbar_direct_begin for a request
 * that may go directly, and with their answer crossbar_direct_read or crossbar_direct_eviction. Ownership: as in
 * memsys/sim/port.h. */
#ifndef MEMSYS_FAST_CROSSBAR_DIRECT_H
#define MEMSYS_FAST_CROSSBAR_DIRECT_H

#include "memsys/noc/crossbar_internal.h"
#include "memsys/cache/cache.h"
#include "memsys/fast/ports.h"
#include "memsys/fast/snoop_words.h"

/* The crossbar that `below` leads to, if requests can go over it directly; else NULL. All ports must be connected. */
struct crossbar *crossbar_direct(const struct below *below);

struct crossbar_crossing {
    unsigned memory_port;
    struct layer *layer;
    uint64_t line;
    uint64_t *word;                      /* of the snoop filter; 0: the line has no entry */
    unsigned port;
    bool has_room;                       /* the word's group has a free one */
};

/* Is the way free for a request of that port? If not, the port waits for its retry. */
static inline bool crossbar_direct_is_free(struct crossbar *crossbar, unsigned port, uint64_t address, bool has_data,
                                          struct crossbar_crossing *crossing)
{
    unsigned const memory_port = crossbar_destination(crossbar, port, address);
    struct layer *const layer = crossbar_request_layer(crossbar, memory_port, has_data);

    crossing->memory_port = memory_port;
    crossing->layer = layer;
    if (layer_is_free(layer))
        return true;
    layer_wait(layer, crossbar_request_source(port));
    return false;
}

/* For a cacheable request for the line of that number without marks, of a snooping cache, after crossbar_direct_is_free
 * has said yes: false if recv_request has to decide what to do. Nothing is done yet. */
static inline bool crossbar_direct_begin(const struct crossbar *crossbar, uint64_t line, unsigned port,
                                        struct crossbar_crossing *crossing)
{
    crossing->port = port;
    crossing->line = line;
    crossing->word = snoop_words_find_own(snoop_words_of(&crossbar->filter), line, port, &crossing->has_room);
    return crossing->word != NULL;
}

/* The component below refused the packet. */
static inline void crossbar_direct_refused(struct crossbar *crossbar, const struct crossbar_crossing *crossing,
                                          uint64_t old_entry, uint64_t edge_ps)
{
    snoop_words_undo_own(snoop_words_of(&crossbar->filter), crossing->line, crossing->port, old_entry);
    layer_failed(crossing->layer, crossbar_request_source(crossing->port),
                 edge_ps + crossbar->noc.clock.period_ps);
}

/* below_prefetch_hint; if lines go directly to the cache below, returns that cache, without having passed the hint
 * on. */
static inline const struct cache *crossbar_direct_hint(const struct crossbar *crossbar, uint64_t address,
                                                       unsigned line_shift)
{
    const struct below *const below = &crossbar->memory_ports[0].below;

    snoop_words_prefetch_hint(snoop_words_of(&crossbar->filter), address >> line_shift);
    if (unlikely(crossbar->span_count > 0))
        return NULL;
    if (below->fast && below->fast->takes_lines)
        return below->self;
    below_prefetch_hint(below, address);
    return NULL;
}

/* A read whose packet has no way back from a crossbar yet; false if it was refused. pass_on: recv_request of the
 * component below, here and in crossbar_direct_eviction. */
static FORCE_INLINE bool crossbar_direct_read(struct crossbar *crossbar, const struct crossbar_crossing *crossing,
                                        struct packet *packet,
                                        bool (*pass_on)(const struct below *below, struct packet *packet))
{
    struct crossbar_memory_port *const destination = &crossbar->memory_ports[crossing->memory_port];
    unsigned const port = crossing->port, command = packet->command;
    uint64_t const edge_ps = crossbar_edge_ps(crossbar);
    uint64_t const old = snoop_words_request_own(&crossbar->filter, crossing->word, crossing->line, port,
                                                 &packet->filter_place);

    layer_take(crossing->layer);
    packet->header_delay_ps = (uint32_t)(edge_ps - sim_now_ps(crossbar->noc.sim) + crossbar->request_ps
                                         + crossbar->lookup_ps);
    packet->route[0] = (struct route_step){(uint16_t)port, false};
    packet->route_count = 1;
    crossbar->stats.snoop_fanout[0]++;
    if (unlikely(!pass_on(&destination->below, packet))) {
        crossbar_direct_refused(crossbar, crossing, old, edge_ps);
        return false;
    }
    layer_succeeded(crossing->layer, edge_ps + crossbar->header_ps);
    crossbar_count_packet(crossbar, port, crossing->memory_port, command, 0);
    return true;
}

/* An eviction of a line that has an entry, and of which no copy stays above. One that carries data is of a whole line;
 * without data it ends at the point of coherency. */
static FORCE_INLINE bool crossbar_direct_eviction(struct crossbar *crossbar, const struct crossbar_crossing *crossing,
                                            struct packet *packet,
                                            bool (*pass_on)(const struct below *below, struct packet *packet))
{
    struct crossbar_memory_port *const destination = &crossbar->memory_ports[crossing->memory_port];
    unsigned const port = crossing->port, command = packet->command;
    bool const has_data = command != CMD_CleanEvict, ends = !has_data && crossbar->noc.role.point_of_coherency;
    uint64_t const bytes = has_data ? packet->size_bytes : 0;
    uint64_t const edge_ps = crossbar_edge_ps(crossbar);
    uint64_t const old = snoop_words_evict_own(&crossbar->filter, crossing->word, crossing->has_room, port);
    uint64_t const payload_ps = max_u64(packet->payload_delay_ps, has_data ? crossbar->line_payload_ps : 0);
    uint32_t const old_header_delay_ps = packet->header_delay_ps;

    layer_take(crossing->layer);
    packet->header_delay_ps += (uint32_t)(edge_ps - sim_now_ps(crossbar->noc.sim) + crossbar->request_ps
                                          + crossbar->lookup_ps);
    packet->payload_delay_ps = (uint32_t)payload_ps;
    if (ends) {
        packet_give(crossbar->noc.sim->packets, packet);
    } else if (unlikely(!pass_on(&destination->below, packet))) {
        packet->header_delay_ps = old_header_delay_ps;
        crossbar_direct_refused(crossbar, crossing, old, edge_ps);
        return false;
    }
    layer_succeeded(crossing->layer, edge_ps + crossbar->header_ps + payload_ps);
    crossbar_count_packet(crossbar, port, crossing->memory_port, command, bytes);
    return true;
}

/* For a queue of responses that leads to a crossbar, and hints for one: above_fast, below_fast. */
void crossbar_take_from_queue(void *queue);
void crossbar_hint(const void *self, uint64_t address);

#endif
