/* replay/regions/estimate.h, on runs whose estimates and intervals follow from textbook formulas. */
#include "replay/regions/estimate.h"

#include <math.h>

#include "tests/support/unit.h"

enum { MOST = 8 };

struct sample {
    struct region regions[MOST];
    struct region_stratum strata[2];
    struct region_set set;
};

/* Regions of one weight; those from `second` on are of the second stratum. */
static void make_sample(struct sample *sample, size_t count, size_t second, uint64_t first_of, uint64_t second_of)
{
    *sample = (struct sample){.strata = {{.intervals = first_of}, {.intervals = second_of}}};
    for (size_t i = 0; i < count; i++)
        sample->regions[i] = (struct region){.instructions = 1000, .weight = 1 / (double)count,
                                             .stratum = i >= second};
    sample->set = (struct region_set){
        .method = REGIONS_STRATIFIED, .instructions = 1000000, .regions = sample->regions, .count = count,
        .strata = sample->strata, .stratum_count = second < count ? 2 : 1};
}

static void estimate_of(struct estimate *estimate, const struct sample *sample, const double *cycles)
{
    assert_int_equal(estimate_begin(estimate, &sample->set).kind, FAULT_NONE);
    for (size_t i = 0; i < sample->set.count; i++) {
        estimate_add(estimate, i, "simTicks", 500 * cycles[i]);
        estimate_add(estimate, i, "system.cpu.numCycles", cycles[i]);
        estimate_add(estimate, i, "system.cpu.commitStats0.numInsts", 1000);
        estimate_add(estimate, i, "system.l1d.avgMshrsInUse", i == 0 ? 4 : 1);
    }
    assert_int_equal(estimate_make(estimate, 0.95).kind, FAULT_NONE);
}

static const struct estimated *metric_of(const struct estimate *estimate, const char *name)
{
    for (size_t i = 0; i < estimate->metric_count; i++)
        if (strcmp(estimate->metrics[i].name, name) == 0)
            return &estimate->metrics[i];
    fail_msg("no metric %s", name);
    return NULL;
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-6 * fabs(expected)))
        fail_msg("%.9g, expected %.9g", value, expected);
}

/* Of one stratum: the mean, and t s / sqrt(n) sqrt(1 - n / N). */
static void one_stratum_has_the_interval_of_a_mean(void **state)
{
    const double cycles[] = {1000, 1200, 1500, 900};
    struct estimate estimate;
    struct sample sample;

    (void)state;
    make_sample(&sample, 4, 4, 40, 0);
    estimate_of(&estimate, &sample, cycles);
    assert_near(metric_of(&estimate, "cpi")->value, 1.15);
    assert_near(metric_of(&estimate, "cpi")->half, 3.182446305 * sqrt(70000.0 / 4 * 0.9) / 1000);
    assert_near(metric_of(&estimate, "time_ms")->value, 1150 * 1000 * 500e-9);
    estimate_free(&estimate);
}

/* Of two: each adds its variance by the square of its share, and takes a degree of freedom. */
static void strata_add_their_variances(void **state)
{
    const double cycles[] = {1000, 1200, 3000, 3400};
    double const first = 20000.0 / 2 / 4, second = 80000.0 / 2 / 4;       /* s^2 / n, by (1/2)^2 */
    struct estimate estimate;
    struct sample sample;

    (void)state;
    make_sample(&sample, 4, 2, 1000000, 1000000);
    estimate_of(&estimate, &sample, cycles);
    assert_near(metric_of(&estimate, "cpi")->value, 2.15);
    assert_near(metric_of(&estimate, "cpi")->half / (4.302652730 * sqrt((first + second) * (1 - 2e-6)) / 1000), 1);
    estimate_free(&estimate);
}

/* "A stratum of which one region stands for several intervals says nothing of its spread" */
static void single_regions_have_no_interval(void **state)
{
    const double cycles[] = {1000, 1200, 1500};
    struct estimate estimate;
    struct sample sample;

    (void)state;
    make_sample(&sample, 3, 2, 40, 2);
    estimate_of(&estimate, &sample, cycles);
    assert_false(estimate.has_intervals);
    assert_true(isnan(metric_of(&estimate, "cpi")->half));
    estimate_free(&estimate);
}

/* ... and one that was taken as a whole adds no error. */
static void whole_strata_add_nothing(void **state)
{
    const double cycles[] = {1000, 1200, 9000};
    struct estimate estimate;
    struct sample sample;

    (void)state;
    make_sample(&sample, 3, 2, 40, 1);
    estimate_of(&estimate, &sample, cycles);
    assert_true(estimate.has_intervals);
    assert_near(metric_of(&estimate, "cpi")->half, 12.70620474 * 2.0 / 3 * 0.1 * sqrt(0.95));
    estimate_free(&estimate);
}

/* "averages over time are weighted by time" */
static void averages_are_weighted_by_time(void **state)
{
    const double cycles[] = {1000, 3000};
    struct estimate estimate;
    struct sample sample;

    (void)state;
    make_sample(&sample, 2, 2, 2, 0);
    estimate_of(&estimate, &sample, cycles);
    assert_near(metric_of(&estimate, "mlp")->value, (4 * 1000 + 1 * 3000) / 4000.0);
    estimate_free(&estimate);
}

/* "the sample is of the others, of each stratum some": as if the others had not been chosen. */
static void regions_not_taken_leave_their_weight_to_others(void **state)
{
    const double cycles[] = {1000, 1200, 1500, 900};
    struct estimate estimate, of_three;
    struct sample sample, three;

    (void)state;
    make_sample(&sample, 4, 4, 40, 0);
    make_sample(&three, 3, 3, 40, 0);
    estimate_of(&of_three, &three, cycles);
    assert_int_equal(estimate_begin(&estimate, &sample.set).kind, FAULT_NONE);
    for (size_t i = 0; i < 3; i++) {
        estimate_add(&estimate, i, "simTicks", 500 * cycles[i]);
        estimate_add(&estimate, i, "system.cpu.numCycles", cycles[i]);
        estimate_add(&estimate, i, "system.cpu.commitStats0.numInsts", 1000);
    }
    assert_int_equal(estimate_make(&estimate, 0.95).kind, FAULT_NONE);
    assert_near(metric_of(&estimate, "cpi")->value, metric_of(&of_three, "cpi")->value);
    assert_near(metric_of(&estimate, "cpi")->half, metric_of(&of_three, "cpi")->half);
    assert_near(metric_of(&estimate, "cpi")->moves[0], (1.2 + 1.5) / 2 - 3.7 / 3);
    estimate_free(&estimate);
    estimate_free(&of_three);
}

static void t_is_that_of_tables(void **state)
{
    (void)state;
    assert_near(estimate_t(0.95, 1), 12.70620474);
    assert_near(estimate_t(0.95, 10), 2.228138852);
    assert_near(estimate_t(0.99, 30), 2.749995654);
    assert_near(estimate_t(0.5, 3), 0.764892328);
    assert_true(fabs(estimate_t(0.95, 1e6) - 1.959966) < 2e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_stratum_has_the_interval_of_a_mean),
        cmocka_unit_test(strata_add_their_variances),
        cmocka_unit_test(single_regions_have_no_interval),
        cmocka_unit_test(whole_strata_add_nothing),
        cmocka_unit_test(averages_are_weighted_by_time),
        cmocka_unit_test(regions_not_taken_leave_their_weight_to_others),
        cmocka_unit_test(t_is_that_of_tables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
