/* sweep/search/hypervolume.h, search_forest.h, search_genes.h, search.h: volumes that are known, surrogates of
 * functions that are known, and what a search promises about the designs that it asks for. */
#include <math.h>
#include <stdlib.h>

#include "sweep/search/hypervolume.h"
#include "sweep/search/search.h"
#include "sweep/search/search_genes.h"
#include "tests/support/unit.h"

enum { AXES = 4, LEVELS = 6, BATCH = 5, MOST = 64 };

static struct search_axis const axes[AXES] = {{LEVELS, true}, {LEVELS, true}, {LEVELS, false}, {3, false}};

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-12))
        fail_msg("%.15g is not %.15g", value, expected);
}

/* ---- volumes */
static void volumes_are_those_of_boxes(void **state)
{
    double const one[] = {0.5}, stairs[] = {0, 0.5, 0.5, 0, 0.9, 0.9, 0, 0.5}, cubes[] = {0, 0, 0.5, 0.5, 0.5, 0},
                 four[] = {0, 0.5, 0.5, 0.5, 0.5, 0, 0.5, 0.5}, reference[] = {1, 1, 1, 1}, none[] = {1, 0, 0, 2};

    (void)state;
    assert_near(hypervolume(one, 1, 1, reference), 0.5);
    assert_near(hypervolume(stairs, 4, 2, reference), 0.75);
    assert_near(hypervolume(cubes, 2, 3, reference), 0.5 + 0.25 - 0.125);
    assert_near(hypervolume(four, 2, 4, reference), 0.125 + 0.125 - 0.0625);
    assert_near(hypervolume(none, 2, 2, reference), 0);
    assert_near(hypervolume(none, 0, 2, reference), 0);
}

/* The exact volume of whole numbers, cell by cell. */
static double counted(const double *rows, size_t count, size_t objectives)
{
    size_t cells = 1, covered = 0;

    for (size_t m = 0; m < objectives; m++)
        cells *= LEVELS;
    for (size_t cell = 0; cell < cells; cell++) {
        bool is_covered = false;

        for (size_t i = 0; i < count && !is_covered; i++) {
            size_t rest = cell;

            is_covered = true;
            for (size_t m = 0; m < objectives; m++, rest /= LEVELS)
                is_covered &= rows[i * objectives + m] <= (double)(rest % LEVELS);
        }
        covered += is_covered;
    }
    return (double)covered;
}

static void volumes_are_those_counted_by_cells(void **state)
{
    double const reference[] = {LEVELS, LEVELS, LEVELS, LEVELS};
    struct search_draw draw = {1};
    double rows[8 * 4];

    (void)state;
    for (size_t objectives = 1; objectives <= 4; objectives++)
        for (int round = 0; round < 50; round++) {
            for (size_t i = 0; i < 8 * objectives; i++)
                rows[i] = (double)search_draw_below(&draw, LEVELS + 1);
            assert_near(hypervolume(rows, 8, objectives, reference), counted(rows, 8, objectives));
        }
}

static void a_gain_is_the_difference_of_two_volumes(void **state)
{
    double const reference[] = {LEVELS, LEVELS};
    struct search_draw draw = {2};
    double rows[10 * 2];

    (void)state;
    for (int round = 0; round < 500; round++) {
        double row[2] = {(double)search_draw_below(&draw, LEVELS + 2), (double)search_draw_below(&draw, LEVELS + 2)};
        size_t count = search_draw_below(&draw, 9);
        double before, gain;

        for (size_t i = 0; i < 2 * count; i++)
            rows[i] = (double)search_draw_below(&draw, LEVELS + 2);
        before = hypervolume(rows, count, 2, reference);
        count = front_sort(rows, count);
        gain = hypervolume_gain(rows, count, reference, row);
        rows[2 * count] = row[0];
        rows[2 * count + 1] = row[1];
        assert_near(hypervolume(rows, count + 1, 2, reference), before + gain);
    }
}

static void a_front_has_each_of_equal_rows_once(void **state)
{
    double const rows[] = {1, 3, 2, 2, 3, 1, 2, 2, 3, 3, 1, 4};
    bool const skipped[] = {false, false, true, false, false, false};
    bool is_front[6];

    (void)state;
    assert_int_equal(front_mark(rows, 6, 2, NULL, is_front), 3);
    assert_true(is_front[0] && is_front[1] && is_front[2] && !is_front[3] && !is_front[4] && !is_front[5]);
    assert_int_equal(front_mark(rows, 6, 2, skipped, is_front), 2);
    assert_false(is_front[2]);
}

static void designs_are_ranked_by_fronts_and_crowding(void **state)
{
    double const rows[] = {0, 4, 1, 2, 4, 0, 1, 4, 3, 2, 5, 5, 1, 2};
    double distance[7];
    size_t front[7];

    (void)state;
    assert_true(genes_rank(rows, 7, 2, front, distance));
    assert_true(front[0] == 0 && front[1] == 0 && front[2] == 0 && front[6] == 0);
    assert_true(front[3] == 1 && front[4] == 1 && front[5] == 2);
    assert_true(isinf(distance[0]) && isinf(distance[2]));
}

/* ---- the surrogate */
static double additive(const uint32_t *row)
{
    static double const words[LEVELS] = {3, -1, 4, 1, -5, 9};

    return 0.3 * row[0] - 0.1 * row[1] * row[1] + words[row[2]] + row[3];
}

/* The third objective of the searches: a word matters only where a number is high. */
static double joint(const uint32_t *row)
{
    return row[0] >= 3 && (row[2] == 1 || row[2] == 4) ? 0 : 10;
}

static void fill_all(uint32_t *rows)
{
    for (uint32_t i = 0; i < LEVELS * LEVELS * LEVELS * 3; i++) {
        rows[i * AXES] = i % LEVELS;
        rows[i * AXES + 1] = i / LEVELS % LEVELS;
        rows[i * AXES + 2] = i / LEVELS / LEVELS % LEVELS;
        rows[i * AXES + 3] = i / LEVELS / LEVELS / LEVELS;
    }
}

/* The mean error of estimates of all designs, learnt from `known` of them. */
static double mean_error(double (*function)(const uint32_t *row), size_t known)
{
    enum { ALL = LEVELS * LEVELS * LEVELS * 3 };
    static uint32_t rows[ALL * AXES], learnt[ALL * AXES];
    static double values[ALL];
    double samples[SEARCH_SAMPLES], sum = 0;
    struct forest *const forest = forest_make(axes, AXES);
    struct search_draw draw = {3};

    fill_all(rows);
    for (size_t i = 0; i < known; i++) {
        const uint32_t *const row = rows + search_draw_below(&draw, ALL) * AXES;

        for (size_t k = 0; k < AXES; k++)
            learnt[i * AXES + k] = row[k];
        values[i] = function(row);
    }
    assert_non_null(forest);
    assert_true(forest_learn(forest, learnt, values, known, &draw));
    for (size_t i = 0; i < ALL; i++)
        sum += fabs(forest_estimate(forest, rows + i * AXES, samples) - function(rows + i * AXES)) / ALL;
    forest_free(forest);
    return sum;
}

static void estimates_follow_main_effects_and_interactions(void **state)
{
    double const few = mean_error(joint, 40), many = mean_error(joint, 400);

    (void)state;
    if (mean_error(additive, 60) > 0.1)
        fail_msg("a sum of effects is estimated to %g", mean_error(additive, 60));
    if (!(many < 0.3 && many < few / 3))
        fail_msg("an interaction is estimated to %g, with many designs to %g", few, many);
    assert_near(mean_error(additive, 0), mean_error(additive, 0));
}

/* ---- searches */
static bool is_odd_there(void *context, const uint32_t *row)
{
    (void)context;
    return (row[0] + row[1]) % 2 == 1;
}

static struct search_answer answer_of(const uint32_t *row)
{
    return (struct search_answer){
        .objectives = {1 + row[0] + joint(row), 1 + (LEVELS - row[0]) * (1 + row[1]), additive(row)},
        .is_feasible = row[3] != 2
    };
}

/* Asks for up to `most` designs, and keeps them in their order; returns how many there were. */
static size_t run_search(const struct search_problem *problem, size_t most, uint32_t *asked, struct search **kept)
{
    struct search *const search = search_make(problem);
    size_t total = 0, count = 1;

    assert_non_null(search);
    while (count > 0 && total < most) {
        uint32_t *const rows = asked + total * AXES;

        assert_true(search_ask(search, BATCH < most - total ? BATCH : most - total, rows, &count));
        for (size_t i = 0; i < count; i++) {
            struct search_answer const answer = answer_of(rows + i * AXES);

            assert_true(search_tell(search, rows + i * AXES, &answer));
        }
        total += count;
    }
    assert_int_equal(search_told(search), total);
    if (kept)
        *kept = search;
    else
        search_free(search);
    return total;
}

static size_t place_of(const uint32_t *row)
{
    return ((row[0] * LEVELS + row[1]) * LEVELS + row[2]) * 3 + row[3];
}

static void each_design_is_asked_for_once_until_all_are_known(void **state)
{
    enum { ALL = LEVELS * LEVELS * LEVELS * 3 };
    static uint32_t asked[(ALL + BATCH) * AXES];
    static bool was_asked[ALL];
    struct search_problem const problem = {.axes = axes, .axis_count = AXES, .objectives = 2, .seed = 4,
                                           .is_there = is_odd_there};
    size_t const count = run_search(&problem, ALL, asked, NULL);

    (void)state;
    assert_int_equal(count, ALL / 2);
    for (size_t i = 0; i < count; i++) {
        assert_true(is_odd_there(NULL, asked + i * AXES));
        assert_false(was_asked[place_of(asked + i * AXES)]);
        was_asked[place_of(asked + i * AXES)] = true;
    }
}

static void the_same_seed_asks_the_same(void **state)
{
    static uint32_t asked[3][(MOST + BATCH) * AXES];
    struct search_problem problem = {.axes = axes, .axis_count = AXES, .objectives = 3, .seed = 5};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        problem.seed = i == 2 ? 6 : 5;
        assert_int_equal(run_search(&problem, MOST, asked[i], NULL), MOST);
    }
    assert_memory_equal(asked[0], asked[1], MOST * AXES * sizeof asked[0][0]);
    assert_memory_not_equal(asked[0], asked[2], MOST * AXES * sizeof asked[0][0]);
}

static void a_front_is_feasible_and_whole(void **state)
{
    static uint32_t asked[(MOST + BATCH) * AXES];
    bool is_front[MOST];
    struct search_problem const problem = {.axes = axes, .axis_count = AXES, .objectives = 2, .seed = 7};
    struct search *search;
    size_t count, marked = 0, refused = 0;

    (void)state;
    run_search(&problem, MOST, asked, &search);
    assert_true(search_front(search, is_front, &count));
    for (size_t i = 0; i < MOST; i++) {
        marked += is_front[i];
        refused += search_row(search, i)[3] == 2;
        if (is_front[i])
            assert_true(search_answer_of(search, i)->is_feasible);
    }
    assert_true(count > 0 && marked == count);
    /* a third of all designs is not feasible; a search learns to leave them out */
    if (refused > MOST / 5)
        fail_msg("%zu of %d designs were not feasible", refused, MOST);
    search_free(search);
}

/* Failed runs have no figures: they teach that they fail, and nothing else. */
static void a_search_goes_on_where_all_fail(void **state)
{
    struct search_problem const problem = {.axes = axes, .axis_count = AXES, .objectives = 2, .seed = 8};
    struct search *const search = search_make(&problem);
    struct search_answer const failed = {.objectives = {NAN, NAN}, .is_feasible = true};
    uint32_t rows[BATCH * AXES];
    bool is_front[MOST + BATCH];
    size_t count, told = 0;

    (void)state;
    assert_non_null(search);
    for (; told < MOST; told += count) {
        assert_true(search_ask(search, BATCH, rows, &count));
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++)
            assert_true(search_tell(search, rows + i * AXES, &failed));
    }
    assert_true(search_front(search, is_front, &count));
    assert_int_equal(count, 0);
    search_free(search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes_are_those_of_boxes),
        cmocka_unit_test(volumes_are_those_counted_by_cells),
        cmocka_unit_test(a_gain_is_the_difference_of_two_volumes),
        cmocka_unit_test(a_front_has_each_of_equal_rows_once),
        cmocka_unit_test(designs_are_ranked_by_fronts_and_crowding),
        cmocka_unit_test(estimates_follow_main_effects_and_interactions),
        cmocka_unit_test(each_design_is_asked_for_once_until_all_are_known),
        cmocka_unit_test(the_same_seed_asks_the_same),
        cmocka_unit_test(a_front_is_feasible_and_whole),
        cmocka_unit_test(a_search_goes_on_where_all_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
