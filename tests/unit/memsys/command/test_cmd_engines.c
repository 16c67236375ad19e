/* memsys/command/fast/: the fast engine issues the commands of the plain one, tick for tick, in random memories,
 * exact and sane. */
#include "memsys/command/device/cmd_power_times.h"
#include "memsys/command/fast/cmd_fast.h"
#include "tests/support/command_bench.h"

static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (*state >> 16) % below;
}

struct outcome {
    uint64_t hash, commands, ticks, completions;
    const struct cmd_spec *spec;
    struct cmd_memory *memory;
};

static void note(struct outcome *outcome, uint64_t word)
{
    outcome->hash = (outcome->hash ^ word) * UINT64_C(0x100000001b3);
}

static void issued(void *owner, const struct cmd_issued *command)
{
    struct outcome *const outcome = owner;

    outcome->commands++;
    note(outcome, command->tick);
    note(outcome, command->channel << 8 | command->command);
    for (unsigned level = 1; level < outcome->spec->level_count; level++)
        note(outcome, (uint32_t)command->vector[level]);
}

static void completed(void *owner, uint64_t token, enum cmd_kind kind, uint64_t arrive, uint64_t depart)
{
    struct outcome *const outcome = owner;

    (void)kind;
    outcome->completions++;
    note(outcome, token);
    note(outcome, arrive);
    note(outcome, depart);
    note(outcome, cmd_memory_now(outcome->memory));
}

/* Streams, hot pages and random lines, with pauses. */
static struct fault traffic(struct outcome *outcome, const struct cmd_config *config, uint64_t seed)
{
    const struct cmd_spec *const spec = config->spec;
    uint64_t state = seed * 2 + 1, sent = 0, address = 0, pattern = draw(&state, 4), pages[12];
    uint64_t const page = spec->size[spec->column_level] / spec->standard->prefetch;
    uint64_t const span = (uint64_t)spec->bank_count * spec->size[spec->row_level] * config->channels / 2;
    uint64_t const writes = draw(&state, 3) * 30;
    struct fault fault = fault_none();

    for (size_t i = 0; i < COUNT(pages); i++)
        pages[i] = draw(&state, span);
    while (sent < 600) {
        struct cmd_access access = {draw(&state, 100) < writes ? CMD_WRITE : CMD_READ, 0, 0, sent, NULL};

        address = pattern == 0 ? address + 1 : pattern == 1 ? pages[draw(&state, COUNT(pages))] * page
            + draw(&state, page)
            : draw(&state, span) * page + draw(&state, page);
        access.address = address * spec->tx_bytes;
        while (cmd_memory_send(outcome->memory, &access, &fault) == CMD_REFUSED) {
            FORWARD(fault);
            FORWARD(cmd_memory_run(outcome->memory, cmd_memory_now(outcome->memory) + 5000));
        }
        sent++;
        if (draw(&state, 100) < 20) {
            uint64_t const until = cmd_memory_now(outcome->memory) + draw(&state, draw(&state, 20) == 0 ? 3000 : 12);

            while (cmd_memory_now(outcome->memory) < until)
                FORWARD(cmd_memory_run(outcome->memory, until));
        }
    }
    while (cmd_memory_in_flight(outcome->memory) > 0)
        FORWARD(cmd_memory_run(outcome->memory, UINT64_MAX));
    outcome->ticks = cmd_memory_now(outcome->memory);
    return fault_none();
}

/* Idle until the ticks that the fast engine leaves to the plain one are near, or those that it has no bits for. */
static void wait_long(struct outcome *outcome, uint64_t seed)
{
    uint64_t const until = (UINT64_C(1) << (seed % 2 ? 50 : 52)) - seed % 4000;

    while (cmd_memory_now(outcome->memory) < until)
        assert_fine(cmd_memory_run(outcome->memory, until));
}

static struct outcome run(const struct cmd_config *config, const struct cmd_engine *engine, uint64_t seed)
{
    struct outcome outcome = {.spec = config->spec};
    struct cmd_hooks const hooks = {.owner = &outcome, .completed = completed, .issued = issued};
    struct cmd_config of = *config;
    struct fault fault;

    of.engine = engine;
    assert_fine(cmd_memory_new(&outcome.memory, &of, &hooks, 1));
    if (config->refresh == CMD_REFRESH_NONE && seed % 3 == 0)
        wait_long(&outcome, seed);
    if (FAILS(fault, traffic(&outcome, &of, seed)))
        note(&outcome, fault.kind);
    cmd_memory_free(outcome.memory);
    return outcome;
}

/* Half of the devices that can have power-down have it. */
static void add_power(struct cmd_spec *spec, uint64_t seed)
{
    struct cmd_power_given const given = {20000, 15000, 300000, 20000, 400000};
    struct cmd_power_times times;
    struct fault fault;

    if (seed % 4 >= 2)
        return;
    assert_fine(cmd_power_times_of(spec, &given, true, &times));
    if (FAILS(fault, cmd_spec_add_power(spec, &times)))
        assert_text(fault_text(fault), "is not modelled");
}

static void configure(struct cmd_config *config, uint64_t *state)
{
    static const enum cmd_refresh_kind refreshes[] = {CMD_REFRESH_NONE, CMD_REFRESH_ALL_BANK, CMD_REFRESH_PER_BANK};
    static const uint32_t queues[] = {4, 16, 32, 200};
    const struct cmd_spec *const spec = config->spec;
    bool const has_per_bank = config->spec->standard->per_bank_refresh;

    config->channels = draw(state, 4) == 0 ? 2 : 1;
    config->read_queue = queues[draw(state, 4)];
    config->write_queue = queues[draw(state, 4)];
    config->scheduler = draw(state, 5) == 0 ? CMD_SCHEDULER_ROW_HIT : CMD_SCHEDULER_FRFCFS;
    config->mapping = (enum cmd_mapping_kind)draw(state, 3);
    config->row_policy = draw(state, 3) == 0 ? CMD_ROW_POLICY_CLOSED_AFTER : CMD_ROW_POLICY_OPEN;
    config->accesses = config->mends == CMD_EXACT ? 16 : 1 + (uint32_t)draw(state, 4);
    config->accepts_stalls = true;
    config->refresh = refreshes[draw(state, has_per_bank ? 3 : 2)];
    config->wck_always_on = draw(state, 2);
    config->rck = (enum cmd_rck_kind)draw(state, 3);
    config->refresh_rate = draw(state, 3) == 0 ? 4 : 1;
    config->power.down_idle = spec->power.first_command ? (int64_t)draw(state, 3) * 20 : 0;
    config->power.self_idle = spec->power.first_command && config->refresh != CMD_REFRESH_PER_BANK
        ? (int64_t)draw(state, 3) * 400 : 0;
    config->postponed = config->refresh == CMD_REFRESH_ALL_BANK && draw(state, 2) ? 1 + (uint32_t)draw(state, 4) : 0;
}

static void engines_agree(void **state)
{
    uint64_t const runs = getenv("COMMAND_RUNS") ? strtoull(getenv("COMMAND_RUNS"), NULL, 10) : 150;
    uint64_t const seed = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 10) : 1;

    for (uint64_t i = seed; i < seed + runs; i++) {
        uint64_t random = i * 7919 + 1;
        char name[32];
        size_t standards = 0;
        struct cmd_standard standard;
        struct cmd_spec spec;
        struct cmd_config config;
        struct outcome plain, fast;
        bool const is_sane = i % 2;

        while (command_standard_name(standards, name))
            standards++;
        command_standard_name((size_t)draw(&random, standards), name);
        assert_fine(command_standard_read(&standard, name));
        while (cmd_spec_make(&spec, &standard, standard.organizations[draw(&random, standard.organization_count)].name,
                             standard.timings[draw(&random, standard.preset_count)].name, NO_OVERRIDES, is_sane,
                                 is_sane).kind
               != FAULT_NONE)
            ;
        add_power(&spec, i);
        cmd_config_default(&config, &spec);
        config.mends = is_sane ? CMD_SANE : CMD_EXACT;
        configure(&config, &random);
        if (config.refresh == CMD_REFRESH_ALL_BANK && !is_sane && !standard.all_bank_refresh)
            config.refresh = CMD_REFRESH_NONE;
        config.postponed = config.refresh == CMD_REFRESH_ALL_BANK ? config.postponed : 0;
        plain = run(&config, NULL, i);
        fast = run(&config, &cmd_fast_engine, i);
        if (plain.hash != fast.hash || plain.commands != fast.commands || plain.ticks != fast.ticks)
            fail_msg("seed %llu: %s %s %s: %llu and %llu commands, %llu and %llu ticks", (unsigned long long)i, name,
                     spec.organization, spec.timing, (unsigned long long)plain.commands,
                         (unsigned long long)fast.commands,
                     (unsigned long long)plain.ticks, (unsigned long long)fast.ticks);
        assert_true(plain.completions == 600 || config.row_policy == CMD_ROW_POLICY_CLOSED_AFTER);
        cmd_spec_free(&spec);
        cmd_standard_free(&standard);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(engines_agree)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
