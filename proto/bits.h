/* Little-endian words at any place, columns of equally wide numbers, and zigzag: the alphabet of the store's blocks.
 *
 * Whoever reads a number reads 8 bytes from the byte in which it begins, or in which one of the four before it does;
 * the caller sees to it that they are readable. */
#ifndef PROTO_BITS_H
#define PROTO_BITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BITS_WIDTH_MAX 32u           /* of a number in a column */

static inline uint64_t bits_load64(const uint8_t *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline uint32_t bits_load32(const uint8_t *at)
{
    uint32_t word;

    memcpy(&word, at, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

static inline void bits_store64(uint8_t *at, uint64_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(at, &word, sizeof word);
}

static inline void bits_store32(uint8_t *at, uint32_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    memcpy(at, &word, sizeof word);
}

/* Bits that tell `count` numbers apart; 0 for one number. */
static inline unsigned bits_width(uint64_t count)
{
    return count <= 1 ? 0 : 64u - (unsigned)__builtin_clzll(count - 1);
}

/* Bytes of a column. */
static inline uint64_t bits_column_bytes(uint64_t count, unsigned width)
{
    return (count * width + 7) / 8;
}

/* Number `index` of a column. */
static inline uint32_t bits_at(const uint8_t *column, size_t index, unsigned width)
{
    size_t const bit = index * width;

    return (uint32_t)(bits_load64(column + bit / 8) >> bit % 8 & ((UINT64_C(1) << width) - 1));
}

/* `count` numbers of a column, at most 15 bits wide, from one that begins a byte on. Answer: the largest of them. */
uint16_t bits_unpack(uint16_t *numbers, const uint8_t *column, size_t count, unsigned width);

static inline uint64_t bits_zigzag(uint64_t difference)
{
    return difference << 1 ^ (UINT64_C(0) - (difference >> 63));
}

static inline uint64_t bits_unzigzag(uint64_t code)
{
    return code >> 1 ^ (UINT64_C(0) - (code & 1));
}

/* Bytes that hold a number, 0 for 0. */
static inline unsigned bits_bytes_of(uint64_t number)
{
    return number == 0 ? 0 : (71u - (unsigned)__builtin_clzll(number)) / 8;
}

/* The low `bytes` (0 to 8) bytes of a word. */
static inline uint64_t bits_low_bytes(uint64_t word, unsigned bytes)
{
    return bytes == 8 ? word : word & ((UINT64_C(1) << 8 * bytes) - 1);
}

#endif
