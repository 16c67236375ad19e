/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reports the program's code, once each: blocks when they are translated, pages with their first block.
 *
 * A superblock of Valgrind may have several exits. It is reported as several blocks, each of which ends with an
 * instruction that may exit, or with a division, which may trap without accessing memory. So a block that has begun was
 * either executed to its end, or trapped at the first missing access. */
#ifndef CAPTURE_VALGRIND_CODE_H
#define CAPTURE_VALGRIND_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "core.h"

enum { CODE_LONGEST = 15, CODE_NO_BASE = 16, CODE_HAS_INDEX };

/* Instructions that Valgrind makes by other accesses than they have. */
enum code_quirk {
    CODE_PLAIN,
    CODE_BITS_OF_REGISTER,   /* bt and the like: in memory below the stack */
    CODE_BITS_OF_MEMORY,     /* by the byte that has the bit, not by the operand */
    CODE_PREFETCH,           /* by an address alone */
    CODE_MASKED_STORE        /* maskmovdqu, maskmovq: by a load, and by a store of all bytes */
};

/* An instruction of the block that is being translated. */
struct code_insn {
    Addr pc;
    unsigned size;           /* 0: Valgrind does not know it */
    bool may_leave;          /* the block, in front of its end */
    enum code_quirk quirk;
    unsigned operand;        /* bytes, of CODE_BITS_OF_MEMORY */
    unsigned base;           /* register of CODE_PREFETCH; CODE_NO_BASE; CODE_HAS_INDEX: or segment, VEX adds it */
    uint64_t displacement;   /* added to the base */
};

/* Bytes of it, as far as they can be read: those that are are counted. */
unsigned code_bytes(const struct code_insn *insn, uint8_t bytes[16]);
bool code_is_division(const uint8_t *bytes, unsigned count);
void code_find_quirk(struct code_insn *insn, const uint8_t *bytes, unsigned count);

/* Reports the block of these instructions; returns its number, or 0 without a reader. */
uint64_t code_tell_block(const struct code_insn *insns, unsigned count);
/* Pages that begin within the bytes. */
void code_tell_pages(Addr address, SizeT bytes);

#endif
