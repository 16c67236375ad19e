/* memsys/command/cmd_energy.h, cmd_states.h: what a controller of commands counts for energy. DDR4_2400R: tCK 833 ps,
 * nRAS 39, nRP 16, nRC 55, nRFC 433 (360 ns), nREFI 9364; 16 banks a rank. */
#include "memsys/command/cmd_energy.h"

#include <math.h>

#include "memsys/command/cmd_ctrl.h"
#include "memsys/dram/memory_params.h"
#include "replay/config/command_device.h"
#include "replay/config/system_config.h"
#include "tests/support/config_bench.h"

/* To a millionth. */
static void assert_close(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-6 * fabs(expected) + 1e-9))
        fail_msg("%.9g, expected %.9g", value, expected);
}

enum { CK = 833 };

static struct bench {
    struct system_config config;
    struct command_device device;
    struct sim sim;
    struct cmd_ctrl ctrl;
    struct below below;
} bench;

static bool recv_response(void *self, struct packet *packet, unsigned port)
{
    packet_give(bench.sim.packets, packet);
    return true;
}

static void recv_request_retry(void *self, unsigned port)
{
    fail_msg("nothing was refused");
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
    cmd_ctrl_free(&bench.ctrl);
    command_device_free(&bench.device);
    sim_free(&bench.sim);
}

static void run_until(uint64_t until_ps)
{
    event_queue_run(&bench.sim.events, until_ps, UINT64_MAX);
    bench.sim.events.now_ps = until_ps;
}

static void send(enum command command, uint64_t address)
{
    struct packet *const packet = packet_take_line(bench.sim.packets, address, 64, 0, command);

    assert_true(bench.below.ops->recv_request(bench.below.self, packet, 0));
}

static struct energy_counts counts_at(uint64_t now_ps)
{
    cmd_ctrl_settle_stats(&bench.ctrl);
    return bench.ctrl.energy.count(&bench.ctrl, now_ps);
}

static void assert_ps(double value, uint64_t expected)
{
    assert_int_equal((uint64_t)(value + 0.5), expected);
}

/* ---- devices */

/* Micron's x8 chip at DDR4-2400, 8 of them: tBURST 8 / 2.4 GHz = 3.333 ns, tRAS 39 x 0.833 = 32.487 ns, tRP 16 x 0.833
 * = 13.328 ns. Activate: (48 x 45.815 - 43 x 32.487 - 34 x 13.328) x 1.2 x 8 = 349.027 x 9.6 = 3350.6592 pJ. */
static void a_device_has_its_currents(void **state)
{
    struct energy_device const *const energy = &bench.ctrl.energy_device;

    build("standard: DDR4");
    assert_true(energy->is_known);
    assert_close(energy->activate_pj, 3350.6592);
    assert_close(energy->read_pj, 92 * 3.333 * 9.6);
    assert_string_equal(bench.config.memories[0].energy_source, "Micron 8Gb DDR4, MT40A1G8, die revision B, DDR4-2400");
    end();
    /* the chip is the same whatever the controller waits for; x4 has 16 */
    build("standard: DDR4_VRR, overrides: {nRAS: 60, nRC: 76}");
    assert_close(energy->activate_pj, 3350.6592);
    end();
    build("standard: DDR4, organization: DDR4_8Gb_x4");
    assert_close(energy->read_pj, (110 - 38) * 3.333 * 1.2 * 16);
    end();
    build("standard: DDR5");
    assert_false(energy->is_known);
    assert_string_equal(bench.config.memories[0].energy_source, "");
    assert_null(bench.ctrl.watch.states.ranks);
    end();
}

/* ---- counts */

/* A read at 1 us: ACT at the next edge, then the rank is active; refreshes are off. */
static void a_rank_is_active_from_its_activate(void **state)
{
    uint64_t const act_ps = (1000000 / CK + 1) * CK;
    struct energy_counts counts;

    build("standard: DDR4, refresh: none");
    run_until(1000000);
    send(CMD_ReadReq, 0x1000);
    run_until(3000000);
    counts = counts_at(3000000);
    assert_int_equal(counts.activates, 1);
    assert_int_equal(counts.reads, 1);
    assert_int_equal(counts.writes, 0);
    assert_ps(counts.refresh_ps, 0);
    assert_ps(counts.state_ps[ENERGY_PRECHARGED], act_ps);
    assert_ps(counts.state_ps[ENERGY_ACTIVE], 3000000 - act_ps);
    /* two banks of a rank are active once; a write counts; statistics begin anew */
    send(CMD_WritebackDirty, 0x1000 + (1 << 13));
    run_until(4000000);
    counts = counts_at(4000000);
    assert_int_equal(counts.activates, 2);
    assert_int_equal(counts.writes, 1);
    assert_ps(counts.state_ps[ENERGY_ACTIVE], 4000000 - act_ps);
    cmd_ctrl_reset_stats(&bench.ctrl);
    run_until(5000000);
    counts = counts_at(5000000);
    assert_int_equal(counts.activates, 0);
    assert_ps(counts.state_ps[ENERGY_ACTIVE], 1000000);
    assert_ps(counts.state_ps[ENERGY_PRECHARGED], 0);
    end();
}

/* An idle rank is refreshed each nREFI for nRFC, else precharged; two ranks count twice. */
static void refreshes_take_nrfc(void **state)
{
    for (unsigned ranks = 1; ranks <= 2; ranks++) {
        uint64_t const end_ps = 10 * UINT64_C(9364) * CK + 5000000, busy_ps = ranks * 10 * UINT64_C(433) * CK;
        struct energy_counts counts;

        build(ranks == 1 ? "standard: DDR4" : "standard: DDR4, overrides: {rank: 2}");
        run_until(end_ps);
        counts = counts_at(end_ps);
        assert_int_equal(bench.ctrl.stats.device.commands[cmd_spec_command(&bench.device.spec, "REFab")], 10 * ranks);
        assert_ps(counts.refresh_ps, busy_ps);
        assert_ps(counts.state_ps[ENERGY_REFRESH], busy_ps);
        assert_ps(counts.state_ps[ENERGY_PRECHARGED], ranks * end_ps - busy_ps);
        assert_ps(counts.state_ps[ENERGY_ACTIVE], 0);
        end();
    }
}

/* A VRR activates as many rows as fit into nVRR: 337 / 55 = 6. Of the same number of commands it adds up so. */
static void a_vrr_is_six_rows(void **state)
{
    uint64_t commands[CMD_COMMANDS] = {0};
    struct energy_counts counts;

    build("standard: DDR4_VRR, refresh: none");
    commands[cmd_spec_command(&bench.device.spec, "VRR")] = 5;
    commands[cmd_spec_command(&bench.device.spec, "ACT")] = 2;
    commands[cmd_spec_command(&bench.device.spec, "RDA")] = 3;
    counts = cmd_ctrl_energy_counts(&bench.ctrl, commands, 0);
    assert_int_equal(counts.activates, 5 * 6 + 2);
    assert_int_equal(counts.reads, 3);
    end();
}

/* A refresh of a bank is a bank's share of one of all. LPDDR5's currents are not published: made up ones. */
static void a_refresh_of_a_bank_is_its_share(void **state)
{
    uint64_t commands[CMD_COMMANDS] = {0};
    const struct cmd_spec *const spec = &bench.device.spec;
    double of_all;

    build("standard: LPDDR5, currents: {VDD: 1V, IDD0: 50mA, IDD2N: 20mA, IDD2P: 5mA, IDD3N: 30mA, IDD3P: 10mA, IDD4R: "
          "200mA, IDD4W: 200mA, IDD5B: 100mA, IDD6: 1mA}");
    assert_true(bench.ctrl.energy_device.is_known);
    assert_string_equal(bench.config.memories[0].energy_source, "memory.currents");
    commands[cmd_spec_command(spec, "REFab")] = 1;
    of_all = cmd_ctrl_energy_counts(&bench.ctrl, commands, 0).refresh_ps;
    assert_close(of_all, (double)cmd_spec_time(spec, "nRFC") * (double)spec->ck_ps);
    commands[cmd_spec_command(spec, "REFab")] = 0;
    commands[cmd_spec_command(spec, "REFpb")] = 16;
    commands[cmd_spec_command(spec, "ACT1")] = 3;
    commands[cmd_spec_command(spec, "ACT2")] = 2;
    assert_close(cmd_ctrl_energy_counts(&bench.ctrl, commands, 0).refresh_ps, of_all);
    assert_int_equal(cmd_ctrl_energy_counts(&bench.ctrl, commands, 0).activates, 2);
    end();
}

/* closed-after 1: RDA, nRCD (16) after the ACT, closes its row nRTP (9) later. */
static void a_column_command_closes_later(void **state)
{
    struct energy_counts counts;

    build("standard: DDR4, refresh: none, command: {row_policy: closed-after, cap: 1}");
    run_until(1000000);
    send(CMD_ReadReq, 0x1000);
    run_until(3000000);
    counts = counts_at(3000000);
    assert_int_equal(counts.activates, 1);
    assert_ps(counts.state_ps[ENERGY_ACTIVE], 39 * CK);
    assert_ps(counts.state_ps[ENERGY_ACTIVE] + counts.state_ps[ENERGY_PRECHARGED], 3000000);
    end();
}

/* Times of a rank in each state: precharged 1 us, in power-down 2 us, awake 1 us, with a row open 1 us and in power-
 * down 3 us, in self-refresh 4 us after its row was closed; the other rank stays precharged. */
static void ranks_sleep(void **state)
{
    struct cmd_rank_state ranks[2] = {{0}};
    struct cmd_states states = {.rank_count = 2, .banks_per_rank = 16, .ranks = ranks};
    double ps[ENERGY_STATES] = {0};

    cmd_states_changed(&states, 0, CMD_STATES_DOWN, 1000000);
    cmd_states_changed(&states, 0, CMD_STATES_WAKE, 3000000);
    cmd_states_opened(&states, 5, 4000000);
    cmd_states_changed(&states, 0, CMD_STATES_DOWN, 5000000);
    cmd_states_changed(&states, 0, CMD_STATES_WAKE, 8000000);
    cmd_states_closed(&states, 5, 8000000, 8000000);
    cmd_states_changed(&states, 0, CMD_STATES_SELF_REFRESH, 8000000);
    cmd_states_add(&states, 12000000, ps);
    assert_ps(ps[ENERGY_PRECHARGED], 2000000 + 12000000);
    assert_ps(ps[ENERGY_PRECHARGE_DOWN], 2000000);
    assert_ps(ps[ENERGY_ACTIVE], 1000000);
    assert_ps(ps[ENERGY_ACTIVE_DOWN], 3000000);
    assert_ps(ps[ENERGY_SELF_REFRESH], 4000000);
}

/* PARA that answers each activate with a VRR: six rows each, 3350.6592 pJ a row; refreshes are no defence. */
static void defences_have_their_energy(void **state)
{
    uint64_t rows;

    build("standard: DDR4_VRR, mitigation: [PARA], mitigations: {PARA_threshold: 0.999}");
    for (unsigned i = 0; i < 20; i++) {
        run_until(1000000 * (i + 1));
        send(CMD_ReadReq, UINT64_C(1) << 20 << i % 4);
    }
    run_until(40000000);
    cmd_ctrl_settle_stats(&bench.ctrl);
    rows = 6 * bench.ctrl.stats.device.commands[cmd_spec_command(&bench.device.spec, "VRR")];
    assert_true(rows >= 6);
    assert_true(bench.ctrl.stats.device.commands[cmd_spec_command(&bench.device.spec, "REFab")] > 0);
    assert_close(cmd_energy_of_defences(&bench.ctrl), (double)rows * 3350.6592);
    cmd_ctrl_reset_stats(&bench.ctrl);
    assert_close(cmd_energy_of_defences(&bench.ctrl), 0);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_has_its_currents), cmocka_unit_test(a_rank_is_active_from_its_activate),
        cmocka_unit_test(refreshes_take_nrfc), cmocka_unit_test(a_vrr_is_six_rows),
        cmocka_unit_test(a_refresh_of_a_bank_is_its_share), cmocka_unit_test(a_column_command_closes_later),
        cmocka_unit_test(ranks_sleep),
        cmocka_unit_test(defences_have_their_energy)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
