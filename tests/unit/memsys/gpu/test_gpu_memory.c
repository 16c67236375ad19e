/* memsys/gpu/gpu_memory.h: unloaded latencies, bandwidth, ownership, counters, copies. */
#include "tests/support/gpu_memory_bench.h"
#include "tests/support/unit.h"

static struct gpu_request one_address(struct bench *bench, unsigned sm)
{
    (void)sm;
    return (struct gpu_request){.address = 0x10000 + bench->spread};
}

/* --- latencies ---------------------------------------------------------------------------------------------------- */

static void unloaded_latencies_are_the_specified_ones(void **state)
{
    static const uint64_t clocks[][3] = {{883, 883, 883}, {709, 709, 661}, {505, 322, 322}, {1000, 1000, 1000}};
    struct bench bench;

    for (unsigned i = 0; i < 8; i++) {
        struct gpu_params params = plain_params(2, 2, 1000);
        struct memory_params memory = plain_memory(i % 2 ? "HBM2_1700_1x128" : "GDDR6_14000_1x16");
        uint64_t l2_ps, dram_ps, off;

        memory.dram.tREFI_ps = UINT64_C(1) << 40;
        params.core_clock_ps = clocks[i / 2][0];
        params.icnt_clock_ps = clocks[i / 2][1];
        params.l2_clock_ps = clocks[i / 2][2];
        params.icnt_latency_cyc = 1 + i;
        start(&bench, &params, &memory, NULL);
        l2_ps = gpu_memory_l2_latency_ps(&params);
        dram_ps = gpu_memory_dram_latency_ps(&params, &memory);
        /* what edges of other clocks may cost more or less, as the request meets them */
        off = i / 2 == 0 || i / 2 == 3 ? 0 : 2 * (params.icnt_clock_ps + params.l2_clock_ps + params.core_clock_ps);
        for (unsigned round = 0; round < 5; round++) {
            uint64_t took_ps;

            bench.spread = round << 13;      /* another bank */
            took_ps = run(&bench, 1, 1, one_address);
            assert_in_range(took_ps, dram_ps - off, dram_ps + off);
            took_ps = run(&bench, 1, 1, one_address);
            assert_in_range(took_ps, l2_ps - off, l2_ps + off);
        }
        assert_int_equal(bench.counts.l2_read_hits, 5);
        assert_int_equal(bench.counts.l2_read_misses, 5);
        assert_int_equal(bench.counts.latency_requests, 10);
        if (off == 0)
            assert_int_equal(bench.counts.latency_ps, 5 * (l2_ps + dram_ps));
        stop(&bench);
    }
}

/* One packet in a cycle and port: four sectors of an SM take three cycles more. */
static void ports_take_one_packet_a_cycle(void **state)
{
    struct gpu_params params = plain_params(1, 2, 1000);
    struct memory_params const memory = plain_memory("HBM2_1700_1x128");
    struct bench bench;

    start(&bench, &params, &memory, NULL);
    gpu_memory_copy(bench.memory, 0x10000, 128);
    run(&bench, 1, 1, one_address);
    for (unsigned sector = 0; sector < 4; sector++) {
        struct gpu_request const request = {.address = 0x10000 + SECTOR * sector, .token = sector, .bytes = SECTOR,
                                            .counts = &bench.counts};

        bench.under_way[0]++;
        bench.answers = realloc(bench.answers, 4);
        memset(bench.answers, 0, 4);
        gpu_memory_send(bench.memory, &request);
    }
    uint64_t const start_ps = sim_now_ps(&bench.sim);
    while (bench.answered < 5)
        event_queue_step(&bench.sim.events, TICK_NEVER - 1);
    assert_int_equal(bench.last_answer_ps - start_ps, gpu_memory_l2_latency_ps(&params) + 3000);
    assert_int_equal(bench.counts.l2_read_hits, 5);
    assert_int_equal(bench.counts.dram_reads, 0);
    stop(&bench);
}

/* --- bandwidth ---------------------------------------------------------------------------------------------------- */

struct card {
    const char *device;
    uint64_t sms, channels, slices, clock_ps;
    double peak_gb_per_s;
    enum memory_type type;
};

static const struct card cards[] = {
    {"HBM2_1700_1x128", 80, 32, 2, 883, 870, MEMORY_DRAM}, {"HBM2_1700_1x64", 80, 32, 2, 883, 870, MEMORY_HBM_PSEUDO},
    {"GDDR6_14000_1x16", 30, 12, 2, 733, 336, MEMORY_DRAM}, {"GDDR6_14000_1x16", 46, 16, 2, 883, 448, MEMORY_DRAM},
    {"HBM2E_2430_1x128", 108, 40, 4, 709, 1555, MEMORY_DRAM}, {"GDDR5X_10000_1x32", 28, 12, 2, 706, 480, MEMORY_DRAM},
    {"HBM3_6212_1x64", 114, 40, 2, 505, 1990, MEMORY_DRAM},
};

static void streaming_reaches_the_peak(void **state)
{
    struct bench bench;

    for (size_t i = 0; i < sizeof cards / sizeof cards[0]; i++) {
        const struct card *const card = &cards[i];
        struct gpu_params params = plain_params(card->sms, card->channels, card->clock_ps);
        struct memory_params memory = plain_memory(card->device);
        uint64_t const count = 8000 * card->channels;
        double gb_per_s;

        params.l2.slices = card->slices;
        memory.type = card->type;
        if (i <= 1)
            strcpy(params.l2.letters, LETTERS_QV100);
        start(&bench, &params, &memory, NULL);
        gb_per_s = (double)(count * SECTOR) * 1000 / (double)run(&bench, count, 256, streaming);
        print_message("%s x %u: %.0f of %.0f GB/s, %.1f %%\n", card->device, (unsigned)card->channels, gb_per_s,
                      card->peak_gb_per_s, 100 * gb_per_s / card->peak_gb_per_s);
        assert_int_equal(bench.counts.dram_reads, count);
        assert_int_equal(bench.counts.l2_reads, count);
        assert_true(gb_per_s > 0.85 * card->peak_gb_per_s && gb_per_s < 0.96 * card->peak_gb_per_s);
        stop(&bench);
    }
}

static void dirty_sectors_are_written_back_once(void **state)
{
    struct gpu_params params = plain_params(4, 2, 883);
    struct memory_params const memory = plain_memory("HBM2_1700_1x128");
    uint64_t const l2_sectors = 4 * 32 * 24 * 4, count = 5 * l2_sectors;
    struct bench bench;

    start(&bench, &params, &memory, NULL);
    run(&bench, count, 64, streaming_writes);
    assert_int_equal(bench.counts.l2_writes, count);
    assert_int_equal(bench.counts.l2_write_hits, 0);
    assert_int_equal(bench.counts.dram_reads, 0);
    assert_int_equal(bench.counts.dram_writes, count - l2_sectors);
    stop(&bench);
}

/* --- ownership ---------------------------------------------------------------------------------------------------- */

static struct gpu_request anything(struct bench *bench, unsigned sm)
{
    uint32_t const kind = random_uniform(&bench->random, 0, 9);

    (void)sm;
    return (struct gpu_request){
        .address = 0x7f0000000000 + SECTOR * (uint64_t)random_uniform(&bench->random, 0, (uint32_t)bench->spread),
        .kind = kind < 5 ? GPU_READ : kind < 9 ? GPU_WRITE : GPU_ATOMIC,
        .bytes = kind < 7 ? 0 : 4,
        .byte_mask = kind < 7 ? UINT32_MAX : UINT32_C(15) << 4 * (kind % 8)};
}

/* Queues of every size, hot and wide addresses, from the 24th round on two partitions: each request is answered once,
 * and at the end nothing is left. */
static void no_request_is_lost_or_answered_twice(void **state)
{
    struct bench bench;

    for (unsigned round = 0; round < 40; round++) {
        bool const has_halves = round >= 24;
        struct gpu_params params = plain_params(1 + round, round % 3 && !has_halves ? 3 : 4, 500 + 37 * round);
        struct memory_params memory = plain_memory(round % 4 == 3 ? "HBM2_1700_1x64"
                                                   : round % 2    ? "HBM2_1700_1x128"
                                                                  : "GDDR6_14000_1x16");

        memory.type = round % 4 == 3 ? MEMORY_HBM_PSEUDO : MEMORY_DRAM;
        params.l2_clock_ps = 700;
        params.l2.cache.sets = round % 4 ? 16 : 32;
        params.l2.cache.ways = 1 + round % 5 + has_halves;
        params.l2.cache.mshrs = 1 + round % 7 * 4;
        params.l2.cache.dirty_percent = has_halves ? round % 3 * 50 : 0;
        params.l2.cache.merges = 1 + round % 3;
        params.l2.cache.miss_queue = 1 + round % 4;
        params.l2.cache.alloc = has_halves ? SECTOR_ON_MISS : round / 2 % 3;
        params.l2.partitions = has_halves ? 2 : 1;
        params.l2.partition_sms = 1 + round % 5;
        params.l2.far_latency_cyc = round % 4 * 50;
        params.l2.cache.latency_cyc = round % 6 * 5;
        params.l2.queue = 1 + round % 3 * 7;
        params.l2.dram_latency_cyc = round % 5 * 10;
        params.icnt_queue = 1 + round % 5 * 3;
        params.icnt_latency_cyc = round % 3;
        params.icnt_packet_bytes = round % 2 ? 40 : 8;
        params.icnt_packets = 1 + round % 3;
        memory.dram.read_buffer_size = 2 + round % 9;
        memory.dram.write_buffer_size = 16 + round % 9;
        start(&bench, &params, &memory, NULL);
        bench.spread = UINT64_C(16) << round % 24 / 2;
        run(&bench, 6000, 1 + round * 4, anything);
        assert_int_equal(bench.counts.l2_reads + bench.counts.l2_writes, 6000);
        assert_int_equal(bench.counts.l2_reads, bench.counts.l2_read_hits + bench.counts.l2_read_pending_hits
                                                    + bench.counts.l2_read_misses + bench.counts.l2_read_sector_misses);
        assert_int_equal(bench.counts.latency_requests, bench.counts.l2_reads);
        stop(&bench);
    }
}

/* --- the caller's memory ------------------------------------------------------------------------------------------ */

enum { PORTS = 3, PORT_PLACES = 5 };

/* Takes PORT_PLACES reads or writes, one after the other, and refuses more. */
struct slow_port {
    struct bench *bench;
    struct event event;
    struct packet *packets[PORT_PLACES];
    unsigned count;
    bool owes_retry;
    const struct above *above;
    uint64_t reads, writes, lowest, highest;
};

static struct slow_port ports[PORTS];
static struct above above_ports[PORTS];

static bool port_request(void *self, struct packet *packet, unsigned number)
{
    struct slow_port *const port = self;

    assert_ptr_equal(port, &ports[number]);
    assert_int_equal(packet->size_bytes, SECTOR);
    if (port->count == PORT_PLACES) {
        port->owes_retry = true;
        return false;
    }
    port->packets[port->count++] = packet;
    port->lowest = packet->address < port->lowest ? packet->address : port->lowest;
    port->highest = packet->address > port->highest ? packet->address : port->highest;
    if (port->count == 1)
        event_schedule(&port->bench->sim.events, &port->event, sim_now_ps(&port->bench->sim) + 7777);
    return true;
}

static void on_port(void *owner)
{
    struct slow_port *const port = owner;
    struct packet *const packet = port->packets[0];
    struct sim *const sim = &port->bench->sim;

    memmove(port->packets, port->packets + 1, --port->count * sizeof port->packets[0]);
    if (packet->command == CMD_ReadReq) {
        port->reads++;
        packet_make_response(packet);
        assert_true(port->above->ops->recv_response(port->above->self, packet, port->above->port));
    } else {
        assert_int_equal(packet->command, CMD_WriteReq);
        port->writes++;
        packet_make_response(packet);
        assert_true(port->above->ops->recv_response(port->above->self, packet, port->above->port));
    }
    if (port->owes_retry) {
        port->owes_retry = false;
        port->above->ops->recv_request_retry(port->above->self, port->above->port);
    }
    if (port->count > 0 && !port->event.scheduled)
        event_schedule(&sim->events, &port->event, sim_now_ps(sim) + 7777);
}

/* Requests reach the caller's ports in the frames of their pages, all that was refused comes again. */
static void the_callers_ports_serve_too(void **state)
{
    static const struct below_ops ops = {.recv_request = port_request};
    struct gpu_params params = plain_params(5, PORTS, 883);
    struct memory_params const memory = plain_memory("HBM2_1700_1x128");
    struct bench bench;
    struct below below[PORTS];
    struct gpu_sink const sink = {.answer = on_answer, .room = on_room, .self = &bench};

    params.l2.cache.ways = 2;
    params.memory_base = UINT64_C(1) << 32;
    params.memory_size_bytes = UINT64_C(1) << 30;
    params.page_bytes = 4096;
    start(&bench, &params, &memory, NULL);
    gpu_memory_destroy(bench.memory);
    for (unsigned i = 0; i < PORTS; i++) {
        below[i] = (struct below){.ops = &ops, .self = &ports[i], .port = i};
        ports[i] = (struct slow_port){.bench = &bench, .lowest = UINT64_MAX, .above = &above_ports[i]};
        event_init(&ports[i].event, on_port, &ports[i], EVENT_DEFAULT);
    }
    assert_int_equal(event_queue_reserve(&bench.sim.events, PORTS).kind, FAULT_NONE);
    assert_fine(gpu_memory_create(&bench.memory, &bench.sim, &params, NULL, NULL, below, &sink));
    for (unsigned i = 0; i < PORTS; i++)
        above_ports[i] = gpu_memory_above(bench.memory, i);
    bench.spread = 3000;
    run(&bench, 20000, 50, anything);
    while (event_queue_step(&bench.sim.events, TICK_NEVER - 1)) {}
    assert_int_equal(ports[0].reads + ports[1].reads + ports[2].reads, bench.counts.dram_reads);
    assert_int_equal(ports[0].writes + ports[1].writes + ports[2].writes, bench.counts.dram_writes);
    for (unsigned i = 0; i < PORTS; i++) {
        assert_true(ports[i].reads > 0 && ports[i].writes > 0);
        assert_in_range(ports[i].lowest, params.memory_base, params.memory_base + 3000 * SECTOR);
        assert_in_range(ports[i].highest, params.memory_base, params.memory_base + 3000 * SECTOR + params.page_bytes);
    }
    stop(&bench);
}

/* Requests are under way when everything is taken down. */
static void requests_under_way_are_returned(void **state)
{
    struct gpu_params const params = plain_params(4, 2, 883);
    struct memory_params memory = plain_memory("HBM2_1700_1x128");
    struct bench bench;

    memory.dram.read_buffer_size = 4;
    start(&bench, &params, &memory, NULL);
    bench.window = 100;
    bench.make = streaming;
    bench.to_send = 1000;
    bench.answers = calloc(1000, 1);
    event_schedule(&bench.sim.events, &bench.tick, 0);
    event_queue_run(&bench.sim.events, 350000, UINT64_MAX);
    assert_false(gpu_memory_idle(bench.memory));
    event_deschedule(&bench.sim.events, &bench.tick);
    stop(&bench);
}

static void copies_lie_in_the_l2(void **state)
{
    struct gpu_params params = plain_params(4, 4, 883);
    struct memory_params const memory = plain_memory("HBM2_1700_1x128");
    struct bench bench;

    for (unsigned fills = 0; fills < 2; fills++) {
        params.copies_fill_l2 = fills;
        start(&bench, &params, &memory, NULL);
        gpu_memory_copy(bench.memory, 0x7f0000000000 + 17, 2000 * SECTOR - 17);
        assert_int_equal(sim_now_ps(&bench.sim), 0);
        run(&bench, 2000, 16, streaming);
        assert_int_equal(bench.counts.l2_read_hits, fills ? 2000 : 0);
        assert_int_equal(bench.counts.dram_reads, fills ? 0 : 2000);
        stop(&bench);
    }
}

static struct fault create(struct gpu_memory **made, struct sim *sim, const struct gpu_params *params,
                           const struct memory_params *memory, const struct gpu_sink *sink)
{
    return gpu_memory_create(made, sim, params, memory, NULL, NULL, sink);
}

static void faults_name_the_key(void **state)
{
    struct gpu_params params = plain_params(4, 4, 883);
    struct memory_params memory = plain_memory("HBM2_1700_1x128");
    struct gpu_sink const sink = {0};
    struct gpu_memory *made;
    struct sim sim;

    sim_init(&sim, 64);
    params.sms = 0;
    assert_non_null(strstr(fault_text(create(&made, &sim, &params, &memory, &sink)), "gpu.sms"));
    params.sms = 4;
    params.l2.cache.sets = 33;
    assert_non_null(strstr(fault_text(create(&made, &sim, &params, &memory, &sink)), "sets"));
    params.l2.cache.sets = 32;
    params.l2.partitions = 2;
    params.l2.channels = 3;
    assert_non_null(strstr(fault_text(create(&made, &sim, &params, &memory, &sink)), "gpu.l2.channels is 3"));
    params.l2.channels = 4;
    params.l2.cache.alloc = SECTOR_ON_FILL;
    assert_non_null(strstr(fault_text(create(&made, &sim, &params, &memory, &sink)), "on_miss"));
    params.l2.cache.alloc = SECTOR_ON_MISS;
    params.l2.cache.ways = 1;
    assert_non_null(strstr(fault_text(create(&made, &sim, &params, &memory, &sink)), "2 ways"));
    params.l2.cache.ways = 2;
    params.l2.partitions = 1;
    memory.type = MEMORY_SIMPLE;
    assert_non_null(strstr(fault_text(create(&made, &sim, &params, &memory, &sink)), "memory.type"));
    assert_null(made);
    sim_free(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unloaded_latencies_are_the_specified_ones),
        cmocka_unit_test(ports_take_one_packet_a_cycle),
        cmocka_unit_test(streaming_reaches_the_peak),
        cmocka_unit_test(dirty_sectors_are_written_back_once),
        cmocka_unit_test(no_request_is_lost_or_answered_twice),
        cmocka_unit_test(the_callers_ports_serve_too),
        cmocka_unit_test(requests_under_way_are_returned),
        cmocka_unit_test(copies_lie_in_the_l2),
        cmocka_unit_test(faults_name_the_key),
    };

    return cmocka_run_group_tests_name("gpu_memory", tests, NULL, NULL);
}
