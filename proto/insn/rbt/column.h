/* Columns: bytes that are gathered, packed by zstd where that saves any, and read again without leaving them.
 *
 * Writing: begin with {0}; rbt_put_*; `failed` is set without memory. Packing: rbt_pack_columns appends to a payload,
 * of each column its length and its length there (0: not packed, as it is), then the bytes of all.
 * Reading: rbt_unpack_columns, then rbt_take_*; past the end these give 0 and set `failed`. Numbers are of 7 bits a
 * byte, the low ones first. */
#ifndef PROTO_INSN_RBT_COLUMN_H
#define PROTO_INSN_RBT_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct rbt_column {
    uint8_t *at;
    size_t length, room;
    bool failed;
    bool is_scattered;                   /* quick packers spend little time on it (rbt_packer_make) */
};

bool rbt_column_grow(struct rbt_column *column, size_t count);
void rbt_column_free(struct rbt_column *column);

/* Room for `count` more bytes. */
static inline bool rbt_column_fit(struct rbt_column *column, size_t count)
{
    return column->room - column->length >= count || rbt_column_grow(column, count);
}

static inline void rbt_put_byte(struct rbt_column *column, unsigned byte)
{
    if (column->length == column->room && !rbt_column_grow(column, 1))
        return;
    column->at[column->length++] = (uint8_t)byte;
}

static inline void rbt_put_number(struct rbt_column *column, uint64_t number)
{
    if (column->room - column->length < 10 && !rbt_column_grow(column, 10))
        return;
    for (; number >= 0x80; number >>= 7)
        column->at[column->length++] = (uint8_t)(number | 0x80);
    column->at[column->length++] = (uint8_t)number;
}

static inline void rbt_put_bytes(struct rbt_column *column, const void *bytes, size_t count)
{
    if (column->room - column->length < count && !rbt_column_grow(column, count))
        return;
    if (count > 0)
        memcpy(column->at + column->length, bytes, count);
    column->length += count;
}

struct rbt_packer;
/* is_quick: faster, at the cost of size; of scattered columns that packed to more than a quarter last time, only
 * repetitions are packed. NULL: out of memory. */
struct rbt_packer *rbt_packer_make(bool is_quick);
void rbt_packer_free(struct rbt_packer *packer);
/* False: out of memory. */
bool rbt_pack_columns(struct rbt_packer *packer, const struct rbt_column *columns, size_t count,
                      struct rbt_column *payload);

struct rbt_bytes {
    const uint8_t *at, *end;
    bool failed;
};

static inline unsigned rbt_take_byte(struct rbt_bytes *bytes)
{
    if (bytes->at == bytes->end) {
        bytes->failed = true;
        return 0;
    }
    return *bytes->at++;
}

static inline uint64_t rbt_take_number(struct rbt_bytes *bytes)
{
    uint64_t number = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        unsigned const byte = rbt_take_byte(bytes);

        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
    }
    bytes->failed = true;
    return 0;
}

/* NULL: fewer than `count` bytes remain. */
static inline const uint8_t *rbt_take_bytes(struct rbt_bytes *bytes, size_t count)
{
    const uint8_t *const at = bytes->at;

    if ((size_t)(bytes->end - bytes->at) < count) {
        bytes->failed = true;
        return NULL;
    }
    bytes->at += count;
    return at;
}

/* Buffer for unpacked columns; initialise with {0}, reuse, free `room` and the context with rbt_unpacked_free. */
struct rbt_unpacked {
    uint8_t *room;
    size_t room_bytes;
    void *context;
};

/* False: they are damaged (*column: which), or memory is out (*column: count). Columns of more than `most` bytes are
 * damaged. Those that are not packed stay in `payload`. */
bool rbt_unpack_columns(struct rbt_unpacked *unpacked, struct rbt_bytes *payload, size_t most, size_t count,
                        struct rbt_bytes *columns, size_t *column);
void rbt_unpacked_free(struct rbt_unpacked *unpacked);

#endif
