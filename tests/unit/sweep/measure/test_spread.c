/* sweep/measure/spread.h: values, spreads and edges of known numbers. */
#include <math.h>

#include "sweep/measure/spread.h"
#include "tests/support/unit.h"

static struct passes passes_of(const double *cycles, const unsigned *rounds, size_t count)
{
    struct passes passes = {.count = 0};

    for (size_t i = 0; i < count; i++)
        passes_add(&passes, &(struct pass){cycles[i], 1, rounds[i]});
    return passes;
}

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-9)
        fail_msg("%.12f, expected %.12f", value, expected);
}

/* header: "the middle one of the least group of three passes that agree" */
static void the_least_group_counts(void **state)
{
    static const double cycles[] = {120, 100.4, 100, 150, 100.8, 130};
    static const unsigned rounds[] = {0, 0, 1, 1, 2, 2};
    struct passes const passes = passes_of(cycles, rounds, 6);

    (void)state;
    assert_true(passes_are_confirmed(&passes));
    assert_near(passes_value(&passes), 100.4);
}

/* header: "a single pass that is too short is in no group" */
static void one_short_pass_does_not_count(void **state)
{
    static const double cycles[] = {60, 100, 100.2, 100.5};
    static const unsigned rounds[] = {0, 0, 1, 2};
    struct passes const passes = passes_of(cycles, rounds, 4);

    (void)state;
    assert_near(passes_value(&passes), 100.2);
}

/* header: "that are of two rounds at least" */
static void one_round_confirms_nothing(void **state)
{
    static const double cycles[] = {60, 60.1, 60.2, 100, 100.2, 100.5};
    static const unsigned rounds[] = {0, 0, 0, 0, 1, 1};
    struct passes const passes = passes_of(cycles, rounds, 6);

    (void)state;
    assert_near(passes_value(&passes), 100.2);
}

/* header: "without such a group the second least, or the only one. NAN: none" */
static void few_passes_have_values_that_are_not_confirmed(void **state)
{
    static const double cycles[] = {100, 110, 130};
    static const unsigned rounds[] = {0, 1, 2};
    struct passes const three = passes_of(cycles, rounds, 3), one = passes_of(cycles, rounds, 1);
    struct passes const none = {.count = 0};

    (void)state;
    assert_false(passes_are_confirmed(&three));
    assert_near(passes_value(&three), 110);
    assert_near(passes_value(&one), 100);
    assert_true(isnan(passes_value(&none)));
}

/* header: "one that is not finite is not counted"; the least are kept */
static void the_least_passes_are_kept(void **state)
{
    struct passes passes = {.count = 0};

    (void)state;
    passes_add(&passes, &(struct pass){INFINITY, 1, 0});
    passes_add(&passes, &(struct pass){(double)NAN, 1, 0});
    assert_int_equal(passes.count, 0);
    for (unsigned i = 0; i < 2 * MEASURE_KEPT_PASSES; i++)
        passes_add(&passes, &(struct pass){4.0 * MEASURE_KEPT_PASSES - i, 1, i});
    assert_int_equal(passes.count, MEASURE_KEPT_PASSES);
    assert_near(passes.kept[0].cycles, 2 * MEASURE_KEPT_PASSES + 1);
    assert_near(passes.kept[MEASURE_KEPT_PASSES - 1].cycles, 3 * MEASURE_KEPT_PASSES);
}

/* header: "the second least of the passes whose loops beside took no longer than `most`", three, of two rounds */
static void quiet_passes_are_those_with_quiet_loops(void **state)
{
    struct passes passes = {.count = 0};

    (void)state;
    passes_add(&passes, &(struct pass){100, 2, 0});
    passes_add(&passes, &(struct pass){110, 1, 0});
    passes_add(&passes, &(struct pass){120, 1.05, 0});
    passes_add(&passes, &(struct pass){130, 1, 0});
    assert_true(isnan(passes_quiet_value(&passes, 1.1)));
    passes_add(&passes, &(struct pass){140, 1, 1});
    assert_near(passes_quiet_value(&passes, 1.1), 120);
    assert_near(passes_quiet_value(&passes, 3), 110);
    assert_true(isnan(passes_quiet_value(&passes, 0.5)));
}

/* header: "the median of the rounds' leasts above the value, in parts of it" */
static void the_spread_is_that_of_rounds(void **state)
{
    static const double cycles[] = {100, 100, 100}, leasts[] = {100, 140, 110, INFINITY, 104, 100};
    static const unsigned rounds[] = {0, 1, 2};
    struct passes passes = passes_of(cycles, rounds, 3);

    (void)state;
    assert_true(isnan(passes_spread(&passes)));
    for (size_t i = 0; i < sizeof leasts / sizeof leasts[0]; i++)
        passes_end_round(&passes, leasts[i]);
    assert_int_equal(passes.round_count, 5);
    assert_near(passes_spread(&passes), 0.04);
}

/* header: "or the first quartile of all passes ...: the larger of both" */
static void the_spread_is_that_of_passes(void **state)
{
    static const double cycles[] = {100, 100, 100, 109, 120, 130, 140, 150, 160, 170, 180, 190};
    static const unsigned rounds[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
    struct passes passes = passes_of(cycles, rounds, 12);

    (void)state;
    for (size_t i = 0; i < 3; i++)
        passes_end_round(&passes, 100);
    assert_near(passes_spread(&passes), 0.09);
    assert_true(passes_are_confirmed(&passes));
    assert_false(passes_are_steady(&passes));
    for (unsigned i = 0; i < 12; i++)
        passes_add(&passes, &(struct pass){101, 1, i % 3});
    assert_near(passes_spread(&passes), 0.01);
    assert_true(passes_are_steady(&passes));
}

/* Passes that are not kept are passes all the same. */
static void the_quartile_is_of_all_passes(void **state)
{
    struct passes passes = {.count = 0};

    (void)state;
    for (unsigned i = 0; i < 2 * MEASURE_KEPT_PASSES; i++)
        passes_add(&passes, &(struct pass){1000 + (i >= 3 ? i : 0), 1, i % 3});
    for (size_t i = 0; i < 3; i++)
        passes_end_round(&passes, 1000);
    assert_near(passes_spread(&passes), MEASURE_KEPT_PASSES / 2 / 1000.0);
}

/* A core with 32 KiB, 512 KiB and 16 MiB, and memory; the step of each edge belongs to no plateau. */
static const struct curve_point chase[] = {
    {4, 4}, {8, 4}, {16, 4}, {24, 4}, {32, 5}, {48, 13}, {64, 14}, {128, 14}, {256, 14}, {512, 16}, {768, 30},
    {1024, 44}, {2048, 47}, {4096, 50}, {8192, 52}, {16384, 90}, {32768, 300}, {65536, 570}, {131072, 590},
    {262144, 600}
};
enum { CHASE_POINTS = sizeof chase / sizeof chase[0] };

static void levels_have_edges(void **state)
{
    struct curve_level levels[CURVE_MOST_LEVELS];
    size_t const count = curve_levels(chase, CHASE_POINTS, 3, 0.15, levels);

    (void)state;
    assert_int_equal(count, 4);
    assert_near(levels[0].y, 4);
    assert_near(levels[0].edge, 32);
    assert_near(levels[0].next, 48);
    assert_near(levels[1].y, 14);
    assert_near(levels[1].edge, 512);
    assert_near(levels[2].edge, 16384);
    assert_near(levels[2].next, 32768);
    assert_near(levels[3].y, 590);
    assert_true(isnan(levels[3].edge));
}

/* header: "points that are NAN are left out" */
static void levels_do_without_missing_points(void **state)
{
    struct curve_point points[CHASE_POINTS];
    struct curve_level levels[CURVE_MOST_LEVELS];

    (void)state;
    for (size_t i = 0; i < CHASE_POINTS; i++)
        points[i] = chase[i];
    points[1].y = points[8].y = (double)NAN;
    assert_int_equal(curve_levels(points, CHASE_POINTS, 3, 0.15, levels), 4);
    assert_near(levels[1].edge, 512);
    assert_int_equal(curve_levels(points, 5, 3, 0.15, levels), 1);
    assert_int_equal(curve_levels(points, 0, 3, 0.15, levels), 0);
}

/* header: "rises through y for the last time": the disturbed point at 3 is on the low side */
static void the_last_rise_is_the_edge(void **state)
{
    static const struct curve_point points[] = {{1, 10}, {2, 10}, {3, 22}, {4, 10}, {5, (double)NAN}, {6, 20}, {8, 21}};
    size_t below, above;

    (void)state;
    assert_near(curve_crossing(points, 7, 15, &below, &above), 5);
    assert_int_equal(below, 3);
    assert_int_equal(above, 5);
    assert_true(isnan(curve_crossing(points, 7, 30, &below, &above)));
    assert_true(isnan(curve_crossing(points, 7, 5, &below, &above)));
    assert_int_equal(below, 7);
}

static void the_nearest_is_by_ratio(void **state)
{
    static const double list[] = {1, 10};

    (void)state;
    assert_near(nearest_of(list, 2, 3), 1);
    assert_near(nearest_of(list, 2, 3.5), 10);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_group_counts),
        cmocka_unit_test(one_short_pass_does_not_count),
        cmocka_unit_test(one_round_confirms_nothing),
        cmocka_unit_test(few_passes_have_values_that_are_not_confirmed),
        cmocka_unit_test(the_least_passes_are_kept),
        cmocka_unit_test(quiet_passes_are_those_with_quiet_loops),
        cmocka_unit_test(the_spread_is_that_of_rounds),
        cmocka_unit_test(the_spread_is_that_of_passes),
        cmocka_unit_test(the_quartile_is_of_all_passes),
        cmocka_unit_test(levels_have_edges),
        cmocka_unit_test(levels_do_without_missing_points),
        cmocka_unit_test(the_last_rise_is_the_edge),
        cmocka_unit_test(the_nearest_is_by_ratio)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
