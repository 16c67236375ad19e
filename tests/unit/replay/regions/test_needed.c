/* replay/regions/needed.h, on pilots whose answers follow from textbook formulas. */
#include "replay/regions/needed.h"

#include <math.h>

#include "tests/support/unit.h"

enum { MOST = 16 };

struct pilot {
    struct region regions[MOST];
    struct region_stratum strata[2];
    struct region_set set;
    struct estimate estimate;
};

/* `first` regions of the first stratum, and `second` of another one, each stratum half of the program. */
static void make_pilot(struct pilot *pilot, const double *cycles, size_t first, size_t second, uint64_t of)
{
    *pilot = (struct pilot){.strata = {{.intervals = of}, {.intervals = of}}};
    pilot->set = (struct region_set){
        .method = REGIONS_STRATIFIED, .instructions = 1000000, .regions = pilot->regions, .count = first + second,
        .strata = pilot->strata, .stratum_count = second > 0 ? 2 : 1};
    assert_int_equal(estimate_begin(&pilot->estimate, &pilot->set).kind, FAULT_NONE);
    for (size_t i = 0; i < first + second; i++) {
        size_t const among = i < first ? first : second;

        pilot->regions[i] = (struct region){.instructions = 1000, .weight = (second > 0 ? 0.5 : 1) / (double)among,
                                            .stratum = i >= first};
        estimate_add(&pilot->estimate, i, "simTicks", 500 * cycles[i]);
        estimate_add(&pilot->estimate, i, "system.cpu.numCycles", cycles[i]);
        estimate_add(&pilot->estimate, i, "system.cpu.commitStats0.numInsts", 1000);
    }
    assert_int_equal(estimate_make(&pilot->estimate, 0.95).kind, FAULT_NONE);
}

/* "the smallest whose expected interval is as narrow", a tenth more: (1.96 s / (error mean))^2 of many intervals. */
static void one_stratum_follows_smarts(void **state)
{
    const double cycles[] = {900, 1100, 900, 1100, 900, 1100};
    double const expected = 1.1 * pow(1.96 * sqrt(60000.0 / 5) / (0.01 * 1000), 2);
    struct pilot pilot;
    uint64_t regions;

    (void)state;
    make_pilot(&pilot, cycles, 6, 0, 1000000);
    assert_int_equal(regions_needed(&pilot.estimate, 0.01, 0.95, &regions).kind, FAULT_NONE);
    assert_true((double)regions > expected && (double)regions < 1.02 * expected);
    estimate_free(&pilot.estimate);
}

/* "Strata get regions in proportion to size times standard deviation, two at least" */
static void strata_follow_neyman(void **state)
{
    const double cycles[] = {1000, 1000, 1000, 1000, 1000, 1000, 500, 1500, 500, 1500, 500, 1500};
    struct pilot pilot;
    uint64_t regions[2];

    (void)state;
    make_pilot(&pilot, cycles, 6, 6, 1000000);
    assert_int_equal(regions_needed(&pilot.estimate, 0.02, 0.95, regions).kind, FAULT_NONE);
    /* Variances with the pooled one of two degrees: (0 + 2 P) / 7 and (5 * 2 P + 2 P) / 7. */
    assert_true(fabs((double)regions[1] / (double)regions[0] - sqrt(6)) < 0.02);
    assert_int_equal(regions_needed(&pilot.estimate, 0.9, 0.95, regions).kind, FAULT_NONE);
    assert_int_equal(regions[0], 2);
    estimate_free(&pilot.estimate);
}

/* "no more than it has intervals" */
static void no_stratum_gets_more_than_it_has(void **state)
{
    const double cycles[] = {500, 1500, 700, 1900};
    struct pilot pilot;
    uint64_t regions[2];

    (void)state;
    make_pilot(&pilot, cycles, 2, 2, 50);
    assert_int_equal(regions_needed(&pilot.estimate, 1e-9, 0.95, regions).kind, FAULT_NONE);
    assert_int_equal(regions[0], 50);
    assert_int_equal(regions[1], 50);
    estimate_free(&pilot.estimate);
}

static void a_pilot_without_an_error_is_refused(void **state)
{
    const double cycles[] = {1000, 1200, 1500};
    struct pilot pilot;
    uint64_t regions[2];

    (void)state;
    make_pilot(&pilot, cycles, 2, 1, 50);
    assert_int_equal(regions_needed(&pilot.estimate, 0.01, 0.95, regions).kind, FAULT_INPUT);
    estimate_free(&pilot.estimate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_stratum_follows_smarts), cmocka_unit_test(strata_follow_neyman),
        cmocka_unit_test(no_stratum_gets_more_than_it_has), cmocka_unit_test(a_pilot_without_an_error_is_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
