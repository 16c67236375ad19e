/* Data of macsim-traces 6 and how it is looked up. coffee_lake has skylake's map of opcodes; skylake_x differs from it
 * in vector arithmetic of floating-point records. */
#include "proto/macsim/enum.h"

#include <string.h>

/* opcode, class by map: x86 integer, x86 fp, skylake integer, skylake fp, skylake_x fp. Others: IADD, FADD. */
#define OPCODE_CLASSES(O)                                                                                             \
    O(3DNOW, IADD, FADD, VADD, FADD, FADD)                                                                            \
    O(AES, IMUL, FMUL, AES, AES, AES)                                                                                 \
    O(AVX, FADD, FADD, VADD, FADD, VFADD)                                                                             \
    O(AVX2, FADD, FADD, VADD, FADD, VFADD)                                                                            \
    O(AVX2GATHER, FADD, FADD, VADD, FADD, VFADD)                                                                      \
    O(AVX512, FADD, FADD, VADD, FADD, VFADD)                                                                          \
    O(AVX512_4FMAPS, FADD, FADD, VADD, FADD, VFADD)                                                                   \
    O(AVX512_4VNNIW, FADD, FADD, VADD, FADD, VFADD)                                                                   \
    O(AVX512_BITALG, FADD, FADD, VADD, FADD, VFADD)                                                                   \
    O(AVX512_VBMI, FADD, FADD, VADD, FADD, VFADD)                                                                     \
    O(AVX512_VP2INTERSECT, FADD, FADD, VADD, FADD, VFADD)                                                             \
    O(BMI1, BYTE, BYTE, BYTE, BYTE, BYTE)                                                                             \
    O(BMI2, BYTE, BYTE, BYTE, BYTE, BYTE)                                                                             \
    O(CMOV, CMOV, CMOV, CMOV, CMOV, CMOV)                                                                             \
    O(FCMOV, FADD, FADD, FADD, FADD, FADD)                                                                            \
    O(FMA4, FMUL, FMUL, FMUL, FMUL, FMUL)                                                                             \
    O(GFNI, IMUL, FMUL, IMUL, FMUL, FMUL)                                                                             \
    O(IFMA, IMUL, FMUL, IMUL, FMUL, FMUL)                                                                             \
    O(IOSTRINGOP, IMUL, FMUL, IMUL, FMUL, FMUL)                                                                       \
    O(LOGICAL, LOGIC, LOGIC, LOGIC, LOGIC, LOGIC)                                                                     \
    O(LOGICAL_FP, LOGIC, LOGIC, LOGIC, LOGIC, LOGIC)                                                                  \
    O(LZCNT, LOGIC, LOGIC, LOGIC, LOGIC, LOGIC)                                                                       \
    O(MMX, FADD, FADD, VADD, FADD, VFADD)                                                                             \
    O(MOVDIR, FADD, FADD, FADD, FADD, FADD)                                                                           \
    O(MPX, FADD, FADD, FADD, FADD, FADD)                                                                              \
    O(NOP, NOP, NOP, NOP, NOP, NOP)                                                                                   \
    O(PCLMULQDQ, IMUL, FMUL, PCLMUL, PCLMUL, PCLMUL)                                                                  \
    O(ROTATE, SHIFT, SHIFT, SHIFT, SHIFT, SHIFT)                                                                      \
    O(SHIFT, SHIFT, SHIFT, SHIFT, SHIFT, SHIFT)                                                                       \
    O(SSE, FADD, FADD, VADD, FADD, VFADD)                                                                             \
    O(STTNI, IADD, FADD, VSTR, VSTR, VSTR)                                                                            \
    O(VAES, IADD, FADD, AES, AES, AES)                                                                                \
    O(VBMI2, IADD, FADD, VADD, FADD, FADD)                                                                            \
    O(VFMA, IADD, FADD, VADD, FADD, FADD)                                                                             \
    O(VIA_PADLOCK, IMUL, FMUL, AES, AES, AES)                                                                         \
    O(VPCLMULQDQ, IMUL, FMUL, PCLMUL, PCLMUL, PCLMUL)                                                                 \
    O(X87_ALU, FADD, FADD, X87, X87, X87)                                                                             \
    O(XOP, IADD, FADD, VADD, FADD, FADD)                                                                              \
    O(XSAVE, IMUL, FMUL, XSAVE, XSAVE, XSAVE)                                                                         \
    O(XSAVEOPT, IMUL, FMUL, XSAVEOPT, XSAVEOPT, XSAVEOPT)                                                             \
    O(TR_MUL, IMUL, FMUL, IMUL, FMUL, FMUL)                                                                           \
    O(TR_DIV, IMUL, FDIV, IDIV, FDIV, FDIV)                                                                           \
    O(TR_FMUL, FMUL, FMUL, FMUL, FMUL, FMUL)                                                                          \
    O(TR_FDIV, FDIV, FDIV, FDIV, FDIV, FDIV)                                                                          \
    O(TR_NOP, NOP, NOP, NOP, NOP, NOP)

struct opcode_classes {
    bool is_listed;
    uint8_t x86[2], skylake[2], skylake_x_fp;            /* enum macsim_class; by the fp flag */
};

#define OPCODE_CLASSES_ROW(opcode, xi, xf, si, sf, sxf)                                                               \
    [MACSIM_X86_##opcode] = {true, {MACSIM_CLASS_##xi, MACSIM_CLASS_##xf}, {MACSIM_CLASS_##si, MACSIM_CLASS_##sf},    \
                             MACSIM_CLASS_##sxf},
static const struct opcode_classes opcode_classes[MACSIM_X86_COUNT] = {OPCODE_CLASSES(OPCODE_CLASSES_ROW)};

#define LATENCY_ROW(name, x86, skylake, skylake_x, coffee_lake) {x86, skylake, skylake_x, coffee_lake},
static const uint8_t latencies_cyc[MACSIM_CLASS_COUNT][MACSIM_CORE_TABLE_COUNT] = {MACSIM_CLASSES(LATENCY_ROW)};

#define TABLE_NAME(suffix, name) name,
static const char *const table_names[MACSIM_CORE_TABLE_COUNT] = {MACSIM_CORE_TABLES(TABLE_NAME)};

enum macsim_core_table macsim_core_table_find(const char *name)
{
    unsigned table = 0;

    while (table < MACSIM_CORE_TABLE_COUNT && strcmp(table_names[table], name) != 0)
        table++;
    return (enum macsim_core_table)table;
}

unsigned macsim_class_latency_cyc(enum macsim_core_table table, enum macsim_class of)
{
    return latencies_cyc[of][table];
}

enum macsim_class macsim_x86_class(enum macsim_core_table table, enum macsim_x86 opcode, bool is_fp)
{
    const struct opcode_classes *const classes = &opcode_classes[opcode];

    if (!classes->is_listed)
        return is_fp ? MACSIM_CLASS_FADD : MACSIM_CLASS_IADD;
    if (table == MACSIM_CORE_X86)
        return (enum macsim_class)classes->x86[is_fp];
    if (table == MACSIM_CORE_SKYLAKE_X && is_fp)
        return (enum macsim_class)classes->skylake_x_fp;
    return (enum macsim_class)classes->skylake[is_fp];
}

static bool has_any(const char *name, const char *const *parts)
{
    for (; *parts; parts++)
        if (strstr(name, *parts))
            return true;
    return false;
}

enum macsim_class macsim_a64_class(enum macsim_dialect dialect, unsigned opcode, bool is_fp)
{
    static const char *const multiplies[] = {"MUL", "MADD", "MSUB", "MLA", "MLS", "MNEG", "RECP", "RSQRTS", NULL};
    static const char *const divides[] = {"DIV", "SQRT", NULL};
    const char *const name = macsim_opcode_name(dialect, opcode);

    if (!name)
        return is_fp ? MACSIM_CLASS_FADD : MACSIM_CLASS_IADD;
    if (has_any(name, multiplies))
        return is_fp ? MACSIM_CLASS_FMUL : MACSIM_CLASS_IMUL;
    if (has_any(name, divides))
        return is_fp ? MACSIM_CLASS_FDIV : MACSIM_CLASS_IDIV;
    return is_fp ? MACSIM_CLASS_FADD : MACSIM_CLASS_IADD;
}
