/* Microbenchmarks of the core. */
#include "sweep/measure/micro_internal.h"

#include <stdlib.h>

#include "base/arith.h"

enum { SCRATCH = 11, OPERAND = 10, CHAIN = 5, UNROLLED = 120, LAST_VECTOR = MICRO_VECTORS - 1, JUMP_BYTES = 16 };

static void put(struct micro_bench *bench, enum micro_operation operation, unsigned d, unsigned s, int32_t i)
{
    micro_put(&bench->code, operation, d, s, i);
}

static bool is_of_vectors(enum micro_operation operation)
{
    return operation >= MICRO_FADD && operation <= MICRO_VMUL;
}

static bool is_access(enum micro_operation operation)
{
    return operation >= MICRO_LOAD && operation <= MICRO_VSTORE;
}

/* ---- operations */
static void put_accesses(struct micro_bench *bench)
{
    bool const is_vector = bench->what->operation == MICRO_VLOAD || bench->what->operation == MICRO_VSTORE;
    unsigned const bytes = is_vector ? bench->code.vector_bytes : 8;

    for (unsigned i = 0; i < UNROLLED; i++)
        put(bench, bench->what->operation, i % 8, SCRATCH, (int32_t)(i % 8 * bytes));
}

/* A quotient that is filled up again with a high bit, so that all divisions are of numbers of 41 bits by 3. */
static void put_divisions(struct micro_bench *bench)
{
    bench->state.r[0] = (uint64_t)1 << 40;
    bench->state.r[CHAIN] = 3;
    bench->state.r[6] = (uint64_t)1 << 40;
    for (unsigned i = 0; i < UNROLLED; i++) {
        put(bench, MICRO_DIV, 0, CHAIN, 0);
        put(bench, MICRO_OR, 0, 6, 0);
    }
}

static void put_operations(struct micro_bench *bench)
{
    const struct micro_case *const what = bench->what;
    bool const is_float = is_of_vectors(what->operation), is_chain = what->chains == 1;
    unsigned const chains = is_chain ? 1 : is_float ? LAST_VECTOR : 10;

    bench->operations = UNROLLED;
    bench->state.r[SCRATCH] = (uint64_t)(uintptr_t)bench->memory->scratch;
    bench->state.r[OPERAND] = bench->state.r[CHAIN] = 3;
    if (what->operation == MICRO_DIV) {
        put_divisions(bench);
    } else if (is_access(what->operation)) {
        put_accesses(bench);
    } else if (what->operation == MICRO_MOVE) {
        for (unsigned i = 0; i < UNROLLED; i++)
            put(bench, MICRO_MOVE, i % 2 ? CHAIN : 6, i % 2 ? 6 : CHAIN, 0);
    } else {
        for (unsigned i = 0; i < UNROLLED; i++) {
            unsigned const d = is_chain ? (is_float ? 0 : CHAIN) : i % chains;

            put(bench, what->operation, d, is_float ? LAST_VECTOR : is_chain ? d : OPERAND, 1);
        }
    }
}

static void put_forward(struct micro_bench *bench)
{
    unsigned const way = bench->what->number;

    bench->operations = UNROLLED;
    bench->state.r[SCRATCH] = (uint64_t)(uintptr_t)bench->memory->scratch;
    for (unsigned i = 0; i < UNROLLED; i++) {
        put(bench, way == 2 ? MICRO_STORE4 : MICRO_STORE, CHAIN, SCRATCH, 0);
        if (way == 2)
            put(bench, MICRO_STORE4, CHAIN, SCRATCH, 4);
        put(bench, way == 1 ? MICRO_LOAD4 : MICRO_LOAD, way == 3 ? i % 4 : CHAIN, SCRATCH, way == 3 ? 8 : 0);
    }
}

/* ---- branches */
static void put_branches(struct micro_bench *bench)
{
    enum { BITS = 7, WORDS = SCRATCH_BYTES / 2 / 4 };
    bool const is_period = bench->what->kind == CASE_PERIOD;
    unsigned const bits = is_period ? 1 : BITS;

    bench->operations = bits;
    bench->iterations = is_period ? WORDS / 2 : WORDS / 8;
    bench->state.r[6] = (uint64_t)(uintptr_t)bench->memory->scratch;
    put(bench, MICRO_LOAD4, CHAIN, 6, 0);
    put(bench, MICRO_ADD, 6, 0, 4);
    for (unsigned i = 0; i < bits; i++) {
        put(bench, MICRO_SKIP, CHAIN, 0, (int32_t)i);
        put(bench, MICRO_ADD, i % 4, 0, 1);
    }
}

static void put_jumps(struct micro_bench *bench)
{
    int32_t const gap = micro_isa() == ISA_A64 ? JUMP_BYTES - 4 : JUMP_BYTES - 2;

    bench->operations = bench->what->number;
    for (unsigned i = 0; i < bench->what->number; i++)
        put(bench, MICRO_JUMP, 0, 0, gap);
}

/* ---- code */
static void put_additions(struct micro_bench *bench)
{
    uint64_t const count = bench->what->bytes / 4;

    bench->operations = (double)count;
    for (uint64_t i = 0; i < count; i++)
        put(bench, MICRO_ADD, (unsigned)(i % 8), 0, 1);
}

/* The lines' jumps form one ring in random order, which begins at the first line and ends behind the last one. */
static void put_fetches(struct micro_bench *bench)
{
    uint32_t const count = (uint32_t)(bench->what->bytes / RING_LINE);
    uint32_t *const order = malloc(2 * count * sizeof *order), *const next = order ? order + count : NULL;

    bench->operations = count;
    if (!order) {
        bench->code.is_full = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count - 1; i > 1; i--) {
        uint32_t const j = 1 + (uint32_t)(micro_random(bench->memory) % i), moved = order[i];

        order[i] = order[j];
        order[j] = moved;
    }
    for (uint32_t i = 0; i < count; i++)
        next[order[i]] = i + 1 < count ? order[i + 1] : count;
    for (uint32_t i = 0; i < count; i++)
        micro_put_line(&bench->code, i, next[i]);
    free(order);
}

void micro_put_core(struct micro_bench *bench)
{
    switch (bench->what->kind) {
    case CASE_OPERATION: put_operations(bench); break;
    case CASE_FORWARD: put_forward(bench); break;
    case CASE_BRANCH: case CASE_PERIOD: put_branches(bench); break;
    case CASE_JUMPS: put_jumps(bench); break;
    case CASE_CODE: put_additions(bench); break;
    default: put_fetches(bench); break;
    }
}
