/* memsys/prefetch_ampm.c: patterns in access maps (Ishii et al., ICS 2009). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/prefetch_bench.h"

#define BASE UINT64_C(0x40000)

static void access_line(struct prefetch_bench *bench, uint64_t line)
{
    prefetch_bench_access(bench, BASE + line * 64, 0, BENCH_MISS);
}

/* t - k and t - 2k were accessed: t + k is fetched */
static void stride_forward(void **state)
{
    struct prefetch_bench bench;

    (void)state;
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

    (void)state;
    prefetch_bench_init(&bench, PREFETCHER_AMPM, 2, 0);
    access_line(&bench, 30);
    access_line(&bench, 25);
    access_line(&bench, 20);
    PREFETCH_EXPECT(&bench, BASE, 15);
    prefetch_bench_free(&bench);
}

/* The point of the paper: the order of the accesses does not matter, nor which load made them. */
static void order_does_not_matter(void **state)
{
    struct prefetch_bench bench;

    (void)state;
    prefetch_bench_init(&bench, PREFETCHER_AMPM, 2, 0);
    prefetch_bench_access(&bench, BASE + 6 * 64, 0x10, BENCH_MISS);
    prefetch_bench_access(&bench, BASE + 2 * 64, 0x20, BENCH_HIT);
    prefetch_bench_access(&bench, BASE + 4 * 64, 0x30, BENCH_MISS);
    prefetch_bench_expect_none(&bench);
    prefetch_bench_access(&bench, BASE + 8 * 64, 0x40, BENCH_MISS);
    PREFETCH_EXPECT(&bench, BASE, 10);
    prefetch_bench_free(&bench);
}

/* At line 7, 6 and 5 give 8, and 4 and 1 give 10. */
static void nearest_lines_first_and_only_once(void **state)
{
    static const uint64_t lines[] = {1, 4, 5, 6};
    struct prefetch_bench bench;

    (void)state;
    for (uint32_t degree = 1; degree <= 2; degree++) {
        prefetch_bench_init(&bench, PREFETCHER_AMPM, degree, 0);
        for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
            access_line(&bench, lines[i]);
        while (bench.prefetcher->count)
            assert_true(prefetcher_take(bench.prefetcher, &(struct prefetch_candidate){0}));
        access_line(&bench, 7);
        if (degree == 2) {
            PREFETCH_EXPECT(&bench, BASE, 8, 10);
        } else {
            PREFETCH_EXPECT(&bench, BASE, 8);
            access_line(&bench, 7);
            PREFETCH_EXPECT(&bench, BASE, 10);
        }
        access_line(&bench, 7);
        prefetch_bench_expect_none(&bench);
        prefetch_bench_free(&bench);
    }
}

/* maps of pages do not mix, and the least recently used makes room */
static void pages_are_separate(void **state)
{
    struct prefetch_bench bench;

    (void)state;
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

/* "A line that the cache loses is init again": neither history nor fetched already */
static void lost_line_is_fetched_again(void **state)
{
    struct prefetch_bench bench;

    (void)state;
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
        cmocka_unit_test(stride_forward),
        cmocka_unit_test(stride_backward),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(nearest_lines_first_and_only_once),
        cmocka_unit_test(pages_are_separate),
        cmocka_unit_test(lost_line_is_fetched_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
