/* replay/regions/pairs.h, on samples whose paired differences follow from textbook formulas. */
#include "replay/regions/pairs.h"

#include <math.h>

#include "tests/support/unit.h"

enum { MOST = 8 };

struct side {
    uint32_t numbers[MOST], strata[MOST];
    double moves[MOST];
    struct pairs_side side;
};

/* The mean of values of one weight in one stratum, and what leaving each out does to it. */
static void make_side(struct side *side, const double *values, const uint32_t *numbers, size_t count)
{
    double sum = 0;

    *side = (struct side){0};
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    for (size_t i = 0; i < count; i++) {
        side->numbers[i] = numbers[i];
        side->moves[i] = (sum - values[i]) / (double)(count - 1) - sum / (double)count;
    }
    side->side = (struct pairs_side){{count, side->numbers, side->strata}, side->moves, sum / (double)count};
}

static const uint32_t all[] = {0, 1, 2, 3, 4, 5};

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-6 * fabs(expected)))
        fail_msg("%.9g, expected %.9g", value, expected);
}

/* The t test of paired differences: mean d, t s_d / sqrt(n) sqrt(1 - n / N). */
static void pairs_have_the_interval_of_their_differences(void **state)
{
    const double a[] = {10, 20, 30, 40}, b[] = {12, 21, 33, 42};          /* d: 2 1 3 2, s^2 = 2/3 */
    const uint64_t of[] = {40};
    struct side one, other;
    struct pairs_difference difference;

    (void)state;
    make_side(&one, a, all, 4);
    make_side(&other, b, all, 4);
    difference = pairs_difference(&one.side, &other.side, of, 1, 0.95);
    assert_near(difference.value, 2);
    assert_near(difference.half, 3.182446305 * sqrt(2.0 / 3 / 4 * 0.9));
    assert_true(pairs_differ(difference));
}

/* "of each stratum ... (1/n - 1/N) s^2 of either run, less twice their covariance", here with regions 1 to 4 in a and
 * 0 to 3 in b. */
static void regions_of_one_run_alone_count_for_it(void **state)
{
    const double a[] = {3, 5, 4, 8}, b[] = {2, 4, 5, 3};
    const uint32_t of_a[] = {1, 2, 3, 4}, of_b[] = {0, 1, 2, 3};
    const uint64_t of[] = {1000};
    double const in_a = 14.0 / 3, in_b = 5.0 / 3;                        /* s^2 */
    /* pairs: (3, 4) (5, 5) (4, 3), means 4 and 4 */
    double const covariance = (0.0 * -1 + 1 * 1 + 0 * -1) / 2;
    struct side one, other;
    struct pairs_difference difference;

    (void)state;
    make_side(&one, a, of_a, 4);
    make_side(&other, b, of_b, 4);
    difference = pairs_difference(&one.side, &other.side, of, 1, 0.95);
    assert_near(difference.value, -1.5);
    assert_near(difference.half, 4.302652730 * sqrt((in_a + in_b) * (0.25 - 0.001)
                                                    - 2 * covariance * (3.0 / 16 - 0.001)));
}

static void a_run_is_not_different_from_itself(void **state)
{
    const double a[] = {10, 20, 30, 40};
    const uint64_t of[] = {40};
    struct side one;
    struct pairs_difference difference;

    (void)state;
    make_side(&one, a, all, 4);
    difference = pairs_difference(&one.side, &one.side, of, 1, 0.95);
    assert_true(difference.value == 0 && fabs(difference.half) < 1e-6);
    assert_false(pairs_differ(difference));
}

/* "half NAN: not known, as a stratum has fewer than two pairs" */
static void one_pair_tells_nothing(void **state)
{
    const double a[] = {10, 20}, b[] = {90, 95};
    const uint32_t of_a[] = {0, 1}, of_b[] = {1, 2};
    const uint64_t of[] = {40};
    struct side one, other;
    struct pairs_difference difference;

    (void)state;
    make_side(&one, a, of_a, 2);
    make_side(&other, b, of_b, 2);
    difference = pairs_difference(&one.side, &other.side, of, 1, 0.95);
    assert_true(isnan(difference.half));
    assert_false(pairs_differ(difference));
}

/* A stratum that both have run as a whole adds no error. */
static void whole_strata_are_exact(void **state)
{
    const double a[] = {10, 20}, b[] = {11, 29};
    const uint64_t of[] = {2};
    struct side one, other;
    struct pairs_difference difference;

    (void)state;
    make_side(&one, a, all, 2);
    make_side(&other, b, all, 2);
    difference = pairs_difference(&one.side, &other.side, of, 1, 0.95);
    assert_near(difference.value, 5);
    assert_true(difference.half == 0 && pairs_differ(difference));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_have_the_interval_of_their_differences),
        cmocka_unit_test(regions_of_one_run_alone_count_for_it),
        cmocka_unit_test(a_run_is_not_different_from_itself),
        cmocka_unit_test(one_pair_tells_nothing),
        cmocka_unit_test(whole_strata_are_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
