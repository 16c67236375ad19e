/* A block of a store while it is being gathered, whatever its records are: shape numbers, the texts of instructions and
 * shapes, values, streams of numbers (proto/store/format.h).
 *
 * Use: store_columns_new; for each record store_columns_record, store_columns_number for each number of a stream; a
 * new shape is counted in `shapes` and its numbers are put into shape_text, likewise an instruction;
 * store_columns_finish, due once store_columns_are_full, returns the block's bytes and begins the next one. Out of
 * memory is remembered and reported by store_columns_finish.
 * Ownership: everything is the columns'; the block's bytes live until the next store_columns_finish. */
#ifndef PROTO_STORE_COLUMNS_H
#define PROTO_STORE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "proto/store/format.h"

struct store_number_column {
    uint8_t lengths[STORE_BLOCK_RECORDS];
    uint8_t bytes[STORE_BLOCK_RECORDS * 8 + 8];
    uint32_t count, used;
};

/* Bytes that grow. */
struct store_text {
    uint8_t *bytes;
    size_t used, room;
};

struct store_columns {
    uint32_t records, shapes, instructions, slots, values;
    uint32_t limit;                  /* of records, in this block */
    uint8_t shape_of[2 * STORE_BLOCK_RECORDS];       /* as stored in the block */
    uint64_t value_list[STORE_BLOCK_SHAPES];
    uint16_t value_place[STORE_BLOCK_SHAPES];        /* in the table, for clearing it */
    uint16_t value_table[4 * STORE_BLOCK_SHAPES];    /* number + 1 of a value, by its hash */
    struct store_number_column first, second;
    struct store_text shape_text, instruction_text;
    uint8_t *block;
    size_t block_used, block_room;
    bool failed;                     /* out of memory */
};

/* Zeroed memory whose pages are private at once: else the first read of a page would map the shared zero page, and the
 * first write would replace it, which interrupts the other threads' processors (TLB shootdown). NULL: out of memory. */
void *store_columns_memory(size_t bytes);

/* NULL: out of memory. */
struct store_columns *store_columns_new(void);
void store_columns_free(struct store_columns *columns);

/* Appends a varint. */
void store_columns_put(struct store_columns *columns, struct store_text *text, uint64_t number);
/* The end of the text, with room for `bytes` bytes; the caller adds the number written to text->used. NULL: out of
 * memory. */
uint8_t *store_columns_room(struct store_columns *columns, struct store_text *text, size_t bytes);
/* Number of a value, which is added if it is new. For each shape once. */
uint16_t store_columns_value(struct store_columns *columns, uint64_t value);
/* The block's bytes: block, block_used. False: out of memory. */
bool store_columns_finish(struct store_columns *columns);

static inline bool store_columns_are_full(const struct store_columns *columns)
{
    return columns->records == columns->limit || columns->shapes == STORE_BLOCK_SHAPES;
}

static inline void store_columns_record(struct store_columns *columns, uint16_t shape)
{
    bits_store16(columns->shape_of + 2 * (size_t)columns->records++, shape);
}

static inline void store_columns_number(struct store_number_column *column, uint64_t number)
{
    unsigned const bytes = bits_bytes_of(number);

    column->lengths[column->count++] = (uint8_t)bytes;
    bits_store64(column->bytes + column->used, number);
    column->used += bytes;
}

#endif
