/* Eight numbers of a column end a byte again; they are taken at once, as two words of four. */
#include "proto/bits.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static inline uint16_t larger(uint16_t a, uint16_t b)
{
    return a > b ? a : b;
}

#if defined(__SSE2__)
static uint16_t largest_of(__m128i eight)
{
    uint16_t numbers[8], largest = 0;

    _mm_storeu_si128((__m128i *)(void *)numbers, eight);
    for (int i = 0; i < 8; i++)
        largest = larger(largest, numbers[i]);
    return largest;
}

/* In each word two numbers go 32 bits up, then one of each two 16 bits up. */
static uint16_t unpack_eights(uint16_t *numbers, const uint8_t *column, size_t count, unsigned width)
{
    uint64_t const one = (UINT64_C(1) << width) - 1, two = (UINT64_C(1) << 2 * width) - 1;
    __m128i const low_two = _mm_set1_epi64x((int64_t)two), high_two = _mm_slli_epi64(low_two, 32);
    __m128i const low_one = _mm_set1_epi64x((int64_t)(one | one << 32)), high_one = _mm_slli_epi64(low_one, 16);
    __m128i const two_up = _mm_cvtsi32_si128((int)(32 - 2 * width)), one_up = _mm_cvtsi32_si128((int)(16 - width));
    __m128i const half_bits = _mm_cvtsi32_si128((int)(width % 2 * 4));
    __m128i largest = _mm_setzero_si128();

    for (size_t i = 0; i < count; i += 8, column += width) {
        __m128i const low = _mm_loadl_epi64((const __m128i *)(const void *)column);
        __m128i const high = _mm_loadl_epi64((const __m128i *)(const void *)(column + width / 2));
        __m128i eight = _mm_unpacklo_epi64(low, _mm_srl_epi64(high, half_bits));

        eight = _mm_or_si128(_mm_and_si128(eight, low_two), _mm_and_si128(_mm_sll_epi64(eight, two_up), high_two));
        eight = _mm_or_si128(_mm_and_si128(eight, low_one), _mm_and_si128(_mm_sll_epi64(eight, one_up), high_one));
        _mm_storeu_si128((__m128i *)(void *)(numbers + i), eight);
        largest = _mm_max_epi16(largest, eight);     /* signed: hence no more than 15 bits */
    }
    return largest_of(largest);
}
#else
static uint16_t unpack_eights(uint16_t *numbers, const uint8_t *column, size_t count, unsigned width)
{
    uint16_t const mask = (uint16_t)((1u << width) - 1);
    uint16_t largest = 0;

    for (size_t i = 0; i < count; i += 8, column += width) {
        uint64_t low = bits_load64(column), high = bits_load64(column + width / 2) >> width % 2 * 4;

        for (unsigned k = 0; k < 4; k++, low >>= width, high >>= width) {
            numbers[i + k] = (uint16_t)low & mask;
            numbers[i + 4 + k] = (uint16_t)high & mask;
            largest = larger(largest, larger(numbers[i + k], numbers[i + 4 + k]));
        }
    }
    return largest;
}
#endif

uint16_t bits_unpack(uint16_t *numbers, const uint8_t *column, size_t count, unsigned width)
{
    size_t const eights = count / 8 * 8;
    uint16_t largest = unpack_eights(numbers, column, eights, width);

    for (size_t i = eights; i < count; i++) {
        numbers[i] = (uint16_t)bits_at(column, i, width);
        largest = larger(largest, numbers[i]);
    }
    return largest;
}
