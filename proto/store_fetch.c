/* Cursor over the store's fetches. Code repeats, so address, pc and constants of a fetch together are its shape; a
 * record is a shape and the ticks since the one before. Checked as in proto/store_dep.c. */
#include <stdlib.h>

#include "proto/store_format.h"

struct store_fetches {
    const struct store *store;
    uint64_t block_number;
    struct store_block block;
    bool block_is_open;
    uint32_t decoded;                /* of the block */
    uint64_t tick, pkt_id;           /* of the fetch before */
    uint64_t from_tick;              /* earlier ones are passed over */
    struct packet_record *shapes;    /* without tick and pkt_id; STORE_BLOCK_RECORDS */
    uint64_t *values;                /* STORE_BLOCK_RECORDS */
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

static bool read_shapes(struct store_fetches *cursor)
{
    struct store_block const *const block = &cursor->block;
    struct store_varints from = {.at = block->shapes, .end = block->shapes_end};
    uint64_t addr = 0, pc = 0;

    for (uint32_t i = 0; i < block->shape_count; i++) {
        struct packet_record *const shape = &cursor->shapes[i];

        *shape = (struct packet_record){0};
        shape->addr = addr += bits_unzigzag(store_varint(&from));
        shape->pc = pc += bits_unzigzag(store_varint(&from));
        shape->cmd = (uint32_t)store_varint(&from);
        shape->size_bytes = (uint32_t)store_varint(&from);
        shape->present = (uint32_t)store_varint(&from);
        shape->flags = (uint32_t)store_varint(&from);
    }
    return !from.bad && from.at == from.end;
}

static enum store_step open_block(struct store_fetches *cursor, struct proto_error *error)
{
    struct store_block *const block = &cursor->block;
    enum store_step const step = store_block_open(cursor->store, STORE_FETCH, cursor->block_number, block, error);

    if (step != STORE_BLOCK)
        return step;
    cursor->block_is_open = true;
    cursor->decoded = 0;
    cursor->pkt_id = 0;
    if (!read_shapes(cursor) || !store_block_values(block, cursor->values))
        store_block_damaged(cursor->store, block->index, "has shapes or values that make no sense", error);
    else if (cursor->tick > block->index->first_key)
        store_block_damaged(cursor->store, block->index, "does not continue the one before", error);
    else
        return STORE_BLOCK;
    return STORE_BLOCK_BAD;
}

static bool decode(struct store_fetches *cursor, struct packet_record *record)
{
    struct store_block *const block = &cursor->block;
    uint32_t const number = cursor->decoded;
    uint32_t const shape = bits_at(block->shape_of, number, block->shape_width);
    uint32_t const value = bits_at(block->value_of, number, block->value_width);
    uint64_t code;

    if (shape >= block->shape_count || value >= block->value_count)
        return false;
    *record = cursor->shapes[shape];
    record->tick = number == 0 ? block->index->first_key : cursor->tick + cursor->values[value];
    if (record->tick < cursor->tick)
        return false;
    if (record->present & PACKET_HAS_PKT_ID) {
        if (!store_number_next(&block->first, &code))
            return false;
        record->pkt_id = cursor->pkt_id += bits_unzigzag(code);
    }
    cursor->tick = record->tick;
    cursor->decoded++;
    return cursor->decoded < block->records
        || (block->first.next == block->first.count && block->first.bytes == block->first.end
            && block->second.count == 0 && block->second.bytes == block->second.end);
}

enum packet_result store_fetches_read(struct store_fetches *cursor, struct packet_record *record,
                                      struct proto_error *error)
{
    do {
        if (cursor->block_is_open && cursor->decoded == cursor->block.records) {
            store_forget(cursor->store, cursor->block.index);
            cursor->block_is_open = false;
            cursor->block_number++;
        }
        if (!cursor->block_is_open)
            switch (open_block(cursor, error)) {
            case STORE_BLOCK: break;
            case STORE_NO_BLOCK: return PACKET_END;
            case STORE_BLOCK_BAD: return PACKET_ERROR;
            }
        if (!decode(cursor, record)) {
            store_block_damaged(cursor->store, cursor->block.index, "has fetches that make no sense", error);
            return PACKET_ERROR;
        }
    } while (record->tick < cursor->from_tick);
    return PACKET_RECORD;
}
