/* Modelled: classic-memory 5.1 to 5.8, coherent and non-coherent crossbars. Not modelled: cache maintenance commands.
 *
 * Path of a request: request layer of the port that owns the address, delays, filter, snoops upward, then one of
 *   ends here   a cache above answers it, or it is an eviction; components below need not see it
 *   answered    upgrade or invalidation at the point of coherency: the crossbar makes the response
 *   passed on   and either accepted, or refused by the component below, which leaves everything but the snoops undone
 * Calls to neighbours come before the layer's release is scheduled: events of one tick run in reverse order of
 * scheduling.
 *
 * A request may be passed on as an express one: a cache above owns the line and answers, but caches elsewhere may hold
 * copies. It goes past all layers and is never answered; the cache below takes it and sends a copy on, which ends at
 * the point of coherency. */
#include "memsys/noc/crossbar_internal.h"
#include "memsys/noc/noc_params.h"

#include <stdio.h>
#include <stdlib.h>

static void retry_source(void *owner, struct layer_source source)
{
    struct crossbar *const crossbar = owner;
    struct above const *const above = &crossbar->cpu_ports[source.port].above;

    if (source.kind == SOURCE_REQUEST) {
        above->ops->recv_request_retry(above->self, above->port);
    } else if (source.kind == SOURCE_RESPONSE) {
        struct below const *const below = &crossbar->memory_ports[source.port].below;

        below->ops->recv_response_retry(below->self, below->port);
    } else {
        above->ops->recv_snoop_response_retry(above->self, above->port);
    }
}

/* Fails like assert, and shows the address: one without an owner is a mistake of the system's builder or of the
 * core. */
static _Noreturn void no_owner(const struct crossbar *crossbar, uint64_t address)
{
    char text[128];

    snprintf(text, sizeof text, "%s: a memory-side port owns address 0x%llx", crossbar->noc.name,
             (unsigned long long)address);
    __assert_fail(text, __FILE__, __LINE__, __func__);
}

static unsigned find_span(const struct crossbar *crossbar, uint64_t address)
{
    for (unsigned i = 0; i < crossbar->span_count; i++)
        if (address - crossbar->spans[i].first < crossbar->spans[i].size_bytes)
            return i;
    no_owner(crossbar, address);
}

/* Cores stay in a memory for long. */
unsigned crossbar_find_destination(struct crossbar *crossbar, unsigned cpu_port, uint64_t address)
{
    unsigned *const last = &crossbar->cpu_ports[cpu_port].span;
    const struct crossbar_span *span = &crossbar->spans[*last];

    address &= ~ADDRESS_SECURE;
    if (address - span->first >= span->size_bytes) {
        *last = find_span(crossbar, address);
        span = &crossbar->spans[*last];
    }
    return span->port + address_range_channel(span->range, address);
}

static void push_route(struct packet *packet, unsigned port, bool towards_memory)
{
    assert(packet->route_count < PACKET_DEPTH);
    packet->route[packet->route_count++] = (struct route_step){(uint16_t)port, towards_memory};
}

static struct route_step route_top(const struct packet *packet)
{
    HOT_ASSERT(packet->route_count > 0);
    return packet->route[packet->route_count - 1];
}

/* classic-memory 5.2; `edge_ps` is the next or current clock edge. Returns until when the packet occupies a layer. */
static uint64_t annotate(const struct crossbar *crossbar, struct packet *packet, uint32_t attributes, uint64_t edge_ps,
                         uint64_t latency_ps)
{
    packet->header_delay_ps += (uint32_t)(edge_ps - sim_now_ps(crossbar->noc.sim) + latency_ps);
    if (attributes & ATTR_DATA) {
        uint64_t const payload_ps = packet->size_bytes == crossbar->noc.sim->line_bytes
            ? crossbar->line_payload_ps
            : clock_cycles(packet->size_bytes, crossbar->noc.width_bytes) * crossbar->noc.clock.period_ps;

        if (packet->payload_delay_ps < payload_ps)
            packet->payload_delay_ps = (uint32_t)payload_ps;
    }
    return edge_ps + crossbar->header_ps + packet->payload_delay_ps;
}

static uint64_t crossbar_line_of(const struct crossbar *crossbar, const struct packet *packet)
{
    return packet->address >> crossbar->noc.sim->line_shift;
}

static uint64_t data_bytes(const struct packet *packet, uint32_t attributes)
{
    return attributes & ATTR_DATA ? packet->size_bytes : 0;
}

static void count_snoop(struct crossbar *crossbar, uint64_t bytes)
{
    crossbar->stats.snoops++;
    crossbar->stats.snoop_traffic_bytes += bytes;
}

/* Shows the packet to the ports of the mask, in order; their snoop delay becomes header delay. */
static void snoop_above(struct crossbar *crossbar, struct packet *packet, uint64_t targets)
{
    unsigned fanout = 0;

    for (unsigned port = 0; targets != 0; port++, targets >>= 1) {
        if (targets & 1) {
            struct above const *const above = &crossbar->cpu_ports[port].above;

            above->ops->recv_snoop(above->self, packet, above->port);
            fanout++;
        }
    }
    crossbar->stats.snoop_fanout[fanout]++;
}

static void charge_snoop_delay(struct packet *packet)
{
    packet->header_delay_ps += packet->snoop_delay_ps;
    packet->snoop_delay_ps = 0;
}

/* classic-memory 5.4, filter and snoops: an eviction only learns whether the line is cached elsewhere. */
static void snoop_for_request(struct crossbar *crossbar, struct packet *packet, uint32_t attributes, uint64_t line,
                              unsigned source, struct snoop_filter_ticket *ticket)
{
    uint64_t const own_bit = UINT64_C(1) << source;
    uint64_t targets;

    if (!crossbar->noc.role.snoop_filter) {
        snoop_above(crossbar, packet, crossbar->snooping_mask & ~own_bit);
        charge_snoop_delay(packet);
        return;
    }
    targets = snoop_filter_request(&crossbar->filter, packet, line, source,
                                   (crossbar->snooping_mask & own_bit) != 0, ticket);
    packet->header_delay_ps += (uint32_t)crossbar->lookup_ps;
    if (attributes & ATTR_EVICTION) {
        if (targets != 0)
            packet->block_cached = true;
    } else if (targets != 0) {
        snoop_above(crossbar, packet, targets);
        charge_snoop_delay(packet);
    } else {
        crossbar->stats.snoop_fanout[0]++;
    }
}

/* Does the packet end here, unseen by the components below? */
static bool ends_here(const struct crossbar *crossbar, const struct packet *packet)
{
    if (crossbar->noc.role.point_of_coherency
        && (packet->cache_responding || !packet_is(packet, ATTR_READ | ATTR_WRITE | ATTR_NEEDS_RESPONSE)))
        return true;
    if (packet_is(packet, ATTR_CLEAN_EVICTION) && packet->block_cached)
        return true;
    return packet->cache_responding && (!packet_is(packet, ATTR_NEEDS_WRITABLE) || packet->responder_had_writable);
}

static bool is_tracked(const struct crossbar *crossbar, const struct packet *packet, unsigned cpu_port)
{
    return crossbar->noc.role.snoop_filter && !packet_is_uncacheable(packet)
        && (crossbar->snooping_mask >> cpu_port & 1) != 0;
}

/* Puts a response whose delays are complete into the queue of its port. */
static void queue_response(struct crossbar *crossbar, struct packet *packet, unsigned cpu_port, uint64_t from_ps)
{
    uint64_t const when_ps = from_ps + packet->header_delay_ps;

    packet->header_delay_ps = 0;
    packet_queue_push(&crossbar->cpu_ports[cpu_port].response_queue, packet, when_ps);
    above_response_bound(&crossbar->cpu_ports[cpu_port].above, packet, when_ps);
}

/* The point of coherency answers. No response layer is used. */
static void respond_directly(struct crossbar *crossbar, struct packet *packet, unsigned cpu_port, uint64_t edge_ps)
{
    packet_make_response(packet);
    if (is_tracked(crossbar, packet, cpu_port))
        snoop_filter_response(&crossbar->filter, crossbar_line_of(crossbar, packet), cpu_port, packet);
    queue_response(crossbar, packet, cpu_port, edge_ps);
}

/* A request that has its layer and its delays, and whose snoops are done. */
struct crossing {
    struct packet *packet;
    struct layer_source source;
    unsigned destination_port;
    struct layer *layer;
    bool was_express;
    uint32_t old_header_delay_ps;
    uint64_t line;
    uint64_t edge_ps, until_ps;
};

static void undo_request(struct crossbar *crossbar, const struct crossing *crossing,
                                     struct snoop_filter_ticket ticket)
{
    struct packet *const packet = crossing->packet;

    assert(!packet->express_snoop);
    snoop_filter_undo(&crossbar->filter, crossing->line, ticket);
    packet->header_delay_ps = crossing->old_header_delay_ps;
    layer_failed(crossing->layer, crossing->source, crossing->edge_ps + crossbar->noc.clock.period_ps);
}

/* After a request was passed on: occupies its layer and counts it. The packet may be gone. */
static void settle_request(struct crossbar *crossbar, const struct crossing *crossing, unsigned command, uint64_t bytes)
{
    if (crossing->was_express)
        count_snoop(crossbar, bytes);
    else
        layer_succeeded(crossing->layer, crossing->until_ps);
    crossbar_count_packet(crossbar, crossing->source.port, crossing->destination_port, command, bytes);
}

/* Finishes a request that may end here, be answered here, or continue as an express one. */
static bool finish_request(struct crossbar *crossbar, const struct crossing *crossing,
                                       struct snoop_filter_ticket ticket)
{
    struct packet *const packet = crossing->packet;
    unsigned const command = packet->command, port = crossing->source.port;
    uint64_t const bytes = data_bytes(packet, command_attributes(command));
    bool const ends = ends_here(crossbar, packet);
    bool const is_answered = !ends && crossbar->noc.role.point_of_coherency
                             && !packet_is(packet, ATTR_READ | ATTR_WRITE);
    bool const goes_on = !ends && !is_answered;
    bool const response_due = goes_on && !packet->cache_responding && packet_is(packet, ATTR_NEEDS_RESPONSE);

    if (!response_due)
        packet->route_count--;
    if (goes_on) {
        packet->express_snoop |= packet->cache_responding;
        if (!crossbar_pass_on(&crossbar->memory_ports[crossing->destination_port], packet)) {
            packet->route_count = (uint16_t)(packet->route_count - response_due);
            undo_request(crossbar, crossing, ticket);
            return false;
        }
    }
    settle_request(crossbar, crossing, command, bytes);
    if (is_answered)
        respond_directly(crossbar, packet, port, crossing->edge_ps);
    else if (ends)
        packet_give(crossbar->noc.sim->packets, packet);
    return true;
}

/* May the request end here, be answered here, or continue as an express one? */
static bool needs_care(const struct crossbar *crossbar, const struct packet *packet, uint32_t attributes)
{
    return packet->cache_responding || packet->express_snoop
           || !(attributes & (ATTR_READ | ATTR_WRITE | ATTR_EVICTION))
           || ((attributes & ATTR_CLEAN_EVICTION) && (packet->block_cached || crossbar->noc.role.point_of_coherency));
}

static struct crossing crossing_at(struct crossing crossing, uint64_t edge_ps, uint64_t until_ps)
{
    crossing.edge_ps = edge_ps;
    crossing.until_ps = until_ps;
    return crossing;
}

static bool crossbar_recv_request(void *self, struct packet *packet, unsigned port)
{
    struct crossbar *const crossbar = self;
    unsigned const command = packet->command;
    uint32_t const attributes = command_attributes(command);
    unsigned const destination_port = crossbar_destination(crossbar, port, packet->address);
    struct layer *const layer = crossbar_request_layer(crossbar, destination_port, (attributes & ATTR_DATA) != 0);
    struct crossing const early = {.packet = packet, .source = {SOURCE_REQUEST, (uint8_t)port},
                                  .destination_port = destination_port, .layer = layer,
                                  .was_express = packet->express_snoop, .line = crossbar_line_of(crossbar, packet),
                                  .old_header_delay_ps = packet->header_delay_ps};
    uint64_t const bytes = data_bytes(packet, attributes);
    bool const response_due = (attributes & ATTR_NEEDS_RESPONSE) != 0;
    struct snoop_filter_ticket ticket = {0};
    uint64_t edge_ps, until_ps;

    if (!early.was_express && !layer_try(layer, early.source))
        return false;
    edge_ps = crossbar_edge_ps(crossbar);
    until_ps = annotate(crossbar, packet, attributes, edge_ps, crossbar->request_ps);
    push_route(packet, port, false);
    snoop_for_request(crossbar, packet, attributes, early.line, port, &ticket);
    if (needs_care(crossbar, packet, attributes)) {
        struct crossing const crossing = crossing_at(early, edge_ps, until_ps);

        return finish_request(crossbar, &crossing, ticket);
    }
    packet->route_count = (uint16_t)(packet->route_count - !response_due);
    if (!crossbar_pass_on(&crossbar->memory_ports[destination_port], packet)) {
        struct crossing const crossing = crossing_at(early, edge_ps, until_ps);

        packet->route_count = (uint16_t)(packet->route_count - response_due);
        undo_request(crossbar, &crossing, ticket);
        return false;
    }
    layer_succeeded(layer, until_ps);
    crossbar_count_packet(crossbar, port, destination_port, command, bytes);
    return true;
}

/* classic-memory 5.7 */
static bool recv_request_noncoherent(void *self, struct packet *packet, unsigned port)
{
    struct crossbar *const crossbar = self;
    unsigned const destination_port = crossbar_destination(crossbar, port, packet->address);
    struct crossbar_memory_port *const destination = &crossbar->memory_ports[destination_port];
    struct layer_source const source = {SOURCE_REQUEST, (uint8_t)port};
    unsigned const command = packet->command;
    uint32_t const attributes = command_attributes(command);
    uint64_t const bytes = data_bytes(packet, attributes);
    bool const response_due = (attributes & ATTR_NEEDS_RESPONSE) != 0;
    uint32_t const old_header_delay_ps = packet->header_delay_ps;
    uint64_t edge_ps, until_ps;

    if (!layer_try(&destination->request_layer, source))
        return false;
    edge_ps = crossbar_edge_ps(crossbar);
    until_ps = annotate(crossbar, packet, attributes, edge_ps, crossbar->request_ps);
    if (response_due)
        push_route(packet, port, false);
    if (!crossbar_pass_on(destination, packet)) {
        packet->header_delay_ps = old_header_delay_ps;
        packet->route_count = (uint16_t)(packet->route_count - response_due);
        layer_failed(&destination->request_layer, source, edge_ps + crossbar->noc.clock.period_ps);
        return false;
    }
    layer_succeeded(&destination->request_layer, until_ps);
    crossbar_count_packet(crossbar, port, destination_port, command, bytes);
    return true;
}

/* classic-memory 5.5 */
bool crossbar_recv_response(void *self, struct packet *packet, unsigned port)
{
    struct crossbar *const crossbar = self;
    struct route_step const step = route_top(packet);
    struct crossbar_cpu_port *const destination = &crossbar->cpu_ports[step.port];
    unsigned const command = packet->command;
    uint32_t const attributes = command_attributes(command);
    uint64_t const now_ps = sim_now_ps(crossbar->noc.sim), line = crossbar_line_of(crossbar, packet);
    uint64_t until_ps, when_ps;

    HOT_ASSERT(!step.towards_memory && step.port < crossbar->noc.cpu_port_count);
    if (!layer_try(&destination->response_layer, (struct layer_source){SOURCE_RESPONSE, (uint8_t)port}))
        return false;
    packet->route_count--;
    until_ps = annotate(crossbar, packet, attributes, crossbar_edge_ps(crossbar), crossbar->noc.response_ps);
    crossbar_count_packet(crossbar, step.port, port, command, data_bytes(packet, attributes));
    if (is_tracked(crossbar, packet, step.port))
        snoop_filter_response(&crossbar->filter, line, step.port, packet);
    when_ps = now_ps + packet->header_delay_ps;
    packet->header_delay_ps = 0;
    packet_queue_push(&destination->response_queue, packet, when_ps);
    above_response_bound(&destination->above, packet, when_ps);
    layer_succeeded(&destination->response_layer, until_ps);
    return true;
}

/* A snoop from below, in zero time. */
static void recv_snoop(void *self, struct packet *packet, unsigned port)
{
    struct crossbar *const crossbar = self;
    uint32_t const attributes = command_attributes(packet->command);
    uint64_t targets = crossbar->snooping_mask;

    crossbar->stats.trans_dist[packet->command]++;
    count_snoop(crossbar, data_bytes(packet, attributes));
    annotate(crossbar, packet, attributes, crossbar_edge_ps(crossbar), crossbar->snoop_ps);
    if (crossbar->noc.role.snoop_filter) {
        packet->header_delay_ps += (uint32_t)crossbar->lookup_ps;
        targets = snoop_filter_snoop(&crossbar->filter, crossbar_line_of(crossbar, packet),
                                     (attributes & ATTR_INVALIDATE) != 0);
    }
    push_route(packet, port, true);
    snoop_above(crossbar, packet, targets);
    packet->route_count--;
    charge_snoop_delay(packet);
}

static bool pass_snoop_response_down(struct crossbar *crossbar, struct packet *packet, unsigned cpu_port,
                                     unsigned memory_port)
{
    struct crossbar_memory_port *const destination = &crossbar->memory_ports[memory_port];
    struct layer_source const source = {SOURCE_SNOOP_RESPONSE, (uint8_t)cpu_port};
    uint32_t const attributes = command_attributes(packet->command);
    uint64_t const bytes = data_bytes(packet, attributes);
    uint64_t until_ps;
    bool accepted;

    if (!layer_try(&destination->snoop_layer, source))
        return false;
    packet->route_count--;
    until_ps = annotate(crossbar, packet, attributes, crossbar_edge_ps(crossbar), crossbar->snoop_response_ps);
    if (crossbar->noc.role.snoop_filter)
        snoop_filter_snoop_response_down(&crossbar->filter, crossbar_line_of(crossbar, packet), packet->has_sharers);
    crossbar_count_packet(crossbar, cpu_port, memory_port, packet->command, bytes);
    count_snoop(crossbar, bytes);
    accepted = destination->below.ops->recv_snoop_response(destination->below.self, packet, destination->below.port);
    assert(accepted);                    /* caches queue snoop responses */
    (void)accepted;
    layer_succeeded(&destination->snoop_layer, until_ps);
    return true;
}

static bool pass_snoop_response_as_response(struct crossbar *crossbar, struct packet *packet, unsigned cpu_port,
                                            unsigned requester)
{
    struct crossbar_cpu_port *const destination = &crossbar->cpu_ports[requester];
    struct layer_source const source = {SOURCE_SNOOP_RESPONSE_AS_RESPONSE, (uint8_t)cpu_port};
    uint32_t const attributes = command_attributes(packet->command);
    uint64_t until_ps;

    if (!layer_try(&destination->response_layer, source))
        return false;
    packet->route_count--;
    until_ps = annotate(crossbar, packet, attributes, crossbar_edge_ps(crossbar), crossbar->noc.response_ps);
    crossbar->stats.trans_dist[packet->command]++;
    count_snoop(crossbar, data_bytes(packet, attributes));
    if (is_tracked(crossbar, packet, requester))
        snoop_filter_snoop_response_up(&crossbar->filter, crossbar_line_of(crossbar, packet), packet->has_sharers,
                                       requester);
    queue_response(crossbar, packet, requester, sim_now_ps(crossbar->noc.sim));
    layer_succeeded(&destination->response_layer, until_ps);
    return true;
}

static bool crossbar_recv_snoop_response(void *self, struct packet *packet, unsigned port)
{
    struct route_step const step = route_top(packet);

    if (step.towards_memory)
        return pass_snoop_response_down(self, packet, port, step.port);
    return pass_snoop_response_as_response(self, packet, port, step.port);
}

static void crossbar_recv_request_retry(void *self, unsigned port)
{
    struct crossbar *const crossbar = self;
    struct crossbar_memory_port *const destination = &crossbar->memory_ports[port];
    bool const refused_command = destination->command_layer.peer_refused;

    assert(destination->request_layer.peer_refused || refused_command);
    if (destination->request_layer.peer_refused)
        layer_peer_retry(&destination->request_layer);
    if (refused_command)
        layer_peer_retry(&destination->command_layer);
}

/* Only a crossbar right above this one refuses responses. */
static void crossbar_recv_response_retry(void *self, unsigned port)
{
    struct crossbar *const crossbar = self;

    packet_queue_retry(&crossbar->cpu_ports[port].response_queue);
}

/* Caches below never refuse a snoop response. */
static void recv_snoop_response_retry(void *self, unsigned port)
{
    (void)port;
    assert(!self);
}

const struct below_ops crossbar_coherent_below_ops = {crossbar_recv_request, crossbar_recv_response_retry,
                                                      crossbar_recv_snoop_response};
const struct below_ops crossbar_noncoherent_below_ops = {recv_request_noncoherent, crossbar_recv_response_retry, NULL};

/* It has its header delay then, and perhaps waits for its layer. */
static void response_bound(void *self, const struct packet *packet, uint64_t when_ps)
{
    const struct crossbar *const crossbar = self;

    above_response_bound(&crossbar->cpu_ports[route_top(packet).port].above, packet,
                         when_ps + crossbar->noc.response_ps);
}

static const struct above_ops above_ops = {crossbar_recv_response, crossbar_recv_request_retry, recv_snoop,
                                           recv_snoop_response_retry, NULL};
static const struct above_ops bounding_above_ops = {crossbar_recv_response, crossbar_recv_request_retry, recv_snoop,
                                                    recv_snoop_response_retry, response_bound};

static struct below below(struct noc *noc, unsigned cpu_port)
{
    return (struct below){.ops = noc->role.coherent ? &crossbar_coherent_below_ops : &crossbar_noncoherent_below_ops,
                          .self = noc, .port = cpu_port};
}

static struct above above(struct noc *noc, unsigned memory_port)
{
    const struct crossbar *const crossbar = crossbar_of(noc);

    return (struct above){.ops = crossbar->wants_response_bounds ? &bounding_above_ops : &above_ops, .self = noc,
                          .port = memory_port, .is_snooping = noc->role.coherent};
}

static struct below *neighbour(struct noc *noc, unsigned memory_port)
{
    return &crossbar_of(noc)->memory_ports[memory_port].below;
}

bool crossbar_is_above(const struct above *above)
{
    return above->ops == &above_ops || above->ops == &bounding_above_ops;
}

static void set_latencies(struct crossbar *crossbar, const struct noc_params *params)
{
    struct noc *const noc = &crossbar->noc;
    uint64_t const period_ps = params->clock_ps;

    noc->response_ps = params->response_latency_cyc * period_ps;
    crossbar->request_ps = (params->frontend_latency_cyc + params->forward_latency_cyc) * period_ps;
    crossbar->snoop_ps = params->forward_latency_cyc * period_ps;
    crossbar->snoop_response_ps = params->snoop_response_latency_cyc * period_ps;
    crossbar->header_ps = (noc->role.coherent ? params->header_latency_cyc : 1) * period_ps;
    crossbar->has_command_path = noc->role.coherent && params->command_path != 0;
    crossbar->lookup_ps = noc->role.lookup_latency_cyc * period_ps;
    crossbar->line_payload_ps = clock_cycles(noc->sim->line_bytes, params->width_bytes) * period_ps;
}

static struct fault init_cpu_port(struct crossbar *crossbar, struct crossbar_cpu_port *port)
{
    const struct noc *const noc = &crossbar->noc;
    unsigned const sources = noc->max_memory_ports + noc->max_cpu_ports;

    FORWARD(packet_queue_init_responses(&port->response_queue, noc->sim, &port->above, false));
    return layer_init(&port->response_layer, noc->sim, noc->clock.period_ps, sources, retry_source, crossbar);
}

static struct fault init_memory_port(struct crossbar *crossbar, struct crossbar_memory_port *port)
{
    unsigned const sources = crossbar->noc.max_cpu_ports;
    uint64_t const period_ps = crossbar->noc.clock.period_ps;

    FORWARD(layer_init(&port->request_layer, crossbar->noc.sim, period_ps, sources, retry_source, crossbar));
    if (crossbar->has_command_path)
        FORWARD(layer_init(&port->command_layer, crossbar->noc.sim, period_ps, sources, retry_source, crossbar));
    return layer_init(&port->snoop_layer, crossbar->noc.sim, period_ps, sources, retry_source, crossbar);
}

static struct fault init(struct noc *noc, const struct noc_params *params)
{
    struct crossbar *const crossbar = crossbar_of(noc);

    set_latencies(crossbar, params);
    crossbar->cpu_ports = calloc(noc->max_cpu_ports, sizeof *crossbar->cpu_ports);
    crossbar->memory_ports = calloc(noc->max_memory_ports, sizeof *crossbar->memory_ports);
    crossbar->spans = calloc(noc->max_memory_ports, sizeof *crossbar->spans);
    crossbar->stats.snoop_fanout = calloc(noc->max_cpu_ports + 1, sizeof *crossbar->stats.snoop_fanout);
    if (!crossbar->cpu_ports || !crossbar->memory_ports || !crossbar->spans || !crossbar->stats.snoop_fanout)
        return fault_make(FAULT_MEMORY, "out of memory for the ports of %s", noc->name);
    for (unsigned i = 0; i < noc->max_cpu_ports; i++)
        FORWARD(init_cpu_port(crossbar, &crossbar->cpu_ports[i]));
    for (unsigned i = 0; i < noc->max_memory_ports; i++)
        FORWARD(init_memory_port(crossbar, &crossbar->memory_ports[i]));
    return noc->role.snoop_filter ? snoop_filter_init(&crossbar->filter, noc->sim) : fault_none();
}

static void crossbar_end(struct noc *noc)
{
    struct crossbar *const crossbar = crossbar_of(noc);

    for (unsigned i = 0; crossbar->cpu_ports && i < noc->max_cpu_ports; i++) {
        packet_queue_free(&crossbar->cpu_ports[i].response_queue);
        layer_free(&crossbar->cpu_ports[i].response_layer);
    }
    for (unsigned i = 0; crossbar->memory_ports && i < noc->max_memory_ports; i++) {
        layer_free(&crossbar->memory_ports[i].request_layer);
        layer_free(&crossbar->memory_ports[i].command_layer);
        layer_free(&crossbar->memory_ports[i].snoop_layer);
    }
    snoop_filter_free(&crossbar->filter);
    free(crossbar->cpu_ports);
    free(crossbar->memory_ports);
    free(crossbar->spans);
    free(crossbar->stats.snoop_fanout);
    *crossbar = (struct crossbar){.noc = *noc};
}

static void connect_above(struct noc *noc, unsigned port, struct above requester, const char *peer_name)
{
    struct crossbar *const crossbar = crossbar_of(noc);

    crossbar->cpu_ports[port].above = requester;
    crossbar->cpu_ports[port].peer_name = peer_name;
    if (requester.is_snooping && noc->role.coherent)
        crossbar->snooping_mask |= UINT64_C(1) << port;
    crossbar->wants_response_bounds |= requester.ops->response_bound != NULL;
}

/* A channel joins the span of the one before it, or begins one. */
static void add_range(struct crossbar *crossbar, unsigned port, const struct address_range *range)
{
    if (range->number == 0)
        crossbar->spans[crossbar->span_count++]
            = (struct crossbar_span){range->first, range->end - range->first, range, port};
    assert(crossbar->span_count > 0);
    assert(port - crossbar->spans[crossbar->span_count - 1].port == range->number);
    assert(crossbar->spans[crossbar->span_count - 1].first == range->first);
}

static void connect_below(struct noc *noc, unsigned port, struct below component, const char *peer_name,
                          const struct address_range *range)
{
    struct crossbar *const crossbar = crossbar_of(noc);

    crossbar->memory_ports[port].below = component;
    crossbar->memory_ports[port].peer_name = peer_name;
    if (range)
        add_range(crossbar, port, range);
}

static void reset_stats(struct noc *noc)
{
    struct crossbar *const crossbar = crossbar_of(noc);
    struct crossbar_stats *const stats = &crossbar->stats;

    *stats = (struct crossbar_stats){.snoop_fanout = stats->snoop_fanout};
    for (unsigned i = 0; i <= noc->max_cpu_ports; i++)
        stats->snoop_fanout[i] = 0;
    for (unsigned i = 0; i < noc->max_cpu_ports; i++)
        crossbar->cpu_ports[i].response_layer.occupancy_ps = 0;
    for (unsigned i = 0; i < noc->max_memory_ports; i++) {
        crossbar->memory_ports[i].request_layer.occupancy_ps = 0;
        crossbar->memory_ports[i].command_layer.occupancy_ps = 0;
        crossbar->memory_ports[i].snoop_layer.occupancy_ps = 0;
    }
    crossbar->filter.stats = (struct snoop_filter_stats){0};
}

const struct noc_ops noc_crossbar = {
    .name = "crossbar", .tells_response_bounds = true, .own_bytes = sizeof(struct crossbar), .init = init,
    .free = crossbar_end,
    .connect_above = connect_above, .connect_below = connect_below, .below = below, .above = above,
    .neighbour = neighbour, .reset_stats = reset_stats, .add_stats = crossbar_add_stats
};

struct fault crossbar_init(struct crossbar *crossbar, struct sim *sim, const char *name,
                           const struct noc_params *params, const struct noc_role *role, unsigned max_cpu_ports,
                           unsigned max_memory_ports)
{
    *crossbar = (struct crossbar){.noc.ops = NULL};
    return noc_begin(&crossbar->noc, &noc_crossbar, sim, name, params, role, max_cpu_ports, max_memory_ports);
}
