/* A prefetcher on its own: accesses by hand, and its candidates. Lines are 64 bytes, latency 1 cycle of 500 ps. */
#ifndef TESTS_SUPPORT_PREFETCH_BENCH_H
#define TESTS_SUPPORT_PREFETCH_BENCH_H

#include "memsys/prefetch/prefetcher.h"

#define BENCH_LINE UINT64_C(64)
#define BENCH_PAGE UINT64_C(4096)
#define BENCH_PERIOD_PS 500

struct prefetch_bench {
    struct sim sim;
    struct prefetcher *prefetcher;
    requestor_id core;
};

/* degree, distance 0: the kind's own. */
void prefetch_bench_init(struct prefetch_bench *bench, uint64_t kind, uint32_t degree, uint32_t distance);
/* The same from parameters; fields of 0 that may not be 0 get their defaults. */
void prefetch_bench_init_params(struct prefetch_bench *bench, struct prefetcher_params params);
void prefetch_bench_free(struct prefetch_bench *bench);

enum bench_outcome { BENCH_MISS, BENCH_HIT, BENCH_FIRST_HIT };

/* A load of 8 bytes. */
void prefetch_bench_access(struct prefetch_bench *bench, uint64_t address, uint64_t pc, enum bench_outcome outcome);
void prefetch_bench_miss(struct prefetch_bench *bench, uint64_t address);

/* Takes all candidates, and asserts that they are these line addresses in this order. */
void prefetch_bench_expect(struct prefetch_bench *bench, const uint64_t *lines, uint32_t count);
/* The same as a list of lines, given as numbers counted from the line of `base`. */
#define PREFETCH_EXPECT(bench, base, ...)                                                                             \
    prefetch_bench_expect_lines((bench), (base), (const int64_t[]){__VA_ARGS__},                                      \
                                sizeof(const int64_t[]){__VA_ARGS__} / sizeof(int64_t))
void prefetch_bench_expect_lines(struct prefetch_bench *bench, uint64_t base, const int64_t *lines, size_t count);
void prefetch_bench_expect_none(struct prefetch_bench *bench);

#endif
