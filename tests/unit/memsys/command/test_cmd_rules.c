/* The rules of DRAM commands (tests/support/command_rules.h) against the tables, and memories of every standard against
 * the rules; a memory whose timings are too short is found out. */
#include "memsys/command/channel/cmd_device.h"
#include "memsys/command/fast/cmd_fast.h"
#include "tests/support/command_bench.h"
#include "tests/support/command_rules.h"

enum { SEQUENCES = 400, LENGTH = 8, REQUESTS = 400 };

static uint64_t below(uint64_t *state, uint64_t limit)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (*state >> 16) % limit;
}

/* Random commands at random ticks: a command breaks a rule if and only if its ready time is later. */
static void a_sequence(const struct cmd_spec *spec, uint64_t seed)
{
    struct command_rules_options const options = {.distances_only = true};
    struct command_rules *const rules = command_rules_new(spec, &options);
    struct cmd_device device;
    uint64_t state = seed * 2 + 1, tick = 1;

    assert_fine(cmd_device_init(&device, spec, 0));
    for (unsigned i = 0; i < LENGTH; i++) {
        unsigned const command = (unsigned)below(&state, spec->command_count);
        int32_t vector[CMD_LEVELS] = {0};
        bool is_ready, is_right;

        for (unsigned level = 1; level < spec->level_count; level++)
            vector[level] = (int32_t)below(&state, spec->size[level] < 2 ? 1 : 2);
        for (unsigned level = spec->bank_level; spec->command[command].target_all && level > 1; level--)
            vector[level] = -1;
        is_ready = cmd_device_ready(&device, command, vector) <= (int64_t)tick;
        is_right = command_rules_take(rules, tick, command, vector);
        if (is_ready != is_right)
            fail_msg("%s, sequence %llu: %s at %llu is %s for the device; rules: %s", spec->standard->name,
                     (unsigned long long)seed, spec->command[command].name, (unsigned long long)tick,
                     is_ready ? "ready" : "early", rules->broken ? rules->first : "none is broken");
        cmd_device_issue(&device, command, vector, (int64_t)tick);
        tick += 1 + below(&state, below(&state, 4) == 0 ? 400 : 24);
    }
    cmd_device_free(&device);
    command_rules_free(rules);
}

/* header: "compares each new one with each of them" */
static void rules_are_those_of_the_tables(void **state)
{
    char name[32];

    for (size_t i = 0; command_standard_name(i, name); i++) {
        for (unsigned mends = 0; mends < 2; mends++) {
            struct cmd_pair const ranks = {"rank", 2};
            struct cmd_standard standard;
            struct cmd_spec spec;

            assert_fine(command_standard_read(&standard, name));
            assert_fine(cmd_spec_make(&spec, &standard, standard.organizations[0].name, standard.timings[0].name,
                                      (struct cmd_overrides){&ranks, strstr(name, "DDR") && name[0] != 'G'}, mends,
                                      mends));
            for (uint64_t seed = 1; seed <= SEQUENCES; seed++)
                a_sequence(&spec, seed);
            cmd_spec_free(&spec);
            cmd_standard_free(&standard);
        }
    }
}

/* Random requests to a memory; its commands to the rules of `spec`. */
static struct command_rules *drive(struct command_bench *bench, const struct cmd_spec *spec, uint64_t seed)
{
    struct command_rules_options const options = {
        .opens_twice = !cmd_mends(&bench->config, CMD_MEND_OPEN_TWICE),
        .refresh_ticks = bench->config.refresh == CMD_REFRESH_ALL_BANK ? cmd_spec_time(spec, "nREFI") : 0};
    struct command_rules *const rules = command_rules_new(spec, &options);
    uint64_t state = seed * 2 + 1;

    command_bench_start(bench);
    while (bench->request_count < REQUESTS) {
        uint64_t const rows = below(&state, 3) == 0 ? 1 << 10 : 16;
        uint64_t const address = below(&state, rows) * 8192 * 16 + below(&state, 64) * 1024 + below(&state, 8) * 64;

        if (bench_send(bench, below(&state, 3) == 0 ? CMD_WRITE : CMD_READ, address) == UINT64_MAX)
            assert_fine(bench_run(bench, cmd_memory_now(bench->memory) + 40));
        else if (below(&state, 30) == 0)
            assert_fine(bench_run(bench, cmd_memory_now(bench->memory) + below(&state, 4000)));
    }
    assert_fine(bench_finish(bench, 10000000));
    assert_true(bench->command_count <= BENCH_COMMANDS);
    for (size_t i = 0; i < bench->command_count; i++)
        command_rules_take(rules, bench->commands[i].tick,
                           (unsigned)cmd_spec_command(spec, bench->commands[i].name), bench->commands[i].vector);
    return rules;
}

static void memories_keep_the_rules(void **state)
{
    char name[32];

    for (size_t i = 0; command_standard_name(i, name); i++) {
        for (unsigned run = 0; run < 4; run++) {
            uint32_t const mends = run & 1 ? CMD_SANE : CMD_EXACT;
            struct cmd_standard standard;
            struct command_bench *bench;
            struct command_rules *rules;

            assert_fine(command_standard_read(&standard, name));
            bench = command_bench_open(name, standard.organizations[0].name, standard.timings[0].name, NO_OVERRIDES,
                                       mends);
            bench->config.engine = run & 2 ? &cmd_fast_engine : NULL;
            if (mends == CMD_EXACT && !standard.all_bank_refresh)
                bench->config.refresh = CMD_REFRESH_NONE;
            rules = drive(bench, &bench->spec, i + run);
            if (rules->broken > 0)
                fail_msg("%s, %s: %s", name, mends ? "sane" : "exact", rules->first);
            command_rules_free(rules);
            command_bench_close(bench);
            cmd_standard_free(&standard);
        }
    }
}

/* Memories with a timing that is too short break the rule of this timing, of the right device. */
static void short_timings_are_found_out(void **state)
{
    static const struct {
        const char *standard, *organization, *timing, *name, *rule;
        int64_t value;
    } cases[] = {
        {"DDR4", "DDR4_8Gb_x8", "DDR4_2400R", "nRCD", "Bank: ACT to RD needs 16", 15},
        {"DDR4", "DDR4_8Gb_x8", "DDR4_2400R", "nRP", "PREpb to ACT needs 16", 15},
        {"DDR4", "DDR4_8Gb_x8", "DDR4_2400R", "nFAW", "Rank: ACT to ACT by its window needs 26", 20},
        {"DDR5", "DDR5_16Gb_x8", "DDR5_4800AN", "nCCDL", "BankGroup: RD to RD needs 12", 11},
        {"DDR5", "DDR5_16Gb_x8", "DDR5_4800AN", "nWTRS", "WR to RD needs", 5},
        {"HBM3", "HBM3_16Gb_8hi", "HBM3_6400Mbps", "nRAS", "ACT to PREpb needs", 20},
        {"GDDR6", "GDDR6_8Gb_x16", "GDDR6_14000_1350mV_double", "nRP", "", 10},
        {"LPDDR5", "LPDDR5_8Gb_x16", "LPDDR5_6400", "nRCD", "Bank: ACT", 14}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cmd_pair const pair = {cases[i].name, cases[i].value};
        struct cmd_standard standard;
        struct cmd_spec right;
        struct command_bench *bench;
        struct command_rules *rules;
        struct fault fault;

        assert_fine(command_standard_read(&standard, cases[i].standard));
        if (FAILS(fault, cmd_spec_make(&right, &standard, cases[i].organization, cases[i].timing, NO_OVERRIDES, true,
                                       true)))
            fail_msg("%s", fault_text(fault));
        bench = command_bench_open(cases[i].standard, cases[i].organization, cases[i].timing,
                                   (struct cmd_overrides){&pair, 1}, CMD_SANE);
        rules = drive(bench, &right, i);
        if (rules->broken == 0 || !strstr(rules->first, cases[i].rule))
            fail_msg("%s with %s of %lld: %s; expected %s", cases[i].standard, cases[i].name,
                     (long long)cases[i].value, rules->broken ? rules->first : "no rule is broken", cases[i].rule);
        command_rules_free(rules);
        command_bench_close(bench);
        cmd_spec_free(&right);
        cmd_standard_free(&standard);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_those_of_the_tables), cmocka_unit_test(memories_keep_the_rules),
        cmocka_unit_test(short_timings_are_found_out)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
