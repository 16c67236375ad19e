/* Random programs for the detailed core: code with loops, calls, memory operations of all kinds, system calls; a run
 * through it; and the code beside that run, for wrong paths. Same seed, same everything.
 *
 * Use: detailed_random after detailed_prepare; detailed_run. */
#ifndef TESTS_SUPPORT_DETAILED_RANDOM_H
#define TESTS_SUPPORT_DETAILED_RANDOM_H

#include "tests/support/detailed_bench.h"

/* Sets parameters, L1s, instructions and wrong paths; `insns`: how many the run has. */
void detailed_random(uint64_t seed, size_t insns);
/* The same with mechanisms that the reference has not, at random, and with micro-ops that they act on. */
void detailed_random_mechanisms(uint64_t seed, size_t insns);
/* Another program alone. */
void detailed_random_program(uint64_t seed, size_t insns);

#endif
