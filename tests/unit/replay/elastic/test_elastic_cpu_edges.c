/* replay/elastic/elastic_cpu.h on ideal L1s: start and end, what goes beyond the reference, faults, stalls, and the
 * sums of CPI stack and occupancies. */
#include "replay/config/core_params.h"
#include "tests/support/elastic_bench.h"
#include "tests/support/unit.h"

/* ---- start (2.13), factors (2.4, 1.8) */

/* "same tick => data first (LIFO)" */
static void data_goes_first_at_the_start(void **state)
{
    BENCH_PREPARE(1, bench_one_store);
    bench_run_to_the_end();
    assert_int_equal(bench.log[0].tick, 0);
    assert_string_equal(bench.log[0].component, "cpu.data");
    assert_int_equal(bench.log[1].tick, 0);
    assert_string_equal(bench.log[1].component, "cpu.inst");
}

static void the_earlier_side_starts_at_0(void **state)
{
    const struct bench_record records[] = {{.seq = 1, .type = DEP_STORE, .delay = 4300, .address = 0x40, .size = 8}};

    BENCH_PREPARE(1, records);
    bench_run_to_the_end();
    assert_int_equal(bench_tick_of("send", 0x40, 0), 3300);
    bench_expect_fetches((const uint64_t[]){0}, 1);
    assert_int_equal(bench.cpu.stats.num_sched_dcache_event, 1);
}

/* "statistics are reset after it" */
static void the_windows_of_the_start_do_not_count(void **state)
{
    struct bench_record records[8] = {{.seq = 1, .type = DEP_COMP, .delay = 500}};

    for (uint64_t i = 1; i < 8; i++)
        records[i] = (struct bench_record){.seq = i + 1, .type = DEP_COMP, .delay = 500, .registers = {i < 6 ? 1 : 6}};
    BENCH_PREPARE(4, records);
    bench_run_to_the_end();
    assert_int_equal(bench.cpu.stats.max_dependents, 0);
    assert_int_equal(bench.cpu.stats.max_ready_list_size, 6);
}

static void delays_are_divided_by_the_frequency_multiplier(void **state)
{
    const struct bench_record records[] = {
        {.seq = 1, .type = DEP_COMP},
        {.seq = 2, .type = DEP_STORE, .delay = 1001, .registers = {1}, .address = 0x40, .size = 8}};

    BENCH_PREPARE(2, records);
    bench.params.freq_multiplier = 3.0;
    bench_run_to_the_end();
    assert_int_equal(bench_tick_of("send", 0x40, 0), (uint64_t)(1001 * (1.0 / 3.0)));
}

/* 1.8: a tick scale for traces whose ticks are not picoseconds; it covers delays and fetches */
static void ticks_are_scaled(void **state)
{
    const struct bench_record records[] = {
        {.seq = 1, .type = DEP_COMP},
        {.seq = 2, .type = DEP_STORE, .delay = 3, .registers = {1}, .address = 0x40, .size = 8}};
    static const struct packet_record fetches[] = {
        {.tick = 0, .cmd = 1, .addr = 0x100, .size_bytes = 16}, {.tick = 3, .cmd = 1, .addr = 0x140, .size_bytes = 16},
        {.tick = 5, .cmd = 1, .addr = 0x180, .size_bytes = 16}};

    BENCH_PREPARE(2, records);
    bench.setup.tick_scale = 250.5;
    bench.fetches = fetches;
    bench.fetch_count = 3;
    bench_run_to_the_end();
    assert_int_equal(bench_tick_of("send", 0x40, 0), 751);
    bench_expect_fetches((const uint64_t[]){0, 751, 1252}, 3);
}

/* ---- beyond the reference */

/* 2.11: "Our player should instead read on (schedule E(1))" */
static void a_drained_graph_reads_on(void **state)
{
    struct bench_record records[6];

    for (uint64_t i = 0; i < 6; i++)
        records[i] = (struct bench_record){.seq = i + 1, .type = DEP_COMP};
    BENCH_PREPARE(2, records);
    bench_run_to_the_end();
    assert_int_equal(bench.sim.notices[NOTICE_GRAPH_DRAINED], 2);
    assert_int_equal(bench.sim.notices[NOTICE_SHORT_TRACE], 0);
    assert_int_equal(bench.finished_ps, 1000);
    assert_int_equal(bench.cpu.stats.num_ops, 6);
}

/* 2.13: fewer than two windows */
static void a_short_trace_is_replayed(size_t count, uint64_t window, uint64_t expected_notices)
{
    BENCH_PREPARE(window, bench_example_b);
    bench.record_count = count;
    bench.params.load_buffer = 1;
    bench_run_to_the_end();
    assert_int_equal(bench.sim.notices[NOTICE_SHORT_TRACE], expected_notices);
    assert_int_equal(bench.sim.notices[NOTICE_GRAPH_DRAINED], 0);
}

static void short_traces_are_replayed(void **state)
{
    a_short_trace_is_replayed(1, 3, 1);
    a_short_trace_is_replayed(3, 4, 1);
    a_short_trace_is_replayed(5, 3, 1);
    a_short_trace_is_replayed(6, 3, 0);
    assert_int_equal(bench.finished_ps, 5000);
    a_short_trace_is_replayed(6, 1000, 1);
    assert_int_equal(bench.finished_ps, 5000);
}

/* ---- faults */

static void expect_fault(const char *text)
{
    struct fault const fault = bench_start();

    assert_string_equal(fault_text(fault), text);
    assert_int_equal(fault.kind, FAULT_INPUT);
}

static void empty_traces_are_faults(void **state)
{
    BENCH_PREPARE(2, bench_one_store);
    bench.record_count = 0;
    expect_fault("deptrace: no data record in the trace; expected at least one");
    BENCH_PREPARE(2, bench_one_store);
    bench.fetch_count = 0;
    expect_fault("fetchtrace: no fetch in the trace; expected at least one");
    BENCH_PREPARE(0, bench_one_store);
    expect_fault("deptrace: header field window_size is 0; expected the capture's depWindowSize");
}

static void expect_fetch_fault(struct packet_record fetch, const char *text)
{
    BENCH_PREPARE(1, bench_one_store);
    bench.fetches = &fetch;
    expect_fault(text);
}

static void bad_fetches_are_faults(void **state)
{
    expect_fetch_fault((struct packet_record){.cmd = 1, .addr = 0x130, .size_bytes = 32},
                       "fetchtrace: fetch record 0: 32 bytes at 0x130 cross a line of 64 bytes; expected fetches "
                       "within a line, so give a line at least as large as the capture's fetch block");
    expect_fetch_fault((struct packet_record){.cmd = 22, .addr = 0x100, .size_bytes = 16},
                       "fetchtrace: fetch record 0: cmd is 22; expected 1 (ReadReq) or 4 (WriteReq)");
    expect_fetch_fault((struct packet_record){.cmd = 1, .addr = 0x40000001, .size_bytes = 16},
                       "fetchtrace: fetch record 0: address 0x40000001 lies outside memory, which ends at 0x100000; "
                       "give memory.size=2GiB or more");
    expect_fetch_fault((struct packet_record){.cmd = 1, .tick = UINT64_C(1) << 62},
                       "fetchtrace: fetch record 0: tick 4611686018427387904 lies beyond the last tick that can be "
                       "simulated (2^62 ps); the file is damaged, or --tick-scale is too large");
}

static void expect_data_fault(struct bench_record record, const char *text)
{
    record.seq = 9;
    bench_prepare(1, &record, 1);
    expect_fault(text);
}

static void bad_data_records_are_faults(void **state)
{
    expect_data_fault((struct bench_record){.type = DEP_LOAD, .address = 0x3fffffff, .size = 1},
                      "deptrace: data record 0: address 0x3fffffff lies outside memory, which ends at 0x100000; give "
                      "memory.size=1GiB or more");
    expect_data_fault((struct bench_record){.type = DEP_STORE, .address = 0x100000},
                      "deptrace: data record 0: address 0x100000 lies outside memory, which ends at 0x100000; give "
                      "memory.size=2MiB or more");
    expect_data_fault((struct bench_record){.type = DEP_LOAD, .address = UINT64_MAX, .size = 8},
                      "deptrace: data record 0: address 0xffffffffffffffff lies beyond any memory; the file is "
                      "damaged or was not captured with physical addresses");
    expect_data_fault((struct bench_record){.type = DEP_COMP, .delay = UINT64_MAX},
                      "deptrace: data record 0 (seq_num 9): comp_delay 18446744073709551615 is longer than can be "
                      "simulated (2^62 ps); the file is damaged, or a factor is too large");
}

static void addresses_below_memory_are_faults(void **state)
{
    const struct bench_record records[] = {{.seq = 1, .type = DEP_LOAD, .address = 0x7fffffff, .size = 1}};
    static const struct packet_record fetches[] = {{.cmd = 1, .addr = 0x80000000, .size_bytes = 16}};

    BENCH_PREPARE(1, records);
    bench.fetches = fetches;
    bench.setup.limits = (struct elastic_limits){.memory_base = 0x80000000, .memory_end = 0x90000000};
    expect_fault("deptrace: data record 0: address 0x7fffffff lies below memory, which begins at 0x80000000");
}

/* "A fault in the middle of a run is put into `fault` and stops the queue." */
static void a_fault_in_the_middle_stops_the_run(void **state)
{
    struct bench_record records[40];

    for (uint64_t i = 0; i < 40; i++)
        records[i] = (struct bench_record){.seq = i + 1, .type = DEP_COMP, .delay = 500, .registers = {i}};
    BENCH_PREPARE(4, records);
    bench.fault_at_record = 14;
    bench_run();
    assert_string_equal(fault_text(bench.cpu.fault), "deptrace: damaged");
    assert_int_equal(bench.cpu.records_read, 14);
    assert_true(bench.sim.events.stopped);
    assert_int_equal(bench.finished_calls, 0);
}

static void decreasing_fetch_ticks_stop_the_run(void **state)
{
    static const struct packet_record fetches[] = {
        {.tick = 700, .cmd = 1, .addr = 0x100, .size_bytes = 16},
        {.tick = 600, .cmd = 1, .addr = 0x100, .size_bytes = 16}};

    BENCH_PREPARE(1, bench_one_store);
    bench.fetches = fetches;
    bench.fetch_count = 2;
    bench_run();
    assert_string_equal(fault_text(bench.cpu.fault),
                        "fetchtrace: fetch record 1: tick 600 is before that of the record "
                        "before it, 700; expected ticks that do not fall");
}

/* Delays that are legal one by one must not carry the clock beyond its range together. */
static void endless_delays_stop_the_run(void **state)
{
    struct bench_record records[8];

    for (uint64_t i = 0; i < 8; i++)
        records[i] = (struct bench_record){.seq = i + 1, .type = DEP_COMP, .delay = UINT64_C(3) << 60,
                                           .registers = {i}};
    BENCH_PREPARE(4, records);
    bench_run();
    assert_string_equal(fault_text(bench.cpu.fault),
                        "deptrace: data record 1 (seq_num 2): comp_delay leads beyond the last "
                        "tick that can be simulated (2^62 ps); the file is damaged, or a factor is too large");
}

/* ---- stalls */

/* The run stalled; the core waits for this address, and reports it. */
static void expect_stuck(uint64_t expected_address, const char *expected_text)
{
    char text[300];
    uint64_t address = 0;

    assert_true(elastic_cpu_is_waiting(&bench.cpu));
    assert_true(elastic_cpu_stuck_address(&bench.cpu, &address));
    assert_int_equal(address, expected_address);
    elastic_cpu_describe(&bench.cpu, text, sizeof text);
    assert_string_equal(text, expected_text);
}

static void a_missing_answer_is_named(void **state)
{
    BENCH_PREPARE(3, bench_example_b);
    bench.l1d.latency_ps = BENCH_NEVER;
    bench_run();
    expect_stuck(0x40, "cpu: no response to ReadReq 0x40 of data record 1 (seq_num 2); 2 loads and 0 stores "
                       "hold buffer entries; all fetches sent");
}

static void a_missing_write_answer_is_named(void **state)
{
    BENCH_PREPARE(1, bench_one_store);
    bench.l1d.latency_ps = BENCH_NEVER;
    bench_run();
    expect_stuck(0x40, "cpu: no response to WriteReq 0x40 of data record 0 (seq_num 1); 0 loads and 1 stores "
                       "hold buffer entries; all fetches sent");
}

static void a_refusal_is_named(void **state)
{
    BENCH_PREPARE(3, bench_example_b);
    bench.l1d.limit = 0;
    bench.l1i.limit = 0;
    bench_run();
    expect_stuck(0x40, "cpu: the L1D refuses ReadReq 0x40 of data record 1 (seq_num 2); the L1I refuses "
                       "ReadReq 0x100 of fetch record 0");
}

/* Two misses, of which the L1D takes one at a time, and a store behind them. */
static const struct bench_record crowd[] = {
    {.seq = 1, .type = DEP_LOAD, .address = 0x40, .size = 8},
    {.seq = 2, .type = DEP_LOAD, .address = 0x80, .size = 8},
    {.seq = 3, .type = DEP_STORE, .order = {2}, .address = 0x88, .size = 8},
};

static void a_refusal_without_packet_is_named(void **state)
{
    BENCH_PREPARE(3, crowd);
    bench.cache_mshrs = 1;
    bench.l1d.limit = 0;
    bench_run();
    expect_stuck(0x80, "cpu: the L1D refuses ReadReq 0x80 of data record 1 (seq_num 2); all fetches sent");
    assert_int_equal(bench.cpu.stats.data_send_failed, 1);
    assert_null(bench.cpu.refused_packet);
}

/* memsys/sim/port.h: "Nothing simulated differs." */
static void refusals_need_no_packets(void **state)
{
    static struct bench_line lines[BENCH_LOG_LINES];
    struct elastic_cpu_stats stats;
    size_t line_count;

    BENCH_PREPARE(3, crowd);
    bench.cache_mshrs = 1;
    bench.needs_packets = true;
    bench_run_to_the_end();
    memcpy(lines, bench.log, sizeof lines);
    line_count = bench.log_count;
    stats = bench.cpu.stats;
    assert_true(stats.data_send_failed > 0);
    BENCH_PREPARE(3, crowd);
    bench.cache_mshrs = 1;
    bench_run_to_the_end();
    assert_int_equal(bench.cpu.stats.data_send_failed, stats.data_send_failed);
    assert_int_equal(bench.cpu.stats.data_retry_succeeded, stats.data_retry_succeeded);
    assert_int_equal(bench.cpu.stats.data_send_succeeded, stats.data_send_succeeded);
    assert_int_equal(bench.log_count, line_count);
    for (size_t i = 0; i < line_count; i++) {
        assert_int_equal(bench.log[i].tick, lines[i].tick);
        assert_int_equal(bench.log[i].address, lines[i].address);
        assert_string_equal(bench.log[i].component, lines[i].component);
        assert_string_equal(bench.log[i].what, lines[i].what);
        assert_string_equal(bench.log[i].command, lines[i].command);
    }
}

/* ---- statistics */

static void reset_when_notified(void *context, struct elastic_cpu *cpu)
{
    (void)context;
    elastic_cpu_reset_statistics(cpu);
    elastic_cpu_notify_at(cpu, 0);
}

/* "when that many data records are complete"; "Statistics count from now on." */
static void statistics_can_restart_in_the_middle(void **state)
{
    BENCH_PREPARE(3, bench_example_b);
    assert_string_equal(fault_text(bench_start()), "");
    bench.cpu.notify = reset_when_notified;
    elastic_cpu_notify_at(&bench.cpu, 2);        /* load 2 answers at tick 2000 */
    while (event_queue_step(&bench.sim.events, TICK_NEVER))
        ;
    elastic_cpu_sync(&bench.cpu);
    assert_int_equal(bench.finished_ps, 2500 + 500);
    assert_int_equal(elastic_cpu_records_completed(&bench.cpu), 6);
    assert_int_equal(bench.cpu.stats.records, 4);
    assert_int_equal(bench.cpu.stats.since_ps, 2000);
    assert_int_equal(bench.cpu.stats.data_send_attempted, 0);
    assert_int_equal(bench.cpu.stats.num_cycles, 6);
    assert_int_equal(cpi_stack_total(&bench.cpu.stats.cpi_stack), 2);
}

static uint64_t pick(uint64_t below)
{
    return (uint64_t)rand() % below;
}

/* Whatever the trace and the L1s: the parts of the CPI stack add up, every record completes, all packets come back, and
 * attempted = succeeded + failed, failed = retried. (run_to_the_end and close_bench check the first three.) */
static void sums_hold_on_random_traces(void **state)
{
    enum { RECORDS = 600 };
    static struct bench_record records[RECORDS];

    for (unsigned seed = 1; seed <= 150; seed++) {
        const struct elastic_cpu_stats *const stats = &bench.cpu.stats;
        uint64_t const density = 1 + pick(4);

        srand(seed);
        for (uint64_t i = 0; i < RECORDS; i++) {
            struct bench_record *const record = &records[i];

            *record = (struct bench_record){.seq = 1 + i, .type = (enum dep_type)(1 + pick(3)), .delay = pick(4) * 500,
                                      .address = pick(1 << 20), .size = (uint32_t)pick(65),
                                      .weight = (uint32_t)pick(3)};
            for (uint64_t dep = 0; dep < density && i; dep++)
                (pick(2) ? record->order : record->registers)[dep] = i - pick(i < 20 ? i : 20);
            if (pick(20) == 0)
                record->flags = REQUEST_STRICT_ORDER;
            if (pick(5) == 0)
                record->delay = pick(2000);
        }
        BENCH_PREPARE(1 + pick(100), records);
        bench.params.rob = 1 + pick(60);
        bench.params.load_buffer = 1 + pick(8);
        bench.params.store_buffer = 1 + pick(8);
        bench.setup.period_ps = 200 + pick(400);
        bench.l1d.limit = (unsigned)(1 + pick(6));
        bench.l1d.latency_ps = 1 + pick(5000);
        bench_run_to_the_end();
        assert_int_equal(stats->data_send_attempted, stats->data_send_succeeded + stats->data_send_failed);
        assert_int_equal(stats->data_send_failed, stats->data_retry_succeeded);
        assert_int_equal(stats->load_latency.lowest, bench.l1d.latency_ps);
        assert_int_equal(stats->load_latency.highest, bench.l1d.latency_ps);
        assert_in_range(stats->rob_ps, stats->load_buffer_ps, stats->data_last_tick * RECORDS);
        assert_in_range(stats->load_buffer_ps, 1, stats->data_last_tick * bench.params.load_buffer);
        assert_in_range(stats->store_buffer_ps, 1, stats->data_last_tick * bench.params.store_buffer);
    }
}

/* By links, on the fast data side, events may follow each other without the queue between them (event_continue); else
 * each is a step of its own, on the plain data side where tests run on that. */
static struct elastic_cpu_stats stats_of_run(const struct bench_record *records, size_t count, bool is_linked,
                                             const struct elastic_cpu_setup *setup, uint64_t reset_at)
{
    bool const was_linked = bench_is_linked, was_fast = bench_is_fast;

    bench_is_linked = is_linked;
    bench_is_fast = was_fast || is_linked;
    bench_prepare(setup->records.window_records, records, count);
    bench.params = *setup->params;
    bench.l1d.limit = 4;
    bench.l1d.latency_ps = 3700;
    assert_string_equal(fault_text(bench_start()), "");
    bench.cpu.notify = reset_when_notified;
    elastic_cpu_notify_at(&bench.cpu, reset_at);
    if (is_linked)
        event_queue_run(&bench.sim.events, TICK_NEVER, UINT64_MAX);
    while (event_queue_step(&bench.sim.events, TICK_NEVER))
        ;
    elastic_cpu_sync(&bench.cpu);
    bench_is_linked = was_linked;
    bench_is_fast = was_fast;
    assert_int_equal(elastic_cpu_records_completed(&bench.cpu), count);
    return bench.cpu.stats;
}

/* replay/fast/graph.h: "Edges of a store are mostly links": nothing but the time it takes tells. Some records have
 * many children. Where delays are known to be whole cycles, nothing tells that either; in every other trace some are
 * not. */
static void links_change_nothing(void **state)
{
    enum { RECORDS = 700 };
    static struct bench_record records[RECORDS];

    for (unsigned seed = 1; seed <= 60; seed++) {
        struct core_params params = {.freq_multiplier = 1.0};
        struct elastic_cpu_setup setup = {.params = &params};
        struct elastic_cpu_stats by_reader, by_store;
        uint64_t hub = 0, reset_at;

        srand(seed);
        for (uint64_t i = 0; i < RECORDS; i++) {
            struct bench_record *const record = &records[i];

            *record = (struct bench_record){.seq = 1 + 2 * i, .type = (enum dep_type)(1 + pick(3)),
                                            .delay = seed % 2 && pick(99) == 0 ? pick(2000) : pick(4) * 500,
                                            .address = 64 * pick(1 << 10), .size = 8};
            hub = pick(25) == 0 ? i : hub;
            for (uint64_t dep = 0; dep < 3 && i; dep++)
                (pick(2) ? record->order : record->registers)[dep]
                    = 1 + 2 * (pick(3) == 0 && hub < i ? hub : i - 1 - pick(i < 60 ? i : 60));
            for (uint64_t dep = 0; dep < 3; dep++)       /* no gaps */
                if (record->order[dep] == 0)
                    record->order[dep] = i ? 1 + 2 * (i - 1) : 0;
        }
        setup.records.window_records = 1 + pick(100);
        params.rob = 1 + pick(200);
        params.load_buffer = params.store_buffer = 1 + pick(30);
        reset_at = 1 + pick(RECORDS);
        by_reader = stats_of_run(records, RECORDS, false, &setup, reset_at);
        by_store = stats_of_run(records, RECORDS, true, &setup, reset_at);
#define SAME(field, name, unit, help) assert_int_equal(by_store.field, by_reader.field);
        ELASTIC_CPU_STATISTICS(SAME)
#undef SAME
        assert_int_equal(by_store.num_cycles, by_reader.num_cycles);
        assert_int_equal(by_store.rob_ps, by_reader.rob_ps);
    }
}

#define TEST(name) cmocka_unit_test_teardown(name, bench_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(data_goes_first_at_the_start), TEST(the_earlier_side_starts_at_0),
        TEST(the_windows_of_the_start_do_not_count), TEST(delays_are_divided_by_the_frequency_multiplier),
        TEST(ticks_are_scaled), TEST(a_drained_graph_reads_on), TEST(short_traces_are_replayed),
        TEST(empty_traces_are_faults), TEST(bad_fetches_are_faults), TEST(bad_data_records_are_faults),
        TEST(addresses_below_memory_are_faults), TEST(a_fault_in_the_middle_stops_the_run),
        TEST(decreasing_fetch_ticks_stop_the_run), TEST(endless_delays_stop_the_run), TEST(a_missing_answer_is_named),
        TEST(a_missing_write_answer_is_named), TEST(a_refusal_is_named), TEST(a_refusal_without_packet_is_named),
        TEST(refusals_need_no_packets), TEST(statistics_can_restart_in_the_middle),
        TEST(sums_hold_on_random_traces), TEST(links_change_nothing),
    };

    return BENCH_RUN_ON_ALL(tests);
}
