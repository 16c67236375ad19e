/* Assertions print the candidate's place by way of the values: wanted and found line. */
#include "tests/support/prefetch_bench.h"
#include "memsys/prefetch/prefetch_params.h"
#include "tests/support/unit.h"

void prefetch_bench_init_params(struct prefetch_bench *bench, struct prefetcher_params params)
{
    struct fault fault;

    if (!params.queue_size)
        params.queue_size = 32;
    *bench = (struct prefetch_bench){0};
    sim_init(&bench->sim, (uint32_t)BENCH_LINE);
    bench->core = sim_add_requestor(&bench->sim, "cpu.data");
    fault = prefetcher_create(&bench->prefetcher, &bench->sim, "l2", BENCH_PERIOD_PS, &params);
    assert_int_equal(fault.kind, FAULT_NONE);
    assert_non_null(bench->prefetcher);
}

void prefetch_bench_init(struct prefetch_bench *bench, uint64_t kind, uint32_t degree, uint32_t distance)
{
    prefetch_bench_init_params(bench, (struct prefetcher_params){.type = kind, .degree = degree, .distance = distance,
                                                                 .latency_cyc = 1});
}

void prefetch_bench_free(struct prefetch_bench *bench)
{
    prefetcher_destroy(bench->prefetcher);
    sim_free(&bench->sim);
}

void prefetch_bench_access(struct prefetch_bench *bench, uint64_t address, uint64_t pc, enum bench_outcome outcome)
{
    struct request const request = {.address = address, .size_bytes = 8, .pc = pc, .has_pc = true,
                                    .requestor = bench->core};

    prefetcher_observe(bench->prefetcher,
                       &(struct prefetch_event){.request = &request, .command = CMD_ReadReq,
                                                .is_miss = outcome == BENCH_MISS,
                                                .was_prefetched = outcome == BENCH_FIRST_HIT});
}

void prefetch_bench_miss(struct prefetch_bench *bench, uint64_t address)
{
    prefetch_bench_access(bench, address, 0x400, BENCH_MISS);
}

void prefetch_bench_expect(struct prefetch_bench *bench, const uint64_t *lines, uint32_t count)
{
    struct prefetch_candidate candidate;

    assert_int_equal(bench->prefetcher->count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(prefetcher_take(bench->prefetcher, &candidate));
        assert_int_equal(candidate.line_address, lines[i]);
    }
}

void prefetch_bench_expect_lines(struct prefetch_bench *bench, uint64_t base, const int64_t *lines, size_t count)
{
    uint64_t addresses[64];

    assert_in_range(count, 1, 64);
    for (size_t i = 0; i < count; i++)
        addresses[i] = base / BENCH_LINE * BENCH_LINE + (uint64_t)lines[i] * BENCH_LINE;
    prefetch_bench_expect(bench, addresses, (uint32_t)count);
}

void prefetch_bench_expect_none(struct prefetch_bench *bench)
{
    prefetch_bench_expect(bench, NULL, 0);
}
