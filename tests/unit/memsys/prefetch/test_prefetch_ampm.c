/* memsys/prefetch/ampm.c: patterns in access maps (Ishii, Inaba, Hiraki, "Access map pattern matching for high
 * performance data cache prefetch", JILP 13, 2011).
 *
 * The first test walks the paper's example, confirmed by study notes on the paper that reproduce it; the paper's
 * text was not at hand. The other patterns are derived by hand from the rule. */
#include "memsys/prefetch/prefetch_params.h"
#include "tests/support/prefetch_bench.h"
#include "tests/support/unit.h"

#define BASE UINT64_C(0x40000)

static void access_line(struct prefetch_bench *bench, uint64_t line)
{
    prefetch_bench_access(bench, BASE + line * 64, 0, BENCH_MISS);
}

/* The example in the figure of the prefetch generator: 0x1, 0x3 and 0x4 of a zone were accessed, now 0x5 is.
 * Candidates are 0x6 (after 0x3, 0x4, 0x5) and 0x7 (after 0x1, 0x3, 0x5). The figure gives no order of the earlier
 * accesses; that of the lines asks for 0x5 in advance (0x4 - 1 and 0x4 - 3: "2k + 1"), the other ones do not. */
static void map_of_the_paper(void **state)
{
    static const struct { uint64_t lines[3]; int64_t early; } orders[] = {
        {{0x1, 0x3, 0x4}, 0x5}, {{0x1, 0x4, 0x3}, 0}, {{0x4, 0x3, 0x1}, 0}, {{0x3, 0x4, 0x1}, 0}};

    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct prefetch_bench bench;

        prefetch_bench_init(&bench, PREFETCHER_AMPM, 0, 0);
        for (size_t n = 0; n < 3; n++)
            access_line(&bench, orders[i].lines[n]);
        if (orders[i].early)
            PREFETCH_EXPECT(&bench, BASE, orders[i].early);
        else
            while (bench.prefetcher->count)
                assert_true(prefetcher_take(bench.prefetcher, &(struct prefetch_candidate){0}));
        access_line(&bench, 0x5);
        PREFETCH_EXPECT(&bench, BASE, 0x6, 0x7);
        prefetch_bench_free(&bench);
    }
}

/* t - k and t - 2k were accessed: t + k is fetched */
static void stride_forward(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_AMPM, 2, 0);
    access_line(&bench, 10);
    access_line(&bench, 13);
    prefetch_bench_expect_none(&bench);
    access_line(&bench, 16);
    PREFETCH_EXPECT(&bench, BASE, 19);
    prefetch_bench_free(&bench);
}

static void stride_backward(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_AMPM, 2, 0);
    access_line(&bench, 30);
    access_line(&bench, 25);
    access_line(&bench, 20);
    PREFETCH_EXPECT(&bench, BASE, 15);
    prefetch_bench_free(&bench);
}

/* "or 2k + 1": a stride of two and a half lines touches 1, 4 and 6, and 9; downwards 39, 36, 34, and 31. */
static void stride_of_half_lines(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_AMPM, 2, 0);
    access_line(&bench, 1);
    access_line(&bench, 4);
    access_line(&bench, 6);
    PREFETCH_EXPECT(&bench, BASE, 8);                    /* k = 2: 6 - 2 and 6 - 5 */
    access_line(&bench, 39);
    access_line(&bench, 36);
    access_line(&bench, 34);
    PREFETCH_EXPECT(&bench, BASE, 32);
    access_line(&bench, 50);                             /* 2k + 2 is no pattern, nor 2k - 1 of 2 */
    access_line(&bench, 54);
    access_line(&bench, 56);
    prefetch_bench_expect_none(&bench);
    prefetch_bench_free(&bench);
}

/* The point of the paper: the order of the accesses does not matter, nor which load made them. */
static void order_does_not_matter(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_AMPM, 2, 0);
    prefetch_bench_access(&bench, BASE + 6 * 64, 0x10, BENCH_MISS);
    prefetch_bench_access(&bench, BASE + 2 * 64, 0x20, BENCH_HIT);
    prefetch_bench_access(&bench, BASE + 4 * 64, 0x30, BENCH_MISS);
    prefetch_bench_expect_none(&bench);
    prefetch_bench_access(&bench, BASE + 8 * 64, 0x40, BENCH_MISS);
    PREFETCH_EXPECT(&bench, BASE, 10);
    prefetch_bench_free(&bench);
}

/* At line 20, 19 and 17 give 21, and 16 and 12 give 24. */
static void nearest_lines_first_and_only_once(void **state)
{
    static const uint64_t lines[] = {12, 17, 19, 16};
    struct prefetch_bench bench;

    for (uint32_t degree = 1; degree <= 2; degree++) {
        prefetch_bench_init(&bench, PREFETCHER_AMPM, degree, 0);
        for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
            access_line(&bench, lines[i]);
        while (bench.prefetcher->count)
            assert_true(prefetcher_take(bench.prefetcher, &(struct prefetch_candidate){0}));
        access_line(&bench, 20);
        if (degree == 2) {
            PREFETCH_EXPECT(&bench, BASE, 21, 24);
        } else {
            PREFETCH_EXPECT(&bench, BASE, 21);
            access_line(&bench, 20);
            PREFETCH_EXPECT(&bench, BASE, 24);
        }
        access_line(&bench, 20);
        prefetch_bench_expect_none(&bench);
        prefetch_bench_free(&bench);
    }
}

/* maps of pages do not mix, and the least recently used makes room */
static void pages_are_separate(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_AMPM, 2, 0);
    access_line(&bench, 1);
    access_line(&bench, 64 + 2);
    access_line(&bench, 3);
    prefetch_bench_expect_none(&bench);
    access_line(&bench, 2);
    access_line(&bench, 5);                      /* 3 and 1 */
    PREFETCH_EXPECT(&bench, BASE, 7);
    for (uint64_t page = 2; page < 212; page++)
        access_line(&bench, page * 64);
    access_line(&bench, 6);                      /* 4 and 2 would give 8, 5 and 4 would give 7 */
    access_line(&bench, 7);
    prefetch_bench_expect_none(&bench);
    access_line(&bench, 8);
    PREFETCH_EXPECT(&bench, BASE, 9);
    prefetch_bench_free(&bench);
}

/* By default 208 zones, and 2 lines in a direction: at line 30, 28 and 25 give 32, 25 and 20 give 35, and 20 and 10
 * would give 40 (31 was fetched at line 29). */
static void defaults(void **state)
{
    static const uint64_t lines[] = {10, 20, 25, 27, 28, 29};

    for (uint64_t others = 207; others <= 208; others++) {
        struct prefetch_bench bench;

        prefetch_bench_init(&bench, PREFETCHER_AMPM, 0, 0);
        for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
            access_line(&bench, lines[i]);
        while (bench.prefetcher->count)
            assert_true(prefetcher_take(bench.prefetcher, &(struct prefetch_candidate){0}));
        for (uint64_t page = 1; page <= others; page++)
            access_line(&bench, page * 64);
        prefetch_bench_expect_none(&bench);
        access_line(&bench, 30);
        if (others == 207)
            PREFETCH_EXPECT(&bench, BASE, 32, 35);
        else
            prefetch_bench_expect_none(&bench);
        prefetch_bench_free(&bench);
    }
}

/* "A line that the cache loses is init again": neither history nor fetched already */
static void lost_line_is_fetched_again(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_AMPM, 2, 0);
    access_line(&bench, 0);
    access_line(&bench, 1);
    access_line(&bench, 2);
    PREFETCH_EXPECT(&bench, BASE, 3);
    access_line(&bench, 2);
    prefetch_bench_expect_none(&bench);
    bench.prefetcher->ops->lost(bench.prefetcher, BASE + 3 * 64);
    access_line(&bench, 2);
    PREFETCH_EXPECT(&bench, BASE, 3);
    bench.prefetcher->ops->lost(bench.prefetcher, BASE + 3 * 64);
    bench.prefetcher->ops->lost(bench.prefetcher, BASE + 1 * 64);
    access_line(&bench, 2);
    prefetch_bench_expect_none(&bench);
    prefetch_bench_free(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(map_of_the_paper),
        cmocka_unit_test(stride_forward),
        cmocka_unit_test(stride_backward),
        cmocka_unit_test(stride_of_half_lines),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(nearest_lines_first_and_only_once),
        cmocka_unit_test(pages_are_separate),
        cmocka_unit_test(defaults),
        cmocka_unit_test(lost_line_is_fetched_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
