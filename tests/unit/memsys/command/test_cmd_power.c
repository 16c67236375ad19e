/* memsys/command/channel/cmd_power.c, device/cmd_power_times.c: power-down and self-refresh of ranks, worked out by
 * hand. */
#include "memsys/command/cmd_states.h"
#include "memsys/command/device/cmd_power_times.h"
#include "tests/support/command_bench.h"

static const struct cmd_power_given nothing_given;

static struct command_bench *power_bench(const char *standard, const char *organization, const char *timing,
                                         struct cmd_overrides overrides)
{
    struct command_bench *const bench = command_bench_open(standard, organization, timing, overrides, CMD_SANE);
    struct cmd_power_times times;

    assert_fine(cmd_power_times_of(&bench->spec, &nothing_given, true, &times));
    assert_fine(cmd_spec_add_power(&bench->spec, &times));
    bench->config.refresh = CMD_REFRESH_NONE;
    return bench;
}

static struct command_bench *ddr4(int64_t down_idle, int64_t self_idle)
{
    struct command_bench *const bench = power_bench("DDR4", "DDR4_8Gb_x8", "DDR4_2400R", NO_OVERRIDES);

    bench->config.power.down_idle = down_idle;
    bench->config.power.self_idle = self_idle;
    return bench;
}

static uint64_t tick_of(const struct command_bench *bench, const char *name, size_t n)
{
    const struct bench_command *const command = bench_command(bench, name, n);

    if (!command)
        fail_msg("there are %zu %s, not %zu", bench_count(bench, name), name, n + 1);
    return command->tick;
}

/* "tXP = max(4 nCK, 6 ns), tPD = tCKE = max(3 nCK, 5 ns), tXS = tRFC + 10 ns, tCKESR = tCKE + 1 nCK, tDLLK by rate",
 * of 0.833 ns; what is given goes before */
static void times_are_jedecs(void **state)
{
    struct command_bench *const bench = command_bench_open("DDR4", "DDR4_8Gb_x8", "DDR4_2400R", NO_OVERRIDES, CMD_SANE);
    struct cmd_power_given const given = {20000, 0, 0, 0, 0};
    struct cmd_power_times times;

    assert_fine(cmd_power_times_of(&bench->spec, &nothing_given, true, &times));
    assert_int_equal(times.down_exit, 8);
    assert_int_equal(times.down_least, 6);
    assert_int_equal(times.self_exit, cmd_spec_time(&bench->spec, "nRFC") + 12);
    assert_int_equal(times.self_least, 7);
    assert_int_equal(times.self_lock, 768);
    assert_fine(cmd_power_times_of(&bench->spec, &given, true, &times));
    assert_int_equal(times.down_exit, 24);
    assert_int_equal(times.down_least, 6);
    command_bench_close(bench);
}

/* A read at 0: ACT 1, RD 1 + tRCD = 17; the queue is empty, so PDE 100 later. A read at 1000 of the same row: PDX at
 * 1001, RD tXP later. */
static void idle_ranks_power_down(void **state)
{
    struct command_bench *const bench = ddr4(100, 0);

    command_bench_start(bench);
    bench_send(bench, CMD_READ, 0);
    assert_fine(bench_run(bench, 1000));
    assert_int_equal(tick_of(bench, "RD", 0), 17);
    assert_int_equal(tick_of(bench, "PDE", 0), 117);
    bench_send(bench, CMD_READ, 64);
    assert_fine(bench_run(bench, 1100));
    assert_int_equal(tick_of(bench, "PDX", 0), 1001);
    assert_int_equal(tick_of(bench, "RD", 1), 1001 + 8);
    assert_int_equal(bench_count(bench, "ACT"), 1);
    assert_int_equal(tick_of(bench, "PDE", 0), 117);
    assert_fine(bench_run(bench, 5000));
    assert_int_equal(tick_of(bench, "PDE", 1), 1009 + 100);
    assert_int_equal(bench_count(bench, "PDE"), 2);
    assert_int_equal(bench_count(bench, "PDX"), 1);
    command_bench_close(bench);
}

/* Not sooner than the data of a read has gone (CL + BL/2 + 1 = 21) or a write is in its row (CWL + BL/2 + tWR + 1 =
 * 35); not shorter than tPD. */
static void entry_and_stay_have_least_times(void **state)
{
    struct command_bench *const bench = ddr4(1, 0);

    command_bench_start(bench);
    bench_send(bench, CMD_READ, 0);
    assert_fine(bench_run(bench, 38));
    assert_int_equal(tick_of(bench, "PDE", 0), 17 + 21);
    bench_send(bench, CMD_WRITE, 64);
    assert_fine(bench_run(bench, 200));
    assert_int_equal(tick_of(bench, "PDX", 0), 38 + 6);
    assert_int_equal(tick_of(bench, "WR", 0), 38 + 6 + 8);
    assert_int_equal(tick_of(bench, "PDE", 1), 52 + 35);
    command_bench_close(bench);
}

/* A rank with an open row: PREab, then SRE tRP later; a read at 20000: SRX at 20001, ACT tXS later, RD when the DLL is
 * locked. */
static void unused_ranks_refresh_themselves(void **state)
{
    struct command_bench *const bench = ddr4(0, 2000);
    uint64_t const exit_time = (uint64_t)cmd_spec_time(&bench->spec, "nRFC") + 12;

    command_bench_start(bench);
    bench_send(bench, CMD_READ, 0);
    assert_fine(bench_run(bench, 20000));
    assert_int_equal(tick_of(bench, "PREab", 0), 17 + 2000);
    assert_int_equal(tick_of(bench, "SRE", 0), 2017 + 16);
    bench_send(bench, CMD_READ, 0);
    assert_fine(bench_run(bench, 22000));
    assert_int_equal(tick_of(bench, "SRX", 0), 20001);
    assert_int_equal(tick_of(bench, "ACT", 1), 20001 + exit_time);
    assert_int_equal(tick_of(bench, "RD", 1), 20001 + 768);
    command_bench_close(bench);
}

/* By way of power-down: PDX when self-refresh is due, PREab tXP later, SRE tRP after that. */
static void power_down_ends_for_self_refresh(void **state)
{
    struct command_bench *const bench = ddr4(100, 2000);

    command_bench_start(bench);
    bench_send(bench, CMD_READ, 0);
    assert_fine(bench_run(bench, 10000));
    assert_int_equal(tick_of(bench, "PDE", 0), 117);
    assert_int_equal(tick_of(bench, "PDX", 0), 2018);
    assert_int_equal(tick_of(bench, "PREab", 0), 2026);
    assert_int_equal(tick_of(bench, "SRE", 0), 2042);
    assert_int_equal(bench_count(bench, "PDE"), 1);
    command_bench_close(bench);
}

/* "A refresh that falls due wakes a rank from power-down; in self-refresh it refreshes itself" */
static void refreshes_wake_or_are_needless(void **state)
{
    struct command_bench *const bench = ddr4(100, 0), *const asleep = ddr4(0, 100);
    uint64_t const interval = (uint64_t)cmd_spec_time(&bench->spec, "nREFI");

    bench->config.refresh = asleep->config.refresh = CMD_REFRESH_ALL_BANK;
    command_bench_start(bench);
    assert_fine(bench_run(bench, 4 * interval + 500));
    assert_int_equal(bench_count(bench, "REFab"), 4);
    assert_int_equal(bench_count(bench, "PDE"), 5);
    assert_int_equal(tick_of(bench, "PDX", 0), interval + 1);
    assert_int_equal(tick_of(bench, "REFab", 0), interval + 1 + 8);
    assert_int_equal(tick_of(bench, "PDE", 1), interval + 9 + 100);      /* while it refreshes */
    command_bench_start(asleep);
    assert_fine(bench_run(asleep, 4 * interval + 500));
    assert_int_equal(bench_count(asleep, "REFab"), 0);
    assert_int_equal(bench_count(asleep, "SRE"), 1);
    bench_send(asleep, CMD_READ, 0);
    assert_fine(bench_run(asleep, 5 * interval - 1));        /* a refresh comes before the next self-refresh */
    assert_int_equal(bench_count(asleep, "SRE"), 1);
    assert_fine(bench_run(asleep, 6 * interval));
    assert_int_equal(bench_count(asleep, "REFab"), 1);
    assert_int_equal(bench_count(asleep, "SRE"), 2);
    assert_in_range(tick_of(asleep, "SRE", 1), tick_of(asleep, "REFab", 0), 5 * interval + 1000);
    command_bench_close(bench);
    command_bench_close(asleep);
}

/* The other rank stays asleep. */
static void ranks_sleep_apart(void **state)
{
    static const struct cmd_pair ranks[] = {{"rank", 2}};
    struct command_bench *const bench = power_bench("DDR4", "DDR4_8Gb_x8", "DDR4_2400R",
                                                    (struct cmd_overrides){ranks, 1});

    bench->config.power.down_idle = 50;
    command_bench_start(bench);
    assert_fine(bench_run(bench, 500));
    assert_int_equal(bench_count(bench, "PDE"), 2);
    bench_send(bench, CMD_READ, 0);
    assert_fine(bench_run(bench, 540));
    assert_int_equal(bench_count(bench, "PDX"), 1);
    assert_int_equal(bench_command(bench, "PDX", 0)->vector[1], 0);
    assert_int_equal(tick_of(bench, "ACT", 0), 501 + 8);
    command_bench_close(bench);
}

/* Times of the states add up to the time that has passed. */
static void times_in_states_add_up(void **state)
{
    struct command_bench *const bench = ddr4(100, 2000);
    struct cmd_states states;
    static const uint64_t expected[ENERGY_STATES] = {
        [ENERGY_ACTIVE] = (117 - 10) + (2026 - 2018), [ENERGY_PRECHARGED] = 10 + (2042 - 2026),
        [ENERGY_ACTIVE_DOWN] = 2018 - 117, [ENERGY_SELF_REFRESH] = 5000 - 2042
    };
    static const struct { uint64_t tick; int command; int row; } steps[] = {
        {10, -1, 1}, {117, CMD_POWER_DOWN_ENTRY, 0}, {2018, CMD_POWER_DOWN_EXIT, 0}, {2026, -1, -1},
        {2042, CMD_SELF_REFRESH_ENTRY, 0}
    };

    assert_fine(cmd_states_init(&states, &bench->spec));
    for (size_t i = 0; i < COUNT(steps); i++) {
        int const command = bench->spec.power.first_command + steps[i].command;

        if (steps[i].row > 0)
            cmd_states_opened(&states, 3, steps[i].tick);
        else if (steps[i].row < 0)
            cmd_states_closed(&states, 3, steps[i].tick, steps[i].tick);
        else
            cmd_states_changed(&states, 0, (enum cmd_states_change)states.change[command], steps[i].tick);
    }
    for (unsigned power = 0; power < ENERGY_STATES; power++)
        assert_int_equal(cmd_states_of(&states, 0, (enum energy_state)power, 5000), expected[power]);
    cmd_states_reset(&states, 6000);
    assert_int_equal(cmd_states_of(&states, 0, ENERGY_SELF_REFRESH, 6100), 100);
    cmd_states_free(&states);
    command_bench_close(bench);
}

/* Without a published time, and without room for the commands. */
static void what_is_not_known_is_refused(void **state)
{
    struct command_bench *const hbm = command_bench_open("HBM2", "HBM2_8Gb", "HBM2_2000Mbps", NO_OVERRIDES, CMD_SANE);
    struct command_bench *const gddr7 = command_bench_open("GDDR7", "GDDR7_16Gb_x8", "GDDR7_28000_PAM3", NO_OVERRIDES,
                                                           CMD_SANE);
    struct cmd_power_given const given = {10000, 10000, 0, 0, 0};
    struct cmd_power_times times;

    assert_text(fault_text(cmd_power_times_of(&hbm->spec, &nothing_given, false, &times)),
                "command.power_down_exit (tXP) is missing");
    assert_text(fault_text(cmd_power_times_of(&hbm->spec, &given, true, &times)),
                "command.self_refresh_exit (tXS) is missing");
    assert_fine(cmd_power_times_of(&hbm->spec, &given, false, &times));
    assert_fine(cmd_spec_add_power(&hbm->spec, &times));
    assert_fine(cmd_power_times_of(&gddr7->spec, &given, false, &times));
    assert_text(fault_text(cmd_spec_add_power(&gddr7->spec, &times)), "power-down of GDDR7 is not modelled");
    command_bench_close(hbm);
    command_bench_close(gddr7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_jedecs), cmocka_unit_test(idle_ranks_power_down),
        cmocka_unit_test(entry_and_stay_have_least_times), cmocka_unit_test(unused_ranks_refresh_themselves),
        cmocka_unit_test(power_down_ends_for_self_refresh), cmocka_unit_test(refreshes_wake_or_are_needless),
        cmocka_unit_test(ranks_sleep_apart), cmocka_unit_test(times_in_states_add_up),
        cmocka_unit_test(what_is_not_known_is_refused)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
