/* A xorshift generator: the same numbers in each run. */
#ifndef NUMBERS_H
#define NUMBERS_H
#include <stdint.h>
static uint32_t numbers_state = 2463534242u;
static uint32_t numbers_next(void)
{
    numbers_state ^= numbers_state << 13;
    numbers_state ^= numbers_state >> 17;
    numbers_state ^= numbers_state << 5;
    return numbers_state;
}
#endif
