/* Tables only: proto/macsim/tables.h has numbers and names (macsim-traces, appendices A to F), this file has the
 * effects of the GPU's opcodes (2.2, 4.2, 4.3). Registers of Pin kits between 2.12 and 3.13 are not known; they have
 * the nearest
 * names. */
#include "proto/macsim/enum.h"

#include <stdio.h>
#include <string.h>

/* ---- names */

#define NAME(name) #name,
static const char *const x86_names[] = {NULL, MACSIM_X86_NAMES(NAME)};
static const char *const ptx_names[] = {NULL, MACSIM_PTX_NAMES(NAME)};
static const char *const sass_names[] = {NULL, MACSIM_SASS_NAMES(NAME)};
static const char *const a64_names[] = {NULL, MACSIM_A64_NAMES(NAME)};
static const char *const ged_names[] = {NULL, MACSIM_GED_NAMES(NAME)};
static const char *const *const family_names[] = {
    [MACSIM_FAMILY_X86] = x86_names, [MACSIM_FAMILY_PTX] = ptx_names, [MACSIM_FAMILY_SASS] = sass_names,
    [MACSIM_FAMILY_A64] = a64_names, [MACSIM_FAMILY_GED] = ged_names,
};

/* A dialect's numbers as those of its family. */
#define X86_OP(name) MACSIM_X86_##name,
#define PTX_OP(name) MACSIM_PTX_##name,
#define SASS_OP(name) MACSIM_SASS_##name,
#define A64_OP(name) MACSIM_A64_##name,
#define GED_OP(name) MACSIM_GED_##name,
#define DIALECT_TABLE(suffix, name, family) \
    static const uint16_t table_##suffix[] = {MACSIM_##suffix##_TABLE(family##_OP)};
MACSIM_DIALECTS(DIALECT_TABLE)

struct dialect {
    const char *name;
    const uint16_t *ops;
    unsigned size;
    enum macsim_family family;
};

#define DIALECT_ENTRY(suffix, name, family) \
    [MACSIM_##suffix] = {name, table_##suffix, sizeof table_##suffix / sizeof table_##suffix[0], \
                         MACSIM_FAMILY_##family},
static const struct dialect dialects[] = { MACSIM_DIALECTS(DIALECT_ENTRY) };

const char *macsim_dialect_name(enum macsim_dialect dialect)
{
    return dialects[dialect].name;
}

enum macsim_family macsim_dialect_family(enum macsim_dialect dialect)
{
    return dialects[dialect].family;
}

unsigned macsim_dialect_size(enum macsim_dialect dialect)
{
    return dialects[dialect].size;
}

const char *macsim_opcode_name(enum macsim_dialect dialect, unsigned opcode)
{
    const struct dialect *const of = &dialects[dialect];

    return opcode < of->size ? family_names[of->family][of->ops[opcode]] : NULL;
}

/* ---- one number for all dialects */

static unsigned op_of(enum macsim_dialect dialect, unsigned opcode, enum macsim_family family)
{
    const struct dialect *const of = &dialects[dialect];

    return of->family == family && opcode < of->size ? of->ops[opcode] : 0;
}

enum macsim_x86 macsim_x86_op(enum macsim_dialect dialect, unsigned opcode)
{
    return (enum macsim_x86)op_of(dialect, opcode, MACSIM_FAMILY_X86);
}

bool macsim_is_tile(enum macsim_dialect dialect, unsigned opcode)
{
    enum macsim_x86 const op = macsim_x86_op(dialect, opcode);

    return op == MACSIM_X86_AMX || op == MACSIM_X86_AMX_TILE;
}

enum macsim_sass macsim_sass_op(enum macsim_dialect dialect, unsigned opcode)
{
    return (enum macsim_sass)op_of(dialect, opcode, MACSIM_FAMILY_SASS);
}

enum macsim_a64 macsim_a64_op(enum macsim_dialect dialect, unsigned opcode)
{
    return (enum macsim_a64)op_of(dialect, opcode, MACSIM_FAMILY_A64);
}

enum macsim_ged macsim_ged_op(enum macsim_dialect dialect, unsigned opcode)
{
    return (enum macsim_ged)op_of(dialect, opcode, MACSIM_FAMILY_GED);
}

/* Names that the tables of 2011 and 2012 gave to PTX's memory instructions. */
#define FIVE(old, now) O(old##_CA, now) O(old##_CG, now) O(old##_CS, now) O(old##_LU, now) O(old##_CU, now)
#define FOUR(old, now) O(old##_WB, now) O(old##_CG, now) O(old##_CS, now) O(old##_WT, now)
#define OLD_PTX_NAMES                                                                                                 \
    O(TR_MEM_LD_LM, MEM_LD_LM) O(TR_MEM_LD_SM, MEM_LD_SM) O(TR_MEM_LD_GM, MEM_LD_GM) O(TR_MEM_ST_LM, MEM_ST_LM)       \
    O(TR_MEM_ST_SM, MEM_ST_SM) O(TR_MEM_ST_GM, MEM_ST_GM) O(TR_DATA_XFER_LM, DATA_XFER_LM)                            \
    O(TR_DATA_XFER_SM, DATA_XFER_SM) O(TR_DATA_XFER_GM, DATA_XFER_GM) O(TR_MEM_LD_CM, MEM_LD_CM)                      \
    O(TR_MEM_LD_TM, MEM_LD_TM) O(TR_MEM_LD_PM, MEM_LD_PM) FIVE(LD_CM, MEM_LD_CM) FIVE(LD_GM, MEM_LD_GM)               \
    FIVE(LD_LM, MEM_LD_LM) FIVE(LD_PM, MEM_LD_PM) FIVE(LD_SM, MEM_LD_SM) O(LDU_GM, MEM_LDU_GM)                        \
    FOUR(ST_GM, MEM_ST_GM) FOUR(ST_LM, MEM_ST_LM) FOUR(ST_SM, MEM_ST_SM) O(PREF_GM_L1, PREFETCH)                      \
    O(PREF_GM_L2, PREFETCH) O(PREF_LM_L1, PREFETCH) O(PREF_LM_L2, PREFETCH) O(PREF_UNIFORM, PREFETCHU)

static enum macsim_ptx old_ptx_op(unsigned op)
{
    /* GPU_ABS ... GPU_PHI have the order of the later table */
    if (op >= MACSIM_X86_GPU_ABS && op <= MACSIM_X86_GPU_PHI)
        return (enum macsim_ptx)table_PTX_2013A[op - MACSIM_X86_GPU_ABS + 1];
    switch (op) {
#define O(old, now) case MACSIM_X86_##old: return MACSIM_PTX_##now;
        OLD_PTX_NAMES
#undef O
    default: return MACSIM_PTX_UNKNOWN;
    }
}

enum macsim_ptx macsim_ptx_op(enum macsim_dialect dialect, unsigned opcode)
{
    if (dialects[dialect].family == MACSIM_FAMILY_X86)
        return old_ptx_op(op_of(dialect, opcode, MACSIM_FAMILY_X86));
    return (enum macsim_ptx)op_of(dialect, opcode, MACSIM_FAMILY_PTX);
}

/* ---- effects of a GPU's instructions */

/* opcode, access, space, role; all others are plain. TEX and its kin load as far as the record says so. */
#define PTX_OPS(O)                                                                                                    \
    O(MEM_LD_GM, LOAD, GLOBAL, PLAIN) O(MEM_LDU_GM, LOAD, GLOBAL, PLAIN) O(MEM_LD_LM, LOAD, LOCAL, PLAIN)             \
    O(MEM_LD_SM, LOAD, SHARED, PLAIN) O(MEM_LD_CM, LOAD, CONSTANT, PLAIN) O(MEM_LD_TM, LOAD, TEXTURE, PLAIN)          \
    O(MEM_LD_PM, LOAD, PARAMETER, PLAIN) O(MEM_ST_GM, STORE, GLOBAL, PLAIN) O(MEM_ST_LM, STORE, LOCAL, PLAIN)         \
    O(MEM_ST_SM, STORE, SHARED, PLAIN)                                                                                \
    O(ATOM_GM, ATOMIC, GLOBAL, PLAIN) O(ATOM64_GM, ATOMIC, GLOBAL, PLAIN) O(ATOM_SM, ATOMIC, SHARED, PLAIN)           \
    O(ATOM64_SM, ATOMIC, SHARED, PLAIN) O(ATOM, ATOMIC, GENERIC, PLAIN) O(ATOM64, ATOMIC, GENERIC, PLAIN)             \
    O(RED_GM, REDUCTION, GLOBAL, PLAIN) O(RED64_GM, REDUCTION, GLOBAL, PLAIN) O(RED_SM, REDUCTION, SHARED, PLAIN)     \
    O(RED64_SM, REDUCTION, SHARED, PLAIN) O(RED, REDUCTION, GENERIC, PLAIN) O(RED64, REDUCTION, GENERIC, PLAIN)       \
    O(PREFETCH, PREFETCH, NO_SPACE, PLAIN) O(PREFETCHU, PREFETCH, NO_SPACE, PLAIN)                                    \
    O(BRA, NO_ACCESS, NO_SPACE, BRANCH) O(CALL, NO_ACCESS, NO_SPACE, CALL) O(RET, NO_ACCESS, NO_SPACE, RETURN)        \
    O(EXIT, NO_ACCESS, NO_SPACE, EXIT) O(BAR, NO_ACCESS, NO_SPACE, BARRIER) O(BAR_SYNC, NO_ACCESS, NO_SPACE, BARRIER) \
    O(BAR_RED, NO_ACCESS, NO_SPACE, BARRIER) O(BAR_ARRIVE, NO_ACCESS, NO_SPACE, BARRIER_ARRIVE)                       \
    O(MEMBAR, NO_ACCESS, NO_SPACE, FENCE_GL) O(MEMBAR_CTA, NO_ACCESS, NO_SPACE, FENCE_CTA)                            \
    O(MEMBAR_GL, NO_ACCESS, NO_SPACE, FENCE_GL) O(MEMBAR_SYS, NO_ACCESS, NO_SPACE, FENCE_SYS)

#define SASS_OPS(O)                                                                                                   \
    O(LD, LOAD, GENERIC, PLAIN) O(LDC, LOAD, CONSTANT, PLAIN) O(ULDC, LOAD, CONSTANT, PLAIN)                          \
    O(LDG, LOAD, GLOBAL, PLAIN) O(LDGMC, LOAD, GLOBAL, PLAIN) O(LDL, LOAD, LOCAL, PLAIN)                              \
    O(LDS, LOAD, SHARED, PLAIN) O(LDSM, LOAD, SHARED, PLAIN) O(LDGSTS, LOAD, GLOBAL_TO_SHARED, PLAIN)                 \
    O(ST, STORE, GENERIC, PLAIN) O(STG, STORE, GLOBAL, PLAIN) O(STL, STORE, LOCAL, PLAIN)                             \
    O(STS, STORE, SHARED, PLAIN) O(STSM, STORE, SHARED, PLAIN)                                                        \
    O(ATOM, ATOMIC, GENERIC, PLAIN) O(ATOMG, ATOMIC, GLOBAL, PLAIN) O(ATOMS, ATOMIC, SHARED, PLAIN)                   \
    O(RED, REDUCTION, GLOBAL, PLAIN) O(REDG, REDUCTION, GLOBAL, PLAIN) O(REDAS, REDUCTION, SHARED, PLAIN)             \
    O(TEX, LOAD, TEXTURE, PLAIN) O(TLD, LOAD, TEXTURE, PLAIN) O(TLD4, LOAD, TEXTURE, PLAIN)                           \
    O(TXD, LOAD, TEXTURE, PLAIN) O(SULD, LOAD, SURFACE, PLAIN) O(SUST, STORE, SURFACE, PLAIN)                         \
    O(SUATOM, ATOMIC, SURFACE, PLAIN) O(SURED, REDUCTION, SURFACE, PLAIN)                                             \
    O(BRA, NO_ACCESS, NO_SPACE, BRANCH) O(BRX, NO_ACCESS, NO_SPACE, BRANCH) O(BRXU, NO_ACCESS, NO_SPACE, BRANCH)      \
    O(JMP, NO_ACCESS, NO_SPACE, BRANCH) O(JMX, NO_ACCESS, NO_SPACE, BRANCH) O(JMXU, NO_ACCESS, NO_SPACE, BRANCH)      \
    O(CALL, NO_ACCESS, NO_SPACE, CALL) O(RET, NO_ACCESS, NO_SPACE, RETURN) O(EXIT, NO_ACCESS, NO_SPACE, EXIT)         \
    O(BAR, NO_ACCESS, NO_SPACE, BARRIER) O(MEMBAR, NO_ACCESS, NO_SPACE, FENCE_GL)                                     \
    O(FENCE, NO_ACCESS, NO_SPACE, FENCE_GL)

#define PTX_ROW(op, access, space, role) [MACSIM_PTX_##op] = {MACSIM_##access, MACSIM_##space, MACSIM_##role},
static const struct macsim_gpu_op ptx_ops[MACSIM_PTX_COUNT] = { PTX_OPS(PTX_ROW) };
#define SASS_ROW(op, access, space, role) [MACSIM_SASS_##op] = {MACSIM_##access, MACSIM_##space, MACSIM_##role},
static const struct macsim_gpu_op sass_ops[MACSIM_SASS_COUNT] = { SASS_OPS(SASS_ROW) };

struct macsim_gpu_op macsim_gpu_op(enum macsim_dialect dialect, unsigned opcode)
{
    return dialects[dialect].family == MACSIM_FAMILY_SASS ? sass_ops[macsim_sass_op(dialect, opcode)]
                                                          : ptx_ops[macsim_ptx_op(dialect, opcode)];
}

/* ---- short enumerations and registers */

#define VALUE(value, name) [value] = #name,
#define VALUE_TABLE(table) static const char *const values_##table[] = { MACSIM_##table##_VALUES(VALUE) };
MACSIM_VALUE_TABLES(VALUE_TABLE)

struct values {
    const char *const *names;
    unsigned size;
};

#define VALUE_ENTRY(table) \
    [MACSIM_TABLE_##table] = {values_##table, sizeof values_##table / sizeof values_##table[0]},
static const struct values values[] = { MACSIM_VALUE_TABLES(VALUE_ENTRY) };

const char *macsim_value_name(enum macsim_value_table table, unsigned value)
{
    return value < values[table].size ? values[table].names[value] : NULL;
}

struct registers {
    const char *name;
    unsigned special_base;               /* PTX: of %tid */
    int table;                           /* of names; -1: none */
};

static const struct registers registers_of[] = {
    [MACSIM_REG_NONE] = {"numbers", 0, -1},
    [MACSIM_REG_PIN212] = {"pin212", 0, MACSIM_TABLE_REG_PIN212},
    [MACSIM_REG_PIN313] = {"pin313", 0, MACSIM_TABLE_REG_PIN313},
    [MACSIM_REG_PTX_200] = {"ptx, special from 200", 200, MACSIM_TABLE_PTX_SPECIAL_OFFSET},
    [MACSIM_REG_PTX_900] = {"ptx, special from 900", 900, MACSIM_TABLE_PTX_SPECIAL_OFFSET},
    [MACSIM_REG_PTX_1551] = {"ptx, special from 1551", 1551, MACSIM_TABLE_PTX_SPECIAL_OFFSET},
    [MACSIM_REG_SASS] = {"sass", 0, -1},
};

const char *macsim_registers_name(enum macsim_registers registers)
{
    return registers_of[registers].name;
}

void macsim_register_name(enum macsim_registers registers, unsigned number, char *text, size_t room)
{
    const struct registers *const of = &registers_of[registers];
    const char *const name = of->table >= 0 && number >= of->special_base
        ? macsim_value_name((enum macsim_value_table)of->table, number - of->special_base) : NULL;

    if (name != NULL)
        snprintf(text, room, "%s%s", of->special_base > 0 ? "%" : "", name);
    else
        snprintf(text, room, "r%u", number);
}

int macsim_register_find(enum macsim_registers registers, const char *name)
{
    int const table = registers_of[registers].table;

    for (unsigned i = 0; table >= 0 && i < values[table].size; i++)
        if (values[table].names[i] != NULL && strcmp(values[table].names[i], name) == 0)
            return (int)(i + registers_of[registers].special_base);
    return -1;
}
