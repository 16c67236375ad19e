/* memsys/command/channel/cmd_refresh.c: the refresh rate, and refreshes that are postponed, worked out by hand. */
#include "tests/support/command_bench.h"

static struct command_bench *ddr4(double rate, uint32_t postponed)
{
    struct command_bench *const bench = command_bench_open("DDR4", "DDR4_8Gb_x8", "DDR4_2400R", NO_OVERRIDES, CMD_SANE);

    bench->config.refresh_rate = rate;
    bench->config.postponed = postponed;
    command_bench_start(bench);
    return bench;
}

static uint64_t interval_of(const struct command_bench *bench)
{
    return (uint64_t)cmd_spec_time(&bench->spec, "nREFI");
}

/* Reads wait at any time up to `tick`: lines of one row after the other, every second page (of rank 0, if there are
 * two). */
static void keep_busy(struct command_bench *bench, uint64_t tick)
{
    static uint64_t address;

    while (cmd_memory_now(bench->memory) < tick) {
        while (cmd_memory_in_flight(bench->memory) < 24 && bench_send(bench, CMD_READ, address) != UINT64_MAX)
            address = ((address + 64) & ~(uint64_t)8192) % (1 << 30);
        assert_fine(bench_run(bench, cmd_memory_now(bench->memory) + 1));
    }
}

/* cmd_config.h: "refreshes in the time of one at the normal rate"; an idle rank is refreshed at its dates */
static void rate_divides_the_interval(void **state)
{
    static const double rates[] = {0.5, 1, 2, 4};

    for (size_t i = 0; i < COUNT(rates); i++) {
        struct command_bench *const bench = ddr4(rates[i], 0);
        uint64_t const interval = (uint64_t)((double)interval_of(bench) / rates[i]);

        assert_int_equal(interval_of(bench), 9364);                  /* 7.8 us of 0.833 ns, rounded up */
        assert_fine(bench_run(bench, 3 * interval));
        assert_int_equal(bench_count(bench, "REFab"), 3);
        for (size_t n = 0; n < 3; n++)
            assert_int_equal(bench_command(bench, "REFab", n)->tick, (n + 1) * interval);
        command_bench_close(bench);
    }
}

/* cmd_refresh.c: "sent once none waits, the next one after it was issued" */
static void owed_refreshes_follow_when_idle(void **state)
{
    struct command_bench *const bench = ddr4(1, 8);
    uint64_t const interval = interval_of(bench), busy = (uint64_t)cmd_spec_time(&bench->spec, "nRFC");
    struct cmd_stats stats;
    uint64_t first;

    keep_busy(bench, 3 * interval + interval / 2);
    assert_int_equal(bench_count(bench, "REFab"), 0);
    assert_fine(bench_run(bench, 4 * interval - 1));
    assert_int_equal(bench_count(bench, "REFab"), 3);
    first = bench_command(bench, "REFab", 0)->tick;
    assert_in_range(first, 3 * interval + interval / 2, 3 * interval + interval / 2 + 400);
    assert_int_equal(bench_command(bench, "REFab", 1)->tick, first + busy);
    assert_int_equal(bench_command(bench, "REFab", 2)->tick, first + 2 * busy);
    assert_fine(bench_run(bench, 4 * interval));     /* nothing waits, nothing is owed: at its date */
    assert_int_equal(bench_command(bench, "REFab", 3)->tick, 4 * interval);
    stats = cmd_memory_stats(bench->memory, 0);
    assert_int_equal(stats.refreshes_postponed, 3);
    assert_int_equal(stats.refreshes_forced, 0);
    command_bench_close(bench);
}

/* cmd_refresh.c: "two refreshes of a rank are at most postponed + 1 intervals apart" */
static void the_limit_sends_one(void **state)
{
    struct command_bench *const bench = ddr4(1, 2);
    uint64_t const interval = interval_of(bench);

    keep_busy(bench, 6 * interval - 100);
    assert_int_equal(bench_count(bench, "REFab"), 3);
    for (size_t n = 0; n < 3; n++)       /* behind the reads whose rows are open, PREab and tRP */
        assert_in_range(bench_command(bench, "REFab", n)->tick, (n + 3) * interval, (n + 3) * interval + 400);
    assert_int_equal(cmd_memory_stats(bench->memory, 0).refreshes_postponed, 2);
    assert_int_equal(cmd_memory_stats(bench->memory, 0).refreshes_forced, 3);
    command_bench_close(bench);
}

/* A rank that is idle is refreshed while the other one has its refreshes postponed. */
static void ranks_are_apart(void **state)
{
    static const struct cmd_pair ranks[] = {{"rank", 2}};
    struct command_bench *const bench = command_bench_open("DDR4", "DDR4_8Gb_x8", "DDR4_2400R",
                                                           (struct cmd_overrides){ranks, 1}, CMD_SANE);

    bench->config.postponed = 8;
    command_bench_start(bench);
    keep_busy(bench, 2 * interval_of(bench) + 10);
    assert_int_equal(bench_count(bench, "REFab"), 2);
    for (size_t n = 0; n < 2; n++) {
        assert_int_equal(bench_command(bench, "REFab", n)->vector[1], 1);
        assert_in_range(bench_command(bench, "REFab", n)->tick, (n + 1) * interval_of(bench),
                        (n + 1) * interval_of(bench) + 2);
    }
    command_bench_close(bench);
}

static void refused_with(double rate, uint32_t postponed, enum cmd_refresh_kind kind, const char *standard,
                         const char *organization, const char *timing, const char *text)
{
    struct command_bench *const bench = command_bench_open(standard, organization, timing, NO_OVERRIDES, CMD_SANE);
    struct cmd_hooks const hooks = {.owner = bench};

    bench->config.refresh_rate = rate;
    bench->config.postponed = postponed;
    bench->config.refresh = kind;
    assert_text(fault_text(cmd_memory_new(&bench->memory, &bench->config, &hooks, 1)), text);
    command_bench_close(bench);
}

static void what_cannot_work_is_refused(void **state)
{
    refused_with(1, 5, CMD_REFRESH_ALL_BANK, "DDR5", "DDR5_16Gb_x8", "DDR5_4800BN",
                 "DDR5 may postpone at most 4");
    refused_with(1, 1, CMD_REFRESH_PER_BANK, "LPDDR5", "LPDDR5_8Gb_x16", "LPDDR5_6400",
                 "give refresh: all-bank");
    refused_with(1000, 0, CMD_REFRESH_ALL_BANK, "DDR4", "DDR4_8Gb_x8", "DDR4_2400R",
                 "nREFI must exceed nRFC");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rate_divides_the_interval), cmocka_unit_test(owed_refreshes_follow_when_idle),
        cmocka_unit_test(the_limit_sends_one), cmocka_unit_test(ranks_are_apart),
        cmocka_unit_test(what_cannot_work_is_refused)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
