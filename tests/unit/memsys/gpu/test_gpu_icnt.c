/* The interconnect: what passes at once, what waits behind what, whose turn it is. */
#include "memsys/gpu/gpu_params.h"
#include "memsys/gpu/icnt.h"
#include "tests/support/unit.h"

enum { PERIOD = 1000, LATENCY = 3, PACKETS = 16 };

struct bench {
    struct sim sim;
    struct gpu_params params;
    struct gpu_icnt icnt;
    bool is_full[4];                         /* outputs without room */
    uint64_t arrival_ps[PACKETS];            /* 0: not yet */
};

static void passes(void *self, const struct gpu_packet *packet, uint32_t from, uint64_t arrival_ps)
{
    struct bench *const bench = self;

    (void)from;
    bench->arrival_ps[packet->slot] = arrival_ps;
}

static bool has_room(const void *self, uint32_t to)
{
    const struct bench *const bench = self;

    return !bench->is_full[to];
}

/* Three SMs, four slices, pieces of 40 bytes. */
static void start(struct bench *bench)
{
    struct gpu_crossbar_sink const sink = {passes, has_room, bench};

    *bench = (struct bench){.params = {.sms = 3, .icnt_clock_ps = PERIOD, .icnt_latency_cyc = LATENCY,
                                       .icnt_packet_bytes = 40, .icnt_queue = 8,
                                       .icnt_packets = 1}};
    bench->params.l2.channels = 2;
    bench->params.l2.slices = 2;
    sim_init(&bench->sim, 64);
    assert_int_equal(gpu_icnt_init(&bench->icnt, &bench->sim, &bench->params, 8, &sink, &sink).kind, FAULT_NONE);
}

static void finish(struct bench *bench)
{
    gpu_icnt_free(&bench->icnt);
    sim_free(&bench->sim);
}

static void send(struct bench *bench, uint32_t packet, uint32_t from, uint32_t to, uint32_t bytes)
{
    struct gpu_crossbar *const crossbar = &bench->icnt.requests;

    if (bench->is_full[to] || !gpu_crossbar_pass(crossbar, from, to, bytes, &bench->arrival_ps[packet]))
        gpu_crossbar_wait(crossbar, packet, from, to, bytes);
}

/* Arrival of a packet in cycles, less the latency: the cycle in which it left. */
static void expect_left(const struct bench *bench, uint32_t packet, uint64_t cycle)
{
    uint64_t const expected_ps = (cycle + LATENCY) * PERIOD;

    if (bench->arrival_ps[packet] != expected_ps)
        print_message("packet %u arrives at %llu, expected %llu\n", packet,
                      (unsigned long long)bench->arrival_ps[packet], (unsigned long long)expected_ps);
    assert_int_equal(bench->arrival_ps[packet], expected_ps);
}

/* header: "An input port sends packets in their order, an output port takes one at a time" */
static void ports_take_one_packet_a_cycle(void **state)
{
    struct bench bench;

    start(&bench);
    for (uint32_t i = 0; i < 3; i++)
        send(&bench, i, 0, 1, 0);
    send(&bench, 3, 1, 2, 0);
    event_queue_run(&bench.sim.events, 100 * PERIOD, UINT64_MAX);
    for (uint32_t i = 0; i < 3; i++)
        expect_left(&bench, i, i);
    expect_left(&bench, 3, 0);
    assert_int_equal(event_queue_count(&bench.sim.events), 0);
    finish(&bench);
}

/* gpu.icnt_packets in a cycle, at either port */
static void wide_ports_take_two_packets_a_cycle(void **state)
{
    static const uint64_t cycles[] = {0, 0, 1, 1, 2};
    struct bench bench;

    start(&bench);
    bench.icnt.requests.ports = 2;
    for (uint32_t i = 0; i < 5; i++)
        send(&bench, i, 0, 1, 0);
    event_queue_run(&bench.sim.events, 100 * PERIOD, UINT64_MAX);
    for (uint32_t i = 0; i < 5; i++)
        expect_left(&bench, i, cycles[i]);
    finish(&bench);
}

/* header: "A packet whose output is taken ... waits at its input, and with it all behind it" */
static void a_packet_delays_later_ones(void **state)
{
    struct bench bench;

    start(&bench);
    send(&bench, 0, 0, 3, 0);
    send(&bench, 1, 1, 3, 0);            /* output 3 is taken by packet 0 ... */
    send(&bench, 2, 1, 0, 0);            /* ... so that this one can not have output 0 before it */
    send(&bench, 3, 2, 0, 0);
    event_queue_run(&bench.sim.events, 100 * PERIOD, UINT64_MAX);
    expect_left(&bench, 0, 0);
    expect_left(&bench, 1, 1);
    expect_left(&bench, 2, 2);
    expect_left(&bench, 3, 0);
    finish(&bench);
}

/* source: "the packet behind one that has passed may still be chosen by a later output in the same cycle" */
static void outputs_choose_in_their_order(void **state)
{
    struct bench bench;

    start(&bench);
    send(&bench, 0, 0, 1, 0);
    send(&bench, 1, 1, 1, 0);
    send(&bench, 2, 1, 2, 0);
    event_queue_run(&bench.sim.events, 100 * PERIOD, UINT64_MAX);
    expect_left(&bench, 1, 1);
    expect_left(&bench, 2, 1);
    finish(&bench);
}

/* source: "each in turn among the inputs whose first packet is for it" */
static void inputs_take_turns(void **state)
{
    static const uint64_t cycles[] = {0, 1, 4, 2, 5, 3};
    struct bench bench;

    start(&bench);
    send(&bench, 0, 1, 0, 0);
    send(&bench, 1, 0, 0, 0);
    send(&bench, 2, 0, 0, 0);
    send(&bench, 3, 1, 0, 0);
    send(&bench, 4, 1, 0, 0);
    send(&bench, 5, 2, 0, 0);
    event_queue_run(&bench.sim.events, 100 * PERIOD, UINT64_MAX);
    for (uint32_t i = 0; i < 6; i++)
        expect_left(&bench, i, cycles[i]);
    finish(&bench);
}

/* header: "for as many cycles as the packet has pieces of packet_bytes" */
static void pieces_keep_both_ports(void **state)
{
    struct bench bench;

    start(&bench);
    send(&bench, 0, 0, 0, 80);           /* 88 bytes: three pieces */
    send(&bench, 1, 0, 1, 0);
    send(&bench, 2, 1, 0, 0);
    event_queue_run(&bench.sim.events, 100 * PERIOD, UINT64_MAX);
    expect_left(&bench, 0, 0);
    expect_left(&bench, 2, 3);
    assert_true(bench.arrival_ps[1] >= (2 + LATENCY) * PERIOD);
    finish(&bench);
}

/* header: "Where it has again, gpu_crossbar_room must be called"; source: "not while all that wait lack room" */
static void without_room_no_event_is_scheduled(void **state)
{
    struct bench bench;

    start(&bench);
    bench.is_full[2] = true;
    send(&bench, 0, 0, 2, 0);
    send(&bench, 1, 0, 1, 0);
    event_queue_run(&bench.sim.events, 10 * PERIOD, UINT64_MAX);
    assert_int_equal(bench.arrival_ps[0], 0);
    assert_int_equal(event_queue_count(&bench.sim.events), 0);
    bench.sim.events.now_ps = 10 * PERIOD;
    bench.is_full[2] = false;
    gpu_crossbar_room(&bench.icnt.requests, 2);
    event_queue_run(&bench.sim.events, 100 * PERIOD, UINT64_MAX);
    expect_left(&bench, 0, 11);
    expect_left(&bench, 1, 12);
    finish(&bench);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(ports_take_one_packet_a_cycle), cmocka_unit_test(wide_ports_take_two_packets_a_cycle),
        cmocka_unit_test(a_packet_delays_later_ones),
        cmocka_unit_test(outputs_choose_in_their_order), cmocka_unit_test(inputs_take_turns),
        cmocka_unit_test(pieces_keep_both_ports), cmocka_unit_test(without_room_no_event_is_scheduled)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
