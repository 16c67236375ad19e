/* Properties of an instruction, decoded from its bytes: class, registers, memory operands, kind of branch. Of x86-64,
 * A64, RV64GC, and drmemtrace's register dependences (REGDEPS), whose bytes are not machine code.
 *
 * Use: isa_decoder_open once an architecture, isa_decode for each static instruction, isa_decoder_close. Decoding an
 * instruction twice gives the same; callers keep the answer by pc.
 * Registers are numbers of one file an architecture, 1 to ISA_REGISTERS - 1 (isa_register_name); 0 is none. A part of
 * a register is the register. Constants do not count as registers: x0 of RV64, xzr, the instruction pointer. Reads: a
 * write that keeps a part of its register reads it, too (8 and 16 bits of x86, merging masks). A zero idiom reads
 * nothing. Changes of the stack pointer by push, pop, call and ret are eliminated by renaming: it is read for the
 * address, and not written. Flags that x86 renames in parts (inc, bt) are written and not read; an instruction that
 * may leave all of them (shifts by cl) reads them. All of x87's stack, with its status, is one register, which each of
 * its instructions reads and writes.
 * Ownership: values; the decoder belongs to one thread. Errors: isa_decoder_open fails where a library is missing. */
#ifndef PROTO_ISA_ISA_H
#define PROTO_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

/* suffix, name */
#define ISA_ARCHITECTURES(A)                                                                                          \
    A(UNKNOWN, "unknown") A(X86_64, "x86-64") A(A64, "aarch64") A(RV64, "riscv64") A(REGDEPS, "regdeps")              \
    A(CHAMPSIM, "champsim") A(X86_32, "x86-32") A(A32, "arm")

#define ISA_ENUM(suffix, name) ISA_##suffix,
enum isa { ISA_ARCHITECTURES(ISA_ENUM) ISA_COUNT };

/* Classes of computations: gem5's op classes. Columns: suffix, name, latency in cycles (gem5's default units,
 * docs/spec/riscv-decode.md 7; for SIMD that of the scalar operation), description. Loads and stores without a
 * computation are NO_OP. */
#define ISA_CLASSES(C)                                                                                                \
    C(NO_OP, "No_OpClass", 1, "nothing besides accesses; fences, system calls")                                       \
    C(INT_ALU, "IntAlu", 1, "integer arithmetic, logic, shifts, branches")                                            \
    C(INT_MULT, "IntMult", 3, "integer multiplication")                                                               \
    C(INT_DIV, "IntDiv", 20, "integer division")                                                                      \
    C(FLOAT_ADD, "FloatAdd", 2, "addition of floating point")                                                         \
    C(FLOAT_CMP, "FloatCmp", 2, "comparison of floating point")                                                       \
    C(FLOAT_CVT, "FloatCvt", 2, "conversion from or to floating point")                                               \
    C(FLOAT_MULT, "FloatMult", 4, "multiplication of floating point")                                                 \
    C(FLOAT_MULT_ACC, "FloatMultAcc", 5, "multiplication with addition")                                              \
    C(FLOAT_DIV, "FloatDiv", 12, "division of floating point")                                                        \
    C(FLOAT_MISC, "FloatMisc", 3, "moves, signs, classes, x87's others")                                              \
    C(FLOAT_SQRT, "FloatSqrt", 24, "square root")                                                                     \
    C(SIMD_ALU, "SimdAlu", 1, "vectors: integer arithmetic, logic, shifts, comparison")                               \
    C(SIMD_MULT, "SimdMult", 3, "vectors: integer multiplication")                                                    \
    C(SIMD_MISC, "SimdMisc", 1, "vectors: moves, shuffles, inserts")                                                  \
    C(SIMD_FLOAT_ADD, "SimdFloatAdd", 2, "vectors: addition, comparison, conversion of floating point")               \
    C(SIMD_FLOAT_MULT, "SimdFloatMult", 4, "vectors: multiplication of floating point")                               \
    C(SIMD_FLOAT_MULT_ACC, "SimdFloatMultAcc", 5, "vectors: multiplication with addition")                            \
    C(SIMD_FLOAT_DIV, "SimdFloatDiv", 12, "vectors: division of floating point")                                      \
    C(SIMD_FLOAT_SQRT, "SimdFloatSqrt", 24, "vectors: square root")                                                   \
    C(SIMD_AES, "SimdAes", 4, "AES, SHA, carry-less multiplication")

#define ISA_CLASS_ENUM(suffix, name, cycles, help) ISA_CLASS_##suffix,
enum isa_class { ISA_CLASSES(ISA_CLASS_ENUM) ISA_CLASS_COUNT };

/* suffix, name as in tables and dumps. From ISA_DIRECT_JUMP on these are branches. Files hold their numbers. */
#define ISA_KINDS(K)                                                                                                  \
    K(OTHER, "other") K(SYSTEM, "sysenter")                                                                           \
    K(DIRECT_JUMP, "direct_jump") K(INDIRECT_JUMP, "indirect_jump") K(CONDITIONAL, "conditional")                     \
    K(DIRECT_CALL, "direct_call") K(INDIRECT_CALL, "indirect_call") K(RETURN, "return")                               \
    K(OTHER_BRANCH, "other_branch")

#define ISA_KIND_ENUM(suffix, name) ISA_##suffix,
enum isa_kind { ISA_KINDS(ISA_KIND_ENUM) ISA_KIND_COUNT };

/* The accesses ordered by a fence or an ordered access: FULL also locked operations of x86. */
enum isa_fence {
    ISA_FENCE_NONE, ISA_FENCE_LOAD, ISA_FENCE_STORE, ISA_FENCE_FULL, ISA_FENCE_ACQUIRE, ISA_FENCE_RELEASE
};

/* Whether cores that fuse it with a conditional branch behind it exist, and which: those that fuse COMPARE only (cmp,
 * test), those of ARITHMETIC, too (add, sub, inc, dec, and), or those of LOGIC, too (or, xor). */
enum isa_fusion { ISA_FUSES_NONE, ISA_FUSES_COMPARE, ISA_FUSES_ARITHMETIC, ISA_FUSES_LOGIC };

enum { ISA_REGISTERS = 256, ISA_MAX_READS = 12, ISA_MAX_WRITES = 8, ISA_MAX_OPERANDS = 4, ISA_MAX_BYTES = 16 };

/* A place in memory. Both: it is read, then written. */
struct isa_operand {
    bool is_load, is_store;
    uint16_t size_bytes;                 /* 0: it varies, or is not known */
    uint16_t address_reads;              /* bit i: reads[i] feeds its address */
    bool is_scaled;                      /* its address has an index that is multiplied */
};

struct isa_insn {
    uint8_t size_bytes;                  /* of the instruction; of REGDEPS that of its encoding */
    uint8_t class;                       /* enum isa_class, of its computation */
    uint8_t kind;                        /* enum isa_kind */
    uint8_t fence;                       /* enum isa_fence */
    uint8_t read_count, write_count, operand_count;
    uint8_t reads[ISA_MAX_READS], writes[ISA_MAX_WRITES];    /* each register once */
    uint16_t data_reads;                 /* bit i: reads[i] is an input of the computation or store */
    uint8_t address_writes;              /* bit i: writes[i] depends on the address alone (base write-back) */
    struct isa_operand operands[ISA_MAX_OPERANDS];           /* in the order of their accesses */
    bool is_atomic;                      /* locked, LR/SC, exclusive: its read and write are one */
    bool is_prefetch;                    /* its operands are hints */
    bool is_streaming;                   /* its access is non-temporal (movnt) */
    bool is_serialising;                 /* nothing passes it: system calls, CSR, cpuid, too many registers */
    bool is_string;                      /* rep: any number of iterations with a load, a store or both each */
    bool is_nop;
    bool is_move;                        /* it copies a register to another, whole or extended by zeroes from 32 bits */
    bool is_zeroing;                     /* its result is 0, and it reads nothing */
    uint8_t fusion;                      /* enum isa_fusion */
    bool has_target;                     /* of a direct branch, `target` */
    uint64_t target;
};

struct isa_decoder;

const char *isa_name(enum isa isa);
const char *isa_class_name(enum isa_class class);
const char *isa_kind_name(enum isa_kind kind);
/* "rax", "x5", "v0", "flags"; NULL: no such register. */
const char *isa_register_name(enum isa isa, unsigned number);

/* FAULT_INPUT, with what to install: the library that decodes this architecture is missing, or none is known (then
 * `isa` is named). NULL on failure. */
struct isa_decoder *isa_decoder_open(enum isa isa, struct fault *error);
void isa_decoder_close(struct isa_decoder *decoder);
enum isa isa_decoder_isa(const struct isa_decoder *decoder);

/* False: unknown instruction; then *insn has its size, if that is known, and nothing else. `length`: bytes available,
 * up to ISA_MAX_BYTES; of REGDEPS all of the encoding. */
bool isa_decode(struct isa_decoder *decoder, uint64_t pc, const uint8_t *bytes, size_t length, struct isa_insn *insn);

static inline bool isa_kind_is_branch(unsigned kind)
{
    return kind >= ISA_DIRECT_JUMP && kind < ISA_KIND_COUNT;
}

#endif
