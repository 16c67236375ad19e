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

/* The sequence of the GNU C library's rand() with its seed of 1, on any host: the reference draws ways from it.
 *
 * Use: additive_random_init, then additive_random_next: 0 to 2^31 - 1. A plain value. */

struct additive_random {
    uint32_t words[31];                  /* the last 31, a ring */
    uint32_t next;                       /* the oldest, which goes next */
};

void additive_random_init(struct additive_random *random);
uint32_t additive_random_next(struct additive_random *random);

#endif
