/* Fast decoding of short messages with fields in ascending order, as gem5 writes them. The ends of all numbers are
 * found at once, and a length is a count of zeros, so that few branches depend on the data.
 *
 * Use: usual_begin with a message of at most USUAL_BYTES bytes, of which USUAL_READ bytes can be read; then test with
 * usual_is_at for the next possible tag and read its number with usual_number; at the end usual_is_whole returns
 * whether the message was well-formed. If not, discard the numbers and use the general parser. */
#ifndef PROTO_IO_USUAL_H
#define PROTO_IO_USUAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "proto/io/wire.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define USUAL_INLINE static inline __attribute__((always_inline))

enum { USUAL_BYTES = 47, USUAL_READ = 80 };

struct usual {
    const uint8_t *message;
    uint64_t ends;                   /* usual_ends */
    unsigned at, length;
};

enum usual_width { USUAL_NARROW, USUAL_WIDE, USUAL_TOO_WIDE };

/* Bit i: a number ends with byte i; all bits from the message's end on. */
USUAL_INLINE uint64_t usual_ends(const uint8_t *message, unsigned length)
{
    uint64_t ends = 0;

#if defined(__SSE2__)
    for (int i = 0; i < 3; i++) {
        __m128i const bytes = _mm_loadu_si128((const __m128i *)(const void *)(message + 16 * i));

        ends |= (uint64_t)(uint16_t)~_mm_movemask_epi8(bytes) << 16 * i;
    }
#else
    for (int i = 0; i < 48; i++)
        ends |= (uint64_t)(message[i] < 0x80) << i;
#endif
    return ends | UINT64_MAX << length;
}

/* Numbers of at most 4 bytes (narrow) or 8 (wide); else it is not usual. */
USUAL_INLINE enum usual_width usual_begin(struct usual *usual, const uint8_t *message, unsigned length)
{
    uint64_t const ends = usual_ends(message, length);
    uint64_t runs;

    *usual = (struct usual){.message = message, .ends = ends, .length = length};
    runs = ~ends & ~ends >> 1;       /* two bytes that end nothing, */
    runs &= runs >> 1;               /* three, */
    if ((runs & runs >> 1) == 0)     /* four */
        return USUAL_NARROW;
    runs &= runs >> 2;               /* five, */
    return (runs & runs >> 3) == 0 ? USUAL_WIDE : USUAL_TOO_WIDE;      /* eight */
}

USUAL_INLINE bool usual_is_at(const struct usual *usual, unsigned number)
{
    return usual->message[usual->at] == WIRE_TAG(number, WIRE_VARINT);
}

/* In a loop over a list: is there more of the message? Single fields need not ask. */
USUAL_INLINE bool usual_is_in(const struct usual *usual)
{
    return usual->at < usual->length;
}

/* The number behind the current tag. A number that the message's end cuts off leaves `at` behind that end. `width` is
 * a constant where this is called. */
USUAL_INLINE uint64_t usual_number(struct usual *usual, enum usual_width width)
{
    static const uint32_t narrow[] = {0x7f, 0x7f7f, 0x7f7f7f, 0x7f7f7f7f};
    unsigned const begin = usual->at + 1, more = (unsigned)__builtin_ctzll(usual->ends >> begin);
    const uint8_t *const at = usual->message + begin;

    usual->at = begin + more + 1;
    if (width == USUAL_NARROW) {
        uint32_t const groups = bits_load32(at) & narrow[more];
        uint32_t const pairs = groups - ((groups & 0x7f007f00) >> 1);

        return pairs - (pairs >> 16) * (0x10000 - 0x4000);
    }
    return wire_varint_squeeze(bits_load64(at) & UINT64_MAX >> (56 - 8 * more));
}

USUAL_INLINE bool usual_is_whole(const struct usual *usual)
{
    return usual->at == usual->length;
}

#endif
