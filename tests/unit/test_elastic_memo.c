/* What the memo of the data side skips (replay/elastic_memo.h) against the same run with a log, in which nothing is:
 * figures, events, and the time at which it ends. And names of shapes (shape_names.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/shape_names.h"
#include "replay/system.h"

/* ---- runs */

struct outcome {
    struct elastic_cpu_stats stats;
    struct cache_command_stats reads, writes, fetches;
    uint64_t skipped, events, end_ps;
};

static void forget_line(void *context, uint64_t tick_ps, const char *component, const char *what, const char *command,
                        uint64_t address, const char *details)
{
    (void)context, (void)tick_ps, (void)component, (void)what, (void)command, (void)address, (void)details;
}

struct setting {
    const char *trace, *text;
    bool is_logged;
    uint64_t piece_events;           /* so many at a time */
    uint64_t reset_at_records;       /* statistics count from there on; 0: from the start */
};

static void run(const struct setting *setting, struct outcome *outcome)
{
    struct system_traces traces = {.tick_scale = 1};
    struct proto_error error = {0};
    struct system_config config;
    struct store_records *records;
    struct store_fetches *fetches;
    struct system *system;
    struct store *store;
    struct fault fault;
    struct elastic_cpu *cpu;

    config_defaults(&config);
    assert_string_equal(config_load_text(&config, "test", setting->text, strlen(setting->text)).text, "");
    assert_string_equal(config_finish(&config).text, "");
    store = store_open(setting->trace, &error);
    assert_non_null(store);
    records = store_records_open(store, 0, &error);
    fetches = store_fetches_open(store, 0, &error);
    assert_true(records && fetches);
    traces.records = record_source_of_store(records, store, "records");
    traces.fetches = fetch_source_of_store(fetches, "fetches");
    system = system_create(&config, &traces, NULL, &fault);
    assert_non_null(system);
    if (setting->is_logged)
        system->sim.log = (struct log_sink){forget_line, NULL};
    if (setting->reset_at_records > 0) {
        assert_int_equal(system_add_stats(system).kind, FAULT_NONE);
        while (!system->records_reached)
            assert_int_equal(system_run(system, TICK_NEVER - 1, setting->piece_events, setting->reset_at_records),
                             SYSTEM_RUNNING);
        system_reset_stats(system);
    }
    while (system_run(system, TICK_NEVER - 1, setting->piece_events, 0) != SYSTEM_FINISHED)
        ;
    cpu = &system->cores[0].cpu;
    elastic_cpu_sync(cpu);
    assert_true(cpu->dcache.plain_cache && cpu->icache.plain_cache);
    *outcome = (struct outcome){.stats = cpu->stats, .reads = *cpu->dcache.plain_cache->plain_counts[false],
                                .writes = *cpu->dcache.plain_cache->plain_counts[true],
                                .fetches = *cpu->icache.plain_cache->plain_counts[false],
                                .end_ps = sim_now_ps(&system->sim), .skipped = cpu->memo.skipped_records,
                                .events = event_queue_executed(&system->sim.events)};
    system_destroy(system);
    store_fetches_close(fetches);
    store_records_close(records);
    store_close(store);
}

static uint64_t expect_same(const char *trace, const char *text, uint64_t piece_events, uint64_t reset_at_records)
{
    static struct outcome skipping, logged;

    run(&(struct setting){trace, text, false, piece_events, reset_at_records}, &skipping);
    run(&(struct setting){trace, text, true, UINT64_MAX, reset_at_records}, &logged);
    assert_int_equal(logged.skipped, 0);
    assert_int_equal(skipping.end_ps, logged.end_ps);
    assert_int_equal(skipping.events, logged.events);
    assert_memory_equal(&skipping.reads, &logged.reads, sizeof logged.reads);
    assert_memory_equal(&skipping.writes, &logged.writes, sizeof logged.writes);
    assert_memory_equal(&skipping.fetches, &logged.fetches, sizeof logged.fetches);
    assert_memory_equal(&skipping.stats, &logged.stats, sizeof logged.stats);
    return skipping.skipped;
}

#define TRACES "tests/traces/training/"
#define WIDE "cpu: {rob: 192, load_buffer: 32, store_buffer: 32}\n"

static void skipping_changes_nothing(void **state)
{
    (void)state;
    assert_in_range(expect_same(TRACES "nbody.pack", WIDE, UINT64_MAX, 0), 20000, 40000);
    expect_same(TRACES "matmul.pack", WIDE, UINT64_MAX, 0);
    expect_same(TRACES "hashjoin.pack", WIDE, UINT64_MAX, 0);
}

/* Most of these skip as well; none may differ. */
static void skipping_changes_nothing_of_any_core(void **state)
{
    static const unsigned robs[] = {16, 40, 64, 128, 192}, entries[] = {2, 8, 32};
    uint64_t skipped = 0;

    (void)state;
    for (unsigned rob = 0; rob < sizeof robs / sizeof *robs; rob++)
        for (unsigned i = 0; i < sizeof entries / sizeof *entries; i++) {
            char text[160];

            snprintf(text, sizeof text, "cpu: {rob: %u, load_buffer: %u, store_buffer: %u}\n"
                     "l1d: {data_latency: %u}\n", robs[rob], entries[i], entries[2 - i], 1 + i);
            skipped += expect_same(TRACES "nbody.pack", text, UINT64_MAX, 0);
            skipped += expect_same(TRACES "matmul.pack", text, UINT64_MAX, 0);
        }
    assert_in_range(skipped, 100000, UINT64_MAX);
}

/* A run that is stopped and goes on all the time. */
static void skipping_does_not_pass_a_pause(void **state)
{
    (void)state;
    expect_same(TRACES "nbody.pack", WIDE, 100, 0);
}

/* What was kept before counts no longer: maxima begin anew. */
static void a_reset_forgets(void **state)
{
    (void)state;
    assert_in_range(expect_same(TRACES "nbody.pack", WIDE, UINT64_MAX, 20000), 10000, 40000);
    expect_same(TRACES "matmul.pack", WIDE, UINT64_MAX, 17000);
}

/* ---- names */

#define RECORDS 100u

static uint8_t numbers[2 * RECORDS];
static struct store_shape shapes[4];
static uint32_t distances[] = {20, 7, 30};

static bool give_forms(void *self, struct store_forms *forms)
{
    (void)self;
    *forms = (struct store_forms){.numbers = numbers, .shapes = shapes, .records = RECORDS, .shape_count = 4};
    return true;
}

/* Of the first shape an order dependence 20 back, and one 7 back; of the others one 30 back. */
static enum source_result give_lists(void *self, const struct store_shape *shape, struct store_lists *lists,
                                     struct fault *fault)
{
    (void)self, (void)fault;
    *lists = shape == &shapes[0]
        ? (struct store_lists){.rob_dep_count = 1, .reg_dep_count = 1, .record_distance = distances}
        : (struct store_lists){.reg_dep_count = 1, .record_distance = distances + 2};
    return SOURCE_RECORD;
}

static struct record_source const source = {.lists = give_lists, .forms = give_forms};

static struct shape_names *names_of_block(void)
{
    static struct shape_names names;

    memset(shapes, 0, sizeof shapes);
    for (uint32_t i = 0; i < RECORDS; i++)
        numbers[2 * i] = (uint8_t)(i % 4);
    for (unsigned i = 0; i < 4; i++)
        shapes[i] = (struct store_shape){.comp_delay = 500 * (1 + i / 2), .reach = 30, .link_count = 1, .pc = i};
    shape_names_clear(&names);
    assert_true(shape_names_begin_block(&names, &source));
    return &names;
}

static void shapes_that_take_the_same_time_share_a_name(void **state)
{
    struct shape_names *const names = names_of_block();
    uint16_t first;

    (void)state;
    shape_names_prepare(names, 0, RECORDS);
    assert_int_equal(names->names[0], names->names[1]);
    assert_int_equal(names->names[2], names->names[3]);
    assert_int_not_equal(names->names[0], names->names[2]);
    assert_int_equal(names->names[96], names->names[0]);
    assert_int_equal(names->reaches[0], 20);
    assert_int_equal(names->reaches[1], 30);
    assert_int_equal(names->parents[0], 1);
    assert_int_equal(shape_names_farthest(names, 0, 1), 20);
    assert_int_equal(shape_names_farthest(names, 0, 4), 30);
    /* In a block in which they have other numbers. */
    first = names->names[0];
    shapes[3] = shapes[0];
    assert_true(shape_names_begin_block(names, &source));
    shape_names_prepare(names, 50, 60);
    assert_int_equal(names->names[51], first);
    shape_names_prepare(names, 3, 10);
    assert_int_equal(names->names[3], first);
}

static void links_tell_shapes_apart(void **state)
{
    static const uint8_t one[] = {4, 0, 8, 0}, other[] = {4, 0, 10, 0};
    struct shape_names *const names = names_of_block();

    (void)state;
    shapes[1].links = (struct store_links){.count = 1, .near = {4}};
    shapes[2].comp_delay = shapes[3].comp_delay = 500;
    for (unsigned i = 2; i < 4; i++) {
        const uint8_t *const list = i == 2 ? one : other;

        shapes[i].links.count = STORE_LISTS_LINKS;
        shapes[i].links.near[STORE_LIST_COUNT_AT] = 2;
        memcpy(&shapes[i].links.near[STORE_LIST_AT], &list, sizeof list);
    }
    shape_names_prepare(names, 0, 4);
    assert_int_not_equal(names->names[0], names->names[1]);
    assert_int_not_equal(names->names[1], names->names[2]);
    assert_int_not_equal(names->names[2], names->names[3]);
    assert_int_equal(names->most_children, 2);
    assert_int_equal(names->farthest_early, 0);
    shapes[0].links = (struct store_links){.count = 2, .near = {5, 9 << 1}};
    assert_true(shape_names_begin_block(names, &source));
    assert_int_equal(shape_names_of(names, 0)->early, 2);
    assert_int_equal(shape_names_of(names, 0)->children, 2);
}

static void edges_that_are_no_links_have_no_name(void **state)
{
    struct shape_names *const names = names_of_block();

    (void)state;
    shapes[0].reach = STORE_LINK_REACH + 1;
    distances[2] = 0;
    shape_names_prepare(names, 0, 2);
    distances[2] = 30;
    assert_int_equal(names->names[0], SHAPE_NAMELESS);
    assert_int_equal(names->names[1], SHAPE_NAMELESS);
    numbers[4] = 200;                /* there is no such shape */
    shape_names_prepare(names, 2, 3);
    assert_int_equal(names->names[2], SHAPE_NAMELESS);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(skipping_changes_nothing), cmocka_unit_test(skipping_changes_nothing_of_any_core),
        cmocka_unit_test(skipping_does_not_pass_a_pause), cmocka_unit_test(a_reset_forgets),
        cmocka_unit_test(shapes_that_take_the_same_time_share_a_name), cmocka_unit_test(links_tell_shapes_apart),
        cmocka_unit_test(edges_that_are_no_links_have_no_name)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
