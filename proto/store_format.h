/* The store's file format, version 1, and how its parts are reached. Numbers are little-endian; a varint is protobuf's.
 *
 * file      head, dependence blocks, fetch blocks, meta, STORE_SLACK zero bytes (so that a reader may look ahead)
 * head      magic (8 bytes), u32 version, u32 0, u64 each: bytes of the file, place and length of meta, hash of meta,
 *           0, hash of the head up to here
 * meta      dependence header: obj_id, u64 has_ver, ver, tick_freq, window_size; packet header: obj_id, has_ver, ver,
 *           tick_freq, number of id strings, each: flags (1 key, 2 text), key, text; for each of the two parts: path of
 *           the source, its size, mtime in s and ns, hash, number of warnings, the warnings, records, blocks, then the
 *           index: for each block STORE_INDEX_WORDS u64. A text is u64 length, bytes, without a zero at the end.
 * index     place, bytes, hash, number of the first record, sequence number or tick of the first record
 * block     u32 each: enum store_block_word; then the columns, each beginning at a whole byte:
 *           shapes (varints), values (varints), shape of each record, value of each record (columns of bits, as wide as
 *           the counts need), then two streams of numbers of 0 to 8 bytes, each as a column of 4-bit lengths and the
 *           bytes behind it.
 *
 * Dependence block. Shape: zigzag of the pc less that of the shape before, type | present << 2, then those of size,
 * flags, weight, asid that are present, address slot if p_addr is, seq_delta, order dependences, register dependences,
 * and for each dependence its distance in sequence numbers and 0 or 1 + how much less it is in records. Value:
 * comp_delay. First stream: for each record with a p_addr the zigzag of its difference from the last one of the same
 * slot (0 at first) in the block. Second stream: for each record with a v_addr the zigzag of v_addr - p_addr less the
 * same of the last one. The sequence number of the first record stands in the index; the others add seq_delta.
 *
 * Fetch block. Shape: zigzag of addr, zigzag of pc, each less that of the shape before, cmd, size, present, flags.
 * Value: ticks since the fetch before; the first fetch's tick stands in the index. First stream: zigzag of the
 * difference of pkt_id from the last one, for each record that has it. Second stream: empty. */
#ifndef PROTO_STORE_FORMAT_H
#define PROTO_STORE_FORMAT_H

#include "proto/bits.h"
#include "proto/store.h"
#include "proto/wire.h"

#define STORE_MAGIC "\x89rubsto\n"
#define STORE_MAGIC_BYTES 8
#define STORE_VERSION 1u
#define STORE_HEAD_BYTES 64u
#define STORE_SLACK 16u
#define STORE_INDEX_WORDS 5u

/* For what is called with constants. */
#define STORE_INLINE static inline __attribute__((always_inline))

/* Records a block, at most; one with very long lists ends earlier. */
#define STORE_BLOCK_RECORDS 8192u
#define STORE_BLOCK_DEPENDENCES (UINT32_C(1) << 20)

enum store_head_word {               /* byte offsets */
    STORE_HEAD_VERSION = 8, STORE_HEAD_FILE_BYTES = 16, STORE_HEAD_META = 24, STORE_HEAD_META_BYTES = 32,
    STORE_HEAD_META_HASH = 40, STORE_HEAD_HASH = 56
};

enum store_block_word {              /* u32 each, in this order */
    STORE_RECORDS, STORE_SHAPES, STORE_SHAPE_BYTES, STORE_SLOTS, STORE_VALUES, STORE_VALUE_BYTES, STORE_FIRST_NUMBERS,
    STORE_FIRST_BYTES, STORE_SECOND_NUMBERS, STORE_SECOND_BYTES, STORE_BLOCK_WORDS
};

struct store_index {
    uint64_t place, bytes, hash, first_record, first_key;
};

/* A stream of numbers of 0 to 8 bytes. */
struct store_numbers {
    const uint8_t *lengths, *bytes, *end;
    uint32_t count, next;
};

/* A block whose hash is right and whose columns lie within it. */
struct store_block {
    const struct store_index *index;
    const uint8_t *shapes, *shapes_end, *values, *values_end, *shape_of, *value_of;
    uint32_t records, shape_count, slot_count, value_count;
    unsigned shape_width, value_width;
    struct store_numbers first, second;
    double position;                 /* part of the trace, 0 to 1 */
};

const char *store_name(const struct store *store);
const struct store_index *store_index_of(const struct store *store, enum store_part part);
/* Block that holds a record (by_key false) or the last one that begins before a key; 0 if there is none. */
uint64_t store_find_block(const struct store *store, enum store_part part, bool by_key, uint64_t wanted);

enum store_step { STORE_BLOCK, STORE_NO_BLOCK, STORE_BLOCK_BAD };

/* Blocks of a store that is still being made must be opened one after the other; each waits until it is there. */
enum store_step store_block_open(const struct store *store, enum store_part part, uint64_t number,
                                 struct store_block *block, struct proto_error *error);
/* The block was read: at times takes blocks up to here out of the process's resident memory, so that this stays small.
 * They come back when they are read. */
void store_forget(const struct store *store, const struct store_index *index);
/* One line for a block whose contents make no sense. Returns false. */
bool store_block_damaged(const struct store *store, const struct store_index *index, const char *what,
                         struct proto_error *error);

/* The block's values, into an array of at least value_count. */
bool store_block_values(const struct store_block *block, uint64_t *values);

/* Next number of a stream; false if there is none. STORE_SLACK bytes behind a block are readable. */
static inline bool store_number_next(struct store_numbers *numbers, uint64_t *number)
{
    unsigned const bytes = numbers->lengths[numbers->next / 2] >> numbers->next % 2 * 4 & 15;

    if (numbers->next == numbers->count || bytes > 8 || (size_t)(numbers->end - numbers->bytes) < bytes)
        return false;
    *number = bits_low_bytes(bits_load64(numbers->bytes), bytes);
    numbers->bytes += bytes;
    numbers->next++;
    return true;
}

/* Varints up to an end; `bad` once one was missing or did not end. */
struct store_varints {
    const uint8_t *at, *end;
    bool bad;
};

/* One of three bytes or more, or whose bytes may end before it does: then `behind` is NULL and `value` 0. Returned by
 * value, so that the caller's state may stay in registers. */
struct store_long_varint {
    const uint8_t *behind;
    uint64_t value;
};

struct store_long_varint store_long_varint(const uint8_t *at, const uint8_t *end);

static inline bool store_varints_have(const struct store_varints *from, uint64_t count)
{
    return (uint64_t)(from->end - from->at) >= count * WIRE_VARINT_MAX;
}

/* `is_safe`, a constant where this is called: store_varints_have said that there are as many, whatever they are. */
STORE_INLINE uint64_t store_varint(struct store_varints *from, bool is_safe)
{
    struct store_long_varint number;

    if (is_safe || from->end - from->at >= 2) {
        uint32_t const first = from->at[0];

        if (first < 0x80) {
            from->at++;
            return first;
        }
        if (from->at[1] < 0x80) {
            from->at += 2;
            return (first & 0x7f) | (uint32_t)from->at[-1] << 7;
        }
    }
    number = store_long_varint(from->at, from->end);
    if (number.behind == NULL)
        from->bad = true;
    else
        from->at = number.behind;
    return number.value;
}

#endif
