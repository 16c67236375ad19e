/* System calls of RISC-V Linux as the reference's emulation answers them, as far as a program's later addresses need
 * them: memory (brk, mmap, munmap, mremap, mprotect), output, exit, and answers of what start-up asks. */
#ifndef REPLAY_DETAILED_RV64_CALLS_H
#define REPLAY_DETAILED_RV64_CALLS_H

#include "replay/detailed/rv64/machine.h"

/* Executes the call whose number is in a7; truth: that of the call and of the instructions after it. Returns the new
 * value of a0. */
uint64_t machine_call(struct machine *machine, const struct machine_truth *truth);

#endif
