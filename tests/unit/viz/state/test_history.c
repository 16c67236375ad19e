/* viz/state/history.h, viz/state/digest.h: which samples stay, and that charts see the same sums whatever was dropped.
 */
#include <math.h>

#include "tests/support/unit.h"
#include "viz/state/history.h"

/* A system of two cores, two SMs and two channels with a few figures each; samples are filled by hand. */
static const char *const parts[] = {"working", "waiting"};
static const char *const states[] = {"free", "ready", "memory"};
static const char *const requestors[] = {"cpu0.inst", "dma", "cpu0.data"};
static const char *const counts[] = {"warps", "latency_requests", "latency_ps"};

struct bench {
    struct telemetry layout;
    uint64_t words[4096];
};

static uint32_t add(struct bench *bench, uint32_t component, enum telemetry_kind kind, const char *name, uint32_t count,
                    uint64_t limit, const char *const *names)
{
    return telemetry_add(&bench->layout, &(struct telemetry_field){
        .component = component, .kind = kind, .name = name, .unit = "Count", .help = "", .count = count,
        .limit = limit, .element_names = names, .source = bench->words
    });
}

static void bench_init(struct bench *bench)
{
    *bench = (struct bench){0};
    telemetry_init(&bench->layout);
    telemetry_add_component(&bench->layout, TELEMETRY_SYSTEM, TELEMETRY_NONE, "system");
    add(bench, 0, TELEMETRY_COUNTER, "requestor_read_bytes", 3, 0, requestors);
    add(bench, 0, TELEMETRY_COUNTER, "requestor_write_bytes", 3, 0, requestors);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t const core = telemetry_add_component(&bench->layout, TELEMETRY_CORE, 0, i ? "cpu1" : "cpu0");

        add(bench, core, TELEMETRY_INTEGRAL, "rob_ps", 1, i ? 100 : 200, NULL);
        add(bench, core, TELEMETRY_COUNTER, "cycles", 2, 0, parts);
        add(bench, core, TELEMETRY_BINS, "load_latency", LATENCY_BIN_COUNT, 0, NULL);
    }
    for (unsigned i = 0; i < 2; i++) {
        uint32_t const sm = telemetry_add_component(&bench->layout, TELEMETRY_SM, 0, i ? "sm1" : "sm0");

        add(bench, sm, TELEMETRY_LEVEL, "warps", 3, 32, states);
    }
    for (unsigned i = 0; i < 2; i++) {
        uint32_t const channel = telemetry_add_component(&bench->layout, TELEMETRY_CHANNEL, 0, i ? "d1" : "d0");

        add(bench, channel, TELEMETRY_COUNTER, "bytes", 2, 12800000000u, NULL);
        add(bench, channel, TELEMETRY_COUNTER, "read_bursts", 1, 0, NULL);
        add(bench, channel, TELEMETRY_COUNTER, "read_latency_ps", 1, 0, NULL);
    }
    add(bench, telemetry_add_component(&bench->layout, TELEMETRY_GPU, 0, "gpu"), TELEMETRY_COUNTER, "counts", 3, 0,
        counts);
    assert_int_equal(telemetry_freeze(&bench->layout).kind, FAULT_NONE);
    assert_true(bench->layout.word_count < sizeof bench->words / sizeof *bench->words);
}

static void set(struct bench *bench, const char *component, const char *field, uint32_t element, uint64_t value)
{
    for (uint32_t i = 0; i < bench->layout.component_count; i++)
        if (strcmp(bench->layout.components[i].name, component) == 0) {
            bench->words[telemetry_find(&bench->layout, i, field)->first + element] = value;
            return;
        }
    fail_msg("no component %s", component);
}

static void at(struct bench *bench, uint64_t number, uint64_t time_ps, uint64_t since_ps)
{
    bench->words[TELEMETRY_NUMBER] = number;
    bench->words[TELEMETRY_TIME] = time_ps;
    bench->words[TELEMETRY_SINCE] = since_ps;
}

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.12g is not %.12g", found, expected);
}

/* "When it is full, every second sample is dropped ... the newest one is always there" */
static void thinning_keeps_even_steps_and_the_newest(void **state)
{
    struct bench bench;
    struct history history;

    bench_init(&bench);
    assert_int_equal(history_init(&history, &bench.layout, 0).kind, FAULT_NONE);
    assert_int_equal(history.room, 64);
    for (uint64_t number = 0; number < 10000; number++) {
        at(&bench, number, 1000 * (number + 1), 0);
        set(&bench, "d0", "bytes", 0, 64 * (number + 1));
        history_put(&history, bench.words);
        assert_int_equal(history_end_ps(&history), 1000 * (number + 1));
        assert_int_equal(history.put_count, number + 1);
        assert_int_equal(history.put_count, number + 1);
        assert_true(history.count <= 64);
        for (size_t i = 0; i + 1 < history.count; i++)
            assert_int_equal(history_at(&history, i)[TELEMETRY_NUMBER], (uint64_t)i << history.thinning);
        for (size_t i = 0; i < history.count; i++)
            assert_int_equal(history_sums(&history, i)[history.digest.groups[DIGEST_BYTES].first],
                             64 * (history_at(&history, i)[TELEMETRY_NUMBER] + 1));
    }
    assert_int_equal(history.thinning, 8);
    history_free(&history);
    telemetry_free(&bench.layout);
}

/* the last sample not after that time, or `count` */
static void samples_are_found_by_time(void **state)
{
    struct bench bench;
    struct history history;

    bench_init(&bench);
    assert_int_equal(history_init(&history, &bench.layout, 0).kind, FAULT_NONE);
    assert_int_equal(history_find(&history, 5), 0);
    for (uint64_t number = 0; number < 10; number++) {
        at(&bench, number, 100 * (number + 1), 0);
        history_put(&history, bench.words);
    }
    assert_int_equal(history_find(&history, 99), 10);
    assert_int_equal(history_find(&history, 100), 0);
    assert_int_equal(history_find(&history, 199), 0);
    assert_int_equal(history_find(&history, 550), 4);
    assert_int_equal(history_find(&history, 1000), 9);
    assert_int_equal(history_find(&history, UINT64_MAX), 9);
    history_free(&history);
    telemetry_free(&bench.layout);
}

static double percentile(const struct digest_group *group, const uint64_t *before, const uint64_t *sums, double percent)
{
    double const percents[3] = {1, percent, 100};
    double values[3];

    digest_percentiles(group, before, sums, percents, 3, values);
    return values[1];
}

/* viz/state/digest.h: sums over components, limits of words, by hand. */
static void sums_are_those_of_all_components(void **state)
{
    struct bench bench;
    struct history history;
    const struct digest_group *groups;
    const uint64_t *first, *second;

    bench_init(&bench);
    assert_int_equal(history_init(&history, &bench.layout, 0).kind, FAULT_NONE);
    groups = history.digest.groups;
    at(&bench, 0, 1000, 0);
    set(&bench, "sm0", "warps", 1, 4);
    history_put(&history, bench.words);
    at(&bench, 1, 3000, 0);
    set(&bench, "d0", "bytes", 0, 300);
    set(&bench, "d1", "bytes", 0, 500);
    set(&bench, "d1", "bytes", 1, 20);
    set(&bench, "d0", "read_bursts", 0, 3);
    set(&bench, "d1", "read_bursts", 0, 5);
    set(&bench, "d0", "read_latency_ps", 0, 900);
    set(&bench, "cpu0", "rob_ps", 0, 60000);
    set(&bench, "cpu1", "rob_ps", 0, 20000);
    set(&bench, "cpu0", "cycles", 1, 7);
    set(&bench, "cpu1", "cycles", 1, 2);
    set(&bench, "cpu0", "load_latency", 9, 90);
    set(&bench, "cpu1", "load_latency", 20, 10);
    set(&bench, "sm0", "warps", 1, 10);
    set(&bench, "sm1", "warps", 1, 2);
    set(&bench, "system", "requestor_read_bytes", 2, 64);
    set(&bench, "system", "requestor_write_bytes", 2, 32);
    set(&bench, "system", "requestor_read_bytes", 0, 7);
    set(&bench, "system", "requestor_write_bytes", 1, 5);
    set(&bench, "gpu", "counts", 1, 2);
    set(&bench, "gpu", "counts", 2, 1200);
    history_put(&history, bench.words);
    first = history_sums(&history, 0);
    second = history_sums(&history, 1);

    assert_int_equal(groups[DIGEST_BYTES].count, 2);
    assert_near(groups[DIGEST_BYTES].limit, 25.6e9);
    assert_near(1e12 * digest_rate(first, second, groups[DIGEST_BYTES].first), 800e12 / 2000);
    assert_near(1e12 * digest_rate(first, second, groups[DIGEST_BYTES].first + 1), 20e12 / 2000);
    assert_near(1e12 * digest_rate(NULL, second, groups[DIGEST_BYTES].first), 800e12 / 3000);
    assert_int_equal(digest_delta(first, second, groups[DIGEST_DRAM_READS].first), 8);
    assert_int_equal(digest_delta(first, second, groups[DIGEST_DRAM_READS].first + 1), 900);
    assert_int_equal(digest_delta(first, second, groups[DIGEST_GPU_READS].first), 2);
    assert_int_equal(digest_delta(first, second, groups[DIGEST_GPU_READS].first + 1), 1200);
    assert_int_equal(groups[DIGEST_ROB].count, 2);
    assert_near(digest_rate(first, second, groups[DIGEST_ROB].first), 30);
    assert_near(history.digest.limits[groups[DIGEST_ROB].first], 200);
    assert_near(history.digest.limits[groups[DIGEST_ROB].first + 1], 100);
    assert_int_equal(digest_delta(first, second, groups[DIGEST_CYCLES].first + 1), 9);
    assert_string_equal(groups[DIGEST_CYCLES].names[1], "waiting");
    assert_near(percentile(&groups[DIGEST_LATENCY], first, second, 90),
                (double)(latency_bin_floor(9) + latency_bin_floor(10)) / 2);
    assert_near(percentile(&groups[DIGEST_LATENCY], first, second, 91),
                (double)(latency_bin_floor(20) + latency_bin_floor(21)) / 2);
    assert_true(isnan(percentile(&groups[DIGEST_LATENCY], second, second, 50)));
    assert_true(isnan(digest_rate(second, second, groups[DIGEST_BYTES].first)));
    assert_near(groups[DIGEST_WARPS].limit, 64);
    assert_near(digest_rate(first, second, groups[DIGEST_WARPS].first + 1), 12);
    assert_near(digest_rate(NULL, second, groups[DIGEST_WARPS].first + 1), (4.0 * 1000 + 12.0 * 2000) / 3000);
    assert_int_equal(groups[DIGEST_REQUESTORS].count, 2);
    assert_string_equal(groups[DIGEST_REQUESTORS].names[0], "cpu0");
    assert_string_equal(groups[DIGEST_REQUESTORS].names[1], "dma");
    assert_int_equal(digest_delta(first, second, groups[DIGEST_REQUESTORS].first), 103);
    assert_int_equal(digest_delta(first, second, groups[DIGEST_REQUESTORS].first + 1), 5);
    assert_int_equal(groups[DIGEST_LOADS].count, 0);
    assert_int_equal(groups[DIGEST_STALLS].count, 0);
    history_free(&history);
    telemetry_free(&bench.layout);
}

/* viz/state/digest.h: continues where statistics restart, with the time that counters cover. */
static void sums_continue_where_statistics_restart(void **state)
{
    struct bench bench;
    struct history history;
    uint32_t read;

    bench_init(&bench);
    assert_int_equal(history_init(&history, &bench.layout, 0).kind, FAULT_NONE);
    read = history.digest.groups[DIGEST_BYTES].first;
    at(&bench, 0, 1000, 0);
    set(&bench, "d0", "bytes", 0, 1000);
    history_put(&history, bench.words);
    at(&bench, 1, 2000, 1500);
    set(&bench, "d0", "bytes", 0, 100);
    history_put(&history, bench.words);
    at(&bench, 2, 3000, 1500);
    set(&bench, "d0", "bytes", 0, 600);
    history_put(&history, bench.words);
    assert_near(1e12 * digest_rate(history_sums(&history, 0), history_sums(&history, 1), read), 100e12 / 500);
    assert_near(1e12 * digest_rate(history_sums(&history, 1), history_sums(&history, 2), read), 500e12 / 1000);
    assert_int_equal(digest_delta(NULL, history_sums(&history, 2), read), 1600);
    history_free(&history);
    telemetry_free(&bench.layout);
}

/* header: "names are [...] the digest's": those of both fields, whatever a file says */
static void requestors_of_two_fields_all_have_room(void **state)
{
    static const char *const readers[] = {"a0", "a1", "a2", "a3"}, *const writers[] = {"b0", "a1", "b2", "b3"};
    struct bench bench = {0};
    struct history history;

    telemetry_init(&bench.layout);
    telemetry_add_component(&bench.layout, TELEMETRY_SYSTEM, TELEMETRY_NONE, "system");
    add(&bench, 0, TELEMETRY_COUNTER, "requestor_read_bytes", 4, 0, readers);
    add(&bench, 0, TELEMETRY_COUNTER, "requestor_write_bytes", 4, 0, writers);
    assert_int_equal(telemetry_freeze(&bench.layout).kind, FAULT_NONE);
    assert_int_equal(history_init(&history, &bench.layout, 1 << 16).kind, FAULT_NONE);
    assert_int_equal(history.digest.groups[DIGEST_REQUESTORS].count, 7);
    assert_string_equal(history.digest.groups[DIGEST_REQUESTORS].names[6], "b3");
    at(&bench, 1, 1000, 0);
    set(&bench, "system", "requestor_write_bytes", 3, 64);
    history_put(&history, bench.words);
    assert_int_equal(digest_delta(NULL, history_sums(&history, 0),
                                  history.digest.groups[DIGEST_REQUESTORS].first + 6), 64);
    history_free(&history);
    telemetry_free(&bench.layout);
}

int main(void)
{
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(thinning_keeps_even_steps_and_the_newest),
        cmocka_unit_test(samples_are_found_by_time),
        cmocka_unit_test(sums_are_those_of_all_components),
        cmocka_unit_test(sums_continue_where_statistics_restart),
        cmocka_unit_test(requestors_of_two_fields_all_have_room)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
