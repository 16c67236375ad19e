/* Saturating counters in bytes: 0 to `highest`, "yes" in the upper half. */
#ifndef REPLAY_DETAILED_BRANCH_COUNTER_H
#define REPLAY_DETAILED_BRANCH_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

static inline uint8_t counter_highest(uint64_t bits)
{
    return (uint8_t)((1u << bits) - 1);
}

static inline bool counter_is_yes(uint8_t counter, uint8_t highest)
{
    return counter > highest / 2;
}

static inline void counter_step(uint8_t *counter, uint8_t highest, bool is_up)
{
    if (is_up)
        *counter = (uint8_t)(*counter + (*counter < highest));
    else
        *counter = (uint8_t)(*counter - (*counter > 0));
}

/* Signed, of `bits` bits. */
static inline void counter_step_signed(int8_t *counter, unsigned bits, bool is_up)
{
    int const most = (1 << (bits - 1)) - 1;

    if (is_up)
        *counter = (int8_t)(*counter + (*counter < most));
    else
        *counter = (int8_t)(*counter - (*counter > -most - 1));
}

#endif
