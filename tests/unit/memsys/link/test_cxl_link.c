/* memsys/link/cxl_link.h: latency, peak bandwidth, credits and back-pressure of a link, worked out by hand; a simple
 * memory is behind it. */
#include "memsys/link/cxl_link.h"
#include "tests/support/dram_bench.h"
#include "tests/support/unit.h"

static struct cxl_link link;

/* 8 lanes of 32 GT/s: a slot with its share of a flit, 17 bytes, takes 531.25 ps. */
static void build(uint64_t latency_ps, uint64_t credits, uint64_t bandwidth)
{
    struct cxl_link_params const params = {latency_ps, 8, 32000, credits};

    dram_bench_set_up("DDR3_1600_8x8");
    dram_bench.params.bandwidth_bytes_per_s = bandwidth;
    dram_bench_build_simple();
    assert_fine(cxl_link_init(&link, &dram_bench.sim, "memory", &params));
    link.above = dram_bench.simple.above;
    link.below = dram_bench.port;
    dram_bench.simple.above = cxl_link_above(&link);
    dram_bench.port = cxl_link_port(&link);
}

static int tear_down(void **state)
{
    cxl_link_free(&link);
    dram_bench_tear_down();
    return 0;
}

#define FAST_MEMORY UINT64_C(2000000000000)     /* 1 ps a byte */

static void assert_all_back(void)
{
    assert_int_equal(link.down.credits, link.params.credits);
    assert_int_equal(link.up.credits, link.params.credits);
}

/* A request of one slot, 532 ps; 70 ns; the memory's 30 ns; an answer of five slots, 2657 ps; 70 ns. */
static void a_read_takes_both_ways(void **state)
{
    build(70000, 64, FAST_MEMORY);
    dram_bench_send_at(1000, CMD_ReadReq, 64)->header_delay_ps = 300;
    dram_bench_run_until(10000000);
    assert_int_equal(dram_bench.answer_count, 1);
    assert_int_equal(dram_bench.answers[0].when_ps, 1000 + 300 + 532 + 70000 + 30000 + 2657 + 70000);
    assert_all_back();
}

/* Writes cross the wire with their data: a read behind one waits for it. */
static void data_takes_the_wire(void **state)
{
    build(70000, 64, FAST_MEMORY);
    dram_bench_send_at(1000, CMD_WritebackDirty, 0);
    dram_bench_send_at(1000, CMD_ReadReq, 64);
    dram_bench_run_until(10000000);
    assert_int_equal(dram_bench.answer_count, 1);
    assert_int_equal(dram_bench.answers[0].when_ps, 1000 + 2657 + 532 + 70000 + 30000 + 2657 + 70000);
    assert_int_equal(link.down.slots, 6);
    assert_all_back();
}

/* "Bytes of data a second, each way, at most": 64 bytes in 2657 ps, 24.09 GB/s of 32 */
static void reads_reach_the_peak(void **state)
{
    enum { READS = 500 };

    build(70000, 1000, FAST_MEMORY);
    assert_true(cxl_link_peak_bytes_per_s(&link.params, 64) > 24.08e9
                && cxl_link_peak_bytes_per_s(&link.params, 64) < 24.10e9);
    for (unsigned i = 0; i < READS; i++)
        dram_bench_send_at(0, CMD_ReadReq, i * 64);
    dram_bench_run_until(100000000);
    assert_int_equal(dram_bench.answer_count, READS);
    assert_int_equal(dram_bench.answers[READS - 1].when_ps - dram_bench.answers[0].when_ps, (READS - 1) * 2657);
    assert_all_back();
}

/* "of reads at most credits / round trip": an answer's credit is away for its time on the wire, there and back */
static void credits_bound_the_rate(void **state)
{
    enum { READS = 400, CREDITS = 4 };
    uint64_t const round_trip_ps = 2657 + 2 * 70000;
    uint64_t time_ps;

    build(70000, CREDITS, FAST_MEMORY);
    for (unsigned i = 0; i < READS; i++)
        dram_bench_send_at(0, CMD_ReadReq, i * 64);
    dram_bench_run_until(1000000000);
    assert_int_equal(dram_bench.answer_count, READS);
    time_ps = dram_bench.answers[READS - 1].when_ps - dram_bench.answers[READS - 101].when_ps;
    assert_in_range(time_ps, 100 / CREDITS * round_trip_ps, 100 / CREDITS * round_trip_ps * 101 / 100);
    assert_true(link.down.refused > 0);
    assert_all_back();
}

/* Responses that the bus refuses fill the link, then the memory, then requests are refused; afterwards all come, in
 * order. */
static void back_pressure_loses_nothing(void **state)
{
    enum { READS = 40, CREDITS = 4 };
    char text[120];

    build(10000, CREDITS, FAST_MEMORY);
    for (unsigned i = 0; i < READS; i++)
        dram_bench_send_at(0, CMD_ReadReq, i * 64);
    dram_bench.refuses_answers = true;
    dram_bench_run_until(20000000);
    assert_int_equal(dram_bench.answer_count, 0);
    assert_int_equal(link.up.credits, 0);
    assert_true(cxl_link_describe(&link, 0, text, sizeof text));
    assert_string_equal(text, "memory.link: its answer is at the other end, which refuses it");
    dram_bench.refuses_answers = false;
    dram_bench.port.ops->recv_response_retry(dram_bench.port.self, dram_bench.port.port);
    dram_bench_run_until(40000000);
    assert_int_equal(dram_bench.answer_count, READS);
    for (unsigned i = 0; i < READS; i++)
        assert_int_equal(dram_bench.answers[i].address, i * 64);
    assert_all_back();
}

/* A slow memory, 4.7 ns a line, refuses what arrives too soon; it sets the pace. */
static void a_slow_memory_sets_the_pace(void **state)
{
    enum { READS = 200 };

    build(10000, 64, UINT64_C(13743895347));
    for (unsigned i = 0; i < READS; i++)
        dram_bench_send_at(0, CMD_ReadReq, i * 64);
    dram_bench_run_until(10000000);
    assert_int_equal(dram_bench.answer_count, READS);
    assert_int_equal(dram_bench.answers[READS - 1].when_ps - dram_bench.answers[READS - 51].when_ps, 50 * 4672);
    assert_all_back();
}

/* "packets on the link are its own" */
static void packets_go_back_at_the_end(void **state)
{
    build(70000, 8, FAST_MEMORY);
    for (unsigned i = 0; i < 20; i++)
        dram_bench_send_at(0, CMD_ReadReq, i * 64);
    dram_bench_run_until(50000);
    assert_true(dram_bench.sim.packets->outstanding > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_read_takes_both_ways, tear_down),
        cmocka_unit_test_teardown(data_takes_the_wire, tear_down),
        cmocka_unit_test_teardown(reads_reach_the_peak, tear_down),
        cmocka_unit_test_teardown(credits_bound_the_rate, tear_down),
        cmocka_unit_test_teardown(back_pressure_loses_nothing, tear_down),
        cmocka_unit_test_teardown(a_slow_memory_sets_the_pace, tear_down),
        cmocka_unit_test_teardown(packets_go_back_at_the_end, tear_down)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
