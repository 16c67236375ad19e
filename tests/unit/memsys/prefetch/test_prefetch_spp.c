/* memsys/prefetch/spp.c: the example in the figures of Kim et al., "Path confidence based lookahead prefetching",
 * MICRO 2016, and each constant of its sections 3.1 to 3.4.
 *
 * The first three tests walk the paper's example. The paper's text was not at hand. Learning was confirmed by a
 * chapter of a dissertation that has the same example (II.3.2, "Learning memory access patterns"), lookahead and
 * the next page by study notes on the paper that go through its figures. The patterns of all other tests are
 * derived by hand. */
#include "memsys/prefetch/prefetch_params.h"
#include "tests/support/prefetch_bench.h"
#include "tests/support/unit.h"

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

/* The figures on learning and on lookahead: page 3 was left at line 1 with signature 0x1 (one delta, +1). An access to
 * its line 3 makes delta +2, which counts for signature 0x1 and makes the signature 0x1 << 3 ^ 2 = 0xa. Of 10 deltas
 * after 0xa, 8 were +2: confidence 0.8, line 5 is fetched. The path continues with signature 0xa << 3 ^ 2 = 0x52 (+1,
 * +2, +2).
 *
 * Ours: the other 2 of 10 were +7 (0.2, too little), after 0x52 always came +3 (as in figure 7), and after 0x52 <<
 * 3 ^ 3 = 0x293 always +5, which shows that the path got there. All this is learned on pages 16 to 25. */
static void learn_the_figures(struct prefetch_bench *bench)
{
    for (uint64_t page = 16; page < 26; page++) {
        static const uint64_t path[] = {0, 1, 3, 5, 8, 13}, other[] = {0, 1, 3, 10};
        bool const is_other = page < 18;

        for (size_t i = 0; i < (is_other ? sizeof other / sizeof *other : sizeof path / sizeof *path); i++) {
            access_line(bench, page, is_other ? other[i] : path[i]);
            drain(bench);
        }
    }
}

static void path_of_the_figures(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
    access_line(&bench, 3, 0);
    access_line(&bench, 3, 1);
    learn_the_figures(&bench);
    access_line(&bench, 3, 3);
    PREFETCH_EXPECT(&bench, BASE + 3 * BENCH_PAGE, 5, 8, 13);
    prefetch_bench_free(&bench);
}

/* The signatures are those of the figures: other deltas that come to the same values find the same rows. 10 is 0xa;
 * 8 << 3 ^ 18 is 0x52; (8 << 3 ^ 16) << 3 ^ 19 is 0x293. */
static void signatures_of_the_figures(void **state)
{
    static const struct { uint64_t lines[4]; size_t count; uint64_t fetched; } rows[] = {
        {{20, 30}, 2, 32}, {{0, 8, 26}, 3, 29}, {{0, 8, 24, 43}, 4, 48}};
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
    learn_the_figures(&bench);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t n = 0; n < rows[i].count; n++) {
            drain(&bench);
            access_line(&bench, 4 + i, rows[i].lines[n]);
        }
        expect_first(&bench, 4 + i, rows[i].fetched);
    }
    prefetch_bench_free(&bench);
}

/* Figure 7: on page A the path leaves with signature 0x52 and delta +3 for line 1 of the next page, so its last line is
 * 62 (62 + 3 - 64 = 1). Page B, entered at line 1, starts with signature 0x52 << 3 ^ 3 = 0x293. Ours: +5 follows. */
static void page_end_of_the_figure(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
    learn_the_figures(&bench);
    for (size_t i = 0; i < 4; i++) {
        static const uint64_t lines[] = {57, 58, 60, 62};

        access_line(&bench, 4, lines[i]);
    }
    drain(&bench);
    access_line(&bench, 9, 2);
    prefetch_bench_expect_none(&bench);
    access_line(&bench, 10, 1);
    PREFETCH_EXPECT(&bench, BASE + 10 * BENCH_PAGE, 6);
    prefetch_bench_free(&bench);
}

/* The signature at work: deltas 1 to 5 lead through 0x001, 0x00a, 0x053, 0x29c, 0x4e5 (shift 3, exclusive or, 12
 * bits). */
static void run_page(struct prefetch_bench *bench, uint64_t page)
{
    static const uint64_t lines[] = {0, 1, 3, 6, 10, 15};

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        access_line(bench, page, lines[i]);
        drain(bench);
    }
}

/* The signature of a path names what follows: a first page teaches, the second one is fetched a step ahead. Then the
 * accuracy, 1 of 1, lets the path run. */
static void path_is_learned_in_one_page(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
    run_page(&bench, 0);
    assert_int_equal(bench.prefetcher->stats.identified, 0);
    access_line(&bench, 1, 0);                           /* no history, no prediction */
    prefetch_bench_expect_none(&bench);
    access_line(&bench, 1, 1);
    PREFETCH_EXPECT(&bench, BASE + BENCH_PAGE, 3);       /* nothing is known of the accuracy: no further */
    access_line(&bench, 1, 3);
    PREFETCH_EXPECT(&bench, BASE + BENCH_PAGE, 6, 10, 15);
    access_line(&bench, 1, 6);                           /* the filter knows them all */
    prefetch_bench_expect_none(&bench);
    prefetch_bench_free(&bench);
}

/* Equation 3: one use of two makes 50 %, 25 % and then too little: the third line ahead is the last. */
static void accuracy_shortens_the_path(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
    for (uint64_t line = 0; line < 6; line++)
        access_line(&bench, 0, line);
    PREFETCH_EXPECT(&bench, BASE, 6);                    /* never used */
    access_line(&bench, 1, 0);
    access_line(&bench, 1, 1);
    PREFETCH_EXPECT(&bench, BASE + BENCH_PAGE, 2);
    access_line(&bench, 1, 2);
    PREFETCH_EXPECT(&bench, BASE + BENCH_PAGE, 3, 4, 5);
    prefetch_bench_free(&bench);
}

/* Lines 10, 11 and 11 + delta of a page: signature 1 is followed by delta. */
static void teach(struct prefetch_bench *bench, uint64_t *page, uint64_t delta, unsigned times)
{
    for (; times > 0; times--, ++*page) {
        access_line(bench, *page, 10);
        access_line(bench, *page, 11);
        access_line(bench, *page, 11 + delta);
        drain(bench);
    }
}

/* What follows lines 10 and 11 of a new page; the first step does not depend on the accuracy. */
static void ask(struct prefetch_bench *bench, uint64_t *page)
{
    access_line(bench, *page, 10);
    prefetch_bench_expect_none(bench);
    access_line(bench, (*page)++, 11);
}

/* Threshold 25 %: 1 of 4 is fetched, 1 of 5 is not. */
static void likely_deltas_are_all_fetched(void **state)
{
    struct prefetch_bench bench;
    uint64_t page = 0;

    prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
    teach(&bench, &page, 2, 3);
    teach(&bench, &page, 5, 1);
    ask(&bench, &page);
    PREFETCH_EXPECT(&bench, BASE + (page - 1) * BENCH_PAGE, 13, 16);
    teach(&bench, &page, 2, 1);
    ask(&bench, &page);
    PREFETCH_EXPECT(&bench, BASE + (page - 1) * BENCH_PAGE, 13);
    prefetch_bench_free(&bench);
}

/* A row has 4 deltas: each is 1 of 4. The fifth takes the place of the first. */
static void a_row_has_four_deltas(void **state)
{
    static const uint64_t deltas[] = {2, 5, 7, 9};
    struct prefetch_bench bench;
    uint64_t page = 0;

    prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
    for (size_t i = 0; i < 4; i++)
        teach(&bench, &page, deltas[i], 1);
    ask(&bench, &page);
    PREFETCH_EXPECT(&bench, BASE + (page - 1) * BENCH_PAGE, 13, 16, 18, 20);
    teach(&bench, &page, 11, 1);                         /* 4 of 1 each, 5 in all */
    ask(&bench, &page);
    prefetch_bench_expect_none(&bench);
    teach(&bench, &page, 2, 1);                          /* was forgotten: 1 of 6 */
    ask(&bench, &page);
    prefetch_bench_expect_none(&bench);
    prefetch_bench_free(&bench);
}

/* Counts of 4 bits: 15 and 15; a delta more and all are halved, 8, 7 and 0. So 5 needs three more to be 3 of 11. */
static void counts_have_four_bits(void **state)
{
    struct prefetch_bench bench;
    uint64_t page = 0;

    prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
    teach(&bench, &page, 2, 15);
    teach(&bench, &page, 5, 3);
    ask(&bench, &page);
    PREFETCH_EXPECT(&bench, BASE + (page - 1) * BENCH_PAGE, 13);
    teach(&bench, &page, 5, 1);
    ask(&bench, &page);
    PREFETCH_EXPECT(&bench, BASE + (page - 1) * BENCH_PAGE, 13, 16);
    prefetch_bench_free(&bench);

    prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
    teach(&bench, &page, 2, 16);                         /* 8 and 8 */
    teach(&bench, &page, 5, 3);
    ask(&bench, &page);
    PREFETCH_EXPECT(&bench, BASE + (page - 1) * BENCH_PAGE, 13, 16);
    prefetch_bench_free(&bench);
}

/* Accesses lines from 0 on at a fixed stride; takes all candidates but those of the last access. */
static void run_deltas(struct prefetch_bench *bench, uint64_t page, const unsigned *deltas, size_t count)
{
    uint64_t line = 0;

    access_line(bench, page, line);
    for (size_t i = 0; i < count; i++) {
        drain(bench);
        access_line(bench, page, line += deltas[i]);
    }
}

#define RUN_DELTAS(bench, page, ...)                                                                                  \
    run_deltas((bench), (page), (const unsigned[]){__VA_ARGS__},                                                      \
               sizeof(const unsigned[]){__VA_ARGS__} / sizeof(unsigned))

/* 12 bits and a shift of 3: of four deltas the first enters with its low 3 bits, so 9 is as good as 1 there, 5 is
 * not. */
static void signature_has_twelve_bits_and_shifts_by_three(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
    RUN_DELTAS(&bench, 0, 1, 1, 1, 1, 7);
    RUN_DELTAS(&bench, 1, 5, 1, 1, 1);
    prefetch_bench_expect_none(&bench);
    RUN_DELTAS(&bench, 2, 9, 1, 1, 1);
    expect_first(&bench, 2, 12 + 7);
    prefetch_bench_free(&bench);
}

/* 512 rows: 4, 1, 9 makes 0x101, another row than 1; 8, 1, 8 makes 0x200, which shares the row of 1. */
static void patterns_have_512_rows(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
    RUN_DELTAS(&bench, 0, 4, 1, 9, 3);
    RUN_DELTAS(&bench, 1, 1);
    prefetch_bench_expect_none(&bench);
    RUN_DELTAS(&bench, 2, 8, 1, 8, 3);
    RUN_DELTAS(&bench, 3, 1);
    expect_first(&bench, 3, 1 + 3);
    prefetch_bench_free(&bench);
}

/* Counters of 10 bits: 1024 fetched and none used become 512 and 0. Then 171 more, all used, are a quarter: 171 of 683;
 * 170 of 682 are not. */
static void accuracy_is_counted_in_ten_bits(void **state)
{
    for (unsigned used = 170; used <= 171; used++) {
        struct prefetch_bench bench;
        uint64_t page = 0;

        prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
        teach(&bench, &page, 2, 1);
        for (unsigned i = 0; i < 1024; i++) {
            ask(&bench, &page);
            drain(&bench);
        }
        teach(&bench, &page, 2, used);
        access_line(&bench, page - 1, 16);               /* and 3 after that */
        ask(&bench, &page);
        if (used == 170)
            PREFETCH_EXPECT(&bench, BASE + (page - 1) * BENCH_PAGE, 13);
        else
            PREFETCH_EXPECT(&bench, BASE + (page - 1) * BENCH_PAGE, 13, 16);
        prefetch_bench_free(&bench);
    }
}

/* The confidence alone ends a path: one that has always been right runs through the page. */
static void path_has_no_limit_of_its_own(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init_params(&bench, (struct prefetcher_params){.type = PREFETCHER_SPP, .queue_size = 64});
    for (uint64_t line = 0; line < 64; line++)
        access_line(&bench, 0, line);
    drain(&bench);
    assert_int_equal(bench.prefetcher->stats.identified, 58);    /* lines 6 to 63; the path left the page, so that */
    access_line(&bench, 1, 0);
    assert_int_equal(bench.prefetcher->count, 63);               /* the next one is fetched at its first access */
    prefetch_bench_free(&bench);
}

/* A delta enters with its sign: after -5 comes something else than after 5. */
static void deltas_have_a_sign(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
    access_line(&bench, 0, 30);
    access_line(&bench, 0, 25);
    access_line(&bench, 0, 20);
    access_line(&bench, 1, 30);
    access_line(&bench, 1, 35);
    access_line(&bench, 1, 36);
    prefetch_bench_expect_none(&bench);
    access_line(&bench, 2, 40);
    access_line(&bench, 2, 35);
    PREFETCH_EXPECT(&bench, BASE + 2 * BENCH_PAGE, 30);
    access_line(&bench, 3, 40);
    access_line(&bench, 3, 45);
    PREFETCH_EXPECT(&bench, BASE + 3 * BENCH_PAGE, 46);
    prefetch_bench_free(&bench);
}

/* "paths that left a page, with which the next page starts": first delta of a page is 40 here, the path's is 3 */
static void path_continues_in_the_next_page(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
    for (uint64_t page = 0; page < 6; page++) {
        access_line(&bench, page, 0);
        for (uint64_t line = 41; line < 64; line += 3) {
            access_line(&bench, page, line);
            drain(&bench);
        }
    }
    access_line(&bench, 6, 1);                           /* 62 + 3 is line 1 of the next page */
    expect_first(&bench, 6, 4);
    access_line(&bench, 7, 2);                           /* no path ends there */
    prefetch_bench_expect_none(&bench);
    prefetch_bench_free(&bench);
}

/* 8 page ends; the ninth, as likely as the others, takes the first place. A path of delta d that passes line 63 is to
 * reach line d - 1 of the next page, and there, after d twice, -1 follows. */
static void register_has_eight_page_ends(void **state)
{
    struct prefetch_bench bench;
    uint64_t page = 0;

    prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
    for (uint64_t delta = 20; delta < 29; delta++, page += 2) {
        access_line(&bench, page, 0);
        access_line(&bench, page, delta);
        access_line(&bench, page, 2 * delta);
        access_line(&bench, page, 2 * delta - 1);
        access_line(&bench, page + 1, 63 - delta);
        access_line(&bench, page + 1, 63);
        prefetch_bench_expect_none(&bench);
    }
    access_line(&bench, page, 20 - 1);
    prefetch_bench_expect_none(&bench);
    for (uint64_t delta = 21; delta < 29; delta++) {
        access_line(&bench, ++page, delta - 1);
        expect_first(&bench, page, delta - 2);
    }
    prefetch_bench_free(&bench);
}

/* One access each to pages that nothing is known of, so that the pages before them leave the table. */
static void visit(struct prefetch_bench *bench, uint64_t *page, unsigned count)
{
    for (; count > 0; count--)
        access_line(bench, (*page)++, 40);
    prefetch_bench_expect_none(bench);
}

/* 256 pages, the least recently used makes room. */
static void signatures_of_256_pages(void **state)
{
    struct prefetch_bench bench;
    uint64_t others = 100;

    prefetch_bench_init(&bench, PREFETCHER_SPP, 0, 0);
    run_page(&bench, 0);
    access_line(&bench, 1, 0);
    visit(&bench, &others, 255);
    access_line(&bench, 1, 1);
    PREFETCH_EXPECT(&bench, BASE + BENCH_PAGE, 3);
    access_line(&bench, 2, 0);
    visit(&bench, &others, 256);
    access_line(&bench, 2, 1);
    prefetch_bench_expect_none(&bench);
    prefetch_bench_free(&bench);
}

/* The filter: a line is fetched once, until it is lost or another one 1024 lines away takes its place. */
static void filter_has_1024_lines(void **state)
{
    struct prefetch_bench bench;
    uint64_t others = 100;

    prefetch_bench_init(&bench, PREFETCHER_SPP, 1, 0);
    run_page(&bench, 0);
    for (unsigned time = 0; time < 5; time++) {
        uint64_t const other = time == 4 ? 17 : 9;       /* 1024 lines away, 512 */

        if (time == 2)
            bench.prefetcher->ops->lost(bench.prefetcher, BASE + BENCH_PAGE + 3 * 64);
        if (time >= 3) {
            access_line(&bench, other, 0);
            access_line(&bench, other, 1);
            PREFETCH_EXPECT(&bench, BASE + other * BENCH_PAGE, 3);
        }
        access_line(&bench, 1, 0);
        access_line(&bench, 1, 1);
        if (time == 1 || time == 3)
            prefetch_bench_expect_none(&bench);
        else
            PREFETCH_EXPECT(&bench, BASE + BENCH_PAGE, 3);
        visit(&bench, &others, 256);
    }
    prefetch_bench_free(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path_of_the_figures),
        cmocka_unit_test(signatures_of_the_figures),
        cmocka_unit_test(page_end_of_the_figure),
        cmocka_unit_test(path_is_learned_in_one_page),
        cmocka_unit_test(accuracy_shortens_the_path),
        cmocka_unit_test(likely_deltas_are_all_fetched),
        cmocka_unit_test(a_row_has_four_deltas),
        cmocka_unit_test(counts_have_four_bits),
        cmocka_unit_test(signature_has_twelve_bits_and_shifts_by_three),
        cmocka_unit_test(patterns_have_512_rows),
        cmocka_unit_test(accuracy_is_counted_in_ten_bits),
        cmocka_unit_test(path_has_no_limit_of_its_own),
        cmocka_unit_test(deltas_have_a_sign),
        cmocka_unit_test(path_continues_in_the_next_page),
        cmocka_unit_test(register_has_eight_page_ends),
        cmocka_unit_test(signatures_of_256_pages),
        cmocka_unit_test(filter_has_1024_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
