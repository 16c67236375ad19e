/* Adds facts to an instruction, for decoders: each register once, with its use (data or address).
 *
 * Use: clear the instruction, then add operands, reads and writes in any order. Register 0 means no register, and adds
 * nothing. If the arrays are full the instruction is marked as serialising, so that no dependence is lost. */
#ifndef PROTO_ISA_ISA_BUILD_H
#define PROTO_ISA_ISA_BUILD_H

#include <stdint.h>

#include "proto/isa/isa.h"

enum isa_direction { ISA_DIRECTION_NONE, ISA_DIRECTION_LOAD, ISA_DIRECTION_STORE, ISA_DIRECTION_BOTH };

/* The register is an input of the computation or of the stored data. */
void isa_read_data(struct isa_insn *insn, unsigned number);
/* It feeds the address of an operand, unless that is NULL. */
void isa_read_address(struct isa_insn *insn, struct isa_operand *operand, unsigned number);
void isa_write(struct isa_insn *insn, unsigned number);
/* The written value depends on the address alone. */
void isa_write_address(struct isa_insn *insn, unsigned number);
/* NULL: the array is full. */
struct isa_operand *isa_operand_add(struct isa_insn *insn, enum isa_direction direction, unsigned size_bytes);

/* Expands compressed instructions of RV64GC to the equivalent 32-bit ones (riscv-decode 3). */

/* 0: it is none. */
uint32_t rv64_expand(uint16_t c);

/* Classes of x86's instructions by their names, as Zydis has them (Intel's, lower case). Needs no library. */

enum x86_unit { X86_INTEGER, X86_X87, X86_VECTOR };

/* The class of the computation, on operands of this kind. The caller handles moves to and from memory. */
enum isa_class x86_class(const char *mnemonic, enum x86_unit unit);
/* It copies, extends at most: with memory nothing is computed. */
bool x86_class_moves(const char *mnemonic);
/* Result zero or all ones, independent of the value of its two equal sources (Intel's Optimization Manual, "Clearing
 * Registers and Dependency Breaking Idioms"). */
bool x86_class_is_idiom(const char *mnemonic);

/* Tables of 32-bit encodings: one line per instruction, or per family with the same use of registers.
 *
 * `bits` is the encoding as manuals print it, from bit 31: 0, 1, or a dot for any; blanks separate fields. The first
 * matching line decides. `operands` lists the registers written and read, in words separated by blanks:
 *
 *     WRITTEN... < READ... [ADDRESS...]!
 *
 * d n m a are the register fields (struct isa_fields), h the lower four bits of m; lower case is a general register
 * whose constant zero is no register, upper case the same with the stack pointer in its place (A64). vd vn vm va are
 * vector or floating-point registers; vd+1 is the one after vd, of all 32, d+1 likewise. c is the condition flags; L
 * is the link register x30, S the stack pointer, 16 and 17 are x16 and x17 (A64). Brackets enclose the registers of
 * the operand's address; "!" writes the first of these back. Without an operand they are read like others. A dash
 * alone: no instruction has these bits. */

struct isa_pattern {
    const char *bits;
    const char *operands;
    uint8_t class;
    uint8_t direction;                   /* enum isa_direction, of the operand */
    uint8_t size;                        /* rule of its size, the architecture's */
    uint8_t kind;
    uint8_t target;                      /* rule of a direct branch's target, the architecture's; 0: none */
    uint8_t fence;                       /* enum isa_fence */
    uint8_t ordering;                    /* rule of a fence that depends on the encoding, the architecture's */
    bool is_atomic, is_prefetch, is_serialising, is_nop;
};

/* Lowest bits of the register fields; numbers of registers, 0: no register. */
struct isa_fields {
    uint8_t d, n, m, a;
    uint8_t zero;                        /* field's value that reads as 0 */
    uint8_t first, first_vector;         /* register 0 */
    uint8_t stack, link, flags;
};

struct isa_patterns {
    const struct isa_fields *fields;
    size_t count;
    struct isa_pattern_bits {
        uint32_t mask, value;
        const struct isa_pattern *pattern;
    } list[];
};

/* Patterns of up to 8 tables, in their order. NULL: out of memory. To be freed. */
struct isa_patterns *isa_patterns_new(const struct isa_fields *fields, size_t tables,
                                      const struct isa_pattern *const tables_of[], const size_t counts[]);
/* NULL: no line matches, or the matching line is a dash. */
const struct isa_pattern *isa_patterns_find(const struct isa_patterns *patterns, uint32_t bits);
/* Adds class, kind, registers, and the operand with this size. */
void isa_pattern_apply(const struct isa_patterns *patterns, const struct isa_pattern *pattern, uint32_t bits,
                       unsigned size_bytes, struct isa_insn *insn);

#endif
