/* memsys/sim/latency_histogram.h: percentiles against sorted values. */
#include <math.h>

#include "memsys/sim/latency_histogram.h"
#include "tests/support/unit.h"

#define VALUES 5000

static struct latency_histogram histogram;

static int compare(const void *left, const void *right)
{
    uint64_t const a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

static uint64_t random_bits(unsigned bits)
{
    uint64_t const value = (uint64_t)rand() << 40 ^ (uint64_t)rand() << 20 ^ (uint64_t)rand();

    return value & ((UINT64_C(1) << bits) - 1);
}

/* "a percentile is the middle of its bin: off by at most 0.4 %" */
static void percentiles_are_close_to_exact_ones(void **state)
{
    static uint64_t values[VALUES];
    static const unsigned percents[] = {1, 50, 95, 99, 100};

    srand(7);
    for (unsigned bits = 4; bits <= 60; bits += 4) {
        latency_histogram_reset(&histogram);
        for (int i = 0; i < VALUES; i++)
            latency_histogram_add(&histogram, values[i] = random_bits(bits));
        qsort(values, VALUES, sizeof values[0], compare);
        for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
            uint64_t const exact = values[VALUES * percents[i] / 100 - 1];
            uint64_t const found = latency_histogram_percentile(&histogram, percents[i]);

            assert_in_range(found, exact - exact / 250, exact + exact / 250);
        }
        assert_in_range(latency_histogram_percentile(&histogram, 0), values[0], values[0] + values[0] / 250);
        assert_int_equal(histogram.lowest, values[0]);
        assert_int_equal(histogram.highest, values[VALUES - 1]);
        assert_int_equal(histogram.count, VALUES);
    }
}

/* "values below 256 have a bin each" */
static void small_values_are_exact(void **state)
{
    for (uint64_t value = 0; value < 256; value++) {
        latency_histogram_reset(&histogram);
        latency_histogram_add(&histogram, 0);
        latency_histogram_add(&histogram, value);
        latency_histogram_add(&histogram, 1000);
        assert_int_equal(latency_histogram_percentile(&histogram, 50), value);
    }
}

static void the_largest_value_has_a_bin(void **state)
{
    assert_in_range(latency_histogram_bin(UINT64_MAX), 0, LATENCY_BINS - 1);
    latency_histogram_reset(&histogram);
    latency_histogram_add(&histogram, UINT64_MAX);
    assert_true(latency_histogram_percentile(&histogram, 50) == UINT64_MAX);
}

/* Bins follow each other without gap: the number never falls and never jumps. */
static void bins_are_contiguous(void **state)
{
    unsigned last = 0;

    for (uint64_t value = 0; value < 1 << 16; value++) {
        unsigned const bin = latency_histogram_bin(value);

        assert_in_range(bin, last, last + 1);
        last = bin;
    }
}

static void an_empty_histogram_has_no_percentile(void **state)
{
    latency_histogram_reset(&histogram);
    assert_int_equal(latency_histogram_percentile(&histogram, 50), 0);
    assert_true(latency_histogram_mean(&histogram) == 0.0);
}

/* "Several as one": the percentile over the values of all histograms together. */
static void several_are_as_one(void **state)
{
    static struct latency_histogram parts[3], whole;
    const struct latency_histogram *const list[] = {&parts[0], &parts[1], &parts[2]};
    struct latency_histograms const all = {list, 3};

    latency_histogram_reset(&whole);
    for (int i = 0; i < 3; i++)
        latency_histogram_reset(&parts[i]);
    for (int i = 0; i < VALUES; i++) {
        uint64_t const value = random_bits(i % 5 ? 12 : 20);

        latency_histogram_add(&whole, value);
        latency_histogram_add(&parts[value % 2], value);        /* the third stays empty */
    }
    for (unsigned percent = 0; percent <= 100; percent += 5)
        assert_int_equal(latency_histograms_percentile(&all, percent), latency_histogram_percentile(&whole, percent));
    assert_int_equal(latency_histograms_samples(&all), VALUES);
    assert_true(fabs(latency_histograms_mean(&all) - latency_histogram_mean(&whole)) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_are_close_to_exact_ones),
        cmocka_unit_test(small_values_are_exact),
        cmocka_unit_test(the_largest_value_has_a_bin),
        cmocka_unit_test(bins_are_contiguous),
        cmocka_unit_test(an_empty_histogram_has_no_percentile),
        cmocka_unit_test(several_are_as_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
