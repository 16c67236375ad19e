/* memsys/prefetch/stride.c: strides by program counter (classic-memory 13.3). */
#include "memsys/prefetch/prefetch_params.h"
#include "tests/support/prefetch_bench.h"
#include "tests/support/unit.h"

#define BASE UINT64_C(0x40000)

/* A new entry has confidence 4 of 7; the first stride differs from 0, so it falls to 3 and the stride is taken over.
 * The second one makes it 4 again: from the third access on, strides are fetched. */
static void third_access_of_a_stride_fetches(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_STRIDE, 2, 0);
    prefetch_bench_access(&bench, BASE, 0x100, BENCH_MISS);
    prefetch_bench_access(&bench, BASE + 200, 0x100, BENCH_MISS);
    prefetch_bench_expect_none(&bench);
    prefetch_bench_access(&bench, BASE + 400, 0x100, BENCH_MISS);
    PREFETCH_EXPECT(&bench, BASE, 600 / 64, 800 / 64);
    prefetch_bench_access(&bench, BASE + 600, 0x104, BENCH_MISS);        /* another load knows nothing */
    prefetch_bench_expect_none(&bench);
    prefetch_bench_free(&bench);
}

/* "step = |s| < line ? +-line : s" */
static void short_strides_become_lines(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_STRIDE, 2, 0);
    for (uint64_t i = 0; i < 3; i++)
        prefetch_bench_access(&bench, BASE + 2048 - 8 * i, 0x100, BENCH_MISS);
    PREFETCH_EXPECT(&bench, BASE + 2048 - 16, -1, -2);
    prefetch_bench_free(&bench);
}

/* "a = addr + distance*step; emit a+step, a+2*step" */
static void distance_skips_strides(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_STRIDE, 2, 3);
    for (uint64_t i = 0; i < 3; i++)
        prefetch_bench_access(&bench, BASE + i * 128, 0x100, BENCH_MISS);
    PREFETCH_EXPECT(&bench, BASE + 256, 8, 10);
    prefetch_bench_free(&bench);
}

/* "replaced by an empty one whenever a requestor id is seen for the first time" */
static void new_requestor_empties_the_table(void **state)
{
    struct prefetch_bench bench;
    requestor_id first;

    prefetch_bench_init(&bench, PREFETCHER_STRIDE, 1, 0);
    first = bench.core;
    for (uint64_t i = 0; i < 2; i++)
        prefetch_bench_access(&bench, BASE + i * 128, 0x100, BENCH_MISS);
    bench.core = sim_add_requestor(&bench.sim, "cpu1.data");
    prefetch_bench_access(&bench, BASE + 2048, 0x200, BENCH_MISS);
    bench.core = first;
    prefetch_bench_access(&bench, BASE + 2 * 128, 0x100, BENCH_MISS);    /* would be the third of the stride */
    prefetch_bench_expect_none(&bench);
    for (uint64_t i = 3; i < 5; i++)
        prefetch_bench_access(&bench, BASE + i * 128, 0x100, BENCH_MISS);
    PREFETCH_EXPECT(&bench, BASE + 4 * 128, 2);
    prefetch_bench_free(&bench);
}

/* "victim (random draw even if an invalid way exists, first invalid way wins)" */
static void each_new_load_draws_a_number(void **state)
{
    struct prefetch_bench bench;
    struct random_generator expected;

    prefetch_bench_init(&bench, PREFETCHER_STRIDE, 1, 0);
    random_init(&expected, RANDOM_SEED);
    for (uint64_t i = 0; i < 5; i++) {           /* pcs of one set: the fifth replaces one */
        prefetch_bench_access(&bench, BASE, i << 9, BENCH_MISS);
        random_uniform(&expected, 0, 3);
    }
    prefetch_bench_access(&bench, BASE, UINT64_C(4) << 9, BENCH_MISS);   /* known: no draw */
    assert_int_equal(random_next(&bench.sim.random), random_next(&expected));
    prefetch_bench_free(&bench);
}

/* "Requests without PC ignored"; "on_inst False" */
static void fetches_and_nameless_requests_are_ignored(void **state)
{
    struct prefetch_bench bench;
    struct request request = {.size_bytes = 8};

    prefetch_bench_init(&bench, PREFETCHER_STRIDE, 1, 0);
    for (unsigned i = 0; i < 8; i++) {
        request.address = BASE + i * 128;
        request.flags = i < 4 ? REQUEST_FETCH : 0;
        request.has_pc = i < 4;
        prefetcher_observe(bench.prefetcher, &(struct prefetch_event){.request = &request, .command = CMD_ReadReq,
                                                                      .is_miss = true});
    }
    prefetch_bench_expect_none(&bench);
    prefetch_bench_free(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(third_access_of_a_stride_fetches),
        cmocka_unit_test(short_strides_become_lines),
        cmocka_unit_test(distance_skips_strides),
        cmocka_unit_test(new_requestor_empties_the_table),
        cmocka_unit_test(each_new_load_draws_a_number),
        cmocka_unit_test(fetches_and_nameless_requests_are_ignored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
