/* memsys/dram/simple_memory.h: latency, bandwidth, order of answers, refusals (classic-memory 7). */
#include "tests/support/dram_bench.h"
#include "tests/support/unit.h"

/* 30 ns, 12.8 GiB/s: 73 ticks a byte, a line keeps the memory busy for 4672 ticks. */
static int set_up(void **state)
{
    dram_bench_set_up("DDR3_1600_8x8");
    dram_bench_build_simple();
    return 0;
}

static int tear_down(void **state)
{
    dram_bench_tear_down();
    return 0;
}

static void bandwidth_is_rounded_to_ticks_a_byte(void **state)
{
    assert_int_equal(dram_bench.simple.ps_per_byte, 73);
}

static void assert_answer(unsigned place, uint64_t when_ps, uint64_t address)
{
    assert_in_range(place, 0, dram_bench.answer_count);
    assert_int_equal(dram_bench.answers[place].when_ps, when_ps);
    assert_int_equal(dram_bench.answers[place].address, address);
}

static void read_takes_the_latency_and_its_delays(void **state)
{
    struct dram_bench_request *const request = dram_bench_send_at(1000, CMD_ReadReq, 64);

    request->header_delay_ps = 700;
    request->payload_delay_ps = 20;
    dram_bench_run_until(1000000);
    assert_int_equal(dram_bench.answer_count, 1);
    assert_answer(0, 1000 + 30000 + 720, 64);
    assert_int_equal(dram_bench.answers[0].command, CMD_ReadResp);
}

static void busy_memory_refuses_and_retries_once(void **state)
{
    dram_bench_send_at(1000, CMD_ReadReq, 0);
    dram_bench_send_at(1001, CMD_ReadReq, 64);
    dram_bench_send_at(1002, CMD_ReadReq, 128);
    dram_bench_run_until(5671);
    assert_int_equal(dram_bench.retries, 0);
    dram_bench_run_until(1000000);
    assert_int_equal(dram_bench.retries, 2);
    assert_answer(0, 31000, 0);
    assert_answer(1, 31000 + 4672, 64);
    assert_answer(2, 31000 + 2 * 4672, 128);
}

static void writes_share_the_bandwidth_and_are_not_answered(void **state)
{
    dram_bench_send_at(1000, CMD_WritebackDirty, 0);
    dram_bench_send_at(1001, CMD_ReadReq, 64);
    dram_bench_run_until(1000000);
    assert_int_equal(dram_bench.answer_count, 1);
    assert_answer(0, 1000 + 4672 + 30000, 64);
}

/* classic-memory 7: "A new element is never placed before the first one, even if earlier", and is behind others of its
 * address; the answers then leave in that order, the late ones at once. */
static void answers_keep_the_first_and_the_order_of_an_address(void **state)
{
    uint64_t const late_ps = 4672 * 8;

    dram_bench_send_at(0, CMD_ReadReq, 0)->header_delay_ps = (uint32_t)late_ps;
    dram_bench_send_at(4672, CMD_ReadReq, 64)->header_delay_ps = (uint32_t)late_ps;
    dram_bench_send_at(2 * 4672, CMD_ReadReq, 128);
    dram_bench_send_at(3 * 4672, CMD_ReadReq, 64);
    dram_bench_run_until(1000000);
    assert_int_equal(dram_bench.answer_count, 4);
    assert_answer(0, 30000 + late_ps, 0);
    assert_answer(1, 30000 + late_ps, 128);
    assert_answer(2, 30000 + late_ps + 4672, 64);
    assert_answer(3, 30000 + late_ps + 4672, 64);
}

static void refused_answer_waits_for_the_retry(void **state)
{
    char text[120];

    dram_bench_send_at(0, CMD_ReadReq, 4096);
    dram_bench.refuses_answers = true;
    dram_bench_run_until(500000);
    assert_int_equal(dram_bench.refused_answers, 1);
    assert_true(simple_memory_describe(&dram_bench.simple, 4096 + 8, text, sizeof text));
    assert_non_null(strstr(text, "waits for the bus above"));
    assert_false(simple_memory_describe(&dram_bench.simple, 8192, text, sizeof text));
    dram_bench.refuses_answers = false;
    dram_bench.port.ops->recv_response_retry(dram_bench.port.self, dram_bench.port.port);
    assert_int_equal(dram_bench.answer_count, 1);
}

static void packets_left_at_the_end_are_returned(void **state)
{
    dram_bench_send_at(0, CMD_ReadReq, 4096);
    dram_bench_run_until(100);
    assert_int_equal(dram_bench.sim.packets->outstanding, 1);
}

/* memsys/dram/memory_traffic.h: "A WritebackClean changes no contents and is not counted" */
static void traffic_is_counted_by_requestor(void **state)
{
    const struct memory_traffic *const traffic = &dram_bench.simple.traffic[1];

    dram_bench_send_at(0, CMD_ReadReq, 0)->flags = REQUEST_FETCH;
    dram_bench_send_at(10000, CMD_ReadExReq, 64);
    dram_bench_send_at(20000, CMD_WritebackDirty, 0);
    dram_bench_send_at(30000, CMD_WritebackClean, 64);
    dram_bench_send_at(40000, CMD_WriteReq, 128)->size_bytes = 8;
    dram_bench_run_until(1000000);
    assert_int_equal(traffic->bytes_read, 128);
    assert_int_equal(traffic->bytes_inst_read, 64);
    assert_int_equal(traffic->reads, 2);
    assert_int_equal(traffic->bytes_written, 72);
    assert_int_equal(traffic->writes, 2);
    simple_memory_reset_stats(&dram_bench.simple);
    assert_int_equal(traffic->bytes_read + traffic->writes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bandwidth_is_rounded_to_ticks_a_byte, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read_takes_the_latency_and_its_delays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(busy_memory_refuses_and_retries_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(writes_share_the_bandwidth_and_are_not_answered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(answers_keep_the_first_and_the_order_of_an_address, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refused_answer_waits_for_the_retry, set_up, tear_down),
        cmocka_unit_test_setup_teardown(packets_left_at_the_end_are_returned, set_up, tear_down),
        cmocka_unit_test_setup_teardown(traffic_is_counted_by_requestor, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
