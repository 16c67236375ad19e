/* The tables of A64's encodings: the parts of a line that isa_build.h does not define. Private to this folder.
 *
 * Fields: d is bits 4:0 (Rd, Rt), n 9:5, m 20:16 (Rm, Rs), a 14:10 (Ra, Rt2), h 19:16 (Rm of 16-bit elements). */
#ifndef PROTO_ISA_A64_TABLE_H
#define PROTO_ISA_A64_TABLE_H

#include "proto/isa/isa_build.h"

extern const struct isa_pattern a64_base[], a64_memory[], a64_float[], a64_vector[];
extern const size_t a64_base_count, a64_memory_count, a64_float_count, a64_vector_count;

/* Sizes: values up to 64 are literal. */
enum {
    A64_SIZE = 100,          /* 1 << bits 31:30 */
    A64_LITERAL,             /* 4 << bits 31:30 */
    A64_PAIR,                /* 8 << bit 31: both registers */
    A64_PAIR_V,              /* 8 << bits 31:30 */
    A64_PAIR_X,              /* 8 << bit 30: exclusive pairs, casp */
    A64_STRUCT_1, A64_STRUCT_2, A64_STRUCT_3, A64_STRUCT_4,    /* 1 to 4 vectors of 8 << bit 30 */
    A64_LANE                 /* elements of one lane, or replicated: bits 21, 15:10 */
};

enum { A64_TARGET_26 = 1, A64_TARGET_19, A64_TARGET_14 };

enum {
    A64_BARRIER = 1,         /* bits 9:8 */
    A64_O0_ACQUIRE,          /* bit 15 */
    A64_O0_RELEASE,
    A64_CAS,                 /* bit 22 acquire, bit 15 release */
    A64_AR                   /* bit 23 acquire, bit 22 release */
};

#define R(bits, class_, operands) {bits, operands, .class = ISA_CLASS_##class_}
#define NONE(bits) {bits, "-", .class = ISA_CLASS_NO_OP}
#define NOP(bits) {bits, "", .class = ISA_CLASS_NO_OP, .is_nop = true}
#define LD(bits, operands, bytes) \
    {bits, operands, .class = ISA_CLASS_NO_OP, .direction = ISA_DIRECTION_LOAD, .size = (bytes)}
#define ST(bits, operands, bytes) \
    {bits, operands, .class = ISA_CLASS_NO_OP, .direction = ISA_DIRECTION_STORE, .size = (bytes)}
#define PREFETCH_OF(bits, operands) \
    {bits, operands, .class = ISA_CLASS_NO_OP, .direction = ISA_DIRECTION_LOAD, .is_prefetch = true}
#define ORDERED(bits, operands, way, bytes, fence_)                                                                   \
    {bits, operands, .class = ISA_CLASS_NO_OP, .direction = ISA_DIRECTION_##way, .size = (bytes), \
     .fence = ISA_FENCE_##fence_}
#define ATOMIC(bits, operands, way, bytes, rule)                                                                      \
    {bits, operands, .class = ISA_CLASS_NO_OP, .direction = ISA_DIRECTION_##way, .size = (bytes), \
     .ordering = A64_##rule,                                                                                          \
     .is_atomic = true}
#define BRANCH(bits, operands, kind_, rule) \
    {bits, operands, .class = ISA_CLASS_INT_ALU, .kind = ISA_##kind_, .target = (rule)}
#define SYSTEM(bits, operands, kind_) \
    {bits, operands, .class = ISA_CLASS_NO_OP, .kind = ISA_##kind_, .is_serialising = true}

#define COUNT(table) (sizeof table / sizeof table[0])

#endif
