/* The sequence of the GNU C library's rand() with its seed of 1, on any host: the reference draws ways from it.
 *
 * Use: additive_random_init, then additive_random_next: 0 to 2^31 - 1. A plain value. */
#ifndef REPLAY_DETAILED_BRANCH_ADDITIVE_RANDOM_H
#define REPLAY_DETAILED_BRANCH_ADDITIVE_RANDOM_H

#include <stdint.h>

struct additive_random {
    uint32_t words[31];                  /* the last 31, a ring */
    uint32_t next;                       /* the oldest, which goes next */
};

void additive_random_init(struct additive_random *random);
uint32_t additive_random_next(struct additive_random *random);

#endif
