/* memsys/prefetch_bop.c: the examples of Michaud, HPCA 2016, section 3 (streams as maps of their lines). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/prefetch_bench.h"

#define BASE UINT64_C(0x40000)
#define FAR_LINES 100                    /* accesses until a fill comes, at most */

/* Each access comes `delay` accesses before what it prefetched is filled. */
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

    (void)state;
    start(&course, 0);
    run_stream(&course, 60, 1, 1);
    access_line(&course, BASE);
    assert_int_equal(course.latest, 1);
    prefetch_bench_free(&course.bench);

    start(&course, 4);                           /* the base of the line before is known 5 accesses later */
    run_stream(&course, 60, 1, 1);
    access_line(&course, BASE);
    assert_int_equal(course.latest, 5);
    prefetch_bench_free(&course.bench);
}

/* "101010": odd offsets cover nothing */
static void strided_stream(void **state)
{
    struct course course;

    (void)state;
    start(&course, 0);
    run_stream(&course, 100, 1, 2);
    access_line(&course, BASE);
    assert_int_equal(course.latest, 2);
    prefetch_bench_free(&course.bench);
}

/* "110110": offset 3 covers all, offset 1 half */
static void stream_with_a_period_of_three(void **state)
{
    struct course course;

    (void)state;
    start(&course, 0);
    run_stream(&course, 100, 3, 3);
    access_line(&course, BASE);
    assert_int_equal(course.latest, 3);
    prefetch_bench_free(&course.bench);
}

/* the two interleaved: the least common multiple of their periods */
static void interleaved_streams_need_the_common_multiple(void **state)
{
    struct course course;

    (void)state;
    start(&course, 0);
    for (unsigned page = 0; page < 200; page += 2)
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

/* "or none does if even the best is bad"; and "learning goes on" */
static void irregular_accesses_turn_it_off_and_a_stream_on_again(void **state)
{
    struct course course;
    struct random_generator random;

    (void)state;
    start(&course, 0);
    random_init(&random, 1);
    for (unsigned i = 0; i < 6000; i++)
        access_line(&course, BASE + (uint64_t)random_uniform(&random, 0, 0xffffff) * 64);
    assert_int_equal(course.latest, 0);
    for (uint64_t i = 0; i < 6000; i++) {
        access_line(&course, BASE + i * 64);
        if (!course.latest)
            course.bench.prefetcher->ops->filled(course.bench.prefetcher, BASE + i * 64, false);
    }
    access_line(&course, BASE);
    assert_int_equal(course.latest, 1);
    prefetch_bench_free(&course.bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequential_stream_needs_an_offset_in_time),
        cmocka_unit_test(strided_stream),
        cmocka_unit_test(stream_with_a_period_of_three),
        cmocka_unit_test(interleaved_streams_need_the_common_multiple),
        cmocka_unit_test(irregular_accesses_turn_it_off_and_a_stream_on_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
