/* Random numbers of the simulated system: the 64-bit Mersenne twister and the range mapping of classic-memory 14.
 *
 * Use: one generator a simulation (sim->random), shared by all users. Every draw changes the numbers of later users,
 * so a user draws exactly when the specification says so. Ownership: a plain value, nothing to free. Source:
 * Nishimura, "Tables of 64-bit Mersenne twisters", ACM TOMACS 2000; Lemire, "Fast random integer generation in an
 * interval", ACM TOMACS 2019. */
#ifndef MEMSYS_SIM_SIM_RANDOM_H
#define MEMSYS_SIM_SIM_RANDOM_H

#include <stdint.h>

#define RANDOM_SEED UINT64_C(5489)       /* of the reference */
#define RANDOM_WORDS 312

struct random_generator {
    uint64_t words[RANDOM_WORDS];
    uint32_t position;                   /* next word to give out; RANDOM_WORDS: make new ones first */
};

void random_init(struct random_generator *random, uint64_t seed);

/* The next 64 bits. */
uint64_t random_next(struct random_generator *random);

/* Uniform in lowest .. highest, both included; the range holds fewer than 2^32 numbers. Draws once, and again (about
 * once in 2^32 times or less) where an equal share demands it. */
uint32_t random_uniform(struct random_generator *random, uint32_t lowest, uint32_t highest);

#endif
