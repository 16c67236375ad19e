/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which memory a system call of riscv64 Linux has written when it returns. */
#ifndef CAPTURE_QEMU_GUEST_WRITES_H
#define CAPTURE_QEMU_GUEST_WRITES_H

#include "guest_memory.h"

typedef bool guest_writes_read(uint64_t address, void *to, uint64_t bytes);
typedef void guest_writes_tell(uint64_t address, uint64_t bytes);

/* result: no error. read: of the guest's memory, for vectors. */
void guest_writes_each(const struct guest_call *call, uint64_t result, guest_writes_read *read,
                       guest_writes_tell *tell);

#endif
