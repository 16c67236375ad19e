/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * riscv64: which memory the guest has, what is in it and in its registers at a place, and what system calls write.
 *
 * Use: guest_memory_begin before the guest's first instruction; guest_memory_call_begins and _ends for each system
 * call; guest_memory_tell before the block at which the recording begins, while there is one thread.
 *
 * Mappings: the segments of the program and of its loader, by their headers in memory, the stack, then those of the
 * system calls. Registers: QEMU's plugin interface cannot read them. A riscv CPU's state begins with x0 to x31, in
 * QEMU 6.0 to 8.2; before the first instruction all but the stack pointer are 0, and the place in QEMU's memory that is
 * so must be the only one. Each system call checks it: its number and arguments are those registers. They are there at
 * the beginning of a block. Registers of floating point are read where QEMU 6 and 7 have them; of QEMU 8 they are 0.
 *
 * Of the stack at first, arguments and environment are told as zeros: they may be private. */
#ifndef CAPTURE_QEMU_GUEST_MEMORY_H
#define CAPTURE_QEMU_GUEST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "../ring.h"

struct guest_call {
    uint64_t thread;
    int64_t number;
    uint64_t args[CAPTURE_SYSCALL_ARGS];
};

/* With the stack at first in the area. */
void guest_memory_begin(struct capture_area *area, uint64_t guest_base);
void guest_memory_call_begins(const struct guest_call *call);
void guest_memory_call_ends(int64_t result);
/* Reports memory and registers, and sets the area's start_state; from here on calls are reported, too. */
void guest_memory_tell(uint64_t pc);

#endif
