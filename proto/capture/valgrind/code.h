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

/* Instructions that Valgrind makes by other accesses than they have. */
enum code_quirk {
    CODE_PLAIN,
    CODE_BITS_OF_REGISTER,   /* bt and the like: in memory below the stack */
    CODE_BITS_OF_MEMORY,     /* by the byte that has the bit, not by the operand */
    CODE_MASKED_STORE        /* maskmovdqu, maskmovq: by a load, and by a store of all bytes */
};

/* An instruction of the block that is being translated. */
struct code_insn {
    Addr pc;
    unsigned size;           /* 0: Valgrind does not know it */
    bool may_leave;          /* the block, in front of its end */
    enum code_quirk quirk;
    unsigned operand;        /* bytes, of CODE_BITS_OF_MEMORY */
};

/* Bytes of it, as far as they can be read: those that are are counted. */
unsigned code_bytes(const struct code_insn *insn, uint8_t bytes[16]);
bool code_is_division(const uint8_t *bytes, unsigned count);
void code_find_quirk(struct code_insn *insn, const uint8_t *bytes, unsigned count);

/* The number of the block of these instructions, which is told; 0: nobody reads. */
uint64_t code_tell_block(const struct code_insn *insns, unsigned count);
/* Pages that begin within the bytes. */
void code_tell_pages(Addr address, SizeT bytes);

#endif
