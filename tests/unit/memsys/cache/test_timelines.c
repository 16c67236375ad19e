/* Timelines derived by hand from the spec, for what no reference run covers: an owner that answers its neighbour while
 * others beyond their L2 hold copies (classic-memory 4.11, 5.4, 5.6), an exclusive L2 under clean write-backs (4.12),
 * sequential access (4.5), the write allocator (4.13), the memory-side cache's own rules (4.14).
 *
 * Everything runs at 1 GHz: P = 1000 ps. Caches have T = Dl = Rl = 1 unless the test says otherwise. Buses: request 1
 * cycle, response 1, snoop response 1, 64 bytes a cycle, filters without latency. Memory answers 10000 ps after the
 * delay that it must charge. */
#include "memsys/cache/cache_params.h"
#include "memsys/dram/memory_params.h"
#include "memsys/noc/crossbar.h"
#include "memsys/cache/cache.h"
#include "memsys/dram/simple_memory.h"
#include "memsys/noc/noc_params.h"
#include "tests/support/unit.h"

enum { P = 1000, MOST = 8, MOST_SENT = 64 };

struct seen {
    uint64_t when_ps, address;
    unsigned command;
};

/* A core's port: sends what the test says, keeps the ticks of the answers. */
struct port {
    struct below cache;
    struct seen answers[MOST_SENT];
    unsigned count;
};

static struct {
    struct sim sim;
    struct cache caches[MOST];
    struct crossbar buses[MOST];
    struct simple_memory memory;
    struct port ports[MOST];
    unsigned cache_count, bus_count, port_count;
    struct seen sent[MOST_SENT];         /* what the caches of a single level sent down, from the log */
    unsigned sent_count;
    const char *watched;                 /* component whose sends are kept */
} tree;

static bool take_answer(void *self, struct packet *packet, unsigned port)
{
    struct port *const to = self;

    (void)port;
    to->answers[to->count++] = (struct seen){sim_now_ps(&tree.sim), packet->address, packet->command};
    packet_give(tree.sim.packets, packet);
    return true;
}

static void no_retry(void *self, unsigned port)
{
    (void)self;
    (void)port;
    fail_msg("nothing is refused here");
}

static void ignore_snoop(void *self, struct packet *packet, unsigned port)
{
    (void)self;
    (void)packet;
    (void)port;
}

static void keep_send(void *context, uint64_t tick_ps, const char *component, const char *what, const char *command,
                      uint64_t address, const char *details)
{
    unsigned number = 0;

    (void)context;
    (void)details;
    if (strcmp(component, tree.watched) != 0 || strcmp(what, "send") != 0)
        return;
    while (strcmp(command_table[number].name, command) != 0)
        number++;
    tree.sent[tree.sent_count++] = (struct seen){tick_ps, address, number};
}

static struct cache_params plain(void)
{
    return (struct cache_params){.size_bytes = 1024, .assoc = 2, .tag_latency_cyc = 1, .data_latency_cyc = 1,
                                 .response_latency_cyc = 1, .mshrs = 8, .targets_per_mshr = 16, .write_buffers = 8,
                                 .demand_mshr_reserve = 1, .clock_ps = P};
}

static void begin(const char *watched)
{
    memset(&tree, 0, sizeof tree);
    sim_init(&tree.sim, 64);
    sim_add_requestor(&tree.sim, "core");
    tree.watched = watched;
    tree.sim.log = (struct log_sink){keep_send, NULL};
}

static struct cache *add_cache(const char *name, const struct cache_params *params, bool is_memory_side)
{
    struct cache *const cache = &tree.caches[tree.cache_count++];

    if (is_memory_side)
        assert_int_equal(cache_init_memory_side(cache, &tree.sim, name, params).kind, FAULT_NONE);
    else
        assert_int_equal(cache_init(cache, &tree.sim, name, params).kind, FAULT_NONE);
    assert_int_equal(cache_start(cache).kind, FAULT_NONE);
    return cache;
}

static struct cache *add_level1(const char *name, const struct cache_params *params)
{
    static const struct above_ops ops = {take_answer, no_retry, ignore_snoop, no_retry, NULL};
    struct cache *const cache = add_cache(name, params, false);
    struct port *const port = &tree.ports[tree.port_count++];

    port->cache = cache_below_port(cache);
    cache->above = (struct above){.ops = &ops, .self = port, .is_snooping = true};
    return cache;
}

static struct crossbar *add_bus(const char *name, bool is_memory_bus, bool coherent)
{
    struct noc_params const params = {.clock_ps = P, .width_bytes = 64, .frontend_latency_cyc = 1,
                                           .response_latency_cyc = 1, .snoop_response_latency_cyc = 1,
                                           .header_latency_cyc = 1};
    struct noc_role const role = {.coherent = coherent, .point_of_coherency = is_memory_bus,
                                       .snoop_filter = coherent};
    struct crossbar *const bus = &tree.buses[tree.bus_count++];

    assert_int_equal(crossbar_init(bus, &tree.sim, name, &params, &role, 4, 1).kind, FAULT_NONE);
    return bus;
}

static void above_bus(struct cache *cache, struct crossbar *bus)
{
    cache->below = noc_below(&bus->noc, noc_connect_above(&bus->noc, cache_above_port(cache), cache->name));
}

static void below_bus(struct cache *cache, struct crossbar *bus)
{
    unsigned const port = noc_connect_below(&bus->noc, cache_below_port(cache), cache->name, NULL);

    cache->above = noc_above(&bus->noc, port);
}

/* A bandwidth of 1 ps a byte: a line keeps the memory busy for 64 ps. */
static void add_memory(struct crossbar *bus)
{
    struct memory_params const params = {.size_bytes = 1 << 20, .channels = 1, .interleave_bytes = 64,
                                         .latency_ps = 10 * P, .bandwidth_bytes_per_s = UINT64_C(1000000000000)};
    unsigned port;

    assert_int_equal(simple_memory_init(&tree.memory, &tree.sim, "memory", &params).kind, FAULT_NONE);
    port = noc_connect_below(&bus->noc, simple_memory_port(&tree.memory), "memory", NULL);
    tree.memory.above = noc_above(&bus->noc, port);
}

static int tear_down(void **state)
{
    for (unsigned i = 0; i < tree.cache_count; i++)
        cache_free(&tree.caches[i]);
    for (unsigned i = 0; i < tree.bus_count; i++)
        noc_end(&tree.buses[i].noc);
    simple_memory_free(&tree.memory);
    assert_int_equal(tree.sim.packets->outstanding, 0);
    sim_free(&tree.sim);
    return 0;
}

static void run_until(uint64_t tick_ps)
{
    while (event_queue_step(&tree.sim.events, tick_ps))
        ;
    tree.sim.events.now_ps = tick_ps;
}

static void send_at(uint64_t when_ps, struct below to, enum command command, uint64_t address, uint32_t size_bytes,
                    uint32_t flags)
{
    struct request const request = {.address = address, .size_bytes = size_bytes, .flags = flags, .requestor = 1};

    run_until(when_ps);
    assert_true(to.ops->recv_request(to.self, packet_take(tree.sim.packets, &request, command), to.port));
}

/* Sends at that tick, lets everything happen, returns the tick of the answer. */
static uint64_t answer_to(uint64_t when_ps, unsigned port, enum command command, uint64_t address)
{
    struct port *const from = &tree.ports[port];

    send_at(when_ps, from->cache, command, address, 8, 0);
    run_until(when_ps + 19 * P);
    assert_true(from->count > 0);
    return from->answers[from->count - 1].when_ps;
}

/* "-" not there, else R readable, W writable, D dirty. */
static const char *state_of(const struct cache *cache, uint64_t address)
{
    static const char *const names[] = {"", "R", "W", "RW", "D", "RD", "WD", "RWD"};
    uint32_t const block = tags_find(&cache->tags, address);

    return block == BLOCK_NONE ? "-" : names[tags_flags(&cache->tags, block) & 7];
}

static void expect_sent(unsigned i, enum command command, uint64_t address, uint64_t when_ps)
{
    assert_in_range(i, 0, tree.sent_count - 1);
    assert_string_equal(command_table[tree.sent[i].command].name, command_table[command].name);
    assert_int_equal(tree.sent[i].address, address);
    assert_int_equal(tree.sent[i].when_ps, when_ps);
}

/* A and B behind L2X, C behind L2Y; L2X and L2Y on the memory bus. No reference run has an L2 of two cores of three. */
static void owner_answers_a_neighbour_and_far_copies_are_invalidated(void **state)
{
    struct cache_params const params = plain();
    struct cache *const a = (begin(""), add_level1("a", &params)), *const b = add_level1("b", &params);
    struct cache *const c = add_level1("c", &params);
    struct cache *const x = add_cache("l2x", &params, false), *const y = add_cache("l2y", &params, false);
    struct crossbar *const to_x = add_bus("tox", false, true), *const to_y = add_bus("toy", false, true);
    struct crossbar *const membus = add_bus("membus", true, true);

    above_bus(a, to_x);
    above_bus(b, to_x);
    above_bus(c, to_y);
    below_bus(x, to_x);
    below_bus(y, to_y);
    above_bus(x, membus);
    above_bus(y, membus);
    add_memory(membus);

    /* A misses: L1 sends at edge(T) = 1P; the bus adds 1P of header delay, so L2X sends at 1P + T + 1P = 3P; memory
     * charges 1P and its 10P: 14P. Up: bus 15P, L2X edge(Rl) 16P, bus 17P, L1 edge(Rl) 18P. */
    assert_int_equal(answer_to(0, 0, CMD_ReadReq, 0x1000), 18 * P);
    assert_string_equal(state_of(a, 0x1000), "RW");

    /* The line is exclusive: the store hits, T. */
    assert_int_equal(answer_to(20 * P, 0, CMD_WriteReq, 0x1000), 21 * P);
    assert_string_equal(state_of(a, 0x1000), "RWD");

    /* C misses: 41P, L2Y 43P, where the memory bus snoops L2X, and it A, in zero time. A stays owner and answers at
     * edge(T) = 44P; its bus adds 1P, L2X edge(T) + 1P = 46P, memory bus 47P, L2Y 48P, bus 49P, L1 50P. */
    assert_int_equal(answer_to(40 * P, 2, CMD_ReadReq, 0x1000), 50 * P);
    assert_string_equal(state_of(a, 0x1000), "RD");
    assert_string_equal(state_of(x, 0x1000), "R");
    assert_string_equal(state_of(c, 0x1000), "R");

    /* B misses: 61P. A's answer inherits the request's header delay: edge(T) + 1P = 63P; bus 64P, L1 65P. */
    assert_int_equal(answer_to(60 * P, 1, CMD_ReadReq, 0x1000), 65 * P);
    assert_string_equal(state_of(b, 0x1000), "R");

    /* B stores: UpgradeReq at 81P. A is the owner, but others may hold copies: A answers as before, and in the same
     * tick the request is forwarded through L2X (4.11: which keeps its stale copy) to the memory bus, L2Y and C. B is
     * answered at 82P + 1P, bus 84P, L1 85P, and is the owner of the only copy. */
    send_at(80 * P, tree.ports[1].cache, CMD_WriteReq, 0x1000, 8, 0);
    run_until(80 * P + P - 1);
    assert_string_equal(state_of(c, 0x1000), "R");
    run_until(81 * P);
    assert_string_equal(state_of(c, 0x1000), "-");
    assert_string_equal(state_of(y, 0x1000), "-");
    assert_string_equal(state_of(a, 0x1000), "-");
    assert_string_equal(state_of(x, 0x1000), "R");
    run_until(99 * P);
    assert_int_equal(tree.ports[1].answers[1].when_ps, 85 * P);
    assert_string_equal(state_of(b, 0x1000), "RWD");

    /* C reads again: as before, only that B answers. */
    assert_int_equal(answer_to(100 * P, 2, CMD_ReadReq, 0x1000), 110 * P);
    assert_string_equal(state_of(b, 0x1000), "RD");
}

/* 4.12: an exclusive L2 holds what the L1s throw out, and nothing that it gives them. */
static void exclusive_l2_holds_evicted_lines(void **state)
{
    struct cache_params level1 = plain(), level2 = plain();
    struct cache *a, *b, *l2;
    struct crossbar *tol2bus, *membus;

    level1.size_bytes = 64;
    level1.assoc = 1;
    level1.writeback_clean = true;
    level2.clusivity = CLUSIVITY_MOSTLY_EXCL;
    begin("l2");
    a = add_level1("a", &level1);
    b = add_level1("b", &level1);
    l2 = add_cache("l2", &level2, false);
    tol2bus = add_bus("tol2bus", false, true);
    membus = add_bus("membus", true, true);
    above_bus(a, tol2bus);
    above_bus(b, tol2bus);
    below_bus(l2, tol2bus);
    above_bus(l2, membus);
    add_memory(membus);

    /* As with any L2, but it asks with ReadCleanReq, and keeps nothing: filled and dropped at 15P. */
    assert_int_equal(answer_to(0, 0, CMD_ReadReq, 0x1000), 18 * P);
    expect_sent(0, CMD_ReadCleanReq, 0x1000, 3 * P);
    assert_string_equal(state_of(l2, 0x1000), "-");
    assert_string_equal(state_of(a, 0x1000), "RW");

    /* A's only block is reused at 37P; the clean victim leaves with its data at edge(T) = 38P and lands in L2,
     * writable because it is not shared. */
    assert_int_equal(answer_to(20 * P, 0, CMD_ReadReq, 0x2000), 38 * P);
    assert_string_equal(state_of(l2, 0x1000), "RW");
    assert_string_equal(state_of(l2, 0x2000), "-");

    /* B hits it: L1 41P; hit in L2 after the bus's 1P + T = 43P; bus 44P, L1 45P. L2 gives the line away. */
    assert_int_equal(answer_to(40 * P, 1, CMD_ReadReq, 0x1000), 45 * P);
    assert_string_equal(state_of(b, 0x1000), "RW");
    assert_string_equal(state_of(l2, 0x1000), "-");
    assert_int_equal(tree.sent_count, 2);
}

/* ---- one cache above the memory bus */

static struct cache *one_cache(const struct cache_params *params)
{
    struct cache *const cache = (begin("l1"), add_level1("l1", params));
    struct crossbar *const membus = add_bus("membus", true, true);

    above_bus(cache, membus);
    add_memory(membus);
    return cache;
}

/* 4.5: T + Dl instead of the larger; a fill is ready at edge(Dl) + pd, and a wait for it comes on top. */
static void sequential_access_adds_the_latencies(void **state)
{
    struct cache_params params = plain();

    params.tag_latency_cyc = 2;
    params.data_latency_cyc = 3;
    params.sequential_access = true;
    one_cache(&params);
    /* Sent at 2P; memory at 2P + 1P + 10P = 13P, bus 14P, edge(Rl) = 15P. */
    assert_int_equal(answer_to(0, 0, CMD_ReadReq, 0x1000), 15 * P);
    assert_int_equal(answer_to(20 * P, 0, CMD_ReadReq, 0x1000), 25 * P);
    assert_int_equal(answer_to(40 * P, 0, CMD_WriteReq, 0x1008), 42 * P);    /* stores look up tags only */
}

/* 4.13. Stores of 8 bytes, one a cycle, to 0x1000, 0x1008, ..: the first finds nextAddr 0 and counts 8 bytes; the 17th
 * makes 136 > 2 lines: from then on lines are coalesced. It opens the MSHR of 0x1080 at 16P, to be sent at 17P. */
static void stream(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        send_at(i * P, tree.ports[0].cache, CMD_WriteReq, 0x1000 + 8 * i, 8, 0);
}

static void stores_that_cover_a_line_go_as_one(void **state)
{
    struct cache_params params = plain();

    params.write_allocator = true;
    one_cache(&params);
    stream(24);
    run_until(200 * P);
    assert_int_equal(tree.sent_count, 3);
    expect_sent(0, CMD_ReadExReq, 0x1000, 1 * P);      /* still allocating: sent at edge(T) */
    expect_sent(1, CMD_ReadExReq, 0x1040, 9 * P);
    /* At 17P not covered yet: put off by 64 / 8 cycles. At 25P all eight stores (the last came at 23P) are there. */
    expect_sent(2, CMD_InvalidateReq, 0x1080, 25 * P);
}

static void a_stream_that_stops_is_given_up(void **state)
{
    struct cache_params params = plain();

    params.write_allocator = true;
    one_cache(&params);
    stream(17);
    run_until(200 * P);
    assert_int_equal(tree.sent_count, 3);
    /* The line's counter of 8 lets it be put off eight times by 8P: 17P + 64P. Then the allocator starts anew. */
    expect_sent(2, CMD_ReadExReq, 0x1080, 81 * P);
    send_at(200 * P, tree.ports[0].cache, CMD_WriteReq, 0x1100, 8, 0);
    run_until(300 * P);
    expect_sent(3, CMD_ReadExReq, 0x1100, 201 * P);
}

/* ---- 4.14 */

/* The packets of a memory-side cache come from the point of coherency; here the test plays that bus. */
static struct port *memory_side(const struct cache_params *params)
{
    static const struct above_ops ops = {take_answer, no_retry, ignore_snoop, no_retry, NULL};
    struct port *const port = &tree.ports[tree.port_count];
    struct cache *cache;
    struct crossbar *bus;

    begin("memcache");
    cache = add_cache("memcache", params, true);
    tree.port_count++;
    port->cache = cache_below_port(cache);
    cache->above = (struct above){.ops = &ops, .self = port, .is_snooping = true};
    bus = add_bus("memcache_bus", false, false);
    above_bus(cache, bus);
    add_memory(bus);
    return port;
}

static void memory_side_joins_cacheable_and_uncacheable(void **state)
{
    struct cache_params params = plain();
    struct port *port;

    params.tag_latency_cyc = 2;
    params.size_bytes = 64;
    params.assoc = 1;
    port = memory_side(&params);

    /* Whatever asks first, a ReadReq of the line goes at edge(T) = 2P: memory 13P, bus 14P, edge(Rl) 15P. */
    send_at(0, port->cache, CMD_ReadReq, 0x1008, 8, REQUEST_UNCACHEABLE);
    send_at(5 * P, port->cache, CMD_ReadSharedReq, 0x1000, 64, 0);
    run_until(29 * P);
    expect_sent(0, CMD_ReadReq, 0x1000, 2 * P);
    assert_int_equal(port->count, 2);
    assert_int_equal(port->answers[0].when_ps, 15 * P);
    /* The one that joined has another offset than the first: it also pays the 64 bytes' payload cycle. */
    assert_int_equal(port->answers[1].when_ps, 16 * P);

    /* An uncacheable store hits like any other: tags only. */
    send_at(30 * P, port->cache, CMD_WriteReq, 0x1000, 8, REQUEST_UNCACHEABLE);
    run_until(39 * P);
    assert_int_equal(port->answers[2].when_ps, 32 * P);
    assert_string_equal(state_of(&tree.caches[0], 0x1000), "RWD");

    /* The next line throws it out: filled at 54P, written back at edge(T) = 56P. */
    send_at(40 * P, port->cache, CMD_ReadSharedReq, 0x2000, 64, 0);
    run_until(69 * P);
    expect_sent(1, CMD_ReadReq, 0x2000, 42 * P);
    expect_sent(2, CMD_WritebackDirty, 0x1000, 56 * P);

    /* A clean victim goes without a word. */
    send_at(70 * P, port->cache, CMD_ReadSharedReq, 0x3000, 64, 0);
    run_until(99 * P);
    assert_int_equal(tree.sent_count, 4);
    expect_sent(3, CMD_ReadReq, 0x3000, 72 * P);
    assert_int_equal(tree.caches[0].stats.replacements, 2);

    /* A store of a whole line stays a WriteReq, and reads the line first. */
    send_at(100 * P, port->cache, CMD_WriteReq, 0x4000, 64, REQUEST_UNCACHEABLE);
    run_until(130 * P);
    expect_sent(4, CMD_ReadReq, 0x4000, 102 * P);
    assert_int_equal(cache_command_stats(&tree.caches[0], CMD_WriteReq, 1)->misses, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(owner_answers_a_neighbour_and_far_copies_are_invalidated, tear_down),
        cmocka_unit_test_teardown(exclusive_l2_holds_evicted_lines, tear_down),
        cmocka_unit_test_teardown(sequential_access_adds_the_latencies, tear_down),
        cmocka_unit_test_teardown(stores_that_cover_a_line_go_as_one, tear_down),
        cmocka_unit_test_teardown(a_stream_that_stops_is_given_up, tear_down),
        cmocka_unit_test_teardown(memory_side_joins_cacheable_and_uncacheable, tear_down),
    };

    return cmocka_run_group_tests_name("timelines", tests, NULL, NULL);
}
