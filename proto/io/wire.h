/* Protobuf's wire format: varints, and fields one by one (elastic-trace 1.1).
 *
 * wire_varint reads without a bound: up to 10 bytes behind `at` must be readable (STREAM_SLACK sees to that for
 * messages in a stream); the caller compares the answer with the end of its message. NULL: no varint ends within 10
 * bytes. */
#ifndef PROTO_IO_WIRE_H
#define PROTO_IO_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bits.h"

enum wire_type { WIRE_VARINT = 0, WIRE_8_BYTES = 1, WIRE_LENGTH = 2, WIRE_4_BYTES = 5 };

#define WIRE_TAG(number, type) ((number) << 3 | (type))
#define WIRE_TAG_MAX 5
#define WIRE_MESSAGE_MAX (1u << 20)    /* bytes; written messages are never longer, so all can be read */

/* A varint byte by byte; NULL if it does not end. */
static inline const uint8_t *wire_varint_bytewise(const uint8_t *at, uint64_t *value)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < BITS_VARINT_MAX; i++) {
        sum |= (uint64_t)(at[i] & 0x7f) << (7 * i);
        if (at[i] < 0x80) {
            *value = sum;
            return at + i + 1;
        }
    }
    return NULL;
}

/* The value of a varint of up to eight bytes, the first one lowest: three steps close the gaps of one bit between the
 * groups of seven. */
static inline uint64_t wire_varint_squeeze(uint64_t word)
{
    word &= UINT64_C(0x7f7f7f7f7f7f7f7f);
    word = (word & UINT64_C(0x007f007f007f007f)) | (word & UINT64_C(0x7f007f007f007f00)) >> 1;
    word = (word & UINT64_C(0x00003fff00003fff)) | (word & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (word & UINT64_C(0x000000000fffffff)) | (word & UINT64_C(0x0fffffff00000000)) >> 4;
}

/* The other way round: the bytes of a number below 2^56 as its shortest varint. */
static inline uint64_t wire_varint_spread(uint64_t value)
{
    unsigned const more = value < 0x80 ? 0 : (63 - (unsigned)__builtin_clzll(value)) / 7;
    uint64_t word = (value & UINT64_C(0x000000000fffffff)) | (value & UINT64_C(0x00fffffff0000000)) << 4;

    word = (word & UINT64_C(0x00003fff00003fff)) | (word & UINT64_C(0x0fffc0000fffc000)) << 2;
    word = (word & UINT64_C(0x007f007f007f007f)) | (word & UINT64_C(0x3f803f803f803f80)) << 1;
    return word | (UINT64_C(0x8080808080808080) & ((UINT64_C(1) << 8 * more) - 1));
}

/* Values of up to 56 bits without a loop: the eight bytes are loaded at once, and the first clear top bit ends the
 * number. Numbers of one byte, most of them, are taken first. */
static inline const uint8_t *wire_varint(const uint8_t *at, uint64_t *value)
{
    if (at[0] < 0x80) {
        *value = at[0];
        return at + 1;
    }
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t word;

    memcpy(&word, at, sizeof word);

    uint64_t const stops = ~word & UINT64_C(0x8080808080808080);

    if (stops != 0) {
        unsigned const bits = (unsigned)__builtin_ctzll(stops) + 1;

        *value = wire_varint_squeeze(word & UINT64_MAX >> (64 - bits));
        return at + bits / 8;
    }
#endif
    return wire_varint_bytewise(at, value);
}

/* A field's tag, one byte for field numbers up to 15. NULL: too long. */
static inline const uint8_t *wire_tag(const uint8_t *at, uint64_t *tag)
{
    const uint8_t *behind;

    if (at[0] < 0x80) {
        *tag = at[0];
        return at + 1;
    }
    behind = wire_varint(at, tag);
    return behind != NULL && behind - at <= WIRE_TAG_MAX ? behind : NULL;
}

struct wire_field {
    uint32_t number;
    uint8_t type;                    /* enum wire_type */
    uint64_t value;                  /* WIRE_VARINT */
    const uint8_t *bytes;            /* WIRE_LENGTH: the contents, */
    size_t length;                   /* and their size */
};

/* Reads the field at `at` of a message that ends at `end`. Answer: behind it; NULL: malformed, *problem describes the
 * defect. */
const uint8_t *wire_field(const uint8_t *at, const uint8_t *end, struct wire_field *field, const char **problem);
/* The same after its tag has been read; `at` points behind the tag. */
const uint8_t *wire_value(const uint8_t *at, const uint8_t *end, uint64_t tag, struct wire_field *field,
                          const char **problem);

#endif
