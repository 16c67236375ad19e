/* Cursor over the store's fetches. Code repeats, so all of a fetch but its tick is its shape, and the ticks since the
 * one before as well. Decoded in batches and checked as in proto/store/dep.c, a little ahead of the fetches returned,
 * so that the next ones are visible; packet ids are read by store_fetches_read alone. */
#include <stdlib.h>
#include <string.h>

#include "proto/store/store_format.h"

enum { BATCH = 512, AHEAD = 64, UNIT = sizeof(uint64_t), SHAPE_UNITS = sizeof(struct store_fetch_shape) / UNIT };
_Static_assert(sizeof(struct store_fetch_shape) % UNIT == 0 && SHAPE_UNITS * STORE_BLOCK_SHAPES <= UINT16_MAX,
               "a shape's place in units is a narrow number");

struct store_fetches {
    const struct store *store;
    uint64_t block_number;
    struct store_block block;
    bool block_is_open, has_ended, failed;
    bool shapes_are_new;             /* since the last store_fetches_batch */
    uint32_t decoded;                /* of the block */
    uint32_t next, count;            /* in the batch; */
    uint32_t ahead;                  /* decoded beyond these, except at a block's end */
    uint64_t tick;                   /* of the fetch before */
    uint64_t pkt_id;                 /* of the fetch that store_fetches_read gave last */
    uint64_t from_tick;              /* earlier ones are passed over */
    struct store_fetch_shape *shapes;
    uint64_t *values;
    uint32_t room;                   /* of both: blocks have far fewer shapes than they may have */
    struct fault error;        /* if failed */
    struct store_fetch batch[AHEAD + BATCH];
};

struct store_fetches *store_fetches_open(const struct store *store, uint64_t from_tick, struct fault *error)
{
    struct store_fetches *const cursor = calloc(1, sizeof *cursor);

    if (cursor == NULL) {
        *error = fault_memory(store_name(store), NULL);
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

enum { SHAPE_VARINTS = 7 };

STORE_INLINE bool read_shape(const struct store_fetches *cursor, struct column_bytes *from,
                             struct store_fetch_shape *shape, const struct store_fetch_shape *before, bool is_safe)
{
    uint64_t value;

    shape->addr = before->addr + bits_unzigzag(store_varint(from, is_safe));
    shape->pc = before->pc + bits_unzigzag(store_varint(from, is_safe));
    shape->cmd = (uint32_t)store_varint(from, is_safe);
    shape->size_bytes = (uint32_t)store_varint(from, is_safe);
    shape->present = (uint32_t)store_varint(from, is_safe);
    shape->flags = (uint32_t)store_varint(from, is_safe);
    value = store_varint(from, is_safe);
    if (value >= cursor->block.value_count)
        return false;
    shape->step_ticks = cursor->values[value];
    return true;
}

static bool read_shapes(struct store_fetches *cursor)
{
    struct store_block const *const block = &cursor->block;
    struct store_fetch_shape const none = {0}, *before = &none;
    struct column_bytes from = {.at = block->shapes, .end = block->shapes_end};

    for (uint32_t i = 0; i < block->shape_count; before = &cursor->shapes[i++])
        if (store_varints_have(&from, SHAPE_VARINTS) ? !read_shape(cursor, &from, &cursor->shapes[i], before, true)
                                                     : !read_shape(cursor, &from, &cursor->shapes[i], before, false))
            return false;
    return !from.failed && from.at == from.end && block->instructions == block->instructions_end;
}

/* The previous contents are lost. */
static bool reserve(struct store_fetches *cursor, uint32_t shapes)
{
    if (shapes <= cursor->room)
        return true;
    free(cursor->shapes);
    free(cursor->values);
    cursor->room = shapes + shapes / 4;
    cursor->shapes = malloc(cursor->room * sizeof *cursor->shapes);
    cursor->values = malloc(cursor->room * sizeof *cursor->values);
    return (cursor->shapes != NULL && cursor->values != NULL)
           || WORKS(cursor->error, fault_memory(store_name(cursor->store), NULL));
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
    cursor->shapes_are_new = true;
    if (!reserve(cursor, block->shape_count))
        return false;
    if (!store_block_values(block, cursor->values) || !read_shapes(cursor))
        return WORKS(cursor->error, store_block_damaged(cursor->store, &block->index,
                                                        "has shapes or values that make "
                                                        "no sense"));
    if (cursor->tick > block->index.first_key)
        return WORKS(cursor->error, store_block_damaged(cursor->store, &block->index,
                                                        "does not continue the one "
                                                        "before"));
    return true;
}

static inline const struct store_fetch_shape *shape_at(const struct store_fetch_shape *shapes, uint16_t place)
{
    return (const struct store_fetch_shape *)(const void *)((const uint64_t *)(const void *)shapes + place);
}

/* Decodes the next fetches of the open block, behind those that were decoded ahead, into the batch. */
static bool store_fetch_decode(struct store_fetches *cursor)
{
    struct store_block *const block = &cursor->block;
    struct store_fetch_shape const *const shapes = cursor->shapes;
    struct store_fetch *const batch = cursor->batch + cursor->ahead;
    uint16_t places[BATCH];
    uint32_t const first = cursor->decoded, left = block->records - first, count = left < BATCH ? left : BATCH;
    uint64_t tick = cursor->tick;
    bool overflows = false;

    if (!store_shape_places(places, block, first, count, SHAPE_UNITS))
        return false;
    if (first == 0) {                /* the index has it, regardless of the shape */
        uint64_t const step = shape_at(shapes, places[0])->step_ticks;

        tick = block->index.first_key - step;
        overflows = block->index.first_key < step;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct store_fetch_shape const *const shape = shape_at(shapes, places[i]);

        tick += shape->step_ticks;
        overflows |= tick < shape->step_ticks;
        batch[i] = (struct store_fetch){shape, tick};
    }
    cursor->tick = tick;
    cursor->decoded += count;
    cursor->count = cursor->ahead + count;
    cursor->ahead = cursor->decoded < block->records ? AHEAD : 0;
    cursor->count -= cursor->ahead;
    return !overflows;
}

/* Fills the batch. False: the end, or failed. */
static bool store_fetch_refill(struct store_fetches *cursor)
{
    struct store_block const *const block = &cursor->block;

    memmove(cursor->batch, cursor->batch + cursor->count, cursor->ahead * sizeof *cursor->batch);
    cursor->next = cursor->count = 0;
    if (cursor->failed || cursor->has_ended)
        return false;
    if (cursor->block_is_open && cursor->decoded == block->records) {
        store_forget(cursor->store, &block->index);
        cursor->block_is_open = false;
        cursor->block_number++;
    }
    if (!cursor->block_is_open && !open_block(cursor)) {
        cursor->failed = true;
    } else if (cursor->has_ended) {
        return false;
    } else if (!store_fetch_decode(cursor)) {
        cursor->error = store_block_damaged(cursor->store, &block->index, "has fetches that make no sense");
        cursor->failed = true;
        cursor->count = cursor->ahead = 0;
    }
    return !cursor->failed;
}

/* Like refill, but reports the result. */
static enum packet_result refill_or_tell(struct store_fetches *cursor, struct fault *error)
{
    if (store_fetch_refill(cursor))
        return PACKET_RECORD;
    if (!cursor->failed)
        return PACKET_END;
    *error = cursor->error;
    return PACKET_ERROR;
}

enum packet_result store_fetches_batch(struct store_fetches *cursor, struct store_fetch_batch *batch,
                                       struct fault *error)
{
    do {
        enum packet_result const step = cursor->next == cursor->count ? refill_or_tell(cursor, error) : PACKET_RECORD;

        if (step != PACKET_RECORD)
            return step;
        while (cursor->next < cursor->count && cursor->batch[cursor->next].tick < cursor->from_tick)
            cursor->next++;
    } while (cursor->next == cursor->count);
    *batch = (struct store_fetch_batch){
        .fetches = &cursor->batch[cursor->next], .count = cursor->count - cursor->next, .ahead = cursor->ahead,
        .shapes = cursor->shapes, .shape_count = cursor->shapes_are_new ? cursor->block.shape_count : 0};
    cursor->shapes_are_new = false;
    cursor->next = cursor->count;
    return PACKET_RECORD;
}

/* The next packet id, if the fetch has one; after the block's last fetch the stream must have ended. */
static bool read_pkt_id(struct store_fetches *cursor, const struct store_fetch_shape *shape, bool ends_block)
{
    struct store_block *const block = &cursor->block;
    uint64_t code;

    if (shape->present & PACKET_HAS_PKT_ID) {
        if (!store_number_next(&block->first, &code))
            return false;
        cursor->pkt_id += bits_unzigzag(code);
    }
    return !ends_block || (block->first.next == block->first.count && block->first.bytes == block->first.end
                           && block->second.count == 0 && block->second.bytes == block->second.end);
}

enum packet_result store_fetches_read(struct store_fetches *cursor, struct packet_record *record,
                                      struct fault *error)
{
    struct store_fetch const *fetch;

    do {
        enum packet_result const step = cursor->next == cursor->count ? refill_or_tell(cursor, error) : PACKET_RECORD;
        bool ends_block;

        if (step != PACKET_RECORD)
            return step;
        fetch = &cursor->batch[cursor->next++];
        ends_block = cursor->next == cursor->count && cursor->decoded == cursor->block.records;
        if (!read_pkt_id(cursor, fetch->shape, ends_block)) {
            *error = store_block_damaged(cursor->store, &cursor->block.index, "has packet ids that make no sense");
            cursor->error = *error;
            cursor->failed = true;
            cursor->next = cursor->count = cursor->ahead = 0;
            return PACKET_ERROR;
        }
    } while (fetch->tick < cursor->from_tick);

    struct store_fetch_shape const *const shape = fetch->shape;

    *record = (struct packet_record){
        .tick = fetch->tick, .addr = shape->addr, .pc = shape->pc, .cmd = shape->cmd,
        .pkt_id = shape->present & PACKET_HAS_PKT_ID ? cursor->pkt_id : 0, .size_bytes = shape->size_bytes,
        .flags = shape->flags, .present = shape->present};
    return PACKET_RECORD;
}
