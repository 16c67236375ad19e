/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds the accesses of a block of x86-64 that need no report, since their addresses follow from a reported access or
 * from the code. Each register holds a symbolic value (an id) plus a constant; an address is a base, an index with its
 * scale, and a displacement; two addresses with the same ids and scale differ by a constant of the code.
 *
 * Use: derive_begin for each block; derive_next for each of its instructions, in order.
 * Afterwards `makes` and `access` say which accesses the last instruction makes whenever it is executed.
 * Accesses of instructions that derive.c does not decode are reported, and all registers become unknown: the safe
 * default. */
#ifndef CAPTURE_QEMU_DERIVE_H
#define CAPTURE_QEMU_DERIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DERIVE_REGISTERS = 16, DERIVE_ROOTS = 32 };

/* A register: the value with this id, and an offset. */
struct derive_value { uint32_t id; int64_t offset; };

/* A reported access, at base + index * scale + offset. */
struct derive_root { uint32_t base, index; uint8_t scale; uint16_t insn; int64_t offset; };

enum derive_makes {
    DERIVE_UNKNOWN,          /* any accesses, and it may trap without one */
    DERIVE_NONE,             /* no access, and it does not trap */
    DERIVE_SOME              /* a load or a store, or more, in pieces perhaps */
};

struct derive {
    struct derive_value registers[DERIVE_REGISTERS];
    struct derive_root roots[DERIVE_ROOTS];
    uint32_t root_count, ids;
    enum derive_makes makes;
    uint64_t access;         /* of DERIVE_SOME: its ways, pieces, their size, as CAPTURE_DERIVED has them */
    bool is_hint;            /* a prefetch: QEMU reports nothing of it, in any case */
    bool may_help;           /* QEMU may call functions of its own for it */
};

void derive_begin(struct derive *derive);

/* Returns the derivation of the accesses of instruction `insn` of the block (CAPTURE_DERIVED and the fields after it in
 * ring.h), or 0: they must be reported. */
uint64_t derive_next(struct derive *derive, unsigned insn, const uint8_t *bytes, size_t count);

#endif
