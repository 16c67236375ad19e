/* memsys/prefetch_stream.c: the life of a stream in Srinath et al., HPCA 2007, section 2.1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/prefetch_bench.h"

#define BASE UINT64_C(0x40000)

static void miss(struct prefetch_bench *bench, int64_t line)
{
    prefetch_bench_miss(bench, BASE + (uint64_t)(line * 64));
}

/* A miss allocates, the next two in one direction train, from then on the region's end is moved by `degree` lines. */
static void rising_stream_is_followed(void **state)
{
    struct prefetch_bench bench;

    (void)state;
    prefetch_bench_init(&bench, PREFETCHER_STREAM, 2, 4);
    miss(&bench, 0);
    miss(&bench, 1);
    miss(&bench, 2);
    prefetch_bench_expect_none(&bench);
    miss(&bench, 3);
    PREFETCH_EXPECT(&bench, BASE, 4, 5);
    prefetch_bench_access(&bench, BASE + 4 * 64, 0, BENCH_FIRST_HIT);
    PREFETCH_EXPECT(&bench, BASE, 6, 7);
    prefetch_bench_access(&bench, BASE + 5 * 64, 0, BENCH_HIT);          /* the region is 3 to 7 now */
    PREFETCH_EXPECT(&bench, BASE, 8, 9);
    prefetch_bench_access(&bench, BASE + 4 * 64, 0, BENCH_HIT);          /* left behind: 5 to 9 */
    prefetch_bench_expect_none(&bench);
    prefetch_bench_free(&bench);
}

static void falling_stream_is_followed(void **state)
{
    struct prefetch_bench bench;

    (void)state;
    prefetch_bench_init(&bench, PREFETCHER_STREAM, 3, 8);
    miss(&bench, 40);
    miss(&bench, 39);
    miss(&bench, 37);
    miss(&bench, 36);
    PREFETCH_EXPECT(&bench, BASE, 35, 34, 33);
    prefetch_bench_free(&bench);
}

/* "the next two misses ... both on the same side of the one before"; only within 16 lines of the first */
static void direction_needs_two_misses(void **state)
{
    struct prefetch_bench bench;

    (void)state;
    prefetch_bench_init(&bench, PREFETCHER_STREAM, 1, 8);
    miss(&bench, 20);
    miss(&bench, 22);
    miss(&bench, 21);                            /* back: falling so far */
    miss(&bench, 23);                            /* rising so far */
    prefetch_bench_expect_none(&bench);
    miss(&bench, 24);                            /* rising */
    miss(&bench, 25);
    PREFETCH_EXPECT(&bench, BASE, 26);
    miss(&bench, 50);                            /* more than 16 lines away: a stream of its own */
    miss(&bench, 51);
    prefetch_bench_expect_none(&bench);
    miss(&bench, 52);
    miss(&bench, 53);
    PREFETCH_EXPECT(&bench, BASE, 54);
    miss(&bench, 26);                            /* the first one still runs */
    PREFETCH_EXPECT(&bench, BASE, 27);
    prefetch_bench_free(&bench);
}

/* "At the end of a page the region stops; for it to go on in the next one" */
static void stream_goes_on_in_the_next_page(void **state)
{
    struct prefetch_bench bench;

    (void)state;
    prefetch_bench_init(&bench, PREFETCHER_STREAM, 2, 8);
    for (int64_t line = 59; line < 62; line++)
        miss(&bench, line);
    miss(&bench, 62);
    PREFETCH_EXPECT(&bench, BASE, 63);
    prefetch_bench_access(&bench, BASE + 63 * 64, 0, BENCH_FIRST_HIT);
    prefetch_bench_expect_none(&bench);
    miss(&bench, 64);
    PREFETCH_EXPECT(&bench, BASE, 65, 66);
    prefetch_bench_free(&bench);
}

/* hits never allocate or train */
static void hits_start_no_stream(void **state)
{
    struct prefetch_bench bench;

    (void)state;
    prefetch_bench_init(&bench, PREFETCHER_STREAM, 2, 8);
    for (uint64_t line = 0; line < 8; line++)
        prefetch_bench_access(&bench, BASE + line * 64, 0, BENCH_HIT);
    prefetch_bench_expect_none(&bench);
    prefetch_bench_free(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rising_stream_is_followed),
        cmocka_unit_test(falling_stream_is_followed),
        cmocka_unit_test(direction_needs_two_misses),
        cmocka_unit_test(stream_goes_on_in_the_next_page),
        cmocka_unit_test(hits_start_no_stream),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
