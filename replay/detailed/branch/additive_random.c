/* Additive feedback of degree 31: r[i] = r[i - 3] + r[i - 31] modulo 2^32, of which the lowest bit is not shown. The
 * first 31 words come from a multiplicative generator (16807 modulo 2^31 - 1), and 310 are passed over. */
#include "replay/detailed/branch/counter.h"

enum { DEGREE = 31, SEPARATION = 3, PASSED_OVER = 310 };

void additive_random_init(struct additive_random *random)
{
    uint64_t word = 1;

    for (uint32_t i = 0; i < DEGREE; i++) {
        random->words[i] = (uint32_t)word;
        word = word * 16807 % 2147483647;
    }
    /* r[31] to r[33] of the usual text repeat r[0] to r[2]: the ring begins there. */
    random->next = SEPARATION;
    for (uint32_t i = 0; i < PASSED_OVER; i++)
        (void)additive_random_next(random);
}

uint32_t additive_random_next(struct additive_random *random)
{
    uint32_t const at = random->next;
    uint32_t const before = at >= SEPARATION ? at - SEPARATION : at + DEGREE - SEPARATION;
    uint32_t const word = random->words[at] + random->words[before];

    random->words[at] = word;
    random->next = at + 1 == DEGREE ? 0 : at + 1;
    return word >> 1;
}
