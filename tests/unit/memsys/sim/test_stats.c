/* memsys/sim/sim_statistics.h, memsys/sim/histogram.h: which figures a statistic has, how they are called and
 * printed. Expected lines were taken from the reference's own output or worked out by hand from its rules. */
#include "memsys/sim/sim_statistics.h"
#include "tests/support/unit.h"

static struct stats stats;
static char text[8192];

static int set_up(void **state)
{
    stats_init(&stats);
    stats_group(&stats, "system.%s", "x");
    text[0] = '\0';
    return 0;
}

static int tear_down(void **state)
{
    stats_free(&stats);
    return 0;
}

/* "name value[ share cumulated]" */
static void append(void *context, const struct stat_leaf *leaf)
{
    size_t const used = strlen(text);
    char value[64];

    (void)context;
    stats_format_value(value, sizeof value, leaf->value, leaf->precision);
    if (leaf->share == leaf->share)
        snprintf(text + used, sizeof text - used, "%s %s %.2f %.2f\n", leaf->name, value, leaf->share * 100,
                 leaf->cumulated * 100);
    else
        snprintf(text + used, sizeof text - used, "%s %s\n", leaf->name, value);
}

static void expect(enum stats_selection selection, uint64_t now_ps, const char *lines)
{
    text[0] = '\0';
    stats_visit(&stats, now_ps, selection, append, NULL);
    assert_string_equal(text, lines);
}

static void add(struct stat_entry entry)
{
    entry.unit = "Count";
    entry.help = "help";
    stats_add(&stats, &entry);
}

/* STAT_PRECISION_AUTO: "whole numbers without decimals, others with six" */
static void values_are_printed_as_the_reference_does(void **state)
{
    char value[64];

    assert_string_equal(stats_format_value(value, sizeof value, 480810000, STAT_PRECISION_AUTO), "480810000");
    assert_string_equal(stats_format_value(value, sizeof value, 0.1237124, STAT_PRECISION_AUTO), "0.123712");
    assert_string_equal(stats_format_value(value, sizeof value, 34, 2), "34.00");
    assert_string_equal(stats_format_value(value, sizeof value, 1730413260.955, STAT_NO_DECIMALS), "1730413261");
    assert_string_equal(stats_format_value(value, sizeof value, -NAN, 2), "nan");
    assert_string_equal(stats_format_value(value, sizeof value, INFINITY, STAT_PRECISION_AUTO), "inf");
}

static void zeros_are_left_out_where_asked(void **state)
{
    static uint64_t counters[3] = {0, 7, 0};
    static const char *const names[] = {"a", "b", ""};

    add((struct stat_entry){.name = "kept", .source = counters, .precision = STAT_PRECISION_AUTO});
    add((struct stat_entry){.name = "gone", .source = counters, .flags = STAT_NO_ZERO,
                            .precision = STAT_PRECISION_AUTO});
    add((struct stat_entry){.name = "some", .source = counters, .columns = 3, .column_names = names,
                            .flags = STAT_NO_ZERO | STAT_WITH_TOTAL, .precision = STAT_PRECISION_AUTO});
    expect(STATS_SHOWN, 0, "system.x.kept 0\nsystem.x.some::b 7\nsystem.x.some::total 7\n");
}

/* "exactly stats_record_size figures, always the same ones" */
static void records_have_a_fixed_size(void **state)
{
    static uint64_t counters[2];
    size_t before;

    add((struct stat_entry){.name = "v", .source = counters, .columns = 2, .flags = STAT_NO_ZERO | STAT_WITH_TOTAL,
                            .precision = STAT_PRECISION_AUTO});
    assert_int_equal(stats_freeze(&stats).kind, FAULT_NONE);
    before = stats_record_size(&stats);
    assert_int_equal(before, 3);
    expect(STATS_ALL, 0, "system.x.v::0 0\nsystem.x.v::1 0\nsystem.x.v::total 0\n");
    counters[1] = 5;
    expect(STATS_ALL, 0, "system.x.v::0 0\nsystem.x.v::1 5\nsystem.x.v::total 5\n");
    counters[1] = 0;
}

/* A pair of ports: "pktCount_above::below"; one column has no row total, one row no total of all. */
static void matrices_name_rows_and_columns(void **state)
{
    static uint64_t packets[2][2] = {{3, 4}, {0, 0}};
    static const char *const above[] = {"l1i", "l1d"}, *const below[] = {"c0", "c1"};
    struct stat_entry entry = {.name = "pkt", .source = packets, .rows = 2, .columns = 2, .row_names = above,
                               .column_names = below, .flags = STAT_NO_ZERO | STAT_WITH_TOTAL,
                               .precision = STAT_PRECISION_AUTO};

    add(entry);
    expect(STATS_SHOWN, 0, "system.x.pkt_l1i::c0 3\nsystem.x.pkt_l1i::c1 4\nsystem.x.pkt_l1i::total 7\n"
                           "system.x.pkt::total 7\n");
    stats_free(&stats);
    stats_group(&stats, "%s", "");
    entry.columns = 1;
    add(entry);
    entry.rows = 1;
    add(entry);
    expect(STATS_SHOWN, 0, "pkt_l1i::c0 3\npkt_l1d::c0 4\npkt::total 7\npkt_l1i::c0 3\n");
}

/* membus.snoopFanout of the reference case wide-triad, and one with both values. */
static void distributions_have_shares(void **state)
{
    static uint64_t counts[2] = {13000, 0};

    add((struct stat_entry){.name = "f", .kind = STAT_DISTRIBUTION, .source = counts, .columns = 2,
                            .precision = STAT_PRECISION_AUTO});
    expect(STATS_SHOWN, 0, "system.x.f::samples 13000\nsystem.x.f::mean 0\nsystem.x.f::stdev 0\n"
                           "system.x.f::underflows 0 0.00 0.00\nsystem.x.f::0 13000 100.00 100.00\n"
                           "system.x.f::1 0 0.00 100.00\nsystem.x.f::overflows 0 0.00 100.00\n"
                           "system.x.f::min_value 0\nsystem.x.f::max_value 0\nsystem.x.f::total 13000\n");
    counts[0] = 1;
    counts[1] = 3;
    expect(STATS_SHOWN, 0, "system.x.f::samples 4\nsystem.x.f::mean 0.750000\nsystem.x.f::stdev 0.500000\n"
                           "system.x.f::underflows 0 0.00 0.00\nsystem.x.f::0 1 25.00 25.00\n"
                           "system.x.f::1 3 75.00 100.00\nsystem.x.f::overflows 0 0.00 100.00\n"
                           "system.x.f::min_value 0\nsystem.x.f::max_value 1\nsystem.x.f::total 4\n");
    counts[0] = 13000;
    counts[1] = 0;
}

/* "a histogram doubles the width of its bins when a sample lies beyond the last"; empty ones are not shown */
static void histograms_grow(void **state)
{
    struct histogram histogram;

    assert_int_equal(histogram_init(&histogram, 4).kind, FAULT_NONE);
    add((struct stat_entry){.name = "h", .kind = STAT_HISTOGRAM, .source = &histogram, .flags = STAT_NO_ZERO,
                            .precision = STAT_PRECISION_AUTO});
    expect(STATS_SHOWN, 0, "");
    histogram_sample(&histogram, 2);
    expect(STATS_SHOWN, 0, "system.x.h::samples 1\nsystem.x.h::mean 2\nsystem.x.h::gmean 2\nsystem.x.h::stdev nan\n"
                           "system.x.h::2 1 100.00 100.00\nsystem.x.h::total 1\n");
    histogram_sample(&histogram, 3);
    histogram_sample(&histogram, 9);
    assert_int_equal(histogram.bin_width, 4);
    expect(STATS_SHOWN, 0, "system.x.h::samples 3\nsystem.x.h::mean 4.666667\nsystem.x.h::gmean 3.779763\n"
                           "system.x.h::stdev 3.785939\nsystem.x.h::0-3 2 66.67 66.67\n"
                           "system.x.h::8-11 1 33.33 100.00\nsystem.x.h::total 3\n");
    histogram_sample(&histogram, 0);
    histogram_reset(&histogram);
    assert_int_equal(histogram.bin_width, 1);
    expect(STATS_SHOWN, 0, "");
    histogram_free(&histogram);
}

/* Bins of odd number: the last one pairs with nothing. */
static void odd_histograms_keep_all_samples(void **state)
{
    struct histogram histogram;
    uint64_t total = 0;

    assert_int_equal(histogram_init(&histogram, 5).kind, FAULT_NONE);
    for (uint64_t value = 0; value < 40; value++)
        histogram_sample(&histogram, value);
    for (uint32_t i = 0; i < histogram.bin_count; i++) {
        assert_int_equal(histogram.bins[i], 8);
        total += histogram.bins[i];
    }
    assert_int_equal(histogram.bin_width, 8);
    assert_int_equal(total, 40);
    histogram_free(&histogram);
}

static double per_second(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const uint64_t *const counter = context;

    (void)argument;
    (void)column;
    return (double)*counter / stats_seconds(time);
}

static void reset_to_zero(void *owner, uint64_t now_ps)
{
    uint64_t *const counter = owner;

    (void)now_ps;
    *counter = 0;
}

static void a_reset_starts_time_and_counters(void **state)
{
    static uint64_t counter = 10;

    add((struct stat_entry){.name = "rate", .kind = STAT_FORMULA, .formula = per_second, .source = &counter,
                            .precision = STAT_PRECISION_AUTO});
    stats_on_reset(&stats, reset_to_zero, &counter);
    assert_int_equal(stats_freeze(&stats).kind, FAULT_NONE);
    expect(STATS_SHOWN, 2000000000000, "system.x.rate 5\n");
    stats_reset(&stats, 2000000000000);
    counter += 3;
    expect(STATS_SHOWN, 3000000000000, "system.x.rate 3\n");
}

/* The reference's average counts the current tick: (0 x 10 + 4 x 90 + 4) / 101. */
static void levels_are_averaged_over_time(void **state)
{
    struct occupancy level = {0};

    occupancy_set(&level, 10, 4);
    add((struct stat_entry){.name = "q", .kind = STAT_LEVEL, .source = &level, .precision = 2});
    expect(STATS_SHOWN, 100, "system.x.q 3.60\n");
}

/* STAT_OURS: "not in stats.txt, only in JSON" */
static void our_own_figures_stay_out_of_the_reference_layout(void **state)
{
    static uint64_t counter = 1;

    add((struct stat_entry){.name = "own", .source = &counter, .flags = STAT_OURS, .precision = STAT_PRECISION_AUTO});
    expect(STATS_SHOWN, 0, "");
    expect(STATS_SHOWN_AND_OURS, 0, "system.x.own 1\n");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

static bool call_part(const void *context, const char *name, char *called, size_t size)
{
    snprintf(called, size, "%s%s", (const char *)context, name);
    return strcmp(name, "l1d1") == 0;
}

/* "Statistics of that component are called otherwise wherever not the reference's names are wanted"; "The same for rows
 * and columns" */
static void components_rows_and_columns_have_other_names(void **state)
{
    static const char *const rows[] = {"cpu1", "l1d1"}, *const columns[] = {"l1d1", "all"}, *const plain[] = {"a", "b"};
    uint64_t counted[2][2] = {{1, 2}, {3, 4}};

    (void)state;
    stats_call_parts(&stats, call_part, "our_");
    stats_call(&stats, "system.x", "system.y");
    add((struct stat_entry){.name = "m", .source = counted, .rows = 2, .columns = 2, .row_names = rows,
                            .column_names = columns});
    add((struct stat_entry){.name = "p", .source = counted, .columns = 2, .column_names = plain});
    stats_call(&stats, "", "");
    add((struct stat_entry){.name = "v", .source = counted, .columns = 2, .column_names = columns});
    stats_call_parts(&stats, NULL, NULL);
    add((struct stat_entry){.name = "w", .source = counted, .columns = 2, .column_names = columns});
    expect(STATS_SHOWN, 0,
           "system.x.m_cpu1::l1d1 1\nsystem.x.m_cpu1::all 2\nsystem.x.m_l1d1::l1d1 3\nsystem.x.m_l1d1::all 4\n"
           "system.x.p::a 1\nsystem.x.p::b 2\nsystem.x.v::l1d1 1\nsystem.x.v::all 2\nsystem.x.w::l1d1 1\n"
           "system.x.w::all 2\n");
    expect(STATS_SHOWN_AND_OURS, 0,
           "system.y.m_cpu1::our_l1d1 1\nsystem.y.m_cpu1::all 2\nsystem.y.m_our_l1d1::our_l1d1 3\n"
           "system.y.m_our_l1d1::all 4\nsystem.y.p::a 1\nsystem.y.p::b 2\nsystem.x.v::our_l1d1 1\n"
           "system.x.v::all 2\nsystem.x.w::l1d1 1\nsystem.x.w::all 2\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(values_are_printed_as_the_reference_does),
        TEST(zeros_are_left_out_where_asked),
        TEST(records_have_a_fixed_size),
        TEST(matrices_name_rows_and_columns),
        TEST(distributions_have_shares),
        TEST(histograms_grow),
        TEST(odd_histograms_keep_all_samples),
        TEST(a_reset_starts_time_and_counters),
        TEST(levels_are_averaged_over_time),
        TEST(our_own_figures_stay_out_of_the_reference_layout),
        TEST(components_rows_and_columns_have_other_names)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
