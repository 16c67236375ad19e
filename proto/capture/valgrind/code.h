/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The program's code, told once: blocks as they are translated, pages when something of them is.
 *
 * A block of Valgrind's may be left at several places. It is told as several: each ends with an instruction at which it
 * may be left, and with a division, which may trap without having accessed memory. So a block that has begun is
 * executed to its end, or trapped at an access that is missing. */
#ifndef CAPTURE_VALGRIND_CODE_H
#define CAPTURE_VALGRIND_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "core.h"

enum { CODE_LONGEST = 15 };

/* An instruction of the block that is being translated. */
struct code_insn {
    Addr pc;
    unsigned size;           /* 0: Valgrind does not know it */
    bool may_leave;          /* the block, in front of its end */
    bool is_bit_test;        /* bt and the like of a register: Valgrind makes it by memory that it does not access */
};

/* Bytes of it, as far as they can be read: those that are are counted. */
unsigned code_bytes(const struct code_insn *insn, uint8_t bytes[16]);
bool code_is_division(const uint8_t *bytes, unsigned count);
bool code_is_bit_test(const uint8_t *bytes, unsigned count);

/* The number of the block of these instructions, which is told; 0: nobody reads. */
uint64_t code_tell_block(const struct code_insn *insns, unsigned count);
/* Pages that begin within the bytes. */
void code_tell_pages(Addr address, SizeT bytes);

#endif
