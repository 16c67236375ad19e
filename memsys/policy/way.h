/* A way of a set: what every look at it reads, side by side, so that a set is one line of the host or little more. */
#ifndef MEMSYS_POLICY_WAY_H
#define MEMSYS_POLICY_WAY_H

#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

struct way {
    uint32_t tag;                    /* memsys/cache/tags.h */
    uint32_t age;                    /* LRU's stamp; see replacement.h */
};

/* Index of the first of `count` ways with that tag; `count` if there is none. */
static inline uint32_t way_search(const struct way *ways, uint32_t count, uint32_t tag)
{
    uint32_t i = 0;

#if defined(__SSE2__)
    for (; i + 8 <= count; i += 8) {
        __m128i const pattern = _mm_set1_epi32((int)tag);
        __m128i equal[4];
        unsigned places;

        for (unsigned two = 0; two < 4; two++)
            equal[two] = _mm_cmpeq_epi32(_mm_loadu_si128((const void *)(ways + i + 2 * two)), pattern);
        places = (unsigned)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(equal[0], equal[1]),
                                                             _mm_packs_epi32(equal[2], equal[3])));
        places &= 0x5555;                    /* two bits a word: one of each tag's */
        if (places != 0)
            return i + (uint32_t)__builtin_ctz(places) / 2;
    }
#endif
    for (; i < count; i++)
        if (ways[i].tag == tag)
            return i;
    return count;
}

#endif
