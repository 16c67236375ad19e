/* Cursor over the store's dependence records. A block's shapes are read into a table once; then a record is two
 * look-ups by narrow numbers, an addition, and for accesses one number of the address stream. Records are decoded in
 * batches, so that the loop keeps its state in registers.
 *
 * Batches have two decoders. The fast one checks nothing by the record: the largest numbers of shapes and values tell
 * for all, the lengths of the address stream were added up when the block was opened, and steps that are not huge
 * cannot overflow unseen. Blocks that could not be told apart so, and the last records of a block, take the careful
 * one.
 *
 * Checked, so that no file can lead astray: numbers of shapes and values, ends of streams, sequence numbers that rise
 * without overflow, and distances that stay behind the trace's beginning. */
#include <stdlib.h>
#include <string.h>

#include "proto/store_format.h"

enum { BATCH = 256, LINE_BYTES = 64 };
_Static_assert(offsetof(struct store_shape, rob_dep_count) <= LINE_BYTES, "as its comment says");

/* Steps below this may be added up in a batch: an overflow shows in the sum. */
#define SOUND_STEPS (UINT64_C(1) << 47)

struct store_records {
    const struct store *store;
    uint64_t block_number;
    struct store_block block;
    bool block_is_open, has_ended, failed;
    bool has_before;                 /* a block was read */
    uint32_t decoded;                /* records of the block so far */
    uint64_t seq_num;                /* of the record decoded last, in this block or before */
    uint64_t v_difference;
    bool may_be_fast;                /* the block suits the fast decoder */
    bool has_v_addr;                 /* some shape of the block has */
    bool may_reach_too_far;          /* some distance of the block may be longer than what lies before it */
    uint32_t next, count;            /* in the batch */
    struct proto_error error;        /* if failed */

    struct store_shape *shapes;
    uint32_t *record_distances, *edges;
    uint64_t *seq_distances;
    size_t shape_room, distance_room;
    uint64_t *values, *slots;        /* STORE_BLOCK_RECORDS each */
    uint64_t *deps;                  /* of the record given last by store_records_read */
    size_t dep_room;
    struct store_record batch[BATCH];
};

static bool make_dep_room(struct store_records *cursor, size_t count)
{
    size_t const room = count < 64 ? 64 : 2 * count;
    uint64_t *const deps = realloc(cursor->deps, room * sizeof *deps);

    if (deps == NULL)
        return false;
    cursor->deps = deps;
    cursor->dep_room = room;
    return true;
}

struct store_records *store_records_open(const struct store *store, uint64_t first, struct proto_error *error)
{
    struct store_records *const cursor = calloc(1, sizeof *cursor);

    if (cursor != NULL) {
        cursor->values = malloc(STORE_BLOCK_RECORDS * sizeof *cursor->values);
        cursor->slots = malloc(STORE_BLOCK_RECORDS * sizeof *cursor->slots);
    }
    if (cursor == NULL || cursor->values == NULL || cursor->slots == NULL
        || !make_dep_room(cursor, 0)) {
        store_records_close(cursor);
        proto_fail(error, store_name(store), PROTO_NO_OFFSET, "out of memory");
        return NULL;
    }
    cursor->store = store;
    if (first > 0 && first >= store_about(store)->count[STORE_DEP]) {
        cursor->has_ended = true;
    } else if (first > 0) {
        cursor->block_number = store_find_block(store, STORE_DEP, false, first);

        uint64_t skip = first - store_index_of(store, STORE_DEP)[cursor->block_number].first_record;
        bool failed;
        struct proto_error ignored;

        while (skip-- > 0 && store_records_next(cursor, &failed, &ignored) != NULL)
            ;
    }
    return cursor;
}

void store_records_close(struct store_records *cursor)
{
    if (cursor == NULL)
        return;
    free(cursor->shapes);
    free(cursor->record_distances);
    free(cursor->edges);
    free(cursor->seq_distances);
    free(cursor->values);
    free(cursor->slots);
    free(cursor->deps);
    free(cursor);
}

/* --- shapes ------------------------------------------------------------------------------------------------------- */

enum { CONSTANTS = 10 };             /* varints of a shape without its distances, at most */

STORE_INLINE uint32_t constant_if(struct store_varints *from, bool is_there, bool is_safe)
{
    return is_there ? (uint32_t)store_varint(from, is_safe) : 0;
}

/* The shape without its distances, which stay behind `from`. */
STORE_INLINE bool read_constants(struct store_varints *from, struct store_shape *shape, uint64_t pc, uint32_t slots,
                                 bool is_safe)
{
    uint64_t const pc_code = store_varint(from, is_safe), kind = store_varint(from, is_safe);
    uint32_t const present = (uint32_t)(kind >> 2);

    if (kind >> 2 > UINT16_MAX)
        return false;
    shape->pc = pc + bits_unzigzag(pc_code);
    shape->type = kind & 3;
    shape->present = (uint16_t)present;
    shape->size_bytes = shape->flags = shape->weight = shape->asid = shape->address_slot = 0;
    if (present & (DEP_HAS_SIZE | DEP_HAS_FLAGS | DEP_HAS_WEIGHT | DEP_HAS_ASID | DEP_HAS_P_ADDR)) {
        shape->size_bytes = constant_if(from, present & DEP_HAS_SIZE, is_safe);
        shape->flags = constant_if(from, present & DEP_HAS_FLAGS, is_safe);
        shape->weight = constant_if(from, present & DEP_HAS_WEIGHT, is_safe);
        shape->asid = constant_if(from, present & DEP_HAS_ASID, is_safe);
        shape->address_slot = constant_if(from, present & DEP_HAS_P_ADDR, is_safe);
        if ((present & DEP_HAS_P_ADDR) && shape->address_slot >= slots)
            return false;
    }
    shape->seq_delta = store_varint(from, is_safe);
    shape->rob_dep_count = (uint32_t)store_varint(from, is_safe);
    shape->reg_dep_count = (uint32_t)store_varint(from, is_safe);
    return true;
}

/* `reach` becomes at least the longest distance, and less than twice that. */
STORE_INLINE bool read_distances(struct store_varints *from, uint32_t *record_distance, uint64_t *seq_distance,
                                 uint64_t count, uint64_t *reach, bool is_safe)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t distance, less;

        if (is_safe && (from->at[0] | from->at[1]) < 0x80) {
            distance = from->at[0];
            less = from->at[1];
            from->at += 2;
        } else {
            distance = store_varint(from, is_safe);
            less = store_varint(from, is_safe);
            if (distance >= UINT32_MAX && less > 0 && distance - (less - 1) > UINT32_MAX)
                return false;
        }
        if (distance == 0 || less > distance)
            return false;
        seq_distance[i] = distance;
        record_distance[i] = less == 0 ? 0 : (uint32_t)(distance - (less - 1));
        *reach |= distance;
    }
    return true;
}

static bool make_shape_room(struct store_records *cursor, size_t shapes, size_t distances)
{
    if (shapes > cursor->shape_room) {
        free(cursor->shapes);
        cursor->shapes = malloc(shapes * sizeof *cursor->shapes);
        cursor->shape_room = cursor->shapes != NULL ? shapes : 0;
    }
    if (distances > cursor->distance_room) {
        free(cursor->record_distances);
        free(cursor->edges);
        free(cursor->seq_distances);
        cursor->record_distances = malloc(distances * sizeof *cursor->record_distances);
        cursor->edges = malloc(distances * sizeof *cursor->edges);
        cursor->seq_distances = malloc(distances * sizeof *cursor->seq_distances);
        cursor->distance_room = cursor->record_distances != NULL && cursor->edges != NULL
            && cursor->seq_distances != NULL ? distances : 0;
    }
    return shapes <= cursor->shape_room && distances <= cursor->distance_room;
}

/* A dependence takes two bytes or more, so the column's size bounds the room that a block can ask for. */
static bool read_shapes(struct store_records *cursor)
{
    const struct store_block *const block = &cursor->block;
    struct store_varints from = {.at = block->shapes, .end = block->shapes_end};
    uint32_t const slots = block->slot_count;
    struct store_shape *shape;
    uint32_t *record_distance, *edges;
    uint64_t *seq_distance;
    uint64_t pc = 0, reach = 0;
    uint32_t present = 0;
    bool steps_are_sound = true;

    if (!make_shape_room(cursor, block->shape_count, (size_t)(from.end - from.at) / 2))
        return false;
    shape = cursor->shapes;
    record_distance = cursor->record_distances;
    edges = cursor->edges;
    seq_distance = cursor->seq_distances;
    for (const struct store_shape *const end = shape + block->shape_count; shape < end; shape++) {
        uint64_t count;

        if (store_varints_have(&from, CONSTANTS) ? !read_constants(&from, shape, pc, slots, true)
                                                 : !read_constants(&from, shape, pc, slots, false))
            return false;
        pc = shape->pc;
        present |= shape->present;
        if (shape->seq_delta - 1 >= SOUND_STEPS - 1) {
            if (shape->seq_delta == 0)
                return false;
            steps_are_sound = false;
        }
        shape->record_distance = record_distance;
        shape->seq_distance = seq_distance;
        count = (uint64_t)shape->rob_dep_count + shape->reg_dep_count;
        if (store_varints_have(&from, 2 * count)) {
            if (!read_distances(&from, record_distance, seq_distance, count, &reach, true))
                return false;
        } else if (count > (uint64_t)(from.end - from.at) / 2
                   || !read_distances(&from, record_distance, seq_distance, count, &reach, false)) {
            return false;
        }
        store_shape_complete(shape, edges, STORE_KNOWN_REACH_SEQ);
        record_distance += count;
        edges += count;
        seq_distance += count;
    }
    cursor->may_reach_too_far = reach > block->index->first_record || reach > block->index->first_key;
    cursor->may_be_fast = steps_are_sound;
    cursor->has_v_addr = (present & DEP_HAS_V_ADDR) != 0;
    return !from.bad && from.at == from.end;
}

/* Are all lengths of the stream at most 8, and does their sum fit its bytes? Sixteen at once: each byte of a word has
 * two. */
static bool lengths_are_sound(const struct store_numbers *numbers)
{
    uint64_t const nibbles = UINT64_C(0x0f0f0f0f0f0f0f0f), ones = UINT64_C(0x0101010101010101);
    uint32_t const bytes = (numbers->count + 1) / 2;
    uint64_t sum = 0, long_ones = 0;

    for (uint32_t i = 0; i < bytes; i += 8) {
        uint64_t const word = bits_low_bytes(bits_load64(numbers->lengths + i), bytes - i < 8 ? bytes - i : 8);
        uint64_t const low = word & nibbles, high = word >> 4 & nibbles;

        long_ones |= (low + 0x77 * ones) | (high + 0x77 * ones);
        sum += (low + high) * ones >> 56;
    }
    return (long_ones & 0x80 * ones) == 0 && sum <= (uint64_t)(numbers->end - numbers->bytes);
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
    if (!read_shapes(cursor) || !store_block_values(block, cursor->values))
        return store_block_damaged(cursor->store, block->index, "has shapes or values that make no sense, or memory is "
                                   "short", &cursor->error);
    /* The index says that first keys do not fall; here, that they lie above all numbers before. */
    if (cursor->has_before && cursor->seq_num >= block->index->first_key)
        return store_block_damaged(cursor->store, block->index, "does not continue the one before", &cursor->error);
    cursor->may_be_fast = cursor->may_be_fast && lengths_are_sound(&block->first);
    memset(cursor->slots, 0, block->slot_count * sizeof *cursor->slots);
    cursor->decoded = 0;
    cursor->v_difference = 0;
    cursor->has_before = true;
    return true;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

static bool read_v_addr(struct store_records *cursor, struct store_record *record)
{
    uint64_t code;

    if (!store_number_next(&cursor->block.second, &code))
        return false;
    cursor->v_difference += bits_unzigzag(code);
    record->v_addr = record->p_addr + cursor->v_difference;
    return true;
}

/* A dependence that lies before the trace's beginning. Asked for the first blocks only. */
static bool reaches_too_far(const struct store_records *cursor, uint32_t count, uint64_t first_record)
{
    for (uint32_t i = 0; i < count; i++) {
        struct store_record const *const record = &cursor->batch[i];
        struct store_shape const *const shape = record->shape;

        for (uint64_t k = 0; k < (uint64_t)shape->rob_dep_count + shape->reg_dep_count; k++)
            if (shape->seq_distance[k] > record->seq_num || shape->record_distance[k] > first_record + i)
                return true;
    }
    return false;
}

/* The stream's next BATCH lengths; 0 where there are no more. Answer: where they begin. */
static inline const uint8_t *unpack_lengths(uint8_t lengths[BATCH + 2], const struct store_numbers *numbers)
{
    const uint8_t *const pairs = numbers->lengths + numbers->next / 2;
    uint32_t const left = numbers->count - numbers->next, odd = numbers->next % 2;
    uint32_t const wanted = (left < BATCH ? left : BATCH) + odd;

    for (uint32_t i = 0; i < (wanted + 1) / 2; i++) {
        lengths[2 * i] = pairs[i] & 15;
        lengths[2 * i + 1] = pairs[i] >> 4;
    }
    memset(lengths + wanted, 0, BATCH + 2 - wanted);
    return lengths + odd;
}

STORE_INLINE bool decode_fast(struct store_records *cursor, bool has_v_addr)
{
    static const uint64_t masks[] = {0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff,
                                     0xffffffffffffff, UINT64_MAX};
    struct store_block *const block = &cursor->block;
    struct store_shape const *const shapes = cursor->shapes;
    uint64_t const *const values = cursor->values;
    uint64_t *const slots = cursor->slots;
    struct store_record *record = cursor->batch;
    uint8_t lengths[BATCH + 2];
    const uint8_t *const first_length = unpack_lengths(lengths, &block->first), *length = first_length;
    const uint8_t *bytes = block->first.bytes;
    uint16_t shape_numbers[BATCH], value_numbers[BATCH];
    uint32_t const first = cursor->decoded - BATCH;
    uint64_t before = cursor->seq_num, seq_num = before;

    if (bits_unpack(shape_numbers, block->shape_of + first / 8 * block->shape_width, BATCH, block->shape_width)
            >= block->shape_count
        || bits_unpack(value_numbers, block->value_of + first / 8 * block->value_width, BATCH, block->value_width)
            >= block->value_count)
        return false;
    if (first == 0) {                /* the index knows it, whatever the shape says */
        before = block->index->first_key;
        seq_num = before - shapes[bits_at(block->shape_of, 0, block->shape_width)].seq_delta;
    }
    for (unsigned i = 0; i < BATCH; i++, record++) {
        struct store_shape const *const shape = &shapes[shape_numbers[i]];

        seq_num += shape->seq_delta;
        record->shape = shape;
        record->seq_num = seq_num;
        record->p_addr = record->v_addr = 0;
        record->comp_delay = values[value_numbers[i]];
        if (shape->present & DEP_HAS_P_ADDR) {
            unsigned const code_bytes = *length++;
            uint64_t const code = bits_load64(bytes) & masks[code_bytes];

            bytes += code_bytes;
            record->p_addr = slots[shape->address_slot] += bits_unzigzag(code);
        }
        if (has_v_addr && (shape->present & DEP_HAS_V_ADDR) && !read_v_addr(cursor, record))
            return false;
    }
    if ((uint32_t)(length - first_length) > block->first.count - block->first.next)
        return false;
    block->first.bytes = bytes;
    block->first.next += (uint32_t)(length - first_length);
    cursor->seq_num = seq_num;
    return seq_num >= before;
}

static bool decode_fast_with_v_addr(struct store_records *cursor)
{
    return decode_fast(cursor, true);
}

static bool decode_fast_without(struct store_records *cursor)
{
    return decode_fast(cursor, false);
}

static bool decode_carefully(struct store_records *cursor)
{
    struct store_block *const block = &cursor->block;
    struct store_shape const *const shapes = cursor->shapes;
    uint64_t const *const values = cursor->values;
    uint64_t *const slots = cursor->slots;
    uint8_t const *const shape_of = block->shape_of, *const value_of = block->value_of;
    uint32_t const shape_count = block->shape_count, value_count = block->value_count;
    unsigned const shape_width = block->shape_width, value_width = block->value_width;
    uint32_t const first = cursor->decoded - cursor->count;
    uint32_t const count = cursor->count;
    uint64_t seq_num = cursor->seq_num;
    struct store_numbers addresses = block->first;
    bool overflows = false;

    for (uint32_t i = 0; i < count; i++) {
        struct store_record *const record = &cursor->batch[i];
        uint32_t const shape_number = bits_at(shape_of, first + i, shape_width);
        uint32_t const value_number = bits_at(value_of, first + i, value_width);

        if (shape_number >= shape_count || value_number >= value_count)
            return false;

        struct store_shape const *const shape = &shapes[shape_number];
        uint64_t const next_seq = first + i == 0 ? block->index->first_key : seq_num + shape->seq_delta;
        uint64_t p_addr = 0;

        overflows |= next_seq < seq_num;
        seq_num = next_seq;
        if (shape->present & DEP_HAS_P_ADDR) {
            uint64_t code;

            if (!store_number_next(&addresses, &code))
                return false;
            p_addr = slots[shape->address_slot] + bits_unzigzag(code);
            slots[shape->address_slot] = p_addr;
        }
        record->shape = shape;
        record->seq_num = seq_num;
        record->p_addr = p_addr;
        record->v_addr = 0;
        record->comp_delay = values[value_number];
        if ((shape->present & DEP_HAS_V_ADDR) && !read_v_addr(cursor, record))
            return false;
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
    bool const is_fast = cursor->may_be_fast && left >= BATCH;

    cursor->next = 0;
    cursor->count = left < BATCH ? left : BATCH;
    cursor->decoded += cursor->count;
    if (!is_fast ? !decode_carefully(cursor)
        : cursor->has_v_addr ? !decode_fast_with_v_addr(cursor) : !decode_fast_without(cursor))
        return false;
    return !cursor->may_reach_too_far
        || !reaches_too_far(cursor, cursor->count, block->index->first_record + first);
}

static bool streams_are_used_up(const struct store_block *block)
{
    return block->first.next == block->first.count && block->first.bytes == block->first.end
        && block->second.next == block->second.count && block->second.bytes == block->second.end;
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
    } else if (!decode(cursor) || (cursor->decoded == block->records && !streams_are_used_up(block))) {
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

enum dep_result store_records_read(struct store_records *cursor, struct dep_record *record, struct proto_error *error)
{
    bool failed;
    const struct store_record *const found = store_records_next(cursor, &failed, error);

    if (found == NULL)
        return failed ? DEP_ERROR : DEP_END;

    struct store_shape const *const shape = found->shape;
    size_t const count = (size_t)shape->rob_dep_count + shape->reg_dep_count;

    if (count > cursor->dep_room && !make_dep_room(cursor, count)) {
        proto_fail(error, store_name(cursor->store), PROTO_NO_OFFSET, "out of memory");
        return DEP_ERROR;
    }
    for (size_t i = 0; i < count; i++)
        cursor->deps[i] = found->seq_num - shape->seq_distance[i];
    *record = (struct dep_record){
        .seq_num = found->seq_num, .p_addr = found->p_addr, .v_addr = found->v_addr, .pc = shape->pc,
        .comp_delay = found->comp_delay, .size_bytes = shape->size_bytes, .flags = shape->flags,
        .weight = shape->weight, .asid = shape->asid, .present = shape->present, .type = shape->type,
        .rob_dep_count = shape->rob_dep_count, .reg_dep_count = shape->reg_dep_count, .rob_dep = cursor->deps,
        .reg_dep = cursor->deps + shape->rob_dep_count};
    return DEP_RECORD;
}
