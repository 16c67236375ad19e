/* viz/state/state_figures.h: every figure against numbers worked out by hand, cases of NaN, and the form of
 * numbers. */
#include <math.h>

#include "tests/support/unit.h"
#include "viz/state/state_figures.h"

enum { WORDS = 2048 };

/* Samples 2 us apart; the first is at 1 us. */
struct bench {
    struct telemetry layout;
    uint64_t before[WORDS], words[WORDS];
};

static void *bench_make(struct bench *bench)
{
    *bench = (struct bench){0};
    telemetry_init(&bench->layout);
    telemetry_add_component(&bench->layout, TELEMETRY_SYSTEM, TELEMETRY_NONE, "system");
    bench->before[TELEMETRY_TIME] = 1000000;
    bench->words[TELEMETRY_TIME] = 3000000;
    return bench;
}

static uint32_t component(struct bench *bench, enum telemetry_part part, uint32_t parent, const char *name)
{
    return telemetry_add_component(&bench->layout, part, parent, name);
}

static const struct telemetry_field *field(struct bench *bench, uint32_t of, enum telemetry_kind kind, const char *name,
                                           const char *unit, uint32_t count, uint64_t limit)
{
    uint32_t const number = telemetry_add(&bench->layout, &(struct telemetry_field){
        .component = of, .kind = kind, .name = name, .unit = unit, .help = "", .count = count, .limit = limit
    });

    assert_true(bench->layout.word_count <= WORDS);
    return &bench->layout.fields[number];
}

static void names(struct bench *bench, const struct telemetry_field *of, const char *const *elements)
{
    bench->layout.fields[of - bench->layout.fields].element_names = elements;
}

/* From `before` to `now` in the two samples. */
static void put(struct bench *bench, uint32_t of, const char *name, uint32_t element, uint64_t before, uint64_t now)
{
    const struct telemetry_field *const found = telemetry_find(&bench->layout, of, name);

    assert_non_null(found);
    bench->before[found->first + element] = before;
    bench->words[found->first + element] = now;
}

static struct component_figures figures(const struct bench *bench, uint32_t of)
{
    return figures_of(&bench->layout, of, bench->before, bench->words);
}

static void near_line(double found, double expected, int line)
{
    if (!(fabs(found - expected) <= 1e-9 * fabs(expected)))
        fail_msg("line %d: %.12g is not %.12g", line, found, expected);
}
#define NEAR(found, expected) near_line(found, expected, __LINE__)

static void nan_line(double found, int line)
{
    if (!isnan(found))
        fail_msg("line %d: %.12g is not NaN", line, found);
}
#define NONE(found) nan_line(found, __LINE__)

static void a_core_has_its_fullest_buffer_and_mean_latency(void **state)
{
    static const char *const parts[] = {"working", "rob", "dependences"};
    struct bench bench;
    uint32_t const core = component(bench_make(&bench), TELEMETRY_CORE, 0, "cpu");
    struct component_figures found;

    field(&bench, core, TELEMETRY_INTEGRAL, "rob_ps", "Count", 1, 200);
    field(&bench, core, TELEMETRY_INTEGRAL, "load_buffer_ps", "Count", 1, 16);
    field(&bench, core, TELEMETRY_INTEGRAL, "store_buffer_ps", "Count", 1, 0);
    names(&bench, field(&bench, core, TELEMETRY_COUNTER, "cycles", "Cycle", 3, 0), parts);
    field(&bench, core, TELEMETRY_BINS, "load_latency", "Tick", LATENCY_BIN_COUNT, 0);
    put(&bench, core, "rob_ps", 0, 500, 500 + 50 * 2000000);
    put(&bench, core, "load_buffer_ps", 0, 0, 12 * 2000000);
    put(&bench, core, "store_buffer_ps", 0, 0, 99 * 2000000);
    put(&bench, core, "cycles", 0, 100, 400);
    put(&bench, core, "cycles", 1, 0, 200);
    put(&bench, core, "cycles", 2, 50, 550);
    put(&bench, core, "load_latency", 16, 7, 10);
    put(&bench, core, "load_latency", 24, 0, 1);
    found = figures(&bench, core);
    NEAR(found.occupancy, 0.75);
    assert_string_equal(found.fullest, "load buffer");
    NEAR(found.busy, 0.3);
    NEAR(found.latency_ps, (3 * (1024 + 1152) / 2 + (2048 + 2304) / 2) / 4.0);
    NONE(found.read_rate);
    NONE(found.write_rate);
    NONE(found.rate);
    NONE(found.peak_rate);
    NONE(found.hit_rate);
    telemetry_free(&bench.layout);
}

static void a_cache_has_hits_misses_and_mshrs(void **state)
{
    static const char *const accesses[] = {"hits", "misses", "miss_latency_ps"};
    struct bench bench;
    uint32_t const cache = component(bench_make(&bench), TELEMETRY_CACHE, 0, "l2");
    struct component_figures found;

    names(&bench, field(&bench, cache, TELEMETRY_COUNTER, "demand", "Count", 3, 0), accesses);
    field(&bench, cache, TELEMETRY_LEVEL, "mshrs", "Count", 1, 20);
    field(&bench, cache, TELEMETRY_INTEGRAL, "mshrs_ps", "Count", 1, 20);
    field(&bench, cache, TELEMETRY_INTEGRAL, "write_buffers_ps", "Count", 1, 8);
    put(&bench, cache, "demand", 0, 10, 100);
    put(&bench, cache, "demand", 1, 10, 40);
    put(&bench, cache, "demand", 2, 1000, 61000);
    put(&bench, cache, "mshrs", 0, 20, 20);
    put(&bench, cache, "mshrs_ps", 0, 0, 5 * 2000000);
    put(&bench, cache, "write_buffers_ps", 0, 0, 1 * 2000000);
    found = figures(&bench, cache);
    NEAR(found.hit_rate, 0.75);
    NEAR(found.latency_ps, 2000);
    NEAR(found.occupancy, 0.25);
    assert_string_equal(found.fullest, "MSHRs");
    NONE(found.busy);
    NONE(found.rate);
    telemetry_free(&bench.layout);
}

/* "that nothing happened for": no accesses, no time. */
static void ratios_without_events_are_nan(void **state)
{
    struct bench bench;
    uint32_t const cache = component(bench_make(&bench), TELEMETRY_CACHE, 0, "l2");
    uint32_t const channel = component(&bench, TELEMETRY_CHANNEL, 0, "dram");
    struct component_figures found;

    field(&bench, cache, TELEMETRY_COUNTER, "demand", "Count", 3, 0);
    field(&bench, cache, TELEMETRY_INTEGRAL, "mshrs_ps", "Count", 1, 20);
    field(&bench, channel, TELEMETRY_COUNTER, "bytes", "Byte", 2, 1000);
    field(&bench, channel, TELEMETRY_COUNTER, "bursts", "Count", 3, 0);
    field(&bench, channel, TELEMETRY_COUNTER, "read_bursts", "Count", 1, 0);
    field(&bench, channel, TELEMETRY_COUNTER, "read_latency_ps", "Tick", 1, 0);
    found = figures(&bench, cache);
    NONE(found.hit_rate);
    NONE(found.latency_ps);
    NEAR(found.occupancy, 0);
    found = figures(&bench, channel);
    NEAR(found.read_rate, 0);
    NEAR(found.busy, 0);
    NONE(found.hit_rate);
    NONE(found.latency_ps);
    NONE(found.occupancy);
    assert_null(found.fullest);
    bench.words[TELEMETRY_TIME] = bench.before[TELEMETRY_TIME];
    NONE(figures(&bench, cache).occupancy);
    NONE(figures(&bench, channel).read_rate);
    NONE(figures(&bench, channel).rate);
    NONE(figures(&bench, channel).busy);
    telemetry_free(&bench.layout);
}

/* "A memory's are those of its channels together ... the system's those of all its memories." */
static void a_memory_is_its_channels_together(void **state)
{
    struct bench bench;
    uint32_t const memory = component(bench_make(&bench), TELEMETRY_MEMORY, 0, "mem");
    uint32_t const other = component(&bench, TELEMETRY_MEMORY, 0, "other");
    uint32_t channels[2];
    struct component_figures found;

    for (unsigned i = 0; i < 2; i++) {
        channels[i] = component(&bench, TELEMETRY_CHANNEL, memory, i ? "mem.1" : "mem.0");
        field(&bench, channels[i], TELEMETRY_COUNTER, "bytes", "Byte", 2, 10000000000u);
        field(&bench, channels[i], TELEMETRY_COUNTER, "bursts", "Count", 3, 0);
        field(&bench, channels[i], TELEMETRY_COUNTER, "read_bursts", "Count", 1, 0);
        field(&bench, channels[i], TELEMETRY_COUNTER, "read_latency_ps", "Tick", 1, 0);
        field(&bench, channels[i], TELEMETRY_INTEGRAL, "read_queue_ps", "Count", 1, 32);
    }
    field(&bench, other, TELEMETRY_COUNTER, "bytes", "Byte", 2, 0);
    put(&bench, channels[0], "bytes", 0, 0, 8000);
    put(&bench, channels[1], "bytes", 0, 1000, 3000);
    put(&bench, channels[1], "bytes", 1, 0, 4000);
    put(&bench, channels[0], "bursts", 0, 0, 6);
    put(&bench, channels[0], "bursts", 2, 0, 2);
    put(&bench, channels[1], "bursts", 1, 0, 2);
    put(&bench, channels[0], "read_bursts", 0, 0, 4);
    put(&bench, channels[0], "read_latency_ps", 0, 0, 200000);
    put(&bench, channels[1], "read_bursts", 0, 0, 1);
    put(&bench, channels[1], "read_latency_ps", 0, 0, 100000);
    put(&bench, channels[1], "read_queue_ps", 0, 0, 8 * 2000000);
    put(&bench, other, "bytes", 1, 0, 2000);
    found = figures(&bench, channels[1]);
    NEAR(found.read_rate, 1e9);
    NEAR(found.write_rate, 2e9);
    NEAR(found.rate, 3e9);
    NEAR(found.busy, 0.3);
    NEAR(found.hit_rate, 0);
    NEAR(found.latency_ps, 100000);
    NEAR(found.occupancy, 0.25);
    assert_string_equal(found.fullest, "read queue");
    found = figures(&bench, memory);
    NEAR(found.read_rate, 5e9);
    NEAR(found.write_rate, 2e9);
    NEAR(found.peak_rate, 20e9);
    NEAR(found.busy, 0.35);
    NEAR(found.hit_rate, 0.6);
    NEAR(found.latency_ps, 60000);
    NEAR(found.occupancy, 0.25);
    found = figures(&bench, 0);
    NEAR(found.write_rate, 3e9);
    NEAR(found.rate, 8e9);
    found = figures(&bench, other);
    NEAR(found.rate, 1e9);
    NONE(found.peak_rate);
    NONE(found.busy);
    telemetry_free(&bench.layout);
}

static void a_bus_has_its_busiest_way_and_links(void **state)
{
    struct bench bench;
    uint32_t const bus = component(bench_make(&bench), TELEMETRY_BUS, 0, "membus");
    const struct telemetry_field *below;
    struct telemetry_link link = {.from = bus, .to = 0, .element = 1};
    struct component_figures found;
    double share;

    below = field(&bench, bus, TELEMETRY_COUNTER, "bytes_below", "Byte", 2, 4000000000u);
    link.field = (uint32_t)(below - bench.layout.fields);
    field(&bench, bus, TELEMETRY_COUNTER, "request_ps", "Tick", 2, 0);
    field(&bench, bus, TELEMETRY_COUNTER, "response_ps", "Tick", 1, 0);
    field(&bench, bus, TELEMETRY_LEVEL, "waiting", "Count", 2, 4);
    put(&bench, bus, "bytes_below", 0, 0, 2000);
    put(&bench, bus, "bytes_below", 1, 1000, 7000);
    put(&bench, bus, "request_ps", 1, 0, 400000);
    put(&bench, bus, "response_ps", 0, 100, 1600100);
    put(&bench, bus, "waiting", 1, 0, 1);
    found = figures(&bench, bus);
    NEAR(found.rate, 4e9);
    NEAR(found.peak_rate, 8e9);
    NEAR(found.busy, 0.8);
    NEAR(found.occupancy, 0.25);
    NONE(found.read_rate);
    NEAR(figures_link_rate(&bench.layout, &link, bench.before, bench.words, &share), 3e9);
    NEAR(share, 0.75);
    link.field = TELEMETRY_NONE;
    NONE(figures_link_rate(&bench.layout, &link, bench.before, bench.words, &share));
    NONE(share);
    telemetry_free(&bench.layout);
}

static void a_rank_hits_where_it_did_not_activate(void **state)
{
    static const char *const states[] = {"idle", "active"};
    struct bench bench;
    uint32_t const rank = component(bench_make(&bench), TELEMETRY_RANK, 0, "rank0");
    struct component_figures found;

    field(&bench, rank, TELEMETRY_STATE, "banks", "State", 2, 0);
    names(&bench, field(&bench, rank, TELEMETRY_COUNTER, "power_ps", "Tick", 2, 0), states);
    field(&bench, rank, TELEMETRY_COUNTER, "reads", "Count", 2, 0);
    field(&bench, rank, TELEMETRY_COUNTER, "writes", "Count", 2, 0);
    field(&bench, rank, TELEMETRY_COUNTER, "activates", "Count", 2, 0);
    field(&bench, rank, TELEMETRY_COUNTER, "conflicts", "Count", 2, 0);
    put(&bench, rank, "power_ps", 0, 0, 1500000);
    put(&bench, rank, "power_ps", 1, 0, 500000);
    put(&bench, rank, "reads", 0, 0, 10);
    put(&bench, rank, "reads", 1, 0, 2);
    put(&bench, rank, "writes", 1, 0, 4);
    put(&bench, rank, "activates", 0, 1, 5);
    put(&bench, rank, "conflicts", 0, 0, 3);
    found = figures(&bench, rank);
    NEAR(found.hit_rate, 0.75);
    NEAR(found.busy, 0.25);
    telemetry_free(&bench.layout);
}

static void a_gpu_is_its_sms_together(void **state)
{
    static const char *const states[] = {"free", "ready"}, *const stalls[] = {"none", "memory"};
    static const char *const counts[] = {"l1_reads", "l1_read_hits", "latency_requests", "latency_ps"};
    struct bench bench;
    uint32_t const gpu = component(bench_make(&bench), TELEMETRY_GPU, 0, "gpu");
    uint32_t sms[2];
    struct component_figures found;

    names(&bench, field(&bench, gpu, TELEMETRY_COUNTER, "counts", "Count", 4, 0), counts);
    for (unsigned i = 0; i < 2; i++) {
        sms[i] = component(&bench, TELEMETRY_SM, gpu, i ? "sm1" : "sm0");
        names(&bench, field(&bench, sms[i], TELEMETRY_LEVEL, "warps", "Count", 2, 64), states);
        names(&bench, field(&bench, sms[i], TELEMETRY_LEVEL, "stalls", "Count", 2, 4), stalls);
    }
    put(&bench, gpu, "counts", 0, 0, 100);
    put(&bench, gpu, "counts", 1, 0, 80);
    put(&bench, gpu, "counts", 2, 0, 20);
    put(&bench, gpu, "counts", 3, 0, 5000);
    put(&bench, sms[0], "warps", 0, 64, 48);
    put(&bench, sms[1], "warps", 0, 64, 0);
    put(&bench, sms[0], "stalls", 0, 0, 3);
    put(&bench, sms[1], "stalls", 0, 0, 1);
    NEAR(figures(&bench, sms[0]).occupancy, 0.25);
    assert_string_equal(figures(&bench, sms[0]).fullest, "warp slots");
    NEAR(figures(&bench, sms[0]).busy, 0.75);
    found = figures(&bench, gpu);
    NEAR(found.occupancy, 80.0 / 128);
    NEAR(found.busy, 0.5);
    NEAR(found.hit_rate, 0.8);
    NEAR(found.latency_ps, 250);
    names(&bench, field(&bench, sms[1], TELEMETRY_COUNTER, "stall_cycles", "Cycle", 2, 0), stalls);
    names(&bench, field(&bench, sms[1], TELEMETRY_COUNTER, "demand", "Count", 2, 0), NULL);
    put(&bench, sms[1], "stall_cycles", 0, 0, 100);
    put(&bench, sms[1], "stall_cycles", 1, 0, 900);
    put(&bench, sms[1], "demand", 0, 0, 3);
    put(&bench, sms[1], "demand", 1, 0, 1);
    NEAR(figures(&bench, sms[1]).busy, 0.1);
    NEAR(figures(&bench, sms[1]).hit_rate, 0.75);
    NONE(figures(&bench, sms[1]).latency_ps);
    NEAR(figures(&bench, gpu).hit_rate, 0.8);
    telemetry_free(&bench.layout);
}

/* memsys/telemetry/telemetry.h: where statistics restarted in between, the counts since then */
static void figures_survive_a_restart(void **state)
{
    struct bench bench;
    uint32_t const channel = component(bench_make(&bench), TELEMETRY_CHANNEL, 0, "dram");

    field(&bench, channel, TELEMETRY_COUNTER, "bytes", "Byte", 2, 0);
    field(&bench, channel, TELEMETRY_INTEGRAL, "read_queue_ps", "Count", 1, 10);
    bench.words[TELEMETRY_SINCE] = 2000000;
    put(&bench, channel, "bytes", 0, 500000, 3000);
    put(&bench, channel, "read_queue_ps", 0, 77777777, 5 * 1000000);
    NEAR(figures(&bench, channel).read_rate, 3e9);
    NEAR(figures(&bench, channel).occupancy, 0.5);
    bench.words[TELEMETRY_SINCE] = 0;
    NEAR(figures_of(&bench.layout, channel, NULL, bench.words).read_rate, 1e9);
    telemetry_free(&bench.layout);
}

/* "three digits that count, SI prefixes" */
static void numbers_are_written_with_three_digits(void **state)
{
    static const struct { void (*write)(char *, size_t, double); double value; const char *text; } cases[] = {
        {figures_bytes_rate, 12.8e9, "12.8 GB/s"}, {figures_bytes_rate, 9.996e9, "10.0 GB/s"},
        {figures_bytes_rate, 9.994e9, "9.99 GB/s"}, {figures_bytes_rate, 999.4, "999 B/s"},
        {figures_bytes_rate, 999.6, "1.00 kB/s"}, {figures_bytes_rate, 0, "0 B/s"},
        {figures_bytes_rate, 3.2e15, "3.2e+03 TB/s"}, {figures_bytes_rate, (double)NAN, "-"},
        {figures_time, 1530000, "1.53 us"}, {figures_time, 640, "640 ps"}, {figures_time, 63.9e3, "63.9 ns"},
        {figures_time, 2e12, "2.00 s"}, {figures_time, 99960, "100 ns"}, {figures_time, 0.5, "0.5 ps"},
        {figures_percent, 0.872, "87.2 %"}, {figures_percent, 1, "100 %"}, {figures_percent, 0, "0 %"},
        {figures_percent, 0.0123, "1.23 %"}, {figures_percent, (double)NAN, "-"},
        {figures_count, 12, "12"}, {figures_count, 999, "999"}, {figures_count, 2.5, "2.50"},
        {figures_count, 1234567, "1.23 M"}, {figures_count, 999.7, "1.00 k"}
    };
    char text[64], small[5];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cases[i].write(text, sizeof text, cases[i].value);
        assert_string_equal(text, cases[i].text);
    }
    figures_bytes_rate(small, sizeof small, 12.8e9);
    assert_string_equal(small, "12.8");
}

static void expect_field(struct bench *bench, uint32_t of, const char *name, uint32_t element, uint64_t before,
                         uint64_t now, const char *expected)
{
    char text[64];

    put(bench, of, name, element, before, now);
    figures_field(text, sizeof text, telemetry_find(&bench->layout, of, name), element, bench->before, bench->words);
    assert_string_equal(text, expected);
}

static void fields_are_written_with_their_unit(void **state)
{
    static const char *const states[] = {"idle", "active"};
    struct bench bench;
    uint32_t const of = component(bench_make(&bench), TELEMETRY_RANK, 0, "any");

    field(&bench, of, TELEMETRY_COUNTER, "bytes", "Byte", 2, 4000000000u);
    field(&bench, of, TELEMETRY_COUNTER, "bytes_read", "Byte", 1, 0);
    field(&bench, of, TELEMETRY_COUNTER, "power_ps", "Tick", 2, 0);
    field(&bench, of, TELEMETRY_COUNTER, "read_latency_ps", "Tick", 1, 0);
    field(&bench, of, TELEMETRY_COUNTER, "blocked", "Cycle", 1, 0);
    field(&bench, of, TELEMETRY_COUNTER, "activates", "Count", 1, 0);
    field(&bench, of, TELEMETRY_INTEGRAL, "rob_ps", "Count", 1, 20);
    field(&bench, of, TELEMETRY_LEVEL, "mshrs", "Count", 1, 20);
    field(&bench, of, TELEMETRY_LEVEL, "waiting", "Count", 1, 0);
    field(&bench, of, TELEMETRY_PLACE, "heat_base", "Byte", 1, 0);
    field(&bench, of, TELEMETRY_PLACE, "rows", "Row", 1, 0);
    field(&bench, of, TELEMETRY_PLACE, "heat_shift", "Count", 1, 0);
    field(&bench, of, TELEMETRY_BINS, "heat", "Count", 4, 0);
    bench.layout.fields[telemetry_add(&bench.layout, &(struct telemetry_field){
        .component = of, .kind = TELEMETRY_STATE, .name = "power", .unit = "State", .count = 1,
        .state_names = states, .state_count = 2})].help = "";
    expect_field(&bench, of, "bytes", 1, 0, 2000, "1.00 GB/s of 4.00 GB/s");
    expect_field(&bench, of, "bytes_read", 0, 500, 2500, "1.00 GB/s");
    expect_field(&bench, of, "power_ps", 1, 0, 500000, "25.0 % of the time");
    expect_field(&bench, of, "read_latency_ps", 0, 0, 500000, "500 ns in all");
    expect_field(&bench, of, "blocked", 0, 5, 1505, "1.50 k cycles");
    expect_field(&bench, of, "activates", 0, 0, 25, "12.5 M/s");
    expect_field(&bench, of, "rob_ps", 0, 0, 25000000, "12.5 of 20");
    expect_field(&bench, of, "mshrs", 0, 3, 12, "12 of 20");
    expect_field(&bench, of, "waiting", 0, 3, 4, "4");
    expect_field(&bench, of, "heat_base", 0, 0, 0x80001000, "0x80001000");
    expect_field(&bench, of, "rows", 0, 0, 0, "closed");
    expect_field(&bench, of, "rows", 0, 0, 18, "row 17");
    expect_field(&bench, of, "heat_shift", 0, 0, 12, "12");
    expect_field(&bench, of, "heat", 2, 3, 10, "7");
    expect_field(&bench, of, "power", 0, 0, 1, "active");
    expect_field(&bench, of, "power", 0, 0, 9, "9");
    bench.words[TELEMETRY_TIME] = bench.before[TELEMETRY_TIME];
    expect_field(&bench, of, "bytes_read", 0, 5, 5, "-");
    expect_field(&bench, of, "mshrs", 0, 3, 12, "12 of 20");
    telemetry_free(&bench.layout);
}

int main(void)
{
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(a_core_has_its_fullest_buffer_and_mean_latency),
        cmocka_unit_test(a_cache_has_hits_misses_and_mshrs),
        cmocka_unit_test(ratios_without_events_are_nan),
        cmocka_unit_test(a_memory_is_its_channels_together),
        cmocka_unit_test(a_bus_has_its_busiest_way_and_links),
        cmocka_unit_test(a_rank_hits_where_it_did_not_activate),
        cmocka_unit_test(a_gpu_is_its_sms_together),
        cmocka_unit_test(figures_survive_a_restart),
        cmocka_unit_test(numbers_are_written_with_three_digits),
        cmocka_unit_test(fields_are_written_with_their_unit)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
