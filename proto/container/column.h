/* Columns: bytes that are gathered, packed by zstd where that saves any, and read again without leaving them.
 *
 * Writing: begin with {0}; column_put_*; `failed` is set without memory. Packing: columns_pack appends to a payload,
 * of each column its length and its length there (0: not packed, as it is), then the bytes of all.
 * Reading: columns_unpack, then column_take_*; past the end these give 0 and set `failed`. Numbers are of 7 bits a
 * byte, the low ones first. */
#ifndef PROTO_CONTAINER_COLUMN_H
#define PROTO_CONTAINER_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bits.h"

struct column {
    uint8_t *at;
    size_t length, room;
    bool failed;
    bool is_scattered;                   /* quick packers spend little time on it (column_packer_make) */
};

bool column_grow(struct column *column, size_t count);
void column_free(struct column *column);

/* Room for `count` more bytes. */
static inline bool column_fit(struct column *column, size_t count)
{
    return column->room - column->length >= count || column_grow(column, count);
}

static inline void column_put_byte(struct column *column, unsigned byte)
{
    if (column->length == column->room && !column_grow(column, 1))
        return;
    column->at[column->length++] = (uint8_t)byte;
}

static inline void column_put_number(struct column *column, uint64_t number)
{
    if (column->room - column->length >= BITS_VARINT_MAX || column_grow(column, BITS_VARINT_MAX))
        column->length = (size_t)(bits_put_varint(column->at + column->length, number) - column->at);
}

static inline void column_put_bytes(struct column *column, const void *bytes, size_t count)
{
    if (column->room - column->length < count && !column_grow(column, count))
        return;
    if (count > 0)
        memcpy(column->at + column->length, bytes, count);
    column->length += count;
}

static inline void column_put_word(struct column *column, uint64_t word)
{
    uint8_t bytes[8];

    bits_store64(bytes, word);
    column_put_bytes(column, bytes, sizeof bytes);
}

struct column_packer;
/* is_quick: faster, at the cost of size; of scattered columns that packed to more than a quarter last time, only
 * repetitions are packed. NULL: out of memory. */
struct column_packer *column_packer_make(bool is_quick);
void column_packer_free(struct column_packer *packer);
/* False: out of memory. */
bool columns_pack(struct column_packer *packer, const struct column *columns, size_t count,
                      struct column *payload);

struct column_bytes {
    const uint8_t *at, *end;
    bool failed;
};

static inline unsigned column_take_byte(struct column_bytes *bytes)
{
    if (bytes->at == bytes->end) {
        bytes->failed = true;
        return 0;
    }
    return *bytes->at++;
}

static inline uint64_t column_take_number(struct column_bytes *bytes)
{
    uint64_t number = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        unsigned const byte = column_take_byte(bytes);

        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
    }
    bytes->failed = true;
    return 0;
}

/* NULL: fewer than `count` bytes remain. */
static inline const uint8_t *column_take_bytes(struct column_bytes *bytes, size_t count)
{
    const uint8_t *const at = bytes->at;

    if ((size_t)(bytes->end - bytes->at) < count) {
        bytes->failed = true;
        return NULL;
    }
    bytes->at += count;
    return at;
}

static inline uint64_t column_take_word(struct column_bytes *bytes)
{
    const uint8_t *const at = column_take_bytes(bytes, 8);

    return at ? bits_load64(at) : 0;
}

/* Buffer for unpacked columns; initialise with {0}, reuse, free `room` and the context with columns_unpacked_free. */
struct columns_unpacked {
    uint8_t *room;
    size_t room_bytes;
    void *context;
};

/* False: they are damaged (*column: which), or memory is out (*column: count). Columns of more than `most` bytes are
 * damaged. Those that are not packed stay in `payload`. */
bool columns_unpack(struct columns_unpacked *unpacked, struct column_bytes *payload, size_t most, size_t count,
                        struct column_bytes *columns, size_t *column);
void columns_unpacked_free(struct columns_unpacked *unpacked);

#endif
