/* A machine as a program finds it that begins: its segments, and the initial stack as the reference makes it. */
#ifndef REPLAY_DETAILED_RV64_START_H
#define REPLAY_DETAILED_RV64_START_H

#include "proto/insn/program.h"
#include "replay/detailed/rv64/machine.h"

#define MACHINE_STACK_END UINT64_C(0x7fffffffffffffff)

/* Address of the stack pointer at first. */
uint64_t machine_first_stack(const struct insn_program *program);
/* argv is the program's name alone, the environment is empty. */
void machine_start(struct machine *machine, const struct insn_program *program);

#endif
