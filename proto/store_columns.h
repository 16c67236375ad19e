/* A block of a store while it is being gathered, whatever its records are: shape and value numbers, the texts of
 * shapes, streams of numbers (proto/store_format.h).
 *
 * Use: store_columns_new; for each record store_columns_record, store_columns_number for each
 * number of a stream; a new shape's varints go to store_columns_shape; store_columns_finish gives the block's bytes and
 * begins the next one. Out of memory is remembered and told by store_columns_finish.
 * Ownership: everything is the columns'; the block's bytes live until the next store_columns_finish. */
#ifndef PROTO_STORE_COLUMNS_H
#define PROTO_STORE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/bits.h"
#include "proto/store_format.h"

struct store_number_column {
    uint8_t lengths[STORE_BLOCK_RECORDS + 1];
    uint8_t bytes[STORE_BLOCK_RECORDS * 8 + 8];
    uint32_t count, used;
};

struct store_columns {
    uint32_t records, shapes, slots, values;
    uint16_t shape_of[STORE_BLOCK_RECORDS], value_of[STORE_BLOCK_RECORDS];
    uint64_t value_list[STORE_BLOCK_RECORDS];
    uint16_t value_place[STORE_BLOCK_RECORDS];       /* in the table, for clearing it */
    uint16_t value_table[4 * STORE_BLOCK_RECORDS];   /* number + 1 of a value, by its hash */
    struct store_number_column first, second;
    uint8_t *shape_bytes, *block;
    size_t shape_used, shape_room, block_used, block_room;
    bool failed;                     /* out of memory */
};

/* NULL: out of memory. */
struct store_columns *store_columns_new(void);
void store_columns_free(struct store_columns *columns);

/* Appends a varint to the shapes' text. */
void store_columns_shape(struct store_columns *columns, uint64_t number);
/* Adds it if it is new. */
uint16_t store_columns_find_value(struct store_columns *columns, uint64_t value);
/* The block's bytes: block, block_used. False: out of memory. */
bool store_columns_finish(struct store_columns *columns);

/* `guess` is the number of a value of the block that this one may well be, or any number. Answer: its number. */
static inline uint16_t store_columns_record(struct store_columns *columns, uint16_t shape, uint64_t value,
                                            uint16_t guess)
{
    uint16_t const number = guess < columns->values && columns->value_list[guess] == value
        ? guess : store_columns_find_value(columns, value);

    columns->shape_of[columns->records] = shape;
    columns->value_of[columns->records] = number;
    columns->records++;
    return number;
}

static inline void store_columns_number(struct store_number_column *column, uint64_t number)
{
    unsigned const bytes = bits_bytes_of(number);

    column->lengths[column->count++] = (uint8_t)bytes;
    bits_store64(column->bytes + column->used, number);
    column->used += bytes;
}

#endif
