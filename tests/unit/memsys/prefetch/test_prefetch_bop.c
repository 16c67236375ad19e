/* memsys/prefetch/bop.c: streams as maps of their lines, and each constant of Michaud, "Best-offset hardware
 * prefetching", HPCA 2016.
 *
 * The paper's text could not be found. The maps (111111, 101010, 110110, the last two interleaved) are its examples
 * of section 3 from memory; which offset must win is derived by hand. That steps of 1, 2, 1, 2 are covered by
 * offset 3 is in study notes on offset prefetchers, too. Table 2 is from memory; its values agree with programs
 * that name the paper. */
#include "memsys/prefetch/prefetch_params.h"
#include "tests/support/prefetch_bench.h"
#include "tests/support/unit.h"

#define BASE UINT64_C(0x40000)
#define FAR_LINES 100                    /* accesses until a fill comes, at most */

/* A prefetched line is filled `delay` accesses after its trigger. */
struct course {
    struct prefetch_bench bench;
    uint64_t waiting[FAR_LINES];         /* line addresses, 0: none */
    uint32_t delay, now;
    int64_t latest;                      /* distance of the latest candidate from its access, in lines; 0: none */
};

static void start(struct course *course, uint32_t delay)
{
    *course = (struct course){.delay = delay};
    prefetch_bench_init(&course->bench, PREFETCHER_BOP, 1, 0);
}

static void access_line(struct course *course, uint64_t address)
{
    struct prefetcher *const prefetcher = course->bench.prefetcher;
    struct prefetch_candidate candidate;

    if (course->waiting[course->now])
        prefetcher->ops->filled(prefetcher, course->waiting[course->now], true);
    course->waiting[course->now] = 0;
    prefetch_bench_miss(&course->bench, address);
    course->latest = 0;
    if (prefetcher_take(prefetcher, &candidate)) {
        course->latest = (int64_t)(candidate.line_address - address) / 64;
        course->waiting[course->now] = candidate.line_address;
    }
    course->now = (course->now + 1) % (course->delay + 1);
}

/* Runs through pages in which every line of a period of `length` whose bit is set in `map` is accessed. */
static void run_stream(struct course *course, unsigned pages, unsigned map, unsigned length)
{
    static uint64_t page;

    for (unsigned i = 0; i < pages; i++, page++)
        for (unsigned line = 0; line < 64; line++)
            if (map >> (line % length) & 1)
                access_line(course, BASE + page * BENCH_PAGE + line * 64);
}

/* "111111": every offset covers it; the smallest that is in time wins */
static void sequential_stream_needs_an_offset_in_time(void **state)
{
    struct course course;

    start(&course, 0);
    run_stream(&course, 100, 1, 1);
    access_line(&course, BASE);
    assert_int_equal(course.latest, 1);
    prefetch_bench_free(&course.bench);

    start(&course, 4);                           /* the base of the line before is known 5 accesses later */
    run_stream(&course, 100, 1, 1);
    access_line(&course, BASE);
    assert_int_equal(course.latest, 5);
    prefetch_bench_free(&course.bench);
}

/* "101010": odd offsets cover nothing */
static void strided_stream(void **state)
{
    struct course course;

    start(&course, 0);
    run_stream(&course, 200, 1, 2);
    access_line(&course, BASE);
    assert_int_equal(course.latest, 2);
    prefetch_bench_free(&course.bench);
}

/* "110110": offset 3 covers all, offset 1 half */
static void stream_with_a_period_of_three(void **state)
{
    struct course course;

    start(&course, 0);
    run_stream(&course, 200, 3, 3);
    access_line(&course, BASE);
    assert_int_equal(course.latest, 3);
    prefetch_bench_free(&course.bench);
}

/* the two interleaved: the least common multiple of their periods */
static void interleaved_streams_need_the_common_multiple(void **state)
{
    struct course course;

    start(&course, 0);
    for (unsigned page = 0; page < 400; page += 2)
        for (unsigned line = 0; line < 64; line++) {
            if (line % 2 == 0)
                access_line(&course, BASE + page * BENCH_PAGE + line * 64);
            if (line % 3 != 2)
                access_line(&course, BASE + (page + 1) * BENCH_PAGE + line * 64);
        }
    access_line(&course, BASE);
    assert_int_equal(course.latest, 6);
    prefetch_bench_free(&course.bench);
}

/* no offset is used if even the best is bad; learning continues */
static void irregular_accesses_turn_it_off_and_a_stream_on_again(void **state)
{
    struct course course;
    struct random_generator random;

    start(&course, 0);
    random_init(&random, 1);
    for (unsigned i = 0; i < 12000; i++)
        access_line(&course, BASE + (uint64_t)random_uniform(&random, 0, 0xffffff) * 64);
    assert_int_equal(course.latest, 0);
    for (uint64_t i = 0; i < 12000; i++) {
        access_line(&course, BASE + i * 64);
        if (!course.latest)
            course.bench.prefetcher->ops->filled(course.bench.prefetcher, BASE + i * 64, false);
    }
    access_line(&course, BASE);
    assert_int_equal(course.latest, 1);
    prefetch_bench_free(&course.bench);
}

/* ---- the constants, each by an access that changes the offset or does not */

#define OFFSETS 52
#define X_LINE UINT64_C(40)              /* of the page at BASE: the access that is repeated */

static const unsigned list[OFFSETS] = {
    1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 18, 20, 24, 25, 27, 30, 32, 36, 40, 45, 48, 50, 54, 60, 64, 72, 75, 80, 81,
    90, 96, 100, 108, 120, 125, 128, 135, 144, 150, 160, 162, 180, 192, 200, 216, 225, 240, 243, 250, 256};

/* Enters the line as the base of a prefetch in time, while the offset is 1. */
static void remember(struct prefetch_bench *bench, uint64_t line)
{
    bench->prefetcher->ops->filled(bench->prefetcher, BASE + (line + 1) * 64, true);
}

/* What an access fetches: the offset, 0 for none (or for a line beyond the page). */
static unsigned offset_at(struct prefetch_bench *bench, uint64_t line)
{
    struct prefetch_candidate candidate;

    prefetch_bench_miss(bench, BASE + line * 64);
    if (!prefetcher_take(bench->prefetcher, &candidate))
        return 0;
    return (unsigned)((candidate.line_address - BASE) / 64 - line);
}

/* Number of accesses to a line until the prefetched offset changes. */
static unsigned accesses_until_change(struct prefetch_bench *bench, uint64_t line, unsigned *offset)
{
    unsigned count = 0;

    do
        *offset = offset_at(bench, line);
    while (++count < 10000 && *offset == 1);
    return count;
}

/* 31 points end a phase, with the end of the round: 31 rounds of 52 accesses. */
static void phase_ends_at_31_points_with_the_round(void **state)
{
    struct prefetch_bench bench;
    unsigned offset;

    prefetch_bench_init(&bench, PREFETCHER_BOP, 1, 0);
    remember(&bench, X_LINE - 2);
    assert_int_equal(accesses_until_change(&bench, X_LINE, &offset), 31 * OFFSETS);
    assert_int_equal(offset, 2);
    prefetch_bench_free(&bench);
}

/* Each offset of the list that fits the page can win, and no other distance can. */
static void list_has_the_products_of_2_3_and_5(void **state)
{
    unsigned place = 0;

    for (unsigned distance = 2; distance < 64; distance++) {
        struct prefetch_bench bench;
        unsigned offset;

        while (list[place] < distance)
            place++;
        prefetch_bench_init(&bench, PREFETCHER_BOP, 1, 0);
        remember(&bench, 0);
        for (unsigned i = 0; i < 31 * OFFSETS; i++)
            offset_at(&bench, distance);
        offset = offset_at(&bench, 64);              /* next page, line 0: shows every offset of a page */
        assert_int_equal(offset, list[place] == distance ? distance : 1);
        prefetch_bench_free(&bench);
    }
}

/* 100 rounds at most; a best score of 1 turns off, one of 2 does not. */
static void phase_ends_after_100_rounds_and_one_point_is_bad(void **state)
{
    for (unsigned points = 0; points <= 2; points++) {
        struct prefetch_bench bench;
        unsigned count = 0, offset = 1;

        prefetch_bench_init(&bench, PREFETCHER_BOP, 1, 0);
        remember(&bench, X_LINE - 2);
        for (; count < points * OFFSETS; count++)
            assert_int_equal(offset_at(&bench, X_LINE), 1);
        count += accesses_until_change(&bench, 100 * 64, &offset);    /* a page without bases */
        assert_int_equal(count, 100 * OFFSETS);
        assert_int_equal(offset, points == 2 ? 2 : 0);
        prefetch_bench_free(&bench);
    }
}

/* 256 entries by the low 8 bits xor the next 8; tags of the 12 bits from bit 8 on: a base that differs in bit 20 of the
 * line number is taken for the other, one that differs in bit 19 is not; bit 16 is no part of the place, bit 8 is. */
static void recent_requests_have_256_places_and_12_bit_tags(void **state)
{
    static const struct { unsigned written_last; unsigned accessed; bool scores; } rows[] = {
        {0, 20, true}, {0, 19, false}, {0, 8, false}, {0, 7, false}, {16, 0, false}, {8, 0, true}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t const last = rows[i].written_last ? UINT64_C(1) << rows[i].written_last : 0;
        uint64_t const accessed = rows[i].accessed ? UINT64_C(1) << rows[i].accessed : 0;
        struct prefetch_bench bench;
        unsigned offset;

        prefetch_bench_init(&bench, PREFETCHER_BOP, 1, 0);
        remember(&bench, X_LINE - 2);
        remember(&bench, X_LINE - 2 + last);
        accesses_until_change(&bench, X_LINE + accessed, &offset);
        assert_int_equal(offset, rows[i].scores ? 2 : 0);
        prefetch_bench_free(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequential_stream_needs_an_offset_in_time),
        cmocka_unit_test(strided_stream),
        cmocka_unit_test(stream_with_a_period_of_three),
        cmocka_unit_test(interleaved_streams_need_the_common_multiple),
        cmocka_unit_test(irregular_accesses_turn_it_off_and_a_stream_on_again),
        cmocka_unit_test(phase_ends_at_31_points_with_the_round),
        cmocka_unit_test(list_has_the_products_of_2_3_and_5),
        cmocka_unit_test(phase_ends_after_100_rounds_and_one_point_is_bad),
        cmocka_unit_test(recent_requests_have_256_places_and_12_bit_tags),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
