/* sweep/run/region_point.h: which regions a sweep runs first; sweep/results/sample.h: what it says of them. */
#include "sweep/run/region_point.h"

#include <math.h>
#include <stdlib.h>

#include "sweep/results/sample.h"
#include "tests/support/unit.h"

enum { REGIONS = 30 };

struct two_strata {
    struct region regions[REGIONS];
    struct region_stratum strata[2];
    struct region_set set;
};

/* The first twenty are of one stratum. */
static void make_set(struct two_strata *made)
{
    *made = (struct two_strata){.strata = {{.intervals = 200}, {.intervals = 100}}};
    for (size_t i = 0; i < REGIONS; i++)
        made->regions[i] = (struct region){.instructions = 1000, .weight = 1.0 / REGIONS, .stratum = i >= 20};
    made->set = (struct region_set){.method = REGIONS_STRATIFIED, .interval = 1000, .instructions = 300000,
                                    .trace_hash = 7, .regions = made->regions, .count = REGIONS,
                                    .strata = made->strata, .stratum_count = 2};
}

static size_t count_of(const bool *wanted, size_t from, size_t to)
{
    size_t count = 0;

    for (size_t i = from; i < to; i++)
        count += wanted[i];
    return count;
}

static void each_stratum_gives_its_share(void **state)
{
    struct two_strata made;
    bool wanted[REGIONS];

    (void)state;
    make_set(&made);
    assert_int_equal(region_point_choose(&made.set, 15, wanted), 15);
    assert_int_equal(count_of(wanted, 0, 20), 10);
    assert_int_equal(count_of(wanted, 20, REGIONS), 5);
    assert_int_equal(region_point_choose(&made.set, 1, wanted), 4);       /* two at least */
    assert_int_equal(count_of(wanted, 20, REGIONS), 2);
    assert_int_equal(region_point_choose(&made.set, 0, wanted), REGIONS);
}

/* "those of a smaller number are among those of a larger one", and they are not the first of the file. */
static void more_regions_include_fewer(void **state)
{
    struct two_strata made;
    bool few[REGIONS], more[REGIONS], are_first = true;

    (void)state;
    make_set(&made);
    for (size_t wanted = 1; wanted < REGIONS; wanted++) {
        region_point_choose(&made.set, wanted, few);
        region_point_choose(&made.set, wanted + 1, more);
        for (size_t i = 0; i < REGIONS; i++)
            assert_true(!few[i] || more[i]);
    }
    region_point_choose(&made.set, 15, few);
    for (size_t i = 0; i < 10; i++)
        are_first &= few[i];
    assert_false(are_first);
}

static void estimate_of(struct estimate *estimate, const struct region_set *set, const bool *wanted, double times)
{
    assert_int_equal(estimate_begin(estimate, set).kind, FAULT_NONE);
    for (size_t i = 0; i < set->count; i++)
        if (wanted[i]) {
            double const cycles = times * (1000 + 37 * (double)(i * i % 11));

            estimate_add(estimate, i, "simTicks", 500 * cycles);
            estimate_add(estimate, i, "system.cpu.numCycles", cycles);
            estimate_add(estimate, i, "system.cpu.commitStats0.numInsts", 1000);
        }
    assert_int_equal(estimate_make(estimate, 0.95).kind, FAULT_NONE);
}

static char *text_of(const struct estimate *estimate)
{
    char *text = NULL;
    size_t length;
    FILE *const file = open_memstream(&text, &length);

    assert_non_null(file);
    assert_int_equal(region_point_write(estimate, 95, file).kind, FAULT_NONE);
    fclose(file);
    return text;
}

static void a_sample_is_read_as_it_was_written(void **state)
{
    struct two_strata made;
    struct estimate estimate;
    bool wanted[REGIONS];
    json_t *statistics;
    struct sample *sample;
    char *text, *marked;

    (void)state;
    make_set(&made);
    region_point_choose(&made.set, 15, wanted);
    estimate_of(&estimate, &made.set, wanted, 1);
    text = text_of(&estimate);
    statistics = json_loads(text, 0, NULL);
    sample = sample_read(statistics);
    assert_non_null(sample);
    assert_int_equal(sample->count, 15);
    assert_int_equal(sample->of, REGIONS);
    assert_int_equal(sample->intervals[1], 100);
    assert_null(sample->dominated);
    assert_true(sample_half(sample, "cpi") == estimate_metric(&estimate, "cpi")->half);
    assert_true(isnan(sample_half(sample, "no.such")));
    sample_free(sample);
    json_decref(statistics);

    marked = sample_mark_dominated(text, "point 3 is faster");
    statistics = json_loads(marked, 0, NULL);
    sample = sample_read(statistics);
    assert_non_null(sample);
    assert_string_equal(sample->dominated, "point 3 is faster");
    assert_int_equal(json_integer_value(json_object_get(statistics, "regions.dominated")), 1);
    sample_free(sample);
    json_decref(statistics);
    free(marked);
    free(text);
    estimate_free(&estimate);
}

/* Half of one sample's regions are the other's: the pairs tell a small difference that both intervals hide. */
static void samples_of_one_set_are_paired(void **state)
{
    struct two_strata made;
    struct estimate estimates[2];
    bool wanted[REGIONS];
    json_t *statistics[2];
    struct sample *samples[2];
    double values[2];
    struct pairs_difference difference;

    (void)state;
    make_set(&made);
    for (int i = 0; i < 2; i++) {
        char *text;

        region_point_choose(&made.set, i == 0 ? 24 : 26, wanted);
        estimate_of(&estimates[i], &made.set, wanted, i == 0 ? 1 : 1.03);
        text = text_of(&estimates[i]);
        statistics[i] = json_loads(text, 0, NULL);
        samples[i] = sample_read(statistics[i]);
        assert_non_null(samples[i]);
        values[i] = estimate_metric(&estimates[i], "cpi")->value;
        free(text);
    }
    difference = sample_difference(samples[0], samples[1], "cpi", values[0], values[1]);
    assert_true(difference.half < 0.7 * sample_half(samples[0], "cpi") && difference.half > 0);
    /* an exact value has no interval of its own */
    difference = sample_difference(NULL, samples[1], "cpi", values[0], values[1]);
    assert_true(difference.half == sample_half(samples[1], "cpi"));
    for (int i = 0; i < 2; i++) {
        sample_free(samples[i]);
        json_decref(statistics[i]);
        estimate_free(&estimates[i]);
    }
}

static void kept_statistics_go_on(void **state)
{
    struct two_strata made;
    struct estimate estimate, again;
    bool wanted[REGIONS];
    FILE *const file = tmpfile();

    (void)state;
    assert_non_null(file);
    make_set(&made);
    region_point_choose(&made.set, 15, wanted);
    estimate_of(&estimate, &made.set, wanted, 1);
    assert_true(estimate_save(&estimate, file));
    rewind(file);
    assert_int_equal(estimate_begin(&again, &made.set).kind, FAULT_NONE);
    assert_int_equal(estimate_load(&again, file).kind, FAULT_NONE);
    assert_int_equal(estimate_make(&again, 0.95).kind, FAULT_NONE);
    assert_true(estimate_metric(&again, "cpi")->value == estimate_metric(&estimate, "cpi")->value);
    assert_true(estimate_metric(&again, "cpi")->half == estimate_metric(&estimate, "cpi")->half);
    rewind(file);
    fputs("99\t0x1p0\tsimTicks\n", file);
    rewind(file);
    assert_int_equal(estimate_load(&again, file).kind, FAULT_STALL);      /* no such region */
    fclose(file);
    estimate_free(&estimate);
    estimate_free(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_stratum_gives_its_share),
        cmocka_unit_test(more_regions_include_fewer),
        cmocka_unit_test(a_sample_is_read_as_it_was_written),
        cmocka_unit_test(samples_of_one_set_are_paired),
        cmocka_unit_test(kept_statistics_go_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
