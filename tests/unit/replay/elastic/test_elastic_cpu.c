/* replay/elastic/elastic_cpu.h on ideal L1s: the worked examples of elastic-trace 2.17 to the tick, and the
 * checklist of 2.16. */
#include "tests/support/elastic_bench.h"
#include "tests/support/unit.h"

/* Cycles of each part of the CPI stack. */
#define ASSERT_STACK(working_, blocked_, rob_, load_, store_, dependences_)                                           \
    do {                                                                                                              \
        const uint64_t *const cycles = bench.cpu.stats.cpi_stack.cycles;                                              \
                                                                                                                      \
        assert_int_equal(cycles[CPI_WORKING], working_);                                                              \
        assert_int_equal(cycles[CPI_BLOCKED_CACHE], blocked_);                                                        \
        assert_int_equal(cycles[CPI_ROB], rob_);                                                                      \
        assert_int_equal(cycles[CPI_LOAD_BUFFER], load_);                                                             \
        assert_int_equal(cycles[CPI_STORE_BUFFER], store_);                                                           \
        assert_int_equal(cycles[CPI_DEPENDENCES], dependences_);                                                      \
    } while (0)

/* ---- worked examples (2.17) */

static void example_a(uint64_t delay_of_3)
{
    const struct bench_record records[] = {
        {.seq = 1, .type = DEP_COMP, .delay = 1000},
        {.seq = 2, .type = DEP_LOAD, .order = {1}, .address = 0x40, .size = 8},
        {.seq = 3, .type = DEP_COMP, .delay = delay_of_3, .registers = {2}},
        {.seq = 4, .type = DEP_STORE, .delay = 500, .order = {2}, .registers = {3}, .address = 0x80, .size = 8},
    };

    BENCH_PREPARE(2, records);
    bench_run_to_the_end();
    assert_int_equal(bench_tick_of("send", 0x40, 0), 0);
    assert_int_equal(bench_tick_of("recv", 0x40, 0), 2000);
    assert_int_equal(bench_tick_of("send", 0x80, 0), 3000);
    assert_int_equal(bench_tick_of("recv", 0x80, 0), 5000);
    assert_int_equal(bench.finished_ps, 5500);
    assert_int_equal(bench.cpu.stats.data_last_tick, 5500);
    assert_int_equal(bench.cpu.stats.num_ops, 4);
    assert_int_equal(bench.cpu.stats.num_cycles, 11);
    assert_int_equal(bench.cpu.stats.num_sched_dcache_event, 3);
    ASSERT_STACK(3, 0, 0, 0, 0, 8);
}

static void worked_example_a(void **state)
{
    example_a(500);
    assert_int_equal(bench.cpu.stats.rob_ps, 2000 + 500 + 500);
    assert_int_equal(bench.cpu.stats.load_buffer_ps, 2000);
    assert_int_equal(bench.cpu.stats.store_buffer_ps, 2500);
    assert_int_equal(bench.cpu.stats.until_ps - bench.cpu.stats.since_ps, 5500);
    assert_int_equal(bench.cpu.stats.load_latency.count, 1);
    assert_int_equal(latency_histogram_percentile(&bench.cpu.stats.load_latency, 50), 2000);
}

/* "With delay 0 on record 3 the timeline is identical (rule 2)." */
static void worked_example_a_without_delay(void **state)
{
    example_a(0);
}

static void worked_example_b(void **state)
{
    BENCH_PREPARE(3, bench_example_b);
    bench.params.load_buffer = 1;
    bench_run_to_the_end();
    assert_int_equal(bench_tick_of("send", 0x40, 0), 0);
    assert_int_equal(bench_tick_of("send", 0x80, 0), 2500);
    assert_int_equal(bench_tick_of("recv", 0x80, 0), 4500);
    assert_int_equal(bench.finished_ps, 5000);
    assert_int_equal(bench.cpu.stats.num_ops, 5);
    assert_int_equal(bench.cpu.stats.num_cycles, 10);
    assert_int_equal(bench.cpu.stats.num_sched_dcache_event, 2);
    ASSERT_STACK(2, 0, 0, 4, 0, 4);
}

static void worked_example_c(void **state)
{
    BENCH_PREPARE(3, bench_example_b);
    bench.l1d.limit = 1;
    bench_run_to_the_end();
    assert_int_equal(bench_tick_of("send", 0x40, 0), 0);
    assert_int_equal(bench_tick_of("recv", 0x40, 0), 2000);
    assert_int_equal(bench_tick_of("send", 0x80, 0), 2001);
    assert_int_equal(bench_tick_of("recv", 0x80, 0), 4001);
    assert_int_equal(bench.finished_ps, 5000);
    assert_int_equal(bench.cpu.stats.data_send_attempted, 2);
    assert_int_equal(bench.cpu.stats.data_send_succeeded, 1);
    assert_int_equal(bench.cpu.stats.data_send_failed, 1);
    assert_int_equal(bench.cpu.stats.data_retry_succeeded, 1);
    assert_int_equal(bench.cpu.stats.num_sched_dcache_event, 2);
    ASSERT_STACK(3, 3, 0, 0, 0, 4);
}

/* ---- dependences */

/* 2.8: "LOAD -> LOAD/COMP, order: load is sent", "LOAD -> STORE, order: load response", "LOAD -> any, register" */
static void order_dependences_on_a_load_end_when_it_is_sent(void **state)
{
    const struct bench_record records[] = {
        {.seq = 1, .type = DEP_LOAD, .address = 0x40, .size = 8},
        {.seq = 2, .type = DEP_LOAD, .order = {1}, .address = 0x80, .size = 8},
        {.seq = 3, .type = DEP_STORE, .order = {1}, .address = 0xc0, .size = 8},
        {.seq = 4, .type = DEP_LOAD, .registers = {1}, .address = 0x100, .size = 8},
        {.seq = 5, .type = DEP_LOAD, .order = {3}, .address = 0x140, .size = 8},
    };

    BENCH_PREPARE(5, records);
    bench_run_to_the_end();
    assert_int_equal(bench_tick_of("send", 0x40, 0), 0);
    assert_int_equal(bench_tick_of("send", 0x80, 0), 0);
    assert_int_equal(bench_tick_of("send", 0xc0, 0), 2500);
    assert_int_equal(bench_tick_of("send", 0x100, 0), 2500);
    assert_int_equal(bench_tick_of("send", 0x140, 0), 2500);
}

/* 2.4: "a node with both kinds of dependence on the same parent keeps only the order dependence" */
static void an_order_dependence_hides_a_register_dependence(void **state)
{
    const struct bench_record records[] = {
        {.seq = 1, .type = DEP_LOAD, .address = 0x40, .size = 8},
        {.seq = 2, .type = DEP_LOAD, .order = {1, 1}, .registers = {1, 1}, .address = 0x80, .size = 8},
        {.seq = 3, .type = DEP_STORE, .order = {1}, .registers = {1}, .address = 0xc0, .size = 8},
    };

    BENCH_PREPARE(3, records);
    bench_run_to_the_end();
    assert_int_equal(bench_tick_of("send", 0x80, 0), 0);
    assert_int_equal(bench_tick_of("send", 0xc0, 0), 2500);
}

/* 2.16, 10: "A load-order child read after the load was sent waits for the response instead." */
static void an_order_child_read_late_waits_for_the_response(void **state)
{
    const struct bench_record records[] = {
        {.seq = 1, .type = DEP_LOAD, .address = 0x40, .size = 8},
        {.seq = 2, .type = DEP_COMP},
        {.seq = 3, .type = DEP_COMP},
        {.seq = 4, .type = DEP_COMP, .delay = 1000},
        {.seq = 5, .type = DEP_LOAD, .order = {1}, .address = 0x80, .size = 8},
        {.seq = 6, .type = DEP_COMP},
    };

    BENCH_PREPARE(2, records);
    bench_run_to_the_end();
    assert_int_equal(bench_tick_of("send", 0x40, 0), 0);
    assert_int_equal(bench_tick_of("send", 0x80, 0), 2500);
}

/* 2.16, 4: "Zero-delay chains execute in one tick" */
static void a_chain_without_delay_takes_no_time(void **state)
{
    struct bench_record records[30] = {{.seq = 1, .type = DEP_COMP}};

    for (uint64_t i = 1; i < 30; i++)
        records[i] = (struct bench_record){.seq = i + 1, .type = i == 29 ? DEP_STORE : DEP_COMP, .registers = {i},
                                     .address = 0x40, .size = 8};
    BENCH_PREPARE(20, records);
    bench_run_to_the_end();
    assert_int_equal(bench_tick_of("send", 0x40, 0), 0);
}

/* 2.16, 15: "comp_delay that is not a multiple of P yields unaligned sends"; 3: "A response off the edge costs
 * the rest of the cycle plus the delay" */
static void unaligned_delays_and_answers(void **state)
{
    const struct bench_record records[] = {
        {.seq = 1, .type = DEP_COMP},
        {.seq = 2, .type = DEP_LOAD, .delay = 130, .registers = {1}, .address = 0x40, .size = 8},
        {.seq = 3, .type = DEP_LOAD, .delay = 20, .registers = {2}, .address = 0x80, .size = 8},
    };

    BENCH_PREPARE(3, records);
    bench_run_to_the_end();
    assert_int_equal(bench_tick_of("send", 0x40, 0), 130);
    assert_int_equal(bench_tick_of("recv", 0x40, 0), 2130);
    assert_int_equal(bench_tick_of("send", 0x80, 0), 3000);
}

/* ---- resources */

/* 2.16, 8: "Freed resources do not wake pend while ready is non-empty." */
static void a_freed_buffer_waits_for_the_next_data_event(void **state)
{
    const struct bench_record records[] = {
        {.seq = 1, .type = DEP_STORE, .address = 0x40, .size = 8},
        {.seq = 2, .type = DEP_STORE, .address = 0x80, .size = 8},
        {.seq = 3, .type = DEP_COMP, .delay = 10000},
    };

    BENCH_PREPARE(3, records);
    bench.params.store_buffer = 1;
    bench_run_to_the_end();
    assert_int_equal(bench_tick_of("recv", 0x40, 0), 2000);
    assert_int_equal(bench_tick_of("send", 0x80, 0), 10000);
    ASSERT_STACK(2, 0, 0, 0, 19, 4);
}

/* 2.6: "The ROB is a distance test": 39 stores behind a load fit, the next does not, whatever is complete between. */
static void the_rob_is_a_distance(void **state)
{
    struct bench_record records[50] = {{.seq = 1, .type = DEP_LOAD, .address = 0x40, .size = 8}};

    for (uint64_t i = 1; i < 50; i++)
        records[i] = (struct bench_record){.seq = i + 1, .type = DEP_STORE, .address = 0x1000 + 0x40 * i, .size = 8};
    BENCH_PREPARE(50, records);
    bench.params.store_buffer = 60;
    bench_run_to_the_end();
    assert_int_equal(bench_tick_of("send", 0x1000 + 0x40 * 39, 0), 0);
    assert_int_equal(bench_tick_of("send", 0x1000 + 0x40 * 40, 0), 2500);
    ASSERT_STACK(2, 0, 4, 0, 0, 4);
}

/* 2.6: weights count; "truncated to 16 bits" */
static void rob_distance(uint32_t weight, uint64_t expected_send)
{
    const struct bench_record records[] = {
        {.seq = 1, .type = DEP_LOAD, .address = 0x40, .size = 8},
        {.seq = 2, .type = DEP_STORE, .address = 0x80, .size = 8, .weight = weight},
    };

    BENCH_PREPARE(2, records);
    bench_run_to_the_end();
    assert_int_equal(bench_tick_of("send", 0x80, 0), expected_send);
    assert_int_equal(bench.cpu.stats.num_ops, expected_send == 0 ? 1 : 2 + weight);
}

static void weights_count_and_the_distance_has_16_bits(void **state)
{
    rob_distance(38, 0);
    rob_distance(65534, 2500);
    rob_distance(65535, 0);
    rob_distance(65535 + 39, 0);
    rob_distance(65535 + 40, 2500);
}

/* 2.16, 13: "LQ/SQ/ROB entries are held during comp_delay" */
static void buffers_are_held_during_the_delay(void **state)
{
    const struct bench_record records[] = {
        {.seq = 1, .type = DEP_COMP},
        {.seq = 2, .type = DEP_LOAD, .delay = 3000, .registers = {1}, .address = 0x40, .size = 8},
        {.seq = 3, .type = DEP_LOAD, .registers = {1}, .address = 0x80, .size = 8},
    };

    BENCH_PREPARE(3, records);
    bench.params.load_buffer = 1;
    bench_run_to_the_end();
    assert_int_equal(bench_tick_of("send", 0x40, 0), 3000);
    assert_int_equal(bench_tick_of("send", 0x80, 0), 5500);
}

/* 2.10: insertion starts behind a blocked head, though the new node would sort before it */
static void a_refused_head_stays_first(void **state)
{
    const struct bench_record records[] = {
        {.seq = 1, .type = DEP_LOAD, .address = 0x40, .size = 8},
        {.seq = 2, .type = DEP_LOAD, .registers = {1}, .address = 0x80, .size = 8},
        {.seq = 3, .type = DEP_LOAD, .delay = 2000, .address = 0xc0, .size = 8},
    };

    BENCH_PREPARE(3, records);
    bench.l1d.limit = 1;
    bench_run_to_the_end();
    assert_int_equal(bench_tick_of("recv", 0x40, 0), 2000);
    assert_int_equal(bench_tick_of("send", 0xc0, 0), 2001);
    assert_int_equal(bench_tick_of("send", 0x80, 0), 4002);
}

/* ---- accesses */

/* 2.8, startMem 1: nothing is sent, dependents are released at once; the address may lie outside memory */
static void strictly_ordered_accesses_are_not_sent(void **state)
{
    const struct bench_record records[] = {
        {.seq = 1, .type = DEP_LOAD, .address = UINT64_C(1) << 40, .size = 4, .flags = REQUEST_STRICT_ORDER},
        {.seq = 2, .type = DEP_STORE, .registers = {1}, .address = UINT64_C(1) << 40, .flags = REQUEST_STRICT_ORDER},
        {.seq = 3, .type = DEP_STORE, .order = {2}, .address = 0x40, .size = 8},
    };

    BENCH_PREPARE(3, records);
    bench_run_to_the_end();
    assert_int_equal(bench.cpu.stats.strict_order_loads, 1);
    assert_int_equal(bench.cpu.stats.strict_order_stores, 1);
    assert_int_equal(bench.cpu.stats.data_send_attempted, 1);
    assert_int_equal(bench_tick_of("send", 0x40, 0), 0);
    assert_int_equal(bench.cpu.stats.load_latency.count, 0);
}

static struct request request_of(struct bench_record record)
{
    record.seq = 1;
    bench_prepare(1, &record, 1);
    bench_run_to_the_end();
    return bench.l1d.last_request;
}

/* 2.8, startMem 2: "size := line - (paddr mod line), numSplitReqs++" */
static void accesses_end_with_their_line(void **state)
{
    assert_int_equal(request_of((struct bench_record){.type = DEP_LOAD, .address = 0x7c, .size = 8}).size_bytes, 4);
    assert_int_equal(bench.cpu.stats.split_requests, 1);
    assert_int_equal(request_of((struct bench_record){.type = DEP_LOAD, .address = 0x78, .size = 8}).size_bytes, 8);
    assert_int_equal(bench.cpu.stats.split_requests, 0);
    assert_int_equal(request_of((struct bench_record){
        .type = DEP_STORE, .address = 0x40, .size = UINT32_MAX}).size_bytes, 64);
    assert_int_equal(bench.cpu.stats.split_requests, 1);
    assert_int_equal(request_of((struct bench_record){.type = DEP_LOAD}).size_bytes, 0);
    assert_int_equal(bench.cpu.stats.split_requests, 0);
}

static void requests_carry_the_fields_of_the_record(void **state)
{
    struct request const request = request_of((struct bench_record){.type = DEP_LOAD, .address = 0x48, .size = 4,
                                                              .flags = REQUEST_SECURE | REQUEST_UNCACHEABLE});

    assert_int_equal(request.flags, REQUEST_SECURE | REQUEST_UNCACHEABLE);
    assert_int_equal(request.pc, 0x1001);
    assert_true(request.has_pc);
    assert_string_equal(bench.sim.requestor_names[request.requestor], "cpu.data");
    assert_true(bench.l1d.last_address == (0x48 | ADDRESS_SECURE));
    assert_int_equal(bench_tick_of("send", 0x48, 0), 0);
    assert_string_equal(bench.sim.requestor_names[bench.l1i.last_request.requestor], "cpu.inst");
    assert_int_equal(bench.cpu.inst_requestor + 1, bench.cpu.data_requestor);
}

/* 2.8, startMem 4: "First match wins." */
static void commands_follow_the_flags(void **state)
{
    static const struct {
        enum dep_type type;
        uint32_t flags;
        const char *command;
    } cases[] = {
        {DEP_LOAD, 0, "ReadReq"},
        {DEP_LOAD, 0x00200000 | 0x03000000 | 0x00100000, "LoadLockedReq"},
        {DEP_LOAD, 0x03000000 | 0x00100000, "SoftPFExReq"},
        {DEP_LOAD, 0x01000000 | 0x00100000, "SoftPFReq"},
        {DEP_LOAD, 0x00100000, "LockedRMWReadReq"},
        {DEP_LOAD, 0x00400000, "ReadReq"},
        {DEP_STORE, 0, "WriteReq"},
        {DEP_STORE, 0x00200000 | 0x00400000, "StoreCondReq"},
        {DEP_STORE, 0x00400000 | 0x00100000, "SwapReq"},
        {DEP_STORE, 0x00800000, "SwapReq"},
        {DEP_STORE, 0x40000000, "SwapReq"},
        {DEP_STORE, 0x80000000, "SwapReq"},
        {DEP_STORE, 0x00100000, "LockedRMWWriteReq"},
        {DEP_STORE, 0x01000000 | 0x00010000, "WriteReq"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        request_of((struct bench_record){.type = cases[i].type, .flags = cases[i].flags, .address = 0x40, .size = 8});
        assert_int_equal(bench_tick_of("send", 0x40, 0), 0);
        for (size_t line = 0; line < bench.log_count; line++)
            if (bench.log[line].address == 0x40 && strcmp(bench.log[line].what, "send") == 0)
                assert_string_equal(bench.log[line].command, cases[i].command);
    }
}

/* 1.5: "the player treats every type other than LOAD/STORE as COMP" */
static void invalid_records_are_computations(void **state)
{
    const struct bench_record records[] = {
        {.seq = 1, .type = DEP_INVALID, .address = UINT64_MAX},
        {.seq = 2, .type = DEP_STORE, .delay = 500, .registers = {1}, .address = 0x40, .size = 8},
    };

    BENCH_PREPARE(2, records);
    bench_run_to_the_end();
    assert_int_equal(bench_tick_of("send", 0x40, 0), 500);
}

/* ---- fetch side (2.12) */

static void fetches_keep_their_distances(void **state)
{
    static const struct packet_record fetches[] = {
        {.tick = 3000, .cmd = 1, .addr = 0x100, .size_bytes = 64},
        {.tick = 3000, .cmd = 4, .addr = 0x140, .size_bytes = 2},
        {.tick = 3777, .cmd = 1, .addr = 0x180, .size_bytes = 0},
        {.tick = 5000, .cmd = 1, .addr = 0x1c0, .size_bytes = 16}};

    BENCH_PREPARE(1, bench_one_store);
    bench.fetches = fetches;
    bench.fetch_count = 4;
    bench_run_to_the_end();
    bench_expect_fetches((const uint64_t[]){2000, 2000, 2777, 4000}, 4);
    assert_int_equal(bench.cpu.stats.num_sched_icache_event, 3);
    assert_int_equal(bench.cpu.stats.inst_send_attempted, 4);
    assert_int_equal(bench.cpu.stats.inst_send_succeeded, 4);
    assert_int_equal(bench.cpu.stats.inst_last_tick, 4000);
    assert_int_equal(bench.cpu.stats.data_last_tick, 2500);
    assert_int_equal(bench.finished_ps, 4000);
    assert_int_equal(bench.cpu.stats.num_cycles, 5);
    assert_int_equal(bench.cpu.stats.fetch_tail_cyc, 3);
}

/* "A refused fetch delays all later ones by the same amount, including the sub-cycle offset of the +1-tick retry" */
static void a_refused_fetch_delays_all_later_ones(void **state)
{
    static const struct packet_record fetches[] = {
        {.tick = 1000, .cmd = 1, .addr = 0x100, .size_bytes = 16},
        {.tick = 1500, .cmd = 1, .addr = 0x140, .size_bytes = 16},
        {.tick = 6000, .cmd = 1, .addr = 0x180, .size_bytes = 16}};

    BENCH_PREPARE(1, bench_one_store);
    bench.fetches = fetches;
    bench.fetch_count = 3;
    bench.l1i.limit = 1;
    bench_run_to_the_end();
    bench_expect_fetches((const uint64_t[]){0, 2001, 6501}, 3);
    assert_int_equal(bench.cpu.stats.inst_send_attempted, 3);
    assert_int_equal(bench.cpu.stats.inst_send_failed, 1);
    assert_int_equal(bench.cpu.stats.inst_retry_succeeded, 1);
    assert_int_equal(bench.cpu.stats.num_sched_icache_event, 2);
}

#define TEST(name) cmocka_unit_test_teardown(name, bench_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(worked_example_a), TEST(worked_example_a_without_delay), TEST(worked_example_b), TEST(worked_example_c),
        TEST(order_dependences_on_a_load_end_when_it_is_sent), TEST(an_order_dependence_hides_a_register_dependence),
        TEST(an_order_child_read_late_waits_for_the_response), TEST(a_chain_without_delay_takes_no_time),
        TEST(unaligned_delays_and_answers), TEST(a_freed_buffer_waits_for_the_next_data_event),
        TEST(the_rob_is_a_distance), TEST(weights_count_and_the_distance_has_16_bits),
        TEST(buffers_are_held_during_the_delay), TEST(a_refused_head_stays_first),
        TEST(strictly_ordered_accesses_are_not_sent), TEST(accesses_end_with_their_line),
        TEST(requests_carry_the_fields_of_the_record), TEST(commands_follow_the_flags),
        TEST(invalid_records_are_computations), TEST(fetches_keep_their_distances),
        TEST(a_refused_fetch_delays_all_later_ones),
    };

    return BENCH_RUN_ON_ALL(tests);
}
