/* Random numbers for tests that make their own input: the same ones in every run. */
#ifndef TESTS_RANDOM_NUMBERS_H
#define TESTS_RANDOM_NUMBERS_H

#include <stdint.h>

static uint64_t random_state = 1;

static inline uint64_t random_bits(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return random_state >> 11 ^ random_state << 31;
}

static inline uint64_t random_below(uint64_t limit)
{
    return random_bits() % limit;
}

/* Of any length up to 64 bits. */
static inline uint64_t random_number(void)
{
    return random_bits() >> random_below(64);
}

#endif
