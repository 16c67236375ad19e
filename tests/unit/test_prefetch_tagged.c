/* memsys/prefetch_tagged.c and prefetch_next_line.c: the lines behind (classic-memory 13.4; Smith 1982). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/prefetch_bench.h"

#define BASE UINT64_C(0x40000)

/* "emit line+1 ... line+degree lines"; a first use goes on where the miss began */
static void tagged_follows_misses_and_first_uses(void **state)
{
    struct prefetch_bench bench;

    (void)state;
    prefetch_bench_init(&bench, PREFETCHER_TAGGED, 0, 0);
    prefetch_bench_miss(&bench, BASE + 20);
    PREFETCH_EXPECT(&bench, BASE, 1, 2);
    prefetch_bench_access(&bench, BASE + 64, 0, BENCH_FIRST_HIT);
    PREFETCH_EXPECT(&bench, BASE, 2, 3);
    prefetch_bench_access(&bench, BASE + 64, 0, BENCH_HIT);
    prefetch_bench_expect_none(&bench);
    prefetch_bench_free(&bench);
}

/* Smith: prefetch on misses fetches every second line of a sequence late, as its first use starts nothing */
static void next_line_follows_misses_only(void **state)
{
    struct prefetch_bench bench;

    (void)state;
    prefetch_bench_init(&bench, PREFETCHER_NEXT_LINE, 0, 0);
    prefetch_bench_miss(&bench, BASE + 20);
    PREFETCH_EXPECT(&bench, BASE, 1);
    prefetch_bench_access(&bench, BASE + 64, 0, BENCH_FIRST_HIT);
    prefetch_bench_expect_none(&bench);
    prefetch_bench_miss(&bench, BASE + 128);
    PREFETCH_EXPECT(&bench, BASE, 3);
    prefetch_bench_free(&bench);
}

static void next_line_skips_the_distance(void **state)
{
    struct prefetch_bench bench;

    (void)state;
    prefetch_bench_init(&bench, PREFETCHER_NEXT_LINE, 2, 4);
    prefetch_bench_miss(&bench, BASE);
    PREFETCH_EXPECT(&bench, BASE, 5, 6);
    prefetch_bench_free(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tagged_follows_misses_and_first_uses),
        cmocka_unit_test(next_line_follows_misses_only),
        cmocka_unit_test(next_line_skips_the_distance),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
