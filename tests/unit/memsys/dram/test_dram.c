/* memsys/dram/mem_ctrl.h, memsys/dram/dram_channel.h, memsys/dram/dram_schedule.h: when is a command ready at the
 * earliest, which burst goes first, what the queues do (classic-memory 8, 9.4, 9.5, 16.1). Mostly DDR3_1600_8x8: tRP
 * = tRCD = tCL = 13750, tBURST = 5000 ps, 2 ranks of 8 banks, rows of 8 KiB. Refreshes begin later than these tests
 * end. */
#include "memsys/dram/dram_params.h"
#include "memsys/dram/memory_params.h"
#include "memsys/sim/param.h"
#include "tests/support/dram_bench.h"
#include "tests/support/unit.h"

#define T 1000000    /* far from the start, before the first refresh */
#define END 7000000

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

static void read_at(uint64_t when_ps, unsigned rank, unsigned bank, uint64_t row)
{
    dram_bench_send_at(when_ps, CMD_ReadReq, dram_bench_address(rank, bank, row));
}

static void assert_command(unsigned place, uint64_t command_ps, bool hit)
{
    assert_in_range(place + 1, 1, dram_bench.burst_count);
    assert_int_equal(dram_bench.bursts[place].command_ps, command_ps);
    assert_int_equal(dram_bench.bursts[place].hit, hit);
}

/* --- earliest ticks ----------------------------------------------------------------------------------------------- */

/* classic-memory 16.1, column "DRAM, closed bank" */
static void first_access_waits_for_the_command_offset(void **state)
{
    dram_bench_build();
    dram_bench_send_at(12500, CMD_ReadSharedReq, 0)->header_delay_ps = 8500;
    dram_bench_run_until(END);
    assert_command(0, 27500, false);
    assert_int_equal(dram_bench.bursts[0].ready_ps, 46250);
    assert_int_equal(dram_bench.answer_count, 1);
    assert_int_equal(dram_bench.answers[0].when_ps, 74750);
    assert_int_equal(dram_bench.answers[0].command, CMD_ReadResp);
}

static void closed_bank_takes_an_activate(void **state)
{
    dram_bench_build();
    read_at(T, 1, 3, 5);
    dram_bench_run_until(END);
    assert_command(0, T + 13750, false);
    assert_int_equal(dram_bench.bursts[0].ready_ps, T + 32500);
    assert_int_equal(dram_bench.bursts[0].rank, 1);
    assert_int_equal(dram_bench.bursts[0].bank, 3);
    assert_int_equal(dram_bench.bursts[0].row, 5);
    assert_int_equal(dram_bench.answers[0].when_ps, T + 32500 + 10000 + 10000);
}

static void open_row_needs_no_activate(void **state)
{
    dram_bench_build();
    read_at(T, 0, 0, 0);
    read_at(2 * T, 0, 0, 0);
    dram_bench_run_until(END);
    assert_command(1, 2 * T, true);
    assert_int_equal(dram_bench.bursts[1].ready_ps, 2 * T + 18750);
}

static void other_row_takes_precharge_and_activate(void **state)
{
    dram_bench_build();
    read_at(T, 0, 0, 0);
    read_at(2 * T, 0, 0, 1);
    dram_bench_run_until(END);
    assert_command(1, 2 * T + 13750 + 13750, false);
}

/* PRE not before ACT + tRAS = T + 35000, ACT + tRP, RD + tRCD */
static void row_stays_open_for_tras(void **state)
{
    dram_bench_build();
    read_at(T, 0, 0, 0);
    read_at(T + 1, 0, 0, 1);
    dram_bench_run_until(END);
    assert_command(1, T + 35000 + 13750 + 13750, false);
}

/* A precharge holds up those of all banks of its rank, but of banks that are opened after it was decided; so does one
 * that comes earlier than the one decided before it. */
static void precharges_hold_up_those_of_open_banks(void **state)
{
    uint64_t const late_ps = 500000, early_ps = 20000;
    struct dram_rank *rank;

    dram_bench_build();
    rank = &dram_bench.ctrl.channels[0].ranks[0];
    for (unsigned bank = 0; bank < 3; bank++)
        dram_rank_activate(rank, &rank->banks[bank], 0);
    rank->banks[0].own_precharge_ps = late_ps;
    dram_rank_change_row(rank, &rank->banks[0], 1);
    assert_int_equal(dram_rank_precharge_allowed_ps(rank, &rank->banks[1]), late_ps);
    dram_rank_activate(rank, &rank->banks[3], 0);
    rank->banks[3].own_precharge_ps = early_ps;
    assert_int_equal(dram_rank_precharge_allowed_ps(rank, &rank->banks[3]), early_ps);
    dram_rank_activate(rank, &rank->banks[4], 0);
    rank->banks[4].own_precharge_ps = 1;
    dram_rank_change_row(rank, &rank->banks[3], 1);
    assert_int_equal(dram_rank_precharge_allowed_ps(rank, &rank->banks[4]), early_ps);
    assert_int_equal(dram_rank_precharge_allowed_ps(rank, &rank->banks[1]), late_ps);
    assert_int_equal(dram_rank_precharge_allowed_ps(rank, &rank->banks[2]), late_ps);
}

/* tRRD = 6000 between activates; the fifth waits for the first + tXAW = 30000, the sixth for the second. */
static void activates_keep_their_distances(void **state)
{
    static const uint64_t activates[] = {0, 6000, 12000, 18000, 30000, 36000};

    dram_bench_build();
    for (unsigned bank = 0; bank < 6; bank++)
        read_at(T, 0, bank, 0);
    dram_bench_run_until(END);
    for (unsigned i = 0; i < 6; i++)
        assert_command(i, T + activates[i] + 13750, false);
}

static void no_activation_limit_leaves_trrd(void **state)
{
    dram_bench.params.dram.activation_limit = 0;
    dram_bench_build();
    for (unsigned bank = 0; bank < 6; bank++)
        read_at(T, 0, bank, 0);
    dram_bench_run_until(END);
    assert_command(5, T + 5 * 6000 + 13750, false);
}

/* tBURST + tCS = 7500 from rank to rank */
static void ranks_need_a_gap(void **state)
{
    dram_bench_build();
    read_at(T, 0, 0, 0);
    read_at(T, 1, 0, 0);
    dram_bench_run_until(END);
    assert_command(1, T + 13750 + 7500, false);
}

/* WR to RD of the same rank: tCWL + tBURST + tWTR = 26250 */
static void read_waits_for_a_write(void **state)
{
    dram_bench.params.controller.write_low_thresh_perc = 0;
    dram_bench_build();
    dram_bench_send_at(T, CMD_WritebackDirty, 0);
    dram_bench_send_at(T + 1, CMD_ReadReq, 64);
    dram_bench_run_until(END);
    assert_command(0, T + 13750, false);
    assert_false(dram_bench.bursts[0].is_read);
    assert_int_equal(dram_bench.bursts[0].ready_ps, T + 13750 + 13750 + 5000);
    assert_command(1, T + 13750 + 26250, true);
    assert_true(dram_bench.bursts[1].is_read);
}

/* RD to WR: tBURST + tRTW = 7500 */
static void write_waits_for_a_read(void **state)
{
    dram_bench.params.controller.write_low_thresh_perc = 0;
    dram_bench_build();
    read_at(T, 0, 0, 0);
    dram_bench_send_at(T, CMD_WritebackDirty, 64);
    dram_bench_run_until(END);
    assert_command(1, T + 13750 + 7500, true);
    assert_false(dram_bench.bursts[1].is_read);
}

/* DDR4_2400_8x8: tBURST = 3332 to other groups, tCCD_L = 5000 to the same. Bank b is in group b mod 4. */
static void bank_groups_have_their_own_distance(void **state)
{
    dram_bench_tear_down();
    dram_bench_set_up("DDR4_2400_8x8");
    dram_bench_build();
    read_at(T, 0, 0, 0);
    read_at(2 * T, 0, 4, 0);
    read_at(3 * T, 0, 1, 0);
    /* all three rows are open now */
    read_at(4 * T, 0, 0, 0);
    read_at(4 * T, 0, 4, 0);
    read_at(5 * T, 0, 0, 0);
    read_at(5 * T, 0, 1, 0);
    dram_bench_run_until(END);
    assert_command(3, 4 * T, true);
    assert_command(4, 4 * T + 5000, true);
    assert_command(5, 5 * T, true);
    assert_command(6, 5 * T + 3332, true);
}

/* --- choosing ----------------------------------------------------------------------------------------------------- */

static void row_hit_overtakes(void **state)
{
    dram_bench_build();
    read_at(T, 0, 0, 0);
    read_at(2 * T, 0, 0, 1);
    read_at(2 * T, 0, 0, 0);
    dram_bench_run_until(END);
    assert_command(1, 2 * T, true);
    assert_int_equal(dram_bench.bursts[1].row, 0);
    /* Open-adaptive: no other request wants row 0, one wants another row, so it was closed at RD + tRTP = 7500. */
    assert_command(2, 2 * T + 7500 + 13750 + 13750, false);
}

static void fcfs_keeps_the_order(void **state)
{
    dram_bench.params.controller.mem_sched_policy = SCHED_FCFS;
    dram_bench_build();
    read_at(T, 0, 0, 0);
    read_at(2 * T, 0, 0, 1);
    read_at(2 * T, 0, 0, 0);
    dram_bench_run_until(END);
    assert_command(1, 2 * T + 13750 + 13750, false);
    assert_int_equal(dram_bench.bursts[1].row, 1);
    assert_command(2, 2 * T + 13750 + 35000 + 13750 + 13750, false);
}

/* A hit that would leave a gap (same bank group, tCCD_L) yields to a younger burst whose activate is hidden and that
 * leaves none: A, C, B instead of A, B, C. DDR4_2400_8x8: tRCD = 14160, tRRD = 3332. */
static void hidden_activate_overtakes_a_hit_with_a_gap(void **state)
{
    dram_bench_tear_down();
    dram_bench_set_up("DDR4_2400_8x8");
    dram_bench_build();
    read_at(T, 0, 0, 0);
    dram_bench_send_at(T, CMD_ReadReq, dram_bench_address(0, 0, 0) + 64);
    read_at(T, 0, 1, 0);
    dram_bench_run_until(END);
    assert_command(0, T + 14160, false);
    assert_int_equal(dram_bench.bursts[1].bank, 1);
    assert_command(1, T + 14160 + 3332, false);
    assert_int_equal(dram_bench.bursts[2].bank, 0);
    assert_command(2, T + 14160 + 3332 + 3332, true);
}

/* --- page policies ------------------------------------------------------------------------------------------------ */

static bool is_open(unsigned rank, unsigned bank)
{
    return dram_bench.ctrl.channels[0].ranks[rank].banks[bank].open_row != DRAM_NO_ROW;
}

static void run_policy(uint64_t policy, unsigned hits_behind, unsigned conflicts_behind)
{
    dram_bench.params.dram.page_policy = policy;
    dram_bench_build();
    read_at(T, 0, 0, 0);
    for (unsigned i = 0; i < hits_behind; i++)
        read_at(T, 0, 0, 0);
    for (unsigned i = 0; i < conflicts_behind; i++)
        read_at(T, 0, 0, 1);
    /* The first burst is issued at T and the others within the same tick or later; look when one is. */
    while (dram_bench.burst_count == 0 && event_queue_step(&dram_bench.sim.events, END))
        ;
    assert_int_equal(dram_bench.burst_count, 1);
}

static void open_keeps_the_row(void **state)
{
    run_policy(PAGE_OPEN, 0, 1);
    assert_true(is_open(0, 0));
}

static void close_closes_the_row(void **state)
{
    run_policy(PAGE_CLOSE, 1, 0);
    assert_false(is_open(0, 0));
}

static void open_adaptive_keeps_a_row_without_conflict(void **state)
{
    run_policy(PAGE_OPEN_ADAPTIVE, 0, 0);
    assert_true(is_open(0, 0));
}

static void open_adaptive_closes_for_a_conflict(void **state)
{
    run_policy(PAGE_OPEN_ADAPTIVE, 0, 1);
    assert_false(is_open(0, 0));
}

static void adaptive_keeps_a_row_that_is_wanted(void **state)
{
    run_policy(PAGE_CLOSE_ADAPTIVE, 1, 1);
    assert_true(is_open(0, 0));
}

static void close_adaptive_closes_an_unwanted_row(void **state)
{
    run_policy(PAGE_CLOSE_ADAPTIVE, 0, 0);
    assert_false(is_open(0, 0));
}

/* max_accesses_per_row = 16; bytesPerActivate gets one sample of 16 bursts. */
static void many_accesses_close_the_row(void **state)
{
    const struct histogram *const bytes = &dram_bench.ctrl.channels[0].stats.bytes_per_activate;

    dram_bench_build();
    for (unsigned i = 0; i < 17; i++)
        dram_bench_send_at(T + 100000 * i, CMD_ReadReq, 64 * i);
    dram_bench_run_until(T + 100000 * 15 - 1);
    assert_true(is_open(0, 0));
    dram_bench_run_until(T + 100000 * 15);
    assert_false(is_open(0, 0));
    assert_int_equal(bytes->sums.samples, 1);
    assert_int_equal(bytes->sums.sum, 1024);
    assert_int_equal(bytes->bin_count, 16);
    dram_bench_run_until(END);
    assert_false(dram_bench.bursts[16].hit);
    assert_int_equal(dram_bench.ctrl.channels[0].stats.read_row_hits, 15);
}

/* --- queues ------------------------------------------------------------------------------------------------------- */

/* writeLow = 32 of 64: with 33 writes the idle bus turns, until fewer than 32 - min_writes_per_switch = 16 are left. */
static void writes_are_drained_above_the_low_mark(void **state)
{
    const struct mem_ctrl_stats *const stats = &dram_bench.ctrl.stats;

    dram_bench_build();
    for (unsigned i = 0; i < 32; i++)
        dram_bench_send_at(T, CMD_WritebackDirty, 64 * i);
    dram_bench_send_at(2 * T, CMD_WritebackDirty, 64 * 32);
    dram_bench_run_until(2 * T - 1);
    assert_int_equal(dram_bench.burst_count, 0);
    dram_bench_run_until(END);
    assert_int_equal(dram_bench.burst_count, 33 - 15);
    assert_int_equal(dram_bench.ctrl.channels[0].writes.count, 15);
    assert_int_equal(stats->turns_to_write, 1);
    assert_int_equal(stats->turns_to_read, 1);
    assert_int_equal(stats->writes_per_turn.sums.sum, 18);
    assert_int_equal(stats->reads_per_turn.sums.sum, 0);
    assert_int_equal(stats->write_queue_seen[31], 1);
    assert_int_equal(dram_bench.answer_count, 0);
}

static void waiting_write_answers_a_read(void **state)
{
    const struct mem_ctrl_stats *const stats = &dram_bench.ctrl.stats;
    struct dram_bench_request *read;

    dram_bench_build();
    dram_bench_send_at(T, CMD_WritebackDirty, 4096);
    read = dram_bench_send_at(T + 10, CMD_ReadReq, 4096 + 8);
    read->size_bytes = 8;
    read->header_delay_ps = 300;
    dram_bench_run_until(END);
    assert_int_equal(dram_bench.burst_count, 0);
    assert_int_equal(dram_bench.answers[0].when_ps, T + 10 + 10000 + 300);
    assert_int_equal(stats->serviced_by_write_queue, 1);
    assert_int_equal(stats->bytes_read_from_write_queue, 64);
    assert_int_equal(stats->read_bursts, 1);
}

static void smaller_write_does_not_answer_a_read(void **state)
{
    dram_bench_build();
    dram_bench_send_at(T, CMD_WriteReq, 4096)->size_bytes = 8;
    dram_bench_send_at(T + 10, CMD_ReadReq, 4096);
    dram_bench_run_until(END);
    assert_int_equal(dram_bench.burst_count, 1);
    /* the uncacheable write itself is answered at once */
    assert_int_equal(dram_bench.answers[0].when_ps, T + 10000);
    assert_int_equal(dram_bench.answers[0].command, CMD_WriteResp);
}

static void writes_to_one_burst_merge(void **state)
{
    dram_bench_build();
    dram_bench_send_at(T, CMD_WritebackDirty, 4096);
    dram_bench_send_at(T, CMD_WritebackDirty, 4096);
    dram_bench_run_until(END);
    assert_int_equal(dram_bench.ctrl.channels[0].writes.count, 1);
    assert_int_equal(dram_bench.ctrl.stats.merged_writes, 1);
    assert_int_equal(dram_bench.ctrl.stats.write_bursts, 2);
    assert_int_equal(dram_bench.ctrl.stats.write_reqs, 2);
}

/* LPDDR2 has bursts of 32 bytes: a line is two, answered once with the second; a half may come from the write queue. */
static void line_of_two_bursts_is_answered_once(void **state)
{
    dram_bench_tear_down();
    dram_bench_set_up("LPDDR2_S4_1066_1x32");
    dram_bench_build();
    dram_bench_send_at(T, CMD_ReadReq, 64);
    dram_bench_send_at(2 * T, CMD_WritebackDirty, 128 + 32)->size_bytes = 32;
    dram_bench_send_at(3 * T, CMD_ReadReq, 128);
    dram_bench_run_until(3800000);
    assert_int_equal(dram_bench.burst_count, 3);
    assert_int_equal(dram_bench.bursts[1].address, 96);
    assert_int_equal(dram_bench.answer_count, 2);
    assert_int_equal(dram_bench.answers[0].when_ps, dram_bench.bursts[1].ready_ps + 20000);
    assert_int_equal(dram_bench.answers[1].when_ps, dram_bench.bursts[2].ready_ps + 20000);
    assert_int_equal(dram_bench.ctrl.stats.read_sizes[5], 4);
    assert_int_equal(dram_bench.ctrl.channels[0].free_split_count, dram_bench.params.dram.read_buffer_size);
}

static void assert_described(uint64_t address, const char *what)
{
    char text[160];

    mem_ctrl_describe(&dram_bench.ctrl, address, text, sizeof text);
    if (!strstr(text, what))
        assert_string_equal(text, what);
}

/* The read queue's budget lasts from arrival to answer. */
static void full_read_queue_refuses_and_retries_once(void **state)
{
    dram_bench.params.dram.read_buffer_size = 4;
    dram_bench_build();
    for (unsigned i = 0; i < 5; i++)
        read_at(T, 0, i, 0);
    dram_bench_run_until(T);
    assert_int_equal(dram_bench.ctrl.stats.read_retries, 1);
    assert_int_equal(dram_bench.retries, 0);
    assert_described(dram_bench_address(0, 4, 0), "mem_ctrls: not here; a read was refused and waits for room, 4 "
                     "bursts are in the read queue, rank 0 is not refreshing");
    dram_bench_run_until(END);
    assert_int_equal(dram_bench.retries, 1);
    assert_int_equal(dram_bench.retry_ps, dram_bench.bursts[0].ready_ps);
    assert_int_equal(dram_bench.answer_count, 5);
    assert_int_equal(dram_bench.ctrl.stats.read_queue_seen[3], 2);
}

static void full_write_queue_refuses_and_retries_once(void **state)
{
    dram_bench.params.dram.write_buffer_size = 8;
    dram_bench_build();
    for (unsigned i = 0; i < 9; i++)
        dram_bench_send_at(T, CMD_WritebackDirty, 64 * i);
    dram_bench_run_until(END);
    assert_int_equal(dram_bench.ctrl.stats.write_retries, 1);
    assert_int_equal(dram_bench.retries, 1);
    assert_int_equal(dram_bench.ctrl.stats.write_reqs, 9);
}

static void secure_lines_share_the_place_of_others(void **state)
{
    dram_bench_build();
    read_at(T, 0, 0, 0);
    dram_bench_send_at(2 * T, CMD_ReadReq, 64 | ADDRESS_SECURE);
    dram_bench_run_until(END);
    assert_command(1, 2 * T, true);
    assert_int_equal(dram_bench.bursts[1].address, 64);
    assert_true(dram_bench.answers[1].address == (64 | ADDRESS_SECURE));
}

/* --- pseudo-channels ---------------------------------------------------------------------------------------------- */

/* Two sets of banks and data buses: neither waits for the other. HBM_2000_4H_1x64: tRCD = 12000, bursts of 32 bytes. */
static void pseudo_channels_are_independent(void **state)
{
    dram_bench_tear_down();
    dram_bench_set_up("HBM_2000_4H_1x64");
    dram_bench_build_with_pseudo_channels();
    dram_bench_send_at(T, CMD_ReadReq, 0);
    dram_bench_send_at(T, CMD_ReadReq, 64);
    dram_bench_run_until(3000000);
    assert_int_equal(dram_bench.burst_count, 4);
    assert_int_equal(dram_bench.answer_count, 2);
    for (unsigned i = 0; i < 4; i++) {
        bool const second = dram_bench.bursts[i].address >= 64;

        assert_string_equal(dram_bench.bursts[i].channel, second ? "dram_2" : "dram");
        assert_int_equal(dram_bench.bursts[i].bank, 0);
        assert_int_equal(dram_bench.bursts[i].command_ps, T + 12000 + (dram_bench.bursts[i].address % 64 ? 3000 : 0));
    }
    assert_int_equal(dram_bench.ctrl.channels[1].stats.traffic[1].bytes_read, 64);
}

/* --- statistics and descriptions ---------------------------------------------------------------------------------- */

static void counters_of_one_read(void **state)
{
    const struct dram_stats *const dram = &dram_bench.ctrl.channels[0].stats;
    const struct mem_ctrl_stats *const stats = &dram_bench.ctrl.stats;

    dram_bench_build();
    read_at(T, 1, 2, 0);
    dram_bench_run_until(END);
    assert_int_equal(dram->queue_ps, 13750);
    assert_int_equal(dram->bus_ps, 5000);
    assert_int_equal(dram->access_ps, 32500);
    assert_int_equal(dram->bank_reads[8 + 2], 1);
    assert_int_equal(stats->requestors[1].read_accesses, 1);
    assert_int_equal(stats->requestors[1].read_bytes, 64);
    assert_int_equal(stats->requestors[1].read_latency_ps, 32500);
    assert_int_equal(stats->read_sizes[6], 1);
    assert_int_equal(stats->gap_ps, 0);
    assert_int_equal(dram->read_queue.highest, 1);
}

/* The level of avgRdQLen is set when a burst is appended and stays: 1 from T on. */
static void queue_average_counts_the_present_tick(void **state)
{
    const struct occupancy *const length = &dram_bench.ctrl.stats.read_length;
    uint64_t now_ps;

    dram_bench_build();
    read_at(T, 0, 0, 0);
    dram_bench_run_until(END);
    now_ps = sim_now_ps(&dram_bench.sim);
    assert_int_equal(occupancy_area(length, now_ps) + length->level, now_ps - T + 1);
}

static void reset_restarts(void **state)
{
    const struct dram_channel *const channel = &dram_bench.ctrl.channels[0];

    dram_bench_build();
    read_at(T, 0, 0, 0);
    read_at(2 * T, 0, 0, 1);
    dram_bench_run_until(3 * T);
    mem_ctrl_reset_stats(&dram_bench.ctrl);
    assert_int_equal(channel->stats.read_bursts, 0);
    assert_int_equal(channel->stats.bytes_per_activate.sums.samples, 0);
    assert_int_equal(channel->stats.traffic[1].reads, 0);
    assert_int_equal(channel->ranks[0].stats.power_ps[POWER_ACTIVE], 0);
    assert_int_equal(dram_bench.ctrl.stats.read_queue_seen[0], 0);
    assert_int_equal(dram_bench.ctrl.stats.requestors[1].read_bytes, 0);
    assert_int_equal(dram_bench.ctrl.stats.read_length.start_ps, sim_now_ps(&dram_bench.sim));
    read_at(4 * T, 0, 0, 1);
    dram_bench_run_until(END);
    assert_int_equal(channel->stats.read_row_hits, 1);
    assert_int_equal(dram_bench.ctrl.stats.read_reqs, 1);
    assert_int_equal(dram_bench.ctrl.stats.gap_ps, 2 * T);
}

static void requests_are_described(void **state)
{
    dram_bench_build();
    read_at(T, 0, 0, 0);
    read_at(T, 0, 0, 1);
    dram_bench_send_at(T, CMD_WritebackDirty, 4096);
    while (dram_bench.sent_count < 3 && event_queue_step(&dram_bench.sim.events, END))
        ;
    assert_described(dram_bench_address(0, 0, 1) + 32, "mem_ctrls: in the read queue, 1 bursts before it");
    assert_described(4096, "mem_ctrls: in the write queue, 0 bursts before it");
    assert_described(8192, "mem_ctrls: not here");
    dram_bench_run_until(T);
    assert_described(0, "mem_ctrls: its burst is issued, data at 1032500 ps");
    dram_bench_run_until(T + 32500);
    assert_described(0, "mem_ctrls: its answer is about to leave");
}

/* --- set-up ------------------------------------------------------------------------------------------------------- */

static void assert_init_fault(const char *what)
{
    struct fault const fault = mem_ctrl_init(&dram_bench.ctrl, &dram_bench.sim, "mem_ctrls", &dram_bench.params, 0,
                                             false);

    assert_int_equal(fault.kind, FAULT_INPUT);
    if (!strstr(fault_text(fault), what))
        assert_string_equal(fault_text(fault), what);
    mem_ctrl_free(&dram_bench.ctrl);
}

static void impossible_parameters_are_refused(void **state)
{
    struct memory_params const good = dram_bench.params;

    dram_bench.params.dram.tREFI_ps = PARAM_MISSING;
    assert_init_fault("DDR3_1600_8x8 has no tREFI; give memory.tREFI");
    dram_bench.params = good;
    dram_bench.params.dram.tCS_ps = PARAM_MISSING;
    assert_init_fault("DDR3_1600_8x8 has no tCS; give memory.tCS");
    dram_bench.params = good;
    dram_bench.params.dram.tREFI_ps = 260000;
    assert_init_fault("memory.tREFI is 260000 ps");
    dram_bench.params = good;
    dram_bench.params.controller.write_low_thresh_perc = 85;
    assert_init_fault("memory.write_low_thresh_perc is 85");
    dram_bench.params = good;
    dram_bench.params.controller.command_window_ps = 1000;
    assert_init_fault("memory.command_window is 1000 ps");
    dram_bench.params = good;
    dram_bench.params.channels = 257;
    assert_init_fault("memory.channels is 257");
}

static void peak_is_a_burst_each_burst_delay(void **state)
{
    dram_bench_build();
    assert_true(dram_channel_peak_bytes_per_s(&dram_bench.ctrl.channels[0]) == 12.8e9);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(first_access_waits_for_the_command_offset),
        TEST(closed_bank_takes_an_activate),
        TEST(open_row_needs_no_activate),
        TEST(other_row_takes_precharge_and_activate),
        TEST(row_stays_open_for_tras),
        TEST(activates_keep_their_distances),
        TEST(no_activation_limit_leaves_trrd),
        TEST(ranks_need_a_gap),
        TEST(read_waits_for_a_write),
        TEST(write_waits_for_a_read),
        TEST(bank_groups_have_their_own_distance),
        TEST(row_hit_overtakes),
        TEST(fcfs_keeps_the_order),
        TEST(hidden_activate_overtakes_a_hit_with_a_gap),
        TEST(open_keeps_the_row),
        TEST(close_closes_the_row),
        TEST(open_adaptive_keeps_a_row_without_conflict),
        TEST(open_adaptive_closes_for_a_conflict),
        TEST(adaptive_keeps_a_row_that_is_wanted),
        TEST(close_adaptive_closes_an_unwanted_row),
        TEST(many_accesses_close_the_row),
        TEST(writes_are_drained_above_the_low_mark),
        TEST(waiting_write_answers_a_read),
        TEST(smaller_write_does_not_answer_a_read),
        TEST(writes_to_one_burst_merge),
        TEST(line_of_two_bursts_is_answered_once),
        TEST(full_read_queue_refuses_and_retries_once),
        TEST(full_write_queue_refuses_and_retries_once),
        TEST(secure_lines_share_the_place_of_others),
        TEST(pseudo_channels_are_independent),
        TEST(counters_of_one_read),
        TEST(queue_average_counts_the_present_tick),
        TEST(reset_restarts),
        TEST(precharges_hold_up_those_of_open_banks),
        TEST(requests_are_described),
        TEST(impossible_parameters_are_refused),
        TEST(peak_is_a_burst_each_burst_delay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
