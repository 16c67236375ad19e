/* Microbenchmarks of memory. */
#include "sweep/measure/micro_internal.h"

#include "base/arith.h"

enum {
    SLOTS = 11, IN_REGISTERS = 11, POINTER = 11, OTHER = 12, FILLED = 8, CHUNK_BYTES = 256,
    REFILL_LEAST = 256 << 10, REFILL_MOST = 32 << 20, PASS_BYTES = 512 * 1024
};

static void put(struct micro_bench *bench, enum micro_operation operation, unsigned d, unsigned s, int32_t i)
{
    micro_put(&bench->code, operation, d, s, i);
}

/* ---- rings */
static void put_chase(struct micro_bench *bench)
{
    /* A list in order is followed by one instruction, so that its stride is the list's. */
    unsigned const deep = bench->what->kind == CASE_STRIDE ? 1 : 8;
    unsigned const chains = bench->what->chains > 0 ? bench->what->chains : 1;

    bench->ring_chains = chains;
    bench->has_slots = chains > IN_REGISTERS;
    bench->operations = (double)chains * (bench->has_slots ? 1 : deep);
    bench->state.r[SLOTS] = (uint64_t)(uintptr_t)bench->memory->scratch;
    for (unsigned i = 0; i < (bench->has_slots ? 1 : deep); i++)
        for (unsigned c = 0; c < chains; c++) {
            unsigned const r = bench->has_slots ? c % IN_REGISTERS : c;

            if (bench->has_slots)
                put(bench, MICRO_LOAD, r, SLOTS, (int32_t)(SLOT_BYTES * c));
            put(bench, MICRO_LOAD, r, r, 0);
            if (bench->has_slots)
                put(bench, MICRO_STORE, r, SLOTS, (int32_t)(SLOT_BYTES * c));
        }
}

/* What fills the window, in other places than those of the ring. */
static void put_filler(struct micro_bench *bench, unsigned chain, unsigned i)
{
    enum micro_operation const operation = bench->what->operation;
    static const enum micro_operation mixture[] = {MICRO_ADD, MICRO_VADD, MICRO_TEST};

    switch (operation) {
    case MICRO_OPERATION_COUNT:
        put(bench, mixture[i % 3], mixture[i % 3] == MICRO_VADD ? i % 14 : 3 + i % 4, 15, 1);
        break;
    case MICRO_VADD: put(bench, operation, i % 14, 15, 0); break;
    case MICRO_OR: put(bench, operation, 3 + i % 4, chain, 0); break;
    case MICRO_LOAD: case MICRO_STORE: put(bench, operation, 3 + i % 4, POINTER, (int32_t)(8 * (i % FILLED))); break;
    default: put(bench, operation, 3 + i % 4, 0, 1); break;
    }
}

static void put_window(struct micro_bench *bench)
{
    bench->ring_chains = 2;
    bench->state.r[POINTER] = (uint64_t)(uintptr_t)bench->memory->scratch;
    for (unsigned chain = 0; chain < 2; chain++) {
        put(bench, MICRO_LOAD, chain, chain, 0);
        for (unsigned i = 0; i < bench->what->number; i++)
            put_filler(bench, chain, i);
    }
}

/* ---- streams */
/* Small footprints are read whole in an iteration, from places that are known; others chunk by chunk. */
static void put_stream(struct micro_bench *bench)
{
    enum { WHOLE_MOST = 32 * 1024 };
    const struct micro_case *const what = bench->what;
    bool const is_whole = what->bytes <= WHOLE_MOST;
    unsigned const bytes = bench->code.vector_bytes;
    uint64_t const chunk = is_whole ? what->bytes : CHUNK_BYTES;

    bench->operations = (double)chunk / CHUNK_BYTES;
    bench->goes_on = what->bytes > REFILL_MOST;
    bench->iterations = is_whole ? 0 : (bench->goes_on ? PASS_BYTES : what->bytes) / CHUNK_BYTES;
    bench->state.r[POINTER] = (uint64_t)(uintptr_t)micro_footprint(
        bench->memory, what->bytes * (what->kind == CASE_COPY ? 2 : 1));
    bench->state.r[OTHER] = bench->state.r[POINTER] + what->bytes;
    for (uint64_t at = 0; at < chunk; at += bytes) {
        if (what->kind != CASE_WRITE)
            put(bench, MICRO_VLOAD, (unsigned)(at / bytes % 8), POINTER, (int32_t)at);
        if (what->kind != CASE_READ)
            put(bench, MICRO_VSTORE, (unsigned)(at / bytes % 8), what->kind == CASE_COPY ? OTHER : POINTER,
                (int32_t)at);
    }
    if (is_whole)
        return;
    put(bench, MICRO_ADD, POINTER, 0, CHUNK_BYTES);
    if (what->kind == CASE_COPY)
        put(bench, MICRO_ADD, OTHER, 0, CHUNK_BYTES);
}

void micro_put_memory(struct micro_bench *bench)
{
    const struct micro_case *const what = bench->what;
    bool const is_reused = what->kind == CASE_CHASE || what->kind == CASE_READ || what->kind == CASE_WRITE
        || what->kind == CASE_COPY;

    switch (what->kind) {
    case CASE_READ: case CASE_WRITE: case CASE_COPY: put_stream(bench); break;
    case CASE_WINDOW: put_window(bench); break;
    default: put_chase(bench); break;
    }
    if (is_reused && what->bytes >= REFILL_LEAST && what->bytes <= REFILL_MOST) {
        bench->refill_bytes = what->bytes * (what->kind == CASE_COPY ? 2 : 1);
        bench->refill = micro_footprint(bench->memory, bench->refill_bytes);
    }
}
