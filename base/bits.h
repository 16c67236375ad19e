/* Little-endian words at any place, zigzag, and numbers of few bytes: the alphabet of the store's blocks; and counts of
 * bits. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint64_t bits_load64(const void *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline uint32_t bits_load32(const void *at)
{
    uint32_t word;

    memcpy(&word, at, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

static inline uint16_t bits_load16(const void *at)
{
    uint16_t word;

    memcpy(&word, at, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap16(word);
#endif
    return word;
}

static inline void bits_store16(void *at, uint16_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap16(word);
#endif
    memcpy(at, &word, sizeof word);
}

static inline void bits_store64(void *at, uint64_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(at, &word, sizeof word);
}

static inline void bits_store32(void *at, uint32_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    memcpy(at, &word, sizeof word);
}

/* Numbers of 7 bits a byte, the low ones first: at most BITS_VARINT_MAX bytes. Returns the place behind. */
enum { BITS_VARINT_MAX = 10 };
static inline uint8_t *bits_put_varint(uint8_t *at, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *at++ = (uint8_t)(number | 0x80);
    *at++ = (uint8_t)number;
    return at;
}

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

/* Zeros below the lowest one; 63 of 0. */
static inline unsigned bits_zeros_below(uint64_t number)
{
    return (unsigned)__builtin_ctzll(number | UINT64_C(1) << 63);
}

/* Bits that are 1. */
static inline unsigned bits_ones(uint64_t number)
{
    return (unsigned)__builtin_popcountll(number);
}

/* The low `bytes` (0 to 8) bytes of a word. */
static inline uint64_t bits_low_bytes(uint64_t word, unsigned bytes)
{
    return bytes == 8 ? word : word & ((UINT64_C(1) << 8 * bytes) - 1);
}

#endif
