/* A64: base, floating point, advanced SIMD, cryptography, and the extensions to Armv8.6 with LSE, LRCPC, MTE, PAuth.
 * Modelled: each encoding of the Arm Architecture Reference Manual; the tables are in the order of its
 * chapter C4.1. Not modelled: SVE and SME, later extensions (MOPS, LS64), which are not known. FPCR, FPSR and
 * other system registers are no registers. Nothing is a zero idiom: eor of equal registers depends on them, as the
 * memory model wants. Not all sizes that an advanced SIMD instruction has not are refused.
 *
 * dmb and dsb of loads hold back loads, of stores stores, all others all. dsb, isb and writes of system registers,
 * but of NZCV and TPIDR_EL0, are serialising. dc zva stores; ic and the other dc access nothing. */
#include "proto/isa/a64_table.h"
#include "proto/isa/decoder.h"

enum { X0 = 1, SP = 32, FLAGS = 33, V0 = 34, LINK = X0 + 30, REGISTERS = V0 + 32, INSN_BYTES = 4 };

static const struct isa_fields fields = {.d = 0, .n = 5, .m = 16, .a = 10, .zero = 31, .first = X0, .first_vector = V0,
                                         .stack = SP, .link = LINK, .flags = FLAGS};

struct isa_patterns *a64_patterns_new(void)
{
    return isa_patterns_new(&fields, 4, (const struct isa_pattern *const[]){a64_base, a64_memory, a64_float,
                                                                          a64_vector},
                            (const size_t[]){a64_base_count, a64_memory_count, a64_float_count, a64_vector_count});
}

const char *a64_register_name(unsigned number)
{
    static const char *const names[REGISTERS] = {
        NULL, "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
        "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp",
        "flags",
        "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16",
        "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31"};

    return number < REGISTERS ? names[number] : NULL;
}

static unsigned field(uint32_t bits, unsigned high, unsigned low)
{
    return bits >> low & ((1u << (high - low + 1)) - 1);
}

/* Of one lane: scale is bits 15:14, and for 2 bit 10 selects words or doublewords; 3 is a replicated element. */
static unsigned lane_bytes(uint32_t bits)
{
    unsigned const registers = (field(bits, 13, 13) << 1 | field(bits, 21, 21)) + 1;
    unsigned scale = field(bits, 15, 14);

    if (scale == 3)
        scale = field(bits, 11, 10);
    else if (scale == 2)
        scale += field(bits, 10, 10);
    return registers << scale;
}

static unsigned a64_size_of(unsigned rule, uint32_t bits)
{
    switch (rule) {
    case A64_SIZE: return 1u << field(bits, 31, 30);
    case A64_LITERAL: return 4u << field(bits, 31, 30);
    case A64_PAIR: return 8u << field(bits, 31, 31);
    case A64_PAIR_V: return 8u << field(bits, 31, 30);
    case A64_PAIR_X: return 8u << field(bits, 30, 30);
    case A64_STRUCT_1: return 8u << field(bits, 30, 30);
    case A64_STRUCT_2: return 16u << field(bits, 30, 30);
    case A64_STRUCT_3: return 24u << field(bits, 30, 30);
    case A64_STRUCT_4: return 32u << field(bits, 30, 30);
    case A64_LANE: return lane_bytes(bits);
    default: return rule;
    }
}

static enum isa_fence fence_of_order(bool acquires, bool releases)
{
    if (acquires && releases)
        return ISA_FENCE_FULL;
    return acquires ? ISA_FENCE_ACQUIRE : releases ? ISA_FENCE_RELEASE : ISA_FENCE_NONE;
}

static enum isa_fence fence_of(unsigned rule, uint32_t bits)
{
    static const enum isa_fence of_barrier[] = {ISA_FENCE_FULL, ISA_FENCE_LOAD, ISA_FENCE_STORE, ISA_FENCE_FULL};
    bool const o0 = field(bits, 15, 15);

    switch (rule) {
    case A64_BARRIER: return of_barrier[field(bits, 9, 8)];
    case A64_O0_ACQUIRE: return fence_of_order(o0, false);
    case A64_O0_RELEASE: return fence_of_order(false, o0);
    case A64_CAS: return fence_of_order(field(bits, 22, 22), o0);
    default: return fence_of_order(field(bits, 23, 23), field(bits, 22, 22));
    }
}

/* Signed, in words, from bit 5 except in the long form. */
static uint64_t offset_of(unsigned rule, uint32_t bits)
{
    unsigned const width = rule == A64_TARGET_26 ? 26 : rule == A64_TARGET_19 ? 19 : 14;
    uint64_t const value = field(bits, rule == A64_TARGET_26 ? 25 : 4 + width, rule == A64_TARGET_26 ? 0 : 5);
    uint64_t const sign = UINT64_C(1) << (width - 1);

    return ((value ^ sign) - sign) * INSN_BYTES;
}

/* What renaming can do: mov, movz of 0; and comparisons that a branch behind them may be fused with. */
static void add_renaming(uint32_t bits, struct isa_insn *insn)
{
    bool const compares = field(bits, 4, 0) == 31 && insn->class == ISA_CLASS_INT_ALU && insn->operand_count == 0;

    insn->is_move = (bits & 0x7fe0ffe0) == 0x2a0003e0 && field(bits, 20, 16) != 31;
    insn->is_zeroing = (bits & 0x7fffffe0) == 0x52800000 || (bits & 0x7fffffe0) == 0x2a1f03e0;
    /* subs, adds and ands with the result in the zero register, by immediates or registers */
    if (compares && ((bits & 0x3f000000) == 0x31000000 || (bits & 0x3f200000) == 0x2b000000
                     || (bits & 0x7f800000) == 0x72000000 || (bits & 0x7f200000) == 0x6a000000))
        insn->fusion = ISA_FUSES_COMPARE;
}

bool a64_decode(const struct isa_patterns *patterns, uint64_t pc, const uint8_t *bytes, size_t length,
                struct isa_insn *insn)
{
    const struct isa_pattern *pattern;
    uint32_t bits;

    if (length < INSN_BYTES)
        return false;
    insn->size_bytes = INSN_BYTES;
    bits = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    pattern = isa_patterns_find(patterns, bits);
    if (!pattern)
        return false;
    isa_pattern_apply(patterns, pattern, bits, a64_size_of(pattern->size, bits), insn);
    add_renaming(bits, insn);
    if (pattern->ordering)
        insn->fence = (uint8_t)fence_of(pattern->ordering, bits);
    if (pattern->target) {
        insn->has_target = true;
        insn->target = pc + offset_of(pattern->target, bits);
    }
    return true;
}
