/* The microbenchmarks: what each is, its code, and its memory.
 *
 * Use: micro_memory_make once; micro_bench_make for a case, then any number of passes (micro_bench_before, micro_run
 * with a copy of `state`, micro_bench_after); micro_bench_free; micro_memory_free.
 * Memory is laid once for all cases that want the same, so cases of one memory follow each other.
 * Errors: FAULT_MEMORY; micro_bench_make: what micro_begin says. */
#ifndef SWEEP_MEASURE_MICRO_BENCH_H
#define SWEEP_MEASURE_MICRO_BENCH_H

#include "sweep/measure/micro_code.h"

/* suffix, meaning of: operation, chains, bytes, number */
#define MICRO_CASES(C)                                                                                                \
    C(OPERATION, "`operation` in that many chains, each waiting for itself; number: loads and stores in L1")          \
    C(FORWARD, "a load behind a store. number: 0 of its bytes, 1 of a part, 2 of two stores, 3 of bytes beside it")   \
    C(CHASE, "a ring of pointers in random order over `bytes`, followed by that many chains at once")                 \
    C(PAGES, "a ring with one line in each of `number` pages of 4 KiB")                                               \
    C(LINES, "a ring of `number` lines, dense, in pages of 4 KiB: what PAGES costs without other pages")              \
    C(WAYS, "a ring of `number` lines that are `bytes` apart")                                                        \
    C(STRIDE, "a ring in order, `number` bytes apart, through all of the memory")                                     \
    C(READ, "reads `bytes` from begin to end with vectors, an operation 256 bytes")                                   \
    C(WRITE, "writes them")                                                                                           \
    C(COPY, "copies them to as many others")                                                                          \
    C(WINDOW, "two misses with `number` times `operation` behind each; MICRO_OPERATION_COUNT: a mixture; OR: each "   \
      "waits for the miss before it")                                                                                 \
    C(BRANCH, "branches on bits. number: 0 never taken, 1 at random")                                                 \
    C(PERIOD, "a branch on a random pattern that repeats after `number`")                                             \
    C(CODE, "`bytes` of additions in a row")                                                                          \
    C(JUMPS, "`number` jumps, 16 bytes apart")                                                                        \
    C(FETCH, "jumps from line to line of `bytes` of code in random order")                                            \
    C(CORES, "reads by `number` cores at once, an operation 256 bytes of any of them")                                \
    C(HAND, "a line that two cores hand to each other, an operation one way")

#define MICRO_CASE_ENUM(suffix, meaning) CASE_##suffix,
enum micro_case_kind { MICRO_CASES(MICRO_CASE_ENUM) CASE_COUNT };

struct micro_case {
    enum micro_case_kind kind;
    enum micro_operation operation;
    unsigned chains;
    uint64_t bytes;
    unsigned number;
};

enum { RING_CHAINS = 32, RING_LINE = 64, SLOT_BYTES = 64, SCRATCH_BYTES = 128 * 1024 };

enum ring_kind { RING_NONE, RING_LARGE, RING_PAGES, RING_LINES, RING_WAYS, RING_STRIDE };

struct micro_memory {
    uint8_t *large, *small;              /* of pages of 2 MiB, if the host gives them; of 4 KiB */
    size_t large_bytes, small_bytes;
    uint8_t *scratch;
    enum ring_kind ring;                 /* that is laid ... */
    uint64_t ring_bytes, ring_number;    /* ... of this size ... */
    uint64_t ring_place;                 /* ... at this place */
    uint64_t place;                      /* chooses where footprints begin; 0: where the memory does */
    uint64_t at[RING_CHAINS];            /* where chains are, which goes on from case to case */
    uint64_t stream_at;                  /* where the next pass of a stream through all of the memory begins */
    uint64_t seed;
    bool has_large_pages;
};

/* As much as is asked for, or less: half as much until the host gives it. */
struct fault micro_memory_make(struct micro_memory *memory, uint64_t large_bytes, uint64_t small_bytes,
                               bool wants_large_pages);
void micro_memory_free(struct micro_memory *memory);
/* Other places for all footprints, since which pages they have decides how they share sets of caches and TLBs; pages
 * of 4 KiB are given back and taken again. */
void micro_memory_move(struct micro_memory *memory);
uint64_t micro_random(struct micro_memory *memory);

struct micro_bench {
    const struct micro_case *what;
    struct micro_memory *memory;
    struct micro_code code;
    struct micro_state state;            /* at the beginning of a pass, but for `count` */
    double operations;                   /* of an iteration */
    uint64_t iterations;                 /* of a pass; 0: any number */
    unsigned ring_chains;                /* r(0) up to here are chains of the ring ... */
    bool has_slots;                      /* ... or, with this, words of scratch, a line each */
    bool goes_on;                        /* a stream: the next pass continues where this one ended */
    uint64_t refill_bytes;               /* read before each pass, since neighbours throw them out of a shared cache */
    uint8_t *refill;
};

/* Does the memory hold it? */
bool micro_case_fits(const struct micro_case *what, const struct micro_memory *memory);
struct fault micro_bench_make(struct micro_bench *bench, const struct micro_case *what, struct micro_memory *memory);
void micro_bench_free(struct micro_bench *bench);
void micro_bench_before(struct micro_bench *bench);
void micro_bench_after(struct micro_bench *bench, const struct micro_state *end);

uint8_t *micro_ring_base(const struct micro_memory *memory, enum ring_kind ring);
/* Where a footprint begins in the large memory. */
uint8_t *micro_footprint(const struct micro_memory *memory, uint64_t bytes);

#endif
