/* memsys/prefetch/prefetch_stream.c: the life of a stream in Srinath et al., "Feedback directed prefetching", HPCA
 * 2007, section 2.1, and its table 1.
 *
 * The paper's text was not at hand. Section 2.1 (states, 16 lines, the region from A to P) was confirmed by two
 * course reports that give its wording, table 1 and the 64 streams by study notes on the paper. No pattern of
 * addresses of the paper is known; those here are derived by hand from section and table. */
#include "memsys/prefetch/prefetch_params.h"
#include "tests/support/prefetch_bench.h"
#include "tests/support/unit.h"

#define BASE UINT64_C(0x40000)

static void miss(struct prefetch_bench *bench, int64_t line)
{
    prefetch_bench_miss(bench, BASE + (uint64_t)(line * 64));
}

/* A miss allocates, the next two in one direction train, from then on the region's end is moved by `degree` lines. */
static void rising_stream_is_followed(void **state)
{
    struct prefetch_bench bench;

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

/* at the end of a page the region stops; its continuation in the next one */
static void stream_continues_in_the_next_page(void **state)
{
    struct prefetch_bench bench;

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

/* "an access up to 2 lines behind `end` counts" */
static void stream_skips_two_lines_at_most(void **state)
{
    for (int64_t skipped = 2; skipped <= 3; skipped++) {
        struct prefetch_bench bench;

        prefetch_bench_init(&bench, PREFETCHER_STREAM, 2, 8);
        for (int64_t line = 61; line < 64; line++)
            miss(&bench, line);
        miss(&bench, 63 + skipped);
        if (skipped == 2)
            PREFETCH_EXPECT(&bench, BASE, 66, 67);
        else
            prefetch_bench_expect_none(&bench);
        prefetch_bench_free(&bench);
    }
}

/* hits never allocate or train */
static void hits_start_no_stream(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_STREAM, 2, 8);
    for (uint64_t line = 0; line < 8; line++)
        prefetch_bench_access(&bench, BASE + line * 64, 0, BENCH_HIT);
    prefetch_bench_expect_none(&bench);
    prefetch_bench_free(&bench);
}

/* "within 16 lines of the first" */
static void training_window_is_16_lines(void **state)
{
    for (int64_t distance = 16; distance <= 17; distance++)
        for (int64_t sign = -1; sign <= 1; sign += 2) {
            struct prefetch_bench bench;

            prefetch_bench_init(&bench, PREFETCHER_STREAM, 1, 64);
            miss(&bench, 30);
            miss(&bench, 30 + sign);
            miss(&bench, 30 + sign * distance);
            prefetch_bench_expect_none(&bench);
            miss(&bench, 30 + sign * 2);                 /* in the region, if that miss made it one */
            if (distance == 16)
                PREFETCH_EXPECT(&bench, BASE, 30 + sign * 17);
            else
                prefetch_bench_expect_none(&bench);
            prefetch_bench_free(&bench);
        }
}

/* Table 1: distance and degree. Section 2.1: the region grows behind the first miss, A, by the degree N for each
 * access until it is as long as the distance; from then on an access to a region from A to P fetches P + 1 to P +
 * N, and A + N to P + N is monitored. The fifth pair (64, 4) needs a region longer than a page. */
static void pairs_of_table_1(void **state)
{
    static const struct { int64_t distance, degree; } pairs[] = {{4, 1}, {8, 1}, {16, 2}, {32, 4}};

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        int64_t const distance = pairs[i].distance, degree = pairs[i].degree;
        struct prefetch_bench bench;

        prefetch_bench_init(&bench, PREFETCHER_STREAM, (uint32_t)degree, (uint32_t)distance);
        for (int64_t line = 0; line <= 4; line += 2)     /* A is line 0 */
            miss(&bench, line);
        for (int64_t end = 4; end <= distance; end += degree) {      /* the last time with P = distance */
            prefetch_bench_access(&bench, BASE, 0, BENCH_HIT);
            for (int64_t n = 1; n <= degree; n++) {
                struct prefetch_candidate candidate;

                assert_true(prefetcher_take(bench.prefetcher, &candidate));
                assert_int_equal(candidate.line_address, BASE + (uint64_t)(end + n) * 64);
            }
            prefetch_bench_expect_none(&bench);
        }
        prefetch_bench_access(&bench, BASE + (uint64_t)(degree - 1) * 64, 0, BENCH_HIT);     /* A + N - 1 */
        prefetch_bench_expect_none(&bench);
        prefetch_bench_access(&bench, BASE + (uint64_t)degree * 64, 0, BENCH_HIT);
        assert_int_equal(bench.prefetcher->count, degree);
        prefetch_bench_free(&bench);
    }
}

/* Without parameters: table 1's middle pair, 2 lines for an access, 16 lines ahead. */
static void default_is_the_middle_of_the_road(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_STREAM, 0, 0);
    for (int64_t line = 0; line < 3; line++)
        miss(&bench, line);
    for (int64_t access = 0; access < 8; access++) {     /* the region grows from 0 to 2 to 0 to 18, then 2 to 18 */
        miss(&bench, 1);
        PREFETCH_EXPECT(&bench, BASE, 3 + 2 * access, 4 + 2 * access);
    }
    miss(&bench, 2);
    PREFETCH_EXPECT(&bench, BASE, 19, 20);
    prefetch_bench_access(&bench, BASE + 3 * 64, 0, BENCH_HIT);  /* 4 to 20 now */
    prefetch_bench_expect_none(&bench);
    prefetch_bench_access(&bench, BASE + 4 * 64, 0, BENCH_HIT);
    PREFETCH_EXPECT(&bench, BASE, 21, 22);
    prefetch_bench_free(&bench);
}

/* 64 streams, "in place of the one used least recently" */
static void sixty_four_streams(void **state)
{
    for (int64_t others = 63; others <= 64; others++) {
        struct prefetch_bench bench;

        prefetch_bench_init(&bench, PREFETCHER_STREAM, 1, 8);
        miss(&bench, 10);
        miss(&bench, 11);
        for (int64_t other = 1; other <= others; other++)
            miss(&bench, other * 64);
        miss(&bench, 12);
        miss(&bench, 13);
        if (others == 63)
            PREFETCH_EXPECT(&bench, BASE, 14);
        else
            prefetch_bench_expect_none(&bench);
        prefetch_bench_free(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rising_stream_is_followed),
        cmocka_unit_test(falling_stream_is_followed),
        cmocka_unit_test(direction_needs_two_misses),
        cmocka_unit_test(stream_continues_in_the_next_page),
        cmocka_unit_test(stream_skips_two_lines_at_most),
        cmocka_unit_test(hits_start_no_stream),
        cmocka_unit_test(training_window_is_16_lines),
        cmocka_unit_test(pairs_of_table_1),
        cmocka_unit_test(default_is_the_middle_of_the_road),
        cmocka_unit_test(sixty_four_streams),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
