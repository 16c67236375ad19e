/* Every organization with every timing against arithmetic from its data sheet's figures, within 1 %: peak bandwidth,
 * idle latency, share of refresh, rate of activations. */
#include <math.h>

#include "memsys/command/channel/cmd_device.h"
#include "tests/support/command_bench.h"

enum { ISSUES = 4000 };

static double time_of(const struct cmd_spec *spec, const char *name, const char *otherwise)
{
    int64_t value;

    if (!cmd_spec_timing(spec, name, &value) && !(otherwise && cmd_spec_timing(spec, otherwise, &value)))
        return 0;
    return (double)value;
}

static void assert_near(const struct cmd_spec *spec, const char *what, double measured, double expected, double ticks)
{
    if (fabs(measured - expected) > 0.01 * expected && fabs(measured - expected) > ticks)
        fail_msg("%s %s: %s is %g, expected %g", spec->organization, spec->timing, what, measured, expected);
}

static uint32_t level_size(const struct cmd_spec *spec, const char *name)
{
    int const level = cmd_spec_level(spec, name);

    return level == CMD_NONE ? 1 : spec->size[level];
}

/* Ticks from one command to the next of a kind on one rank (pseudo-channel, stack), bank groups and banks in turn. */
static double interval(const struct cmd_spec *spec, unsigned command)
{
    int const group = cmd_spec_level(spec, "BankGroup"), bank = (int)spec->bank_level;
    struct cmd_device device;
    int32_t vector[CMD_LEVELS] = {0};
    int64_t tick = 0, first = 0;

    assert_fine(cmd_device_init(&device, spec, 0));
    for (uint32_t i = 0; i <= ISSUES; i++) {
        uint32_t const groups = level_size(spec, "BankGroup");
        int64_t ready;

        if (group != CMD_NONE)
            vector[group] = (int32_t)(i % groups);
        vector[bank] = (int32_t)(i / groups % spec->size[bank]);
        ready = cmd_device_ready(&device, command, vector);
        tick = ready > tick ? ready : tick + 1;
        cmd_device_issue(&device, command, vector, tick);
        first = i == 0 ? tick : first;
    }
    cmd_device_free(&device);
    return (double)(tick - first) / ISSUES;
}

/* rate * width / 8, unless columns may not follow each other as fast as their data */
static void peak(const struct cmd_spec *spec)
{
    double const burst = time_of(spec, "nBL", "nBL_min"), groups = level_size(spec, "BankGroup");
    double const columns = fmax(time_of(spec, "nCCDS", "nCCD"), time_of(spec, "nCCDL", NULL) / groups);
    double const ticks = fmax(fmax(burst, columns), spec->ticks[spec->read_command]);
    double const rate = time_of(spec, "rate", NULL), bytes_per_us = spec->tx_bytes / ticks / (double)spec->tck_ps * 1e6;

    assert_near(spec, "ticks of an access", interval(spec, spec->read_command), ticks, 0);
    if (burst >= columns && spec->standard->payload_bytes == 0)      /* others carry more than their payload */
        assert_near(spec, "MB/s at the peak", bytes_per_us, rate * (double)spec->channel_width / 8, 0);
}

/* four in tFAW; or one in tRRD_S, tRRD_L over the groups, tRC over the banks, if that is longer */
static void activations(const struct cmd_spec *spec)
{
    double const groups = level_size(spec, "BankGroup"), banks = groups * spec->size[spec->bank_level];
    double const rows = fmax(time_of(spec, "nRRDS", "nRRD"), time_of(spec, "nRRDL", NULL) / groups);
    double const cycle = time_of(spec, "nRC", NULL) / banks;

    assert_near(spec, "ticks of an activation", interval(spec, spec->activate),
                fmax(fmax(time_of(spec, "nFAW", NULL) / 4, spec->ticks[spec->activate]), fmax(rows, cycle)), 0);
}

/* tRCD + CL + BL/2, from the end of the activation; on half ticks commands wait for an edge */
static void idle_latency(struct command_bench *bench)
{
    const struct cmd_spec *const spec = &bench->spec;
    double const open = fmax(time_of(spec, "nRCD", "nRCDRD"), time_of(spec, "nRCDr", NULL));
    double const ends = (double)spec->ticks[spec->activate] - spec->ticks[spec->read_command];
    double const expected = open + ends + spec->read_latency;

    bench->config.wck_always_on = true;
    command_bench_start(bench);
    bench_send(bench, CMD_READ, 4096);
    assert_fine(bench_finish(bench, 100000));
    assert_near(spec, "ticks of a read", (double)(bench->done_at[0] - bench->commands[0].tick), expected,
                spec->standard->ticks_per_ck > 1 ? 1 : 0);
}

/* tRFC / tREFI of the time */
static void refresh_share(struct command_bench *bench)
{
    const struct cmd_spec *const spec = &bench->spec;
    double const busy = time_of(spec, "nRFC", "nRFCab"), every = time_of(spec, "nREFI", NULL);
    uint64_t const ticks = cmd_memory_now(bench->memory) + (uint64_t)(100 * every);
    uint32_t const nodes = level_size(spec, "Rank") * level_size(spec, "PseudoChannel");

    assert_fine(bench_run(bench, ticks));
    assert_near(spec, "share of refresh", (double)bench_count(bench, "REFab") / nodes * busy / (double)ticks,
                busy / every, 0);
    for (size_t i = 1; i < bench->command_count; i++)
        if (strcmp(bench->commands[i].name, "REFab") == 0 && strcmp(bench->commands[i - 1].name, "REFab") == 0
            && memcmp(bench->commands[i].vector, bench->commands[i - 1].vector, sizeof bench->commands[i].vector) == 0)
            assert_true(bench->commands[i].tick - bench->commands[i - 1].tick >= (uint64_t)busy);
}

static void check_pair(const char *name, const char *organization, const char *timing)
{
    struct command_bench *const bench = command_bench_open(name, organization, timing, NO_OVERRIDES, CMD_SANE);

    peak(&bench->spec);
    activations(&bench->spec);
    idle_latency(bench);
    refresh_share(bench);
    command_bench_close(bench);
}

static void every_preset_keeps_its_figures(void **state)
{
    struct cmd_standard standard;
    char name[32];
    unsigned pairs = 0;

    for (size_t i = 0; command_standard_name(i, name); i++) {
        assert_fine(command_standard_read(&standard, name));
        for (size_t o = 0; o < standard.organization_count; o++) {
            for (size_t t = 0; t < standard.preset_count; t++) {
                struct cmd_spec spec;

                if (cmd_spec_make(&spec, &standard, standard.organizations[o].name, standard.timings[t].name,
                                  NO_OVERRIDES,
                                  false, false).kind != FAULT_NONE)
                    continue;            /* refused: the standard says why */
                cmd_spec_free(&spec);
                check_pair(name, standard.organizations[o].name, standard.timings[t].name);
                pairs++;
            }
        }
        cmd_standard_free(&standard);
    }
    assert_true(pairs >= 1091);
}

/* JEDEC's distances of activations, in CK, beside the published model's: 8, and 32 of pages of 1 KB, 40 of 2 KB; from
 * 6400 MT/s on four in 10 and 12.5 ns. */
static void jedec_activates_as_often_as_jedec_says(void **state)
{
    struct cmd_standard jedec, published;
    unsigned pairs = 0;

    (void)state;
    assert_fine(command_standard_read(&jedec, "DDR5_JEDEC"));
    assert_fine(command_standard_read(&published, "DDR5"));
    for (size_t o = 0; o < jedec.organization_count; o++) {
        for (size_t t = 0; t < jedec.preset_count; t++) {
            struct cmd_spec spec;
            double window;

            assert_fine(cmd_spec_make(&spec, &jedec, jedec.organizations[o].name, jedec.timings[t].name, NO_OVERRIDES,
                                      true, true));
            window = spec.dq <= 8 ? fmax(32, 10e-3 * time_of(&spec, "rate", NULL) / 2)
                                  : fmax(40, 12.5e-3 * time_of(&spec, "rate", NULL) / 2);
            assert_near(&spec, "tRRD_S", time_of(&spec, "nRRDS", NULL), 8, 0);
            assert_near(&spec, "ticks of an activation", interval(&spec, spec.activate),
                        fmax(ceil(window) / 4, time_of(&spec, "nRC", NULL) / spec.bank_count), 0);
            cmd_spec_free(&spec);
            pairs++;
        }
    }
    assert_true(pairs >= 9 * 18);
    for (unsigned i = 0; i < 2; i++) {
        struct cmd_spec spec;

        assert_fine(cmd_spec_make(&spec, i ? &jedec : &published, "DDR5_16Gb_x8", "DDR5_6400AN", NO_OVERRIDES, true,
                                  true));
        assert_near(&spec, "ticks of an activation at 6400", interval(&spec, spec.activate), i ? 8 : 16, 0);
        cmd_spec_free(&spec);
    }
    cmd_standard_free(&jedec);
    cmd_standard_free(&published);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_preset_keeps_its_figures),
                                       cmocka_unit_test(jedec_activates_as_often_as_jedec_says)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
