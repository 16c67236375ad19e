/* sweep/report/effects.h: means, interactions, designs and fronts of small spaces whose answers are known. */
#include <math.h>

#include "sweep/report/effects.h"
#include "tests/support/unit.h"

enum { ROWS = 3, COLUMNS = 2, WORKLOADS = 2, POINTS = ROWS * COLUMNS * WORKLOADS, AXES = 3 };

static struct effects_axis axes[AXES] = {{"row", NULL, ROWS}, {"column", NULL, COLUMNS}, {"traces", NULL, WORKLOADS}};
static uint32_t levels[POINTS * AXES];
static double values[POINTS], relative[POINTS];
static struct effects_space space = {
    .axes = axes, .axis_count = AXES, .workload_axis = 2, .levels = levels, .values = values, .relative = relative,
    .point_count = POINTS
};

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-12))
        fail_msg("%.15g is not %.15g", value, expected);
}

/* Row r costs 2^r, column c 3^c, workload w 1000^w; `extra` more in the last cell. */
static void fill(double extra)
{
    for (uint32_t point = 0; point < POINTS; point++) {
        uint32_t const row = point / (COLUMNS * WORKLOADS), column = point / WORKLOADS % COLUMNS;
        uint32_t const workload = point % WORKLOADS;

        levels[point * AXES] = row;
        levels[point * AXES + 1] = column;
        levels[point * AXES + 2] = workload;
        values[point] = pow(2, row) * pow(3, column) * pow(1000, workload)
                        * (row == ROWS - 1 && column == COLUMNS - 1 ? extra : 1);
    }
    effects_relate(&space);
}

/* "each counts by its ratio to the geometric mean of its workload" */
static void workloads_of_any_size_count_alike(void **state)
{
    fill(1);
    for (size_t point = 0; point < POINTS; point += WORKLOADS)
        assert_near(relative[point], relative[point + 1]);
    assert_near(relative[0], 1 / (2 * sqrt(3)));
}

static void a_level_has_the_mean_of_its_points(void **state)
{
    struct effects_mean means[ROWS];

    fill(1);
    assert_near(effects_main(&space, 0, EFFECTS_ALL, means), 3);      /* 4 / 1 - 1 */
    assert_near(means[0].mean, 0.5);
    assert_near(means[1].mean, 1);
    assert_near(means[2].mean, 2);
    assert_near(means[2].low, 2 / sqrt(3));
    assert_near(means[2].high, 2 * sqrt(3));
    assert_int_equal(means[2].count, COLUMNS * WORKLOADS);
    assert_near(effects_main(&space, 1, EFFECTS_ALL, means), 2);
    assert_near(effects_main(&space, 2, EFFECTS_ALL, means), 0);      /* a workload is no effect */
}

/* "0 if they just multiply" */
static void pairs_show_interaction_beyond_both_effects(void **state)
{
    double means[ROWS * COLUMNS];

    fill(1);
    assert_near(effects_pair(&space, 0, 1, means), 0);
    assert_near(means[2 * COLUMNS + 1], 2 * sqrt(3));
    fill(8);
    /* residuals of one cell of log 8 in three rows and two columns: (1 - 1/2)(1 - 1/3) log 8 at most */
    assert_near(effects_pair(&space, 0, 1, means), 1);
}

static void points_without_a_value_count_nowhere(void **state)
{
    struct effects_mean means[ROWS];
    double cells[ROWS * COLUMNS];

    fill(1);
    for (size_t point = 0; point < COLUMNS * WORKLOADS; point++)
        values[point] = point % 2 ? NAN : 0;
    effects_relate(&space);
    assert_near(effects_main(&space, 0, EFFECTS_ALL, means), 1);
    assert_true(isnan(means[0].mean) && isnan(means[0].low) && means[0].count == 0);
    assert_near(effects_pair(&space, 0, 1, cells), 0);
    assert_true(isnan(cells[0]) && isnan(cells[1]));
}

/* "what points share that differ in the workload only"; "complete: all workloads that any design has are known" */
static void designs_join_their_workloads(void **state)
{
    struct effects_design designs[POINTS];
    size_t of[POINTS];

    fill(1);
    values[5] = NAN;
    effects_relate(&space);
    assert_int_equal(effects_designs(&space, designs, of), ROWS * COLUMNS);
    for (size_t point = 0; point < POINTS; point++)
        assert_int_equal(of[point], point / WORKLOADS);
    assert_int_equal(designs[2].first, 4);
    assert_int_equal(designs[2].known, 1);
    assert_false(designs[2].is_complete);
    assert_true(designs[1].is_complete);
    assert_near(designs[1].relative, sqrt(relative[2] * relative[3]));
}

/* Against the definition, point by point, on random costs. */
static void the_front_is_as_defined(void **state)
{
    enum { MANY = 60 };
    struct effects_design designs[MANY];

    srand(7);
    for (size_t i = 0; i < MANY; i++)
        designs[i] = (struct effects_design){
            .is_complete = rand() % 5 != 0, .cost = rand() % 12, .relative = 1 + rand() % 12
        };
    effects_front(designs, MANY);
    for (size_t i = 0; i < MANY; i++) {
        int dominated = 0;

        for (size_t j = 0; j < MANY; j++)
            dominated |= designs[j].is_complete && designs[j].cost <= designs[i].cost
                         && designs[j].relative <= designs[i].relative
                         && !(designs[j].cost >= designs[i].cost && designs[j].relative >= designs[i].relative);
        assert_int_equal(designs[i].is_on_front, designs[i].is_complete && !dominated);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workloads_of_any_size_count_alike),
        cmocka_unit_test(a_level_has_the_mean_of_its_points),
        cmocka_unit_test(pairs_show_interaction_beyond_both_effects),
        cmocka_unit_test(points_without_a_value_count_nowhere),
        cmocka_unit_test(designs_join_their_workloads),
        cmocka_unit_test(the_front_is_as_defined),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
