/* The C extension as docs/spec/riscv-decode.md 3 has it, with all immediates; hints (those that write x0, shifts by 0)
 * are expanded by their fields. Not known: reserved encodings. */
#include "proto/isa/isa_build.h"

enum opcode {
    OP_LOAD = 0x03, OP_LOAD_FP = 0x07, OP_IMM = 0x13, OP_IMM_W = 0x1b, OP_STORE = 0x23, OP_STORE_FP = 0x27, OP = 0x33,
    OP_LUI = 0x37, OP_W = 0x3b, OP_BRANCH = 0x63, OP_JALR = 0x67, OP_JAL = 0x6f, OP_EBREAK = 0x00100073
};

/* Bits high:low of c, at the place `at`. */
static uint32_t cut(uint32_t c, unsigned high, unsigned low, unsigned at)
{
    return (c >> low & ((1u << (high - low + 1)) - 1)) << at;
}

/* `bit` is the sign. */
static uint32_t sign(uint32_t value, unsigned bit)
{
    return (value ^ 1u << bit) - (1u << bit);
}

static uint32_t make_i(enum opcode opcode, uint32_t f3, uint32_t d, uint32_t n, uint32_t immediate)
{
    return (immediate & 0xfff) << 20 | n << 15 | f3 << 12 | d << 7 | (uint32_t)opcode;
}

static uint32_t make_s(enum opcode opcode, uint32_t f3, uint32_t n, uint32_t m, uint32_t offset)
{
    return cut(offset, 11, 5, 25) | m << 20 | n << 15 | f3 << 12 | cut(offset, 4, 0, 7) | (uint32_t)opcode;
}

static uint32_t make_r(enum opcode opcode, uint32_t f7, uint32_t f3, uint32_t d, uint32_t n, uint32_t m)
{
    return f7 << 25 | m << 20 | n << 15 | f3 << 12 | d << 7 | (uint32_t)opcode;
}

static uint32_t make_j(uint32_t offset)
{
    return cut(offset, 20, 20, 31) | cut(offset, 10, 1, 21) | cut(offset, 11, 11, 20) | cut(offset, 19, 12, 12)
           | (uint32_t)OP_JAL;
}

static uint32_t make_b(uint32_t f3, uint32_t n, uint32_t offset)
{
    return cut(offset, 12, 12, 31) | cut(offset, 10, 5, 25) | n << 15 | f3 << 12 | cut(offset, 4, 1, 8)
           | cut(offset, 11, 11, 7) | (uint32_t)OP_BRANCH;
}

static uint32_t expand_0(uint32_t c)
{
    uint32_t const n = 8 + cut(c, 9, 7, 0), m = 8 + cut(c, 4, 2, 0);
    uint32_t const stack = cut(c, 12, 11, 4) | cut(c, 10, 7, 6) | cut(c, 6, 6, 2) | cut(c, 5, 5, 3);
    uint32_t const by_4 = cut(c, 12, 10, 3) | cut(c, 6, 6, 2) | cut(c, 5, 5, 6);
    uint32_t const by_8 = cut(c, 12, 10, 3) | cut(c, 6, 5, 6);

    switch (cut(c, 15, 13, 0)) {
    case 0: return stack ? make_i(OP_IMM, 0, m, 2, stack) : 0;
    case 1: return make_i(OP_LOAD_FP, 3, m, n, by_8);
    case 2: return make_i(OP_LOAD, 2, m, n, by_4);
    case 3: return make_i(OP_LOAD, 3, m, n, by_8);
    case 5: return make_s(OP_STORE_FP, 3, n, m, by_8);
    case 6: return make_s(OP_STORE, 2, n, m, by_4);
    case 7: return make_s(OP_STORE, 3, n, m, by_8);
    default: return 0;
    }
}

static uint32_t expand_arithmetic(uint32_t c)
{
    static const struct { uint16_t opcode; uint8_t f7, f3; } operations[] = {
        {OP, 0x20, 0}, {OP, 0, 4}, {OP, 0, 6}, {OP, 0, 7}, {OP_W, 0x20, 0}, {OP_W, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    uint32_t const n = 8 + cut(c, 9, 7, 0), m = 8 + cut(c, 4, 2, 0);
    uint32_t const which = cut(c, 12, 12, 2) | cut(c, 6, 5, 0), shift = cut(c, 12, 12, 5) | cut(c, 6, 2, 0);

    switch (cut(c, 11, 10, 0)) {
    case 0: return make_i(OP_IMM, 5, n, n, shift);
    case 1: return make_i(OP_IMM, 5, n, n, 0x400 | shift);
    case 2: return make_i(OP_IMM, 7, n, n, sign(shift, 5));
    default: break;
    }
    if (!operations[which].opcode)
        return 0;
    return make_r(operations[which].opcode, operations[which].f7, operations[which].f3, n, n, m);
}

static uint32_t expand_1(uint32_t c)
{
    uint32_t const d = cut(c, 11, 7, 0), n = 8 + cut(c, 9, 7, 0);
    uint32_t const immediate = sign(cut(c, 12, 12, 5) | cut(c, 6, 2, 0), 5);
    uint32_t const stack = sign(cut(c, 12, 12, 9) | cut(c, 6, 6, 4) | cut(c, 5, 5, 6) | cut(c, 4, 3, 7)
                                | cut(c, 2, 2, 5), 9);
    uint32_t const jump = sign(cut(c, 12, 12, 11) | cut(c, 11, 11, 4) | cut(c, 10, 9, 8) | cut(c, 8, 8, 10)
                               | cut(c, 7, 7, 6) | cut(c, 6, 6, 7) | cut(c, 5, 3, 1) | cut(c, 2, 2, 5), 11);
    uint32_t const branch = sign(cut(c, 12, 12, 8) | cut(c, 11, 10, 3) | cut(c, 6, 5, 6) | cut(c, 4, 3, 1)
                                 | cut(c, 2, 2, 5), 8);

    switch (cut(c, 15, 13, 0)) {
    case 0: return make_i(OP_IMM, 0, d, d, immediate);
    case 1: return d ? make_i(OP_IMM_W, 0, d, d, immediate) : 0;
    case 2: return make_i(OP_IMM, 0, d, 0, immediate);
    case 3:
        if (immediate == 0)
            return 0;
        return d == 2 ? make_i(OP_IMM, 0, 2, 2, stack) : immediate << 12 | d << 7 | (uint32_t)OP_LUI;
    case 4: return expand_arithmetic(c);
    case 5: return make_j(jump);
    case 6: return make_b(0, n, branch);
    default: return make_b(1, n, branch);
    }
}

static uint32_t expand_2(uint32_t c)
{
    uint32_t const d = cut(c, 11, 7, 0), m = cut(c, 6, 2, 0);
    uint32_t const load_4 = cut(c, 12, 12, 5) | cut(c, 6, 4, 2) | cut(c, 3, 2, 6);
    uint32_t const load_8 = cut(c, 12, 12, 5) | cut(c, 6, 5, 3) | cut(c, 4, 2, 6);
    uint32_t const store_4 = cut(c, 12, 9, 2) | cut(c, 8, 7, 6), store_8 = cut(c, 12, 10, 3) | cut(c, 9, 7, 6);

    switch (cut(c, 15, 13, 0)) {
    case 0: return make_i(OP_IMM, 1, d, d, cut(c, 12, 12, 5) | m);
    case 1: return make_i(OP_LOAD_FP, 3, d, 2, load_8);
    case 2: return d ? make_i(OP_LOAD, 2, d, 2, load_4) : 0;
    case 3: return d ? make_i(OP_LOAD, 3, d, 2, load_8) : 0;
    case 4:
        if (m != 0)
            return make_r(OP, 0, 0, d, cut(c, 12, 12, 0) ? d : 0, m);
        if (d != 0)
            return make_i(OP_JALR, 0, cut(c, 12, 12, 0), d, 0);
        return cut(c, 12, 12, 0) ? OP_EBREAK : 0;
    case 5: return make_s(OP_STORE_FP, 3, 2, m, store_8);
    case 6: return make_s(OP_STORE, 2, 2, m, store_4);
    default: return make_s(OP_STORE, 3, 2, m, store_8);
    }
}

uint32_t rv64_expand(uint16_t c)
{
    switch (c & 3) {
    case 0: return expand_0(c);
    case 1: return expand_1(c);
    case 2: return expand_2(c);
    default: return 0;
    }
}
