/* proto/macsim/enum.h: latencies and classes of opcodes, written down once more from the tables of macsim-traces 6. */
#include "proto/macsim/enum.h"
#include "tests/support/unit.h"

/* Opcodes of a class, names between blanks; "AVX512*": all that begin so. */
struct listed {
    enum macsim_class class;
    const char *opcodes;
};

#define EVERYWHERE                                                                                                    \
    {MACSIM_CLASS_BYTE, " BMI1 BMI2 "}, {MACSIM_CLASS_CMOV, " CMOV "}, {MACSIM_CLASS_SHIFT, " ROTATE SHIFT "},        \
    {MACSIM_CLASS_LOGIC, " LOGICAL LOGICAL_FP LZCNT "}, {MACSIM_CLASS_NOP, " NOP TR_NOP "}
#define SKYLAKES                                                                                                      \
    EVERYWHERE, {MACSIM_CLASS_AES, " AES VAES VIA_PADLOCK "}, {MACSIM_CLASS_PCLMUL, " PCLMULQDQ VPCLMULQDQ "},        \
    {MACSIM_CLASS_VSTR, " STTNI "}, {MACSIM_CLASS_X87, " X87_ALU "}, {MACSIM_CLASS_XSAVE, " XSAVE "},                 \
    {MACSIM_CLASS_XSAVEOPT, " XSAVEOPT "}
#define SKYLAKES_FP                                                                                                   \
    SKYLAKES, {MACSIM_CLASS_FMUL, " FMA4 GFNI IFMA IOSTRINGOP TR_MUL TR_FMUL "},                                      \
    {MACSIM_CLASS_FDIV, " TR_DIV TR_FDIV "}

static const struct listed x86_int[] = {EVERYWHERE,
    {MACSIM_CLASS_IMUL, " AES GFNI IFMA IOSTRINGOP PCLMULQDQ VIA_PADLOCK VPCLMULQDQ XSAVE XSAVEOPT TR_MUL TR_DIV "},
    {MACSIM_CLASS_FADD, " AVX AVX2 AVX2GATHER AVX512* FCMOV MMX MOVDIR MPX SSE X87_ALU "},
    {MACSIM_CLASS_FMUL, " FMA4 TR_FMUL "}, {MACSIM_CLASS_FDIV, " TR_FDIV "}, {MACSIM_CLASS_IADD, NULL}};
static const struct listed x86_fp[] = {EVERYWHERE,
    {MACSIM_CLASS_FMUL, " AES FMA4 GFNI IFMA IOSTRINGOP PCLMULQDQ VIA_PADLOCK VPCLMULQDQ XSAVE XSAVEOPT TR_MUL "
                        "TR_FMUL "},
    {MACSIM_CLASS_FDIV, " TR_DIV TR_FDIV "}, {MACSIM_CLASS_FADD, NULL}};
static const struct listed skylake_int[] = {SKYLAKES,
    {MACSIM_CLASS_VADD, " 3DNOW AVX AVX2 AVX2GATHER AVX512* MMX SSE VBMI2 VFMA XOP "},
    {MACSIM_CLASS_IMUL, " GFNI IFMA IOSTRINGOP TR_MUL "}, {MACSIM_CLASS_IDIV, " TR_DIV "},
    {MACSIM_CLASS_FADD, " FCMOV MOVDIR MPX "}, {MACSIM_CLASS_FMUL, " FMA4 TR_FMUL "},
    {MACSIM_CLASS_FDIV, " TR_FDIV "}, {MACSIM_CLASS_IADD, NULL}};
static const struct listed skylake_fp[] = {SKYLAKES_FP, {MACSIM_CLASS_FADD, NULL}};
static const struct listed skylake_x_fp[] = {SKYLAKES_FP,
    {MACSIM_CLASS_VFADD, " AVX AVX2 AVX2GATHER AVX512* MMX SSE "}, {MACSIM_CLASS_FADD, NULL}};

static bool is_listed(const struct listed *listed, const char *name)
{
    size_t const length = strlen(name);

    if (listed->opcodes == NULL || (strncmp(name, "AVX512", 6) == 0 && strstr(listed->opcodes, " AVX512* ") != NULL))
        return true;
    for (const char *at = listed->opcodes; (at = strstr(at, name)) != NULL; at++)
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

static enum macsim_class expected(const struct listed *listed, const char *name)
{
    while (!is_listed(listed, name))
        listed++;
    return listed->class;
}

static void classes_of_opcodes(void **state)
{
#define NAME(name) #name,
    static const char *const names[] = {MACSIM_X86_NAMES(NAME)};
    static const struct { enum macsim_core_table table; const struct listed *of[2]; } maps[] = {
        {MACSIM_CORE_X86, {x86_int, x86_fp}}, {MACSIM_CORE_SKYLAKE, {skylake_int, skylake_fp}},
        {MACSIM_CORE_COFFEE_LAKE, {skylake_int, skylake_fp}}, {MACSIM_CORE_SKYLAKE_X, {skylake_int, skylake_x_fp}}};

    for (size_t m = 0; m < sizeof maps / sizeof maps[0]; m++)
        for (int fp = 0; fp < 2; fp++)
            for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
                if (macsim_x86_class(maps[m].table, (enum macsim_x86)(i + 1), fp) != expected(maps[m].of[fp], names[i]))
                    fail_msg("table %d, fp %d: %s", (int)maps[m].table, fp, names[i]);
}

static void latencies(void **state)
{
    static const struct { enum macsim_class class; unsigned cycles[4]; } rows[] = {
        {MACSIM_CLASS_NOP, {1, 1, 1, 1}}, {MACSIM_CLASS_BRANCH, {1, 1, 1, 1}}, {MACSIM_CLASS_MEMORY, {1, 1, 1, 1}},
        {MACSIM_CLASS_IADD, {1, 1, 1, 1}}, {MACSIM_CLASS_CMOV, {1, 1, 1, 1}}, {MACSIM_CLASS_LOGIC, {1, 1, 1, 1}},
        {MACSIM_CLASS_SHIFT, {1, 1, 1, 1}}, {MACSIM_CLASS_BYTE, {1, 1, 1, 1}}, {MACSIM_CLASS_IMUL, {2, 3, 3, 3}},
        {MACSIM_CLASS_IDIV, {1, 26, 26, 24}}, {MACSIM_CLASS_VADD, {1, 1, 1, 1}}, {MACSIM_CLASS_VSTR, {1, 3, 3, 3}},
        {MACSIM_CLASS_VFADD, {1, 1, 4, 1}}, {MACSIM_CLASS_AES, {1, 4, 4, 4}}, {MACSIM_CLASS_PCLMUL, {1, 7, 7, 7}},
        {MACSIM_CLASS_X87, {1, 3, 3, 3}}, {MACSIM_CLASS_XSAVE, {1, 107, 112, 107}},
        {MACSIM_CLASS_XSAVEOPT, {1, 74, 84, 84}}, {MACSIM_CLASS_FADD, {2, 3, 3, 3}},
        {MACSIM_CLASS_FMUL, {2, 4, 5, 5}}, {MACSIM_CLASS_FDIV, {8, 11, 15, 15}},
        {MACSIM_CLASS_FENCE, {100, 100, 100, 100}}};
    static const char *const tables[] = {"x86", "skylake", "skylake_x", "coffee_lake"};

    assert_int_equal(sizeof rows / sizeof rows[0], MACSIM_CLASS_COUNT);
    for (unsigned t = 0; t < 4; t++)
        for (size_t i = 0; i < MACSIM_CLASS_COUNT; i++)
            assert_int_equal(macsim_class_latency_cyc(macsim_core_table_find(tables[t]), rows[i].class),
                             rows[i].cycles[t]);
    assert_int_equal(macsim_core_table_find("zen"), MACSIM_CORE_TABLE_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(classes_of_opcodes), cmocka_unit_test(latencies)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
