/* memsys/command/cmd_ctrl.h and cmd_watch.h: when answers leave, how packets become accesses, what a full queue does,
 * that a memory without work queues no event, and what is counted. DDR4_2400R: tCK 833 ps, nRCD 16, nCL 16, nBL 4. */
#include "memsys/command/cmd_ctrl.h"

#include "memsys/dram/memory_params.h"
#include "replay/config/command_device.h"
#include "replay/config/system_config.h"
#include "tests/support/config_bench.h"

enum { MOST = 4096 };

static struct bench {
    struct system_config config;
    struct command_device device;
    struct sim sim;
    struct cmd_ctrl ctrl;
    struct below below;
    struct packet *refused[MOST];
    size_t refused_count, retries, answer_count;
    struct {
        uint64_t when_ps, address;
    } answers[MOST];
} bench;

static bool recv_response(void *self, struct packet *packet, unsigned port)
{
    bench.answers[bench.answer_count].when_ps = sim_now_ps(&bench.sim);
    bench.answers[bench.answer_count++].address = packet->address;
    packet_give(bench.sim.packets, packet);
    return true;
}

/* Sends what was refused, the oldest first, until one is refused again. */
static void recv_request_retry(void *self, unsigned port)
{
    bench.retries++;
    while (bench.refused_count > 0 && bench.below.ops->recv_request(bench.below.self, bench.refused[0], 0)) {
        bench.refused_count--;
        memmove(bench.refused, bench.refused + 1, bench.refused_count * sizeof *bench.refused);
    }
}

static void build(const char *settings)
{
    static const struct above_ops ops = {.recv_response = recv_response, .recv_request_retry = recv_request_retry};
    char text[512];

    snprintf(text, sizeof text, "memory: {type: command, size: 256MiB, %s}\n", settings);
    memset(&bench, 0, sizeof bench);
    bench.config = finished(text);
    sim_init(&bench.sim, 64);
    assert_fine(command_device_make(&bench.device, &bench.config.memories[0], "memory"));
    assert_fine(cmd_ctrl_init(&bench.ctrl, &bench.sim, "mem_ctrls", &bench.config.memories[0], &bench.device.config, 0,
                              0));
    bench.ctrl.above = (struct above){.ops = &ops};
    bench.below = cmd_ctrl_port(&bench.ctrl);
    cmd_ctrl_startup(&bench.ctrl);
}

static void end(void)
{
    for (size_t i = 0; i < bench.refused_count; i++)
        packet_give(bench.sim.packets, bench.refused[i]);
    cmd_ctrl_free(&bench.ctrl);
    command_device_free(&bench.device);
    sim_free(&bench.sim);
}

static void run_until(uint64_t until_ps)
{
    event_queue_run(&bench.sim.events, until_ps, UINT64_MAX);
    bench.sim.events.now_ps = until_ps;
}

static bool send(enum command command, uint64_t address, uint32_t bytes)
{
    struct packet *const packet = packet_take_line(bench.sim.packets, address, bytes, 0, command);

    if (bench.below.ops->recv_request(bench.below.self, packet, 0))
        return true;
    bench.refused[bench.refused_count++] = packet;
    return false;
}

static uint64_t issued(const char *command)
{
    cmd_ctrl_settle_stats(&bench.ctrl);
    return bench.ctrl.stats.device.commands[cmd_spec_command(&bench.device.spec, command)];
}

/* ---- times */

/* The next clock edge, ACT there, RD nRCD and the data nCL + nBL later, then 20 ns of the controller. */
static void a_read_takes_the_times_of_its_commands(void **state)
{
    uint64_t const edge = 1000000 / 833 + 1;

    build("standard: DDR4, refresh: none");
    run_until(1000000);
    assert_true(send(CMD_ReadReq, 0x1000, 64));
    run_until(2000000);
    assert_int_equal(bench.answer_count, 1);
    assert_int_equal(bench.answers[0].when_ps, (edge + 16 + 16 + 4) * 833 + 20000);
    assert_int_equal(bench.answers[0].when_ps - 1000000 + (1000000 - (edge - 1) * 833),
                     bench.config.memories[0].command_device.figures.closed_bank_ps);
    assert_true(send(CMD_ReadReq, 0x1040, 64));
    run_until(3000000);
    assert_int_equal(bench.answers[1].when_ps, (2000000 / 833 + 1 + 16 + 4) * 833 + 20000);
    end();
}

static void a_write_is_answered_when_it_is_taken(void **state)
{
    build("standard: DDR4, refresh: none, command: {frontend_latency: 7ns}");
    run_until(500000);
    assert_true(send(CMD_WriteReq, 0x2000, 64));
    assert_true(send(CMD_WritebackDirty, 0x3000, 64));
    run_until(5000000);
    assert_int_equal(bench.answer_count, 1);
    assert_int_equal(bench.answers[0].when_ps, 507000);
    assert_int_equal(issued("WR"), 2);
    assert_int_equal(bench.ctrl.watch.writes.level, 0);
    end();
}

/* Half of 625 ps: edges are at 312, 625, 937, ... and the last one at a time is found again. */
static void half_ticks_do_not_drift(void **state)
{
    struct cmd_clock const clock = {625, 2};

    assert_int_equal(cmd_clock_tick_ps(&clock, 1), 312);
    assert_int_equal(cmd_clock_tick_ps(&clock, 2), 625);
    assert_int_equal(cmd_clock_tick_ps(&clock, 2000001), 625000312);
    for (uint64_t tick = 0; tick < 100000; tick++) {
        uint64_t const when_ps = cmd_clock_tick_ps(&clock, tick);

        assert_int_equal(cmd_clock_tick_of(&clock, when_ps), tick);
        assert_int_equal(cmd_clock_tick_of(&clock, when_ps + 1), tick);
        if (tick > 0)
            assert_int_equal(cmd_clock_tick_of(&clock, when_ps - 1), tick - 1);
    }
}

/* ---- accesses */
static void a_line_is_two_accesses_of_hbm3(void **state)
{
    build("standard: HBM3, refresh: none");
    run_until(100000);
    assert_true(send(CMD_ReadReq, 0x1000, 64));
    assert_true(send(CMD_ReadReq, 0x2020, 32));
    assert_true(send(CMD_ReadReq, 0x3010, 32));    /* over the border of two */
    run_until(5000000);
    assert_int_equal(bench.answer_count, 3);
    assert_int_equal(issued("RD"), 5);
    assert_int_equal(bench.ctrl.stats.read_reqs, 3);
    assert_int_equal(bench.ctrl.stats.device.num_read_reqs_served, 5);
    assert_int_equal(bench.ctrl.watch.reads.level, 0);
    end();
}

static void reads_are_answered_from_writes_that_wait(void **state)
{
    build("standard: DDR4, refresh: none");
    run_until(100000);
    for (unsigned i = 0; i < 4; i++)     /* other reads keep the writes waiting */
        assert_true(send(CMD_ReadReq, 0x100000 + i * 0x100000, 64));
    assert_true(send(CMD_WritebackDirty, 0x1000, 64));
    assert_true(send(CMD_WritebackDirty, 0x1000, 64));
    assert_true(send(CMD_ReadReq, 0x1000, 64));
    run_until(5000000);
    assert_int_equal(bench.answer_count, 5);
    cmd_ctrl_settle_stats(&bench.ctrl);
    assert_int_equal(bench.ctrl.stats.device.num_read_reqs_forwarded, 1);
    assert_int_equal(bench.ctrl.stats.device.num_write_reqs_coalesced, 1);
    assert_int_equal(bench.ctrl.watch.reads.level, 0);
    assert_int_equal(bench.ctrl.watch.writes.level, 0);
    end();
}

/* ---- full queues */
static void all_are_served_through_short_queues(void **state)
{
    static const char *const standards[] = {"DDR4", "HBM3", "LPDDR5", "GDDR7"};
    uint64_t address = 12345;

    for (size_t s = 0; s < COUNT(standards); s++) {
        unsigned reads = 0;
        char settings[200];

        snprintf(settings, sizeof settings, "standard: %s, command: {read_buffer_size: 1, write_buffer_size: 2}",
                 standards[s]);
        build(settings);
        run_until(100000);
        for (unsigned i = 0; i < 1000; i++) {
            bool const is_read = i % 3 != 0;

            address = address * UINT64_C(6364136223846793005) + 1442695040888963407;
            reads += is_read;
            send(is_read ? CMD_ReadReq : CMD_WritebackDirty, address >> 40 & 0xfffffc0, 64);
            if (i % 50 == 0)
                run_until(sim_now_ps(&bench.sim) + 300000);
        }
        assert_true(bench.refused_count > 100);
        run_until(sim_now_ps(&bench.sim) + UINT64_C(200000000));
        assert_int_equal(bench.refused_count, 0);
        assert_int_equal(bench.answer_count, reads);
        assert_int_equal(bench.ctrl.stats.read_reqs, reads);
        assert_int_equal(bench.ctrl.watch.reads.level, 0);
        assert_true(bench.retries > 100);
        end();
    }
}

/* ---- nothing to do */
static void an_idle_memory_has_no_events(void **state)
{
    build("standard: DDR5, refresh: none");
    run_until(1000000);                  /* the first tick is one in which something may happen */
    assert_int_equal(event_queue_next_ps(&bench.sim.events), TICK_NEVER);
    assert_true(send(CMD_ReadReq, 0, 64));
    run_until(50000000);
    assert_int_equal(event_queue_next_ps(&bench.sim.events), TICK_NEVER);
    assert_true(event_queue_executed(&bench.sim.events) < 20);
    cmd_ctrl_settle_stats(&bench.ctrl);
    assert_int_equal(bench.ctrl.stats.device.cycles, 50000000 / 416);
    end();
}

static void refreshes_alone_are_few_events(void **state)
{
    build("standard: DDR4");
    run_until(UINT64_C(1000000000));
    assert_in_range(issued("REFab"), 127, 128);    /* 1 ms / 7.8 us */
    assert_true(event_queue_executed(&bench.sim.events) < 128 * 8);
    end();
}

/* ---- statistics */
static void rows_that_are_hammered_are_found(void **state)
{
    build("standard: DDR4, refresh: none, command: {rowhammer_threshold: 50, rowhammer_window: 1ms}");
    for (unsigned i = 0; i < 120; i++) {
        run_until((i + 1) * UINT64_C(1000000));
        send(CMD_ReadReq, i % 2 ? 0 : 128 << 20, 64);     /* two rows of one bank in turn */
    }
    run_until(UINT64_C(2000000000));
    send(CMD_ReadReq, 128 << 20, 64);
    run_until(UINT64_C(2001000000));
    assert_int_equal(issued("ACT"), 121);
    assert_int_equal(bench.ctrl.watch.hammer.most, 60);
    assert_int_equal(bench.ctrl.watch.hammer.hot, 2);
    assert_int_equal(bench.ctrl.watch.hammer.flips, 2);
    assert_int_equal(bench.ctrl.watch.hammer.windows, 2);
    assert_int_equal(bench.ctrl.watch.hammer.histogram[5], 2);     /* 32 to 63 */
    end();
}

/* PARA with probability 1 - 2^-10: nearly each activation is followed by a VRR for its row. */
static void defences_are_seen_to_serve_rows(void **state)
{
    build("standard: DDR4_VRR, refresh: none, mitigation: PARA, mitigations: {PARA_threshold: 0.999}, "
          "command: {rowhammer_threshold: 50}");
    for (unsigned i = 0; i < 120; i++) {
        run_until((i + 1) * UINT64_C(1000000));
        send(CMD_ReadReq, i % 2 ? 0 : 128 << 20, 64);
    }
    run_until(UINT64_C(200000000));
    assert_true(issued("VRR") > 110);
    assert_int_equal(bench.ctrl.watch.hammer.hot, 2);
    assert_int_equal(bench.ctrl.watch.hammer.flips, 0);
    assert_true(bench.ctrl.watch.hammer.most_unserved < 4);
    end();
}

/* A recovery of PRAC refreshes the victims of the row with the most activations: no row gets much beyond the alert. */
static void recoveries_are_seen_to_serve_rows(void **state)
{
    build("standard: DDR5_RFM, refresh: none, command: {rowhammer_threshold: 50, controller: single-bus-prac, "
          "abo_threshold: 20}");
    for (unsigned i = 0; i < 240; i++) {
        run_until((i + 1) * UINT64_C(2000000));
        send(CMD_ReadReq, i % 2 ? 0 : 128 << 20, 64);
    }
    run_until(UINT64_C(600000000));
    assert_true(issued("RFMab") > 0);
    assert_int_equal(bench.ctrl.watch.hammer.most, 120);
    assert_int_equal(bench.ctrl.watch.hammer.hot, 2);
    assert_int_equal(bench.ctrl.watch.hammer.flips, 0);
    assert_true(bench.ctrl.watch.hammer.most_unserved < 30);
    assert_int_equal(cmd_watch_defences(&bench.ctrl.watch).refreshes, issued("RFMab"));
    assert_int_equal(cmd_watch_defences(&bench.ctrl.watch).activates, 0);
    end();
}

#define BLOCKHAMMER                                                                                                  \
    "controller: single-bus-blockhammer, bf_len_epoch: 1ms, bf_trefw: 1ms, bf_ctr_thresh: 16, bf_num_rh: 64, "       \
    "rowhammer_threshold: 65, rowhammer_window: 1ms"

static void send_from(unsigned requestor, uint64_t address)
{
    struct packet *const packet = packet_take_line(bench.sim.packets, address, 64, 0, CMD_ReadReq);

    packet->request.requestor = (uint16_t)requestor;
    assert_true(bench.below.ops->recv_request(bench.below.self, packet, 0));
}

/* Two rows of one bank, read in turn as fast as they are answered, for some windows: with BlockHammer neither is
 * activated more often than the limit allows, and the reads take longer. */
static void hammered_rows_are_slowed_below_the_limit(void **state)
{
    static const char *const controllers[] = {"controller: single-bus, rowhammer_threshold: 65, rowhammer_window: 1ms",
                                              BLOCKHAMMER};
    size_t answers[2];

    for (int i = 0; i < 2; i++) {
        char settings[400];

        snprintf(settings, sizeof settings, "standard: DDR4, command: {%s}", controllers[i]);
        build(settings);
        for (uint64_t now_ps = 0, reads = 0; now_ps < UINT64_C(3000000000); now_ps += 100000) {
            run_until(now_ps);
            if (bench.answer_count == reads && reads < MOST)
                send_from(1, reads++ % 2 ? 0 : 128 << 20);
        }
        answers[i] = bench.answer_count;
        if (i == 0)
            assert_true(bench.ctrl.watch.hammer.most > 1000 && bench.ctrl.watch.hammer.flips > 0);
        else
            assert_in_range(bench.ctrl.watch.hammer.most, 32, 64);
        assert_int_equal(i == 1 ? bench.ctrl.watch.hammer.flips : 0, 0);
        end();
    }
    assert_true(answers[1] < answers[0] / 4);
}

/* A source that hammers gets fewer reads in flight; its other reads wait in front of the queue, where those of another
 * pass them. When its counts are cleared it may have all again. Nothing is lost. */
static void sources_that_hammer_wait_for_their_share(void **state)
{
    uint64_t sent = 0, passed = 0;

    build("standard: DDR4, command: {" BLOCKHAMMER ", read_buffer_size: 8}");
    for (unsigned i = 0; i < 400; i++) {
        run_until((i + 1) * UINT64_C(1000000));
        for (unsigned row = 0; row < 4 && bench.refused_count == 0 && sent - bench.answer_count < 40; row++, sent++)
            send_from(1, (uint64_t)(row + i % 3 * 4) << 23);
    }
    assert_true(bench.ctrl.stats.throttles > 0);
    assert_true(bench.ctrl.stats.throttled_reads > 0);
    assert_int_equal(bench.ctrl.throttle.sources[1].most, 1);
    assert_true(bench.ctrl.throttle.count > 10);
    bench.answer_count = 0;
    send_from(2, 64 << 10);                  /* another bank */
    run_until(UINT64_C(401000000));
    for (size_t i = 0; i < bench.answer_count; i++)
        passed += bench.answers[i].address == 64 << 10;
    assert_int_equal(passed, 1);
    run_until(UINT64_C(20000000000));
    assert_int_equal(bench.ctrl.throttle.count, 0);
    assert_int_equal(bench.ctrl.throttle.sources[1].in_flight, 0);
    assert_int_equal(bench.ctrl.throttle.sources[1].most, UINT32_MAX);
    end();
}

static void statistics_begin_anew(void **state)
{
    build("standard: DDR4");
    run_until(100000);
    send(CMD_ReadReq, 0, 64);
    run_until(10000000);
    cmd_ctrl_reset_stats(&bench.ctrl);
    assert_int_equal(bench.ctrl.stats.read_reqs, 0);
    assert_int_equal(bench.ctrl.stats.device.num_read_reqs, 0);
    assert_int_equal(bench.ctrl.stats.device.cycles, 0);
    send(CMD_ReadReq, 64, 64);
    run_until(20000000);
    cmd_ctrl_settle_stats(&bench.ctrl);
    assert_int_equal(bench.ctrl.stats.device.num_read_reqs, 1);
    assert_int_equal(bench.ctrl.stats.read_latencies.count, 1);
    assert_in_range(bench.ctrl.stats.device.cycles, 10000000 / 833 - 1, 10000000 / 833 + 1);
    end();
}

/* ---- reads of less than an access (cmd_merge.h) */

/* Two sectors of an access that wait are one RD, and their answers leave one after the other; one that comes after
 * the RD, 16 edges after the ACT of edge 1201, is another. */
static void sectors_of_an_access_are_one_read(void **state)
{
    build("standard: DDR4, refresh: none");
    run_until(1000000);
    assert_true(send(CMD_ReadReq, 0x1020, 32));
    run_until(1005000);
    assert_true(send(CMD_ReadReq, 0x1000, 32));
    assert_true(send(CMD_ReadReq, 0x1040, 32));          /* the next access */
    run_until(1216 * 833);
    assert_int_equal(issued("ACT"), 1);
    assert_int_equal(issued("RD"), 0);
    assert_true(send(CMD_ReadReq, 0x1000, 32));
    run_until(1217 * 833);
    assert_int_equal(issued("RD"), 1);
    assert_true(send(CMD_ReadReq, 0x1000, 32));          /* too late */
    run_until(2000000);
    assert_int_equal(issued("RD"), 3);
    assert_int_equal(bench.ctrl.merge.merged, 2);
    assert_int_equal(bench.ctrl.stats.read_reqs, 5);
    assert_int_equal(bench.ctrl.stats.read_latencies.count, 5);
    assert_int_equal(bench.answer_count, 5);
    assert_int_equal(bench.answers[0].address, 0x1020);
    assert_int_equal(bench.answers[1].address, 0x1000);
    assert_int_equal(bench.answers[2].address, 0x1000);
    assert_int_equal(bench.answers[2].when_ps, bench.answers[0].when_ps + 2);    /* a queue sends one in a tick */
    assert_int_equal(bench.answers[0].when_ps, (1201 + 16 + 16 + 4) * 833 + 20000);
    end();
}

/* "A write to the access ends that, as later reads are answered from it." */
static void a_write_ends_merging(void **state)
{
    build("standard: DDR4, refresh: none");
    run_until(1000000);
    assert_true(send(CMD_ReadReq, 0x1000, 32));
    assert_true(send(CMD_WritebackDirty, 0x1020, 32));
    assert_true(send(CMD_ReadReq, 0x1020, 32));
    run_until(3000000);
    assert_int_equal(bench.ctrl.merge.merged, 0);
    cmd_ctrl_settle_stats(&bench.ctrl);
    assert_int_equal(bench.ctrl.stats.device.num_read_reqs_forwarded, 1);
    assert_int_equal(issued("RD"), 1);
    assert_int_equal(bench.answers[0].address, 0x1020);
    assert_int_equal(bench.answer_count, 2);
    end();
}

/* A read that joins needs no place in the queue, which holds four. */
static void reads_join_while_the_queue_is_full(void **state)
{
    build("standard: DDR4, refresh: none, command: {read_buffer_size: 4}");
    run_until(1000000);
    for (unsigned i = 0; i < 4; i++)
        assert_true(send(CMD_ReadReq, 0x1000 + 64 * i, 32));
    for (unsigned i = 0; i < 4; i++)
        assert_true(send(CMD_ReadReq, 0x1020 + 64 * i, 32));
    assert_false(send(CMD_ReadReq, 0x2000, 32));
    run_until(3000000);
    assert_int_equal(bench.answer_count, 9);
    assert_int_equal(issued("RD"), 5);
    end();
}

/* "auto: in mode sane"; and whole accesses, of which the published model has each issued, are not merged. */
static void merging_follows_key_and_mode(void **state)
{
    static const struct {
        const char *settings;
        unsigned bytes, reads;
    } rows[] = {
        {"refresh: none", 32, 1}, {"refresh: none, command: {mode: exact}", 32, 2},
        {"refresh: none, command: {mode: exact, merge_reads: yes}", 32, 1},
        {"refresh: none, command: {merge_reads: no}", 32, 2}, {"refresh: none", 64, 2}, {"refresh: none", 128, 4},
        {"refresh: none, overrides: {channel_width: 128}", 64, 1}
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char settings[200];

        snprintf(settings, sizeof settings, "standard: DDR4, %s", rows[i].settings);
        build(settings);
        run_until(1000000);
        assert_true(send(CMD_ReadReq, 0x1000, rows[i].bytes));
        assert_true(send(CMD_ReadReq, 0x1000, rows[i].bytes));
        run_until(3000000);
        if (issued("RD") != rows[i].reads)
            fail_msg("%s, %u bytes: %d RD, not %u", rows[i].settings, rows[i].bytes, (int)issued("RD"), rows[i].reads);
        assert_int_equal(bench.answer_count, 2);
        end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_takes_the_times_of_its_commands),
        cmocka_unit_test(sectors_of_an_access_are_one_read), cmocka_unit_test(a_write_ends_merging),
        cmocka_unit_test(reads_join_while_the_queue_is_full), cmocka_unit_test(merging_follows_key_and_mode),
        cmocka_unit_test(a_write_is_answered_when_it_is_taken), cmocka_unit_test(half_ticks_do_not_drift),
        cmocka_unit_test(a_line_is_two_accesses_of_hbm3), cmocka_unit_test(reads_are_answered_from_writes_that_wait),
        cmocka_unit_test(all_are_served_through_short_queues), cmocka_unit_test(an_idle_memory_has_no_events),
        cmocka_unit_test(refreshes_alone_are_few_events), cmocka_unit_test(rows_that_are_hammered_are_found),
        cmocka_unit_test(defences_are_seen_to_serve_rows), cmocka_unit_test(recoveries_are_seen_to_serve_rows),
        cmocka_unit_test(hammered_rows_are_slowed_below_the_limit),
        cmocka_unit_test(sources_that_hammer_wait_for_their_share),
        cmocka_unit_test(statistics_begin_anew)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
