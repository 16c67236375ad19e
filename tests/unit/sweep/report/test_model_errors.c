/* sweep/report/effects.h: errors of models against the truest one of a sweep. */
#include <math.h>

#include "sweep/report/effects.h"
#include "tests/support/unit.h"

enum { AXES = 3, SIZES = 2, WORKLOADS = 2, MOST_MODELS = 3, POINTS = SIZES * WORKLOADS * MOST_MODELS };

static const char *models[MOST_MODELS];
static struct effects_axis axes[AXES] = {{"l2.size", NULL, SIZES}, {"cpu.model", models, 0},
                                         {"traces", NULL, WORKLOADS}};
static uint32_t levels[POINTS * AXES];
static double values[POINTS];
static struct effects_space space = {.axes = axes, .axis_count = AXES, .workload_axis = 2, .levels = levels,
                                     .values = values};

/* Elastic is `elastic` times as slow as the truth, and twice that on the second size; window always is 1.1 times. */
static void fill(const char *first, const char *second, const char *third)
{
    const char *const names[MOST_MODELS] = {first, second, third};

    axes[1].levels = third ? 3 : 2;
    space.point_count = 0;
    for (uint32_t size = 0; size < SIZES; size++)
        for (uint32_t model = 0; model < axes[1].levels; model++)
            for (uint32_t workload = 0; workload < WORKLOADS; workload++) {
                size_t const point = space.point_count++;
                double const truth = 100 * (workload + 1) * (size + 1);

                models[model] = names[model];
                levels[point * AXES] = size;
                levels[point * AXES + 1] = model;
                levels[point * AXES + 2] = workload;
                values[point] = names[model][0] == 'e' ? truth * (size ? 0.75 : 1.5)
                              : names[model][0] == 'w' ? truth * 1.1 : truth;
            }
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-12))
        fail_msg("%.15g is not %.15g", value, expected);
}

static void each_is_compared_with_the_truest(void **state)
{
    struct model_error errors[MODEL_ERRORS_MOST];
    size_t count;

    fill("elastic", "detailed", "window");
    assert_true(model_errors(&space, errors, &count));
    assert_int_equal(count, 2);
    assert_string_equal(errors[0].model, "window");
    assert_string_equal(errors[1].model, "elastic");
    assert_string_equal(errors[0].against, "detailed");
    assert_string_equal(errors[1].against, "detailed");
    assert_int_equal(errors[1].points, SIZES * WORKLOADS);
    assert_near(errors[0].mean, 0.1);
    assert_near(errors[0].change_magnitude, 0);
    assert_near(errors[1].mean, 0.125);
    assert_near(errors[1].mean_magnitude, 0.375);
    assert_near(errors[1].worst, 0.5);
    assert_near(errors[1].change_magnitude, 0.5);
}

static void without_a_detailed_one_window_is_the_truest(void **state)
{
    struct model_error errors[MODEL_ERRORS_MOST];
    size_t count;

    fill("elastic", "window", NULL);
    assert_true(model_errors(&space, errors, &count));
    assert_int_equal(count, 1);
    assert_string_equal(errors[0].against, "window");
    assert_near(errors[0].worst, 1.5 / 1.1 - 1);
}

static void points_without_a_value_count_nowhere(void **state)
{
    struct model_error errors[MODEL_ERRORS_MOST];
    size_t count;

    fill("elastic", "window", NULL);
    for (size_t i = 0; i < space.point_count; i++)
        if (levels[i * AXES] == 1 || (levels[i * AXES + 1] == 1 && levels[i * AXES + 2] == 0))
            values[i] = NAN;
    assert_true(model_errors(&space, errors, &count));
    assert_int_equal(count, 1);
    assert_int_equal(errors[0].points, 1);
    assert_true(isnan(errors[0].change_magnitude));
}

static void one_model_has_no_error(void **state)
{
    struct model_error errors[MODEL_ERRORS_MOST];
    size_t count;

    fill("auto", "window", NULL);
    assert_true(model_errors(&space, errors, &count));
    assert_int_equal(count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_compared_with_the_truest),
        cmocka_unit_test(without_a_detailed_one_window_is_the_truest),
        cmocka_unit_test(points_without_a_value_count_nowhere), cmocka_unit_test(one_model_has_no_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
