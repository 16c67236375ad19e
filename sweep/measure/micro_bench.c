#include "sweep/measure/micro_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arith.h"

enum { HUGE_PAGE_BYTES = 2 << 20, SMALL_PAGE_BYTES = 4096, LEAST_BYTES = 1 << 20, PLACE_BYTES = 64 * 1024 };

#define SEED 88172645463325252u

static uint64_t random_of(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

uint64_t micro_random(struct micro_memory *memory)
{
    return random_of(&memory->seed);
}

/* ---- memory */
/* Begins at a multiple of a large page; the room before it is given back. NULL: out of memory. */
static uint8_t *take_pages(size_t bytes, bool is_large)
{
    size_t const room = bytes + HUGE_PAGE_BYTES;
    uint8_t *const pages = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t before;

    if (pages == MAP_FAILED)
        return NULL;
    before = (size_t)-(uintptr_t)pages % HUGE_PAGE_BYTES;
    if (before > 0)
        munmap(pages, before);
    munmap(pages + before + bytes, HUGE_PAGE_BYTES - before);
    madvise(pages + before, bytes, is_large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    for (size_t at = 0; at < bytes; at += SMALL_PAGE_BYTES)
        pages[before + at] = 1;
    return pages + before;
}

static uint8_t *take_most(uint64_t *bytes, bool is_large)
{
    uint8_t *pages = NULL;

    for (*bytes = round_up(*bytes, HUGE_PAGE_BYTES); !pages && *bytes >= LEAST_BYTES; *bytes /= pages ? 1 : 2)
        pages = take_pages(*bytes, is_large);
    return pages;
}

struct fault micro_memory_make(struct micro_memory *memory, uint64_t large_bytes, uint64_t small_bytes,
                               bool wants_large_pages)
{
    *memory = (struct micro_memory){.seed = SEED, .has_large_pages = wants_large_pages};
    memory->scratch = take_pages(round_up(SCRATCH_BYTES, HUGE_PAGE_BYTES), false);
    memory->large = take_most(&large_bytes, wants_large_pages);
    memory->small = take_most(&small_bytes, false);
    memory->large_bytes = large_bytes;
    memory->small_bytes = small_bytes;
    if (memory->scratch && memory->large && memory->small)
        return fault_none();
    micro_memory_free(memory);
    return fault_memory("measure", "the memory of the microbenchmarks; raise ulimit -v or the container's limit");
}

void micro_memory_free(struct micro_memory *memory)
{
    if (memory->scratch)
        munmap(memory->scratch, round_up(SCRATCH_BYTES, HUGE_PAGE_BYTES));
    if (memory->large)
        munmap(memory->large, memory->large_bytes);
    if (memory->small)
        munmap(memory->small, memory->small_bytes);
    memory->scratch = memory->large = memory->small = NULL;
}

void micro_memory_move(struct micro_memory *memory)
{
    madvise(memory->small, memory->small_bytes, MADV_DONTNEED);
    for (size_t at = 0; at < memory->small_bytes; at += SMALL_PAGE_BYTES)
        memory->small[at] = 1;
    memory->place = micro_random(memory) >> 8;
    memory->ring = RING_NONE;
}

/* A place for as many bytes. */
static uint64_t place_of(const struct micro_memory *memory, uint64_t room, uint64_t bytes)
{
    return bytes < room ? memory->place % ((room - bytes) / PLACE_BYTES + 1) * PLACE_BYTES : 0;
}

uint8_t *micro_footprint(const struct micro_memory *memory, uint64_t bytes)
{
    return memory->large + place_of(memory, memory->large_bytes, bytes);
}

/* ---- rings */
static enum ring_kind ring_of(const struct micro_case *what)
{
    switch (what->kind) {
    case CASE_CHASE: case CASE_WINDOW: return RING_LARGE;
    case CASE_PAGES: return RING_PAGES;
    case CASE_LINES: return RING_LINES;
    case CASE_WAYS: return RING_WAYS;
    case CASE_STRIDE: return RING_STRIDE;
    default: return RING_NONE;
    }
}

uint8_t *micro_ring_base(const struct micro_memory *memory, enum ring_kind ring)
{
    return ring == RING_PAGES || ring == RING_LINES ? memory->small : memory->large;
}

static uint64_t ring_count(const struct micro_case *what, enum ring_kind ring)
{
    if (ring == RING_LARGE)
        return what->bytes / RING_LINE;
    return ring == RING_STRIDE ? what->bytes / what->number : what->number;
}

static uint64_t ring_place(const struct micro_case *what, enum ring_kind ring, uint64_t i)
{
    switch (ring) {
    case RING_PAGES: return i * SMALL_PAGE_BYTES + (i * 7 + i / 64) % 64 * RING_LINE;
    case RING_WAYS: return i * what->bytes;
    case RING_STRIDE: return i * what->number;
    default: return i * RING_LINE;
    }
}

/* Bytes from the first line to behind the last. */
static uint64_t ring_extent(const struct micro_case *what, enum ring_kind ring)
{
    uint64_t const count = ring_count(what, ring);

    return ring == RING_NONE ? 0 : ring == RING_PAGES ? count * SMALL_PAGE_BYTES : ring_place(what, ring, count);
}

bool micro_case_fits(const struct micro_case *what, const struct micro_memory *memory)
{
    enum ring_kind const ring = ring_of(what);
    uint64_t const room = ring == RING_PAGES || ring == RING_LINES ? memory->small_bytes : memory->large_bytes;

    if (what->kind == CASE_READ || what->kind == CASE_WRITE)
        return what->bytes <= room;
    if (what->kind == CASE_COPY)
        return 2 * what->bytes <= room;
    return ring == RING_NONE
        || (ring_count(what, ring) >= 2 && ring_place(what, ring, ring_count(what, ring) - 1) + RING_LINE <= room);
}

static void shuffle(struct micro_memory *memory, uint32_t *order, uint64_t count)
{
    for (uint64_t i = count - 1; i > 0; i--) {
        uint64_t const j = micro_random(memory) % (i + 1);
        uint32_t const moved = order[i];

        order[i] = order[j];
        order[j] = moved;
    }
}

static struct fault micro_ring(struct micro_memory *memory, const struct micro_case *what)
{
    enum ring_kind const ring = ring_of(what);
    uint64_t const count = ring == RING_NONE ? 0 : ring_count(what, ring);
    uint64_t const room = ring == RING_PAGES || ring == RING_LINES ? memory->small_bytes : memory->large_bytes;
    uint64_t const place = count == 0 ? 0 : place_of(memory, room, ring_extent(what, ring));
    uint8_t *const ring_begin = micro_ring_base(memory, ring) + place;
    uint64_t const base = (uint64_t)(uintptr_t)ring_begin;
    uint32_t *order;

    if (what->kind == CASE_WRITE || what->kind == CASE_COPY)
        memory->ring = RING_NONE;
    if (ring == RING_NONE
        || (memory->ring == ring && memory->ring_bytes == what->bytes && memory->ring_place == place
            && (ring == RING_LARGE || memory->ring_number == what->number)))
        return fault_none();
    order = malloc(count * sizeof *order);
    if (!order)
        return fault_memory("measure", "a ring of pointers");
    for (uint64_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    if (ring != RING_STRIDE)
        shuffle(memory, order, count);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t const next = base + ring_place(what, ring, order[(i + 1) % count]);

        memcpy(ring_begin + ring_place(what, ring, order[i]), &next, sizeof next);
    }
    for (unsigned c = 0; c < RING_CHAINS; c++)
        memory->at[c] = base + ring_place(what, ring, order[count * c / RING_CHAINS]);
    free(order);
    memory->ring = ring;
    memory->ring_bytes = what->bytes;
    memory->ring_place = place;
    memory->ring_number = what->number;
    return fault_none();
}

/* ---- a benchmark */
static size_t code_room(const struct micro_case *what)
{
    enum { USUAL_BYTES = 256 * 1024 };

    if (what->kind == CASE_CODE || what->kind == CASE_FETCH)
        return what->bytes + USUAL_BYTES;
    if (what->kind == CASE_JUMPS)
        return (uint64_t)what->number * 16 + USUAL_BYTES;
    return USUAL_BYTES;
}

/* Predictors of branches find their entries by the code's address, so that has other places, too. */
static uint64_t code_address(const struct micro_memory *memory)
{
    enum { PLACES = 1 << 16 };
    uint64_t const base = (uint64_t)1 << 36;

    return memory->place == 0 ? 0 : base + memory->place % PLACES * PLACE_BYTES;
}

static bool is_of_memory(enum micro_case_kind kind)
{
    return kind >= CASE_CHASE && kind <= CASE_WINDOW;
}

struct fault micro_bench_make(struct micro_bench *bench, const struct micro_case *what, struct micro_memory *memory)
{
    struct fault fault;

    *bench = (struct micro_bench){.what = what, .memory = memory, .operations = 1};
    for (unsigned f = 0; f < MICRO_VECTORS; f++)
        bench->state.f[f][0] = bench->state.f[f][1] = 1;
    FORWARD(micro_ring(memory, what));
    FORWARD(micro_begin_at(&bench->code, code_room(what), code_address(memory)));
    if (is_of_memory(what->kind))
        micro_put_memory(bench);
    else
        micro_put_core(bench);
    fault = micro_end(&bench->code);
    if (fault.kind != FAULT_NONE)
        micro_bench_free(bench);
    return fault;
}

void micro_bench_free(struct micro_bench *bench)
{
    micro_free(&bench->code);
}

/* ---- before and after a pass */
static void refill(const struct micro_bench *bench)
{
    volatile const uint8_t *const bytes = bench->refill;

    for (uint64_t at = 0; at < bench->refill_bytes; at += RING_LINE)
        (void)bytes[at];
}

/* Bits that branches are on: fresh ones, so that no predictor knows them from the pass before. A pattern is the same in
 * all passes, since some are easier than others of their length. */
static void lay_bits(const struct micro_bench *bench)
{
    const struct micro_case *const what = bench->what;
    /* In place, since a stack may be small. */
    uint32_t *const words = (uint32_t *)(void *)bench->memory->scratch;
    size_t const count = SCRATCH_BYTES / 2 / sizeof *words;
    bool const is_period = what->kind == CASE_PERIOD;
    size_t const period = is_period ? what->number : count;
    uint64_t pattern = SEED;
    uint64_t *const seed = is_period ? &pattern : &bench->memory->seed;

    for (size_t i = 0; i < count; i++)
        words[i] = i >= period ? words[i - period]
            : what->kind == CASE_BRANCH && what->number == 0 ? 0 : (uint32_t)(random_of(seed) >> 20);
}

/* Of a stream that goes on: places of this pass. */
static void place_stream(struct micro_bench *bench)
{
    struct micro_memory *const memory = bench->memory;
    uint64_t const pass = 256 * bench->iterations;

    /* The first quarter is what smaller footprints have left in caches. */
    if (memory->stream_at < memory->large_bytes / 4 || memory->stream_at + pass > bench->what->bytes)
        memory->stream_at = memory->large_bytes / 4;
    bench->state.r[11] = (uint64_t)(uintptr_t)memory->large + memory->stream_at;
    bench->state.r[12] = bench->state.r[11] + bench->what->bytes;
    memory->stream_at += pass;
}

void micro_bench_before(struct micro_bench *bench)
{
    struct micro_memory *const memory = bench->memory;

    if (bench->goes_on)
        place_stream(bench);
    if (bench->what->kind == CASE_BRANCH || bench->what->kind == CASE_PERIOD)
        lay_bits(bench);
    if (bench->refill_bytes > 0)
        refill(bench);
    for (unsigned c = 0; c < bench->ring_chains; c++) {
        if (bench->has_slots)
            memcpy(memory->scratch + SLOT_BYTES * c, &memory->at[c], sizeof memory->at[c]);
        else
            bench->state.r[c] = memory->at[c];
    }
}

void micro_bench_after(struct micro_bench *bench, const struct micro_state *end)
{
    struct micro_memory *const memory = bench->memory;

    for (unsigned c = 0; c < bench->ring_chains; c++) {
        if (bench->has_slots)
            memcpy(&memory->at[c], memory->scratch + SLOT_BYTES * c, sizeof memory->at[c]);
        else
            memory->at[c] = end->r[c];
    }
}
