/* Where a word stands in a short array: the ways of a set. */
#ifndef MEMSYS_WORD_SEARCH_H
#define MEMSYS_WORD_SEARCH_H

#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Index of the first word that equals `wanted`; `count` if none does. */
static inline uint32_t word_search(const uint32_t *words, uint32_t count, uint32_t wanted)
{
    uint32_t i = 0;

#if defined(__SSE2__)
    for (; i + 8 <= count; i += 8) {
        __m128i const pattern = _mm_set1_epi32((int)wanted);
        __m128i const low = _mm_cmpeq_epi32(_mm_loadu_si128((const void *)(words + i)), pattern);
        __m128i const high = _mm_cmpeq_epi32(_mm_loadu_si128((const void *)(words + i + 4)), pattern);
        unsigned const equal = (unsigned)_mm_movemask_epi8(_mm_packs_epi32(low, high));      /* two bits a word */

        if (equal != 0)
            return i + (uint32_t)__builtin_ctz(equal) / 2;
    }
#endif
    for (; i < count; i++)
        if (words[i] == wanted)
            return i;
    return count;
}

#endif
