/* memsys/prefetch/tagged.c and memsys/prefetch/next_line.c: the lines behind (classic-memory 13.4; Smith 1982). */
#include "memsys/prefetch/prefetch_params.h"
#include "tests/support/prefetch_bench.h"
#include "tests/support/unit.h"

#define BASE UINT64_C(0x40000)

/* "emit line+1 ... line+degree lines"; a first use continues where the miss began */
static void tagged_follows_misses_and_first_uses(void **state)
{
    struct prefetch_bench bench;

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

    prefetch_bench_init(&bench, PREFETCHER_NEXT_LINE, 2, 4);
    prefetch_bench_miss(&bench, BASE);
    PREFETCH_EXPECT(&bench, BASE, 5, 6);
    prefetch_bench_free(&bench);
}

/* Smith's three, as a quotation of the article has them: always the next line, the next line of a miss, the next
 * line of a first use. It gives no pattern of addresses; the counts are derived by hand. Of 8 lines in sequence,
 * prefetch on misses misses every second one; tagged and always only the first, and always alone asks again at a
 * further access to a line. */
static void next_line_is_any_of_smiths_three(void **state)
{
    static const struct { enum prefetch_training training; unsigned misses, asked; } rows[] = {
        {PREFETCH_TRAINING_MISSES, 4, 4}, {PREFETCH_TRAINING_FIRST_HITS, 1, 8}, {PREFETCH_TRAINING_ACCESSES, 1, 16}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct prefetch_bench bench;
        struct prefetch_candidate candidate;
        uint64_t fetched = 0;            /* bit: line */
        unsigned misses = 0;

        prefetch_bench_init_params(&bench, (struct prefetcher_params){.type = PREFETCHER_NEXT_LINE,
                                                                      .train_on = rows[i].training});
        for (uint64_t line = 0; line < 8; line++) {
            bool const is_there = fetched >> line & 1;

            misses += !is_there;
            prefetch_bench_access(&bench, BASE + line * 64, 0, is_there ? BENCH_FIRST_HIT : BENCH_MISS);
            while (prefetcher_take(bench.prefetcher, &candidate))
                fetched |= UINT64_C(1) << (candidate.line_address - BASE) / 64;
            prefetch_bench_access(&bench, BASE + line * 64 + 8, 0, BENCH_HIT);
            while (prefetcher_take(bench.prefetcher, &candidate))
                fetched |= UINT64_C(1) << (candidate.line_address - BASE) / 64;
        }
        assert_int_equal(misses, rows[i].misses);
        assert_int_equal(bench.prefetcher->stats.identified, rows[i].asked);
        prefetch_bench_free(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tagged_follows_misses_and_first_uses),
        cmocka_unit_test(next_line_follows_misses_only),
        cmocka_unit_test(next_line_skips_the_distance),
        cmocka_unit_test(next_line_is_any_of_smiths_three),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
