/* Modelled: mt19937_64 and the mapping to a range of classic-memory 14. Not modelled: mappings of other libraries. */
#include "memsys/sim/sim_random.h"

#include <assert.h>

#define MIDDLE 156                       /* distance of the word that is mixed in */
#define UPPER_BITS UINT64_C(0xffffffff80000000)
#define LOWER_BITS UINT64_C(0x000000007fffffff)
#define TWIST UINT64_C(0xb5026f5aa96619e9)

void random_init(struct random_generator *random, uint64_t seed)
{
    random->words[0] = seed;
    for (uint32_t i = 1; i < RANDOM_WORDS; i++) {
        uint64_t const before = random->words[i - 1];

        random->words[i] = UINT64_C(6364136223846793005) * (before ^ before >> 62) + i;
    }
    random->position = RANDOM_WORDS;
}

static uint64_t twist(uint64_t word, uint64_t next, uint64_t middle)
{
    uint64_t const bits = (word & UPPER_BITS) | (next & LOWER_BITS);

    return middle ^ bits >> 1 ^ (bits & 1 ? TWIST : 0);
}

static void make_words(struct random_generator *random)
{
    uint64_t *const words = random->words;
    uint32_t i = 0;

    for (; i < RANDOM_WORDS - MIDDLE; i++)
        words[i] = twist(words[i], words[i + 1], words[i + MIDDLE]);
    for (; i < RANDOM_WORDS - 1; i++)
        words[i] = twist(words[i], words[i + 1], words[i - (RANDOM_WORDS - MIDDLE)]);
    words[i] = twist(words[i], words[0], words[MIDDLE - 1]);
    random->position = 0;
}

uint64_t random_next(struct random_generator *random)
{
    uint64_t bits;

    if (random->position == RANDOM_WORDS)
        make_words(random);
    bits = random->words[random->position++];
    bits ^= bits >> 29 & UINT64_C(0x5555555555555555);
    bits ^= bits << 17 & UINT64_C(0x71d67fffeda60000);
    bits ^= bits << 37 & UINT64_C(0xfff7eee000000000);
    return bits ^ bits >> 43;
}

uint32_t random_uniform(struct random_generator *random, uint32_t lowest, uint32_t highest)
{
    uint64_t const count = (uint64_t)highest - lowest + 1;

    assert(lowest <= highest && count <= UINT32_MAX);
    for (;;) {
        uint64_t const bits = random_next(random);
        /* The product is a number of 96 bits: its part above 2^64 is the answer, the part below says whether the draw
         * is one of the (2^64 mod count) that would make some answers more frequent. */
        uint64_t const fraction = bits * count;
        uint64_t const low = (bits & UINT32_MAX) * count, high = (bits >> 32) * count + (low >> 32);

        if (fraction >= count || fraction >= -count % count)
            return lowest + (uint32_t)(high >> 32);
    }
}
