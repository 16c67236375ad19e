/* memsys/prefetch_spp.c: paths of deltas (Kim et al., MICRO 2016, sections 3.1 to 3.3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/prefetch_bench.h"

#define BASE UINT64_C(0x40000)

static void drain(struct prefetch_bench *bench)
{
    while (bench->prefetcher->count)
        assert_true(prefetcher_take(bench->prefetcher, &(struct prefetch_candidate){0}));
}

static void access_line(struct prefetch_bench *bench, uint64_t page, uint64_t line)
{
    prefetch_bench_miss(bench, BASE + page * BENCH_PAGE + line * 64);
}

/* Takes all candidates; the first is this line. */
static void expect_first(struct prefetch_bench *bench, uint64_t page, uint64_t line)
{
    struct prefetch_candidate candidate;

    assert_true(prefetcher_take(bench->prefetcher, &candidate));
    assert_int_equal(candidate.line_address, BASE + page * BENCH_PAGE + line * 64);
    drain(bench);
}

/* Deltas 1 to 5: signatures 0x001, 0x00a, 0x053, 0x29c, 0x4e5. */
static void run_page(struct prefetch_bench *bench, uint64_t page)
{
    static const uint64_t lines[] = {0, 1, 3, 6, 10, 15};

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        access_line(bench, page, lines[i]);
        drain(bench);
    }
}

/* The signature of a path names what follows: a first page teaches, the second one is fetched a step ahead. */
static void path_is_learned_in_one_page(void **state)
{
    struct prefetch_bench bench;

    (void)state;
    prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
    run_page(&bench, 0);
    assert_int_equal(bench.prefetcher->stats.identified, 0);
    access_line(&bench, 1, 0);
    PREFETCH_EXPECT(&bench, BASE + BENCH_PAGE, 1);       /* nothing is known of the accuracy: no further */
    access_line(&bench, 1, 1);                           /* useful: 1 of 1 */
    PREFETCH_EXPECT(&bench, BASE + BENCH_PAGE, 3, 6);    /* then 1 of 2: 50 %, then 1 of 3 of that: below 25 % */
    prefetch_bench_free(&bench);
}

/* "the prediction predicts further, as long as it is likely enough": accuracy near 1 lets the path run to its end */
static void lookahead_runs_along_the_path(void **state)
{
    struct prefetch_bench bench;

    (void)state;
    prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
    for (uint64_t page = 0; page < 20; page++)
        run_page(&bench, page);
    access_line(&bench, 20, 0);
    PREFETCH_EXPECT(&bench, BASE + 20 * BENCH_PAGE, 1, 3, 6, 10, 15);
    access_line(&bench, 20, 1);                          /* the filter knows them all */
    prefetch_bench_expect_none(&bench);
    prefetch_bench_free(&bench);
}

/* Negative deltas, and deltas that share a signature: each with a count of at least a quarter is fetched. */
static void likely_deltas_are_all_fetched(void **state)
{
    struct prefetch_bench bench;

    (void)state;
    prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
    for (uint64_t page = 0; page < 8; page++) {
        access_line(&bench, page, 30);
        access_line(&bench, page, page % 2 ? 25 : 33);
        drain(&bench);
    }
    access_line(&bench, 8, 30);
    drain(&bench);
    access_line(&bench, 9, 20);
    PREFETCH_EXPECT(&bench, BASE + 9 * BENCH_PAGE, 23, 15);
    prefetch_bench_free(&bench);
}

/* "paths that left a page, with which the next page starts": first delta of a page is 40 here, the path's is 3 */
static void path_goes_on_in_the_next_page(void **state)
{
    struct prefetch_bench bench;

    (void)state;
    prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
    for (uint64_t page = 0; page < 6; page++) {
        access_line(&bench, page, 1);
        for (uint64_t line = 41; line < 64; line += 3) {
            access_line(&bench, page, line);
            drain(&bench);
        }
    }
    access_line(&bench, 6, 1);                           /* 62 + 3 is line 1 of the next page */
    expect_first(&bench, 6, 4);
    access_line(&bench, 7, 2);                           /* no path ends there */
    expect_first(&bench, 7, 42);
    prefetch_bench_free(&bench);
}

/* a lost line may be fetched again */
static void lost_line_leaves_the_filter(void **state)
{
    struct prefetch_bench bench;

    (void)state;
    prefetch_bench_init(&bench, PREFETCHER_SPP, 1, 0);
    run_page(&bench, 0);
    access_line(&bench, 1, 0);
    PREFETCH_EXPECT(&bench, BASE + BENCH_PAGE, 1);
    access_line(&bench, 1, 0);
    prefetch_bench_expect_none(&bench);
    bench.prefetcher->ops->lost(bench.prefetcher, BASE + BENCH_PAGE + 64);
    access_line(&bench, 1, 0);                           /* no delta, nothing learned, nothing fetched */
    prefetch_bench_expect_none(&bench);
    for (uint64_t page = 3; page < 3 + 256; page++) {    /* the page leaves the table of signatures */
        access_line(&bench, page, 40);
        drain(&bench);
    }
    access_line(&bench, 1, 0);
    PREFETCH_EXPECT(&bench, BASE + BENCH_PAGE, 1);
    prefetch_bench_free(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path_is_learned_in_one_page),
        cmocka_unit_test(lookahead_runs_along_the_path),
        cmocka_unit_test(likely_deltas_are_all_fetched),
        cmocka_unit_test(path_goes_on_in_the_next_page),
        cmocka_unit_test(lost_line_leaves_the_filter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
