/* memsys/noc/crossbar.h between scripted caches above and scripted memories below (classic-memory 5). */
#include "memsys/noc/crossbar.h"
#include "memsys/noc/noc_params.h"
#include "tests/support/unit.h"

#define PEERS 4
#define LINE 64

/* A cache above: the packets it saw, and its answers to snoops. */
struct peer_above {
    struct below below;
    unsigned number;
    bool answers_snoops, is_owner, has_copy, keeps_sharers;
    uint32_t snoop_delay_ps;
    struct packet *kept;             /* its snoop response, to be sent by the test */
    struct packet *refused;          /* request to send again on retry */
    struct packet *response;
    uint64_t response_ps, retry_ps;
    unsigned responses, snoops, retries, snoop_retries;
    uint32_t snoop_header_ps;
};

/* A cache or memory below. */
struct peer_below {
    struct above above;
    bool refuses;
    struct packet *requests[8];
    unsigned request_count, response_retries, snoop_responses;
    uint64_t response_retry_ps;
    struct packet *snoop_response;
    struct address_range range;
};

struct bench {
    struct sim sim;
    struct crossbar crossbar;
    struct peer_above above[PEERS];
    struct peer_below below[PEERS];
};

static struct bench bench;

static uint64_t now_ps(void)
{
    return sim_now_ps(&bench.sim);
}

static bool send(unsigned port, struct packet *packet)
{
    struct below const *const below = &bench.above[port].below;
    bool const accepted = below->ops->recv_request(below->self, packet, below->port);

    bench.above[port].refused = accepted ? NULL : packet;
    return accepted;
}

static bool send_snoop_response(unsigned port)
{
    struct below const *const below = &bench.above[port].below;
    bool const accepted = below->ops->recv_snoop_response(below->self, bench.above[port].kept, below->port);

    if (accepted)
        bench.above[port].kept = NULL;
    return accepted;
}

static bool respond(unsigned port, struct packet *packet)
{
    struct above const *const above = &bench.below[port].above;

    return above->ops->recv_response(above->self, packet, above->port);
}

static bool above_recv_response(void *self, struct packet *packet, unsigned port)
{
    struct peer_above *const peer = self;

    assert_int_equal(port, peer->number);
    peer->response = packet;
    peer->response_ps = now_ps();
    peer->responses++;
    return true;
}

static void above_recv_request_retry(void *self, unsigned port)
{
    struct peer_above *const peer = self;

    peer->retries++;
    peer->retry_ps = now_ps();
    if (peer->refused)
        send(port, peer->refused);
}

static void above_recv_snoop(void *self, struct packet *packet, unsigned port)
{
    struct peer_above *const peer = self;

    assert_int_equal(port, peer->number);
    peer->snoops++;
    peer->snoop_header_ps = packet->header_delay_ps;
    packet->snoop_delay_ps = (uint32_t)max_u64(packet->snoop_delay_ps, peer->snoop_delay_ps);
    packet->has_sharers |= peer->has_copy;
    if (peer->answers_snoops && packet_is(packet, ATTR_NEEDS_RESPONSE)) {
        packet->cache_responding = true;
        packet->responder_had_writable = peer->is_owner;
        peer->kept = packet_take_copy(bench.sim.packets, packet, true);
        peer->kept->has_sharers = peer->keeps_sharers;
        packet_make_response(peer->kept);
        peer->kept->header_delay_ps = peer->kept->payload_delay_ps = 0;
    }
}

static void above_recv_snoop_response_retry(void *self, unsigned port)
{
    struct peer_above *const peer = self;

    peer->snoop_retries++;
    peer->retry_ps = now_ps();
    assert_true(send_snoop_response(port));
}

static bool below_recv_request(void *self, struct packet *packet, unsigned port)
{
    struct peer_below *const peer = self;

    (void)port;
    if (peer->refuses)
        return false;
    peer->requests[peer->request_count++] = packet;
    return true;
}

static void below_recv_response_retry(void *self, unsigned port)
{
    struct peer_below *const peer = self;

    (void)port;
    peer->response_retries++;
    peer->response_retry_ps = now_ps();
}

static bool below_recv_snoop_response(void *self, struct packet *packet, unsigned port)
{
    struct peer_below *const peer = self;

    (void)port;
    peer->snoop_response = packet;
    peer->snoop_responses++;
    return true;
}

static const struct above_ops above_ops = {
    above_recv_response, above_recv_request_retry, above_recv_snoop, above_recv_snoop_response_retry, NULL
};
static const struct below_ops below_ops = {
    below_recv_request, below_recv_response_retry, below_recv_snoop_response
};

static const struct noc_params cache_bus = {NOC_CROSSBAR, 500, 32, 1, 0, 1, 1, 1, 0};
static const struct noc_params two_paths = {NOC_CROSSBAR, 500, 32, 1, 0, 1, 1, 0, 1};    /* command_path */
static const struct noc_params memory_bus = {NOC_CROSSBAR, 1000, 16, 3, 4, 2, 4, 1, 0};
/* Of all lines that these tests use, and their secure twins. */
static unsigned tracked_lines(void)
{
    unsigned count = 0;

    for (uint64_t i = 0; i < 2 * 65536; i++) {
        uint64_t const line = i % 65536 | (i < 65536 ? 0 : ADDRESS_SECURE >> bench.sim.line_shift);
        struct snoop_filter_entry const entry = snoop_filter_find(&bench.crossbar.filter, line);

        count += (entry.requested | entry.holders) != 0;
    }
    return count;
}

static const struct noc_role between_caches = {.coherent = true, .snoop_filter = true};
static const struct noc_role at_memory = {
    .coherent = true, .point_of_coherency = true, .snoop_filter = true, .lookup_latency_cyc = 1
};
static const struct noc_role noncoherent = {.coherent = false};

static void connect_below(unsigned port, const struct address_range *range)
{
    struct below const below = {.ops = &below_ops, .self = &bench.below[port], .port = port};

    bench.below[port].range = *range;
    assert_int_equal(noc_connect_below(&bench.crossbar.noc, below, "memory", &bench.below[port].range), port);
    bench.below[port].above = noc_above(&bench.crossbar.noc, port);
}

/* All CPU-side ports but the last snoop. */
static void build(const struct noc_params *params, const struct noc_role *role, unsigned above_count,
                  unsigned below_count)
{
    assert_int_equal(crossbar_init(&bench.crossbar, &bench.sim, "bus", params, role, PEERS, PEERS).kind, FAULT_NONE);
    for (unsigned i = 0; i < above_count; i++) {
        struct above const above = {.ops = &above_ops, .self = &bench.above[i], .port = i,
                                    .is_snooping = i != PEERS - 1};

        bench.above[i].number = i;
        assert_int_equal(noc_connect_above(&bench.crossbar.noc, above, "cache"), i);
        bench.above[i].below = noc_below(&bench.crossbar.noc, i);
    }
    for (unsigned i = 0; i < below_count; i++)
        connect_below(i, &(struct address_range){.first = i * 0x1000, .end = (i + 1) * 0x1000});
}

static int set_up(void **state)
{
    bench = (struct bench){0};
    sim_init(&bench.sim, LINE);
    return 0;
}

static void give(struct packet *packet)
{
    if (packet)
        packet_give(bench.sim.packets, packet);
}

/* Every packet is where the test says it is: no other one is lost or given twice. */
static int tear_down(void **state)
{
    noc_end(&bench.crossbar.noc);
    for (unsigned i = 0; i < PEERS; i++) {
        give(bench.above[i].refused);
        give(bench.above[i].kept);
        give(bench.above[i].response);
        give(bench.below[i].snoop_response);
        for (unsigned j = 0; j < bench.below[i].request_count; j++)
            give(bench.below[i].requests[j]);
    }
    assert_int_equal(bench.sim.packets->outstanding, 0);
    sim_free(&bench.sim);
    return 0;
}

/* Runs all events up to that tick; it is now. */
static void go_to(uint64_t tick_ps)
{
    while (event_queue_step(&bench.sim.events, tick_ps))
        ;
    bench.sim.events.now_ps = tick_ps;
}

static struct packet *packet_for(enum command command, uint64_t address)
{
    struct request const request = {.address = address, .size_bytes = LINE};

    return packet_take(bench.sim.packets, &request, command);
}

/* The last request that arrived below, taken out, turned into its response with no delays. */
static struct packet *answer_from(unsigned port)
{
    struct packet *const packet = bench.below[port].requests[--bench.below[port].request_count];

    packet_make_response(packet);
    packet->header_delay_ps = packet->payload_delay_ps = 0;
    return packet;
}

static const struct layer *request_layer(unsigned port)
{
    return &bench.crossbar.memory_ports[port].request_layer;
}

/* classic-memory 16.1, tol2bus: "hd=500; layer busy to 2500"; response at 12500 arrives at 13000, pd=1000 */
static void cache_bus_timeline(void **state)
{
    struct packet *packet = packet_for(CMD_ReadSharedReq, 0x40);

    build(&cache_bus, &between_caches, 2, 1);
    go_to(2000);
    assert_true(send(0, packet));
    assert_int_equal(bench.below[0].request_count, 1);
    assert_int_equal(packet->header_delay_ps, 500);
    assert_int_equal(packet->payload_delay_ps, 0);
    assert_int_equal(layer_release_ps(request_layer(0)), 2500);
    go_to(12500);
    packet = answer_from(0);
    assert_true(respond(0, packet));
    assert_int_equal(layer_release_ps(&bench.crossbar.cpu_ports[0].response_layer), 14000);
    go_to(20000);
    assert_int_equal(bench.above[0].response_ps, 13000);
    assert_int_equal(packet->header_delay_ps, 0);
    assert_int_equal(packet->payload_delay_ps, 1000);
    assert_int_equal(packet->route_count, 0);
}

/* classic-memory 16.1, membus: hd=8500, busy to 14000; response at 74750 arrives at 77000, pd=4000, busy to 80000 */
static void memory_bus_timeline(void **state)
{
    struct packet *packet = packet_for(CMD_ReadSharedReq, 0x40);

    build(&memory_bus, &at_memory, 1, 1);
    go_to(12500);
    assert_true(send(0, packet));
    assert_int_equal(packet->header_delay_ps, 8500);
    assert_int_equal(layer_release_ps(request_layer(0)), 14000);
    go_to(74750);
    packet = answer_from(0);
    assert_true(respond(0, packet));
    assert_int_equal(layer_release_ps(&bench.crossbar.cpu_ports[0].response_layer), 80000);
    go_to(90000);
    assert_int_equal(bench.above[0].response_ps, 77000);
    assert_int_equal(packet->payload_delay_ps, 4000);
}

/* "addresses that the new port owns": a memory of two channels, in stripes of 0x40, between two of one. Two senders
 * take turns. */
static void requests_find_their_channel(void **state)
{
    static const uint64_t sent[] = {0x1040, 0x0fc0, 0x1080, 0x3000, 0x2fc0, 0x0000, 0x1000 | ADDRESS_SECURE, 0x3fc0};
    static const unsigned ports[] = {2, 0, 1, 3, 2, 0, 1, 3};
    unsigned counts[PEERS] = {0};

    build(&memory_bus, &at_memory, 2, 0);
    connect_below(0, &(struct address_range){.first = 0, .end = 0x1000});
    for (uint32_t i = 0; i < 2; i++)
        connect_below(1 + i, &(struct address_range){.first = 0x1000, .end = 0x3000, .masks = {0x40}, .bit_count = 1,
                                                     .number = i});
    connect_below(3, &(struct address_range){.first = 0x3000, .end = 0x4000});
    for (unsigned i = 0; i < sizeof sent / sizeof *sent; i++) {
        unsigned const port = ports[i];

        go_to((i + 1) * 100000);
        assert_true(send(i % 2, packet_for(CMD_ReadSharedReq, sent[i])));
        assert_int_equal(bench.below[port].request_count, ++counts[port]);
        assert_int_equal(bench.below[port].requests[counts[port] - 1]->address, sent[i]);
    }
}

/* Refused senders are served in the order of their refusals; the path is busy for header and payload. */
static void senders_take_turns(void **state)
{
    build(&cache_bus, &between_caches, 3, 1);
    assert_true(send(1, packet_for(CMD_WritebackDirty, 0x40)));
    assert_false(send(2, packet_for(CMD_ReadSharedReq, 0x80)));
    assert_false(send(0, packet_for(CMD_ReadSharedReq, 0xc0)));
    assert_int_equal(bench.above[2].refused->header_delay_ps, 0);
    assert_int_equal(bench.above[2].refused->route_count, 0);
    go_to(10000);
    assert_int_equal(bench.above[2].retry_ps, 1500);    /* edge(1) + 64/32 cycles */
    assert_int_equal(bench.above[0].retry_ps, 2000);
    assert_int_equal(bench.below[0].requests[1]->address, 0x80);
    assert_int_equal(bench.below[0].requests[2]->address, 0xc0);
    assert_int_equal(request_layer(0)->occupancy_ps, 2500);
}

/* With a path for commands they pass data, and each other one a cycle; data wait for data only. */
static void commands_pass_data(void **state)
{
    build(&two_paths, &between_caches, 3, 1);
    go_to(100);
    assert_true(send(0, packet_for(CMD_WritebackDirty, 0x40)));
    assert_true(send(1, packet_for(CMD_ReadSharedReq, 0x80)));
    assert_false(send(2, packet_for(CMD_ReadSharedReq, 0xc0)));
    assert_false(send(0, packet_for(CMD_WritebackDirty, 0x100)));
    go_to(10000);
    assert_int_equal(bench.above[2].retry_ps, 500);
    assert_int_equal(bench.above[0].retry_ps, 1500);    /* edge(0) + 64/32 cycles */
    assert_int_equal(bench.below[0].request_count, 4);
    assert_int_equal(request_layer(0)->occupancy_ps, 1400 + 1000);
}

/* The component below refuses on both paths and calls once. */
static void both_paths_are_retried(void **state)
{
    struct above const *above;

    build(&two_paths, &between_caches, 2, 1);
    above = &bench.below[0].above;
    bench.below[0].refuses = true;
    assert_false(send(0, packet_for(CMD_WritebackDirty, 0x40)));
    assert_false(send(1, packet_for(CMD_ReadSharedReq, 0x80)));
    go_to(3000);
    above->ops->recv_request_retry(above->self, above->port);    /* refused again */
    assert_int_equal(bench.above[0].retries + bench.above[1].retries, 2);
    bench.below[0].refuses = false;
    go_to(5000);
    above->ops->recv_request_retry(above->self, above->port);
    assert_int_equal(bench.below[0].request_count, 2);
    assert_int_equal(bench.below[0].requests[0]->address, 0x40);    /* data first */
    go_to(10000);
    bench.below[0].refuses = true;
    assert_false(send(1, packet_for(CMD_ReadSharedReq, 0xc0)));    /* on that of commands alone */
    bench.below[0].refuses = false;
    go_to(12000);
    above->ops->recv_request_retry(above->self, above->port);
    assert_int_equal(bench.below[0].request_count, 3);
}

/* Until the component below calls recv_request_retry no packet passes; the packet is as it was; the filter forgot
 * it. */
static void refusal_below_undoes_the_request(void **state)
{
    struct packet *const packet = packet_for(CMD_ReadExReq, 0x40);
    struct above const *above;

    build(&cache_bus, &between_caches, 2, 1);
    above = &bench.below[0].above;
    packet->header_delay_ps = 77;
    bench.below[0].refuses = true;
    go_to(100);
    assert_false(send(0, packet));
    assert_int_equal(packet->header_delay_ps, 77);
    assert_int_equal(packet->route_count, 0);
    assert_int_equal(tracked_lines(), 0);
    assert_int_equal(layer_release_ps(request_layer(0)), 1000);
    assert_false(send(1, packet_for(CMD_ReadSharedReq, 0x80)));
    go_to(3000);
    assert_int_equal(bench.above[0].retries + bench.above[1].retries, 0);
    bench.below[0].refuses = false;
    above->ops->recv_request_retry(above->self, above->port);
    assert_int_equal(bench.above[0].retries, 1);
    assert_int_equal(bench.below[0].requests[0]->address, 0x40);
    assert_int_equal(packet->header_delay_ps, 77 + 500);
    go_to(4000);
    assert_int_equal(bench.above[1].retry_ps, 3500);
    assert_int_equal(tracked_lines(), 2);
    assert_int_equal(bench.crossbar.filter.stats.tot_requests, 3);
    assert_int_equal(request_layer(0)->occupancy_ps, 900 + 500 + 500);
}

/* A read of a line that a cache above has modified ends here; that cache's snoop response becomes the response. */
static void snoop_hit_is_answered_above(void **state)
{
    struct peer_above *const owner = &bench.above[1];

    build(&cache_bus, &between_caches, 3, 1);
    assert_true(send(1, packet_for(CMD_ReadExReq, 0x40)));
    go_to(1000);
    assert_true(respond(0, answer_from(0)));
    go_to(4000);
    owner->answers_snoops = owner->is_owner = true;
    owner->snoop_delay_ps = 1000;
    assert_true(send(0, packet_for(CMD_ReadSharedReq, 0x40)));
    assert_int_equal(bench.below[0].request_count, 0);
    assert_int_equal(owner->snoops, 1);
    assert_int_equal(bench.above[2].snoops, 0);
    assert_int_equal(bench.sim.packets->outstanding, 2);    /* the answer of 1 and its snoop response */
    assert_int_equal(owner->kept->route_count, 1);
    go_to(6200);
    assert_true(send_snoop_response(1));
    assert_int_equal(layer_release_ps(&bench.crossbar.cpu_ports[0].response_layer), 6500 + 500 + 1000);
    go_to(9000);
    assert_int_equal(bench.above[0].response_ps, 7000);    /* offset 300, one cycle */
    assert_int_equal(bench.above[0].response->command, CMD_ReadResp);
    assert_int_equal(bench.above[0].response->route_count, 0);
    assert_int_equal(snoop_filter_find(&bench.crossbar.filter, 1).holders, 1);
    assert_int_equal(snoop_filter_find(&bench.crossbar.filter, 1).requested, 0);
    assert_int_equal(bench.crossbar.stats.snoops, 1);
    assert_int_equal(bench.crossbar.stats.snoop_traffic_bytes, 64);
    assert_int_equal(bench.crossbar.stats.snoop_fanout[0], 1);
    assert_int_equal(bench.crossbar.stats.snoop_fanout[1], 1);
}

/* An owner that is not writable: copies elsewhere must be invalidated, so the request is forwarded, express, past a
 * busy path. */
static void request_for_an_owned_line_is_forwarded_express(void **state)
{
    struct packet *packet = packet_for(CMD_ReadExReq, 0x40);

    build(&cache_bus, &between_caches, 2, 1);
    send(1, packet_for(CMD_ReadSharedReq, 0x40));
    go_to(1000);
    bench.above[1].answers_snoops = bench.above[1].keeps_sharers = true;
    assert_true(send(0, packet));
    assert_int_equal(bench.below[0].request_count, 2);
    assert_true(packet->express_snoop && packet->cache_responding);
    assert_int_equal(packet->route_count, 0);
    assert_false(send(1, packet_for(CMD_CleanEvict, 0x80)));    /* it occupies the path all the same */
    packet = packet_for(CMD_ReadExReq, 0x100);                  /* a cache above has sent this one as a copy */
    packet->express_snoop = packet->cache_responding = true;
    assert_true(send(0, packet));
    assert_int_equal(bench.below[0].request_count, 3);
    assert_int_equal(bench.crossbar.stats.snoops, 1);
    assert_int_equal(bench.crossbar.stats.snoop_traffic_bytes, 0);
    assert_int_equal(noc_traffic(&bench.crossbar.noc, 0, 0)->packets, 2);
    go_to(2000);
    assert_true(send_snoop_response(1));
    go_to(3000);
    assert_int_equal(bench.above[0].responses, 1);
    assert_int_equal(bench.above[0].response->command, CMD_ReadExResp);
}

/* The point of coherency answers upgrades and invalidations: edge(0) + (3 + 4 + 1) cycles later, no response layer */
static void point_of_coherency_answers_upgrades(void **state)
{
    static const enum command requests[] = {CMD_UpgradeReq, CMD_InvalidateReq, CMD_SCUpgradeReq};
    static const enum command responses[] = {CMD_UpgradeResp, CMD_InvalidateResp, CMD_UpgradeResp};

    build(&memory_bus, &at_memory, 1, 1);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t const start_ps = 100000 * (i + 1);

        go_to(start_ps + 300);
        assert_true(send(0, packet_for(requests[i], 0x40)));
        assert_int_equal(layer_release_ps(request_layer(0)), start_ps + 2000);
        go_to(start_ps + 50000);
        assert_int_equal(bench.above[0].response->command, responses[i]);
        /* header delay: offset 700, 8 cycles; the offset is charged once more by the edge */
        assert_int_equal(bench.above[0].response_ps, start_ps + 1000 + 700 + 8000);
        assert_int_equal(bench.above[0].response->route_count, 0);
        give(bench.above[0].response);
        bench.above[0].response = NULL;
    }
    assert_int_equal(bench.below[0].request_count, 0);
    assert_int_equal(bench.crossbar.cpu_ports[0].response_layer.occupancy_ps, 0);
    assert_int_equal(bench.crossbar.stats.trans_dist[CMD_UpgradeReq], 1);
    assert_int_equal(bench.crossbar.stats.trans_dist[CMD_UpgradeResp], 0);
    assert_int_equal(snoop_filter_find(&bench.crossbar.filter, 1).holders, 1);
}

/* Clean evictions end at the point of coherency, after a cycle on the path; write-backs are forwarded. */
static void clean_evictions_end_at_the_point_of_coherency(void **state)
{
    build(&memory_bus, &at_memory, 1, 1);
    assert_true(send(0, packet_for(CMD_CleanEvict, 0x40)));
    assert_int_equal(bench.sim.packets->outstanding, 0);
    assert_int_equal(layer_release_ps(request_layer(0)), 1000);
    assert_int_equal(noc_traffic(&bench.crossbar.noc, 0, 0)->packets, 1);
    assert_int_equal(noc_traffic(&bench.crossbar.noc, 0, 0)->bytes, 0);
    assert_int_equal(bench.crossbar.stats.snoop_fanout[0], 0);
    go_to(2000);
    assert_true(send(0, packet_for(CMD_WritebackDirty, 0x40)));
    assert_int_equal(bench.below[0].request_count, 1);
    assert_int_equal(bench.below[0].requests[0]->route_count, 0);
    assert_int_equal(noc_traffic(&bench.crossbar.noc, 0, 0)->bytes, 64);
}

/* An eviction of a line that another port holds: a clean one ends here, a dirty one is forwarded, marked. No
 * snoops. */
static void evictions_learn_of_other_copies(void **state)
{
    build(&cache_bus, &between_caches, 2, 1);
    for (unsigned port = 0; port < 2; port++) {
        assert_true(send(port, packet_for(CMD_ReadSharedReq, 0x40)));
        go_to(now_ps() + 5000);
        assert_true(respond(0, answer_from(0)));
        go_to(now_ps() + 5000);
    }
    assert_true(send(0, packet_for(CMD_WritebackClean, 0x40)));
    assert_int_equal(bench.below[0].request_count, 0);
    go_to(now_ps() + 5000);
    assert_int_equal(snoop_filter_find(&bench.crossbar.filter, 1).holders, 2);
    assert_true(send(0, packet_for(CMD_WritebackDirty, 0x40)));
    assert_int_equal(bench.below[0].request_count, 1);
    assert_true(bench.below[0].requests[0]->block_cached);
    assert_int_equal(bench.above[1].snoops, 0);
    go_to(now_ps() + 5000);
    assert_true(send(1, packet_for(CMD_CleanEvict, 0x40)));
    assert_int_equal(bench.below[0].request_count, 2);
    assert_false(bench.below[0].requests[1]->block_cached);
}

/* A snoop from below reaches the holders, in zero time; an answer goes down through the snoop layer of that port. */
static void snoops_from_below(void **state)
{
    struct request const request = {.address = 0x40, .size_bytes = LINE};
    struct packet snoop;
    struct above const *above;

    build(&memory_bus, &(struct noc_role){.coherent = true, .lookup_latency_cyc = 1}, 4, 1);
    above = &bench.below[0].above;
    assert_true(above->is_snooping);
    bench.above[1].answers_snoops = bench.above[1].is_owner = true;
    bench.above[0].snoop_delay_ps = 3000;
    bench.above[1].snoop_delay_ps = 2000;
    go_to(500);
    packet_init(&snoop, &request, CMD_ReadExReq);
    snoop.express_snoop = true;
    above->ops->recv_snoop(above->self, &snoop, above->port);
    for (unsigned i = 0; i < PEERS; i++)
        assert_int_equal(bench.above[i].snoops, i != PEERS - 1);    /* the last does not snoop; no filter */
    assert_int_equal(bench.above[0].snoop_header_ps, 500 + 4000);
    assert_int_equal(snoop.header_delay_ps, 500 + 4000 + 3000);
    assert_int_equal(snoop.snoop_delay_ps, 0);
    assert_true(snoop.cache_responding && snoop.responder_had_writable);
    assert_int_equal(snoop.route_count, 0);
    assert_int_equal(bench.crossbar.stats.snoop_fanout[3], 1);

    go_to(5000);
    assert_true(send_snoop_response(1));
    assert_int_equal(bench.below[0].snoop_responses, 1);
    assert_int_equal(bench.below[0].snoop_response->header_delay_ps, 4000);
    assert_int_equal(bench.below[0].snoop_response->payload_delay_ps, 4000);
    assert_int_equal(bench.below[0].snoop_response->route_count, 0);
    assert_int_equal(layer_release_ps(&bench.crossbar.memory_ports[0].snoop_layer), 10000);
    assert_int_equal(bench.crossbar.stats.snoops, 2);
    assert_int_equal(bench.crossbar.stats.trans_dist[CMD_ReadExReq], 1);
    assert_int_equal(bench.crossbar.stats.trans_dist[CMD_ReadExResp], 1);
    assert_int_equal(noc_traffic(&bench.crossbar.noc, 1, 0)->packets, 1);
}

/* A snoop response that finds its path busy waits with its way back intact, then goes; the two kinds wait apart. */
static void refused_snoop_responses_are_retried(void **state)
{
    struct request const request = {.address = 0x80, .size_bytes = LINE};
    struct packet snoop;
    struct above const *above;

    build(&cache_bus, &(struct noc_role){.coherent = true}, 3, 1);
    above = &bench.below[0].above;
    for (unsigned i = 1; i < 3; i++) {
        bench.above[i].answers_snoops = true;
        packet_init(&snoop, &request, CMD_ReadSharedReq);
        above->ops->recv_snoop(above->self, &snoop, above->port);
        bench.above[i].answers_snoops = false;
    }
    assert_true(send_snoop_response(1));
    assert_false(send_snoop_response(2));
    assert_int_equal(bench.above[2].kept->route_count, 1);
    give(bench.below[0].snoop_response);
    go_to(1500);
    assert_int_equal(bench.above[2].snoop_retries, 1);
    assert_int_equal(bench.above[2].retry_ps, 1500);
    assert_int_equal(bench.below[0].snoop_responses, 2);

    go_to(10000);
    bench.above[2].answers_snoops = bench.above[2].is_owner = true;
    assert_true(send(0, packet_for(CMD_ReadSharedReq, 0x40)));
    bench.above[2].answers_snoops = false;
    assert_int_equal(bench.above[0].snoops, 2);    /* those from below: a port is not snooped by its own request */
    go_to(11000);
    assert_true(send(0, packet_for(CMD_ReadReq, 0x100)));
    assert_true(respond(0, answer_from(0)));
    assert_false(send_snoop_response(2));    /* the response path of port 0 is busy until 12500 */
    assert_int_equal(bench.above[2].kept->route_count, 1);
    go_to(12000);
    give(bench.above[0].response);
    go_to(14000);
    assert_int_equal(bench.above[2].retry_ps, 12500);
    assert_int_equal(bench.above[0].response_ps, 13000);
    assert_int_equal(bench.above[0].responses, 2);
}

/* A busy response path refuses responses, unchanged, and tells the memories in order. */
static void responses_wait_for_their_path(void **state)
{
    struct packet *first, *second;

    build(&memory_bus, &at_memory, 1, 2);
    assert_true(send(0, packet_for(CMD_ReadSharedReq, 0x40)));
    assert_true(send(0, packet_for(CMD_ReadSharedReq, 0x1040)));    /* another memory, another path */
    first = answer_from(0);
    second = answer_from(1);
    go_to(20000);
    assert_true(respond(1, second));
    assert_false(respond(0, first));
    assert_int_equal(first->header_delay_ps, 0);
    assert_int_equal(first->route_count, 1);
    go_to(26000);
    assert_int_equal(bench.below[0].response_retries, 1);
    assert_int_equal(bench.below[0].response_retry_ps, 25000);
    give(bench.above[0].response);
    go_to(30000);
    assert_true(respond(0, first));
    go_to(40000);
    assert_int_equal(bench.above[0].response_ps, 32000);
}

/* "until = edge(1) + pkt.pd: header_latency is not used"; no answers of its own, no snoops, no filter latency */
static void noncoherent_crossbar_ignores_header_latency(void **state)
{
    struct noc_params params = memory_bus;
    struct packet *packet = packet_for(CMD_ReadReq, 0x40);

    params.header_latency_cyc = 5;
    build(&params, &noncoherent, 1, 1);
    assert_false(bench.below[0].above.is_snooping);
    assert_true(send(0, packet));
    assert_int_equal(packet->header_delay_ps, 7000);
    assert_int_equal(layer_release_ps(request_layer(0)), 1000);
    go_to(10000);
    packet = answer_from(0);
    assert_true(respond(0, packet));
    assert_int_equal(layer_release_ps(&bench.crossbar.cpu_ports[0].response_layer), 15000);
    assert_true(send(0, packet_for(CMD_WritebackDirty, 0x80)));
    assert_int_equal(bench.below[0].requests[0]->route_count, 0);
    assert_int_equal(layer_release_ps(request_layer(0)), 15000);
    bench.below[0].refuses = true;
    go_to(20000);
    packet = packet_for(CMD_ReadReq, 0xc0);
    assert_false(send(0, packet));
    assert_int_equal(packet->header_delay_ps, 0);
    assert_int_equal(packet->route_count, 0);
    assert_int_equal(bench.crossbar.stats.snoop_fanout[0], 0);
}

/* The same parameter counts in a coherent one. */
static void coherent_crossbar_uses_header_latency(void **state)
{
    struct noc_params params = memory_bus;

    params.header_latency_cyc = 5;
    build(&params, &at_memory, 1, 1);
    assert_true(send(0, packet_for(CMD_ReadSharedReq, 0x40)));
    assert_int_equal(layer_release_ps(request_layer(0)), 5000);
}

/* Routing looks at the address without ADDRESS_SECURE; the filter takes the two lines for different ones. */
static void secure_requests_are_routed_alike_and_tracked_apart(void **state)
{
    build(&memory_bus, &at_memory, 2, 3);
    assert_true(send(0, packet_for(CMD_ReadExReq, 0x1040 | ADDRESS_SECURE)));
    go_to(50000);
    assert_true(send(1, packet_for(CMD_ReadExReq, 0x1040)));
    assert_true(send(1, packet_for(CMD_ReadExReq, 0x2040)));
    assert_int_equal(bench.below[1].request_count, 2);
    assert_int_equal(bench.below[2].request_count, 1);
    assert_int_equal(tracked_lines(), 3);
    assert_int_equal(bench.above[0].snoops, 0);
    assert_int_equal(noc_traffic(&bench.crossbar.noc, 1, 2)->packets, 1);
    assert_int_equal(noc_traffic(&bench.crossbar.noc, 1, 0)->packets, 0);
}

/* Payload of an odd size: rounded up to whole cycles */
static void payload_is_rounded_up(void **state)
{
    struct request const request = {.address = 0x40, .size_bytes = 17};
    struct packet *const packet = packet_take(bench.sim.packets, &request, CMD_WriteReq);

    build(&memory_bus, &at_memory, 1, 1);
    packet->payload_delay_ps = 1999;
    assert_true(send(0, packet));
    assert_int_equal(packet->payload_delay_ps, 2000);
    assert_int_equal(layer_release_ps(request_layer(0)), 3000);
    assert_int_equal(noc_traffic(&bench.crossbar.noc, 0, 0)->bytes, 17);
}

static void reset_clears_all_statistics(void **state)
{
    struct crossbar_stats const *const stats = &bench.crossbar.stats;

    build(&cache_bus, &between_caches, 2, 1);
    send(0, packet_for(CMD_ReadSharedReq, 0x40));
    send(1, packet_for(CMD_ReadSharedReq, 0x40));
    go_to(5000);
    assert_true(respond(0, answer_from(0)));
    go_to(8000);
    assert_int_equal(noc_traffic(&bench.crossbar.noc, 1, 0)->bytes, 64);
    noc_reset_stats(&bench.crossbar.noc);
    assert_int_equal(stats->trans_dist[CMD_ReadSharedReq] + stats->trans_dist[CMD_ReadResp], 0);
    assert_int_equal(stats->snoop_fanout[0] + stats->snoop_fanout[1], 0);
    assert_int_equal(noc_traffic(&bench.crossbar.noc, 0, 0)->packets, 0);
    assert_int_equal(noc_traffic(&bench.crossbar.noc, 1, 0)->bytes, 0);
    assert_int_equal(request_layer(0)->occupancy_ps, 0);
    assert_int_equal(bench.crossbar.cpu_ports[1].response_layer.occupancy_ps, 0);
    assert_int_equal(bench.crossbar.filter.stats.tot_requests, 0);
    assert_int_equal(tracked_lines(), 1);    /* state stays */
}

/* "FAULT_INPUT if there are more ports than NOC_MAX_*" */
static void too_many_ports_are_refused(void **state)
{
    struct fault fault;

    fault = crossbar_init(&bench.crossbar, &bench.sim, "bus", &cache_bus, &between_caches, 65, 1);
    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_string_equal(fault_text(fault),
                        "bus: 65 ports towards the cores and 1 towards memory; give 1 to 64 and 1 to 256");
    noc_end(&bench.crossbar.noc);
    fault = crossbar_init(&bench.crossbar, &bench.sim, "bus", &cache_bus, &between_caches, 64, 256);
    assert_int_equal(fault.kind, FAULT_NONE);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cache_bus_timeline),
        TEST(memory_bus_timeline),
        TEST(requests_find_their_channel),
        TEST(senders_take_turns),
        TEST(commands_pass_data),
        TEST(both_paths_are_retried),
        TEST(refusal_below_undoes_the_request),
        TEST(snoop_hit_is_answered_above),
        TEST(request_for_an_owned_line_is_forwarded_express),
        TEST(point_of_coherency_answers_upgrades),
        TEST(clean_evictions_end_at_the_point_of_coherency),
        TEST(evictions_learn_of_other_copies),
        TEST(snoops_from_below),
        TEST(refused_snoop_responses_are_retried),
        TEST(responses_wait_for_their_path),
        TEST(noncoherent_crossbar_ignores_header_latency),
        TEST(coherent_crossbar_uses_header_latency),
        TEST(secure_requests_are_routed_alike_and_tracked_apart),
        TEST(payload_is_rounded_up),
        TEST(reset_clears_all_statistics),
        TEST(too_many_ports_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
