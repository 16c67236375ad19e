/* Conditions on an opcode table: control flow by opcode agrees with the record's field, pushes store, pops load once,
 * more than two loads are those of a tile, PTX loads are loads, special registers have the numbers of the version, a
 * warp ends with EXIT or RET. NVBit and A64 have one table each. */
#include "proto/macsim/set.h"

enum { ADDRESS_RECORDS = 4 };

/* ---- which tables a layout has */

static const enum macsim_dialect c52_tables[] = {MACSIM_X86_2012A, MACSIM_X86_2012B, MACSIM_X86_2011B,
                                                 MACSIM_X86_2013A, MACSIM_X86_2011A, NO_DIALECT};
static const enum macsim_dialect c80_tables[] = {MACSIM_X86_PIN313, MACSIM_X86_PIN212, MACSIM_X86_AMX1,
                                                 MACSIM_X86_PIN37, MACSIM_X86_AMX2, MACSIM_X86_AMX3,
                                                 MACSIM_X86_2013A, NO_DIALECT};
static const enum macsim_dialect igpu_tables[] = {MACSIM_GED_2019, MACSIM_GED_2017, MACSIM_GED_2022, NO_DIALECT};
static const enum macsim_dialect c88_tables[] = {MACSIM_X86_PIN37, MACSIM_X86_PIN313, MACSIM_X86_PIN212, NO_DIALECT};
static const enum macsim_dialect c464_tables[] = {MACSIM_X86_AMX2, MACSIM_X86_AMX3, MACSIM_X86_AMX1,
                                                  MACSIM_X86_PIN313, NO_DIALECT};
static const enum macsim_dialect a80_tables[] = {MACSIM_A64, NO_DIALECT};
static const enum macsim_dialect g64_tables[] = {MACSIM_PTX_V131, NO_DIALECT};
static const enum macsim_dialect g72_tables[] = {MACSIM_PTX_V14, MACSIM_PTX_V131, NO_DIALECT};
static const enum macsim_dialect n64_tables[] = {MACSIM_NVBIT, NO_DIALECT};
static const enum macsim_dialect old_ptx_tables[] = {MACSIM_X86_2012B, MACSIM_PTX_2013A, MACSIM_X86_2012A,
                                                     MACSIM_X86_2011B, MACSIM_X86_2011A, NO_DIALECT};
static const enum macsim_dialect old_ptx80_tables[] = {MACSIM_PTX_2013A, NO_DIALECT};

const enum macsim_dialect *macsim_dialects_of(enum macsim_layout layout, bool is_gpu, enum macsim_kind kind)
{
    switch (layout) {
    case MACSIM_C52: return is_gpu ? old_ptx_tables : c52_tables;
    case MACSIM_C80: return is_gpu ? old_ptx80_tables : kind == MACSIM_KIND_IGPU ? igpu_tables : c80_tables;
    case MACSIM_C88: return c88_tables;
    case MACSIM_A80: return a80_tables;
    case MACSIM_C464: return c464_tables;
    case MACSIM_G64: return g64_tables;
    case MACSIM_G72: return g72_tables;
    case MACSIM_N64: case MACSIM_LAYOUT_COUNT: break;
    }
    return n64_tables;
}

static enum macsim_registers registers_of(enum macsim_layout layout, enum macsim_dialect dialect)
{
    switch (macsim_dialect_family(dialect)) {
    case MACSIM_FAMILY_SASS: return MACSIM_REG_SASS;
    case MACSIM_FAMILY_A64: case MACSIM_FAMILY_GED: return MACSIM_REG_NONE;
    case MACSIM_FAMILY_PTX:
        return layout != MACSIM_G72 ? MACSIM_REG_PTX_200
            : dialect == MACSIM_PTX_V14 ? MACSIM_REG_PTX_1551 : MACSIM_REG_PTX_900;
    case MACSIM_FAMILY_X86: break;
    }
    return dialect <= MACSIM_X86_PIN212 ? MACSIM_REG_PIN212 : MACSIM_REG_PIN313;
}

struct macsim_format macsim_format_of(enum macsim_layout layout, enum macsim_dialect dialect, bool is_gpu)
{
    enum macsim_registers const registers = is_gpu && macsim_dialect_family(dialect) == MACSIM_FAMILY_X86
        ? MACSIM_REG_PTX_200 : registers_of(layout, dialect);

    return (struct macsim_format){layout, dialect, registers, is_gpu};
}

size_t macsim_step(const struct macsim_format *format, const uint8_t *record)
{
    size_t const bytes = macsim_layout_bytes(format->layout);
    struct macsim_gpu_record decoded;

    if (format->layout != MACSIM_G64 && format->layout != MACSIM_G72)
        return bytes;
    macsim_decode_gpu(format, record, &decoded);
    return decoded.accesses_memory ? (1 + ADDRESS_RECORDS) * bytes : bytes;
}

/* ---- judging */

static void dialect_note(struct macsim_dialect_score *score, bool agrees)
{
    if (agrees)
        score->agree++;
    else
        score->contradict++;
}

/* The control flow that an x86 instruction must have: a set of bits, 0: none. */
static unsigned x86_flow(enum macsim_x86 op)
{
    switch ((int)op) {
    case MACSIM_X86_COND_BR: return 1u << MACSIM_CF_CONDITIONAL;
    case MACSIM_X86_RET: return 1u << MACSIM_CF_RETURN;
    case MACSIM_X86_CALL: return 1u << MACSIM_CF_CALL | 1u << MACSIM_CF_INDIRECT_CALL;
    case MACSIM_X86_UNCOND_BR: return 1u << MACSIM_CF_JUMP | 1u << MACSIM_CF_INDIRECT_JUMP;
    default: return 0;
    }
}

#define FLOWS_TOLD (1u << MACSIM_CF_CONDITIONAL | 1u << MACSIM_CF_RETURN | 1u << MACSIM_CF_CALL \
                    | 1u << MACSIM_CF_INDIRECT_CALL | 1u << MACSIM_CF_JUMP | 1u << MACSIM_CF_INDIRECT_JUMP)

static void judge_flow(struct macsim_dialect_score *score, unsigned expected, unsigned cf)
{
    unsigned const is = cf < MACSIM_CF_COUNT ? 1u << cf : 0;

    if (expected != 0 || (is & FLOWS_TOLD) != 0)
        dialect_note(score, (is & expected) != 0);
}

static void judge_x86(struct macsim_dialect_score *score, enum macsim_dialect dialect,
                      const struct macsim_cpu_record *record)
{
    enum macsim_x86 const op = macsim_x86_op(dialect, record->opcode);

    if (op == MACSIM_X86_UNKNOWN) {
        dialect_note(score, false);
        return;
    }
    judge_flow(score, x86_flow(op), record->cf);
    if (record->load_count > 2)
        dialect_note(score, macsim_is_tile(dialect, record->opcode));
    switch ((int)op) {
    case MACSIM_X86_PUSH: dialect_note(score, record->has_store); break;
    case MACSIM_X86_POP: dialect_note(score, record->load_count == 1); break;
    case MACSIM_X86_NOP: case MACSIM_X86_TR_NOP:
        dialect_note(score, record->load_count == 0 && !record->has_store && record->destination_count == 0);
        break;
    default: break;
    }
}

/* Memory goes through a few opcodes, and so does control flow (4.4). */
static void judge_ged(struct macsim_dialect_score *score, enum macsim_dialect dialect,
                      const struct macsim_cpu_record *record)
{
    bool accesses = false, branches = false;

    switch ((int)macsim_ged_op(dialect, record->opcode)) {
    case MACSIM_GED_UNKNOWN: dialect_note(score, false); return;
    case MACSIM_GED_MOV: case MACSIM_GED_MOVI: case MACSIM_GED_SMOV: case MACSIM_GED_SEND: case MACSIM_GED_SENDC:
    case MACSIM_GED_SENDS: case MACSIM_GED_SENDSC:
        accesses = true;
        break;
    case MACSIM_GED_JMPI: case MACSIM_GED_BRD: case MACSIM_GED_IF: case MACSIM_GED_BRC: case MACSIM_GED_ELSE:
    case MACSIM_GED_ENDIF: case MACSIM_GED_WHILE: case MACSIM_GED_BREAK: case MACSIM_GED_CONT: case MACSIM_GED_HALT:
    case MACSIM_GED_CALLA: case MACSIM_GED_CALL: case MACSIM_GED_RET: case MACSIM_GED_GOTO: case MACSIM_GED_JOIN:
        branches = true;
        break;
    default: break;
    }
    if (record->load_count > 0 || record->has_store)
        dialect_note(score, accesses);
    if (record->cf != MACSIM_CF_NONE)
        dialect_note(score, branches);
}

static unsigned gpu_flow(enum macsim_role role)
{
    switch (role) {
    case MACSIM_BRANCH: return 1u << MACSIM_CF_CONDITIONAL | 1u << MACSIM_CF_JUMP;
    case MACSIM_CALL: return 1u << MACSIM_CF_CALL | 1u << MACSIM_CF_INDIRECT_CALL;
    case MACSIM_RETURN: return 1u << MACSIM_CF_RETURN;
    case MACSIM_PLAIN: case MACSIM_EXIT: case MACSIM_BARRIER: case MACSIM_BARRIER_ARRIVE: case MACSIM_FENCE_CTA:
    case MACSIM_FENCE_GL: case MACSIM_FENCE_SYS: break;
    }
    return 0;
}

/* The numbers of special registers differ between versions (2.2). */
static void judge_registers(struct macsim_dialect_score *score, const struct macsim_format *format,
                            const struct macsim_gpu_record *record)
{
    for (unsigned i = 0; i < record->source_count; i++) {
        unsigned const number = record->sources[i];

        if (number >= 1551)
            dialect_note(score, format->registers == MACSIM_REG_PTX_1551);
        else if (number >= 900 && number <= 955)
            score->agree += format->registers == MACSIM_REG_PTX_900;
    }
}

static void judge_ptx(struct macsim_dialect_score *score, const struct macsim_format *format,
                      const struct macsim_gpu_record *record)
{
    struct macsim_gpu_op const op = macsim_gpu_op(format->opcodes, record->opcode);

    if (macsim_ptx_op(format->opcodes, record->opcode) == MACSIM_PTX_UNKNOWN) {
        dialect_note(score, false);
        return;
    }
    judge_flow(score, gpu_flow((enum macsim_role)op.role), record->cf);
    if (op.access == MACSIM_LOAD)
        dialect_note(score, record->is_load);
    else if (record->is_load)
        dialect_note(score, op.access == MACSIM_ATOMIC || op.access == MACSIM_REDUCTION);
    if (format->layout == MACSIM_G72)
        judge_registers(score, format, record);
}

/* The last instruction of a warp. */
static void judge_end(struct macsim_dialect_score *score, const struct macsim_format *format, unsigned opcode)
{
    struct macsim_gpu_op const op = macsim_gpu_op(format->opcodes, opcode);

    dialect_note(score, op.role == MACSIM_EXIT || op.role == MACSIM_RETURN);
}

static void dialect_judge(struct macsim_dialect_score *score, const struct macsim_format *format, const uint8_t *at,
                          bool is_last)
{
    if (format->is_gpu) {
        struct macsim_gpu_record record;

        macsim_decode_gpu(format, at, &record);
        if (format->layout != MACSIM_N64)
            judge_ptx(score, format, &record);
        if (is_last)
            judge_end(score, format, record.opcode);
    } else {
        struct macsim_cpu_record record;

        macsim_decode_cpu(format->layout, at, &record);
        switch (macsim_dialect_family(format->opcodes)) {
        case MACSIM_FAMILY_X86: judge_x86(score, format->opcodes, &record); break;
        case MACSIM_FAMILY_GED: judge_ged(score, format->opcodes, &record); break;
        case MACSIM_FAMILY_PTX: case MACSIM_FAMILY_SASS: case MACSIM_FAMILY_A64: break;
        }
    }
}

void macsim_dialect_judge(struct macsim_dialect_score *score, const struct macsim_format *format, const uint8_t *bytes,
                          size_t length, bool whole)
{
    size_t const size = macsim_layout_bytes(format->layout);
    size_t used = 0;

    while (length - used >= size) {
        size_t const step = macsim_step(format, bytes + used);

        if (step > length - used)
            break;
        dialect_judge(score, format, bytes + used, whole && length - used - step < size);
        used += step;
    }
}

bool macsim_dialect_is_better(const struct macsim_dialect_score *a, const struct macsim_dialect_score *than)
{
    return (int64_t)a->agree - (int64_t)a->contradict > (int64_t)than->agree - (int64_t)than->contradict;
}

/* The meaning of a record's opcode in a table, as a number common to all tables of a family. */
static unsigned meaning(const struct macsim_format *format, enum macsim_dialect dialect, const uint8_t *record)
{
    struct macsim_cpu_record cpu;
    struct macsim_gpu_record gpu;

    if (format->is_gpu) {
        macsim_decode_gpu(format, record, &gpu);
        return macsim_ptx_op(dialect, gpu.opcode);
    }
    macsim_decode_cpu(format->layout, record, &cpu);
    if (macsim_dialect_family(dialect) == MACSIM_FAMILY_GED)
        return macsim_ged_op(dialect, cpu.opcode);
    return macsim_x86_op(dialect, cpu.opcode);
}

bool macsim_dialect_differs(const struct macsim_format *format, enum macsim_dialect other, const uint8_t *bytes,
                            size_t length)
{
    size_t const size = macsim_layout_bytes(format->layout);

    for (size_t used = 0; length - used >= size; used += size)
        if (meaning(format, format->opcodes, bytes + used) != meaning(format, other, bytes + used))
            return true;
    return false;
}
