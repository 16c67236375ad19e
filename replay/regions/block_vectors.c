/* A block begins behind each branch, and where the trace is interrupted (signals, lost instructions). A block is its
 * first pc: two that end differently but begin alike count as one, as branches into the middle of a block make others
 * anyway.
 *
 * Counts are kept for the blocks of the current interval alone; each is added to the vector when the interval ends. */
#include "replay/regions/block_vectors.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/number_map.h"

enum { PROGRESS_INSNS = 1 << 20 };

struct block { uint64_t pc, instructions; };

struct reading {
    struct block_vectors *vectors;
    uint64_t interval;
    struct number_map numbers;           /* of a pc, its place in blocks, plus 1 */
    struct block *blocks;
    size_t count, room;
    size_t *touched;                     /* blocks of the current interval */
    size_t touched_count, touched_room;
    uint64_t events, first_event, instructions;      /* of the trace, of the current interval: the first, how many */
};

/* Bits of a pc and a dimension, mixed (splitmix64), as a number from -1 to 1. */
static double part_of(uint64_t pc, unsigned dimension)
{
    uint64_t bits = pc * VECTOR_PARTS + dimension + UINT64_C(0x9e3779b97f4a7c15);

    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    bits ^= bits >> 31;
    return (double)(bits >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

/* The block that begins at `pc`; NULL: out of memory. */
static struct block *block_at(struct reading *reading, uint64_t pc)
{
    uint64_t *const number = number_map_put(&reading->numbers, pc);

    if (!number)
        return NULL;
    if (*number == 0) {
        if (!list_fit(&reading->blocks, reading->count + 1, &reading->room, sizeof *reading->blocks))
            return NULL;
        reading->blocks[reading->count] = (struct block){.pc = pc};
        *number = ++reading->count;
    }
    return &reading->blocks[*number - 1];
}

static bool add_to_block(struct reading *reading, uint64_t pc, uint64_t instructions)
{
    struct block *const block = block_at(reading, pc);

    if (!block)
        return false;
    if (block->instructions == 0) {
        if (!list_fit(&reading->touched, reading->touched_count + 1, &reading->touched_room, sizeof *reading->touched))
            return false;
        reading->touched[reading->touched_count++] = (size_t)(block - reading->blocks);
    }
    block->instructions += instructions;
    return true;
}

static bool end_interval(struct reading *reading)
{
    struct block_vectors *const vectors = reading->vectors;
    struct interval *interval;

    if (reading->instructions == 0)
        return true;
    if (!list_fit(&vectors->intervals, vectors->count + 1, &vectors->room, sizeof *vectors->intervals))
        return false;
    interval = &vectors->intervals[vectors->count++];
    *interval = (struct interval){.first_event = reading->first_event, .instructions = reading->instructions};
    for (size_t i = 0; i < reading->touched_count; i++) {
        struct block *const block = &reading->blocks[reading->touched[i]];
        double const share = (double)block->instructions / (double)reading->instructions;

        for (unsigned dimension = 0; dimension < VECTOR_PARTS; dimension++)
            interval->vector[dimension] += share * part_of(block->pc, dimension);
        block->instructions = 0;
    }
    vectors->instructions += reading->instructions;
    reading->touched_count = 0;
    reading->first_event = reading->events;
    reading->instructions = 0;
    return true;
}

static struct fault read_all(struct reading *reading, struct insn_cursor *cursor, const char *path,
                             bool (*progress)(void *context, uint64_t instructions), void *context)
{
    struct fault const no_memory = fault_memory(path, "the profile of a trace");
    struct fault fault = fault_none();
    struct insn_event event;
    enum insn_step step;
    uint64_t block_pc = 0, in_block = 0;
    bool begins = true;

    while ((step = insn_cursor_next(cursor, &event, &fault)) == INSN_RECORD) {
        bool const is_insn = !event.is_marker && event.insn.form == INSN_EXECUTED;

        if (event.is_marker)
            continue;
        if (is_insn && reading->instructions == reading->interval) {
            if ((in_block > 0 && !add_to_block(reading, block_pc, in_block)) || !end_interval(reading))
                return no_memory;
            in_block = 0;
            if (progress && progress(context, reading->vectors->instructions))
                return fault_none();
        }
        reading->events++;
        if (!is_insn)
            continue;
        if (begins) {
            if (in_block > 0 && !add_to_block(reading, block_pc, in_block))
                return no_memory;
            block_pc = event.insn.pc;
            in_block = 0;
        }
        in_block++;
        reading->instructions++;
        begins = isa_kind_is_branch(event.insn.kind);
    }
    if (step != INSN_END)
        return fault;
    return (in_block == 0 || add_to_block(reading, block_pc, in_block)) && end_interval(reading) ? fault_none()
                                                                                                : no_memory;
}

struct fault block_vectors_read(struct block_vectors *vectors, const struct insn_trace *trace, uint64_t interval,
                                bool (*progress)(void *context, uint64_t instructions), void *context)
{
    struct reading reading = {.vectors = vectors, .interval = interval};
    struct fault fault = fault_none();
    const char *const path = insn_trace_thread(trace, 0)->path;
    struct insn_cursor *cursor;

    *vectors = (struct block_vectors){0};
    if (insn_trace_threads(trace) != 1)
        return fault_at(path, FAULT_NO_OFFSET, "the trace has %zu threads; regions are of traces of one thread",
                        insn_trace_threads(trace));
    cursor = insn_cursor_open(trace, 0, &fault);
    if (!cursor)
        return fault;
    fault = read_all(&reading, cursor, path, progress, context);
    vectors->blocks = reading.count;
    insn_cursor_close(cursor);
    number_map_free(&reading.numbers);
    free(reading.blocks);
    free(reading.touched);
    return fault;
}

void block_vectors_free(struct block_vectors *vectors)
{
    free(vectors->intervals);
    *vectors = (struct block_vectors){0};
}
