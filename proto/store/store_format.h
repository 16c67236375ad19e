/* The store's file format, version 1: chunks of proto/container/container.h. A varint is protobuf's, a word a u64, a
 * text its length as a word and its bytes.
 *
 * chunks    dependence blocks, fetch blocks, learnt data (optional), the index
 * index     dependence header: obj_id, words has_ver, ver, tick_freq, window_size; packet header: obj_id, has_ver, ver,
 *           tick_freq, number of id strings, each: flags (1 key, 2 text), key, text; for each of the two parts: path of
 *           the source, its size, mtime in s, in ns | print << 32, hash, number of warnings, the warnings, records,
 *           blocks, and for each block STORE_INDEX_WORDS: place, number of the first record, sequence number or tick of
 *           the first record; then the place of the learnt data (0: absent)
 * learnt    results of a core model on the records (proto/store/store_file.h). Words: version of the rules, hash of
 *           the hash of the index without its last word, of the rules, and of the bytes that follow; these bytes.
 *           Readers of other models ignore it, and those of other rules learn again: the file's version is unchanged
 * block     u32 each: enum store_block_word; then the columns: instructions, values (varints), shapes, shape of each
 *           record (u16), then two streams of numbers of 0 to 8 bytes, each as its lengths (a byte each) and the bytes
 *           behind them. Numbers are byte-aligned: packing them in bits would cost more to unpack than it saves.
 *
 * Dependence block. Instruction: zigzag of the pc less that of the instruction before, type | present << 2, then those
 * of size, flags, weight, asid that are present, address slot if p_addr is. Value: comp_delay. Shape, u16 each: number
 * of its instruction (| STORE_ODD_SHAPE), number of its value, head; u64 for each field that the head has no room for;
 * for each dependence, order ones first, how many records back, or 0 and u64: its distance in sequence numbers; u16
 * for each link to a child (proto/store/store.h), sorted by distance. Head: order dependences (4 bits), register
 * dependences (4 bits), seq_delta (5 bits), links (3 bits); where a field has all bits set, the number follows, in
 * this order. A shape is odd if a number follows, if there are more than STORE_PLAIN_DEPENDENCES dependences, or if
 * one of them could not be a link in any place of a block. First stream: for each record with a p_addr the zigzag of
 * its difference from the last one of the same slot (0 at first) in the block. Second stream: for each record with a
 * v_addr the zigzag of v_addr - p_addr less the same of the last one. The index holds the sequence number of the first
 * record; the others add seq_delta.
 *
 * Fetch block. No instructions. Value: ticks since the fetch before; the index holds the first fetch's tick. Shape,
 * varints: zigzag of addr, zigzag of pc, each less that of the shape before, cmd, size, present, flags, number of its
 * value. First stream: zigzag of the difference of pkt_id from the last one, for each record that has it. Second
 * stream: empty. */
#ifndef PROTO_STORE_STORE_FORMAT_H
#define PROTO_STORE_STORE_FORMAT_H

#include "base/bits.h"
#include "proto/io/wire.h"
#include "proto/store/store.h"
#include "proto/store/store_file.h"

#define STORE_MAGIC "\x89rubsto\n"
#define STORE_SLACK 16u             /* bytes behind a block that may be read ahead */
#define STORE_INDEX_WORDS 3u
#define STORE_INDEX_BYTES (8 * STORE_INDEX_WORDS)

/* For functions called with constants. */
#define STORE_INLINE static inline __attribute__((always_inline))

/* Limits of a block; the one reached first ends it. */
#define STORE_BLOCK_RECORDS 32768u
#define STORE_BLOCK_SHAPES 4096u
#define STORE_BLOCK_DEPENDENCES (UINT32_C(1) << 20)
/* Records of the first block; each has twice as many as the one before, so that a reader of a store being made gets
 * data soon. */
#define STORE_FIRST_BLOCK_RECORDS 4096u

enum store_chunk { STORE_DEP_BLOCK = 1, STORE_FETCH_BLOCK, STORE_LEARNT_DATA, STORE_META };

static const struct container_kind store_kind = {
    .magic = STORE_MAGIC, .name = "a trace store", .mend = STORE_MEND, .index = STORE_META
};

enum { STORE_LEARNT_RULES = 0, STORE_LEARNT_HASH = 8, STORE_LEARNT_BYTES = 16 };     /* byte offsets */

enum store_block_word {              /* u32 each, in this order */
    STORE_RECORDS, STORE_SHAPES, STORE_SHAPE_BYTES, STORE_INSTRUCTIONS, STORE_INSTRUCTION_BYTES, STORE_SLOTS,
    STORE_VALUES, STORE_VALUE_BYTES, STORE_FIRST_NUMBERS, STORE_FIRST_BYTES, STORE_SECOND_NUMBERS, STORE_SECOND_BYTES,
    STORE_BLOCK_WORDS
};

/* Of a shape's head. */
#define STORE_ODD_SHAPE 0x8000u
#define STORE_PLAIN_DEPENDENCES 4

enum { STORE_HEAD_COUNT_BITS = 4, STORE_HEAD_COUNT = 15, STORE_HEAD_STEP = 31, STORE_HEAD_LINKS_SHIFT = 13,
       STORE_HEAD_LINKS = 7 };

struct store_index {
    uint64_t place, bytes, first_record, first_key;      /* bytes: of the payload */
};

/* A stream of numbers of 0 to 8 bytes. */
struct store_numbers {
    const uint8_t *lengths, *bytes, *end;
    uint32_t count, next;
};

/* A block whose hash is right and whose columns lie within it. */
struct store_block {
    struct store_index index;
    const uint8_t *instructions, *instructions_end, *values, *values_end, *shapes, *shapes_end;
    const uint8_t *shape_of;         /* u16 each */
    uint32_t records, shape_count, instruction_count, slot_count, value_count;
    struct store_numbers first, second;
    double position;                 /* part of the trace, 0 to 1 */
};

const struct container *store_file_of(const struct store *store);
/* Place of the learnt data; 0: there are none, or the store is still being made. */
uint64_t store_learnt_place(const struct store *store);
/* The index, without its last word. */
struct column_bytes store_meta_of(const struct store *store);
/* Of a block that there is. */
struct store_index store_index_of(const struct store *store, enum store_part part, uint64_t number);
/* Block with this record (by_key false), or the last one that begins before a key; 0 if no block does. */
uint64_t store_find_block(const struct store *store, enum store_part part, bool by_key, uint64_t wanted);

enum store_step { STORE_BLOCK, STORE_NO_BLOCK, STORE_BLOCK_BAD };

/* Blocks of a store that is still being made must be opened one after the other; each waits until it is there. */
enum store_step store_block_open(const struct store *store, enum store_part part, uint64_t number,
                                 struct store_block *block, struct fault *error);
/* The block was read: at times takes blocks up to here out of the process's resident memory, so that this stays
 * small. They come back when they are read. */
void store_forget(const struct store *store, const struct store_index *index);
/* The fault of a block whose contents make no sense. */
struct fault store_block_damaged(const struct store *store, const struct store_index *index, const char *what);

/* The block's values, into an array of at least value_count. */
bool store_block_values(const struct store_block *block, uint64_t *values);

/* Offsets of the shapes of `count` records, from number `first` on: their numbers times `units`, a constant. False: a
 * number is not below the count of shapes. */
STORE_INLINE bool store_shape_places(uint16_t *places, const struct store_block *block, uint32_t first, uint32_t count,
                                     uint16_t units)
{
    const uint8_t *const column = block->shape_of + 2 * (size_t)first;
    uint16_t all = 0;
    int16_t largest = 0;             /* signed: that comparison is cheap */

    for (uint32_t i = 0; i < count; i++) {
        uint16_t const number = bits_load16(column + 2 * i);

        all |= number;
        largest = (int16_t)number > largest ? (int16_t)number : largest;
        places[i] = (uint16_t)(number * units);
    }
    return all <= INT16_MAX && (uint32_t)largest < block->shape_count;
}

/* Next number of a stream; false at its end. STORE_SLACK bytes behind a block are readable. */
static inline bool store_number_next(struct store_numbers *numbers, uint64_t *number)
{
    unsigned bytes;

    if (numbers->next == numbers->count)
        return false;
    bytes = numbers->lengths[numbers->next];
    if (bytes > 8 || (size_t)(numbers->end - numbers->bytes) < bytes)
        return false;
    *number = bits_low_bytes(bits_load64(numbers->bytes), bytes);
    numbers->bytes += bytes;
    numbers->next++;
    return true;
}

/* One of three bytes or more, or whose bytes may end before it does: then `behind` is NULL and `value` 0. Returned by
 * value, so that the caller's state may stay in registers. */
struct store_long_varint {
    const uint8_t *behind;
    uint64_t value;
};

struct store_long_varint store_long_varint(const uint8_t *at, const uint8_t *end);

/* Varints up to an end; `failed` once one was missing or did not end. */
static inline bool store_varints_have(const struct column_bytes *from, uint64_t count)
{
    return (uint64_t)(from->end - from->at) >= count * BITS_VARINT_MAX;
}

/* `is_safe`, a constant where this is called: store_varints_have returned true, so reading cannot run past the end. */
STORE_INLINE uint64_t store_varint(struct column_bytes *from, bool is_safe)
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
        from->failed = true;
    else
        from->at = number.behind;
    return number.value;
}

#endif
