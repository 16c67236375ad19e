/* Cursor over the store's fetches. Code repeats, so address, pc and constants of a fetch together are its shape; a
 * record is a shape and the ticks since the one before. Decoded in batches and checked as in proto/store_dep.c. */
#include <stdlib.h>

#include "proto/store_format.h"

enum { BATCH = 64 };
_Static_assert(BATCH % 8 == 0, "a batch begins a byte of its columns");

struct store_fetches {
    const struct store *store;
    uint64_t block_number;
    struct store_block block;
    bool block_is_open, has_ended, failed;
    uint32_t decoded;                /* of the block */
    uint32_t next, count;            /* in the batch */
    uint64_t tick, pkt_id;           /* of the fetch before */
    uint64_t from_tick;              /* earlier ones are passed over */
    struct packet_record *shapes;    /* without tick and pkt_id; STORE_BLOCK_RECORDS */
    uint64_t *values;                /* STORE_BLOCK_RECORDS */
    struct proto_error error;        /* if failed */
    struct packet_record batch[BATCH];
};

struct store_fetches *store_fetches_open(const struct store *store, uint64_t from_tick, struct proto_error *error)
{
    struct store_fetches *const cursor = calloc(1, sizeof *cursor);

    if (cursor != NULL) {
        cursor->shapes = malloc(STORE_BLOCK_RECORDS * sizeof *cursor->shapes);
        cursor->values = malloc(STORE_BLOCK_RECORDS * sizeof *cursor->values);
    }
    if (cursor == NULL || cursor->shapes == NULL || cursor->values == NULL) {
        store_fetches_close(cursor);
        proto_fail(error, store_name(store), PROTO_NO_OFFSET, "out of memory");
        return NULL;
    }
    cursor->store = store;
    cursor->block_number = from_tick > 0 ? store_find_block(store, STORE_FETCH, true, from_tick) : 0;
    cursor->from_tick = from_tick;
    return cursor;
}

void store_fetches_close(struct store_fetches *cursor)
{
    if (cursor == NULL)
        return;
    free(cursor->shapes);
    free(cursor->values);
    free(cursor);
}

enum { SHAPE_VARINTS = 6 };

STORE_INLINE void read_shape(struct store_varints *from, struct packet_record *shape,
                             const struct packet_record *before, bool is_safe)
{
    shape->tick = shape->pkt_id = 0;
    shape->addr = before->addr + bits_unzigzag(store_varint(from, is_safe));
    shape->pc = before->pc + bits_unzigzag(store_varint(from, is_safe));
    shape->cmd = (uint32_t)store_varint(from, is_safe);
    shape->size_bytes = (uint32_t)store_varint(from, is_safe);
    shape->present = (uint32_t)store_varint(from, is_safe);
    shape->flags = (uint32_t)store_varint(from, is_safe);
}

static bool read_shapes(struct store_fetches *cursor)
{
    struct store_block const *const block = &cursor->block;
    struct packet_record const none = {0}, *before = &none;
    struct store_varints from = {.at = block->shapes, .end = block->shapes_end};

    for (uint32_t i = 0; i < block->shape_count; before = &cursor->shapes[i++])
        if (store_varints_have(&from, SHAPE_VARINTS))
            read_shape(&from, &cursor->shapes[i], before, true);
        else
            read_shape(&from, &cursor->shapes[i], before, false);
    return !from.bad && from.at == from.end;
}

static bool open_block(struct store_fetches *cursor)
{
    struct store_block *const block = &cursor->block;

    switch (store_block_open(cursor->store, STORE_FETCH, cursor->block_number, block, &cursor->error)) {
    case STORE_BLOCK: break;
    case STORE_NO_BLOCK: cursor->has_ended = true; return true;
    case STORE_BLOCK_BAD: return false;
    }
    cursor->block_is_open = true;
    cursor->decoded = 0;
    cursor->pkt_id = 0;
    if (!read_shapes(cursor) || !store_block_values(block, cursor->values))
        return store_block_damaged(cursor->store, block->index, "has shapes or values that make no sense",
                                   &cursor->error);
    if (cursor->tick > block->index->first_key)
        return store_block_damaged(cursor->store, block->index, "does not continue the one before", &cursor->error);
    return true;
}

/* Decodes the next fetches of the open block into the batch. */
static bool decode(struct store_fetches *cursor)
{
    struct store_block *const block = &cursor->block;
    struct packet_record const *const shapes = cursor->shapes;
    uint64_t const *const values = cursor->values;
    uint16_t shape_numbers[BATCH], value_numbers[BATCH];
    uint32_t const first = cursor->decoded, left = block->records - first, count = left < BATCH ? left : BATCH;
    uint64_t tick = cursor->tick;
    uint32_t overflows = 0;

    if (bits_unpack(shape_numbers, block->shape_of + first / 8 * block->shape_width, count, block->shape_width)
            >= block->shape_count
        || bits_unpack(value_numbers, block->value_of + first / 8 * block->value_width, count, block->value_width)
            >= block->value_count)
        return false;
    if (first == 0) {                /* the index knows it, whatever the value says */
        tick = block->index->first_key - values[value_numbers[0]];
        overflows -= block->index->first_key < values[value_numbers[0]];
    }
    for (uint32_t i = 0; i < count; i++) {
        struct packet_record *const fetch = &cursor->batch[i];
        uint64_t const value = values[value_numbers[i]];

        tick += value;
        overflows += tick < value;
        *fetch = shapes[shape_numbers[i]];
        fetch->tick = tick;
        if (fetch->present & PACKET_HAS_PKT_ID) {
            uint64_t code;

            if (!store_number_next(&block->first, &code))
                return false;
            fetch->pkt_id = cursor->pkt_id += bits_unzigzag(code);
        }
    }
    cursor->tick = tick;
    cursor->decoded += count;
    cursor->next = 0;
    cursor->count = count;
    return overflows == 0;
}

static bool streams_are_used_up(const struct store_block *block)
{
    return block->first.next == block->first.count && block->first.bytes == block->first.end
        && block->second.count == 0 && block->second.bytes == block->second.end;
}

/* Fills the batch. False: the end, or failed. */
static bool refill(struct store_fetches *cursor)
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
        store_block_damaged(cursor->store, block->index, "has fetches that make no sense", &cursor->error);
        cursor->failed = true;
        cursor->count = 0;
    }
    return !cursor->failed;
}

const struct packet_record *store_fetches_batch(struct store_fetches *cursor, size_t *count, bool *failed,
                                                struct proto_error *error)
{
    const struct packet_record *first;

    do {
        if (cursor->next == cursor->count && !refill(cursor)) {
            *count = 0;
            *failed = cursor->failed;
            if (*failed)
                *error = cursor->error;
            return NULL;
        }
        while (cursor->next < cursor->count && cursor->batch[cursor->next].tick < cursor->from_tick)
            cursor->next++;
    } while (cursor->next == cursor->count);
    first = &cursor->batch[cursor->next];
    *count = cursor->count - cursor->next;
    *failed = false;
    cursor->next = cursor->count;
    return first;
}

enum packet_result store_fetches_read(struct store_fetches *cursor, struct packet_record *record,
                                      struct proto_error *error)
{
    size_t count;
    bool failed;
    const struct packet_record *const first = store_fetches_batch(cursor, &count, &failed, error);

    if (first == NULL)
        return failed ? PACKET_ERROR : PACKET_END;
    *record = *first;
    cursor->next -= (uint32_t)count - 1;
    return PACKET_RECORD;
}
