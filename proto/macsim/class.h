/* Classes of micro-ops of MacSim's x86 cores, their latencies, and the class of each opcode (macsim-traces 6).
 *
 * Four sets of tables, as the reference has them: x86 (its default), skylake, skylake_x, coffee_lake. Latencies are
 * cycles of the core. Opcodes are those of proto/macsim/enum.h, so any dialect will do. Nothing here allocates. */
#ifndef PROTO_MACSIM_CLASS_H
#define PROTO_MACSIM_CLASS_H

#include <stdbool.h>

#include "proto/macsim/enum.h"

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
