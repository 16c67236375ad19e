/* Loads and stores: Arm ARM C4.1, "Loads and Stores". A pair is one operand; of exclusives and atomics acquire and
 * release are fences. Accesses to tags (MTE) are not counted, but the zeroing of stzg is. ldraa authenticates the
 * base. */
#include "proto/isa/a64_table.h"

/* A register, unscaled, after, unprivileged, before; scaled; with an index. V: 0 or 1, opc: two bits. */
#define ADDRESSED(D, size, v, opc, before, bytes)                                                              \
    D(size " 111 " v " 00 " opc " 0 ......... 00 ..... .....", before "[N]", bytes),                            \
    D(size " 111 " v " 00 " opc " 0 ......... 01 ..... .....", before "[N]!", bytes),                           \
    D(size " 111 " v " 00 " opc " 0 ......... 11 ..... .....", before "[N]!", bytes),                           \
    D(size " 111 " v " 01 " opc " ............ ..... .....", before "[N]", bytes),                              \
    D(size " 111 " v " 00 " opc " 1 ..... .1. . 10 ..... .....", before "[N m]", bytes)

/* Pairs: no-allocate, after, offset, before. */
#define PAIRED(D, opc, v, l, registers, bytes)                                                                        \
    D(opc " 101 " v " 000 " l " ....... ..... ..... .....", registers "[N]", bytes),                                   \
    D(opc " 101 " v " 010 " l " ....... ..... ..... .....", registers "[N]", bytes),                                   \
    D(opc " 101 " v " 001 " l " ....... ..... ..... .....", registers "[N]!", bytes),                                  \
    D(opc " 101 " v " 011 " l " ....... ..... ..... .....", registers "[N]!", bytes)

/* Vectors with elements side by side or interleaved; then the base may grow by a register or the size. */
#define STRUCTURES(opcode, registers, bytes)                                                                          \
    ST("0 . 001100 0 0 000000 " opcode " .. ..... .....", "< " registers " [N]", bytes),                              \
    LD("0 . 001100 0 1 000000 " opcode " .. ..... .....", registers " < [N]", bytes),                                 \
    ST("0 . 001100 1 0 0 ..... " opcode " .. ..... .....", "< " registers " [N m]!", bytes),                          \
    LD("0 . 001100 1 1 0 ..... " opcode " .. ..... .....", registers " < [N m]!", bytes)

/* One lane of each vector, which keeps the others; or all lanes. */
#define LANES(r, low, registers)                                                                                      \
    LD("0 . 001101 0 1 " r " 00000 11" low " 0 .. ..... .....", registers " < [N]", A64_LANE),                        \
    LD("0 . 001101 1 1 " r " ..... 11" low " 0 .. ..... .....", registers " < [N m]!", A64_LANE),                     \
    NONE("0 . 001101 . . " r " ..... 11" low " . .. ..... ....."),                                                    \
    ST("0 . 001101 0 0 " r " 00000 .." low " . .. ..... .....", "< " registers " [N]", A64_LANE),                     \
    LD("0 . 001101 0 1 " r " 00000 .." low " . .. ..... .....", registers " < " registers " [N]", A64_LANE),          \
    ST("0 . 001101 1 0 " r " ..... .." low " . .. ..... .....", "< " registers " [N m]!", A64_LANE),                  \
    LD("0 . 001101 1 1 " r " ..... .." low " . .. ..... .....", registers " < " registers " [N m]!", A64_LANE)

const struct isa_pattern a64_memory[] = {
    /* --- exclusive, ordered --- */
    ATOMIC(".. 001000 000 ..... . ..... ..... .....", "m < d [N]", STORE, A64_SIZE, O0_RELEASE),    /* stxr stlxr */
    ATOMIC(".. 001000 010 ..... . ..... ..... .....", "d < [N]", LOAD, A64_SIZE, O0_ACQUIRE),    /* ldxr ldaxr */
    ATOMIC("1. 001000 001 ..... . ..... ..... .....", "m < d a [N]", STORE, A64_PAIR_X, O0_RELEASE),    /* stxp */
    ATOMIC("1. 001000 011 ..... . ..... ..... .....", "d a < [N]", LOAD, A64_PAIR_X, O0_ACQUIRE),    /* ldxp */
    NONE("0. 001000 0.1 ....1 . ..... ..... ....."),
    NONE("0. 001000 0.1 ..... . ..... ..... ....1"),
    ATOMIC("0. 001000 0.1 ..... . 11111 ..... .....", "m m+1 < m m+1 d d+1 [N]", BOTH, A64_PAIR_X, CAS),    /* casp */
    ORDERED(".. 001000 100 ..... . ..... ..... .....", "< d [N]", STORE, A64_SIZE, RELEASE),    /* stlr stllr */
    ORDERED(".. 001000 110 ..... . ..... ..... .....", "d < [N]", LOAD, A64_SIZE, ACQUIRE),    /* ldar ldlar */
    ATOMIC(".. 001000 1.1 ..... . 11111 ..... .....", "m < m d [N]", BOTH, A64_SIZE, CAS),    /* cas */
    NONE("11 011001 1. 0 ......... 00 ..... ....."),
    NONE("10 011001 11 0 ......... 00 ..... ....."),
    ORDERED(".. 011001 00 0 ......... 00 ..... .....", "< d [N]", STORE, A64_SIZE, RELEASE),    /* stlur */
    ORDERED(".. 011001 .. 0 ......... 00 ..... .....", "d < [N]", LOAD, A64_SIZE, ACQUIRE),    /* ldapur ldapurs */

    /* --- tags --- */
    R("11011001 .0 1 ......... 10 ..... .....", NO_OP, "< D [N]"),    /* stg st2g */
    R("11011001 .0 1 ......... .1 ..... .....", NO_OP, "< D [N]!"),
    ST("11011001 01 1 ......... 10 ..... .....", "< D [N]", 16),    /* stzg */
    ST("11011001 01 1 ......... .1 ..... .....", "< D [N]!", 16),
    ST("11011001 11 1 ......... 10 ..... .....", "< D [N]", 32),    /* stz2g */
    ST("11011001 11 1 ......... .1 ..... .....", "< D [N]!", 32),
    R("11011001 01 1 ......... 00 ..... .....", NO_OP, "d < d N"),    /* ldg */

    /* --- literals --- */
    LD("0. 011 0 00 ................... .....", "d", A64_LITERAL),
    LD("10 011 0 00 ................... .....", "d", 4),    /* ldrsw */
    PREFETCH_OF("11 011 0 00 ................... .....", ""),
    LD("0. 011 1 00 ................... .....", "vd", A64_LITERAL),
    LD("10 011 1 00 ................... .....", "vd", A64_LITERAL),

    /* --- pairs --- */
    PAIRED(ST, ".0", "0", "0", "< d a ", A64_PAIR),
    PAIRED(LD, ".0", "0", "1", "d a < ", A64_PAIR),
    NONE("01 101 0 000 . ....... ..... ..... ....."),
    PAIRED(ST, "01", "0", "0", "< d a ", 16),    /* stgp */
    PAIRED(LD, "01", "0", "1", "d a < ", 8),    /* ldpsw */
    NONE("11 101 1 0.. . ....... ..... ..... ....."),
    PAIRED(ST, "..", "1", "0", "< vd va ", A64_PAIR_V),
    PAIRED(LD, "..", "1", "1", "vd va < ", A64_PAIR_V),

    /* --- atomics, ldraa: beside the registers with an index --- */
    ORDERED(".. 111 0 00 101 11111 1 100 00 ..... .....", "d < [N]", LOAD, A64_SIZE, ACQUIRE),    /* ldapr */
    ATOMIC(".. 111 0 00 ..1 ..... 0 ... 00 ..... .....", "d < m [N]", BOTH, A64_SIZE, AR),    /* ldadd ldclr ... */
    ATOMIC(".. 111 0 00 ..1 ..... 1 000 00 ..... .....", "d < m [N]", BOTH, A64_SIZE, AR),    /* swp */
    LD("11 111 0 00 ..1 ......... 01 ..... .....", "d < [N]", 8),    /* ldraa ldrab */
    LD("11 111 0 00 ..1 ......... 11 ..... .....", "d < [N]!", 8),

    /* --- registers --- */
    PREFETCH_OF("11 111 0 00 10 0 ......... 00 ..... .....", "< [N]"),    /* prfum prfm */
    PREFETCH_OF("11 111 0 01 10 ............ ..... .....", "< [N]"),
    PREFETCH_OF("11 111 0 00 10 1 ..... .1. . 10 ..... .....", "< [N m]"),
    NONE("11 111 0 0. 1. ......................"),
    NONE("10 111 0 0. 11 ......................"),
    ST(".. 111 0 00 00 0 ......... 10 ..... .....", "< d [N]", A64_SIZE),    /* sttr */
    LD(".. 111 0 00 .. 0 ......... 10 ..... .....", "d < [N]", A64_SIZE),    /* ldtr ldtrs */
    ADDRESSED(ST, "..", "0", "00", "< d ", A64_SIZE),    /* str */
    ADDRESSED(LD, "..", "0", "..", "d < ", A64_SIZE),    /* ldr ldrs */
    ADDRESSED(ST, "..", "1", "00", "< vd ", A64_SIZE),
    ADDRESSED(LD, "..", "1", "01", "vd < ", A64_SIZE),
    ADDRESSED(ST, "00", "1", "10", "< vd ", 16),    /* q */
    ADDRESSED(LD, "00", "1", "11", "vd < ", 16),

    /* --- vectors --- */
    NONE("0 0 001100 . . . ..... .000 11 ..... ....."),    /* ld2 to ld4 of one doubleword a vector */
    NONE("0 0 001100 . . . ..... 0100 11 ..... ....."),
    STRUCTURES("0000", "vd vd+1 vd+2 vd+3", A64_STRUCT_4),
    STRUCTURES("0010", "vd vd+1 vd+2 vd+3", A64_STRUCT_4),
    STRUCTURES("0100", "vd vd+1 vd+2", A64_STRUCT_3),
    STRUCTURES("0110", "vd vd+1 vd+2", A64_STRUCT_3),
    STRUCTURES("1000", "vd vd+1", A64_STRUCT_2),
    STRUCTURES("1010", "vd vd+1", A64_STRUCT_2),
    STRUCTURES("0111", "vd", A64_STRUCT_1),
    NONE("0 . 001101 . . . ..... 01. . .1 ..... ....."),
    NONE("0 . 001101 . . . ..... 10. . 1. ..... ....."),
    NONE("0 . 001101 . . . ..... 10. 1 01 ..... ....."),
    LANES("0", "0", "vd"),
    LANES("1", "0", "vd vd+1"),
    LANES("0", "1", "vd vd+1 vd+2"),
    LANES("1", "1", "vd vd+1 vd+2 vd+3"),
};

const size_t a64_memory_count = COUNT(a64_memory);
