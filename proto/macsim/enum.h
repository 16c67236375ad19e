/* The numbers of MacSim traces and their names (macsim-traces 3, appendices A to F): opcodes by dialect, registers,
 * control flow, address spaces. The tables themselves are data: proto/macsim/tables.h, generated from the
 * specification's macsim-enums.tsv by proto/macsim/tables.sh.
 *
 * Opcode numbers changed with nearly every generator. So that model code need not know the dialects, each number has
 * one name in its family, for all dialects: macsim_x86_op, macsim_ptx_op and so on give an enum of names. Nothing here
 * allocates; texts are constant. */
#ifndef PROTO_MACSIM_ENUM_H
#define PROTO_MACSIM_ENUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/macsim/tables.h"

/* ---- dialects of the opcode */

/* enum suffix, table (as --format and `trace info` spell it), family */
#define MACSIM_DIALECTS(D)                                                                                            \
    D(X86_2011A, "x86-2011a", X86)                                                                                    \
    D(X86_2011B, "x86-2011b", X86)                                                                                    \
    D(X86_2012A, "x86-2012a", X86)                                                                                    \
    D(X86_2012B, "x86-2012b", X86)       /* PTX names, too, in C52 records of GPUs */                                 \
    D(X86_2013A, "x86-2013a", X86)                                                                                    \
    D(X86_PIN212, "x86-pin212", X86)                                                                                  \
    D(X86_PIN37, "x86-pin37", X86)                                                                                    \
    D(X86_PIN313, "x86-pin313", X86)                                                                                  \
    D(X86_AMX1, "x86-amx1", X86)                                                                                      \
    D(X86_AMX2, "x86-amx2", X86)                                                                                      \
    D(X86_AMX3, "x86-amx3", X86)                                                                                      \
    D(PTX_2013A, "ptx-2013a", PTX)       /* in C52 and C80 records */                                                 \
    D(PTX_V131, "ptx-v131", PTX)         /* versions 11, 13, 131 */                                                   \
    D(PTX_V14, "ptx-v14", PTX)                                                                                        \
    D(NVBIT, "nvbit", SASS)                                                                                           \
    D(A64, "a64", A64)                                                                                                \
    D(GED_2017, "ged-2017", GED)                                                                                      \
    D(GED_2019, "ged-2019", GED)                                                                                      \
    D(GED_2022, "ged-2022", GED)

enum macsim_family { MACSIM_FAMILY_X86, MACSIM_FAMILY_PTX, MACSIM_FAMILY_SASS, MACSIM_FAMILY_A64, MACSIM_FAMILY_GED };

#define MACSIM_DIALECT_ENUM(suffix, name, family) MACSIM_##suffix,
enum macsim_dialect { MACSIM_DIALECTS(MACSIM_DIALECT_ENUM) MACSIM_DIALECT_COUNT };
#undef MACSIM_DIALECT_ENUM

const char *macsim_dialect_name(enum macsim_dialect dialect);
enum macsim_family macsim_dialect_family(enum macsim_dialect dialect);
/* Opcodes 0 .. size - 1 are the dialect's. */
unsigned macsim_dialect_size(enum macsim_dialect dialect);

/* ---- opcodes */

/* Name by the dialect's own table, NULL if the number is not in it. */
const char *macsim_opcode_name(enum macsim_dialect dialect, unsigned opcode);

/* One name for all dialects of a family: MACSIM_X86_DATAXFER, MACSIM_PTX_MEM_LD_GM, MACSIM_SASS_LDG, MACSIM_A64_LDR,
 * MACSIM_GED_SEND; the lists are in proto/macsim/tables.h. Numbers that are in no table, and dialects of other
 * families, give ..._UNKNOWN, which is 0. */
#define MACSIM_X86_ENUM(name) MACSIM_X86_##name,
#define MACSIM_PTX_ENUM(name) MACSIM_PTX_##name,
#define MACSIM_SASS_ENUM(name) MACSIM_SASS_##name,
#define MACSIM_A64_ENUM(name) MACSIM_A64_##name,
#define MACSIM_GED_ENUM(name) MACSIM_GED_##name,
enum macsim_x86 { MACSIM_X86_UNKNOWN, MACSIM_X86_NAMES(MACSIM_X86_ENUM) MACSIM_X86_COUNT };
enum macsim_ptx { MACSIM_PTX_UNKNOWN, MACSIM_PTX_NAMES(MACSIM_PTX_ENUM) MACSIM_PTX_COUNT };
enum macsim_sass { MACSIM_SASS_UNKNOWN, MACSIM_SASS_NAMES(MACSIM_SASS_ENUM) MACSIM_SASS_COUNT };
enum macsim_a64 { MACSIM_A64_UNKNOWN, MACSIM_A64_NAMES(MACSIM_A64_ENUM) MACSIM_A64_COUNT };
enum macsim_ged { MACSIM_GED_UNKNOWN, MACSIM_GED_NAMES(MACSIM_GED_ENUM) MACSIM_GED_COUNT };
#undef MACSIM_X86_ENUM
#undef MACSIM_PTX_ENUM
#undef MACSIM_SASS_ENUM
#undef MACSIM_A64_ENUM
#undef MACSIM_GED_ENUM

enum macsim_x86 macsim_x86_op(enum macsim_dialect dialect, unsigned opcode);
/* Instructions on tiles (x86-amx1 to 3): their loads are rows, 16 or 32, of which the record has the first address. */
bool macsim_is_tile(enum macsim_dialect dialect, unsigned opcode);
/* The dialects x86-2011a to x86-2013a have PTX names as well (GPU_ADD, TR_MEM_LD_GM, LD_GM_CA): they give the names of
 * today. */
enum macsim_ptx macsim_ptx_op(enum macsim_dialect dialect, unsigned opcode);
enum macsim_sass macsim_sass_op(enum macsim_dialect dialect, unsigned opcode);
enum macsim_a64 macsim_a64_op(enum macsim_dialect dialect, unsigned opcode);
enum macsim_ged macsim_ged_op(enum macsim_dialect dialect, unsigned opcode);

/* ---- effects of a GPU's instruction (4.2, 4.3) */

enum macsim_access {
    MACSIM_NO_ACCESS, MACSIM_LOAD, MACSIM_STORE,
    MACSIM_ATOMIC,                       /* gives the old value */
    MACSIM_REDUCTION,                    /* does not */
    MACSIM_PREFETCH
};

enum macsim_space {
    MACSIM_NO_SPACE, MACSIM_CONSTANT, MACSIM_GLOBAL, MACSIM_LOCAL, MACSIM_PARAMETER, MACSIM_SHARED, MACSIM_TEXTURE,
    MACSIM_GENERIC,                      /* numbers 0 to 7 as in the address space field of G64 and G72 */
    MACSIM_SURFACE, MACSIM_GLOBAL_TO_SHARED
};

enum macsim_role {
    MACSIM_PLAIN, MACSIM_BRANCH, MACSIM_CALL, MACSIM_RETURN, MACSIM_EXIT,
    MACSIM_BARRIER,                      /* of the block: waits */
    MACSIM_BARRIER_ARRIVE,               /* does not wait */
    MACSIM_FENCE_CTA, MACSIM_FENCE_GL, MACSIM_FENCE_SYS
};

struct macsim_gpu_op {
    uint8_t access;                      /* enum macsim_access */
    uint8_t space;                       /* enum macsim_space implied by the opcode; NO_SPACE: none */
    uint8_t role;                        /* enum macsim_role */
};

/* PTX and SASS dialects; others, and numbers of no table, give a plain instruction. Its access is by opcode alone: a
 * record that says "is load" loads, regardless of its opcode. */
struct macsim_gpu_op macsim_gpu_op(enum macsim_dialect dialect, unsigned opcode);

/* ---- control flow, spaces, cache operators */

enum macsim_cf {
    MACSIM_CF_NONE, MACSIM_CF_JUMP, MACSIM_CF_CONDITIONAL, MACSIM_CF_CALL, MACSIM_CF_INDIRECT_JUMP,
    MACSIM_CF_INDIRECT_CALL, MACSIM_CF_INDIRECT_SYSTEM, MACSIM_CF_RETURN, MACSIM_CF_SYSTEM,
    MACSIM_CF_INDIRECT_CONDITIONAL, MACSIM_CF_COUNT
};

/* Short enumerations; names as in the specification's table. */
#define MACSIM_VALUE_TABLES(T)                                                                                        \
    T(CF) T(MEM_TYPE) T(ADDR_SPACE) T(NVBIT_SPACE) T(CACHE_OP) T(CACHE_LEVEL) T(FENCE) T(BAR) T(PTX_SPECIAL_OFFSET)   \
    T(REG_PIN212) T(REG_PIN313)

#define MACSIM_VALUE_ENUM(table) MACSIM_TABLE_##table,
enum macsim_value_table { MACSIM_VALUE_TABLES(MACSIM_VALUE_ENUM) MACSIM_TABLE_COUNT };
#undef MACSIM_VALUE_ENUM

/* NULL: the table has no such value. */
const char *macsim_value_name(enum macsim_value_table table, unsigned value);

/* ---- registers */

enum macsim_registers {
    MACSIM_REG_NONE,                     /* numbers without names: a64, igpu */
    MACSIM_REG_PIN212, MACSIM_REG_PIN313,
    MACSIM_REG_PTX_200, MACSIM_REG_PTX_900, MACSIM_REG_PTX_1551, /* base of the special registers */
    MACSIM_REG_SASS,                     /* R, P, UR, UP in one space without a tag */
    MACSIM_REGISTERS_COUNT
};

const char *macsim_registers_name(enum macsim_registers registers);
/* "rax", "r17", "%tid": into text. Numbers without a name are printed as "r<number>". */
void macsim_register_name(enum macsim_registers registers, unsigned number, char *text, size_t room);
/* The number of a register's name in the Pin tables, or -1 if unknown. */
int macsim_register_find(enum macsim_registers registers, const char *name);

/* Classes of micro-ops of MacSim's x86 cores, their latencies, and the class of each opcode (macsim-traces 6).
 *
 * Four sets of tables, as the reference has them: x86 (its default), skylake, skylake_x, coffee_lake. Latencies are
 * cycles of the core. Opcodes are those of proto/macsim/enum.h, so any dialect will do. Nothing here allocates. */

/* enum suffix, name */
#define MACSIM_CORE_TABLES(T)                                                                                         \
    T(X86, "x86") T(SKYLAKE, "skylake") T(SKYLAKE_X, "skylake_x") T(COFFEE_LAKE, "coffee_lake")

#define MACSIM_CORE_TABLE_ENUM(suffix, name) MACSIM_CORE_##suffix,
enum macsim_core_table { MACSIM_CORE_TABLES(MACSIM_CORE_TABLE_ENUM) MACSIM_CORE_TABLE_COUNT };
#undef MACSIM_CORE_TABLE_ENUM

/* class, cycles: x86, skylake, skylake_x, coffee_lake. Where the specification has none for x86's default, it is 1.
 * Only classes that a micro-op of a CPU can have. */
#define MACSIM_CLASSES(C)                                                                                             \
    C(NOP, 1, 1, 1, 1)                                                                                                \
    C(BRANCH, 1, 1, 1, 1)                                                                                             \
    C(MEMORY, 1, 1, 1, 1)            /* IMEM, FMEM: before the memory system */                                       \
    C(IADD, 1, 1, 1, 1)                                                                                               \
    C(CMOV, 1, 1, 1, 1)                                                                                               \
    C(LOGIC, 1, 1, 1, 1)                                                                                              \
    C(SHIFT, 1, 1, 1, 1)                                                                                              \
    C(BYTE, 1, 1, 1, 1)                                                                                               \
    C(IMUL, 2, 3, 3, 3)                                                                                               \
    C(IDIV, 1, 26, 26, 24)                                                                                            \
    C(VADD, 1, 1, 1, 1)                                                                                               \
    C(VSTR, 1, 3, 3, 3)                                                                                               \
    C(VFADD, 1, 1, 4, 1)                                                                                              \
    C(AES, 1, 4, 4, 4)                                                                                                \
    C(PCLMUL, 1, 7, 7, 7)                                                                                             \
    C(X87, 1, 3, 3, 3)                                                                                                \
    C(XSAVE, 1, 107, 112, 107)                                                                                        \
    C(XSAVEOPT, 1, 74, 84, 84)                                                                                        \
    C(FADD, 2, 3, 3, 3)                                                                                               \
    C(FMUL, 2, 4, 5, 5)                                                                                               \
    C(FDIV, 8, 11, 15, 15)                                                                                            \
    C(FENCE, 100, 100, 100, 100)

#define MACSIM_CLASS_ENUM(name, x86, skylake, skylake_x, coffee_lake) MACSIM_CLASS_##name,
enum macsim_class { MACSIM_CLASSES(MACSIM_CLASS_ENUM) MACSIM_CLASS_COUNT };
#undef MACSIM_CLASS_ENUM

/* MACSIM_CORE_TABLE_COUNT: no such name. */
enum macsim_core_table macsim_core_table_find(const char *name);

unsigned macsim_class_latency_cyc(enum macsim_core_table table, enum macsim_class of);

/* Of the computation of an instruction. */
enum macsim_class macsim_x86_class(enum macsim_core_table table, enum macsim_x86 opcode, bool is_fp);
/* A64: the specification has no table. Multiplications and divisions by the opcode's name, all else adds. */
enum macsim_class macsim_a64_class(enum macsim_dialect dialect, unsigned opcode, bool is_fp);

#endif
