/* Matsumoto, Nishimura, "Mersenne Twister", ACM TOMACS 1998; Lemire, "Fast random integer generation in an
 * interval", ACM TOMACS 2019. */
#include "memsys/command/mitigation/cmd_random.h"

enum { MIDDLE = 397 };

void cmd_random_init(struct cmd_random *random, uint32_t seed)
{
    random->words[0] = seed;
    for (uint32_t i = 1; i < CMD_RANDOM_WORDS; i++)
        random->words[i] = UINT32_C(1812433253) * (random->words[i - 1] ^ random->words[i - 1] >> 30) + i;
    random->position = CMD_RANDOM_WORDS;
}

static void renew(struct cmd_random *random)
{
    uint32_t *const words = random->words;

    for (unsigned i = 0; i < CMD_RANDOM_WORDS; i++) {
        uint32_t const following = words[(i + 1) % CMD_RANDOM_WORDS];
        uint32_t const both = (words[i] & UINT32_C(0x80000000)) | (following & UINT32_C(0x7fffffff));

        words[i] = words[(i + MIDDLE) % CMD_RANDOM_WORDS] ^ both >> 1 ^ (both & 1 ? UINT32_C(0x9908b0df) : 0);
    }
    random->position = 0;
}

static uint32_t next(struct cmd_random *random)
{
    uint32_t word;

    if (random->position == CMD_RANDOM_WORDS)
        renew(random);
    word = random->words[random->position++];
    word ^= word >> 11;
    word ^= word << 7 & UINT32_C(0x9d2c5680);
    word ^= word << 15 & UINT32_C(0xefc60000);
    return word ^ word >> 18;
}

float cmd_random_unit(struct cmd_random *random)
{
    float const unit = (float)next(random) / 4294967296.0f;

    return unit < 1.0f ? unit : 1.0f - 1.0f / 16777216.0f;
}

uint32_t cmd_random_below(struct cmd_random *random, uint32_t count)
{
    uint64_t product = (uint64_t)next(random) * count;

    if ((uint32_t)product < count) {
        uint32_t const unfair = (0u - count) % count;

        while ((uint32_t)product < unfair)
            product = (uint64_t)next(random) * count;
    }
    return (uint32_t)(product >> 32);
}
