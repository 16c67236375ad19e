/* memsys/sim/histogram.h: bins that grow, the sums that means are made of. */
#include "memsys/sim/histogram.h"
#include "tests/support/unit.h"

static struct histogram histogram_of(uint32_t bins)
{
    struct histogram histogram;

    assert_int_equal(histogram_init(&histogram, bins).kind, FAULT_NONE);
    return histogram;
}

static void small_samples_have_bins_of_their_own(void **state)
{
    struct histogram histogram = histogram_of(4);

    histogram_sample(&histogram, 0);
    histogram_sample(&histogram, 3);
    histogram_sample(&histogram, 3);
    assert_int_equal(histogram.bin_width, 1);
    assert_int_equal(histogram.bins[0], 1);
    assert_int_equal(histogram.bins[3], 2);
    histogram_free(&histogram);
}

/* "doubles the width of its bins when a sample lies beyond the last"; neighbours are added up */
static void bins_double(void **state)
{
    struct histogram histogram = histogram_of(4);

    for (uint64_t value = 0; value < 4; value++)
        histogram_sample(&histogram, value);
    histogram_sample(&histogram, 4);
    assert_int_equal(histogram.bin_width, 2);
    assert_int_equal(histogram.bins[0], 2);
    assert_int_equal(histogram.bins[1], 2);
    assert_int_equal(histogram.bins[2], 1);
    assert_int_equal(histogram.bins[3], 0);
    histogram_sample(&histogram, 31);
    assert_int_equal(histogram.bin_width, 8);
    assert_int_equal(histogram.bins[0], 5);
    assert_int_equal(histogram.bins[3], 1);
    histogram_free(&histogram);
}

static void odd_counts_of_bins_lose_nothing(void **state)
{
    struct histogram histogram = histogram_of(5);
    uint64_t total = 0;

    for (uint64_t value = 0; value < 100; value++)
        histogram_sample(&histogram, value);
    assert_int_equal(histogram.bin_width, 32);
    assert_int_equal(histogram.bins[0], 32);
    assert_int_equal(histogram.bins[3], 4);
    for (uint32_t i = 0; i < histogram.bin_count; i++)
        total += histogram.bins[i];
    assert_int_equal(total, 100);
    histogram_free(&histogram);
}

static void sums_are_those_of_the_samples(void **state)
{
    struct histogram histogram = histogram_of(16);

    histogram_sample(&histogram, 64);
    histogram_sample(&histogram, 256);
    assert_int_equal(histogram.sums.samples, 2);
    assert_int_equal(histogram.sums.sum, 320);
    assert_int_equal(histogram.sums.squares, 64 * 64 + 256 * 256);
    assert_true(histogram.log_sum == log(64.0) + log(256.0));
    histogram_sample(&histogram, 0);
    assert_true(isinf(histogram.log_sum) && histogram.log_sum < 0);
    histogram_free(&histogram);
}

static void reset_narrows_the_bins(void **state)
{
    struct histogram histogram = histogram_of(4);

    histogram_sample(&histogram, 1000);
    histogram_reset(&histogram);
    histogram_sample(&histogram, 2);
    assert_int_equal(histogram.bin_width, 1);
    assert_int_equal(histogram.bins[2], 1);
    assert_int_equal(histogram.bins[3], 0);
    assert_int_equal(histogram.sums.sum, 2);
    histogram_free(&histogram);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_samples_have_bins_of_their_own),
        cmocka_unit_test(bins_double),
        cmocka_unit_test(odd_counts_of_bins_lose_nothing),
        cmocka_unit_test(sums_are_those_of_the_samples),
        cmocka_unit_test(reset_narrows_the_bins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
