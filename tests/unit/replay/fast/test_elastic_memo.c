/* What the memo of the data side skips (replay/fast/memo.h) against the same run with a log, in which nothing is:
 * figures, events, and the time at which it ends. And names of shapes (replay/fast/shape_names.h). */
#include "memsys/fast/ports.h"
#include "proto/elastic/dep_trace.h"
#include "proto/elastic/packet_trace.h"
#include "proto/store/store_pack.h"
#include "replay/config/config.h"
#include "replay/config/system_config.h"
#include "replay/fast/memo.h"
#include "replay/fast/shape_names.h"
#include "replay/session/session_engine.h"
#include "replay/system/system.h"
#include "tests/support/random_numbers.h"
#include "tests/support/store_folder.h"
#include "tests/support/unit.h"

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
    uint64_t piece_events;           /* events executed at a time */
    uint64_t reset_at_records;       /* statistics count from there on; 0: from the start */
};

#define LATEST_PS UINT64_C(100000000000)

static void run(const struct setting *setting, struct outcome *outcome)
{
    struct system_engine const engine = engine_of(engine_fast(), setting->is_logged, false);
    struct system_traces traces = {.tick_scale = 1};
    struct fault error = {0};
    struct system_config config;
    struct store_records *records;
    struct store_fetches *fetches;
    struct system *system;
    struct store *store;
    struct fault fault;
    struct elastic_cpu *cpu;

    config_defaults(&config);
    assert_string_equal(fault_text(config_load_text(&config, "test", setting->text, strlen(setting->text))), "");
    assert_string_equal(fault_text(config_finish(&config)), "");
    store = store_open(setting->trace, &error);
    assert_non_null(store);
    records = store_records_open(store, 0, &error);
    fetches = store_fetches_open(store, 0, &error);
    assert_true(records && fetches);
    traces.records = record_source_of_store(records, store, "records");
    traces.fetches = fetch_source_of_store(fetches, "fetches");
    system = system_create(&config, &traces, NULL, &engine, &fault);
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
    for (unsigned pieces = 0; system_run(system, LATEST_PS, setting->piece_events, 0) != SYSTEM_FINISHED; pieces++)
        assert_in_range(pieces, 0, 100000);          /* else it waits for what never comes */
    cpu = &system->cores[0].cpu;
    elastic_cpu_sync(cpu);
    assert_true(below_fast_cache(&cpu->dcache) && below_fast_cache(&cpu->icache));
    *outcome = (struct outcome){.stats = cpu->stats, .reads = *below_fast_cache(&cpu->dcache)->hooks.counts[false],
                                .writes = *below_fast_cache(&cpu->dcache)->hooks.counts[true],
                                .fetches = *below_fast_cache(&cpu->icache)->hooks.counts[false],
                                .end_ps = sim_now_ps(&system->sim), .skipped = elastic_memo_skipped(cpu),
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

static void skipping_is_exact(void **state)
{
    assert_in_range(expect_same(TRACES "nbody.pack", WIDE, UINT64_MAX, 0), 20000, 40000);
    expect_same(TRACES "matmul.pack", WIDE, UINT64_MAX, 0);
    expect_same(TRACES "hashjoin.pack", WIDE, UINT64_MAX, 0);
}

/* Most of these skip as well; none may differ. */
static void skipping_is_exact_for_random_cores(void **state)
{
    static const unsigned robs[] = {16, 40, 64, 128, 192}, entries[] = {2, 8, 32};
    uint64_t skipped = 0;

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

/* A run that is stopped and resumed all the time. */
static void skipping_does_not_pass_a_pause(void **state)
{
    expect_same(TRACES "nbody.pack", WIDE, 100, 0);
    assert_in_range(expect_same(TRACES "nbody.pack", WIDE, 5000, 0), 2000, 40000);
}

/* Earlier entries do not count: maxima restart. */
static void a_reset_forgets(void **state)
{
    assert_in_range(expect_same(TRACES "nbody.pack", WIDE, UINT64_MAX, 20000), 10000, 40000);
    expect_same(TRACES "matmul.pack", WIDE, UINT64_MAX, 17000);
}

/* ---- loops that are not quite regular */

enum { LOOPS = 3, LONGEST_LOOP = 150, SLOT_PARENTS = 3 };

/* A record of a loop's body: the same one in each iteration, but now and then. */
struct slot {
    enum dep_type type;
    uint64_t delay, address;
    uint32_t orders, count, distances[SLOT_PARENTS];
};

struct loop {
    uint32_t length;
    struct slot slots[LONGEST_LOOP];
};

static void make_loop(struct loop *loop)
{
    loop->length = 20 + (uint32_t)random_below(LONGEST_LOOP - 20);
    for (uint32_t i = 0; i < loop->length; i++) {
        struct slot *const slot = &loop->slots[i];
        uint64_t const kind = random_below(10);

        slot->type = kind < 3 ? DEP_LOAD : kind < 4 ? DEP_STORE : DEP_COMP;
        slot->delay = 500 * random_below(kind < 8 ? 2 : 6);
        slot->address = 4096 * random_below(3) + 8 * random_below(64);
        slot->count = 1 + (uint32_t)random_below(SLOT_PARENTS);
        slot->orders = random_below(4) == 0;
        for (uint32_t k = 0; k < slot->count; k++)
            slot->distances[k] = random_below(12) == 0 ? 1 + (uint32_t)random_below(300)
                               : random_below(5) == 0 ? loop->length : 1 + (uint32_t)random_below(12);
    }
}

/* Something is different in this iteration. */
static void vary(struct slot *slot)
{
    switch (random_below(6)) {
    case 0: slot->delay += 500; break;
    case 1: slot->address += 4096; break;
    case 2: slot->distances[0] = 1 + (uint32_t)random_below(500); break;
    default: slot->count--; break;
    }
    slot->orders = slot->orders < slot->count ? slot->orders : slot->count;
}

static void write_record(struct store_writer *writer, uint64_t number, uint64_t pc, const struct slot *slot)
{
    uint64_t deps[SLOT_PARENTS];
    struct dep_record record = {
        .seq_num = 1 + number, .pc = pc, .present = DEP_HAS_PC | DEP_HAS_WEIGHT, .weight = pc % 7 == 0,
        .type = slot->type, .comp_delay = slot->delay, .rob_dep_count = slot->orders,
        .reg_dep_count = slot->count - slot->orders, .rob_dep = deps, .reg_dep = deps + slot->orders};
    struct fault error;

    for (uint32_t k = 0; k < slot->count; k++)
        deps[k] = 1 + (number > slot->distances[k] ? number - slot->distances[k] : 0);
    if (number == 0)
        record.rob_dep_count = record.reg_dep_count = 0;
    if (slot->type != DEP_COMP) {
        record.present |= DEP_HAS_P_ADDR | DEP_HAS_SIZE | DEP_HAS_FLAGS;
        record.p_addr = slot->address;
        record.size_bytes = 8;
    }
    assert_true(WORKS(error, store_writer_record(writer, &record)));
}

/* Loops follow each other; in one of `one_in` iterations one record is different. */
static void write_loops(uint64_t count, uint32_t window, uint64_t one_in)
{
    static struct loop loops[LOOPS];
    static char name[] = "a trace";
    struct store_about const about = {.dep = {.tick_freq = 1000000000000, .window_size = window},
                                      .fetch = {.tick_freq = 1000000000000},
                                      .source = {{.path = name}, {.path = name}}};
    struct fault error;
    struct store_writer *const writer = store_writer_open(store_path, &error);

    assert_non_null(writer);
    for (unsigned i = 0; i < LOOPS; i++)
        make_loop(&loops[i]);
    for (uint64_t number = 0; number < count;) {
        unsigned const which = (unsigned)random_below(LOOPS);
        struct loop const *const loop = &loops[which];

        for (uint64_t iterations = 1 + random_below(200); iterations > 0; iterations--) {
            uint64_t const odd = random_below(one_in) == 0 ? random_below(loop->length) : UINT64_MAX;

            for (uint32_t i = 0; i < loop->length; i++) {
                struct slot slot = loop->slots[i];

                if (i == odd)
                    vary(&slot);
                write_record(writer, number++, 4096 * which + 4 * i, &slot);
            }
        }
    }
    for (uint64_t i = 0; i < 400; i++)
        assert_true(WORKS(error, store_writer_fetch(writer, &(struct packet_record){.tick = 50000 * i,
                                                                                    .addr = 64 * (i % 5),
                                                                                    .cmd = 1,
                                                                                    .size_bytes = 64})));
    assert_true(WORKS(error, store_writer_close(writer, &about)));
}

/* What differs may lie far ahead, or wait for something else, and be let go too early. */
static void skipping_is_exact_for_loops(void **state)
{
    uint64_t skipped = 0;

    for (unsigned seed = 1; seed <= 300; seed++) {
        char text[200];

        random_state = seed;
        write_loops(60000, 700 + (uint32_t)random_below(700), 1 + random_below(60));
        snprintf(text, sizeof text, "cpu: {rob: %u, load_buffer: %u, store_buffer: %u}\nl1d: {data_latency: %u}\n",
                 16u << random_below(5), 2u << random_below(5), 2u << random_below(5), 1 + (unsigned)random_below(3));
        skipped += expect_same(store_path, text, UINT64_MAX, 0);
    }
    assert_in_range(skipped, 100000, UINT64_MAX);
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
        cmocka_unit_test(skipping_is_exact), cmocka_unit_test(skipping_is_exact_for_random_cores),
        cmocka_unit_test(skipping_does_not_pass_a_pause), cmocka_unit_test(a_reset_forgets),
        cmocka_unit_test(skipping_is_exact_for_loops),
        cmocka_unit_test(shapes_that_take_the_same_time_share_a_name), cmocka_unit_test(links_tell_shapes_apart),
        cmocka_unit_test(edges_that_are_no_links_have_no_name)};

    return cmocka_run_group_tests(tests, set_up_store_folder, tear_down_store_folder);
}
