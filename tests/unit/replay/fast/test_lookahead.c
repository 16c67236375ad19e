/* Separate cores with lookahead and as domains (replay/fast/lookahead.h, replay/fast/lookahead.h) against the same
 * system
 * whose events execute in the order of one queue: all statistics, events, and the time at which the run ends. Which
 * systems may, and what becomes of those that cannot. */
#include "replay/config/config.h"
#include "replay/config/system_config.h"
#include "replay/record/stats_json.h"
#include "replay/session/session_engine.h"
#include "replay/source/trace_pair.h"
#include "replay/system/system.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

#define TRACES "tests/traces/training/"

enum { MOST_CORES = 4 };

struct outcome {
    enum system_state state;
    bool is_out_of_order, has_domains;
    uint64_t events, end_ps;
    char *figures;
};

static const char *const trace_names[MOST_CORES] = {"trace0", "trace1", "trace2", "trace3"};

static void run(const struct system_config *config, const char *const *paths, bool is_ahead, uint64_t piece_events,
                struct outcome *outcome)
{
    struct trace_pair pairs[MOST_CORES] = {0};
    struct trace_input inputs[MOST_CORES] = {0};
    struct system_traces traces[MOST_CORES] = {0};
    struct engine_options options = engine_fast();
    struct system_engine engine;
    struct fault error;
    struct fault fault;
    struct system *system;
    size_t length;
    FILE *file;

    for (unsigned i = 0; i < config->core_count; i++) {
        assert_true(WORKS(error, trace_pair_find(&pairs[i], paths[i])));
        assert_true(WORKS(error, trace_input_open(&inputs[i], &pairs[i], &traces[i].records, &traces[i].fetches)));
        traces[i].tick_scale = 1;
        traces[i].records.name = trace_names[i];     /* else cores that replay one trace would not look ahead */
    }
    options.lookahead = options.domains = is_ahead;
    engine = engine_of(options, false, false);
    system = system_create(config, traces, NULL, &engine, &fault);
    if (!system)
        fail_msg("%s", fault_text(fault));
    assert_int_equal(system_add_stats(system).kind, FAULT_NONE);
    do
        outcome->state = system_run(system, TICK_NEVER - 1, piece_events, 0);
    while (outcome->state == SYSTEM_RUNNING);
    outcome->is_out_of_order = system_is_out_of_order(system);
    outcome->has_domains = options.domains && !system->engine.unused.domains;
    outcome->events = system_events_executed(system);
    outcome->end_ps = system_now_ps(system);
    file = open_memstream(&outcome->figures, &length);
    assert_non_null(file);
    stats_json_write(file, &system->stats, outcome->end_ps);
    assert_int_equal(fclose(file), 0);
    system_destroy(system);
    for (unsigned i = 0; i < config->core_count; i++) {
        trace_input_close(&inputs[i]);
        trace_pair_close(&pairs[i]);
    }
}

static void load(struct system_config *config, const char *text)
{
    config_defaults(config);
    assert_string_equal(fault_text(config_load_text(config, "test", text, strlen(text))), "");
    assert_string_equal(fault_text(config_finish(config)), "");
}

static void expect_same(const char *text, const char *const *paths, uint64_t piece_events)
{
    static struct system_config config;
    struct outcome ahead, in_order;

    load(&config, text);
    run(&config, paths, true, piece_events, &ahead);
    run(&config, paths, false, UINT64_MAX, &in_order);
    assert_true(ahead.is_out_of_order && !in_order.is_out_of_order);
    if (in_order.state != SYSTEM_FINISHED || ahead.state != SYSTEM_FINISHED || ahead.end_ps != in_order.end_ps
        || ahead.events != in_order.events || strcmp(ahead.figures, in_order.figures) != 0)
        fail_msg("ahead %d, %llu events to %llu; in_order %d, %llu events to %llu; figures %s; of\n%s", ahead.state,
                 (unsigned long long)ahead.events, (unsigned long long)ahead.end_ps, in_order.state,
                 (unsigned long long)in_order.events, (unsigned long long)in_order.end_ps,
                 strcmp(ahead.figures, in_order.figures) == 0 ? "equal" : "differ", text);
    free(ahead.figures);
    free(in_order.figures);
}

static const char *const programs[] = {TRACES "hashjoin.pack", TRACES "matmul.pack", TRACES "memops.pack",
                                       TRACES "nbody.pack", TRACES "spmv.pack"};
enum { PROGRAMS = sizeof programs / sizeof *programs };

#define CORES(count) "cores: " #count "\ncpu: {rob: 192, load_buffer: 32, store_buffer: 32, offset_step: 512MiB}\n"
#define L2 "l2: {private: yes, size: 64KiB}\n"
#define MEMORY "memory: {device: DDR4_2400_8x8, size: 2GiB, channels: 4}\n"

static void four_cores_are_exact(void **state)
{
    expect_same(CORES(4) L2 MEMORY, programs, 5000);
    expect_same(CORES(3) MEMORY, programs + 2, UINT64_MAX);
    expect_same(CORES(2) L2 "memory: {type: simple, size: 1GiB}\n", programs + 1, UINT64_MAX);
}

#define RANGE(device, base) "  - {device: " device ", base: " #base "MiB, size: 512MiB}\n"
#define RANGES(device) "memories:\n" RANGE(device, 0) RANGE(device, 512) RANGE(device, 1024) RANGE(device, 1536)

static void memory_domains_are_exact(void **state)
{
    const char *const same[] = {programs[0], programs[0], programs[0], programs[0]};

    expect_same(CORES(4) L2 RANGES("DDR4_2400_8x8"), programs, 5000);
    expect_same(CORES(4) L2 RANGES("DDR4_2400_8x8"), same, UINT64_MAX);
    expect_same(CORES(3) RANGES("HBM_1000_4H_1x64"), programs + 2, 777);
    expect_same(CORES(2) L2 RANGES("DDR3_1600_8x8"), programs + 1, UINT64_MAX);
    expect_same(CORES(2) L2 "memories:\n  - {type: simple, size: 256MiB}\n"
                "  - {base: 256MiB, size: 256MiB, channels: 2}\n" RANGE("DDR4_2400_8x8", 512), programs, UINT64_MAX);
}

/* Cores of one trace do the same in the same ticks, so who comes first is a long story. */
static void cores_in_lockstep_are_exact(void **state)
{
    const char *const paths[] = {programs[0], programs[0], programs[4], programs[0]};

    expect_same(CORES(4) L2 MEMORY, paths, UINT64_MAX);
}

static const char *choose(const char *const *texts, unsigned count)
{
    return texts[random_below(count)];
}
#define CHOOSE(...)                                                                                                    \
    choose((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static int write_cache(char *text, size_t size, const char *name, const char *bytes,
                       bool is_l2)
{
    return snprintf(text, size, "%s: {size: %s, assoc: %s, tag_latency: %s, data_latency: %s, response_latency: %s, "
                    "mshrs: %s, targets_per_mshr: %s, write_buffers: %s, replacement: %s%s}\n", name, bytes,
                    CHOOSE("2", "4"), CHOOSE("1", "4", "20"), CHOOSE("1", "4", "20"),
                    CHOOSE("1", "2", "20"), CHOOSE("1", "2", "4", "20"), CHOOSE("1", "2", "20"),
                    CHOOSE("1", "2", "8"), CHOOSE("lru", "lru", "lru", "fifo", "tree_plru"),
                    is_l2 ? ", private: yes" : "");
}

static int write_memory(char *text, size_t size)
{
    if (random_below(5) == 0)
        return snprintf(text, size, "type: simple, latency: %s, bandwidth: %s", CHOOSE("1ns", "30ns"),
                        CHOOSE("1GB/s", "12.8GB/s"));
    return snprintf(text, size, "device: %s, controller: {static_frontend_latency: %s, static_backend_latency: %s}",
                    CHOOSE("DDR3_1600_8x8", "DDR4_2400_8x8", "LPDDR3_1600_1x32", "HBM_1000_4H_1x64"),
                    CHOOSE("0ns", "10ns"), CHOOSE("0ns", "1ns", "10ns"));
}

static void write_system(char *text, size_t size)
{
    unsigned const cores = 2 + (unsigned)random_below(3);
    size_t used = (size_t)snprintf(text, size, "cores: %u\ncpu_clock: %s\nsystem_clock: %s\n"
                                   "cpu: {rob: %s, load_buffer: %s, store_buffer: %s, offset_step: 512MiB}\n"
                                   "memory_bus: {width: %s, frontend_latency: %s, response_latency: %s}\n", cores,
                                   CHOOSE("2GHz", "1GHz", "1.7GHz"), CHOOSE("1GHz", "1.3GHz", "333MHz"),
                                   CHOOSE("16", "40", "192"), CHOOSE("1", "4", "32"),
                                   CHOOSE("1", "4", "32"), CHOOSE("8B", "16B"),
                                   CHOOSE("0", "3"), CHOOSE("1", "2", "6"));

    used += (size_t)write_cache(text + used, size - used, "l1i", CHOOSE("1KiB", "32KiB"), false);
    used += (size_t)write_cache(text + used, size - used, "l1d", CHOOSE("1KiB", "4KiB", "32KiB"), false);
    if (random_below(4) > 0)
        used += (size_t)write_cache(text + used, size - used, "l2", CHOOSE("8KiB", "256KiB"), true);
    if (random_below(2)) {
        used += (size_t)snprintf(text + used, size - used, "memory: {");
        used += (size_t)write_memory(text + used, size - used);
        used += (size_t)snprintf(text + used, size - used, ", size: 2GiB}\n");
        return;
    }
    used += (size_t)snprintf(text + used, size - used, "memories:\n");
    for (unsigned i = 0, of = 1 + (unsigned)random_below(2); i < cores; i += of) {    /* each of one or two cores */
        used += (size_t)snprintf(text + used, size - used, "  - {");
        used += (size_t)write_memory(text + used, size - used);
        used += (size_t)snprintf(text + used, size - used, ", base: %uMiB, size: %uMiB}\n", 512 * i, 512 * of);
    }
}

static void random_systems_are_exact(void **state)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        const char *paths[MOST_CORES];
        char text[4096];

        random_state = seed;
        write_system(text, sizeof text);
        for (unsigned i = 0; i < MOST_CORES; i++)
            paths[i] = programs[random_below(PROGRAMS)];
        expect_same(text, paths, UINT64_MAX);
    }
}

enum way_of_running { IN_ORDER, LOOKAHEAD, DOMAINS };

static enum way_of_running way_of(const char *text)
{
    static struct system_config config;
    struct outcome outcome;

    load(&config, text);
    run(&config, programs, true, UINT64_MAX, &outcome);
    assert_int_equal(outcome.state, SYSTEM_FINISHED);
    free(outcome.figures);
    return outcome.has_domains ? DOMAINS : outcome.is_out_of_order ? LOOKAHEAD : IN_ORDER;
}

static void the_way_is_found(void **state)
{
    assert_int_equal(way_of(CORES(2) L2 MEMORY), LOOKAHEAD);
    assert_int_equal(way_of(CORES(2) "l2: {size: 64KiB}\n" MEMORY), IN_ORDER);
    assert_int_equal(way_of("cores: 2\ncpu: {share: yes}\n" L2 MEMORY), IN_ORDER);
    assert_int_equal(way_of(CORES(2) L2 MEMORY "l1d: {replacement: random}\n"), IN_ORDER);
    assert_int_equal(way_of(CORES(2) L2 MEMORY "l1d: {replacement: brrip}\n"), IN_ORDER);
    assert_int_equal(way_of(CORES(2) L2 MEMORY "l1d: {prefetcher: {type: stride}}\n"), IN_ORDER);
    assert_int_equal(way_of(CORES(2) L2 MEMORY "memory_cache: {size: 1MiB}\n"), IN_ORDER);
    assert_int_equal(way_of(CORES(4) L2 RANGES("DDR4_2400_8x8")), DOMAINS);
    assert_int_equal(way_of(CORES(4) RANGES("DDR4_2400_8x8")), DOMAINS);
    assert_int_equal(way_of(CORES(4) "l2: {size: 64KiB}\n" RANGES("DDR4_2400_8x8")), IN_ORDER);
    assert_int_equal(way_of(CORES(2) "memories:\n  - {size: 768MiB}\n  - {base: 768MiB, size: 256MiB}\n"), LOOKAHEAD);
}

static void expect_end(const char *text)
{
    static struct system_config config;
    struct outcome outcome;

    load(&config, text);
    run(&config, programs, true, UINT64_MAX, &outcome);
    assert_true(outcome.is_out_of_order);
    assert_int_equal(outcome.state, SYSTEM_FAILED);
    free(outcome.figures);
    run(&config, programs, false, UINT64_MAX, &outcome);
    assert_int_equal(outcome.state, SYSTEM_FINISHED);
    free(outcome.figures);
}

/* Each core has 64 or 128 KiB of addresses before the next one's begin, but asks for more. */
static void shared_addresses_end_it(void **state)
{
    expect_end("cores: 2\ncpu: {offset_step: 64KiB}\n" L2 MEMORY);
    expect_end("cores: 2\ncpu: {offset_step: 128KiB}\n" L2 "memories:\n  - {size: 128KiB}\n"
               "  - {base: 128KiB, size: 512MiB}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_cores_are_exact),
        cmocka_unit_test(memory_domains_are_exact),
        cmocka_unit_test(cores_in_lockstep_are_exact),
        cmocka_unit_test(random_systems_are_exact),
        cmocka_unit_test(the_way_is_found),
        cmocka_unit_test(shared_addresses_end_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
