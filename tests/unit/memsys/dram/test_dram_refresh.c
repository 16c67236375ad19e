/* memsys/dram/rank.h: refresh, power-down, self-refresh, and the refresh that the reference loses (classic-memory 9.7).
 * DDR3_1600_8x8: tREFI = 7800000, tRFC = 260000, tRP = tRCD = 13750, tXP = 6000, tXS = 270000, tCK = 1250 ps. */
#include "memsys/dram/dram_params.h"
#include "tests/support/dram_bench.h"
#include "tests/support/unit.h"

#define T 1000000
#define DUE (7800000 - 13750)    /* tREFI - tRP: the first refresh, and the distance to each next */
#define RFC 260000

static int set_up(void **state)
{
    dram_bench_set_up("DDR3_1600_8x8");
    return 0;
}

static int tear_down(void **state)
{
    dram_bench_tear_down();
    return 0;
}

static const struct dram_rank *rank_of(unsigned number)
{
    return &dram_bench.ctrl.channels[0].ranks[number];
}

static void read_at(uint64_t when_ps, unsigned rank, unsigned bank, uint64_t row)
{
    dram_bench_send_at(when_ps, CMD_ReadReq, dram_bench_address(rank, bank, row));
}

static void assert_command(unsigned place, uint64_t command_ps)
{
    assert_in_range(place + 1, 1, dram_bench.burst_count);
    assert_int_equal(dram_bench.bursts[place].command_ps, command_ps);
}

/* --- refresh ------------------------------------------------------------------------------------------------------ */

static void idle_rank_is_away_for_trfc(void **state)
{
    dram_bench_build();
    dram_bench_run_until(DUE - 1);
    assert_int_equal(rank_of(0)->refresh_state, REFRESH_IDLE);
    read_at(DUE + 1, 0, 0, 0);
    read_at(DUE + 2, 1, 0, 0);
    dram_bench_run_until(DUE + RFC - 1);
    assert_int_equal(rank_of(0)->refresh_state, REFRESH_RUN);
    assert_int_equal(rank_of(1)->power_state, POWER_REFRESH);
    assert_int_equal(dram_bench.burst_count, 0);
    dram_bench_run_until(2 * DUE - 1);
    assert_command(0, DUE + RFC + 13750);
    assert_command(1, DUE + RFC + 13750 + 7500);
}

/* "the effective refresh interval is tREFI - tRP" */
static void interval_is_shorter_by_trp(void **state)
{
    dram_bench_build();
    for (uint64_t n = 2; n < 6; n++)
        read_at(n * DUE + 1, 0, 0, 0);
    dram_bench_run_until(7 * DUE);
    for (uint64_t n = 2; n < 6; n++)
        assert_command((unsigned)n - 2, n * DUE + (n == 2 ? 0 : 13750) + RFC + 13750);
    /* from the third on the row that the read before left open must be closed first */
}

static void open_row_is_closed_first(void **state)
{
    dram_bench_build();
    read_at(T, 0, 0, 0);
    read_at(DUE + 1, 0, 0, 0);
    dram_bench_run_until(2 * DUE - 1);
    assert_command(1, DUE + 13750 + RFC + 13750);
    assert_false(dram_bench.bursts[1].hit);
    assert_int_equal(dram_bench.ctrl.channels[0].stats.bytes_per_activate.sums.samples, 1);
}

/* An activate at DUE - 1 keeps the row open until DUE - 1 + tRAS. */
static void refresh_waits_for_tras(void **state)
{
    dram_bench_build();
    read_at(DUE - 1, 0, 0, 0);
    read_at(DUE + 1, 0, 1, 0);
    dram_bench_run_until(2 * DUE - 1);
    assert_command(0, DUE - 1 + 13750);
    assert_command(1, DUE - 1 + 35000 + 13750 + RFC + 13750);
}

static void power_times_add_up(void **state)
{
    const struct dram_rank_stats *stats;
    uint64_t sum = 0;

    dram_bench_build();
    read_at(T, 1, 0, 0);
    dram_bench_run_until(2 * DUE - 1);
    mem_ctrl_settle_stats(&dram_bench.ctrl);
    /* open from T until the refresh has closed it */
    stats = &rank_of(1)->stats;
    assert_int_equal(stats->power_ps[POWER_ACTIVE], DUE + 13750 - T);
    assert_int_equal(stats->power_ps[POWER_REFRESH], RFC);
    for (unsigned i = 0; i < POWER_STATES; i++)
        sum += stats->power_ps[i];
    assert_int_equal(sum, sim_now_ps(&dram_bench.sim));
    assert_int_equal(stats->idle_ps, 0);
}

/* --- low power ---------------------------------------------------------------------------------------------------- */

static void active_rank_wakes_in_txp(void **state)
{
    dram_bench.params.dram.enable_dram_powerdown = 1;
    dram_bench_build();
    read_at(T, 0, 0, 0);
    read_at(2 * T, 0, 0, 0);
    dram_bench_run_until(2 * T - 1);
    assert_int_equal(rank_of(0)->power_state, POWER_ACTIVE_DOWN);
    dram_bench_run_until(3 * T);
    assert_command(1, 2 * T + 6000);
    assert_true(dram_bench.bursts[1].hit);
    /* asleep from the data of the first read on */
    assert_int_equal(rank_of(0)->stats.idle_ps, 2 * T - (T + 32500));
}

static void precharged_rank_wakes_in_txp(void **state)
{
    dram_bench.params.dram.enable_dram_powerdown = 1;
    dram_bench.params.dram.page_policy = PAGE_CLOSE;
    dram_bench_build();
    read_at(T, 0, 0, 0);
    read_at(2 * T, 0, 0, 0);
    dram_bench_run_until(2 * T - 1);
    assert_int_equal(rank_of(0)->power_state, POWER_PRECHARGE_DOWN);
    dram_bench_run_until(3 * T);
    assert_command(1, 2 * T + 6000 + 13750);
}

/* wakeAllowed = sleep + tCK: a request 1 ps after falling asleep waits for the rest of that clock. */
static void sleep_lasts_a_clock(void **state)
{
    dram_bench.params.dram.enable_dram_powerdown = 1;
    dram_bench_build();
    read_at(T, 0, 0, 0);
    read_at(T + 32501, 0, 0, 0);
    dram_bench_run_until(2 * T);
    assert_command(1, T + 32500 + 1250 + 6000);
}

/* A sleeping rank with nothing to do goes to self-refresh when its refresh is due. Waking takes tXS, then a refresh,
 * after which it has been put to sleep again, for a clock and tXP. */
static void self_refresh_ends_with_a_refresh(void **state)
{
    uint64_t const asked_ps = 3 * DUE;

    dram_bench.params.dram.enable_dram_powerdown = 1;
    dram_bench.params.dram.page_policy = PAGE_CLOSE;
    dram_bench.params.dram.ranks_per_channel = 1;
    dram_bench_build();
    read_at(T, 0, 0, 0);
    read_at(asked_ps, 0, 0, 0);
    dram_bench_run_until(asked_ps - 1);
    assert_int_equal(rank_of(0)->power_state, POWER_SELFREFRESH);
    dram_bench_run_until(4 * DUE);
    assert_command(1, asked_ps + 270000 + RFC + 1250 + 6000 + 13750);
    assert_int_equal(dram_bench.answer_count, 2);
}

/* --- the refresh that the reference loses ------------------------------------------------------------------------- */

/* Closed pages and data that come long after their rows are closed: at DUE both ranks wait for their last read with all
 * banks closed. Rank 0's leaves first, while rank 1's is under way: the reference looks at rank 1 only. */
static void build_lost_refresh(void)
{
    dram_bench.params.dram.page_policy = PAGE_CLOSE_ADAPTIVE;
    dram_bench.params.dram.tCL_ps = 200000;
    dram_bench_build();
    read_at(DUE - 100000, 0, 0, 0);
    read_at(DUE - 100000, 1, 0, 0);
    read_at(DUE + 1, 0, 0, 0);
    read_at(DUE + 2, 1, 0, 0);
    dram_bench_run_until(DUE + 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(rank_of(i)->refresh_state, REFRESH_PRECHARGE);
        assert_int_equal(rank_of(i)->active_banks, 0);
        assert_int_equal(rank_of(i)->power_state, POWER_IDLE);
        assert_int_equal(rank_of(i)->outstanding, 2);
    }
    assert_int_equal(dram_bench.sim.notices[NOTICE_REFRESH_RESUMED], 0);
}

static void lost_refresh_is_resumed(void **state)
{
    uint64_t first_ready_ps, second_ready_ps;

    build_lost_refresh();
    first_ready_ps = dram_bench.bursts[0].ready_ps;
    second_ready_ps = dram_bench.bursts[1].ready_ps;
    dram_bench_run_until(2 * DUE - 1);
    assert_int_equal(dram_bench.sim.notices[NOTICE_REFRESH_RESUMED], 1);
    assert_int_equal(dram_bench.answer_count, 4);
    assert_int_equal(dram_bench.bursts[2].rank, 0);
    assert_command(2, first_ready_ps + RFC + 13750);
    /* rank 1 was not lost: its refresh begins when the last response leaves */
    assert_int_equal(dram_bench.bursts[3].rank, 1);
    assert_command(3, max_u64(second_ready_ps + RFC + 13750, dram_bench.bursts[2].command_ps + 7500));
}

/* The same without the event by which the rank is resumed: rank 0 never takes a burst again, rank 1 continues. */
static void lost_refresh_would_be_stuck(void **state)
{
    char text[160];

    build_lost_refresh();
    while (dram_bench.sim.notices[NOTICE_REFRESH_RESUMED] == 0)
        assert_true(event_queue_step(&dram_bench.sim.events, 2 * DUE));
    assert_int_equal(sim_now_ps(&dram_bench.sim), dram_bench.bursts[0].ready_ps);
    event_deschedule(&dram_bench.sim.events, &dram_bench.ctrl.channels[0].ranks[0].refresh_event);
    read_at(3 * DUE + 1, 1, 0, 0);
    dram_bench_run_until(20 * DUE);
    assert_int_equal(rank_of(0)->refresh_state, REFRESH_PRECHARGE);
    assert_int_equal(dram_bench.answer_count, 4);
    for (unsigned i = 2; i < dram_bench.burst_count; i++)
        assert_int_equal(dram_bench.bursts[i].rank, 1);
    assert_true(mem_ctrl_describe(&dram_bench.ctrl, dram_bench_address(0, 0, 0), text, sizeof text));
    assert_string_equal(text, "mem_ctrls: in the read queue, waiting for rank 0, which is closing its banks for a "
                              "refresh");
}

/* "in no other case is there a difference": one rank, whose last response is always the last of all. */
static void single_rank_is_never_resumed(void **state)
{
    dram_bench.params.dram.page_policy = PAGE_CLOSE_ADAPTIVE;
    dram_bench.params.dram.tCL_ps = 200000;
    dram_bench.params.dram.ranks_per_channel = 1;
    dram_bench_build();
    for (unsigned i = 0; i < 200; i++)
        read_at(DUE - 500000 + 5000 * i, 0, i % 8, i / 8);
    dram_bench_run_until(2 * DUE);
    assert_int_equal(dram_bench.answer_count, 200);
    assert_int_equal(dram_bench.sim.notices[NOTICE_REFRESH_RESUMED], 0);
}

/* memory.controller.refresh: none */
static void a_rank_without_refreshes_is_never_away(void **state)
{
    dram_bench.params.controller.refresh = REFRESH_NONE;
    dram_bench_build();
    read_at(DUE + 1, 0, 0, 0);
    read_at(20 * DUE + 1, 1, 0, 0);
    dram_bench_run_until(21 * DUE);
    assert_command(0, DUE + 1 + 13750);
    assert_command(1, 20 * DUE + 1 + 13750);
    assert_int_equal(rank_of(0)->stats.power_ps[POWER_REFRESH], 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(idle_rank_is_away_for_trfc),
        TEST(interval_is_shorter_by_trp),
        TEST(open_row_is_closed_first),
        TEST(refresh_waits_for_tras),
        TEST(power_times_add_up),
        TEST(active_rank_wakes_in_txp),
        TEST(precharged_rank_wakes_in_txp),
        TEST(sleep_lasts_a_clock),
        TEST(self_refresh_ends_with_a_refresh),
        TEST(lost_refresh_is_resumed),
        TEST(lost_refresh_would_be_stuck),
        TEST(single_rank_is_never_resumed),
        TEST(a_rank_without_refreshes_is_never_away),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
