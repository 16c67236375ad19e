/* Idle times of a data bus by their causes, of chains of commands worked out by hand (memsys/command/cmd_waits.h). */
#include "memsys/command/cmd_waits.h"
#include "tests/support/command_bench.h"

struct chain {
    struct command_bench *bench;
    struct cmd_waits *waits;
};

/* level 1: rank, 2: bank group, 3: bank */
static void issue(const struct chain *chain, const char *command, uint64_t tick, int group, int bank, uint64_t arrive)
{
    int32_t const vector[CMD_LEVELS] = {0, 0, group, bank, 0, 0};
    struct cmd_issued const issued = {
        .tick = tick, .command = (uint8_t)cmd_spec_command(&chain->bench->spec, command), .vector = vector,
        .kind = arrive == UINT64_MAX ? CMD_INTERNAL : strncmp(command, "WR", 2) == 0 ? CMD_WRITE : CMD_READ,
        .arrive = arrive
    };

    cmd_waits_issued(chain->waits, &issued);
}

static struct chain chain_begin(const char *standard, const char *organization, const char *timing)
{
    struct chain const chain = {command_bench_open(standard, organization, timing, NO_OVERRIDES, 0),
                                malloc(sizeof (struct cmd_waits))};

    assert_non_null(chain.waits);
    cmd_waits_init(chain.waits, &chain.bench->spec);
    return chain;
}

static void chain_end(struct chain chain)
{
    command_bench_close(chain.bench);
    free(chain.waits);
}

static uint64_t ticks(const struct chain *chain, const char *name)
{
    return (uint64_t)cmd_spec_time(&chain->bench->spec, name);
}

static void assert_waits(const struct chain *chain, enum cmd_wait cause, uint64_t expected)
{
    assert_float_equal(cmd_waits_ticks(chain->waits, cause), (double)expected, 1e-6);
}

static struct chain ddr4(void)
{
    return chain_begin("DDR4", "DDR4_8Gb_x8", "DDR4_2400R");
}

/* "the access came as early as the constraint after some command allowed, that one as early as another did" */
static void a_row_conflict_waits_for_the_bank(void **state)
{
    struct chain const chain = ddr4();
    uint64_t const rp = ticks(&chain, "nRP"), rcd = ticks(&chain, "nRCD");

    (void)state;
    for (uint64_t i = 0; i < CMD_WAITS_SAMPLE; i++) {       /* one of them is looked at, and counts for all */
        uint64_t const start = 10000 * (i + 1);

        issue(&chain, "PREpb", start, 0, 0, start);
        issue(&chain, "ACT", start + rp, 0, 0, start);
        issue(&chain, "RD", start + rp + rcd, 0, 0, start);
    }
    assert_waits(&chain, CMD_WAIT_BANKS, CMD_WAITS_SAMPLE * (rp + rcd));
    assert_waits(&chain, CMD_WAIT_ACTIVATIONS, 0);
    chain_end(chain);
}

/* "Long waits, which are rare, are all looked at" */
static void a_refresh_keeps_a_bank(void **state)
{
    struct chain const chain = ddr4();
    uint64_t const rfc = ticks(&chain, "nRFC"), rcd = ticks(&chain, "nRCD"), rp = ticks(&chain, "nRP");

    (void)state;
    issue(&chain, "PREab", 1000, -1, -1, UINT64_MAX);
    issue(&chain, "REFab", 1000 + rp, -1, -1, UINT64_MAX);
    issue(&chain, "ACT", 1000 + rp + rfc, 1, 2, 1000);
    issue(&chain, "RD", 1000 + rp + rfc + rcd, 1, 2, 1000);
    assert_waits(&chain, CMD_WAIT_REFRESH, rp + rfc);       /* what closes banks for it is its time, too */
    assert_waits(&chain, CMD_WAIT_BANKS, rcd);
    chain_end(chain);
}

static void four_activations_hold_back_the_fifth(void **state)
{
    struct chain const chain = ddr4();
    uint64_t const faw = ticks(&chain, "nFAW"), rrd = ticks(&chain, "nRRDS"), rcd = ticks(&chain, "nRCD");

    (void)state;
    for (uint64_t i = 0; i < CMD_WAITS_SAMPLE; i++) {
        uint64_t const start = 10000 * (i + 1);

        for (int k = 0; k < 4; k++)
            issue(&chain, "ACT", start + (uint64_t)k * rrd, k, 0, start);
        issue(&chain, "ACT", start + faw, 0, 1, start);
        issue(&chain, "RD", start + faw + rcd, 0, 1, start);
    }
    assert_waits(&chain, CMD_WAIT_ACTIVATIONS, CMD_WAITS_SAMPLE * faw);
    assert_waits(&chain, CMD_WAIT_BANKS, CMD_WAITS_SAMPLE * rcd);
    chain_end(chain);
}

/* Only what is more than the data of the access before is idle time. */
static void one_bank_group_is_slower(void **state)
{
    struct chain const chain = ddr4();
    uint64_t const ccd = ticks(&chain, "nCCDL"), data = ticks(&chain, "nBL");

    (void)state;
    for (uint64_t i = 0; i <= CMD_WAITS_SAMPLE; i++)
        issue(&chain, "RD", 10000 + i * ccd, 0, 0, 10000 + (i == 0 ? 0 : 1));
    assert_waits(&chain, CMD_WAIT_BANK_GROUP, CMD_WAITS_SAMPLE * (ccd - data));
    chain_end(chain);
}

static void a_read_after_a_write_turns_the_bus(void **state)
{
    struct chain const chain = ddr4();
    uint64_t const turn = ticks(&chain, "nCWL") + ticks(&chain, "nBL") + ticks(&chain, "nWTRS");
    uint64_t const idle = turn + ticks(&chain, "nCL") - ticks(&chain, "nCWL") - ticks(&chain, "nBL");

    (void)state;
    for (uint64_t i = 0; i < CMD_WAITS_SAMPLE; i++) {
        uint64_t const start = 10000 * (i + 1);

        issue(&chain, "WR", start, 0, 0, start);
        issue(&chain, "RD", start + turn, 1, 0, start);
    }
    assert_waits(&chain, CMD_WAIT_TURNS, CMD_WAITS_SAMPLE * idle);
    chain_end(chain);
}

static void a_defence_keeps_its_bank(void **state)
{
    struct chain const chain = chain_begin("DDR5_RFM", "DDR5_16Gb_x8", "DDR5_3200AN");
    /* timings are from end to end, and ACT takes two ticks of the command bus, RFM one */
    uint64_t const rfm = ticks(&chain, "nRFMpb") - 1, rcd = ticks(&chain, "nRCD");

    (void)state;
    for (uint64_t i = 0; i < CMD_WAITS_SAMPLE; i++) {
        uint64_t const start = 10000 * (i + 1);

        issue(&chain, "RFMpb", start, 0, 0, UINT64_MAX);
        issue(&chain, "ACT", start + rfm, 0, 0, start);
        issue(&chain, "RD", start + rfm + rcd, 0, 0, start);
    }
    assert_waits(&chain, CMD_WAIT_MITIGATION, CMD_WAITS_SAMPLE * rfm);
    assert_waits(&chain, CMD_WAIT_BANKS, CMD_WAITS_SAMPLE * rcd);
    assert_waits(&chain, CMD_WAIT_REFRESH, 0);
    chain_end(chain);
}

/* "Time in which a command was possible and not issued belongs to the command bus if other commands took it" */
static void others_take_the_command_bus(void **state)
{
    struct chain const chain = ddr4();
    uint64_t const rcd = ticks(&chain, "nRCD");

    (void)state;
    for (uint64_t i = 0; i < CMD_WAITS_SAMPLE; i++) {
        uint64_t const start = 10000 * (i + 1);

        issue(&chain, "ACT", start, 0, 0, start);
        for (uint64_t k = 0; k < 10; k++)                   /* precharges of closed banks */
            issue(&chain, "PREpb", start + rcd + k, 2, (int)(k % 4), start);
        issue(&chain, "RD", start + rcd + 10, 0, 0, start);
    }
    assert_waits(&chain, CMD_WAIT_COMMAND_BUS, CMD_WAITS_SAMPLE * 10);
    assert_waits(&chain, CMD_WAIT_BANKS, CMD_WAITS_SAMPLE * rcd);
    chain_end(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_conflict_waits_for_the_bank), cmocka_unit_test(a_refresh_keeps_a_bank),
        cmocka_unit_test(four_activations_hold_back_the_fifth), cmocka_unit_test(one_bank_group_is_slower),
        cmocka_unit_test(a_read_after_a_write_turns_the_bus), cmocka_unit_test(a_defence_keeps_its_bank),
        cmocka_unit_test(others_take_the_command_bus)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
