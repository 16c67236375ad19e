/* Cursor over the store's dependence records. A block's shapes are read into a table once; then a record is a look-up by
 * a narrow number, an addition, and for accesses one number of the address stream. Records are decoded in batches, so
 * that the loop keeps its state in registers.
 *
 * Batches have two decoders. The fast one checks nothing by the record: the largest number of a shape tells for all,
 * the lengths of the address stream were added up when the block was opened, and steps that are not huge cannot
 * overflow unseen. Blocks that could not be told apart so, and the last records of a block, take the careful one.
 *
 * Virtual addresses and sequence numbers of dependences are found by store_records_read alone, record by record: the
 * latter from those of the latest records, which for a cursor that begins in the middle are read first.
 *
 * Checked, so that no file can lead astray: numbers of shapes, values and instructions, ends of streams, sequence
 * numbers that rise without overflow, and distances that stay behind the trace's beginning. */
#include <stdlib.h>
#include <string.h>

#include "proto/store_format.h"
#include "proto/store_shape.h"

enum {
    BATCH = 256, LINE_BYTES = 64, LATEST = STORE_KNOWN_REACH_SEQ,
    UNIT = sizeof(uint64_t), SHAPE_UNITS = sizeof(struct store_shape) / UNIT
};
_Static_assert(offsetof(struct store_shape, weight) == LINE_BYTES, "as its comment says");
_Static_assert(sizeof(struct store_shape) % UNIT == 0 && SHAPE_UNITS * STORE_BLOCK_SHAPES <= UINT16_MAX,
               "a shape's place in units is a narrow number");

/* Steps below this may be added up in a batch: an overflow shows in the sum. */
#define SOUND_STEPS (UINT64_C(1) << 47)

/* What store_records_read needs beyond the records. */
struct reading {
    uint64_t seq_nums[2 * LATEST];   /* of the latest records, by the low bits of their place behind the first one read */
    uint64_t count;                  /* records read */
    uint64_t v_difference;
    uint64_t *deps;                  /* of the record given last */
    size_t dep_room;
};

struct store_records {
    const struct store *store;
    uint64_t block_number;
    struct store_block block;
    bool block_is_open, has_ended, failed;
    bool has_before;                 /* a block was read */
    uint32_t decoded;                /* records of the block so far */
    uint64_t seq_num;                /* of the record decoded last, in this block or before */
    bool may_be_fast;                /* the block suits the fast decoder */
    uint64_t record_reach, seq_reach;        /* no distance of the block is longer */
    uint32_t next, count;            /* in the batch */
    struct proto_error error;        /* if failed */

    struct store_shape *shapes, *instructions;       /* STORE_BLOCK_SHAPES each */
    uint32_t *record_distances, *edges;
    uint64_t *seq_distances;
    size_t distance_room;
    uint64_t *values, *slots;        /* STORE_BLOCK_SHAPES each */
    struct reading *reading;         /* NULL until store_records_read */
    struct store_record batch[BATCH];
};

static bool begin_reading(struct store_records *cursor)
{
    if (cursor->reading == NULL)
        cursor->reading = calloc(1, sizeof *cursor->reading);
    return cursor->reading != NULL;
}

/* Reads on to the `first` record. The numbers of those before it, which it may depend on, are remembered meanwhile; a
 * failure is told when the cursor is read. */
static bool skip_to(struct store_records *cursor, uint64_t first)
{
    uint64_t const from = first < LATEST ? 0 : first - LATEST;
    struct dep_record record;
    struct proto_error ignored;

    if (!begin_reading(cursor))
        return false;
    cursor->block_number = store_find_block(cursor->store, STORE_DEP, false, from);
    for (uint64_t i = store_index_of(cursor->store, STORE_DEP)[cursor->block_number].first_record; i < first; i++)
        if (store_records_read(cursor, &record, &ignored) != DEP_RECORD)
            break;
    return true;
}

struct store_records *store_records_open(const struct store *store, uint64_t first, struct proto_error *error)
{
    struct store_records *const cursor = calloc(1, sizeof *cursor);

    if (cursor != NULL) {
        cursor->store = store;
        cursor->shapes = malloc(STORE_BLOCK_SHAPES * sizeof *cursor->shapes);
        cursor->instructions = malloc(STORE_BLOCK_SHAPES * sizeof *cursor->instructions);
        cursor->values = malloc(STORE_BLOCK_SHAPES * sizeof *cursor->values);
        cursor->slots = malloc(STORE_BLOCK_SHAPES * sizeof *cursor->slots);
    }
    if (cursor == NULL || cursor->shapes == NULL || cursor->instructions == NULL || cursor->values == NULL
        || cursor->slots == NULL) {
        store_records_close(cursor);
        proto_fail(error, store_name(store), PROTO_NO_OFFSET, "out of memory");
        return NULL;
    }
    if (first == 0)
        return cursor;
    if (first >= store_about(store)->count[STORE_DEP]) {
        cursor->has_ended = true;
    } else if (!skip_to(cursor, first)) {
        store_records_close(cursor);
        proto_fail(error, store_name(store), PROTO_NO_OFFSET, "out of memory");
        return NULL;
    }
    return cursor;
}

void store_records_close(struct store_records *cursor)
{
    if (cursor == NULL)
        return;
    free(cursor->shapes);
    free(cursor->instructions);
    free(cursor->record_distances);
    free(cursor->edges);
    free(cursor->seq_distances);
    free(cursor->values);
    free(cursor->slots);
    if (cursor->reading != NULL)
        free(cursor->reading->deps);
    free(cursor->reading);
    free(cursor);
}

/* --- shapes ------------------------------------------------------------------------------------------------------- */

enum { INSTRUCTION_VARINTS = 7 };    /* at most */

STORE_INLINE uint32_t constant_if(struct store_varints *from, bool is_there, bool is_safe)
{
    return is_there ? (uint32_t)store_varint(from, is_safe) : 0;
}

STORE_INLINE bool read_instruction(struct store_varints *from, struct store_shape *shape, uint64_t pc, uint32_t slots,
                                   bool is_safe)
{
    uint64_t const pc_code = store_varint(from, is_safe), kind = store_varint(from, is_safe);
    uint32_t const present = (uint32_t)(kind >> 2);
    uint64_t slot = 0;

    if (kind >> 2 > UINT16_MAX)
        return false;
    *shape = (struct store_shape){.pc = pc + bits_unzigzag(pc_code), .type = kind & 3, .present = (uint16_t)present};
    shape->size_bytes = constant_if(from, present & DEP_HAS_SIZE, is_safe);
    shape->flags = constant_if(from, present & DEP_HAS_FLAGS, is_safe);
    shape->weight = constant_if(from, present & DEP_HAS_WEIGHT, is_safe);
    shape->asid = constant_if(from, present & DEP_HAS_ASID, is_safe);
    if (present & DEP_HAS_P_ADDR) {
        slot = store_varint(from, is_safe);
        if (slot >= slots)
            return false;
    }
    shape->address_slot = (uint16_t)slot;
    store_shape_complete_constants(shape);
    return true;
}

static bool read_instructions(struct store_records *cursor)
{
    const struct store_block *const block = &cursor->block;
    struct store_varints from = {.at = block->instructions, .end = block->instructions_end};
    struct store_shape *instruction = cursor->instructions;
    uint64_t pc = 0;

    for (uint32_t i = 0; i < block->instruction_count; i++, instruction++) {
        if (store_varints_have(&from, INSTRUCTION_VARINTS)
                ? !read_instruction(&from, instruction, pc, block->slot_count, true)
                : !read_instruction(&from, instruction, pc, block->slot_count, false))
            return false;
        pc = instruction->pc;
    }
    return !from.bad && from.at == from.end;
}

/* The shapes' text, and where their lists go. */
struct shape_text {
    const uint8_t *at, *end;
    uint32_t *record_distance, *edges;
    uint64_t *seq_distance;
    uint64_t record_reach, seq_reach;        /* longest distances so far */
};

static inline bool has_bytes(const struct shape_text *text, uint64_t count)
{
    return (uint64_t)(text->end - text->at) >= count;
}

/* A field of the head; what stands behind the head if the field has no room for it. */
STORE_INLINE bool head_field(struct shape_text *text, uint64_t field, uint64_t full, uint64_t *number)
{
    *number = field;
    if (field == full) {
        if (!has_bytes(text, 8))
            return false;
        *number = bits_load64(text->at);
        text->at += 8;
    }
    return true;
}

/* A dependence that is not known in records; `left` more dependences follow it. */
STORE_INLINE bool read_unknown(struct shape_text *text, struct store_edges *edges, uint64_t left)
{
    uint64_t seq_distance;

    if (bits_load16(text->at) != 0 || !has_bytes(text, 10 + 2 * left))
        return false;
    seq_distance = bits_load64(text->at + 2);
    text->at += 10;
    *text->record_distance++ = 0;
    *text->seq_distance++ = seq_distance;
    edges->has_unknown |= seq_distance >= STORE_KNOWN_REACH_SEQ;
    text->seq_reach = seq_distance > text->seq_reach ? seq_distance : text->seq_reach;
    return seq_distance > 0;
}

/* All of one kind; `left` more follow them. That they are there was checked, as if all were known. */
STORE_INLINE bool read_distances(struct shape_text *text, struct store_edges *edges, uint64_t count, uint64_t left,
                                 bool are_orders)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t const distance = bits_load16(text->at);

        if (distance - 1 >= STORE_KNOWN_REACH_SEQ) {
            if (!read_unknown(text, edges, count - i - 1 + left))
                return false;
            continue;
        }
        text->at += 2;
        *text->record_distance++ = distance;
        text->seq_distance++;
        store_edges_add(edges, distance, are_orders);
    }
    return true;
}

STORE_INLINE bool read_shape(const struct store_records *cursor, struct shape_text *text, struct store_shape *shape)
{
    enum { FULL = STORE_HEAD_COUNT, BITS = STORE_HEAD_COUNT_BITS };
    const struct store_shape *instruction;
    uint32_t instruction_number, value_number, head;
    uint64_t orders, registers;
    struct store_edges edges;

    if (!has_bytes(text, 6))
        return false;
    instruction_number = bits_load16(text->at);
    value_number = bits_load16(text->at + 2);
    head = bits_load16(text->at + 4);
    text->at += 6;
    if (instruction_number >= cursor->block.instruction_count || value_number >= cursor->block.value_count
        || !head_field(text, head & FULL, FULL, &orders) || !head_field(text, head >> BITS & FULL, FULL, &registers)
        || !head_field(text, head >> 2 * BITS, STORE_HEAD_STEP, &shape->seq_delta) || shape->seq_delta == 0
        || orders > UINT32_MAX || registers > UINT32_MAX || !has_bytes(text, 2 * (orders + registers)))
        return false;
    instruction = &cursor->instructions[instruction_number];
    memcpy(shape, instruction, offsetof(struct store_shape, seq_delta));
    shape->weight = instruction->weight;
    shape->asid = instruction->asid;
    shape->comp_delay = cursor->values[value_number];
    shape->rob_dep_count = (uint32_t)orders;
    shape->reg_dep_count = (uint32_t)registers;
    shape->record_distance = text->record_distance;
    shape->seq_distance = text->seq_distance;
    edges = (struct store_edges){.edges = text->edges};
    if (!read_distances(text, &edges, orders, registers, true))
        return false;
    store_edges_end_orders(&edges, registers);
    if (!read_distances(text, &edges, registers, 0, false))
        return false;
    store_edges_finish(&edges, shape);
    text->edges += edges.count;
    text->record_reach = edges.longest > text->record_reach ? edges.longest : text->record_reach;
    return true;
}

static bool make_distance_room(struct store_records *cursor, size_t distances)
{
    if (distances <= cursor->distance_room)
        return true;
    free(cursor->record_distances);
    free(cursor->edges);
    free(cursor->seq_distances);
    cursor->record_distances = malloc(distances * sizeof *cursor->record_distances);
    cursor->edges = malloc(distances * sizeof *cursor->edges);
    cursor->seq_distances = malloc(distances * sizeof *cursor->seq_distances);
    cursor->distance_room = cursor->record_distances != NULL && cursor->edges != NULL
        && cursor->seq_distances != NULL ? distances : 0;
    return cursor->distance_room > 0;
}

/* A dependence takes two bytes or more, so the column's size bounds the room that a block can ask for. */
static bool read_shapes(struct store_records *cursor)
{
    const struct store_block *const block = &cursor->block;
    struct shape_text text = {.at = block->shapes, .end = block->shapes_end};
    struct store_shape *shape = cursor->shapes;
    uint64_t steps = 0;

    if (!make_distance_room(cursor, (size_t)(text.end - text.at) / 2))
        return false;
    text.record_distance = cursor->record_distances;
    text.edges = cursor->edges;
    text.seq_distance = cursor->seq_distances;
    for (const struct store_shape *const end = shape + block->shape_count; shape < end; shape++) {
        if (!read_shape(cursor, &text, shape))
            return false;
        steps |= shape->seq_delta;
    }
    cursor->record_reach = text.record_reach;
    cursor->seq_reach = text.seq_reach;
    cursor->may_be_fast = steps < SOUND_STEPS;
    return text.at == text.end;
}

/* Are all lengths of the stream at most 8, and does their sum fit its bytes? */
static bool lengths_are_sound(const struct store_numbers *numbers)
{
    uint64_t sum = 0;
    uint8_t longest = 0;

    for (uint32_t i = 0; i < numbers->count; i++) {
        longest = numbers->lengths[i] > longest ? numbers->lengths[i] : longest;
        sum += numbers->lengths[i];
    }
    return longest <= 8 && sum <= (uint64_t)(numbers->end - numbers->bytes);
}

static bool open_block(struct store_records *cursor)
{
    struct store_block *const block = &cursor->block;

    switch (store_block_open(cursor->store, STORE_DEP, cursor->block_number, block, &cursor->error)) {
    case STORE_BLOCK: break;
    case STORE_NO_BLOCK: cursor->has_ended = true; return true;
    case STORE_BLOCK_BAD: return false;
    }
    cursor->block_is_open = true;
    if (!store_block_values(block, cursor->values) || !read_instructions(cursor) || !read_shapes(cursor))
        return store_block_damaged(cursor->store, block->index, "has shapes or values that make no sense, or memory is "
                                   "short", &cursor->error);
    /* The index says that first keys do not fall; here, that they lie above all numbers before. */
    if (cursor->has_before && cursor->seq_num >= block->index->first_key)
        return store_block_damaged(cursor->store, block->index, "does not continue the one before", &cursor->error);
    cursor->may_be_fast = cursor->may_be_fast && lengths_are_sound(&block->first);
    memset(cursor->slots, 0, block->slot_count * sizeof *cursor->slots);
    cursor->decoded = 0;
    if (cursor->reading != NULL)
        cursor->reading->v_difference = 0;
    cursor->has_before = true;
    return true;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

/* Does one of the batch's dependences lie before the trace's beginning? */
static bool reaches_too_far(const struct store_records *cursor, uint64_t first_record)
{
    for (uint32_t i = 0; i < cursor->count; i++) {
        struct store_record const *const record = &cursor->batch[i];
        struct store_shape const *const shape = record->shape;

        for (uint64_t k = 0; k < (uint64_t)shape->rob_dep_count + shape->reg_dep_count; k++)
            if (shape->record_distance[k] > first_record + i
                || (shape->record_distance[k] == 0 && shape->seq_distance[k] > record->seq_num))
                return true;
    }
    return false;
}

/* What the fast decoder changes from record to record. */
struct decoding {
    const uint64_t *shapes;          /* in units */
    uint64_t *slots;
    const uint8_t *length, *bytes;   /* of the address stream */
    uint64_t seq_num;
};

STORE_INLINE const struct store_shape *shape_at(const struct decoding *decoding, uint16_t place)
{
    return (const struct store_shape *)(const void *)(decoding->shapes + place);
}

STORE_INLINE void decode_one(struct decoding *decoding, struct store_record *record, uint16_t place)
{
    static const uint64_t masks[] = {0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff,
                                     0xffffffffffffff, UINT64_MAX};
    struct store_shape const *const shape = shape_at(decoding, place);

    decoding->seq_num += shape->seq_delta;
    record->shape = shape;
    record->seq_num = decoding->seq_num;
    record->p_addr = 0;
    record->comp_delay = shape->comp_delay;
    if (shape->present & DEP_HAS_P_ADDR) {
        unsigned const bytes = *decoding->length++;
        uint64_t const code = bits_load64(decoding->bytes) & masks[bytes];

        decoding->bytes += bytes;
        record->p_addr = decoding->slots[shape->address_slot] += bits_unzigzag(code);
    }
}

/* The stream's next BATCH lengths; where there are no more, 0. */
static const uint8_t *next_lengths(const struct store_numbers *numbers, uint8_t tail[BATCH])
{
    const uint8_t *const lengths = numbers->lengths + numbers->next;
    uint32_t const left = numbers->count - numbers->next;

    if (left >= BATCH)
        return lengths;
    memset(tail, 0, BATCH);
    memcpy(tail, lengths, left);
    return tail;
}

static bool decode_fast(struct store_records *cursor)
{
    struct store_block *const block = &cursor->block;
    uint32_t const first = cursor->decoded - BATCH;
    uint64_t before = cursor->seq_num;
    uint8_t tail[BATCH];
    const uint8_t *const lengths = next_lengths(&block->first, tail);
    struct decoding decoding = {.shapes = (const uint64_t *)(const void *)cursor->shapes, .slots = cursor->slots,
                                .length = lengths, .bytes = block->first.bytes, .seq_num = before};
    uint16_t places[BATCH];
    uint32_t used;

    if (!store_shape_places(places, block, first, BATCH, SHAPE_UNITS))
        return false;
    if (first == 0) {                /* the index knows it, whatever the shape says */
        before = block->index->first_key;
        decoding.seq_num = before - shape_at(&decoding, places[0])->seq_delta;
    }
    for (unsigned i = 0; i < BATCH; i += 4)
        for (unsigned k = 0; k < 4; k++)
            decode_one(&decoding, &cursor->batch[i + k], places[i + k]);

    used = (uint32_t)(decoding.length - lengths);
    if (used > block->first.count - block->first.next)
        return false;
    block->first.bytes = decoding.bytes;
    block->first.next += used;
    cursor->seq_num = decoding.seq_num;
    return decoding.seq_num >= before;
}

static bool decode_carefully(struct store_records *cursor)
{
    struct store_block *const block = &cursor->block;
    uint64_t *const slots = cursor->slots;
    uint32_t const first = cursor->decoded - cursor->count;
    uint64_t seq_num = cursor->seq_num;
    struct store_numbers addresses = block->first;
    bool overflows = false;

    for (uint32_t i = 0; i < cursor->count; i++) {
        uint32_t const shape_number = bits_load16(block->shape_of + 2 * (size_t)(first + i));

        if (shape_number >= block->shape_count)
            return false;

        struct store_shape const *const shape = &cursor->shapes[shape_number];
        uint64_t const next_seq = first + i == 0 ? block->index->first_key : seq_num + shape->seq_delta;
        uint64_t p_addr = 0;

        overflows |= next_seq < seq_num;
        seq_num = next_seq;
        if (shape->present & DEP_HAS_P_ADDR) {
            uint64_t code;

            if (!store_number_next(&addresses, &code))
                return false;
            p_addr = slots[shape->address_slot] += bits_unzigzag(code);
        }
        cursor->batch[i] = (struct store_record){.shape = shape, .seq_num = seq_num, .p_addr = p_addr,
                                                 .comp_delay = shape->comp_delay};
    }
    block->first = addresses;
    cursor->seq_num = seq_num;
    return !overflows;
}

/* Decodes the next records of the open block into the batch. */
static bool decode(struct store_records *cursor)
{
    struct store_block *const block = &cursor->block;
    uint32_t const first = cursor->decoded, left = block->records - first;
    uint64_t const first_record = block->index->first_record + first;

    cursor->next = 0;
    cursor->count = left < BATCH ? left : BATCH;
    cursor->decoded += cursor->count;
    if (cursor->may_be_fast && left >= BATCH ? !decode_fast(cursor) : !decode_carefully(cursor))
        return false;
    return (first_record >= cursor->record_reach && cursor->batch[0].seq_num >= cursor->seq_reach)
        || !reaches_too_far(cursor, first_record);
}

static bool is_used_up(const struct store_numbers *numbers)
{
    return numbers->next == numbers->count && numbers->bytes == numbers->end;
}

/* Fills the batch. False: the end, or failed. Kept out of store_records_next, which is short without it. */
static __attribute__((noinline)) bool refill(struct store_records *cursor)
{
    struct store_block const *const block = &cursor->block;

    cursor->next = cursor->count = 0;
    if (cursor->failed || cursor->has_ended)
        return false;
    if (cursor->block_is_open && cursor->decoded == block->records) {
        store_forget(cursor->store, block->index);
        cursor->block_is_open = false;
        cursor->block_number++;
    }
    if (!cursor->block_is_open && !open_block(cursor)) {
        cursor->failed = true;
    } else if (cursor->has_ended) {
        return false;
    } else if (!decode(cursor) || (cursor->decoded == block->records && !is_used_up(&block->first))) {
        store_block_damaged(cursor->store, block->index, "has records that make no sense", &cursor->error);
        cursor->failed = true;
        cursor->count = 0;
    }
    return !cursor->failed;
}

const struct store_record *store_records_next(struct store_records *cursor, bool *failed, struct proto_error *error)
{
    *failed = false;
    if (cursor->next < cursor->count || refill(cursor))
        return &cursor->batch[cursor->next++];
    *failed = cursor->failed;
    if (*failed)
        *error = cursor->error;
    return NULL;
}

const struct store_record *store_records_batch(struct store_records *cursor, size_t *count, bool *failed,
                                               struct proto_error *error)
{
    const struct store_record *const first = store_records_next(cursor, failed, error);

    *count = first != NULL ? 1 + cursor->count - cursor->next : 0;
    cursor->next = cursor->count;
    return first;
}

double store_records_position(const struct store_records *cursor)
{
    uint64_t const whole = store_about(cursor->store)->count[STORE_DEP];
    uint32_t const given = cursor->decoded - (cursor->count - cursor->next);

    if (!cursor->block_is_open)
        return cursor->has_ended || cursor->has_before ? 1 : 0;
    return cursor->block.position + (whole > 0 ? (double)given / (double)whole : 0);
}

/* --- the same as dep_record --------------------------------------------------------------------------------------- */

static bool make_dep_room(struct reading *reading, size_t count)
{
    size_t const room = count < 64 ? 64 : 2 * count;
    uint64_t *const deps = realloc(reading->deps, room * sizeof *deps);

    if (deps == NULL)
        return false;
    reading->deps = deps;
    reading->dep_room = room;
    return true;
}

/* The virtual address. False: there is none left. */
static bool read_v_addr(struct store_records *cursor, const struct store_record *record, uint64_t *v_addr)
{
    uint64_t code;

    *v_addr = 0;
    if (!(record->shape->present & DEP_HAS_V_ADDR))
        return true;
    if (!store_number_next(&cursor->block.second, &code))
        return false;
    cursor->reading->v_difference += bits_unzigzag(code);
    *v_addr = record->p_addr + cursor->reading->v_difference;
    return true;
}

/* The numbers of the records that a record depends on, after its own was remembered. A cursor that began in the middle
 * knows all that the records from its first one on may ask for. */
static void find_deps(struct reading *reading, const struct store_record *record)
{
    struct store_shape const *const shape = record->shape;
    uint64_t const own = reading->count - 1;

    for (size_t i = 0; i < (size_t)shape->rob_dep_count + shape->reg_dep_count; i++)
        reading->deps[i] = shape->record_distance[i] != 0
            ? reading->seq_nums[(own - shape->record_distance[i]) % (2 * LATEST)]
            : record->seq_num - shape->seq_distance[i];
}

enum dep_result store_records_read(struct store_records *cursor, struct dep_record *record, struct proto_error *error)
{
    bool failed;
    const struct store_record *const found = store_records_next(cursor, &failed, error);

    if (found == NULL)
        return failed ? DEP_ERROR : DEP_END;

    struct store_shape const *const shape = found->shape;
    struct reading *const reading = begin_reading(cursor) ? cursor->reading : NULL;
    size_t const count = (size_t)shape->rob_dep_count + shape->reg_dep_count;
    bool const ends_block = cursor->next == cursor->count && cursor->decoded == cursor->block.records;
    uint64_t v_addr;

    if (reading == NULL || (count >= reading->dep_room && !make_dep_room(reading, count))) {
        proto_fail(error, store_name(cursor->store), PROTO_NO_OFFSET, "out of memory");
        return DEP_ERROR;
    }
    if (!read_v_addr(cursor, found, &v_addr) || (ends_block && !is_used_up(&cursor->block.second))) {
        store_block_damaged(cursor->store, cursor->block.index, "has virtual addresses that make no sense", error);
        cursor->error = *error;
        cursor->failed = true;
        cursor->next = cursor->count = 0;
        return DEP_ERROR;
    }
    reading->seq_nums[reading->count++ % (2 * LATEST)] = found->seq_num;
    find_deps(reading, found);
    *record = (struct dep_record){
        .seq_num = found->seq_num, .p_addr = found->p_addr, .v_addr = v_addr, .pc = shape->pc,
        .comp_delay = found->comp_delay, .size_bytes = shape->size_bytes, .flags = shape->flags,
        .weight = shape->weight, .asid = shape->asid, .present = shape->present, .type = shape->type,
        .rob_dep_count = shape->rob_dep_count, .reg_dep_count = shape->reg_dep_count, .rob_dep = reading->deps,
        .reg_dep = reading->deps + shape->rob_dep_count};
    return DEP_RECORD;
}
