/* A block begins behind each branch, and where the trace is interrupted (signals, lost instructions). A block is its
 * first pc: two that end differently but begin alike count as one, as branches into the middle of a block make others
 * anyway.
 *
 * Counts are kept for the blocks of the current interval alone; each is added to the vector when the interval ends.
 * Where the trace has runs, one that begins with a block and ends in the interval only counts how often it was
 * executed; its blocks are counted when the interval ends. */
#include "replay/regions/block_vectors.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/number_map.h"

struct block { uint64_t pc, instructions; };

/* Part of a run: instructions of one block. */
struct run_part { uint32_t block, instructions; };

struct known_run {
    uint64_t times;                      /* that all of it was executed in the current interval */
    size_t first_part;
    uint32_t parts, places;              /* places: 0: it has not been met yet */
    uint32_t instructions;
    bool ends_block;
};

struct reading {
    struct block_vectors *vectors;
    uint64_t interval;
    struct number_map numbers;           /* of a pc, its place in blocks, plus 1 */
    struct block *blocks;
    size_t count, room;
    size_t *touched;                     /* blocks of the current interval */
    size_t touched_count, touched_room;
    struct known_run *runs;              /* of the trace, by number; NULL: it has none */
    uint32_t *executed;                  /* runs of the current interval */
    size_t executed_count, executed_room;
    struct run_part *parts;
    size_t part_count, part_room;
    uint64_t events, first_event, instructions;      /* of the trace, of the current interval: the first, how many */
    size_t block;                        /* the current one */
    uint64_t in_block;                   /* instructions of it that are not counted yet */
    bool begins;                         /* the next instruction begins a block */
    bool (*progress)(void *context, uint64_t instructions);
    void *context;
    bool is_stopped;
};

enum { PART_SHIFT = 41 };
#define PART_UNIT 0x1p22

/* Bits of a pc and a dimension, mixed (splitmix64), as a number from -PART_UNIT to PART_UNIT. Sums of whole numbers do
 * not depend on the order of blocks, so a trace has the same vectors with runs and without. */
static int64_t part_of(uint64_t pc, unsigned dimension)
{
    uint64_t bits = pc * VECTOR_PARTS + dimension + UINT64_C(0x9e3779b97f4a7c15);

    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    bits ^= bits >> 31;
    return (int64_t)(bits >> PART_SHIFT) - (int64_t)PART_UNIT;
}

/* False: out of memory. */
static bool find_block(struct reading *reading, uint64_t pc, size_t *block)
{
    uint64_t *const number = number_map_put(&reading->numbers, pc);

    if (!number)
        return false;
    if (*number == 0) {
        if (!list_fit(&reading->blocks, reading->count + 1, &reading->room, sizeof *reading->blocks))
            return false;
        reading->blocks[reading->count] = (struct block){.pc = pc};
        *number = ++reading->count;
    }
    *block = (size_t)(*number - 1);
    return true;
}

static bool count_in_block(struct reading *reading, size_t number, uint64_t instructions)
{
    struct block *const block = &reading->blocks[number];

    if (block->instructions == 0 && instructions > 0) {
        if (!list_fit(&reading->touched, reading->touched_count + 1, &reading->touched_room, sizeof *reading->touched))
            return false;
        reading->touched[reading->touched_count++] = number;
    }
    block->instructions += instructions;
    return true;
}

/* Counts what the current block and the runs of the interval have. */
static bool count_all(struct reading *reading)
{
    for (size_t i = 0; i < reading->executed_count; i++) {
        struct known_run *const run = &reading->runs[reading->executed[i]];
        const struct run_part *const parts = reading->parts + run->first_part;

        for (uint32_t k = 0; k < run->parts; k++)
            if (!count_in_block(reading, parts[k].block, run->times * parts[k].instructions))
                return false;
        run->times = 0;
    }
    reading->executed_count = 0;
    if (reading->in_block > 0 && !count_in_block(reading, reading->block, reading->in_block))
        return false;
    reading->in_block = 0;
    return true;
}

static bool end_interval(struct reading *reading)
{
    struct block_vectors *const vectors = reading->vectors;
    int64_t sums[VECTOR_PARTS] = {0};
    struct interval *interval;

    if (reading->instructions == 0)
        return true;
    if (!count_all(reading)
        || !list_fit(&vectors->intervals, vectors->count + 1, &vectors->room, sizeof *vectors->intervals))
        return false;
    interval = &vectors->intervals[vectors->count++];
    *interval = (struct interval){.first_event = reading->first_event, .instructions = reading->instructions};
    for (size_t i = 0; i < reading->touched_count; i++) {
        struct block *const block = &reading->blocks[reading->touched[i]];

        for (unsigned dimension = 0; dimension < VECTOR_PARTS; dimension++)
            sums[dimension] += (int64_t)block->instructions * part_of(block->pc, dimension);
        block->instructions = 0;
    }
    for (unsigned dimension = 0; dimension < VECTOR_PARTS; dimension++)
        interval->vector[dimension] = (double)sums[dimension] / PART_UNIT / (double)reading->instructions;
    vectors->instructions += reading->instructions;
    reading->touched_count = 0;
    reading->first_event = reading->events;
    reading->instructions = 0;
    reading->is_stopped = reading->progress && reading->progress(reading->context, vectors->instructions);
    return true;
}

/* An instruction, or accesses without one. False: out of memory. */
static bool take_place(struct reading *reading, struct insn_place place)
{
    bool const is_insn = place.form == INSN_EXECUTED;

    if (is_insn && reading->instructions == reading->interval && !end_interval(reading))
        return false;
    reading->events++;
    if (!is_insn)
        return true;
    if (reading->begins) {
        if (reading->in_block > 0 && !count_in_block(reading, reading->block, reading->in_block))
            return false;
        reading->in_block = 0;
        if (!find_block(reading, place.pc, &reading->block))
            return false;
    }
    reading->in_block++;
    reading->instructions++;
    reading->begins = isa_kind_is_branch(place.kind);
    return true;
}

static struct fault read_insns(struct reading *reading, struct insn_cursor *cursor, struct fault no_memory)
{
    struct fault fault = fault_none();
    struct insn_event event;
    enum insn_step step = INSN_END;

    while (!reading->is_stopped && (step = insn_cursor_next(cursor, &event, &fault)) == INSN_RECORD)
        if (!event.is_marker
            && !take_place(reading, (struct insn_place){event.insn.pc, event.insn.kind, event.insn.form}))
            return no_memory;
    return step == INSN_FAILED ? fault : fault_none();
}

/* ---- runs */
/* What a run is made of if it begins with a block. */
static bool learn_run(struct reading *reading, const struct insn_cursor *cursor, uint32_t number)
{
    struct known_run *const run = &reading->runs[number];
    bool begins = true;

    run->first_part = reading->part_count;
    run->places = insn_cursor_run_length(cursor, number);
    for (uint32_t i = 0; i < run->places; i++) {
        struct insn_place const place = insn_cursor_run_place(cursor, number, i);
        size_t block;

        if (place.form != INSN_EXECUTED)
            continue;
        if (begins) {
            if (!list_fit(&reading->parts, reading->part_count + 1, &reading->part_room, sizeof *reading->parts)
                || !find_block(reading, place.pc, &block))
                return false;
            reading->parts[reading->part_count++] = (struct run_part){(uint32_t)block, 0};
            run->parts++;
        }
        reading->parts[reading->part_count - 1].instructions++;
        run->instructions++;
        begins = isa_kind_is_branch(place.kind);
    }
    run->ends_block = begins;
    return true;
}

/* All of a run that begins with a block and does not end the interval. */
static bool take_whole_run(struct reading *reading, struct known_run *run, uint32_t number)
{
    if (run->times++ == 0) {
        if (!list_fit(&reading->executed, reading->executed_count + 1, &reading->executed_room,
                      sizeof *reading->executed))
            return false;
        reading->executed[reading->executed_count++] = number;
    }
    reading->events += run->places;
    reading->instructions += run->instructions;
    if (run->parts == 0)
        return true;
    if (reading->in_block > 0 && !count_in_block(reading, reading->block, reading->in_block))
        return false;
    reading->in_block = 0;
    reading->block = reading->parts[run->first_part + run->parts - 1].block;
    reading->begins = run->ends_block;
    return true;
}

static bool take_run(struct reading *reading, const struct insn_cursor *cursor, uint32_t number)
{
    struct known_run *const run = &reading->runs[number];

    if (run->places == 0 && !learn_run(reading, cursor, number))
        return false;
    if (reading->begins && run->instructions <= reading->interval - reading->instructions)
        return take_whole_run(reading, run, number);
    for (uint32_t i = 0; i < run->places; i++)
        if (!take_place(reading, insn_cursor_run_place(cursor, number, i)))
            return false;
    return true;
}

static struct fault read_runs(struct reading *reading, struct insn_cursor *cursor, struct fault no_memory)
{
    struct fault fault = fault_none();
    enum insn_step step = INSN_END;
    uint32_t run;

    reading->runs = calloc(insn_cursor_runs(cursor), sizeof *reading->runs);
    if (!reading->runs)
        return no_memory;
    while (!reading->is_stopped && (step = insn_cursor_next_run(cursor, &run, &fault)) == INSN_RECORD)
        if (!take_run(reading, cursor, run))
            return no_memory;
    return step == INSN_FAILED ? fault : fault_none();
}

struct fault block_vectors_read(struct block_vectors *vectors, const struct insn_trace *trace, uint64_t interval,
                                bool (*progress)(void *context, uint64_t instructions), void *context)
{
    struct reading reading = {.vectors = vectors, .interval = interval, .begins = true, .progress = progress,
                              .context = context};
    struct fault fault = fault_none();
    const char *const path = insn_trace_thread(trace, 0)->path;
    struct fault const no_memory = fault_memory(path, "the profile of a trace");
    struct insn_cursor *cursor;

    *vectors = (struct block_vectors){0};
    if (insn_trace_threads(trace) != 1)
        return fault_at(path, FAULT_NO_OFFSET, "the trace has %zu threads; regions are of traces of one thread: "
                        "replay all of it, or record one thread (`rubato capture --threads main`)",
                        insn_trace_threads(trace));
    cursor = insn_cursor_open(trace, 0, &fault);
    if (!cursor)
        return fault;
    fault = (insn_cursor_runs(cursor) > 0 ? read_runs : read_insns)(&reading, cursor, no_memory);
    if (fault.kind == FAULT_NONE && !reading.is_stopped && !end_interval(&reading))
        fault = no_memory;
    vectors->blocks = reading.count;
    vectors->events = reading.events;
    insn_cursor_close(cursor);
    number_map_free(&reading.numbers);
    free(reading.blocks);
    free(reading.touched);
    free(reading.runs);
    free(reading.executed);
    free(reading.parts);
    return fault;
}

void block_vectors_free(struct block_vectors *vectors)
{
    free(vectors->intervals);
    *vectors = (struct block_vectors){0};
}
