/* viz/panels/strip_series.h, viz/panels/strip_rows.h, viz/panels/strip_draw.h: one value a column of pixels, worked out
 * by hand from samples. */
#include <math.h>

#include "tests/support/unit.h"
#include "viz/panels/panels.h"
#include "viz/panels/strip_draw.h"
#include "viz/panels/strip_rows.h"

static void near_line(double found, double expected, int line)
{
    if (!(fabs(found - expected) <= 1e-6 * fabs(expected)))
        fail_msg("line %d: %.9g is not %.9g", line, found, expected);
}
#define NEAR(found, expected) near_line((double)(found), expected, __LINE__)

static void nan_line(double found, int line)
{
    if (!isnan(found))
        fail_msg("line %d: %.9g is not NaN", line, found);
}
#define NONE(found) nan_line((double)(found), __LINE__)

/* A channel, two cores, and requestors. */
static const char *const parts[] = {"working", "blocked_cache", "dependences"};
enum { CORES = 2, REQUESTORS = 9 };

struct bench {
    struct telemetry layout;
    struct history history;
    uint64_t *words;
    uint32_t bytes, rob[CORES], cycles, latency, moved;  /* places in a sample */
    char names[REQUESTORS][16];
    const char *name_list[REQUESTORS];
};

static uint32_t add(struct bench *bench, uint32_t component, enum telemetry_kind kind, const char *name, uint32_t count,
                    uint64_t limit, const char *const *names)
{
    uint32_t const field = telemetry_add(&bench->layout, &(struct telemetry_field){
        .component = component, .kind = kind, .name = name, .unit = "Count", .help = "", .count = count,
        .limit = limit, .element_names = names
    });

    return bench->layout.fields[field].first;
}

static struct bench *bench_make(void)
{
    struct bench *const bench = calloc(1, sizeof *bench);
    uint32_t component;

    assert_non_null(bench);
    telemetry_init(&bench->layout);
    telemetry_add_component(&bench->layout, TELEMETRY_SYSTEM, TELEMETRY_NONE, "system");
    for (unsigned i = 0; i < REQUESTORS; i++) {
        snprintf(bench->names[i], sizeof bench->names[i], "cpu%u.data", i);
        bench->name_list[i] = bench->names[i];
    }
    bench->moved = add(bench, 0, TELEMETRY_COUNTER, "requestor_read_bytes", REQUESTORS, 0, bench->name_list);
    for (unsigned i = 0; i < CORES; i++) {
        component = telemetry_add_component(&bench->layout, TELEMETRY_CORE, 0, i ? "cpu1" : "cpu0");
        bench->rob[i] = add(bench, component, TELEMETRY_INTEGRAL, "rob_ps", 1, 100, NULL);
        if (i == 0) {
            bench->cycles = add(bench, component, TELEMETRY_COUNTER, "cycles", 3, 0, parts);
            bench->latency = add(bench, component, TELEMETRY_BINS, "load_latency", LATENCY_BIN_COUNT, 0, NULL);
        }
    }
    telemetry_add_component(&bench->layout, TELEMETRY_CORE, 0, "cpu3");          /* counts only moved bytes */
    component = telemetry_add_component(&bench->layout, TELEMETRY_CHANNEL, 0, "dram");
    bench->bytes = add(bench, component, TELEMETRY_COUNTER, "bytes", 2, 1000000000, NULL);
    assert_int_equal(telemetry_freeze(&bench->layout).kind, FAULT_NONE);
    bench->words = calloc(bench->layout.word_count, sizeof *bench->words);
    assert_non_null(bench->words);
    assert_int_equal(history_init(&bench->history, &bench->layout, 0).kind, FAULT_NONE);
    return bench;
}

static void bench_free(struct bench *bench)
{
    history_free(&bench->history);
    telemetry_free(&bench->layout);
    free(bench->words);
    free(bench);
}

/* At that time, with the bytes read and written since statistics began. */
static void put(struct bench *bench, uint64_t time_ps, uint64_t read, uint64_t written)
{
    bench->words[TELEMETRY_TIME] = time_ps;
    bench->words[bench->bytes] = read;
    bench->words[bench->bytes + 1] = written;
    history_put(&bench->history, bench->words);
    bench->words[TELEMETRY_NUMBER]++;
}

static struct strip_columns columns;
static float values[STRIP_COLUMNS], most[STRIP_COLUMNS];

static void make(const struct bench *bench, uint64_t from_ps, uint64_t to_ps, uint32_t wanted)
{
    strip_columns_make(&columns, &bench->history, &(struct time_window){.from_ps = from_ps, .to_ps = to_ps}, wanted);
}

static uint32_t read_word(const struct bench *bench)
{
    return bench->history.digest.groups[DIGEST_BYTES].first;
}

/* "one that lies between two samples ... has what came between these"; "after the newest sample are NaN" */
static void columns_between_samples_have_their_interval(void **state)
{
    struct bench *const bench = bench_make();

    put(bench, 1000, 100, 0);
    put(bench, 2000, 400, 0);
    put(bench, 3000, 400, 0);
    make(bench, 0, 4000, 8);
    assert_int_equal(columns.step_ps, 500);
    assert_int_equal(columns.count, 8);
    strip_rates(&columns, read_word(bench), 1, 1, values);
    NEAR(values[0], 0.1);
    NEAR(values[1], 0.1);
    NEAR(values[2], 0.3);
    NEAR(values[3], 0.3);
    NEAR(values[4], 0);
    NEAR(values[5], 0);
    NONE(values[6]);
    NONE(values[7]);
    make(bench, 1500, 2500, 2);
    strip_rates(&columns, read_word(bench), 1, 1, values);
    NEAR(values[0], 0.3);
    NEAR(values[1], 0);
    assert_int_equal(strip_column_at(&columns, 2000), 0);
    assert_int_equal(strip_column_at(&columns, 2001), 1);
    assert_int_equal(strip_column_at(&columns, 1499), columns.count);
    assert_int_equal(strip_column_at(&columns, 2501), columns.count);
    bench_free(bench);
}

/* "A column with samples has what came between the last sample before it and the last one in it"; extremes keep what
 * the mean hides. */
static void columns_with_many_samples_have_their_mean_and_highest(void **state)
{
    struct bench *const bench = bench_make();
    uint64_t read = 0, written = 0;

    for (uint64_t i = 1; i <= 40; i++) {
        read += i == 13 ? 900 : 10;
        written += 5;
        put(bench, 100 * i, read, written);
    }
    make(bench, 0, 4000, 4);
    assert_int_equal(columns.count, 4);
    strip_rates(&columns, read_word(bench), 2, 1, values);
    NEAR(values[0], 0.15);
    NEAR(values[1], (900 + 9 * 10 + 50) / 1000.0);
    NEAR(values[3], 0.15);
    strip_highest(&columns, read_word(bench), 2, 1, most);
    NEAR(most[1], 9.05);
    NEAR(most[0], 0.15);
    bench_free(bench);
}

/* "Columns lie on a grid of absolute time": a window that moved on has the same columns. */
static void columns_do_not_flicker_when_the_window_moves(void **state)
{
    struct bench *const bench = bench_make();
    float before[STRIP_COLUMNS];

    for (uint64_t i = 1; i <= 60; i++)
        put(bench, 170 * i, i * i, 0);
    make(bench, 0, 5000, 10);
    strip_rates(&columns, read_word(bench), 1, 1, before);
    make(bench, 1250, 6250, 10);
    assert_int_equal(columns.first_ps, 1000);
    strip_rates(&columns, read_word(bench), 1, 1, values);
    for (unsigned i = 0; i + 2 < 10; i++)
        assert_true(before[i + 2] == values[i]);
    bench_free(bench);
}

/* Nothing to show: no samples, no time, statistics that began later. */
static void empty_windows_have_no_columns(void **state)
{
    struct bench *const bench = bench_make();

    make(bench, 0, 1000, 10);
    assert_int_equal(columns.count, 0);
    bench->words[TELEMETRY_SINCE] = 600;
    put(bench, 1000, 400, 0);
    make(bench, 700, 700, 10);
    assert_int_equal(columns.count, 0);
    make(bench, 0, 1000, 0);
    assert_int_equal(columns.count, 0);
    make(bench, 0, 1000, 4);
    strip_rates(&columns, read_word(bench), 1, 1, values);
    NONE(values[0]);
    NONE(values[1]);
    NEAR(values[2], 1);
    NEAR(values[3], 1);
    make(bench, UINT64_MAX - 10, UINT64_MAX, 4);
    assert_true(columns.count <= STRIP_COLUMNS);
    make(bench, 0, 1000000, UINT32_MAX);
    assert_true(columns.count <= STRIP_COLUMNS);
    bench_free(bench);
}

static void percentiles_shares_and_parts(void **state)
{
    static float shares[2][STRIP_COLUMNS];
    struct bench *const bench = bench_make();
    const struct digest_group *groups = bench->history.digest.groups;
    float (*const found)[STRIP_COLUMNS] = calloc(3, sizeof *found);

    assert_non_null(found);
    put(bench, 1000, 0, 0);
    bench->words[bench->latency + 16] = 94;
    bench->words[bench->latency + 40] = 6;
    bench->words[bench->rob[0]] = 20 * 1000;
    bench->words[bench->rob[1]] = 60 * 1000;
    bench->words[bench->cycles] = 3;
    bench->words[bench->cycles + 2] = 1;
    put(bench, 2000, 0, 0);
    make(bench, 0, 2000, 2);
    strip_percentiles(&columns, &groups[DIGEST_LATENCY], (const double[]){50}, 1, (float *const[]){values});
    NONE(values[0]);
    NEAR(values[1], (1024 + 1152) / 2);
    strip_percentiles(&columns, &groups[DIGEST_LATENCY], (const double[]){95}, 1, (float *const[]){values});
    NEAR(values[1], (double)(latency_bin_floor(40) + latency_bin_floor(41)) / 2);
    strip_shares(&columns, &groups[DIGEST_ROB], shares[0], shares[1]);
    NEAR(shares[0][1], 0.4);
    NEAR(shares[1][1], 0.6);
    strip_parts(&columns, &groups[DIGEST_CYCLES], found, 3);
    NONE(found[0][0]);
    NEAR(found[0][1], 0.75);
    NEAR(found[1][1], 0);
    NEAR(found[2][1], 0.25);
    free(found);
    bench_free(bench);
}

/* ---- rows */

static bool has(const enum strip_row *rows, uint32_t count, enum strip_row row)
{
    for (uint32_t i = 0; i < count; i++)
        if (rows[i] == row)
            return true;
    return false;
}

static uint32_t component_named(const struct bench *bench, const char *name)
{
    for (uint32_t i = 0; i < bench->layout.component_count; i++)
        if (strcmp(bench->layout.components[i].name, name) == 0)
            return i;
    fail_msg("there is no %s", name);
    return TELEMETRY_NONE;
}

/* "none changes when another one begins to move bytes": names, order and colours of series, and those of a run beside
 * it. */
static void a_series_keeps_its_colour(void **state)
{
    static struct strip_data first, later, beside;
    static struct strip_columns own;
    struct bench *const bench = bench_make();

    put(bench, 1000, 0, 0);
    bench->words[bench->moved + 5] = 100;
    put(bench, 2000, 0, 0);
    make(bench, 1000, 2000, 1);
    strip_row_fill(&first, STRIP_REQUESTORS, &columns, NULL);
    for (unsigned i = 0; i < REQUESTORS; i++)
        bench->words[bench->moved + i] += 1000 * (REQUESTORS - i);
    put(bench, 3000, 0, 0);
    make(bench, 2000, 3000, 1);
    strip_row_fill(&later, STRIP_REQUESTORS, &columns, NULL);
    strip_row_fill(&beside, STRIP_REQUESTORS, &columns, &first);
    assert_int_equal(later.count, first.count);
    assert_int_equal(beside.count, first.count);
    for (uint32_t i = 0; i < first.count; i++) {
        assert_string_equal(later.courses[i].name, first.courses[i].name);
        assert_int_equal(later.courses[i].colour, first.courses[i].colour);
        assert_string_equal(beside.courses[i].name, first.courses[i].name);
        assert_int_equal(beside.courses[i].colour, first.courses[i].colour);
        NEAR(beside.values[i][0], later.values[i][0]);
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal(first.courses[i].colour, first.courses[j].colour);
    }
    assert_int_equal(strip_columns_own(&own, &columns, component_named(bench, "cpu3")).kind, FAULT_NONE);
    strip_row_fill_own(&later, STRIP_REQUESTORS, &columns, &own, "cpu3");        /* alone it has that of cpu2-3 */
    assert_int_equal(later.courses[0].colour, first.courses[1].colour);
    strip_columns_own_free(&own);
    bench_free(bench);
}

/* "One column, from a moment at which statistics began": the means of all that came since. */
static void the_whole_run_is_one_column(void **state)
{
    static struct strip_columns whole;
    static struct strip_data data;
    struct bench *const bench = bench_make();

    put(bench, 1000, 900, 0);
    put(bench, 2000, 1000, 300);
    put(bench, 5000, 4000, 600);
    strip_columns_since(&whole, &bench->history, 0);
    assert_int_equal(whole.count, 1);
    strip_row_fill(&data, STRIP_BANDWIDTH, &whole, NULL);
    NEAR(data.values[0][0], 4000 / 5000e-12);
    NEAR(data.values[1][0], 600 / 5000e-12);
    strip_columns_since(&whole, &bench->history, 2000);  /* a recording that begins there */
    strip_row_fill(&data, STRIP_BANDWIDTH, &whole, NULL);
    NEAR(data.values[0][0], 3000 / 3000e-12);
    strip_columns_since(&whole, &bench->history, 5000);
    strip_row_fill(&data, STRIP_BANDWIDTH, &whole, NULL);
    NONE(data.values[0][0]);
    bench_free(bench);
}

/* Rows of what a system does not have are left out; of many requestors, neighbours come together. */
static void rows_are_those_that_the_system_has(void **state)
{
    static struct view view;
    static struct strip_data data, other;
    struct bench *const bench = bench_make();
    enum strip_row rows[STRIP_ROW_COUNT];
    char members[128];
    double sum = 0;
    uint32_t count;

    put(bench, 1000, 0, 0);
    for (unsigned i = 0; i < REQUESTORS; i++)
        bench->words[bench->moved + i] = i == 0 ? 10 : 1000 * i;
    put(bench, 2000, 500, 100);
    view.run_count = 1;
    view.runs[0].history = bench->history;
    count = strip_rows_of(&view, rows);
    assert_true(has(rows, count, STRIP_BANDWIDTH) && has(rows, count, STRIP_LATENCY));
    assert_true(has(rows, count, STRIP_BUFFERS) && has(rows, count, STRIP_CYCLES));
    assert_true(has(rows, count, STRIP_REQUESTORS));
    assert_int_equal(count, 5);
    make(bench, 1000, 2000, 1);
    strip_row_fill(&data, STRIP_BANDWIDTH, &columns, NULL);
    assert_int_equal(data.count, 2);
    NEAR(data.limit, 1e9);
    NEAR(data.values[0][0], 500e9);
    NEAR(data.values[1][0], 100e9);
    strip_row_fill(&data, STRIP_REQUESTORS, &columns, NULL);
    assert_int_equal(data.count, 5);
    assert_string_equal(data.courses[0].name, "cpu0-1");
    assert_string_equal(data.courses[3].name, "cpu6-7");
    assert_string_equal(data.courses[4].name, "cpu8");
    NEAR(data.values[0][0], 1010e9);
    NEAR(data.values[3][0], 13000e9);
    NEAR(data.values[4][0], 8000e9);
    for (uint32_t i = 0; i < data.count; i++)
        sum += (double)data.values[i][0];
    NEAR(sum, 36010e9);
    strip_members(&columns, 0, "cpu6-7", members, sizeof members);
    assert_string_equal(members, "cpu7\t7.00 TB/s\ncpu6\t6.00 TB/s");
    strip_members(&columns, 0, "cpu8", members, sizeof members);
    assert_string_equal(members, "");
    strip_row_fill(&other, STRIP_REQUESTORS, &columns, &data);
    assert_int_equal(other.count, data.count);
    for (uint32_t i = 0; i < data.count; i++)
        assert_string_equal(other.courses[i].name, data.courses[i].name);
    strip_row_fill(&data, STRIP_WARPS, &columns, NULL);
    assert_int_equal(data.count, 0);
    strip_row_fill(&data, STRIP_BUFFERS, &columns, NULL);
    assert_int_equal(data.count, 2);
    assert_true(data.courses[0].has_peer);
    bench_free(bench);
}

/* ---- of one core or SM */

/* "with what one core or SM does": its buffers, cycles and loads where it has them, also where statistics restart in a
 * column. */
static void a_core_has_charts_of_its_own(void **state)
{
    static struct strip_columns own;
    static struct strip_data data;
    struct bench *const bench = bench_make();
    char title[64];

    put(bench, 1000, 0, 0);
    bench->words[bench->rob[0]] = 20 * 1000;
    bench->words[bench->rob[1]] = 60 * 1000;
    bench->words[bench->cycles] = 3;
    bench->words[bench->cycles + 2] = 1;
    bench->words[bench->latency + 16] = 7;
    bench->words[bench->moved] = 500;
    bench->words[bench->moved + 1] = 3000;
    put(bench, 2000, 0, 0);
    make(bench, 0, 2000, 2);
    assert_int_equal(strip_columns_own(&own, &columns, component_named(bench, "cpu1")).kind, FAULT_NONE);
    assert_true(strip_row_has_own(STRIP_BUFFERS, &own));
    assert_false(strip_row_has_own(STRIP_CYCLES, &own));
    assert_false(strip_row_has_own(STRIP_BANDWIDTH, &own));
    assert_true(strip_row_has_own(STRIP_REQUESTORS, &own));
    assert_false(strip_row_has_own(STRIP_SMS, &own));
    strip_row_fill_own(&data, STRIP_REQUESTORS, &columns, &own, "cpu1");
    assert_int_equal(data.count, 1);
    assert_string_equal(data.courses[0].name, "cpu1");
    NEAR(data.values[0][0], 0);
    NEAR(data.values[0][1], 3 * 1e12);
    strip_title(&data, title, sizeof title);
    assert_string_equal(title, "Memory traffic of cpu1");
    strip_row_fill_own(&data, STRIP_BUFFERS, &columns, &own, "cpu1");
    assert_int_equal(data.count, 1);
    assert_false(data.courses[0].has_peer);
    NEAR(data.values[0][0], 0);
    NEAR(data.values[0][1], 0.6);
    strip_title(&data, title, sizeof title);
    assert_string_equal(title, "Core buffers of cpu1");
    strip_columns_own_free(&own);

    /* What came between 2000 and the restart at 2500 is in no counter. */
    bench->words[TELEMETRY_SINCE] = 2500;
    bench->words[bench->rob[0]] = 90 * 500;
    bench->words[bench->cycles] = 0;
    bench->words[bench->cycles + 1] = 4;
    bench->words[bench->cycles + 2] = 0;
    bench->words[bench->latency + 16] = 0;
    put(bench, 3000, 0, 0);
    make(bench, 0, 3000, 1);
    assert_int_equal(strip_columns_own(&own, &columns, component_named(bench, "cpu0")).kind, FAULT_NONE);
    strip_row_fill_own(&data, STRIP_BUFFERS, &columns, &own, "cpu0");
    NEAR(data.values[0][0], (20 * 1000 + 90 * 500) / 2500.0 / 100);
    strip_row_fill_own(&data, STRIP_CYCLES, &columns, &own, "cpu0");
    assert_int_equal(data.count, 3);
    assert_string_equal(data.courses[0].name, "working");
    NEAR(data.values[0][0], 3 / 8.0);
    NEAR(data.values[1][0], 1 / 8.0);
    NEAR(data.values[2][0], 4 / 8.0);
    strip_row_fill_own(&data, STRIP_LATENCY, &columns, &own, "cpu0");
    NEAR(data.values[0][0], (1024 + 1152) / 2);
    strip_columns_own_free(&own);

    strip_row_fill_own(&data, STRIP_CYCLES, &columns, NULL, "cpu7");
    assert_int_equal(data.count, 0);
    strip_row_fill(&data, STRIP_BUFFERS, &columns, NULL);
    strip_title(&data, title, sizeof title);
    assert_string_equal(title, "Core buffers");
    assert_non_null(strstr(strip_meaning(&data, NULL), "How full the buffers are"));
    assert_non_null(strstr(strip_meaning(&data, "sm0"), "for all cores"));
    strip_row_fill(&data, STRIP_GPU_LATENCY, &columns, NULL);
    assert_non_null(strstr(strip_meaning(&data, "sm0"), "not recorded for a single SM"));
    strip_row_fill(&data, STRIP_BUFFERS, &columns, NULL);
    assert_int_equal(data.count, 2);
    bench_free(bench);
}

/* Levels have weight by the time before their sample. */
static void an_sm_has_warps_of_its_own(void **state)
{
    static const char *const states[] = {"free", "ready", "waits"};
    static const uint64_t ready[2][3] = {{3, 1, 0}, {2, 0, 4}};
    static struct strip_columns own;
    static struct strip_data data;
    struct telemetry layout;
    struct history history;
    uint32_t first[2], sms[2], moved;

    telemetry_init(&layout);
    telemetry_add_component(&layout, TELEMETRY_SYSTEM, TELEMETRY_NONE, "system");
    for (unsigned i = 0; i < 2; i++) {
        sms[i] = telemetry_add_component(&layout, TELEMETRY_SM, 0, i ? "sm1" : "sm0");
        first[i] = telemetry_add(&layout, &(struct telemetry_field){
            .component = sms[i], .kind = TELEMETRY_LEVEL, .name = "warps", .unit = "Count", .help = "", .count = 3,
            .limit = 4, .element_names = states
        });
    }
    moved = telemetry_add(&layout, &(struct telemetry_field){
        .component = telemetry_add_component(&layout, TELEMETRY_BUS, 0, "gpu_icnt"), .kind = TELEMETRY_COUNTER,
        .name = "bytes_above", .unit = "Byte", .help = "", .count = 2
    });
    assert_int_equal(telemetry_freeze(&layout).kind, FAULT_NONE);
    assert_int_equal(history_init(&history, &layout, 0).kind, FAULT_NONE);
    for (uint64_t i = 0; i < 3; i++) {
        uint64_t words[TELEMETRY_HEAD + 8] = {i, i < 2 ? 1000 * (i + 1) : 4000, 0};

        assert_int_equal(layout.word_count, sizeof words / sizeof *words);
        for (unsigned sm = 0; sm < 2; sm++) {
            words[layout.fields[first[sm]].first + 1] = ready[sm][i];
            words[layout.fields[first[sm]].first + 2] = 4 - ready[sm][i];
        }
        words[layout.fields[moved].first] = 4000 * i;
        words[layout.fields[moved].first + 1] = 10000 * i;
        history_put(&history, words);
    }
    strip_columns_make(&columns, &history, &(struct time_window){.to_ps = 4000}, 1);
    for (unsigned sm = 0; sm < 2; sm++) {
        double const share = (double)(ready[sm][0] + ready[sm][1] + 2 * ready[sm][2]) / 4 / 4;

        assert_int_equal(strip_columns_own(&own, &columns, sms[sm]).kind, FAULT_NONE);
        assert_true(strip_row_has_own(STRIP_WARPS, &own));
        assert_false(strip_row_has_own(STRIP_LATENCY, &own));
        strip_row_fill_own(&data, STRIP_WARPS, &columns, &own, "sm");
        NEAR(data.values[0][0], share);
        NEAR(data.values[1][0], 1 - share);
        assert_true(strip_row_has_own(STRIP_SMS, &own));
        assert_false(strip_row_has_own(STRIP_REQUESTORS, &own));
        strip_row_fill_own(&data, STRIP_SMS, &columns, &own, "sm");
        assert_int_equal(data.count, 1);
        assert_string_equal(data.courses[0].name, sm ? "sm1" : "sm0");
        NEAR(data.values[0][0], (sm ? 20000 : 8000) / 4000.0 * 1e12);
        strip_columns_own_free(&own);
    }
    history_free(&history);
    telemetry_free(&layout);
}

/* "with the prefetchers of its own caches", and its page walks: a cache behind others is a core's as long as no other
 * core uses it. */
static void prefetchers_count_with_their_core(void **state)
{
    static const char *const requestors[] = {"cpu0.inst", "cpu0.data", "cpu1.mmu.walker", "cpu1.l1d.prefetcher",
                                             "cpu0.l2.prefetcher", "l3.prefetcher", "x.prefetcher"};
    static const char *const caches[] = {"cpu0.l1d", "cpu1.l1d", "cpu0.l2", "l3"};
    static const unsigned links[][2] = {{0, 2}, {1, 3}, {2, 4}, {4, 5}, {3, 5}};
    struct telemetry layout;
    struct digest digest;
    const struct digest_group *group;
    uint64_t words[TELEMETRY_HEAD + 7] = {0, 1000, 0, 1, 10, 100, 1000, 10000, 100000, 1000000}, sums[16];
    uint32_t parts_of[6];

    telemetry_init(&layout);
    telemetry_add_component(&layout, TELEMETRY_SYSTEM, TELEMETRY_NONE, "system");
    for (unsigned i = 0; i < 6; i++)
        parts_of[i] = i < 2 ? telemetry_add_component(&layout, TELEMETRY_CORE, 0, i ? "cpu1" : "cpu0")
                            : telemetry_add_component(&layout, TELEMETRY_CACHE, 0, caches[i - 2]);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        telemetry_link(&layout, &(struct telemetry_link){.from = parts_of[links[i][0]], .to = parts_of[links[i][1]],
                                                         .field = TELEMETRY_NONE});
    telemetry_add(&layout, &(struct telemetry_field){
        .component = 0, .kind = TELEMETRY_COUNTER, .name = "requestor_read_bytes", .unit = "Byte", .help = "",
        .count = 7, .element_names = requestors
    });
    assert_int_equal(telemetry_freeze(&layout).kind, FAULT_NONE);
    assert_int_equal(digest_init(&digest, &layout).kind, FAULT_NONE);
    group = &digest.groups[DIGEST_REQUESTORS];
    assert_int_equal(group->count, 4);
    assert_string_equal(group->names[0], "cpu0");
    assert_string_equal(group->names[1], "cpu1");
    assert_string_equal(group->names[2], "l3.prefetcher");
    assert_string_equal(group->names[3], "x.prefetcher");
    digest_add(&digest, NULL, NULL, words, sums);
    assert_int_equal(sums[group->first], 10011);
    assert_int_equal(sums[group->first + 1], 1100);
    assert_int_equal(sums[group->first + 2], 100000);
    assert_int_equal(sums[group->first + 3], 1000000);
    digest_free(&digest);
    telemetry_free(&layout);
}

/* ---- axes */

static void steps_are_1_2_5(void **state)
{
    static const struct { double span; int most; double step; } cases[] = {
        {10, 10, 1}, {10, 5, 2}, {10, 4, 5}, {10, 2, 5}, {10, 1, 10}, {0.3, 3, 0.1}, {7, 2, 5}, {1e12, 6, 2e11},
        {0, 5, 1}
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        NEAR(axis_step(cases[i].span, cases[i].most), cases[i].step);
}

static void labels_of_time_have_one_unit(void **state)
{
    static const struct { uint64_t from, to; const char *first, *more; } cases[] = {
        {0, 1820000000, "0.0 ms", "0.000 ms"}, {277000000, 369000000, "280 us", "280.00 us"},
        {0, 900, "0 ps", "0.00 ps"}, {1000000, 1000900, "1.0000 us", "1.000000 us"}
    };
    char text[32];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct time_window const window = {.from_ps = cases[i].from, .to_ps = cases[i].to};
        struct time_axis const axis = time_axis_make(&window, 900);

        time_axis_text(&axis, time_axis_first(&axis), 0, text, sizeof text);
        assert_string_equal(text, cases[i].first);
        time_axis_text(&axis, time_axis_first(&axis), 2, text, sizeof text);
        assert_string_equal(text, cases[i].more);
        NEAR(time_axis_x(&axis, (struct area){100, 0, 900, 10}, (double)window.from_ps), 100);
        NEAR(time_axis_x(&axis, (struct area){100, 0, 900, 10}, (double)window.to_ps), 1000);
    }
}

/* Runs have time axes of one width, side by side, inside the area. */
static void time_areas_do_not_overlap(void **state)
{
    for (int width = 300; width < 4000; width += 37) {
        struct area const area = {8, 300, width, 320}, one = panel_time_area(area, 0, 1);
        struct area const left = panel_time_area(area, 0, 2), right = panel_time_area(area, 1, 2);

        assert_true(one.width > 0 && one.x > area.x && one.x + one.width < area.x + area.width);
        assert_int_equal(left.width, right.width);
        assert_true(left.x + left.width < right.x);
        assert_true(right.x + right.width < area.x + area.width);
        assert_int_equal(panel_time_area((struct area){8, 700, width, 100}, 0, 1).x, one.x);
    }
}

int main(void)
{
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(columns_between_samples_have_their_interval),
        cmocka_unit_test(columns_with_many_samples_have_their_mean_and_highest),
        cmocka_unit_test(columns_do_not_flicker_when_the_window_moves),
        cmocka_unit_test(empty_windows_have_no_columns),
        cmocka_unit_test(percentiles_shares_and_parts),
        cmocka_unit_test(a_series_keeps_its_colour),
        cmocka_unit_test(the_whole_run_is_one_column),
        cmocka_unit_test(rows_are_those_that_the_system_has),
        cmocka_unit_test(a_core_has_charts_of_its_own),
        cmocka_unit_test(an_sm_has_warps_of_its_own),
        cmocka_unit_test(prefetchers_count_with_their_core),
        cmocka_unit_test(steps_are_1_2_5),
        cmocka_unit_test(labels_of_time_have_one_unit),
        cmocka_unit_test(time_areas_do_not_overlap)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
